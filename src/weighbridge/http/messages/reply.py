"""Responses on their way out: JSON, and files that a browser saves and never shows.

Invariants: a response with a body tells its length and type; a file is an attachment under a name with
the extension of its type.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from typing import Final, Protocol
from urllib.parse import quote

import structlog

from weighbridge.core.problem import Problem
from weighbridge.errors import TooManyRequests
from weighbridge.http import wire
from weighbridge.http.messages.edge import RequestScope, Send

# An answer in JSON on its way out: status, headers, and the bytes of the body.
#
# The framework's own response works out for every request what is known here beforehand.
#
# Invariants: an answer with a body tells its length and type; one without tells neither.


_TYPE: Final = (b"content-type", wire.MEDIA_TYPE.encode())


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; the framework calls it to have it sent."""

    status: int
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    async def __call__(self, _scope: object, _receive: object, send: Send) -> None:
        """Send it, as an application of its own (ASGI)."""
        headers = [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        if self.content:
            headers += [_TYPE, (b"content-length", str(len(self.content)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.content})


# An attachment is an answer that is a file: something to keep, never a page.
#
# Whatever the file holds, a browser saves it and does not show it: it is sent as an attachment under a name
# with the extension of its type, its type is not guessed at, and were it shown all the same it would be in
# a sandbox without scripts, styles or a way out.


log = structlog.get_logger()

CHUNK_BYTES: Final = 262_144

DOWNLOADS_OF_ACCOUNT_MAX: Final = 4
"""Files that one process sends to one account at the same time."""

DOWNLOADS_MAX: Final = 32
"""Files that one process sends at the same time."""

RETRY_AFTER_SECONDS: Final = 2

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


@dataclass(slots=True)
class Downloads:
    """The files that one process is sending, by account; a file is held from its first byte to its last."""

    stalled_seconds: int
    """How long a reader may take nothing of a file."""
    _running: dict[int, int] = field(default_factory=dict)

    @contextmanager
    def one_of(self, account: int) -> Iterator[None]:
        """Count a download of an account while the block lasts; refuse one too many."""
        running = self._running.get(account, 0)
        if running >= DOWNLOADS_OF_ACCOUNT_MAX or sum(self._running.values()) >= DOWNLOADS_MAX:
            whose = "The account" if running >= DOWNLOADS_OF_ACCOUNT_MAX else "The service"
            said = f"{whose} is sending as many files as it can at once; ask again when one has arrived."
            raise TooManyRequests(
                [Problem(said, None, "too_many_downloads")], retry_after_seconds=RETRY_AFTER_SECONDS
            )
        self._running[account] = running + 1
        try:
            yield
        finally:
            self._running[account] -= 1
            if not self._running[account]:
                del self._running[account]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to send; `read` gives all of it, once it is known to be the right one."""

    name: str
    media_type: str
    size: int
    read: Callable[[], Awaitable[Spool]]

    def reply(self, downloads: Downloads, account: int) -> "AttachmentReply":
        """The answer with the file."""
        return AttachmentReply(self, downloads, account)


@dataclass(frozen=True, slots=True)
class AttachmentReply:
    """A file on its way out; the framework calls it to have it sent.

    A reader who takes nothing for too long is left: the file is let go, and the connection ends before the
    file does, so that nobody takes a part for the whole.
    """

    attachment: Attachment
    downloads: Downloads
    account: int

    async def __call__(self, scope: RequestScope, _receive: object, send: Send) -> None:
        """Send it, as an application of its own (ASGI)."""
        with self.downloads.one_of(self.account), await self.attachment.read() as spool:
            headers = {
                **HEADERS,
                "Content-Type": self.attachment.media_type,
                "Content-Length": str(self.attachment.size),
                "Content-Disposition": disposition(self.attachment.name),
            }
            encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
            await send({"type": "http.response.start", "status": 200, "headers": encoded})
            try:
                while chunk := spool.read(CHUNK_BYTES):
                    async with asyncio.timeout(self.downloads.stalled_seconds):
                        await send({"type": "http.response.body", "body": chunk, "more_body": True})
            except TimeoutError:
                log.warning("answer_stalled", path=scope["path"])
                return
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def disposition(name: str) -> str:
    """The header that has a file saved under its name, for old readers and for new ones (RFC 6266)."""
    plain = "".join(character if character in _PLAIN else "_" for character in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe=_UNQUOTED)}"
