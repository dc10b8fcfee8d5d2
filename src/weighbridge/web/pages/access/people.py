"""The people of an account and its API tokens: permissions, invitations, and links for another password."""

from collections.abc import Sequence
from typing import Final

from weighbridge.core import identity
from weighbridge.core.platform.permission import (
    ALL_PERMISSIONS,
    LIFETIME_DAYS_DEFAULT,
    LIFETIMES_DAYS,
    PROJECT_ROLES,
    ROLES,
    find_role,
    group_by_project,
    limit_role,
    limit_to_project,
    name_permissions,
    reduce_permissions,
)
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, NotFound
from weighbridge.platform import users as actions
from weighbridge.platform import users as queries
from weighbridge.platform.api_tokens import (
    create_api_token,
    list_api_tokens,
    reassign_api_token,
    revoke_api_token,
)
from weighbridge.platform.records import ApiToken
from weighbridge.platform.tenancy import project_number
from weighbridge.reporting.records.links import ReportLink
from weighbridge.reporting.report_links import list_links_of_account, reassign_report_link, revoke_report_link
from weighbridge.web.framework.listing import ListView, list_query
from weighbridge.web.framework.page import action, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

# The people of an account: who may do what, invitations, and links for another password.


HELD_SHOWN: Final = "200"
"""Tokens of one user, and links, that their page shows at most."""

OWN: Final = "own"
"""What a form sends as the role when permissions were chosen one by one, or are to stay as they are."""

NONE: Final = "none"
"""What a form sends as the role of somebody who has none in all projects, or in one."""

IN_ONE: Final = "role_in_"
"""What the field with the role in one project begins with; the id of the project follows."""


async def people(visit: Visit) -> View:
    """The users of the account, and the invitations that nobody has followed yet."""
    return await _people(visit)


@form("/people/invite", permission="administration:write", error_page=people, everywhere=True)
async def invite_person(visit: Visit) -> View:
    """Invite a person: the link is shown only once, for the inviter to pass on."""
    secret = await actions.invite_user(visit.tx, visit.actor, visit.text("email"), _permissions(visit, ()))
    return await _people(visit, link=_absolute_url(visit, "join", secret), link_of=visit.text("email"))


@form("/people/withdraw", permission="administration:write", error_page=people, everywhere=True)
async def revoke_invitation(visit: Visit) -> Redirect:
    """Take back an invitation that nobody has followed."""
    email = visit.text("email")
    if not await actions.withdraw_invitation(visit.tx, visit.actor, email):
        raise NotFound(message="This invitation was already used or revoked.", code="no_such_path")
    return Redirect(visit.url("people"), f"Invitation of {email} revoked.")


async def one_person(visit: Visit) -> View:
    """One user: what they may do."""
    user = await queries.get_user(visit.tx, visit.actor, _number(visit))
    tokens, links = await _list_credentials(visit, user.id)
    return view(
        "access/person.html", user.name, guide="howto/give-people-access.md",
        crumbs=(("People", visit.url("people")),),
        user=user, role=_name_role(user.permissions), roles=ROLES, every=ALL_PERMISSIONS, tokens=tokens,
        links=links, title_of=name_permissions, path=f"{visit.frame.base}/people/{user.id}",
        project_roles=PROJECT_ROLES, held_in=_name_roles_by_project(user.permissions),
    )  # fmt: skip


@form("/people/{user_id}", permission="administration:write", error_page=one_person, everywhere=True)
async def update_person(visit: Visit) -> Redirect:
    """Say what a user may do."""
    may_sign_in = bool(visit.text("may_sign_in"))
    user = await queries.get_user(visit.tx, visit.actor, _number(visit))
    permissions = _permissions(visit, user.permissions)
    await actions.update_user(
        visit.tx, visit.actor, user.id, permissions=permissions, may_sign_in=may_sign_in,
        keeps_password=bool(visit.text("keeps_password")),
    )  # fmt: skip
    if not may_sign_in:
        disabled = "User disabled. They can no longer sign in, and their invitations are invalid. "
        remaining = "Their tokens and report links remain valid until you revoke or transfer them."
        return Redirect(visit.url("people/{user_id}"), disabled + remaining)
    return Redirect(visit.url("people"), "Permissions saved.")


