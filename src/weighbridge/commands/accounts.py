"""`weighbridge account` and `weighbridge flag set`: more accounts, the erasure of persons, and features."""

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from weighbridge.commands.cells import choose_cell, release_address
from weighbridge.commands.context import command_id, in_cell_of_account, in_transaction, open_database
from weighbridge.commands.options import DataDir, ExistingDataDir, Json
from weighbridge.core.platform.settings import FEATURES, Feature
from weighbridge.errors import Conflict, Refusal

if TYPE_CHECKING:
    from weighbridge.core.platform.cell import Cell
    from weighbridge.db.account_move import AccountMove
    from weighbridge.db.engine import Write

AccountOption = Annotated[
    str | None,
    Parameter(help="The account to act in, as its administrator; the account default by default."),
]
"""The option of the commands that act in an account."""

Email = Annotated[str, Parameter(help="The address of the user who is to be forgotten.")]

CellOption = Annotated[
    str | None,
    Parameter(help="The cell that the account lives in; the one that holds least by default."),
]
NewAccountName = Annotated[str, Parameter(help="The name of the account; no other has it.")]

AccountNamed = Annotated[str, Parameter(name="ACCOUNT", help="The account, by its number or by its name.")]
TargetCell = Annotated[str, Parameter(help="The cell that the account is to live in.")]

account = App(name="account", help="Accounts: each sees its own projects and nothing of any other.")


@account.command
def create(
    *, name: NewAccountName, cell: CellOption = None, data_dir: DataDir = None, as_json: Json = False
) -> None:
    """Make an account with its administrator.

    Example: `weighbridge account create --name "North plant"`
    """
    from weighbridge.platform.users import ADMINISTRATOR

    name = name.strip()
    if not name:
        raise Refusal("An account needs a name.")

    with open_database(data_dir) as url:
        account_id = asyncio.run(_create(url, name, choose_cell(url, cell)))
    account_fields = {"id": account_id, "name": name, "administrator": ADMINISTRATOR}
    sentence = f"The account {name!r} is made; make a token for it with weighbridge token create --account."
    sys.stdout.write((json.dumps(account_fields) if as_json else sentence) + "\n")


async def _create(url: str, name: str, cell: "Cell") -> int:
    """Make an account in a cell; in that which an attempt that did not end has promised it, if one has."""
    from weighbridge.db.cells import Cells
    from weighbridge.db.engine import Database
    from weighbridge.platform.users import create_account, place_account

    async with Database(url, connections_max=1) as database:
        place, number = await place_account(Cells(database), database, cell, name)
        async with database.in_cell(place).write() as tx:
            actor = await create_account(tx, name=name, request_id=command_id(), number=number)
    return actor.account_id


@account.command
def move(
    named: AccountNamed, /, *, to: TargetCell, data_dir: ExistingDataDir = None, as_json: Json = False
) -> None:
    """Move an account to another cell; the service may go on working.

    The account is used meanwhile; its writers wait at the end, for about a second. What a move that was ended
    too early has left is removed by the same command.

    Example: `weighbridge account move "North plant" --to north`
    """
    from weighbridge.commands.cells import find_cell
    from weighbridge.commands.context import open_owned, progress_bars
    from weighbridge.db.account_move import move_account, remove_leftovers
    from weighbridge.db.cells import find_account, read_cells

    with open_owned(data_dir) as urls, progress_bars() as report:
        number, source = find_account(urls.running, named)
        target = find_cell(urls.running, to)
        if source == target:
            others = [cell for cell in read_cells(urls.running) if cell != target]
            remove_leftovers(urls, number, target, others)
            raise Conflict(f"The account {named!r} lives in the cell {target.name} already.")
        moved = move_account(urls, number, source, target, report)
        asyncio.run(_settle(urls.running, moved))
    fields = {
        "account": number, "from": source.name, "to": target.name, "rows": moved.rows,
        "seconds_waited": round(moved.seconds_waited, 3),
    }  # fmt: skip
    sentence = (
        f"The account {named!r} lives in the cell {target.name} now: {moved.rows:,} rows were copied, and "
        f"its writers waited for {moved.seconds_waited:.1f} seconds."
    )
    sys.stdout.write((json.dumps(fields) if as_json else sentence) + "\n")


async def _settle(url: str, moved: "AccountMove") -> None:
    """Record the move in the log of the account, and have its tasks carried out: they have no jobs yet."""
    from weighbridge.db.engine import Database
    from weighbridge.platform.queue import recover
    from weighbridge.platform.users import record_move
    from weighbridge.settings import read

    async with (
        Database(url, connections_max=1) as database,
        database.in_cell(moved.target).write() as tx,
    ):
        await record_move(tx, moved.account, moved.source, moved.target, command_id())
        await recover(tx, read().lease_seconds)


@account.command
def erase_person(
    *, email: Email, account: AccountOption = None, data_dir: ExistingDataDir = None, as_json: Json = False
) -> None:
    """Forget who a user was: address, name and the names of their tokens, which are revoked.

    Books and audit rows keep the user's number. This cannot be undone.

    Example: `weighbridge account erase-person --email ada@plant.example`
    """
    from weighbridge.platform import users as actions

    async def erase(tx: "Write") -> int:
        actor = await actions.administrator_of(tx, account or actions.DEFAULT_ACCOUNT, command_id())
        return await actions.erase_person(tx, actor, email.strip())

    with open_database(data_dir, is_made=True, find_cell=in_cell_of_account(account)) as url:
        user_id = in_transaction(url, erase)
    release_address(data_dir, account, email)
    sentence = f"The user is erased-{user_id} from now on; their tokens are revoked."
    sys.stdout.write((json.dumps({"user_id": user_id}) if as_json else sentence) + "\n")


STATES = {"on": True, "off": False}
"""What a flag is set to."""

FlagName = Annotated[str, Parameter(help=f"The feature: {', '.join(FEATURES)}.")]
OnOrOff = Annotated[str, Parameter(help="on or off.")]

flag = App(name="flag", help="Feature flags: parts of the service that an account may do without.")


@flag.command(name="set")
def set_flag(
    name: FlagName,
    state: OnOrOff,
    /,
    *,
    account: AccountOption = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Switch a feature of an account on or off; what it made stays and is there again with it.

    Example: `weighbridge flag set rules_engine off --account "North plant"`
    """
    problems = []
    if name not in set(Feature):
        problems.append(f"Unknown feature {name!r}; there are {', '.join(FEATURES)}.")
    if state not in STATES:
        problems.append(f"A flag is on or off, not {state!r}.")
    if problems:
        raise Refusal(" ".join(problems))
    from weighbridge.platform.feature_flags import switch_feature
    from weighbridge.platform.users import DEFAULT_ACCOUNT, administrator_of

    owner = account or DEFAULT_ACCOUNT

    async def switch(tx: "Write") -> dict[str, bool]:
        actor = await administrator_of(tx, owner, command_id())
        flags = await switch_feature(tx, actor, Feature(name), is_on=STATES[state])
        return {feature: getattr(flags, feature) for feature in FEATURES}

    with open_database(data_dir, find_cell=in_cell_of_account(account)) as url:
        flags = in_transaction(url, switch)
    sys.stdout.write((json.dumps(flags) if as_json else f"{name} is {state} for {owner}.") + "\n")
