"""An attachment is an answer that is a file: something to keep, never a page.

Whatever the file holds, a browser saves it and does not show it: it is sent as an attachment under a name
with the extension of its type, its type is not guessed at, and were it shown all the same it would be in a
sandbox without scripts, styles or a way out.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import Any, Final, Protocol
from urllib.parse import quote

from litestar import Response
from litestar.response import Stream

CHUNK_BYTES: Final = 262_144

HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private",
}
_PLAIN: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 !#$&'()+,-.=@[]^_`{}~"
)
_UNQUOTED: Final = "!#$&+-.^_`|~"

Spool = SpooledTemporaryFile[bytes]


class Files(Protocol):
    """Where the files that are sent are kept; the application is made with one."""

    async def get(self, key: str, size: int, sha256: bytes) -> Spool:
        """Read all of a file; refuse when it is not the one of this size and digest."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to send; `read` gives all of it, once it is known to be the right one."""

    name: str
    media_type: str
    size: int
    read: Callable[[], Awaitable[Spool]]

    async def response(self) -> Response[Any]:
        """Read the file and answer with it."""
        spool = await self.read()
        headers = {
            **HEADERS,
            "Content-Type": self.media_type,
            "Content-Length": str(self.size),
            "Content-Disposition": disposition(self.name),
        }
        return Stream(_chunks(spool), headers=headers, media_type=self.media_type, status_code=200)


def disposition(name: str) -> str:
    """The header that has a file saved under its name, for old readers and for new ones (RFC 6266)."""
    plain = "".join(character if character in _PLAIN else "_" for character in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe=_UNQUOTED)}"


async def _chunks(spool: Spool) -> AsyncIterator[bytes]:
    with spool:
        while chunk := spool.read(CHUNK_BYTES):
            yield chunk
