"""The command: its words, the way to the service that they choose, and what it tells in the end."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from weighbridge.commands.accounts import AccountOption
from weighbridge.commands.context import DataDir, Json, in_cell_of_account, open_database, progress_bars
from weighbridge.core.collection.data_feed import HEADER_LINE_MAX, OnDifference, ThousandsSeparator
from weighbridge.core.problem import Problem
from weighbridge.errors import Refusal

if TYPE_CHECKING:
    from weighbridge.commands.importing.run import ImportService, Order, Summary

URL_VARIABLE = "WEIGHBRIDGE_URL"
TOKEN_VARIABLE = "WEIGHBRIDGE_TOKEN"  # noqa: S105 - the name of a variable, no secret
TAB = "tab"
OPTIONS = (
    ("columns of the data feed", "--map", "columns"),
    ("another delimiter", "--delimiter", "delimiter"),
    ("other_columns", "--leave-out-others", "other_columns"),
    ("decimal_mark", "--decimal-comma", "decimal_mark"),
    ("thousands_separator", "--thousands-separator", "thousands_separator"),
    ("time_zone", "--time-zone", "time_zone"),
    ("time_format", "--time-format", "time_format"),
    ("rows_in_order", "--in-order", "rows_in_order"),
    ("duration", "--every", "duration"),
    ("first row", "--start", "when the first row is"),
    ("its client_reference", "--reference", "client_reference"),
    ("on_difference", "--on-difference", "on_difference"),
)
"""Words of a data feed's messages, with the option that gives what they speak of."""

CsvPath = Annotated[
    Path,
    Parameter(help="A CSV file, plain or gzipped, or a workbook (XLSX); its first line names the columns."),
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
class FileFormat:
    """How the file is written."""

    map: Annotated[
        list[str] | None,
        _option(
            "COLUMN=FIELD, repeatable. FIELD is the slug of a data point, or start_time, end_time, "
            "tracking_id, feedstock, asset, client_reference or notes, or - to leave the column out. "
            "A date and a time of day may both give start_time. "
            "A column whose name makes the slug needs none."
        ),
    ] = None
    unit: Annotated[
        list[str] | None,
        _option(
            "COLUMN=UNIT, repeatable: the unit in which a column of --map is written. Without it, the one "
            "in brackets behind the column's name, such as Mass [kg], or else that of the data point."
        ),
    ] = None
    delimiter: Annotated[str, Parameter(help="The character between cells, or tab.")] = ","
    decimal_comma: Annotated[bool, _option("Read 1,5 as one and a half.")] = False
    thousands_separator: Annotated[
        str | None, _option("What stands between the thousands of numbers: . , ' or the word space.")
    ] = None
    skip_rows: Annotated[
        list[str] | None,
        _option("A pattern of rows that are no events, such as 'Total*', for their first cell; repeatable."),
    ] = None
    leave_out_others: Annotated[bool, _option("Leave out the columns that no option maps.")] = False
    encoding: Annotated[str, Parameter(help="The encoding of the file, such as windows-1252.")] = "utf-8"
    header_line: Annotated[
        int, Parameter(help="The line that names the columns; what stands above it is left out.")
    ] = 1
    sheet: Annotated[str | None, _option("The sheet of a workbook, by its name; the first by default.")] = (
        None
    )
    missing: Annotated[
        list[str] | None,
        _option("A text that says, as an empty cell does, that there is no value; repeatable."),
    ] = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True, slots=True)
class Times:
    """Which times the rows have."""

    start: Annotated[str | None, _option("The time of the first row, when no column gives times.")] = None
    every: Annotated[
        str | None,
        _option("The length of each event and, with --start, the time from row to row: 30s, 15m, 1h or 1d."),
    ] = None
    readings: Annotated[bool, _option("Make readings: events at one moment, without a length.")] = False
    time_zone: Annotated[
        str | None, _option("The zone of times without an offset, such as Europe/Istanbul or UTC.")
    ] = None
    time_format: Annotated[
        str | None, _option("The form of times that are not in ISO 8601, such as '%d.%m.%Y %H:%M'.")
    ] = None
    in_order: Annotated[
        bool,
        _option(
            "Each row is later than the one before it, which tells apart the local times that come twice "
            "when the clocks go back."
        ),
    ] = False


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
    on_difference: Annotated[
        OnDifference,
        Parameter(
            help="What becomes of events that are there with other values than their rows: report says so "
            "and exits with 1, correct makes a correction of each."
        ),
    ] = OnDifference.REPORT


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
    form: FileFormat = FileFormat(),
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

    order = _order(file, target, form, times, storing)
    with _hints():
        with _service(way) as service, progress_bars() as report:
            summary = run(order, service, report)
        _tell(summary, as_json=as_json)


def _order(file: Path, target: EventTarget, form: FileFormat, times: Times, storing: Storing) -> "Order":
    from weighbridge.commands.importing.run import Order
    from weighbridge.exchange.tables.table import CsvFile

    return Order(
        file=CsvFile(file, _delimiter(form.delimiter), form.encoding, _header_line(form.header_line)),
        project=target.project,
        event_type=target.event_type,
        locations=target.location or [],
        columns=form.map or [],
        units=form.unit or [],
        time_zone=times.time_zone,
        time_format=times.time_format,
        in_order=times.in_order,
        start=times.start,
        every=times.every,
        readings=times.readings,
        decimal_comma=form.decimal_comma,
        thousands_separator=_thousands_separator(form.thousands_separator),
        skip_rows=form.skip_rows or [],
        leaves_out_others=form.leave_out_others,
        missing=form.missing or [],
        reference=storing.reference,
        has_references=not storing.no_references,
        is_dry_run=storing.dry_run,
        sheet=form.sheet,
        on_difference=storing.on_difference,
    )


def _delimiter(text: str) -> str:
    delimiter = "\t" if text in {TAB, "\\t"} else text
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise Refusal(f"--delimiter is {text!r}; it takes one character, such as ; or the word {TAB}.")
    return delimiter


def _thousands_separator(text: str | None) -> ThousandsSeparator:
    if text is None:
        return ThousandsSeparator.NONE
    if text not in set(ThousandsSeparator):
        marks = ", ".join(repr(str(one)) for one in ThousandsSeparator if one != ThousandsSeparator.NONE)
        raise Refusal(f"--thousands-separator is {text!r}; it takes one of {marks}.")
    return ThousandsSeparator(text)


def _header_line(number: int) -> int:
    if not 1 <= number <= HEADER_LINE_MAX:
        raise Refusal(f"--header-line is {number}; it takes 1 to {HEADER_LINE_MAX:,}.")
    return number


@contextmanager
def _hints() -> Iterator[None]:
    """Say in a refusal by which options the settings are given that its sentences name."""
    try:
        yield
    except Refusal as refusal:
        sentences = " ".join(problem.message for problem in refusal.problems)
        named = [f"{option} gives {setting}" for words, option, setting in OPTIONS if words in sentences]
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
