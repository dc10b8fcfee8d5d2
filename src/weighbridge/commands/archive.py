"""`weighbridge archive`: old months of events as Parquet elsewhere, listed, compared and computed with."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from cyclopts import App, Parameter

from weighbridge.commands.context import DIGITS_MAX, command_id, in_cell_of_project, open_cells, open_database
from weighbridge.commands.options import ExistingDataDir, Json
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.archive.comparison import CheckedMonth
    from weighbridge.archive.months import ArchivedMonth, ListedMonth
    from weighbridge.archive.recomputation import ArchiveRecomputation
    from weighbridge.archive.writer import WrittenMonth


def render_written(month: "WrittenMonth") -> str:
    """Render the outcome for a month."""
    bytes_of_event = f", {month.bytes / month.rows:.1f} bytes for each" if month.rows else ""
    counts = f"{month.rows:,} events, {month.bytes:,} bytes{bytes_of_event}"
    return f"{month.month}  {month.state:9}  version {month.version}, {counts}"


def render_listed(month: "ListedMonth") -> str:
    """A version of a month."""
    return (
        f"{month.project}  {month.month}  version {month.version}, {month.rows:,} events,"
        f" {month.bytes:,} bytes, by {month.made_at.text}, in {month.place}, manifest {month.sha256[:32]}"
    )


def render_checked(month: "CheckedMonth") -> str:
    """Render the comparison of a month, a line for each difference."""
    state = (
        "as it was" if month.is_clean and not month.changed else "changed" if month.is_clean else "ALTERED"
    )
    lines = [f"{month.month}  {state:9}  version {month.version}, {month.rows:,} events"]
    lines += [f"  ALTERED  {message}" for message in month.altered]
    lines += [f"  changed  {message}" for message in month.changed]
    lines += [f"  renamed  {message}" for message in month.renamed]
    if month.more:
        lines.append(f"  and {month.more:,} more events that differ")
    if month.changed and month.is_clean:
        lines.append("  `weighbridge archive write` writes another version of the month.")
    return "\n".join(lines)


def render_recomputed(result: "ArchiveRecomputation") -> str:
    """Render the result of recomputing batches."""
    lines = [f"{result.batches:,} batches over {result.events:,} events of {result.months} archived months:"]
    lines += [f"  BROKEN   {message}" for message in result.violations]
    lines += [f"  lacking  {message}" for message in result.uncovered]
    if result.outside:
        lines.append(f"  {result.outside:,} other batches have none of their events in the archive.")
    conclusion = "Every batch was recomputed to the same digits."
    lines.append(conclusion if result.is_clean else "Not everything holds.")
    return "\n".join(lines)


if TYPE_CHECKING:
    from weighbridge.backup.target import BackupTarget
    from weighbridge.core.platform.permission import Actor
    from weighbridge.db.engine import Database

Result = TypeVar("Result")

ProjectOption = Annotated[str, Parameter(help="The project, by its id prj_… or its number.")]
AnyProjectOption = Annotated[
    str | None, Parameter(help="The project, by its id prj_… or its number; all by default.")
]
Through = Annotated[
    str, Parameter(help="The last month, such as 2025-12; it must have been over for a week.")
]
From = Annotated[str, Parameter(help="The folder or URL that months were written to.")]
To = Annotated[str, Parameter(help="A folder, or a file, s3, gs or az URL.")]

archive = App(
    name="archive", help="Old months of events as Parquet: written, listed, compared, computed with."
)


@archive.command(name="write")
def write(
    *,
    project: ProjectOption,
    through: Through,
    to: To,
    data_dir: ExistingDataDir = None,
    as_json: Json = False,
) -> None:
    """Write the events of each month, up to one, as a file of Parquet with a manifest; what is there is
    left alone, and a month that changed since gets another version beside the older ones.

    Nothing is removed from the database. It may be interrupted at any time, and run again.

    Example: `weighbridge archive write --project prj_5f0c… --through 2025-12 --to s3://bucket/archive`
    """
    from weighbridge.archive.months import CalendarMonth
    from weighbridge.archive.writer import ArchiveRequest, write_months

    last = CalendarMonth.read(through, "--through")
    place = _place(to)

    async def work(database: "Database") -> None:
        account, number = await _project(database, project)
        actor = await _actor(database, account)
        months = 0
        async for month in write_months(database, place, ArchiveRequest(actor, number, last)):
            _say(month, render_written, as_json=as_json)
            months += 1
        if not months and not as_json:
            sys.stdout.write(f"The project has no events up to the end of {last.text}.\n")

    _with_database(data_dir, project, work)


@archive.command(name="list")
def list_months(
    *, project: AnyProjectOption = None, data_dir: ExistingDataDir = None, as_json: Json = False
) -> None:
    """List what was written: each version of each month, where it lies, and the digest of its manifest.

    Example: `weighbridge archive list`
    """
    from weighbridge.archive.months import ListedMonth, archived_months

    async def work(database: "Database") -> "list[ArchivedMonth]":
        number = None if project is None else (await _project(database, project))[1]
        async with database.read() as tx:
            return await archived_months(tx, number)

    if project is None:
        with open_cells(data_dir) as urls:
            months = [month for url in urls.values() for month in asyncio.run(_run(url, work))]
    else:
        months = _with_database(data_dir, project, work)
    for month in months:
        _say(ListedMonth.of(month), render_listed, as_json=as_json)
    if not months and not as_json:
        sys.stdout.write("No month was archived.\n")


@archive.command(name="check")
def check(
    place: From, /, *, project: ProjectOption, data_dir: ExistingDataDir = None, as_json: Json = False
) -> None:
    """Compare the newest version of each month with the database, row by row and both ways; what changed
    since is told with its change. Exits with 1 when a row or a file was altered behind the service's back.

    Example: `weighbridge archive check s3://bucket/archive --project prj_5f0c…`
    """
    from weighbridge.archive.comparison import check_months

    files = _place(place, is_made=True)

    async def work(database: "Database") -> bool:
        _, number = await _project(database, project)
        is_clean = True
        async for month in check_months(database, files, number):
            _say(month, render_checked, as_json=as_json)
            is_clean = is_clean and month.is_clean
        return is_clean

    if not _with_database(data_dir, project, work):
        sys.exit(1)


@archive.command(name="verify")
def verify(
    place: From, /, *, project: ProjectOption, data_dir: ExistingDataDir = None, as_json: Json = False
) -> None:
    """Compute batches anew from the archive's events in place of the database's, to the last digit; exits
    with 1 when any comes to something else, or has only a part of its events there.

    Models, corrections and books are those of the database. Nothing is changed.

    Example: `weighbridge archive verify s3://bucket/archive --project prj_5f0c…`
    """
    from weighbridge.archive.recomputation import recompute_archived

    files = _place(place, is_made=True)

    async def work(database: "Database") -> bool:
        _, number = await _project(database, project)
        recomputation = await recompute_archived(database, files, number)
        _say(recomputation, render_recomputed, as_json=as_json)
        return recomputation.is_clean

    if not _with_database(data_dir, project, work):
        sys.exit(1)


def _with_database(
    data_dir: Path | None, project: str, work: "Callable[[Database], Coroutine[Any, Any, Result]]"
) -> Result:
    find_cell = in_cell_of_project(_project_number(project))
    with open_database(data_dir, is_made=True, find_cell=find_cell) as url:
        return asyncio.run(_run(url, work))


async def _run(url: str, work: "Callable[[Database], Coroutine[Any, Any, Result]]") -> Result:
    from weighbridge.db.engine import Database

    async with Database(url, connections_max=2, idle_timeout_seconds=3600) as database:
        return await work(database)


async def _project(database: "Database", text: str) -> tuple[str, int]:
    """The name of a project's account, and the project's number; raises Refusal."""
    number = _project_number(text)
    async with database.read() as tx:
        account = await tx.value(
            "SELECT a.name FROM projects p JOIN accounts a ON a.id = p.account_id WHERE p.id = %s", (number,)
        )
    if account is None:
        raise Refusal(f"There is no project {text!r}.")
    return account, number


def _project_number(text: str) -> int:
    """The number of a project that is named by its id or number; 0, which none has, for any other text."""
    from weighbridge.core import identity

    key = identity.parse("project", text)
    return key.project if key else int(text) if text.isdecimal() and len(text) <= DIGITS_MAX else 0


async def _actor(database: "Database", account: str) -> "Actor":
    """The administrator of an account, in whose name months are written."""
    from weighbridge.platform.users import administrator_of

    async with database.write() as tx:
        return await administrator_of(tx, account, command_id())


def _place(text: str, *, is_made: bool = False) -> "BackupTarget":
    """The place of a folder or URL; a folder is known by its whole path, from wherever it was named."""
    from weighbridge.backup.target import BackupTarget

    address = text if "://" in text else str(Path(text).expanduser().absolute())
    return BackupTarget.open_target(address, is_made=is_made)


def _say(record: Any, sentence: Callable[[Any], str], *, as_json: bool) -> None:
    import msgspec

    from weighbridge.db.statements import to_json_form

    message = msgspec.json.encode(record, enc_hook=to_json_form).decode() if as_json else sentence(record)
    sys.stdout.write(message + "\n")
    sys.stdout.flush()
