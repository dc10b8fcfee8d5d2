"""Sign in, sign out, and look light or dark."""

import asyncio
from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.errors import Refusal, TooManyRequests, Unauthorized
from weighbridge.http.access.address import client_address
from weighbridge.http.caller import WebRequest, database
from weighbridge.platform.sessions.actions import end_all_sessions, end_session, sign_in
from weighbridge.platform.users.queries import has_people
from weighbridge.web.access.local import is_local
from weighbridge.web.answer import Sendable, moved_to
from weighbridge.web.arrival import OPEN_FIELDS_MAX, typed_of
from weighbridge.web.page import form, open_page, page
from weighbridge.web.rendering import rendered_alone
from weighbridge.web.session import THEME, THEMES, forgotten, kept, person_of
from weighbridge.web.visit import View, Visit, view

AT_ONCE_MAX: Final = 4
"""Passwords that one process compares at a time: each takes 19 MB."""

_turns: Final = asyncio.Semaphore(AT_ONCE_MAX)
_YEAR_SECONDS: Final = 31_536_000


@open_page("GET", "/sign_in")
async def sign_in_page(request: WebRequest) -> Sendable:
    """The form to sign in; whoever has signed in goes on."""
    after = next_of(request.query_params.get("next", ""))
    if await person_of(request) is not None:
        return moved_to(after)
    return await _form(request, after)


@open_page("POST", "/sign_in")
async def signed_in(request: WebRequest) -> Sendable:
    """Take what was typed, and begin a session."""
    typed = await typed_of(request, OPEN_FIELDS_MAX)
    email, password, after = ("".join(typed.get(name, ())) for name in ("email", "password", "next"))
    try:
        async with _turns:
            secret = await sign_in(
                database(request),
                email=email,
                password=password,
                address=client_address(request.scope, request.app.state.proxies),
                program=request.headers.get("user-agent", "unknown"),
                request_id=request.scope["state"]["request_id"],
            )
    except (Unauthorized, TooManyRequests) as refusal:
        return await _form(request, next_of(after), email, refusal)
    return moved_to(next_of(after), kept(request, secret))


async def me(visit: Visit) -> View:
    """The person's own page: what they may do, and the sessions in which they have signed in."""
    rows = await visit.tx.tuples(
        """
        SELECT id, program, created_at, used_at FROM sessions
         WHERE user_id = %s ORDER BY used_at DESC LIMIT 50
        """,
        (visit.actor.user_id,),
    )
    sessions = [
        {"id": number, "program": program, "created_at": created, "used_at": used}
        for number, program, created, used in rows
    ]
    return view("access/me.html", visit.person.name, guide="howto/give-people-access.md", sessions=sessions)


@form("/sign_out", again=me)
async def sign_out(visit: Visit) -> Sendable:
    """End the session, or every session of the person."""
    if visit.text("everywhere"):
        await end_all_sessions(visit.tx, visit.actor)
    else:
        await end_session(visit.tx, visit.actor, visit.person.session_id)
    return moved_to("/sign_in", forgotten(visit.request))


@open_page("POST", "/theme")
async def theme(request: WebRequest) -> Sendable:
    """Look light, dark, or as the browser asks for; and go back to where one was."""
    typed = await typed_of(request, OPEN_FIELDS_MAX)
    wanted = "".join(typed.get("theme", ()))
    seconds = _YEAR_SECONDS if wanted in THEMES else 0
    cookie = f"{THEME}={wanted if wanted in THEMES else ''}; Max-Age={seconds}; SameSite=Lax; Path=/"
    return moved_to(next_of("".join(typed.get("next", ()))), {"Set-Cookie": cookie})


def next_of(text: str) -> str:
    """A path of this service to go on to; the front page for anything that leads elsewhere."""
    return text if is_local(text) else "/"


async def _form(request: WebRequest, after: str, email: str = "", refusal: Refusal | None = None) -> Sendable:
    async with database(request).read() as tx:
        is_first = not await has_people(tx)
    return rendered_alone(
        request, "access/sign_in.html", refusal.status if refusal else 200,
        after=after, email=email, problems=refusal.problems if refusal else (), is_first=is_first,
    )  # fmt: skip


PAGES: Final[list[HTTPRouteHandler]] = [
    *sign_in_page,
    *signed_in,
    *sign_out,
    *theme,
    *page("/me", everywhere=True)(me),
]