@form(
    "/people/{user_id}/hand_over", permission="administration:write", error_page=one_person, everywhere=True
)
async def transfer_credential(visit: Visit) -> Redirect:
    """Transfer a user's token or report link to another user."""
    body = {"user_email": visit.text("email")}
    if token := visit.text("token"):
        await visit.do(reassign_api_token, {"api_token": body}, token_id=token)
    else:
        link_ids = {"report_id": visit.text("report"), "link_id": visit.text("link")}
        await visit.do(reassign_report_link, {"link": body}, **link_ids)
    return Redirect(visit.url("people/{user_id}"), f"Transferred to {visit.text('email')}.")


@form("/people/{user_id}/end", permission="administration:write", error_page=one_person, everywhere=True)
async def end(visit: Visit) -> Redirect:
    """End a token or a link to a report of a user."""
    if token := visit.text("token"):
        await visit.do(revoke_api_token, token_id=token)
    else:
        await visit.do(revoke_report_link, report_id=visit.text("report"), link_id=visit.text("link"))
    return Redirect(visit.url("people/{user_id}"), "Token revoked." if token else "Link revoked.")


@form("/people/{user_id}/password", permission="administration:write", error_page=one_person, everywhere=True)
async def offer_password(visit: Visit) -> View:
    """Make a link by which a user sets another password; it is shown this once."""
    number = _number(visit)
    user = await queries.get_user(visit.tx, visit.actor, number)
    secret = await actions.make_user_link(visit.tx, visit.actor, number, "password")
    return await _people(visit, link=_absolute_url(visit, "join", secret), link_of=user.email)


@form("/people/{user_id}/release", permission="administration:write", error_page=one_person, everywhere=True)
async def release_person(visit: Visit) -> Redirect:
    """Have a user sign in by their identity provider no longer."""
    await actions.release_user(visit.tx, visit.actor, _number(visit))
    notice = "User released. They need a password reset link to sign in with a password."
    return Redirect(visit.url("people/{user_id}"), notice)


async def _list_credentials(visit: Visit, number: int) -> tuple[list[ApiToken], list[ReportLink]]:
    """The tokens that act for a user and the links to reports that they answer for, as far as they open."""
    of_user = ("filter[user_id][eq]", str(number))
    works = ("filter[status][eq]", "working")
    tokens = await visit.ask(list_api_tokens, (of_user, works, ("sort", "-id"), ("page_size", HELD_SHOWN)))
    if not visit.may("production_accounting:read"):
        return tokens.data, []
    is_open = ("filter[status][eq]", "open")
    links = await visit.ask(list_links_of_account, (of_user, is_open, ("page_size", HELD_SHOWN)))
    return tokens.data, links.data


async def _people(visit: Visit, link: str = "", link_of: str = "") -> View:
    users = await queries.list_users(visit.tx, visit.actor)
    return view(
        "access/people.html", "People", guide="howto/give-people-access.md",
        users=users, links=await queries.list_open_links(visit.tx, visit.actor), roles=ROLES,
        title_of=name_permissions, link=link, link_of=link_of, project_roles=PROJECT_ROLES,
    )  # fmt: skip


def _name_role(permissions: Sequence[str]) -> str:
    """The name of the role that somebody has in all projects, as a form sends it."""
    everywhere, _ = group_by_project(permissions)
    return _name_of(everywhere) if everywhere else NONE


def _name_roles_by_project(permissions: Sequence[str]) -> dict[str, str]:
    """By the id of a project the name of the role that somebody has there."""
    _, of_projects = group_by_project(permissions)
    return {identity.of("project", project): _name_of(held) for project, held in of_projects.items()}


def _name_of(permissions: Sequence[str]) -> str:
    held = {*reduce_permissions(permissions)}
    return next((role.name for role in ROLES if {*role.permissions} == held), OWN)


