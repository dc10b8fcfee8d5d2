"""The database of a command that reads or writes data: opened, and migrated when it is new."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, TypeVar

from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.db.engine import Write
    from weighbridge.settings import Settings

Result = TypeVar("Result")


@contextmanager
def opened(data_dir: Path | None, *, is_made: bool = False) -> Iterator[str]:
    """Give the URL of the database; an older one is refused, for migrating it is a decision of its own.

    With `is_made` a new one is refused too: a command that only tells what is there would otherwise make an
    empty service in the wrong folder, with another key, and tell of that.
    """
    from weighbridge.db.embedded import database  # noqa: PLC0415 - slow to import
    from weighbridge.db.schema.revision import newest_revision, revision_of  # noqa: PLC0415 - as above
    from weighbridge.settings import read_with  # noqa: PLC0415 - as above
    from weighbridge.supervisor.schema import migrate_or_refuse  # noqa: PLC0415 - as above

    settings = read_with(data_dir=data_dir)
    if is_made:
        _refuse_empty_folder(settings)
    with _grants_told(), database(settings) as urls:
        revision = revision_of(urls.migrating)
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
    from psycopg.errors import InsufficientPrivilege  # noqa: PLC0415 - slow to import

    try:
        yield
    except InsufficientPrivilege as error:
        raise Refusal(
            f"The role of WEIGHBRIDGE_DATABASE_URL may not use the tables: {str(error).strip()}. "
            "Run `weighbridge migrate`, which lets it."
        ) from error


def in_transaction(url: str, work: Callable[["Write"], Awaitable[Result]]) -> Result:
    """Do the work in one transaction."""
    from weighbridge.db.engine import Database  # noqa: PLC0415 - slow to import

    async def run() -> Result:
        async with Database(url, connections_max=1) as database, database.write() as tx:
            return await work(tx)

    return asyncio.run(run())


def command_id() -> str:
    """Make the name under which a command stands in the audit log."""
    return f"command_{token_hex(12)}"


def _refuse_empty_folder(settings: "Settings") -> None:
    """Raise Refusal when the data folder of the settings is to hold the database, and holds none."""
    from weighbridge.db.embedded import has_cluster, is_external  # noqa: PLC0415 - slow to import

    if not is_external(settings) and not has_cluster(settings.data_dir):
        raise Refusal(
            f"{settings.data_dir} has no data of the service; name the folder that `weighbridge serve` uses, "
            "with --data-dir or WEIGHBRIDGE_DATA_DIR."
        )
