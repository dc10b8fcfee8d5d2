"""Render templates (Jinja, escaped throughout), with the help of each page and errors as pages.

Templates hold no arithmetic: figures come from `display/figures.py`, pictures are drawn before.

Invariants: a name that is not there is a mistake; a link to the guide leads to a page that exists.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import Response

from weighbridge.contents import SLICES
from weighbridge.core.identity.ids import API_PREFIX
from weighbridge.http.caller import WebRequest, cookie_of
from weighbridge.http.messages.operation import Operation
from weighbridge.http.messages.refusal import ErrorBody
from weighbridge.http.openapi import site
from weighbridge.http.openapi.page import operation_shown
from weighbridge.http.openapi.site import INDEX, OF_TAG, tag_of
from weighbridge.platform.records.accounts import Person
from weighbridge.web.display import figures
from weighbridge.web.display.figures import Moments
from weighbridge.web.framework.listing import suffix_of
from weighbridge.web.framework.responses import PAGE_HEADERS, Sendable, address_of, moved_to, page_of
from weighbridge.web.framework.session import FIELD, THEME, THEMES, noticed, said_of, secret_of, word_of
from weighbridge.web.framework.visit import Frame, Redirect, View, Visit, rail_of

# What helps with a page: the operation that does the same for a program, and the guide to read on in.
#
# Both follow from the call that the page shows; only a page that the interface has no call for names its
# guide.
#
# Invariants: a link to the guide leads to a page that is there, built or not; a call of a page is one that
# the interface has.


_PARAMETER: Final = re.compile(r"\\{\w+\\}")


@dataclass(frozen=True, slots=True)
class Guidance:
    """What helps with the records that a call is about."""

    operation: str
    """Where the interface describes the call."""
    guide: str
    """Where the guide is; empty where there is none."""
    title: str
    body: str
    """A body as the call takes it, as a line of shell has it; empty where none is known."""


def guide_start() -> str:
    """Where the guide begins; empty where it is not there."""
    return site.page_address(INDEX)


def guidance_of(method: str, call: str, guide: str) -> Guidance | None:
    """What helps with a call, by its method and its path below the prefix of the interface.

    A page without a call names its guide, by its path below `docs/`.
    """
    if guide:
        return Guidance("", site.page_address(guide), dict(OF_TAG.values())[guide], "")
    path = call.partition("?")[0]
    found = next(
        (one for pattern, one in _patterns() if one.method == method and pattern.fullmatch(path)), None
    )
    if found is None:
        return None
    tag = tag_of(found.module.removesuffix(".routes"))
    guide, title = OF_TAG.get(tag, ("", ""))
    return Guidance(
        operation_shown(tag, method, API_PREFIX + found.path),
        site.page_address(guide) if guide else "",
        title,
        quoted(found.example) if isinstance(found.example, dict) else "",
    )


def quoted(body: Any) -> str:
    """A body as JSON that stands between single quotes of a shell."""
    return msgspec.json.encode(body).decode().replace("'", "'\\''")


@cache
def _patterns() -> Sequence[tuple[re.Pattern[str], Operation]]:
    """Every operation with what its paths look like; those without parameters first, for they are closer."""
    every = [handler.opt["operation"] for routes in SLICES for handler in routes]
    every.sort(key=lambda one: one.path.count("{"))
    return [(re.compile(_PARAMETER.sub("[^/]+", re.escape(one.path))), one) for one in every]


# Templates: pages are Jinja, escaped throughout, and a name that is not there is a mistake.
#
# The functions that templates know write figures, times and periods (`showing/`); what a picture is made of
# is drawn before (`drawing/`), so that templates hold no arithmetic.


_SHARED: Final = {
    "asset": address_of,
    "figure": figures.figure,
    "exact": figures.exact,
    "amount": figures.amount,
    "percent": figures.percent,
    "places_of": figures.places_of,
    "is_figure": figures.is_figure,
    "short_id": figures.short_id,
    "spoken": figures.spoken,
    "plural": figures.plural,
    "noun": figures.noun,
    "api_prefix": API_PREFIX,
    "form_field": FIELD,
}


@cache
def templates() -> Environment:
    """The templates of the package, each read once."""
    made = Environment(
        loader=PackageLoader("weighbridge.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    made.globals.update(_SHARED)
    return made


@cache
def compile_templates() -> None:
    """Compile all templates: the first visit of a page would hold the loop for that."""
    for name in templates().list_templates():
        templates().get_template(name)


def rendered(visit: Visit, shown: View | Redirect, status: int = 0) -> Sendable:
    """What a function of a page gave, as it goes out."""
    if isinstance(shown, Redirect):
        return moved_to(shown.address, noticed(shown.said))
    request = visit.request
    context = {**_around(request), **_framed(request, visit.frame, visit.person, shown), "visit": visit}
    text = templates().get_template(shown.template).render({**context, **shown.context})
    cleared = noticed("") if said_of(request) else {}
    return page_of(request, text, status or shown.status, cleared)


def rendered_alone(request: WebRequest, template: str, status: int = 200, **context: Any) -> Sendable:
    """A page for somebody who may not have signed in."""
    text = templates().get_template(template).render({**_around(request), **context})
    return page_of(request, text, status)


def text_of_error(request: WebRequest, title: str, body: Any) -> str:
    """A page that says what was wrong: in its frame, as far as that is known."""
    state = request.scope["state"]
    frame, person = state.get("frame"), state.get("person")
    context = {**_around(request), "title": title, "body": body, "layout": "bare.html"}
    if frame is not None and person is not None:
        shown = View("error.html", {}, title)
        context |= {**_framed(request, frame, person, shown), "layout": "frame.html"}
    return templates().get_template("error.html").render(context)


def _around(request: WebRequest) -> dict[str, Any]:
    theme = cookie_of(request, THEME)
    secret = secret_of(request)
    return {
        "theme": theme if theme in THEMES else "",
        "form_word": word_of(secret) if secret else "",
        "here": request.url.path,
        "base_url": request.app.state.settings.address,
    }


def _framed(request: WebRequest, frame: Frame, person: Person, shown: View) -> dict[str, Any]:
    query = request.url.query
    route = request.scope.get("route_handler")
    return {
        "has_data": route is not None and route.opt.get("has_data", False),
        "view": shown,
        "guidance": guidance_of(shown.method, shown.call, shown.guide),
        "guide_start": guide_start(),
        "person": person,
        "frame": frame,
        "rail": rail_of(frame, person.actor),
        "said": said_of(request),
        "query_text": f"?{query}" if query else "",
        "when": Moments(frame.zone, frame.now),
    }


# Refusals as pages: whatever refuses a request of a browser is shown in the frame, in the same sentences.
#
# The interface's own refusals are made first and then shown, so that both say the same.


Handlers = Mapping[Any, Callable[[WebRequest, Any], Response[bytes]]]

_NOT_PAGES: Final = (f"{API_PREFIX}/", "/docs", "/openapi.json", "/healthz", "/readyz", "/assets/")
"""Paths whose refusals are for programs, whoever asks."""

TITLES: Final = {
    400: "That could not be read",
    401: "Sign in first",
    403: "Not allowed",
    404: "Not found",
    405: "Not found",
    409: "Not possible just now",
    410: "No longer there",
    413: "Too large",
    422: "Not possible",
    429: "Too much at once",
    503: "Not available just now",
}
"""What a refusal is called, by its status."""


def handlers(of_interface: Handlers) -> dict[Any, Callable[[WebRequest, Any], Response[bytes]]]:
    """The handlers of refusals, each of which answers a browser with a page."""
    return {kind: _shown(handler) for kind, handler in of_interface.items()}


def _shown(
    handler: Callable[[WebRequest, Any], Response[bytes]],
) -> Callable[[WebRequest, Any], Response[bytes]]:
    def answer(request: WebRequest, error: Any) -> Response[bytes]:
        response = handler(request, error)
        return _page(request, response) if _is_of_page(request) else response

    return answer


def _is_of_page(request: WebRequest) -> bool:
    route = request.scope.get("route_handler")
    if route is not None and "page" in route.opt:
        return not suffix_of(request.url.path)
    path = request.url.path
    takes_pages = "text/html" in request.headers.get("accept", "")
    return takes_pages and not any(path.startswith(one) for one in _NOT_PAGES)


def _page(request: WebRequest, response: Response[bytes]) -> Response[bytes]:
    body = msgspec.json.decode(response.content, type=ErrorBody)
    title = TITLES.get(response.status_code or 500, "Something went wrong")
    text = text_of_error(request, title, body)
    kept = {name: value for name, value in response.headers.items() if name.lower() == "retry-after"}
    headers = {name: value for name, value in PAGE_HEADERS.items() if name != "Content-Type"}
    return Response(
        text.encode(),
        status_code=response.status_code,
        media_type=PAGE_HEADERS["Content-Type"],
        headers={**headers, **kept},
    )
