"""Sign in and out, and join by a link: as the first person, by invitation, or for another password."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from weighbridge.core.platform.cell import read_account
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.errors import Conflict, Invalid, Refusal, TooManyRequests, Unauthorized
from weighbridge.http.caller import WebRequest, cells, confirm_cell, database, enter_cell_of_address
from weighbridge.http.limits import client_address
from weighbridge.platform.authentication import (
    PASSWORD_LENGTH_MAX,
    PASSWORD_LENGTH_MIN,
    SignInAttempt,
    begin_session,
    count_attempt,
    end_all_sessions,
    end_session,
    forgive_attempts,
    hash_password,
    problem_of_password,
    sign_in,
)
from weighbridge.platform.records import CHECK_MINUTES, OUTAGE_MINUTES, UNCHECKED_MINUTES, AccessLink
from weighbridge.platform.sign_on.provider import Offer, has_providers, list_offers
from weighbridge.platform.users import add_user, claim_address, has_people, read_link, set_password, use_link
from weighbridge.web.framework.page import OPEN_FIELDS_MAX, form, open_page, page, read_fields
from weighbridge.web.framework.rendering import render_open_page
from weighbridge.web.framework.responses import Sendable, redirect_to
from weighbridge.web.framework.visit import (
    THEME,
    THEMES,
    View,
    Visit,
    forget_session,
    is_local,
    keep_session,
    read_person,
    view,
)

# Sign in, sign out, and look light or dark.


AT_ONCE_MAX: Final = 4
"""Passwords that one process compares at a time: each takes 19 MB."""

_turns: Final = asyncio.Semaphore(AT_ONCE_MAX)
_YEAR_SECONDS: Final = 31_536_000


@open_page("GET", "/sign_in")
async def sign_in_page(request: WebRequest) -> Sendable:
    """Show the form to sign in; redirect a person who has a session."""
    after = local_path_or_home(request.query_params.get("next", ""))
    if await read_person(request) is not None:
        return redirect_to(after)
    account = request.query_params.get("account", "")
    if not account:
        return await show_sign_in(request, after)
    await confirm_cell(request, read_account(f"a{account}."))
    async with database(request).read() as tx:
        offers = await list_offers(tx, read_account(f"a{account}.") or 0)
    return await show_sign_in(request, after, offers=offers)


@open_page("POST", "/sign_in")
async def sign_in_person(request: WebRequest) -> Sendable:
    """Take what was typed, and begin a session."""
    typed = await read_fields(request, OPEN_FIELDS_MAX)
    email, password, after = ("".join(typed.get(name, ())) for name in ("email", "password", "next"))
    await enter_cell_of_address(request, email)
    try:
        async with _turns:
            secret = await sign_in(
                database(request),
                email=email,
                password=password,
                address=client_address(request.scope, request.app.state.proxies),
                program=program_of(request),
                request_id=request.scope["state"]["request_id"],
            )
    except (Unauthorized, TooManyRequests) as refusal:
        return await show_sign_in(request, local_path_or_home(after), email, refusal)
    return redirect_to(local_path_or_home(after), keep_session(request, secret))


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
        {"id": number, "program": program, "created_at": created, "used_at": last_used}
        for number, program, created, last_used in rows
    ]
    provider = await visit.tx.tuples(
        """
        SELECT p.name, p.failing_since, i.confirmed_at, i.confirmed_at + make_interval(mins => %s),
               i.next_at IS NOT NULL
          FROM provider_people i
          JOIN identity_providers p ON (p.account_id, p.id) = (i.account_id, i.provider_id)
         WHERE (i.account_id, i.user_id) = (%s, %s)
        """,
        (OUTAGE_MINUTES, visit.actor.account_id, visit.actor.user_id),
    )
    return view(
        "access/me.html", visit.person.name, guide="howto/give-people-access.md", sessions=sessions,
        provider=provider[0] if provider else None, check_minutes=CHECK_MINUTES,
        outage_minutes=OUTAGE_MINUTES, unchecked_minutes=UNCHECKED_MINUTES,
    )  # fmt: skip


@form("/sign_out", error_page=me)
async def sign_out(visit: Visit) -> Sendable:
    """End the session, or every session of the person."""
    if visit.text("everywhere"):
        await end_all_sessions(visit.tx, visit.actor)
    else:
        await end_session(visit.tx, visit.actor, visit.person.session_id)
    return redirect_to("/sign_in", forget_session(visit.request))


@open_page("POST", "/theme")
async def theme(request: WebRequest) -> Sendable:
    """Look light, dark, or as the browser asks for; and go back to where one was."""
    typed = await read_fields(request, OPEN_FIELDS_MAX)
    theme_name = "".join(typed.get("theme", ()))
    seconds = _YEAR_SECONDS if theme_name in THEMES else 0
    cookie = f"{THEME}={theme_name if theme_name in THEMES else ''}; Max-Age={seconds}; SameSite=Lax; Path=/"
    return redirect_to(local_path_or_home("".join(typed.get("next", ()))), {"Set-Cookie": cookie})


def local_path_or_home(text: str) -> str:
    """A path of this service to go on to; the front page for anything that leads elsewhere."""
    return text if is_local(text) else "/"


async def show_sign_in(
    request: WebRequest,
    after: str,
    email: str = "",
    refusal: Refusal | None = None,
    offers: Sequence[Offer] = (),
) -> Sendable:
    """Show the form to sign in, with the identity providers offered, and why somebody was refused."""
    async with database(request).read() as tx:
        by_provider = await cells(request).has_directory() or await has_providers(tx)
        is_first = not (by_provider or await has_people(tx))
    return render_open_page(
        request, "access/sign_in.html", refusal.status if refusal else 200,
        after=after, email=email, problems=refusal.problems if refusal else (), is_first=is_first,
        by_provider=by_provider, offers=offers,
    )  # fmt: skip


# Follow a link that lets in: as the first person, by invitation, with another password, or at once.


_BY_FORM: Final = ("first", "join", "password")


@open_page("GET", "/join")
async def join_page(request: WebRequest) -> Sendable:
    """Show the form of a link, to set a password."""
    key = request.query_params.get("key", "")
    await confirm_cell(request, read_account(key))
    async with database(request).read() as tx:
        link = await read_link(tx, key, _BY_FORM)
        email = await _email_of(tx, link)
    return _show_joining(request, link, key, email=email or "")


@open_page("POST", "/join")
async def join(request: WebRequest) -> Sendable:
    """Take the password, and begin a session."""
    typed = {name: "".join(values) for name, values in (await read_fields(request, OPEN_FIELDS_MAX)).items()}
    key, password = typed.get("key", ""), typed.get("password", "")
    await confirm_cell(request, read_account(key))
    async with database(request).read() as tx:
        link = await read_link(tx, key, _BY_FORM)
        email = await _email_of(tx, link) or typed.get("email", "").strip()
    try:
        _refuse(password, typed.get("again", ""), email)
        secret = await _let_in(request, link, email, typed.get("name", ""), await hash_password(password))
    except (Invalid, Conflict) as refusal:
        return _show_joining(request, link, key, email=email, name=typed.get("name", ""), refusal=refusal)
    return redirect_to("/", keep_session(request, secret))


@open_page("GET", "/enter")
async def enter_by_link(request: WebRequest) -> Sendable:
    """Sign in by a link that works once; it was made at the machine that the service runs on."""
    key = request.query_params.get("key", "")
    await confirm_cell(request, read_account(key))
    attempt = SignInAttempt.by_link(key, client_address(request.scope, request.app.state.proxies))
    await count_attempt(database(request), attempt)
    async with database(request).write() as tx:
        link = await read_link(tx, key, ("sign_in",))
        await use_link(tx, link)
        secret = await begin_session(tx, await _actor_of(tx, request, link), program_of(request))
    await forgive_attempts(database(request), attempt)
    return redirect_to(
        local_path_or_home(request.query_params.get("next", "")), keep_session(request, secret)
    )


async def _let_in(request: WebRequest, link: AccessLink, email: str, name: str, password_hash: str) -> str:
    """Do what the link is for, and begin a session; its secret."""
    await claim_address(cells(request), database(request), email, link.account_id)
    async with database(request).write() as tx:
        await use_link(tx, link)
        if link.kind == "password":
            actor = await _actor_of(tx, request, link)
            await set_password(tx, actor, password_hash)
            return await begin_session(tx, actor, program_of(request))
        if link.kind == "first" and await has_people(tx):
            raise Conflict("The first user already exists. Ask them for an invitation.")
        maker = Actor(link.account_id, link.made_by, None, frozenset(link.permissions), _id(request))
        number = await add_user(
            tx, maker, email=email, name=name, permissions=link.permissions, password_hash=password_hash
        )
        actor = Actor(link.account_id, number, None, frozenset(link.permissions), _id(request))
        return await begin_session(tx, actor, program_of(request))


async def _actor_of(tx: Any, request: WebRequest, link: AccessLink) -> Actor:
    permissions = await tx.value("SELECT permissions FROM users WHERE id = %s", (link.user_id,))
    assert link.user_id is not None, "such a link names its user"  # noqa: S101
    return Actor(link.account_id, link.user_id, None, frozenset(permissions), _id(request))


async def _email_of(tx: Any, link: AccessLink) -> str | None:
    if link.user_id is None:
        return link.email
    return str(await tx.value("SELECT email FROM users WHERE id = %s", (link.user_id,)))


def _refuse(password: str, repeated: str, email: str) -> None:
    problems = [wrong] if (wrong := problem_of_password(password, email)) else []
    if password != repeated:
        problems.append(Problem("The two passwords must be the same.", "again", "invalid"))
    if problems:
        raise Invalid(problems)


def _show_joining(
    request: WebRequest,
    link: AccessLink,
    key: str,
    *,
    email: str,
    name: str = "",
    refusal: Refusal | None = None,
) -> Sendable:
    return render_open_page(
        request, "access/join.html", refusal.status if refusal else 200,
        link=link, key=key, email=email, name=name, problems=refusal.problems if refusal else (),
        least=PASSWORD_LENGTH_MIN, most=PASSWORD_LENGTH_MAX,
    )  # fmt: skip


def program_of(request: WebRequest) -> str:
    """What the browser of a request calls itself."""
    return request.headers.get("user-agent", "unknown")


def _id(request: WebRequest) -> str:
    return str(request.scope["state"]["request_id"])


PAGES = [
    *sign_in_page,
    *sign_in_person,
    *sign_out,
    *theme,
    *page("/me", everywhere=True)(me),
    *join_page,
    *join,
    *enter_by_link,
]
