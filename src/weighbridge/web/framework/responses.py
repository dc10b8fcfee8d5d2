"""Responses to a browser: a page, a file, a redirect, and the styles and scripts of the pages.

Invariants: a page loads nothing but what this service sends, and runs no inline script or style; it is
not cached on the way. A static file has a hash of its content in its name.
"""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from litestar import get
from litestar.handlers import HTTPRouteHandler

from weighbridge.errors import NotFound
from weighbridge.http.caller import WebRequest
from weighbridge.http.messages.edge import Send
from weighbridge.http.messages.reply import Reply

# What goes out to a browser: a page, a file or where to go on, each with its headers.
#
# Invariants: a page loads nothing but what this service sends, and runs no script and no style that stands
# in the page; it is kept by nobody on the way.


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


def build_page(
    request: WebRequest, text: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> Sendable:
    """A page on its way out, compressed where the browser takes that."""
    content, own = text.encode(), {**PAGE_HEADERS, **(headers or {})}
    if len(content) >= COMPRESSED_FROM and "gzip" in request.headers.get("accept-encoding", ""):
        content = gzip.compress(content, 5)
        own |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Sendable(status, content, own)


def redirect_to(address: str, headers: Mapping[str, str] | None = None) -> Sendable:
    """Where the browser goes on: a path of this service."""
    return Sendable(303, b"", {"Location": address, "Cache-Control": "no-store", **(headers or {})})


def build_file(content: bytes, media_type: str, name: str = "") -> Sendable:
    """Data in place of a page; with a name, to be kept as a file."""
    headers = {"Content-Type": media_type, "Cache-Control": "private, no-store"}
    if name:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return Sendable(200, content, headers)


# Styles, scripts and pictures of the pages: each under a name that holds a hash of what is in it.
#
# So a browser keeps it for a year, and never shows a page with the styles of another version. What a page
# needs on every visit is sent compressed; that is done once, when somebody first asks.


FOLDER: Final = "/assets/"
"""Where assets are."""

TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}

ASSETS: Final = (
    "tokens.css", "frame.css", "parts.css", "pages.css", "panels.css", "palette.css", "uplot.min.css",
    "htmx.min.js", "uplot.min.js", "charts.js", "palette.js", "weighbridge.js", "mark.svg",
)  # fmt: skip
"""The files of the folder that are served, and nothing else."""


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file as it is sent."""

    name: str
    """The name with the hash."""
    media_type: str
    plain: bytes
    compressed: bytes


@cache
def asset(name: str) -> StaticFile:
    """An asset by its plain name."""
    data = (files("weighbridge.web") / "static" / name).read_bytes()
    stem, _, extension = name.rpartition(".")
    hashed = f"{stem}.{hashlib.sha256(data).hexdigest()[:16]}.{extension}"
    return StaticFile(hashed, TYPES[extension], data, gzip.compress(data, 9, mtime=0))


def asset_url(name: str) -> str:
    """Where a page finds an asset; KeyError for one that is not served."""
    if name not in ASSETS:
        raise KeyError(name)
    return FOLDER + asset(name).name


@cache
def _by_hashed_name() -> dict[str, StaticFile]:
    return {asset(name).name: asset(name) for name in ASSETS}


@get(FOLDER + "{name:str}", include_in_schema=False, sync_to_thread=False)
def send_asset(request: WebRequest) -> Sendable:
    """One of the files."""
    found = _by_hashed_name().get(str(request.path_params["name"]))
    if found is None:
        raise NotFound(message="There is nothing at this path.", code="no_such_path")
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Vary": "Accept-Encoding",
        "Content-Type": found.media_type,
    }
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Sendable(200, found.compressed, {**headers, "Content-Encoding": "gzip"})
    return Sendable(200, found.plain, headers)


ROUTES: Final[list[HTTPRouteHandler]] = [send_asset]
