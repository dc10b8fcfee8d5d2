"""The guide as a site at /guide: the pages that `make site` built, or the same texts where it was not run.

The pages are plain files of the package. They and all that they load, the search and its index too, come from
this service, and its content security policy lets them ask nobody else and run nothing that stands in a page.

Invariants: an address below /guide of a page that there is leads to its text, whether the site was built or
not; nothing outside the site's folder is served.
"""

from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect

from weighbridge.errors import NotFound
from weighbridge.http.caller import WebRequest
from weighbridge.http.openapi import guides
from weighbridge.http.openapi.content import KEPT, REVALIDATED, PageContent, answered, content_of

GUIDE: Final = "/guide/"
"""Below which path the site is served."""

START: Final = "index.html"
OPERATIONS: Final = "reference/operations.html"
"""The page that has each operation with the guides that speak of it."""

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

TYPES: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
"""What the site is made of; nothing else of its folder is served."""

_PAGE_HEADERS: Final = {
    **REVALIDATED,
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
}


def operation_address(name: str) -> str:
    """Where the guide speaks of an operation."""
    return f"{GUIDE}{OPERATIONS}#{name.replace('_', '-')}"


def page_address(guide: str, folder: Path | None = None) -> str:
    """Where the page of a guide is; empty where neither the site nor the texts have it."""
    site = packaged() if folder is None else folder
    name = START if guide == guides.INDEX else guide.removesuffix(".md") + ".html"
    is_there = (site / name).is_file() if (site / START).is_file() else instead(name) is not None
    return GUIDE + name if is_there else ""


def packaged() -> Path:
    """The folder of the site in the package; it is there once `make site` has been run."""
    return Path(str(files("weighbridge.http"))) / "static" / "site"


def routes(folder: Path) -> list[HTTPRouteHandler]:
    """Make the handlers of a site that lies in a folder, or does not."""

    @lru_cache(maxsize=512)
    def read(name: str) -> PageContent | None:
        path = folder / name
        kind = TYPES.get(path.suffix)
        if kind is None or not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
            return None
        return content_of(path.read_bytes(), kind)

    @get("/guide", include_in_schema=False, sync_to_thread=False)
    def start() -> Redirect:
        return Redirect(GUIDE + START)

    @get("/guide/{path:path}", include_in_schema=False, sync_to_thread=False)
    def page(request: WebRequest) -> Response[bytes] | Redirect:
        name = str(request.path_params["path"]).strip("/")
        found = read(name)
        if found is not None:
            is_page = name.endswith(".html")
            return answered(request, found, _PAGE_HEADERS if is_page else KEPT)
        text = instead(name)
        if text is not None and read(START) is None:
            return Redirect(guides.address(text))
        raise NotFound(message="The guide has no such page; it begins at /guide.", code="no_such_path")

    return [start, page]


def instead(name: str) -> str | None:
    """The guide that has the text of a page."""
    guide = guides.INDEX if name == START else name.removesuffix(".html") + ".md"
    return guide if guides.text_of(guide) is not None else None
