"""`weighbridge cells`: schemas that each hold everything of some accounts, made, listed and chosen from."""

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from weighbridge.commands.context import command_id, in_cell_of_account, in_transaction, open_database
from weighbridge.commands.options import DataDir, ExistingDataDir, Json
from weighbridge.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from weighbridge.core.platform.cell import Cell
    from weighbridge.db.cells import Cells
    from weighbridge.db.engine import Database, Write

CellName = Annotated[str, Parameter(help="The name of the cell: small letters, digits and underscores.")]

cells = App(name="cells", help="Cells: schemas of the database that each hold everything of some accounts.")


Node = Annotated[
    str | None,
    Parameter(help="The node of a Citus cluster that the cell lies on, as host:port; without one, the cell is"
    " in the database itself."),
]  # fmt: skip


@cells.command
def add(name: CellName, /, *, node: Node = None, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Make a cell for new accounts; the service may go on working, and takes it up by itself.

    It takes about ten seconds, in which every process gets to know of the cell, and half a minute more on a
    node. Where it fails, the same command goes on.

    Example: `weighbridge cells add north --node db2:5432`
    """
    from weighbridge.db.cell_creation import add_cell
    from weighbridge.db.cells import read_cells
    from weighbridge.db.embedded.instance import database
    from weighbridge.platform.users import DEFAULT_ACCOUNT, administrator_of
    from weighbridge.settings import read_with
    from weighbridge.supervisor.startup import (
        keep_keys,
        migrate_cell,
        migrate_or_refuse,
    )

    settings = read_with(data_dir=data_dir)

    async def ensure_default(tx: "Write") -> None:
        await administrator_of(tx, DEFAULT_ACCOUNT, command_id())

    with database(settings) as urls:
        migrate_or_refuse(urls)
        if len(read_cells(urls.running)) == 1:
            in_transaction(urls.running, ensure_default)  # so that the directory names it
        cell = add_cell(urls, name, migrate_cell, node=node)
        keep_keys(urls.running, settings)
    place = "there" if cell.node is None else f"on {cell.node}"
    sentence = f"The cell {cell.name} is {place}; new accounts go to the cell that holds least."
    sys.stdout.write((json.dumps(asdict(cell)) if as_json else sentence) + "\n")


@cells.command
def move(
    name: CellName,
    /,
    *,
    to: Annotated[str, Parameter(help="The node that the cell is to lie on, as host:port.")],
    data_dir: ExistingDataDir = None,
    as_json: Json = False,
) -> None:
    """Move a cell to another node of the cluster; the service goes on working, and follows by itself.

    Accounts of the cell are answered 503 for a moment when it changes over, and may be told to repeat what
    they write meanwhile. Where it fails, the same command goes on.

    Example: `weighbridge cells move north --to db3:5432`
    """
    from weighbridge.db.cell_moves import move_cell
    from weighbridge.db.embedded.instance import database
    from weighbridge.settings import read_with
    from weighbridge.supervisor.startup import migrate_or_refuse

    with database(read_with(data_dir=data_dir)) as urls:
        migrate_or_refuse(urls)
        cell = move_cell(urls, name, to)
    sentence = f"The cell {cell.name} is on {cell.node}; every process follows within seconds."
    sys.stdout.write((json.dumps(asdict(cell)) if as_json else sentence) + "\n")


@cells.command(name="list")
def list_all(*, data_dir: ExistingDataDir = None, as_json: Json = False) -> None:
    """List the cells: how many accounts live in each, and what it holds.

    Example: `weighbridge cells list`
    """
    from weighbridge.db.cells import read_sizes

    with open_database(data_dir, is_made=True) as url:
        sizes = read_sizes(url)
    if as_json:
        listed = [
            {"number": size.cell.number, "name": size.cell.name, "is_open": size.is_open,
             "node": size.cell.node, "accounts": size.accounts, "rows": size.rows, "bytes": size.octets}
            for size in sizes
        ]  # fmt: skip
        sys.stdout.write(json.dumps(listed) + "\n")
        return
    for size in sizes:
        node = "" if size.cell.node is None else f"  on {size.cell.node}"
        state = node if size.is_open else f"{node}  being made"
        sys.stdout.write(
            f"{size.cell.name}  {size.accounts:,} accounts, about {size.rows:,} rows, "
            f"{size.octets / 1_000_000:,.1f} MB{state}\n"
        )


def choose_cell(url: str, name: str | None) -> "Cell":
    """The cell of a name, or the open one that holds least; raises NotFound."""
    from weighbridge.db.cells import read_sizes

    if name is not None:
        return find_cell(url, name)
    return min((size for size in read_sizes(url) if size.is_open), key=lambda size: size.octets).cell


def find_cell(url: str, name: str) -> "Cell":
    """The open cell of a name; raises NotFound."""
    from weighbridge.db.cells import read_cells

    cells = {cell.name: cell for cell in read_cells(url, only_open=True)}
    if name not in cells:
        raise NotFound(message=f"There is no cell {name!r}; there are {', '.join(cells)}.")
    return cells[name]


def claim_address(data_dir: Path | None, account: str | None, email: str) -> None:
    """Promise an address to an account in the directory, before its cell has it; raises Conflict."""
    from weighbridge.platform import users

    async def claim(cells: "Cells", database: "Database", number: int) -> None:
        await users.claim_address(cells, database, email, number)

    _in_directory(data_dir, account, claim)


def release_address(data_dir: Path | None, account: str | None, email: str) -> None:
    """Take the promise of an address back, when nobody of the account signs in with it any more."""

    async def release(cells: "Cells", _: "Database", number: int) -> None:
        if await cells.has_directory():
            await cells.directory.release_address(email, number)

    _in_directory(data_dir, account, release)


def _in_directory(
    data_dir: Path | None, account: str | None, work: "Callable[[Cells, Database, int], Awaitable[None]]"
) -> None:
    """Do what concerns an account in the directory, by its number; nothing where there is no such account."""
    from weighbridge.db.cells import Cells
    from weighbridge.db.engine import Database
    from weighbridge.platform.users import DEFAULT_ACCOUNT, find_account

    find_cell = in_cell_of_account(account)

    async def run(url: str) -> None:
        cell = find_cell(url)
        async with Database(url, connections_max=1) as database:
            number = await find_account(database.in_cell(cell), account or DEFAULT_ACCOUNT)
            if number is not None:
                await work(Cells(database), database, number)

    with open_database(data_dir) as url:
        asyncio.run(run(url))
