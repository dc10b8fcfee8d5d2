"""`weighbridge account`: one more account beside the first, and persons who are to be forgotten."""

import json
import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from weighbridge.commands.database import command_id, in_transaction, opened
from weighbridge.commands.options import DataDir, ExistingDataDir, Json
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.db.engine import Write

AccountOption = Annotated[
    str | None,
    Parameter(help="The account to act in, as its administrator; the account default by default."),
]
"""The option of the commands that act in an account."""

Email = Annotated[str, Parameter(help="The address of the user who is to be forgotten.")]

NewAccountName = Annotated[str, Parameter(help="The name of the account; no other has it.")]

account = App(name="account", help="Accounts: each sees its own projects and nothing of any other.")


def register(app: App) -> None:
    """Add the command."""
    app.command(account)


@account.command
def create(*, name: NewAccountName, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Make an account with its administrator.

    Example: `weighbridge account create --name "North plant"`
    """
    from weighbridge.platform.accounts.actions import ADMINISTRATOR, create_account  # noqa: PLC0415 - slow

    name = name.strip()
    if not name:
        raise Refusal("An account needs a name.")

    async def make(tx: "Write") -> int:
        return (await create_account(tx, name=name, request_id=command_id())).account_id

    with opened(data_dir) as url:
        account_id = in_transaction(url, make)
    made = {"id": account_id, "name": name, "administrator": ADMINISTRATOR}
    sentence = f"The account {name!r} is made; make a token for it with weighbridge token create --account."
    sys.stdout.write((json.dumps(made) if as_json else sentence) + "\n")


@account.command
def erase_person(
    *, email: Email, account: AccountOption = None, data_dir: ExistingDataDir = None, as_json: Json = False
) -> None:
    """Forget who a user was: address, name and the names of their tokens, which are revoked.

    Books and audit rows keep the user's number. This cannot be undone.

    Example: `weighbridge account erase-person --email ada@plant.example`
    """
    from weighbridge.platform.accounts import actions  # noqa: PLC0415 - slow to import

    async def erase(tx: "Write") -> int:
        actor = await actions.administrator_of(tx, account or actions.DEFAULT_ACCOUNT, command_id())
        return await actions.erase_person(tx, actor, email.strip())

    with opened(data_dir, is_made=True) as url:
        user_id = in_transaction(url, erase)
    sentence = f"The user is erased-{user_id} from now on; their tokens are revoked."
    sys.stdout.write((json.dumps({"user_id": user_id}) if as_json else sentence) + "\n")
