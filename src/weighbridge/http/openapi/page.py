"""The interface's own description: the OpenAPI document, a page that shows it to people, and the guides.

The page and all that it loads come from this service, so it works without a network and tells no one who
reads it; the content security policy has the browser enforce that.
"""

from functools import cache
from importlib.resources import files
from typing import Final

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect

from weighbridge.errors import NotFound
from weighbridge.http.access.strangers import await_time
from weighbridge.http.caller import WebRequest
from weighbridge.http.openapi import document as openapi
from weighbridge.http.openapi import guides
from weighbridge.http.openapi.content import KEPT, REVALIDATED, PageContent, answered, content_of
from weighbridge.http.openapi.made_once import MadeOnce

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; font-src 'self'; img-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing but this service. Styles may stand in the page, for its components bring theirs along."""

ASSETS: Final = {
    "docs.css": "text/css",
    "docs.js": "text/javascript",
    "scalar.js": "text/javascript",
}
"""The files of the page, with their types; nothing else of the folder is served."""

_PAGE_HEADERS: Final = {
    **REVALIDATED,
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
}


def operation_shown(tag: str, method: str, path: str) -> str:
    """Where the page shows an operation: its path with that of the interface, as the document has it."""
    return f"/docs#tag/{tag_in_address(tag)}/{method}{path}"


def tag_in_address(tag: str) -> str:
    """How the page names a tag in addresses."""
    return tag.lower().replace(" ", "-")


def routes(slices: openapi.Slices, prefix: str) -> list[HTTPRouteHandler]:
    """Make the handlers of the document, the page and the page's files."""
    written = MadeOnce(lambda: content_of(openapi.written(slices, prefix), "application/json"))

    @get("/openapi.json", include_in_schema=False)
    async def document(request: WebRequest) -> Response[bytes]:
        await await_time(request)  # it is long, and anybody may ask for it
        return answered(request, await written.get(), REVALIDATED)

    return [document, page, asset, all_guides, guide]


@get("/docs", include_in_schema=False, sync_to_thread=False)
def page(request: WebRequest) -> Response[bytes]:
    """The page."""
    return answered(request, _read("docs.html", "text/html"), _PAGE_HEADERS)


@get("/docs/assets/{name:str}", include_in_schema=False, sync_to_thread=False)
def asset(request: WebRequest) -> Response[bytes]:
    """One of the files of the page."""
    name = str(request.path_params["name"])
    if name not in ASSETS:
        raise NotFound(message="There is nothing at this path.", code="no_such_path")
    return answered(request, _read(name, ASSETS[name]), KEPT)


@get("/docs/guides", include_in_schema=False, sync_to_thread=False)
def all_guides() -> Redirect:
    """The guide that lists the others."""
    return Redirect(guides.address(guides.INDEX))


@get("/docs/guides/{path:path}", include_in_schema=False, sync_to_thread=False)
def guide(request: WebRequest) -> Response[bytes]:
    """A guide: the page to a browser, which asks for the text; the text to everyone else."""
    text = guides.text_of(str(request.path_params["path"]).lstrip("/"))
    if text is None:
        raise NotFound(message="There is nothing at this path.", code="no_such_path")
    if "text/html" in request.headers.get("accept", ""):
        return answered(request, _read("docs.html", "text/html"), {**_PAGE_HEADERS, "Vary": "Accept"})
    return answered(request, content_of(text.encode(), "text/markdown"), {**REVALIDATED, "Vary": "Accept"})


@cache
def _read(name: str, media_type: str) -> PageContent:
    return content_of((files("weighbridge.http") / "static" / name).read_bytes(), media_type)
