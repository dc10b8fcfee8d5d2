"""Styles, scripts and pictures of the pages: each under a name that holds a hash of what is in it.

So a browser keeps it for a year, and never shows a page with the styles of another version. What a page needs
on every visit is sent compressed; that is done once, when somebody first asks.
"""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from litestar import get
from litestar.handlers import HTTPRouteHandler

from weighbridge.errors import NotFound
from weighbridge.http.caller import WebRequest
from weighbridge.web.answer import Sendable

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


def address_of(name: str) -> str:
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