def _permissions(visit: Visit, before: Sequence[str]) -> tuple[str, ...]:
    """The permissions of the roles that were chosen, in all projects and in single ones.

    Those of a project stay as they were where the form says so, or does not speak of it.
    """
    of_projects = group_by_project(before)[1]
    chosen = [*_permissions_everywhere(visit)]
    for name in visit.typed:
        if name.startswith(IN_ONE):
            project = project_number(name.removeprefix(IN_ONE))
            held = of_projects.pop(project, [])
            chosen += _permissions_of_project(name, visit.text(name), project, held)
    chosen += [
        limit_to_project(permission, project) for project, held in of_projects.items() for permission in held
    ]
    return tuple(chosen)


def _permissions_everywhere(visit: Visit) -> tuple[str, ...]:
    """The permissions of the role that was chosen, or those that were chosen one by one."""
    role_name = visit.text("role")
    if role_name == OWN:
        return visit.texts("permissions")
    role = find_role(role_name)
    if role is None and role_name != NONE:
        raise Invalid(
            [Problem(f"role must be one of the listed roles, but is {role_name!r}.", "role", "invalid")]
        )
    return role.permissions if role else ()


def _permissions_of_project(field: str, role_name: str, project: int, held: Sequence[str]) -> list[str]:
    if role_name in {OWN, NONE}:
        kept = held if role_name == OWN else ()
        return [limit_to_project(permission, project) for permission in kept]
    role = next((role for role in PROJECT_ROLES if role.name == role_name), None)
    if role is None or not project:
        message = f"{field} must name a project and one of the listed roles, but is {role_name!r}."
        raise Invalid([Problem(message, field, "invalid")])
    return [*limit_role(role, project)]


def _number(visit: Visit) -> int:
    text = visit.path["user_id"]
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise NotFound("user", text)
    return int(text)


def _absolute_url(visit: Visit, path: str, secret: str) -> str:
    return f"{visit.request.app.state.settings.address}/{path}?key={secret}"


# Tokens: by which programs act, each shown once when it is made.


async def tokens(visit: Visit) -> View:
    """Tokens of the account, and the form that makes one."""
    return await _tokens(visit)


@form("/api_tokens", permission="administration:write", error_page=tokens, everywhere=True)
async def make_token(visit: Visit) -> View:
    """Make a token; it is shown this once."""
    projects = [project_number(text) for text in visit.texts("projects")]
    permissions = [
        limit_to_project(permission, project) if project else permission
        for project in projects or [0]
        for permission in visit.texts("permissions")
    ]
    body = {
        "name": visit.text("name"),
        "permissions": permissions,
        "expires_in_days": int(visit.text("days")) if visit.text("days").isdecimal() else None,
    }
    issued_token = await visit.do(create_api_token, {"api_token": body})
    return await _tokens(visit, issued_token=issued_token)


async def _tokens(visit: Visit, issued_token: object = None) -> View:
    listed_tokens = await visit.ask(list_api_tokens, list_query(visit))
    path = visit.url("api_tokens")
    return view(
        "operations/tokens.html", "Tokens",
        call="/api_tokens", has_csv=True, tokens=listed_tokens.data, made=issued_token, path=path,
        list=ListView(path, visit.query, listed_tokens.info), every=ALL_PERMISSIONS,
        lifetimes=LIFETIMES_DAYS, usual=LIFETIME_DAYS_DEFAULT, title_of=name_permissions,
    )  # fmt: skip


PAGES = [
    *page("/people", permission="administration:read", everywhere=True)(people),
    *invite_person,
    *revoke_invitation,
    *page("/people/{user_id}", permission="administration:read", everywhere=True)(one_person),
    *update_person,
    *transfer_credential,
    *end,
    *offer_password,
    *release_person,
    *page(
        "/api_tokens",
        permission="administration:read",
        of=list_api_tokens,
        query_of=list_query,
        everywhere=True,
    )(tokens),
    *make_token,
    *action(
        "/api_tokens/{token_id}/revoke",
        revoke_api_token,
        permission="administration:write",
        error_page=tokens,
        everywhere=True,
        back="api_tokens",
        notice="Token revoked.",
    ),
]
