"""`weighbridge user` and `weighbridge token create`: people who sign in, links that let them in, and
tokens.

Invariants: no command takes or prints a password; people who follow a link choose their own. A token is
printed once and stored only as its hash.
"""

import json
import sys
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from weighbridge.commands.accounts import AccountOption
from weighbridge.commands.cells import claim_address
from weighbridge.commands.context import command_id, in_cell_of_account, in_transaction, open_database
from weighbridge.commands.options import DataDir, Json
from weighbridge.core import identity
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import (
    ALL_PERMISSIONS,
    LIFETIME_DAYS_DEFAULT,
    LIFETIMES_DAYS,
    PROJECT_ROLES,
    find_role,
    hash_token,
    limit_role,
    name_permissions,
)
from weighbridge.errors import NotFound, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weighbridge.core.platform.permission import Actor
    from weighbridge.db.engine import Write
    from weighbridge.platform.records import User

PersonEmail = Annotated[str, Parameter(help="The address that the person signs in by.")]
RoleOption = Annotated[
    Literal["administrator", "member", "collector", "reader", "verifier"] | None,
    Parameter(help="What the person may do in all projects, as one of the roles."),
]
ProjectRoleOption = Annotated[
    list[str] | None,
    Parameter(
        negative=(),
        help="What the person may do in one project, as PROJECT=ROLE, such as prj_…=reader; repeatable.",
    ),
]
PermissionOption = Annotated[
    list[str] | None,
    Parameter(
        negative=(),
        help="What the person may do, as AREA:LEVEL, such as data_collection:write, or in one project alone "
        "as AREA:LEVEL@PROJECT; repeat it for several.",
    ),
]
AtOnce = Annotated[
    bool,
    Parameter(
        negative=(),
        show_default=False,
        help="Make the person now, with no password yet that anybody knows; the link signs in once.",
    ),
]
SignIn = Annotated[
    bool,
    Parameter(negative=(), show_default=False, help="A link that signs in once, in place of a password."),
]
KeepPassword = Annotated[
    bool | None,
    Parameter(
        name="--keep-password",
        negative="--no-keep-password",
        help="Whether they sign in with a password whatever an identity provider says.",
    ),
]
AddressOption = Annotated[
    str | None,
    Parameter(help="The address by which people reach the service; that of the settings by default."),
]

user = App(name="user", help="People: who signs in at the pages, and links that let them in.")


