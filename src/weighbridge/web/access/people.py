"""The people of an account: who may do what, invitations, and links for another password."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.platform.permission import ALL_PERMISSIONS
from weighbridge.core.platform.role import ROLES, role_named, title_of
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, NotFound
from weighbridge.platform.api_tokens.records import ApiToken
from weighbridge.platform.api_tokens.routes import list_api_tokens, reassign_api_token, revoke_api_token
from weighbridge.platform.users import actions, queries
from weighbridge.reporting.report_links.records import ReportLink
from weighbridge.reporting.report_links.routes import (
    list_links_of_account,
    reassign_report_link,
    revoke_report_link,
)
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

HELD_SHOWN: Final = "200"
"""Tokens of one user, and links, that their page shows at most."""

OWN: Final = "own"
"""What a form sends as the role when permissions were chosen one by one."""


async def people(visit: Visit) -> View:
    """The users of the account, and the invitations that nobody has followed yet."""
    return await _people(visit)


@form("/people/invite", permission="administration:write", again=people, everywhere=True)
async def invite_person(visit: Visit) -> View:
    """Invite somebody: the link is shown this once, to be handed on."""
    secret = await actions.invite_user(visit.tx, visit.actor, visit.text("email"), _permissions(visit))
    return await _people(visit, link=_address(visit, "join", secret), link_of=visit.text("email"))


@form("/people/withdraw", permission="administration:write", again=people, everywhere=True)
async def withdraw(visit: Visit) -> Moved:
    """Take back an invitation that nobody has followed."""
    email = visit.text("email")
    if not await actions.withdraw_invitation(visit.tx, visit.actor, email):
        raise NotFound(message="That invitation was followed, or taken back, before.", code="no_such_path")
    return Moved(f"{_home(visit)}/people", f"{email} is invited no longer.")


async def one_person(visit: Visit) -> View:
    """One user: what they may do."""
    user = await queries.get_user(visit.tx, visit.actor, _number(visit))
    tokens, links = await _held_by(visit, user.id)
    return view(
        "access/person.html", user.name, guide="howto/give-people-access.md",
        crumbs=(("People", f"{_home(visit)}/people"),),
        user=user, role=title_of(user.permissions), roles=ROLES, every=ALL_PERMISSIONS, tokens=tokens,
        links=links, title_of=title_of, path=f"{_home(visit)}/people/{user.id}",
    )  # fmt: skip


@form("/people/{user_id}", permission="administration:write", again=one_person, everywhere=True)
async def update_person(visit: Visit) -> Moved:
    """Say what a user may do."""
    may_sign_in = bool(visit.text("may_sign_in"))
    await actions.update_user(
        visit.tx, visit.actor, _number(visit), permissions=_permissions(visit), may_sign_in=may_sign_in
    )
    if not may_sign_in:
        said = "They sign in no longer, and no link that they made lets anybody in. "
        left = "Their tokens and links to reports go on until they are ended or handed over."
        return Moved(_person(visit), said + left)
    return Moved(f"{_home(visit)}/people", "What they may do is changed.")


@form("/people/{user_id}/hand_over", permission="administration:write", again=one_person, everywhere=True)
async def hand_over(visit: Visit) -> Moved:
    """Have somebody else answer for a token or a link to a report of a user."""
    wanted = {"user_email": visit.text("email")}
    if token := visit.text("token"):
        await visit.do(reassign_api_token, {"api_token": wanted}, token_id=token)
    else:
        named = {"report_id": visit.text("report"), "link_id": visit.text("link")}
        await visit.do(reassign_report_link, {"link": wanted}, **named)
    return Moved(_person(visit), f"{visit.text('email')} answers for it from now on.")


@form("/people/{user_id}/end", permission="administration:write", again=one_person, everywhere=True)
async def end(visit: Visit) -> Moved:
    """End a token or a link to a report of a user."""
    if token := visit.text("token"):
        await visit.do(revoke_api_token, token_id=token)
    else:
        await visit.do(revoke_report_link, report_id=visit.text("report"), link_id=visit.text("link"))
    return Moved(_person(visit), "It opens nothing any more.")


@form("/people/{user_id}/password", permission="administration:write", again=one_person, everywhere=True)
async def offer_password(visit: Visit) -> View:
    """Make a link by which a user sets another password; it is shown this once."""
    number = _number(visit)
    user = await queries.get_user(visit.tx, visit.actor, number)
    secret = await actions.make_user_link(visit.tx, visit.actor, number, "password")
    return await _people(visit, link=_address(visit, "join", secret), link_of=user.email)


async def _held_by(visit: Visit, number: int) -> tuple[list[ApiToken], list[ReportLink]]:
    """The tokens that act for a user and the links to reports that they answer for, as far as they open."""
    of_user = ("filter[user_id][eq]", str(number))
    works = ("filter[status][eq]", "working")
    tokens = await visit.ask(list_api_tokens, (of_user, works, ("sort", "-id"), ("page_size", HELD_SHOWN)))
    if not visit.may("production_accounting:read"):
        return tokens.data, []
    is_open = ("filter[status][eq]", "open")
    links = await visit.ask(list_links_of_account, (of_user, is_open, ("page_size", HELD_SHOWN)))
    return tokens.data, links.data


def _person(visit: Visit) -> str:
    return f"{_home(visit)}/people/{_number(visit)}"


async def _people(visit: Visit, link: str = "", link_of: str = "") -> View:
    users = await queries.list_users(visit.tx, visit.actor)
    return view(
        "access/people.html", "People", guide="howto/give-people-access.md",
        users=users, links=await queries.list_open_links(visit.tx, visit.actor), roles=ROLES,
        title_of=title_of, link=link, link_of=link_of, home=_home(visit),
    )  # fmt: skip


def _permissions(visit: Visit) -> tuple[str, ...]:
    """The permissions of the role that was chosen, or those that were chosen one by one."""
    named = visit.text("role")
    if named == OWN:
        return visit.texts("permissions")
    role = role_named(named)
    if role is None:
        raise Invalid([Problem(f"role is {named!r}; choose one of the list.", "role", "invalid")])
    return role.permissions


def _number(visit: Visit) -> int:
    text = visit.path["user_id"]
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise NotFound("user", text)
    return int(text)


def _home(visit: Visit) -> str:
    return visit.frame.home if visit.frame.project else ""


def _address(visit: Visit, path: str, secret: str) -> str:
    return f"{visit.request.app.state.settings.address}/{path}?key={secret}"


PAGES: Final[list[HTTPRouteHandler]] = [
    *page("/people", permission="administration:read", everywhere=True)(people),
    *invite_person,
    *withdraw,
    *page("/people/{user_id}", permission="administration:read", everywhere=True)(one_person),
    *update_person,
    *hand_over,
    *end,
    *offer_password,
]
