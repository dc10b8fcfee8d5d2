"""Templates: pages are Jinja, escaped throughout, and a name that is not there is a mistake.

The functions that templates know write figures, times and periods (`showing/`); what a picture is made of is
drawn before (`drawing/`), so that templates hold no arithmetic.
"""

from functools import cache
from threading import Thread
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from weighbridge.core.identity.link import API_PREFIX
from weighbridge.http.arrival.cookies import cookie_of
from weighbridge.http.caller import WebRequest
from weighbridge.platform.sessions.records import Person
from weighbridge.web.answer import Sendable, moved_to, page_of
from weighbridge.web.assets import address_of
from weighbridge.web.crossing import FIELD, word_of
from weighbridge.web.frame import Frame, rail_of
from weighbridge.web.guidance import guidance_of, guide_start
from weighbridge.web.notice import noticed, said_of
from weighbridge.web.session import THEME, THEMES, secret_of
from weighbridge.web.showing import figures, words
from weighbridge.web.showing.moments import Moments
from weighbridge.web.visit import Moved, View, Visit

_SHARED: Final = {
    "asset": address_of,
    "figure": figures.figure,
    "exact": figures.exact,
    "amount": figures.amount,
    "percent": figures.percent,
    "places_of": figures.places_of,
    "is_figure": figures.is_figure,
    "short_id": words.short_id,
    "spoken": words.spoken,
    "plural": words.plural,
    "noun": words.noun,
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
    """Begin to compile all templates in a thread: whoever opens a page first would hold the loop for that."""

    def compile_all() -> None:
        for name in templates().list_templates():
            templates().get_template(name)

    Thread(target=compile_all, name="templates", daemon=True).start()


def rendered(visit: Visit, shown: View | Moved, status: int = 0) -> Sendable:
    """What a function of a page gave, as it goes out."""
    if isinstance(shown, Moved):
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
