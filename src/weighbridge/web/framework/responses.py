"""Responses to a browser: a page, a file, a redirect, and the styles and scripts of the pages.

Invariants: a page loads nothing but what this service sends, and runs no inline script or style; it is
not cached on the way. A static file has a hash of its content in its name.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from litestar import get
from litestar.handlers import HTTPRouteHandler

from weighbridge.errors import NotFound
from weighbridge.http.caller import WebRequest
from weighbridge.http.endpoints.framework import ServedRequest
from weighbridge.http.messages.asgi import Send
from weighbridge.http.messages.operation import Reply, disposition

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Only resources of this service, and no inline script or style."""

COMPRESSED_FROM: Final = 1_024
"""Bytes from which a page is compressed."""

PAGE_HEADERS: Final = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cache-Control": "private, no-store",
}


@dataclass(frozen=True, slots=True)
class Sendable(Reply):
    """A response that the framework sends by calling it."""

    cookies: tuple[str, ...] = field(default_factory=tuple)

    async def __call__(self, _scope: object, _receive: object, send: Send) -> None:
        """Send it, as an application of its own (ASGI)."""
        headers = [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        headers += [(b"set-cookie", cooky.encode()) for cooky in self.cookies]
        headers.append((b"content-length", str(len(self.content)).encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.content})


def build_page(
    request: WebRequest, text: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> Sendable:
    """Return a page as a response, compressed if the browser accepts that."""
    content, page_headers = text.encode(), {**PAGE_HEADERS, **(headers or {})}
    if len(content) >= COMPRESSED_FROM and "gzip" in request.headers.get("accept-encoding", ""):
        content = gzip.compress(content, 5)
        page_headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Sendable(status, content, page_headers)


def redirect_to(address: str, headers: Mapping[str, str] | None = None) -> Sendable:
    """Return a redirect to a path of this service."""
    return Sendable(303, b"", {"Location": address, "Cache-Control": "no-store", **(headers or {})})


def build_file(content: bytes, media_type: str, name: str = "") -> Sendable:
    """Return data as a response; with a name, as a download."""
    headers = {"Content-Type": media_type, "Cache-Control": "private, no-store"}
    if name:
        headers["Content-Disposition"] = disposition(name)
    return Sendable(200, content, headers)


# Static files: styles, scripts and pictures. A hash of the content is part of the name, so that a browser
# caches them for a year and never mixes versions. Each is compressed once, on its first request.


FOLDER: Final = "/assets/"
"""The path of static files."""

TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
}

ASSETS: Final = (
    "tokens.css", "frame.css", "parts.css", "pages.css", "panels.css", "palette.css", "uplot.min.css",
    "htmx.min.js", "uplot.min.js", "charts.js", "palette.js", "weighbridge.js",
    "bundle-check.js", "mark.svg", "math.woff2",
)  # fmt: skip
"""The files that are served."""


_NAMED_IN_STYLES: Final = re.compile(rb'url\("([a-z.0-9]+)"\)')
"""A file that a style names, such as a font; it is served under its name with the hash."""


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A static file, plain and compressed."""

    name: str
    """The name with the hash."""
    media_type: str
    plain: bytes
    compressed: bytes


@cache
def asset(name: str) -> StaticFile:
    """Return a static file by its plain name."""
    data = (files("weighbridge.web") / "static" / name).read_bytes()
    if name.endswith(".css"):
        data = _NAMED_IN_STYLES.sub(lambda found: f'url("{asset(found[1].decode()).name}")'.encode(), data)
    stem, _, extension = name.rpartition(".")
    hashed = f"{stem}.{hashlib.sha256(data).hexdigest()[:16]}.{extension}"
    return StaticFile(hashed, TYPES[extension], data, gzip.compress(data, 9, mtime=0))


def asset_url(name: str) -> str:
    """Return the URL of a static file; KeyError for one that is not served."""
    if name not in ASSETS:
        raise KeyError(name)
    return FOLDER + asset(name).name


@cache
def _by_hashed_name() -> dict[str, StaticFile]:
    return {asset(name).name: asset(name) for name in ASSETS}


@get(FOLDER + "{name:str}", include_in_schema=False, sync_to_thread=False)
def send_asset(request: ServedRequest) -> Sendable:
    """Send a static file."""
    hashed_asset = _by_hashed_name().get(str(request.path_params["name"]))
    if hashed_asset is None:
        raise NotFound(message="There is nothing at this path.", code="no_such_path")
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Vary": "Accept-Encoding",
        "Content-Type": hashed_asset.media_type,
    }
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Sendable(200, hashed_asset.compressed, {**headers, "Content-Encoding": "gzip"})
    return Sendable(200, hashed_asset.plain, headers)


ROUTES: Final[list[HTTPRouteHandler]] = [send_asset]
