"""What goes out to a browser: a page, a file or where to go on, each with its headers.

Invariants: a page loads nothing but what this service sends, and runs no script and no style that stands in
the page; it is kept by nobody on the way.
"""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from weighbridge.http.caller import WebRequest
from weighbridge.http.edge import Send
from weighbridge.http.reply import Reply

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing but this service, and nothing that stands in a page."""

COMPRESSED_FROM: Final = 1_024
"""Bytes from which on a page is compressed."""

PAGE_HEADERS: Final = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cache-Control": "private, no-store",
}


@dataclass(frozen=True, slots=True)
class Sendable(Reply):
    """Bytes with headers that say of which type they are; the framework calls it to have them sent."""

    cookies: tuple[str, ...] = field(default_factory=tuple)

    async def __call__(self, _scope: object, _receive: object, send: Send) -> None:
        """Send it, as an application of its own (ASGI)."""
        headers = [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        headers += [(b"set-cookie", one.encode()) for one in self.cookies]
        headers.append((b"content-length", str(len(self.content)).encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.content})


def page_of(
    request: WebRequest, text: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> Sendable:
    """A page on its way out, compressed where the browser takes that."""
    content, own = text.encode(), {**PAGE_HEADERS, **(headers or {})}
    if len(content) >= COMPRESSED_FROM and "gzip" in request.headers.get("accept-encoding", ""):
        content = gzip.compress(content, 5)
        own |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Sendable(status, content, own)


def moved_to(address: str, headers: Mapping[str, str] | None = None) -> Sendable:
    """Where the browser goes on: a path of this service."""
    return Sendable(303, b"", {"Location": address, "Cache-Control": "no-store", **(headers or {})})


def file_of(content: bytes, media_type: str, name: str = "") -> Sendable:
    """Data in place of a page; with a name, to be kept as a file."""
    headers = {"Content-Type": media_type, "Cache-Control": "private, no-store"}
    if name:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return Sendable(200, content, headers)
