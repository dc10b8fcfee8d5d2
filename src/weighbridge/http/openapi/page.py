"""Serve the description of the interface: the OpenAPI document, the page that shows it, and OPTIONS.

All that the page loads comes from this service, so it works without a network; the content security
policy has the browser enforce that.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, Generic, TypeVar

import msgspec
from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect

from weighbridge.errors import NotFound
from weighbridge.http.caller import await_time
from weighbridge.http.endpoints.framework import ServedRequest
from weighbridge.http.openapi import document as openapi
from weighbridge.http.openapi import site
from weighbridge.http.openapi.site import KEPT, REVALIDATED, PageContent, answered, content_of

# What takes seconds to make and never changes: made in a thread for the first request, and then kept.
#
# Invariant: it is made once, however many ask at the same time; who asks meanwhile waits.


Made = TypeVar("Made")


class MadeOnce(Generic[Made]):
    """Something that is made when it is first asked for; for one event loop."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._making: asyncio.Future[Made] | None = None

    async def get(self) -> Made:
        """What was made."""
        if self._making is None:
            self._making = asyncio.ensure_future(asyncio.to_thread(self._make))
        return await asyncio.shield(self._making)


# The interface's own description: the OpenAPI document, a page that shows it to people, and the guides.
#
# The page and all that it loads come from this service, so it works without a network and tells no one who
# reads it; the content security policy has the browser enforce that.


CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; font-src 'self'; img-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing but this service. Styles may be in the page, because its components include theirs."""

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
    document_content = MadeOnce(lambda: content_of(openapi.written(slices, prefix), "application/json"))

    @get("/openapi.json", include_in_schema=False)
    async def document(request: ServedRequest) -> Response[bytes]:
        await await_time(request)  # it is long, and anybody may ask for it
        return answered(request, await document_content.get(), REVALIDATED)

    return [document, page, asset, all_guides, guide]


@get("/docs", include_in_schema=False, sync_to_thread=False)
def page(request: ServedRequest) -> Response[bytes]:
    """The page."""
    return answered(request, _read("docs.html", "text/html"), _PAGE_HEADERS)


@get("/docs/assets/{name:str}", include_in_schema=False, sync_to_thread=False)
def asset(request: ServedRequest) -> Response[bytes]:
    """One of the files of the page."""
    name = str(request.path_params["name"])
    if name not in ASSETS:
        raise NotFound(message="There is nothing at this path.", code="no_such_path")
    return answered(request, _read(name, ASSETS[name]), KEPT)


@get("/docs/guides", include_in_schema=False, sync_to_thread=False)
def all_guides() -> Redirect:
    """The guide that lists the others."""
    return Redirect(site.address(site.INDEX))


@get("/docs/guides/{path:path}", include_in_schema=False, sync_to_thread=False)
def guide(request: ServedRequest) -> Response[bytes]:
    """A guide: the page to a browser, which asks for the text; the text to everyone else."""
    text = site.text_of(str(request.path_params["path"]).lstrip("/"))
    if text is None:
        raise NotFound(message="There is nothing at this path.", code="no_such_path")
    if "text/html" in request.headers.get("accept", ""):
        return answered(request, _read("docs.html", "text/html"), {**_PAGE_HEADERS, "Vary": "Accept"})
    return answered(request, content_of(text.encode(), "text/markdown"), {**REVALIDATED, "Vary": "Accept"})


@cache
def _read(name: str, media_type: str) -> PageContent:
    return content_of((files("weighbridge.http") / "static" / name).read_bytes(), media_type)


# The description of a path in response to OPTIONS: each method, its permission, query and body.
#
# It is read from the OpenAPI document, so that the two cannot disagree. No token is needed: the document is
# public as well.
#
# Invariants: `Allow` has every method that the path answers, HEAD and OPTIONS included, and the body those
# that are operations. A path outside of the interface has no body.


OPERATION: Final = "options"
"""Under which such requests are counted."""


class MethodTaken(msgspec.Struct, frozen=True):
    """One method of a path; `query` names the parameters, `body` the media types that are taken."""

    method: str
    operation: str
    summary: str
    permission: str
    query: list[str]
    body: list[str]


class PathTaken(msgspec.Struct, frozen=True):
    """A path with the names of its parameters in braces, and the methods that it takes."""

    path: str
    methods: list[MethodTaken]


def handler(slices: openapi.Slices, prefix: str) -> HTTPRouteHandler:
    """The one handler of OPTIONS, for the paths of the slices and for every other that it is given to."""

    def of_all_paths() -> Mapping[str, tuple[str, bytes]]:
        document = openapi.document(slices, prefix)
        return {path: _answer(path, document) for path in document["paths"]}

    answers = MadeOnce(of_all_paths)

    async def what_the_path_takes(request: ServedRequest) -> Response[bytes | None]:
        path, answer_of = request.scope["path_template"], await answers.get()
        if path not in answer_of:
            [route] = [candidate for candidate in request.app.routes if candidate.path_format == path]
            return Response(None, status_code=204, headers={"Allow": ", ".join(sorted(route.methods))})
        request.scope["state"]["operation"] = OPERATION
        allow, body = answer_of[path]
        return Response(body, status_code=200, media_type="application/json", headers={"Allow": allow})

    options_handler = HTTPRouteHandler(http_method="OPTIONS", status_code=200, include_in_schema=False)
    return options_handler(what_the_path_takes)


def _answer(path: str, document: Mapping[str, Any]) -> tuple[str, bytes]:
    shared = document["components"]["parameters"]
    methods = [_method(name, operation, shared) for name, operation in document["paths"][path].items()]
    names = {method.method for method in methods}
    allow = sorted(names | {"OPTIONS"} | ({"HEAD"} if "GET" in names else set()))
    return ", ".join(allow), msgspec.json.encode(PathTaken(path, methods))


def _method(name: str, operation: Mapping[str, Any], shared: Mapping[str, Any]) -> MethodTaken:
    parameters = [
        shared[parameter_["$ref"].rpartition("/")[2]] if "$ref" in parameter_ else parameter_
        for parameter_ in operation.get("parameters", [])
    ]
    return MethodTaken(
        name.upper(),
        operation["operationId"],
        operation["summary"],
        operation["x-permission"],
        [parameter["name"] for parameter in parameters if parameter["in"] == "query"],
        [*operation.get("requestBody", {}).get("content", {})],
    )
