"""Render templates (Jinja, escaped throughout), with the help of each page and errors as pages.

Templates hold no arithmetic: figures come from `display/figures.py`, pictures are drawn before.

Invariants: a name that is not there is a mistake; a link to the guide leads to a page that exists.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import cache_from_source
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Final

import msgspec
from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from litestar import Response

from weighbridge.contents import SLICES
from weighbridge.core.identity import API_PREFIX
from weighbridge.core.number import EXACT
from weighbridge.core.unit import COMMON
from weighbridge.http.caller import WebRequest, find_cookie
from weighbridge.http.messages.edge import ErrorBody
from weighbridge.http.messages.operation import Operation
from weighbridge.http.openapi import site
from weighbridge.http.openapi.page import operation_shown
from weighbridge.http.openapi.site import INDEX, OF_TAG, tag_of
from weighbridge.platform.records import Person
from weighbridge.web.display import figures
from weighbridge.web.display.conditions import CONDITIONS
from weighbridge.web.display.figures import TimeFormat
from weighbridge.web.framework.listing import data_suffix
from weighbridge.web.framework.responses import PAGE_HEADERS, Sendable, asset_url, build_page, redirect_to
from weighbridge.web.framework.visit import (
    FIELD,
    THEME,
    THEMES,
    Frame,
    Redirect,
    View,
    Visit,
    build_navigation,
    build_notice_cookie,
    csrf_token_of,
    read_notice,
    read_session_secret,
)

# Help with a page: the operation that does the same for a program, and the page of the guide. Both follow
# from the request in the footer; a page without one names its guide.


_PARAMETER: Final = re.compile(r"\\{\w+\\}")


@dataclass(frozen=True, slots=True)
class Guidance:
    """Links to the API reference and to the guide, for the request of a page."""

    operation: str
    """The URL of the operation in the API reference."""
    guide: str
    """The URL of the page of the guide; empty without one."""
    title: str
    body: str
    """An example of the body, quoted for a shell; empty without one."""


def guide_start() -> str:
    """Return the URL of the guide; empty if it was not built."""
    return site.page_address(INDEX)


def find_guidance(method: str, call: str, guide: str) -> Guidance | None:
    """Return the help with a request, by its method and its path below the prefix of the interface.

    A page without a call names its guide, by its path below `docs/`.
    """
    if guide:
        return Guidance("", site.page_address(guide), site.title_of(guide), "")
    path = call.partition("?")[0]
    operation = next(
        (
            candidate
            for pattern, candidate in _patterns()
            if candidate.method == method and pattern.fullmatch(path)
        ),
        None,
    )
    if operation is None:
        return None
    tag = tag_of(operation.module)
    guide = OF_TAG.get(tag, "")
    return Guidance(
        operation_shown(tag, method, API_PREFIX + operation.path),
        site.page_address(guide) if guide else "",
        site.title_of(guide) if guide else "",
        quote_body(operation.example) if isinstance(operation.example, dict) else "",
    )


def quote_body(body: Any) -> str:
    """Return a body as JSON for single quotes of a shell."""
    return msgspec.json.encode(body).decode().replace("'", "'\\''")


@cache
def _patterns() -> Sequence[tuple[re.Pattern[str], Operation]]:
    """Return every operation with a pattern of its paths; those with fewer parameters first."""
    operations = [endpoint.operation for routes in SLICES for endpoint in routes]
    operations.sort(key=lambda operation: operation.path.count("{"))
    return [
        (re.compile(_PARAMETER.sub("[^/]+", re.escape(operation.path))), operation)
        for operation in operations
    ]


# Templates.


_SHARED: Final = {
    "asset": asset_url,
    "conditions": CONDITIONS,
    "units_offered": COMMON,
    "figure": figures.figure,
    "exact": figures.exact,
    "unit_text": figures.unit_text,
    "amount": figures.amount,
    "initials": figures.initials,
    "percent": figures.percent,
    "percent_of_variance": figures.percent_of_variance,
    "uncertain": figures.uncertain,
    "within": figures.within,
    "percent_change": figures.percent_change,
    "places_of": figures.places_of,
    "exact_difference": EXACT.subtract,
    "is_figure": figures.is_figure,
    "shorten_id": figures.shorten_id,
    "humanize": figures.humanize,
    "plural": figures.plural,
    "noun": figures.noun,
    "api_prefix": API_PREFIX,
    "csrf_field": FIELD,
}


class CompiledTemplates(FileSystemBytecodeCache):
    """What was compiled of templates, kept in a folder for the next process.

    To compile them takes a third of the time that a process takes to load everything. What is kept is for one
    text, one Python and one Jinja; where it cannot be written, or read, each process compiles for itself.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), f"template-%s-jinja{version('jinja2')}.cache")

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError, EOFError, UnpicklingError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                super().dump_bytecode(bucket)


_COMPILED: Final = Path(cache_from_source(__file__)).parent
"""Where Python keeps what it compiled of this module; whoever can write there can change the code anyway."""


