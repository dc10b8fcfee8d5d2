"""The command: its words, the way to the service that they choose, and what it tells in the end."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from weighbridge.commands.accounts import AccountOption
from weighbridge.commands.context import in_cell_of_account, open_database, progress_bars
from weighbridge.commands.importing.options import (
    AS_FEEDS_HAVE_IT,
    HINTS,
    TAB,
    FeedSettings,
    read_columns,
    read_settings,
)
from weighbridge.commands.options import DataDir, Json
from weighbridge.core.collection.data_feed import HEADER_LINE_MAX
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, Refusal
from weighbridge.exchange.records.data_feeds import FeedColumn
from weighbridge.http.openapi.schemas import meaning_of

if TYPE_CHECKING:
    from weighbridge.commands.importing.run import ImportService, Order, Summary

URL_VARIABLE = "WEIGHBRIDGE_URL"
TOKEN_VARIABLE = "WEIGHBRIDGE_TOKEN"  # noqa: S105 - the name of a variable, no secret
CsvPath = Annotated[
    Path,
    Parameter(
        help="A CSV file, plain or gzipped, a workbook (XLSX, ODS), JSON Lines, Parquet, or a ZIP archive."
    ),
]


def _option(text: str) -> Parameter:
    return Parameter(negative=(), show_default=False, help=text)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True, slots=True)
class EventTarget:
    """What the rows become, and where."""

    project: Annotated[str, _option("The project, by its id prj_… or its number.")]
    event_type: Annotated[str, _option("The slug of the event type.")]
    location: Annotated[
        list[str] | None, _option("The id loc_… of a location of every event; repeat it for several.")
    ] = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True, slots=True)
class ColumnMeanings:
    """What the columns give."""

    map: Annotated[
        list[str] | None,
        _option(
            f"COLUMN=FIELD, repeatable. FIELD is: {meaning_of(FeedColumn, 'field', str)} "
            "A date and a time of day may both give start_time. "
            "A column whose name makes the slug needs none."
        ),
    ] = None
    decimal_comma: Annotated[bool, _option("Read 1,5 as one and a half: --decimal-mark comma.")] = False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True, slots=True)
class Times:
    """Which times the rows have."""

    start: Annotated[str | None, _option("The time of the first row, when no column gives times.")] = None
    readings: Annotated[bool, _option("Make readings: events at one moment, without a length.")] = False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True, slots=True)
class Storing:
    """How events are stored."""

    dry_run: Annotated[bool, _option("Check everything and store nothing.")] = False
    reference: Annotated[
        str | None,
        _option(
            "What client references begin with, before the line; 12 digits of the file's SHA-256 by default."
        ),
    ] = None
    no_references: Annotated[
        bool,
        Parameter(
            name="--no-references",
            negative=(),
            show_default=False,
            help="Give events no client reference; the same import run again stores them again.",
        ),
    ] = False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """The way into the database: straight, or through a running service."""

    url: Annotated[
        str | None, _option(f"The address of a running service to import through; or {URL_VARIABLE}.")
    ] = None
    token_file: Annotated[
        Path | None,
        _option(f"A file with the token for the service, - for standard input; or {TOKEN_VARIABLE}."),
    ] = None
    token: Annotated[
        str | None, _option("The token itself, which every user of this machine sees; rather --token-file.")
    ] = None
    account: AccountOption = None
    data_dir: DataDir = None


def import_(
    file: CsvPath,
    /,
    *,
    target: EventTarget,
    form: ColumnMeanings = ColumnMeanings(),
    settings: FeedSettings = AS_FEEDS_HAVE_IT,
    times: Times = Times(),
    storing: Storing = Storing(),
    way: Way = Way(),
    as_json: Json = False,
) -> None:
    """Import a CSV file or a workbook, each row as one event.

    The file is uploaded to a data feed that the options describe, and stored whole or not at all. When a row
    is bad, its line and the reason are told and nothing is stored. Running the same import again, also after
    a crash, stores only what is not there yet.

    Example: `weighbridge import log.csv.gz --project 1 --event-type turbine-hour --location loc_…
    --start 2011-01-01T00:00:00Z --every 1h`
    """
    from weighbridge.commands.importing.run import run

    order = _order(file, target, form, settings, times, storing)
    with _hints():
        with _service(way) as service, progress_bars() as report:
            summary = run(order, service, report)
        _tell(summary, as_json=as_json)


def _order(
    file: Path,
    target: EventTarget,
    form: ColumnMeanings,
    options: FeedSettings,
    times: Times,
    storing: Storing,
) -> "Order":
    from weighbridge.commands.importing.run import Order
    from weighbridge.exchange.tables.table import CsvFile

    settings = read_settings(options, decimal_comma=form.decimal_comma)
    columns, problems = read_columns(form.map or (), options)
    if problems := [*problems, *_check_settings(settings)]:
        raise Invalid(problems)
    written = {name: settings[name] for name in ("delimiter", "encoding", "header_line")}
    return Order(
        file=CsvFile(file, **written),
        project=target.project,
        event_type=target.event_type,
        locations=target.location or [],
        columns=columns,
        settings=settings,
        start=times.start,
        readings=times.readings,
        reference=storing.reference,
        has_references=not storing.no_references,
        is_dry_run=storing.dry_run,
    )


def _check_settings(settings: Mapping[str, Any]) -> Iterator[Problem]:
    """Find what would not open the file, which is looked at before the service is asked."""
    delimiter, line = settings["delimiter"], settings["header_line"]
    if len(delimiter) != 1 or delimiter in '"\r\n':
        told = f"--delimiter is {delimiter!r}; it takes one character, such as ; or the word {TAB}."
        yield Problem(told, "delimiter", "invalid")
    if not 0 <= line <= HEADER_LINE_MAX:
        told = f"--header-line is {line}; it takes 1 to {HEADER_LINE_MAX:,}, or 0 to look for the header."
        yield Problem(told, "header_line", "invalid")


@contextmanager
def _hints() -> Iterator[None]:
    """Say in a refusal by which options the settings are given that its sentences name."""
    try:
        yield
    except Refusal as refusal:
        sentences = " ".join(problem.message for problem in refusal.problems)
        named = [f"{option} gives {what}" for words, option, what in HINTS if words in sentences]
        if named:
            hint = Problem(f"Of the data feed that the import makes, {', '.join(named)}.")
            raise Refusal([*refusal.problems, hint]) from refusal
        raise


@contextmanager
def _service(way: Way) -> Iterator["ImportService"]:
    """Open the way that was asked for; an option stands before a variable."""
    is_direct = way.data_dir is not None or way.account is not None
    url = way.url or (None if is_direct else os.environ.get(URL_VARIABLE))
    if url:
        if is_direct:
            raise Refusal(
                "--url leads to a service, which has its own data and account; leave the others out."
            )
        token = _token(way) or os.environ.get(TOKEN_VARIABLE)
        if not token:
            raise Refusal(f"--url needs a token: give --token-file or set {TOKEN_VARIABLE}.")
        from weighbridge.commands.importing.remote import RemoteService

        with RemoteService(url, token) as remote:
            yield remote
    elif way.token or way.token_file:
        option = "--token" if way.token else "--token-file"
        raise Refusal(f"{option} needs the address of a service: give --url or set {URL_VARIABLE}.")
    else:
        with _open_database(way) as direct:
            yield direct


@contextmanager
def _open_database(way: Way) -> Iterator["ImportService"]:
    from weighbridge.commands.importing.direct import DirectService
    from weighbridge.platform.users import DEFAULT_ACCOUNT
    from weighbridge.settings import read_with
    from weighbridge.supervisor.logs import keep_off_output

    keep_off_output()
    with (
        open_database(way.data_dir, find_cell=in_cell_of_account(way.account)) as url,
        DirectService(url, read_with(data_dir=way.data_dir), way.account or DEFAULT_ACCOUNT) as service,
    ):
        yield service


def _token(way: Way) -> str | None:
    """The token of the options; one that stands among the words of a command is seen by others."""
    if way.token is not None:
        sys.stderr.write(
            "--token shows the token to every user of this machine, in the list of its processes; give"
            f" --token-file or set {TOKEN_VARIABLE} instead.\n"
        )
        return way.token
    if way.token_file is None:
        return None
    try:
        text = sys.stdin.read() if str(way.token_file) == "-" else way.token_file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"The file of --token-file, {way.token_file}, cannot be read: {error}.") from error
    if not text.strip():
        raise Refusal(f"The file of --token-file, {way.token_file}, holds no token.")
    return text.strip()


def _tell(summary: "Summary", *, as_json: bool) -> None:
    """Sum up for the person on standard error and, when asked, for a program on standard output."""
    import msgspec

    from weighbridge.db.statements import to_json_form

    sys.stderr.write(f"{summary.sentences}\n")
    if as_json:
        sys.stdout.write(msgspec.json.encode(summary, enc_hook=to_json_form).decode() + "\n")
    if summary.is_amiss:
        raise Refusal(summary.complaints)
    for problem in summary.complaints:
        sys.stderr.write(f"{problem.message}\n")
