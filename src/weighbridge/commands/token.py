"""`weighbridge token create`: a token, printed once and stored nowhere but as its hash."""

import json
import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from weighbridge.commands.account import AccountOption
from weighbridge.commands.database import command_id, in_transaction, opened
from weighbridge.commands.options import DataDir, Json
from weighbridge.core.platform.permission import ALL_PERMISSIONS
from weighbridge.core.platform.token import LIFETIME_DAYS_DEFAULT, LIFETIMES_DAYS, secret_hash
from weighbridge.errors import Refusal

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
User = Annotated[
    str | None,
    Parameter(help="The email of the user it acts for, who is made when new; the administrator by default."),
]
Expires = Annotated[
    str, Parameter(help=f"After how many days it expires: {', '.join(map(str, LIFETIMES_DAYS))} or {NEVER}.")
]

token = App(name="token", help="Tokens: what requests over HTTP carry.")


def register(app: App) -> None:
    """Add the command."""
    app.command(token)


@token.command
def create(
    *,
    name: TokenName,
    permission: Permission = None,
    every_permission: All = False,
    account: AccountOption = None,
    user: User = None,
    expires: Expires = str(LIFETIME_DAYS_DEFAULT),
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Make a token and print it, and nothing else.

    It is shown this once. A token can be made before the service has ever run.

    Example: `weighbridge token create --name ci --permission data_collection:write`
    """
    from weighbridge.platform.accounts import actions as accounts  # noqa: PLC0415 - slow to import
    from weighbridge.platform.api_tokens.actions import create_token  # noqa: PLC0415 - as above
    from weighbridge.settings import read  # noqa: PLC0415 - as above

    lifetime_days, days_max = _lifetime_days(expires), read().token_lifetime_days_max
    permissions = _permissions(permission or [], every_permission=every_permission)
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

    with opened(data_dir) as url:
        made = in_transaction(url, make)
    sys.stdout.write(f"{json.dumps(made) if as_json else made['token']}\n")


def _permissions(named: list[str], *, every_permission: bool) -> list[str]:
    permissions = sorted({*named, *(ALL_PERMISSIONS if every_permission else ())})
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
    moment = await tx.value("SELECT expires_at FROM api_tokens WHERE secret_hash = %s", (secret_hash(text),))
    return None if moment is None else str(moment.text)