@cache
def templates() -> Environment:
    """The templates of the package, each read once."""
    environment = Environment(
        loader=PackageLoader("weighbridge.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        bytecode_cache=CompiledTemplates(_COMPILED),
    )
    environment.globals.update(_SHARED)
    return environment


@cache
def compile_templates() -> None:
    """Compile all templates, so that the first request of a page does not block the loop."""
    for name in templates().list_templates():
        templates().get_template(name)


def render_page(visit: Visit, view: View | Redirect, status: int = 0) -> Sendable:
    """Render the result of a page function."""
    if isinstance(view, Redirect):
        return redirect_to(view.address, build_notice_cookie(view.notice))
    request = visit.request
    context = {
        **_base_context(request),
        **_frame_context(request, visit.frame, visit.person, view),
        "visit": visit,
    }
    text = templates().get_template(view.template).render({**context, **view.context})
    cleared = build_notice_cookie("") if read_notice(request) else {}
    return build_page(request, text, status or view.status, cleared)


def render_open_page(request: WebRequest, template: str, status: int = 200, **context: Any) -> Sendable:
    """Render a page that needs no session."""
    text = templates().get_template(template).render({**_base_context(request), **context})
    return build_page(request, text, status)


def render_error(request: WebRequest, title: str, body: Any) -> str:
    """Render an error as a page; in its frame if the request got that far."""
    state = request.scope["state"]
    frame, person = state.get("frame"), state.get("person")
    context = {**_base_context(request), "title": title, "body": body, "layout": "bare.html"}
    if frame is not None and person is not None:
        view = View("error.html", {}, title)
        context |= {**_frame_context(request, frame, person, view), "layout": "frame.html"}
    return templates().get_template("error.html").render(context)


def _base_context(request: WebRequest) -> dict[str, Any]:
    theme = find_cookie(request, THEME)
    secret = read_session_secret(request)
    return {
        "theme": theme if theme in THEMES else "",
        "csrf_token": csrf_token_of(secret) if secret else "",
        "here": request.url.path,
        "base_url": request.app.state.settings.address,
    }


def _frame_context(request: WebRequest, frame: Frame, person: Person, view: View) -> dict[str, Any]:
    query = request.url.query
    route = request.scope.get("route_handler")
    return {
        "has_data": route is not None and route.opt.get("has_data", False),
        "view": view,
        "guidance": find_guidance(view.method, view.call, view.guide),
        "guide_start": guide_start(),
        "person": person,
        "frame": frame,
        "navigation": build_navigation(frame, person.actor),
        "notice": read_notice(request),
        "query_text": f"?{query}" if query else "",
        "when": TimeFormat(frame.zone, frame.now),
    }


# Errors as pages: the error response of the interface, shown in the frame.


Handlers = Mapping[Any, Callable[[WebRequest, Any], Response[bytes]]]

_NOT_PAGES: Final = (f"{API_PREFIX}/", "/docs", "/openapi.json", "/healthz", "/readyz", "/assets/")
"""Paths whose errors are never pages."""

TITLES: Final = {
    400: "Invalid request",
    401: "Sign-in required",
    403: "Permission denied",
    404: "Not found",
    405: "Not found",
    409: "Conflict with the current state",
    410: "No longer available",
    413: "Too large",
    422: "Invalid input",
    429: "Too many requests",
    503: "Temporarily unavailable",
}
"""The title of an error, by its status."""


def handlers(of_interface: Handlers) -> dict[Any, Callable[[WebRequest, Any], Response[bytes]]]:
    """Wrap the error handlers of the interface so that browsers get a page."""
    return {kind: _wrap_handler(handler) for kind, handler in of_interface.items()}


def _wrap_handler(
    handler: Callable[[WebRequest, Any], Response[bytes]],
) -> Callable[[WebRequest, Any], Response[bytes]]:
    def answer(request: WebRequest, error: Any) -> Response[bytes]:
        response = handler(request, error)
        return _build_error_page(request, response) if _is_of_page(request) else response

    return answer


def _is_of_page(request: WebRequest) -> bool:
    route = request.scope.get("route_handler")
    if route is not None and "page" in route.opt:
        return not data_suffix(request.url.path)
    path = request.url.path
    takes_pages = "text/html" in request.headers.get("accept", "")
    return takes_pages and not any(path.startswith(page) for page in _NOT_PAGES)


def _build_error_page(request: WebRequest, response: Response[bytes]) -> Response[bytes]:
    body = msgspec.json.decode(response.content, type=ErrorBody)
    title = TITLES.get(response.status_code or 500, "Internal error")
    text = render_error(request, title, body)
    kept_headers = {name: value for name, value in response.headers.items() if name.lower() == "retry-after"}
    headers = {name: value for name, value in PAGE_HEADERS.items() if name != "Content-Type"}
    return Response(
        text.encode(),
        status_code=response.status_code,
        media_type=PAGE_HEADERS["Content-Type"],
        headers={**headers, **kept_headers},
    )
