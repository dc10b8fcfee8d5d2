"""What commands share: progress bars, and the database, opened and migrated when it is new."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, TypeVar

from weighbridge.errors import Refusal

# Progress of long commands: a bar for each phase on a terminal, on standard error, and nothing elsewhere.


if TYPE_CHECKING:
    from rich.progress import TaskID

ProgressReport = Callable[[str, int, int], None]
"""Takes the name of a phase, how much of it is done, and how much there is."""


@contextmanager
def progress_bars() -> Iterator[ProgressReport]:
    """Draw a bar for each phase that is reported."""
    if not sys.stderr.isatty():
        yield lambda _phase, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bars:
        tasks: dict[str, TaskID] = {}

        def report(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bars.add_task(phase, total=total)
            bars.update(tasks[phase], completed=done)

        yield report


# The database of a command that reads or writes data: opened, and migrated when it is new.


if TYPE_CHECKING:
    from weighbridge.core.platform.cell import Cell
    from weighbridge.db.engine import Write
    from weighbridge.db.roles import DatabaseUrls
    from weighbridge.settings import Settings

DIGITS_MAX = 10
"""Digits of the number of an account or a project, at most."""

FindCell = Callable[[str], "Cell"]
"""Finds the cell of something, in the database of a URL."""

Result = TypeVar("Result")


@contextmanager
def open_database(
    data_dir: Path | None, *, is_made: bool = False, find_cell: FindCell | None = None
) -> Iterator[str]:
    """Give the URL of the database; an older one is refused, for migrating it is a decision of its own.

    With `find_cell` it is the URL of one cell, and of the first one without. With `is_made` a new database is
    refused too: a command that only tells what is there would otherwise make an empty service in the wrong
    folder, with another key, and tell of that.
    """
    from weighbridge.db.cell_creation import urls_in_cell

    with open_owned(data_dir, is_made=is_made) as urls:
        yield urls.running if find_cell is None else urls_in_cell(urls, find_cell(urls.running)).running


@contextmanager
def open_owned(data_dir: Path | None, *, is_made: bool = True) -> "Iterator[DatabaseUrls]":
    """Give the URLs of the database, also for the role that owns its tables; else as `open_database`."""
    from weighbridge.db.embedded.instance import database
    from weighbridge.db.roles import newest_revision, read_revision_of
    from weighbridge.settings import read_with
    from weighbridge.supervisor.startup import migrate_or_refuse

    settings = read_with(data_dir=data_dir)
    if is_made:
        _refuse_empty_folder(settings)
    with _grants_told(), database(settings) as urls:
        revision = read_revision_of(urls.migrating)
        if revision is None and is_made:
            raise Refusal("The database has no data of the service; start it with `weighbridge serve` first.")
        if revision is None:
            migrate_or_refuse(urls)
        elif revision != newest_revision():
            raise Refusal(
                f"The database is at revision {revision}, and this version needs {newest_revision()}; "
                "run `weighbridge migrate`."
            )
        yield urls


def in_cell_of_account(name: str | None) -> FindCell:
    """Finds the cell of an account by its name; of the account default without one."""
    from weighbridge.db.cells import find_cell_of_account
    from weighbridge.platform.users import DEFAULT_ACCOUNT

    return lambda url: find_cell_of_account(url, name or DEFAULT_ACCOUNT)


def in_cell_of_number(account: str) -> FindCell:
    """Finds the cell of an account by its number as text; the first one for what is no number."""
    from weighbridge.db.cells import find_cell_of_number

    number = int(account) if account.isdecimal() and len(account) <= DIGITS_MAX else 0
    return lambda url: find_cell_of_number(url, number)


def in_cell_of_project(number: int) -> FindCell:
    """Finds the cell of a project by its number."""
    from weighbridge.db.cells import find_cell_of_project

    return lambda url: find_cell_of_project(url, number)


@contextmanager
def open_cells(data_dir: Path | None) -> "Iterator[Mapping[Cell, str]]":
    """Give the URL of each open cell of a database that is made already."""
    from weighbridge.db.cell_creation import url_in_cell
    from weighbridge.db.cells import read_cells

    with open_database(data_dir, is_made=True) as url:
        yield {cell: url_in_cell(url, cell) for cell in read_cells(url, only_open=True)}


@contextmanager
def _grants_told() -> Iterator[None]:
    """Say what to do where the role may not use the tables, as in a database restored without its grants."""
    from psycopg.errors import InsufficientPrivilege

    try:
        yield
    except InsufficientPrivilege as error:
        raise Refusal(
            f"The role of WEIGHBRIDGE_DATABASE_URL may not use the tables: {str(error).strip()}. "
            "Run `weighbridge migrate`, which lets it."
        ) from error


def in_transaction(url: str, work: Callable[["Write"], Awaitable[Result]]) -> Result:
    """Do the work in one transaction."""
    from weighbridge.db.engine import Database

    async def run() -> Result:
        async with Database(url, connections_max=1) as database, database.write() as tx:
            return await work(tx)

    return asyncio.run(run())


def command_id() -> str:
    """Make the name under which a command stands in the audit log."""
    return f"command_{token_hex(12)}"


def _refuse_empty_folder(settings: "Settings") -> None:
    """Raise Refusal when the data folder of the settings is to hold the database, and holds none."""
    from weighbridge.db.embedded.instance import has_cluster, is_external

    if not is_external(settings) and not has_cluster(settings.data_dir):
        raise Refusal(
            f"{settings.data_dir} has no data of the service; name the folder that `weighbridge serve` uses, "
            "with --data-dir or WEIGHBRIDGE_DATA_DIR."
        )