@user.command
def first(*, address: AddressOption = None, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Make the link by which the first person joins, as each start does while there is nobody.

    The one before works no longer.

    Example: `weighbridge user first`
    """
    from weighbridge.platform.users import offer_first_user

    async def make(tx: "Write") -> str:
        secret = await offer_first_user(tx, await _administrator(tx, None))
        if secret is None:
            raise Refusal(
                "Somebody signs in already; they invite others, and so does `weighbridge user add`."
            )
        return secret

    with open_database(data_dir) as url:
        secret = in_transaction(url, make)
    _say_link(_link("join", secret, address), as_json=as_json)


@user.command
def add(
    *,
    email: PersonEmail,
    role: RoleOption = None,
    project_role: ProjectRoleOption = None,
    permission: PermissionOption = None,
    name: Annotated[str, Parameter(help="The name of a person who is made at once.")] = "",
    at_once: AtOnce = False,
    address: AddressOption = None,
    account: AccountOption = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Invite somebody: print the link by which they join and choose a password.

    It is shown this once and works once, within a week.

    Example: `weighbridge user add --email ada@plant.example --role member`
    """
    from weighbridge.platform import users as actions

    permissions = _permissions_of_person(role, project_role, permission)

    async def make(tx: "Write") -> str:
        actor = await _administrator(tx, account)
        if at_once:
            number = await actions.add_user_without_password(
                tx, actor, email=email, name=name, permissions=permissions
            )
            return await actions.make_user_link(tx, actor, number, "sign_in")
        return await actions.invite_user(tx, actor, email, permissions)

    if at_once:
        claim_address(data_dir, account, email)
    with open_database(data_dir, find_cell=in_cell_of_account(account)) as url:
        secret = in_transaction(url, make)
    _say_link(_link("enter" if at_once else "join", secret, address), as_json=as_json)


@user.command(name="list")
def list_people(*, account: AccountOption = None, data_dir: DataDir = None, as_json: Json = False) -> None:
    """List who signs in, as what, and when last; and who is invited.

    Example: `weighbridge user list`
    """
    from weighbridge.platform import users as queries

    async def read(tx: "Write") -> "list[dict[str, object]]":
        actor = await _administrator(tx, account)
        people = [_describe(person) for person in await queries.list_users(tx, actor) if person.signs_in]
        invited: list[dict[str, object]] = [
            {"email": open_link.email, "name": None, "role": name_permissions(open_link.permissions),
             "permissions": open_link.permissions, "state": "invited", "signed_in_at": None}
            for open_link in await queries.list_open_links(tx, actor)
        ]  # fmt: skip
        return people + invited

    with open_database(data_dir, find_cell=in_cell_of_account(account)) as url:
        listed_people = in_transaction(url, read)
    if as_json:
        sys.stdout.write(json.dumps(listed_people) + "\n")
        return
    for row in listed_people:
        last = f", last signed in {row['signed_in_at']}" if row["signed_in_at"] else ""
        sys.stdout.write(f"{row['email']}  {row['role']}, {row['state']}{last}\n")
    if not listed_people:
        sys.stdout.write(
            "Nobody signs in yet. `weighbridge user first` prints a link for the first person.\n"
        )


@user.command
def link(
    *,
    email: PersonEmail,
    sign_in: SignIn = False,
    address: AddressOption = None,
    account: AccountOption = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Print a link by which somebody chooses another password, or signs in once.

    Choosing another password ends every session of theirs.

    Example: `weighbridge user link --email ada@plant.example`
    """
    from weighbridge.platform import users as actions

    kind = "sign_in" if sign_in else "password"

    async def make(tx: "Write") -> str:
        actor = await _administrator(tx, account)
        return await actions.make_user_link(tx, actor, (await _person(tx, actor, email)).id, kind)

    with open_database(data_dir, find_cell=in_cell_of_account(account)) as url:
        secret = in_transaction(url, make)
    _say_link(_link("enter" if sign_in else "join", secret, address), as_json=as_json)


@user.command
def change(
    *,
    email: PersonEmail,
    role: RoleOption = None,
    project_role: ProjectRoleOption = None,
    permission: PermissionOption = None,
    keep_password: KeepPassword = None,
    account: AccountOption = None,
    data_dir: DataDir = None,
) -> None:
    """Say what somebody may do; it counts from their next page on. Whoever was removed may sign in again.

    Who keeps their password signs in with it, whatever an identity provider says. Somebody who signs in by
    one is released from it by that; `weighbridge user link` lets them choose a password.

    Example: `weighbridge user change --email ada@plant.example --role reader`
    """
    permissions, said = None, []
    if role or project_role or permission or keep_password is None:
        permissions = _permissions_of_person(role, project_role, permission)
        said.append(name_permissions(permissions))
    if keep_password is not None:
        said.append("keeps the password" if keep_password else "keeps the password no longer")
    _update(email, account, data_dir, permissions=permissions, may_sign_in=True, keeps_password=keep_password)
    sys.stdout.write(f"{email.strip()}: {'; '.join(said)}.\n")


@user.command
def remove(*, email: PersonEmail, account: AccountOption = None, data_dir: DataDir = None) -> None:
    """Let somebody sign in no longer, end every session of theirs, and take back their invitation.

    Links that they made and nobody has used let nobody in any more. What they did keeps their name;
    `weighbridge account erase-person` forgets that too. Their tokens and links to reports go on, and are
    counted: the page of the person ends them or hands them over.

    Example: `weighbridge user remove --email ada@plant.example`
    """
    from weighbridge.platform import users as actions

    async def take_back(tx: "Write") -> bool:
        return await actions.withdraw_invitation(tx, await _administrator(tx, account), email)

    with open_database(data_dir, find_cell=in_cell_of_account(account)) as url:
        was_invited = in_transaction(url, take_back)
    if not was_invited:
        _update(email, account, data_dir, permissions=None, may_sign_in=False)
    sys.stdout.write(f"{email.strip()} {'is invited' if was_invited else 'signs in'} no longer.\n")
    if not was_invited:
        _say_held(email, account, data_dir)


def _update(
    email: str,
    account: str | None,
    data_dir: DataDir,
    *,
    permissions: "Sequence[str] | None",
    may_sign_in: bool,
    keeps_password: bool | None = None,
) -> None:
    from weighbridge.platform import users as actions

    async def write(tx: "Write") -> None:
        actor = await _administrator(tx, account)
        person = await _person(tx, actor, email)
        if keeps_password and person.provider is not None:
            await actions.release_user(tx, actor, person.id)
        await actions.update_user(
            tx, actor, person.id, permissions=permissions or person.permissions, may_sign_in=may_sign_in,
            keeps_password=keeps_password,
        )  # fmt: skip

    with open_database(data_dir, find_cell=in_cell_of_account(account)) as url:
        in_transaction(url, write)


def _say_held(email: str, account: str | None, data_dir: DataDir) -> None:
    """Say how many tokens and links to reports of somebody who was removed go on."""
    from weighbridge.platform import users as queries

    async def count(tx: "Write") -> tuple[int, int]:
        actor = await _administrator(tx, account)
        return await queries.count_held(tx, actor, (await _person(tx, actor, email)).id)

    with open_database(data_dir, find_cell=in_cell_of_account(account)) as url:
        tokens, links = in_transaction(url, count)
    if tokens or links:
        sys.stdout.write(
            f"Theirs go on: {tokens} tokens, {links} links to reports. End them or hand them over under "
            "People, or by /api_tokens and /report_links.\n"
        )


async def _administrator(tx: "Write", account: str | None) -> "Actor":
    from weighbridge.platform import users as actions

    return await actions.administrator_of(tx, account or actions.DEFAULT_ACCOUNT, command_id())


async def _person(tx: "Write", actor: "Actor", email: str) -> "User":
    from weighbridge.platform import users as queries

    address = email.strip().lower()
    for person in await queries.list_users(tx, actor):
        if person.signs_in and person.email.lower() == address:
            return person
    raise NotFound(message=f"Nobody of the account signs in as {email.strip()}.")


def _permissions_of_person(
    role: str | None, project_role: list[str] | None, permission: list[str] | None
) -> tuple[str, ...]:
    if bool(role or project_role) == bool(permission):
        raise Refusal("Give the person either --role and --project-role, or --permission at least once.")
    chosen = find_role(role) if role else None
    of_projects = [one for text in project_role or () for one in _permissions_of_project(text)]
    return (*(chosen.permissions if chosen else ()), *of_projects, *(permission or ()))


def _permissions_of_project(text: str) -> tuple[str, ...]:
    """What PROJECT=ROLE gives."""
    friendly, _, name = text.partition("=")
    key = identity.parse("project", friendly)
    role = next((role for role in PROJECT_ROLES if role.name == name), None)
    if key is None or role is None:
        roles = ", ".join(role.name for role in PROJECT_ROLES)
        raise Refusal(
            f"--project-role is {shorten(text)!r}; it takes the id of a project, = and one of {roles}."
        )
    return limit_role(role, key.project)


def _describe(user: "User") -> dict[str, object]:
    return {
        "email": user.email,
        "name": user.name,
        "role": name_permissions(user.permissions),
        "permissions": user.permissions,
        "state": "removed" if user.disabled_at else "signs in",
        "signed_in_at": user.signed_in_at.text if user.signed_in_at else None,
    }


def _link(page: str, secret: str, address: str | None) -> str:
    from weighbridge.settings import read

    return f"{(address or read().address).rstrip('/')}/{page}?key={secret}"


def _say_link(text: str, *, as_json: bool) -> None:
    sys.stdout.write((json.dumps({"link": text}) if as_json else text) + "\n")


if TYPE_CHECKING:
    from weighbridge.db.engine import Write

NEVER = "never"

TokenName = Annotated[str, Parameter(help="What the token is for; people see it in the audit log.")]
Permission = Annotated[
    list[str] | None,
    Parameter(
        negative=(),
        help="What the token may do, as AREA:LEVEL, such as data_collection:write; repeat it for several.",
    ),
]
All = Annotated[bool, Parameter(name="--all", negative=(), show_default=False, help="Give every permission.")]
UserOption = Annotated[
    str | None,
    Parameter(help="The email of the user it acts for, who is made when new; the administrator by default."),
]
Expires = Annotated[
    str, Parameter(help=f"After how many days it expires: {', '.join(map(str, LIFETIMES_DAYS))} or {NEVER}.")
]

token = App(name="token", help="Tokens: what requests over HTTP carry.")


@token.command
def create(
    *,
    name: TokenName,
    permission: Permission = None,
    every_permission: All = False,
    account: AccountOption = None,
    user: UserOption = None,
    expires: Expires = str(LIFETIME_DAYS_DEFAULT),
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Make a token and print it, and nothing else.

    It is shown this once. A token can be made before the service has ever run.

    Example: `weighbridge token create --name ci --permission data_collection:write`
    """
    from weighbridge.platform import users as accounts
    from weighbridge.platform.api_tokens import create_token
    from weighbridge.settings import read

    lifetime_days, days_max = _lifetime_days(expires), read().token_lifetime_days_max
    permissions = _permissions_of_token(permission or [], every_permission=every_permission)
    _refuse_blank(user)

    async def make(tx: "Write") -> dict[str, object]:
        actor = await accounts.administrator_of(tx, account or accounts.DEFAULT_ACCOUNT, command_id())
        user_id = await accounts.ensure_user(tx, actor.account_id, user.strip()) if user else actor.user_id
        text = await create_token(
            tx,
            actor,
            user_id=user_id,
            name=name,
            permissions=permissions,
            lifetime_days=lifetime_days,
            days_max=days_max,
        )
        return {
            "token": text,
            "name": name.strip(),
            "permissions": permissions,
            "expires_at": await _expiry(tx, text),
        }

    with open_database(data_dir, find_cell=in_cell_of_account(account)) as url:
        new_token = in_transaction(url, make)
    sys.stdout.write(f"{json.dumps(new_token) if as_json else new_token['token']}\n")


def _permissions_of_token(permission_names: list[str], *, every_permission: bool) -> list[str]:
    permissions = sorted({*permission_names, *(ALL_PERMISSIONS if every_permission else ())})
    if not permissions:
        raise Refusal(
            f"A token needs --permission, at least once, or --all; there are {', '.join(ALL_PERMISSIONS)}."
        )
    return permissions


def _refuse_blank(user: str | None) -> None:
    if user is not None and not user.strip():
        raise Refusal("--user is blank; leave it out instead.")


def _lifetime_days(expires: str) -> int | None:
    offered = {str(days): days for days in LIFETIMES_DAYS}
    if expires != NEVER and expires not in offered:
        raise Refusal(f"--expires is {expires!r}; it takes {', '.join(offered)} or {NEVER}.")
    return offered.get(expires)


async def _expiry(tx: "Write", text: str) -> str | None:
    moment = await tx.value("SELECT expires_at FROM api_tokens WHERE secret_hash = %s", (hash_token(text),))
    return None if moment is None else str(moment.text)
