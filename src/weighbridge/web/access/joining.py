"""Follow a link that lets in: as the first person, by invitation, with another password, or at once."""

from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.errors import Conflict, Invalid, Refusal
from weighbridge.http.access.address import client_address
from weighbridge.http.caller import WebRequest, database
from weighbridge.platform.authentication.guessing import SignInAttempt, count_attempt, forgive_attempts
from weighbridge.platform.authentication.passwords import (
    PASSWORD_LENGTH_MAX,
    PASSWORD_LENGTH_MIN,
    hashed,
    problem_of_password,
)
from weighbridge.platform.sessions.actions import begin_session
from weighbridge.platform.users.actions import add_user, set_password, use_link
from weighbridge.platform.users.queries import has_people, link_by_secret
from weighbridge.platform.users.records import AccessLink
from weighbridge.web.access.sign_in import next_of
from weighbridge.web.answer import Sendable, moved_to
from weighbridge.web.arrival import OPEN_FIELDS_MAX, typed_of
from weighbridge.web.page import open_page
from weighbridge.web.rendering import rendered_alone
from weighbridge.web.session import kept

_BY_FORM: Final = ("first", "join", "password")


@open_page("GET", "/join")
async def join_page(request: WebRequest) -> Sendable:
    """The form behind a link: choose a password."""
    key = request.query_params.get("key", "")
    async with database(request).read() as tx:
        link = await link_by_secret(tx, key, _BY_FORM)
        email = await _email_of(tx, link)
    return _form(request, link, key, email=email or "")


@open_page("POST", "/join")
async def joined(request: WebRequest) -> Sendable:
    """Take the password, and begin a session."""
    typed = {name: "".join(values) for name, values in (await typed_of(request, OPEN_FIELDS_MAX)).items()}
    key, password = typed.get("key", ""), typed.get("password", "")
    async with database(request).read() as tx:
        link = await link_by_secret(tx, key, _BY_FORM)
        email = await _email_of(tx, link) or typed.get("email", "").strip()
    try:
        _refuse(password, typed.get("again", ""), email)
        secret = await _let_in(request, link, email, typed.get("name", ""), await hashed(password))
    except (Invalid, Conflict) as refusal:
        return _form(request, link, key, email=email, name=typed.get("name", ""), refusal=refusal)
    return moved_to("/", kept(request, secret))


@open_page("GET", "/enter")
async def enter(request: WebRequest) -> Sendable:
    """Sign in by a link that works once; it was made at the machine that the service runs on."""
    key = request.query_params.get("key", "")
    attempt = SignInAttempt.by_link(key, client_address(request.scope, request.app.state.proxies))
    await count_attempt(database(request), attempt)
    async with database(request).write() as tx:
        link = await link_by_secret(tx, key, ("sign_in",))
        await use_link(tx, link)
        secret = await begin_session(tx, await _actor_of(tx, request, link), _program(request))
    await forgive_attempts(database(request), attempt)
    return moved_to(next_of(request.query_params.get("next", "")), kept(request, secret))


async def _let_in(request: WebRequest, link: AccessLink, email: str, name: str, password_hash: str) -> str:
    """Do what the link is for, and begin a session; its secret."""
    async with database(request).write() as tx:
        await use_link(tx, link)
        if link.kind == "password":
            actor = await _actor_of(tx, request, link)
            await set_password(tx, actor, password_hash)
            return await begin_session(tx, actor, _program(request))
        if link.kind == "first" and await has_people(tx):
            raise Conflict("Somebody has joined first; ask them for an invitation.")
        maker = Actor(link.account_id, link.made_by, None, frozenset(link.permissions), _id(request))
        number = await add_user(
            tx, maker, email=email, name=name, permissions=link.permissions, password_hash=password_hash
        )
        actor = Actor(link.account_id, number, None, frozenset(link.permissions), _id(request))
        return await begin_session(tx, actor, _program(request))


async def _actor_of(tx: Any, request: WebRequest, link: AccessLink) -> Actor:
    permissions = await tx.value("SELECT permissions FROM users WHERE id = %s", (link.user_id,))
    assert link.user_id is not None, "such a link names its user"  # noqa: S101
    return Actor(link.account_id, link.user_id, None, frozenset(permissions), _id(request))


async def _email_of(tx: Any, link: AccessLink) -> str | None:
    if link.user_id is None:
        return link.email
    return str(await tx.value("SELECT email FROM users WHERE id = %s", (link.user_id,)))


def _refuse(password: str, again: str, email: str) -> None:
    problems = [wrong] if (wrong := problem_of_password(password, email)) else []
    if password != again:
        problems.append(Problem("The two passwords are not the same.", "again", "invalid"))
    if problems:
        raise Invalid(problems)


def _form(
    request: WebRequest,
    link: AccessLink,
    key: str,
    *,
    email: str,
    name: str = "",
    refusal: Refusal | None = None,
) -> Sendable:
    return rendered_alone(
        request, "access/join.html", refusal.status if refusal else 200,
        link=link, key=key, email=email, name=name, problems=refusal.problems if refusal else (),
        least=PASSWORD_LENGTH_MIN, most=PASSWORD_LENGTH_MAX,
    )  # fmt: skip


def _program(request: WebRequest) -> str:
    return request.headers.get("user-agent", "unknown")


def _id(request: WebRequest) -> str:
    return str(request.scope["state"]["request_id"])


PAGES: Final[list[HTTPRouteHandler]] = [*join_page, *joined, *enter]
