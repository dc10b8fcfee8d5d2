"""What commands share: options, progress bars, and the database, opened and migrated when it is new."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Annotated, TypeVar

from cyclopts import Parameter

from weighbridge.errors import Refusal

# Options that several commands share.


DataDir = Annotated[
    Path | None,
    Parameter(
        help="The folder of the embedded database and the evidence files, made when it does not exist; "
        "WEIGHBRIDGE_DATA_DIR or ./.data by default.",
    ),
]
ExistingDataDir = Annotated[
    Path | None,
    Parameter(
        help="The folder of the embedded database and the evidence files, which the service has made; "
        "WEIGHBRIDGE_DATA_DIR or ./.data by default.",
    ),
]
Json = Annotated[bool, Parameter(name="--json", negative=(), show_default=False, help="Print JSON.")]


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
    from weighbridge.db.engine import Write
    from weighbridge.settings import Settings

Result = TypeVar("Result")


@contextmanager
def open_database(data_dir: Path | None, *, is_made: bool = False) -> Iterator[str]:
    """Give the URL of the database; an older one is refused, for migrating it is a decision of its own.

    With `is_made` a new one is refused too: a command that only tells what is there would otherwise make an
    empty service in the wrong folder, with another key, and tell of that.
    """
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
        yield urls.running


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
