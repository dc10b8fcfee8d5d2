"""What a sample of a file tells of how it is written, to be looked through before a feed is made of it.

Guesses only: columns by slugs, names and usual words, with units in brackets; the encoding by what the bytes
allow, the delimiter by which the header has most columns, the decimal mark by how numbers look, the form of
times by which all of a column fit.

Invariants: what is guessed reads every row of the sample, or the sample is refused in words; what is
suggested would be taken: fields that exist, units that convert, none of them given twice.
"""

import gzip
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final

from weighbridge.collection.records.data_points import EventType
from weighbridge.core.collection.data_feed import (
    COLUMN_NAME_LENGTH_MAX,
    COLUMNS_OF_FEED_MAX,
    CONTENT_BYTES_MAX,
    COUNTED_FORMATS,
    HEADER_SEARCHED,
    ThousandsSeparator,
)
from weighbridge.core.number import shorten
from weighbridge.core.unit import UnitError, find_conversion, parse_unit
from weighbridge.errors import Refusal
from weighbridge.exchange.records.data_feeds import FeedColumn, SuggestedColumns
from weighbridge.exchange.tables.cell import parse_counted, parse_form
from weighbridge.exchange.tables.columns import (
    LOCATION_FIELD,
    TIME_FIELDS,
    is_line_of_units,
    list_meanings,
    simplify_name,
)
from weighbridge.exchange.tables.opening import FileHead, open_table, read_archive_head
from weighbridge.exchange.tables.sample_form import (
    find_long_columns,
    guess_delimiter,
    guess_header_line,
    guess_marks,
    guess_missing,
    guess_skipped_rows,
    split_lines,
)
from weighbridge.exchange.tables.table import GZIP_MAGIC, PARQUET_MAGIC, ZIP_MAGIC, CsvFile
from weighbridge.exchange.tables.table_form import TableForm

_WORDS: Final = {
    "start_time": (
        "timestamp", "time stamp", "datetime", "date time", "date", "time", "start", "from", "begin",
        "start time utc", "measured at", "logged at", "ts", "zeit", "datum", "zeitstempel",
    ),
    "end_time": ("end", "to", "until", "stop", "end time utc"),
    "tracking_id": ("ticket", "ticket no", "ticket number", "tracking", "delivery note"),
    "feedstock": ("material", "feedstock id"),
    "asset": ("machine", "equipment", "asset id", "unit id"),
    LOCATION_FIELD: ("site", "place", "location id"),
    "client_reference": ("reference", "record id", "row id", "uuid"),
    "notes": ("note", "comment", "comments", "remark", "remarks"),
}  # fmt: skip
"""Words that name a field of an event in many files, in addition to its own name."""

_BRACKETS: Final = frozenset("[]()")
_UNIT_LENGTH_MAX: Final = 40
"""Characters of a unit in brackets after a name."""


def suggest_fields(header: Sequence[str], event_type: EventType) -> SuggestedColumns:
    """What the columns of a header give to events of a type, as far as names tell."""
    points = {point.slug: point for point in event_type.data_point_types}
    of_names = {simplify_name(point.name): point.slug for point in event_type.data_point_types}
    of_words = {simplify_name(word): field for field, words in _WORDS.items() for word in words}
    meanings = of_words | of_names | list_meanings(points, _WORDS)
    columns: list[FeedColumn] = []
    unclear: list[str] = []
    suggested_fields: set[str] = set()
    for name in header:
        bare, bracketed = _split_unit(name)
        field = meanings.get(simplify_name(name)) or (
            meanings.get(simplify_name(bare)) if bracketed else None
        )
        if field is None or field in suggested_fields or not name.strip():
            unclear.append(name)
            continue
        suggested_fields.add(field)
        unit = read_unit(name, points[field].unit) if field in points else None
        columns.append(FeedColumn(name.strip(), field, unit))
    needed = [point.slug for point in event_type.data_point_types if point.required]
    lacking = [field for field in ("start_time", *needed) if field not in suggested_fields]
    return SuggestedColumns(columns, unclear, lacking)


def _split_unit(text: str) -> tuple[str, str]:
    """The name of a column and the text in brackets after it, which may be empty."""
    heading = text.rstrip()
    begin = max(heading.rfind("["), heading.rfind("("))
    unit = heading[begin + 1 : -1]
    is_unit = 0 < len(unit) <= _UNIT_LENGTH_MAX and _BRACKETS.isdisjoint(unit)
    if begin < 1 or heading[-1] not in "])" or not is_unit:
        return text, ""
    return heading[:begin].rstrip(), unit


def read_unit(name: str, target: str | None) -> str | None:
    """The unit in brackets behind a column's name, where the data point's can be made of it."""
    unit = _split_unit(name)[1].strip()
    try:
        find_conversion(parse_unit(unit), parse_unit(target or ""))
    except UnitError:
        return None
    return unit or None


SAMPLE_ROWS_MAX: Final = 50
"""Rows of a file that its form is guessed by."""

SAMPLE_CELL_LENGTH_MAX: Final = 200
"""Characters of a cell that a sample reads."""

START: Final = TIME_FIELDS[0]
"""The field without which a row is no event."""

_HEAD_BYTES: Final = 65_536
_FALLBACK: Final = "windows-1252"
LONG_ROWS_LOOKED_AT: Final = 2_000
"""Rows of a long file whose tags are listed."""

_DATES: Final = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%m.%d.%Y", "%Y/%m/%d", "%Y.%m.%d",
    "%d.%m.%y", "%m.%d.%y", "%d/%m/%y", "%m/%d/%y", "%y/%m/%d", "%d-%m-%y", "%m-%d-%y",
    "%y-%m-%d",
)  # fmt: skip
_CLOCKS: Final = (" %H:%M:%S", " %H:%M", "", " %I:%M:%S %p", " %I:%M %p")

_CLOCK: Final = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[AaPp][Mm])?")
"""A time of day."""

_DATE_FORMATS: Final = (
    *(date + clock for date in _DATES for clock in _CLOCKS), "%Y%m%d%H%M%S", "%Y%m%d %H:%M",
)  # fmt: skip
TIME_FORMATS: Final = (*_DATE_FORMATS, *COUNTED_FORMATS)
"""Forms of times that are tried, the day before the month where a sample leaves that open."""


@dataclass(frozen=True, slots=True)
class FileSample:
    """The first rows of a file, and how it seems to be written."""

    name: str
    header: list[str]
    rows: list[list[str]]
    encoding: str
    delimiter: str
    decimal_mark: str
    header_line: int
    is_workbook: bool
    has_units_line: bool = False
    """Whether its first line below the header seems to hold units; that is not among the rows."""
    units: list[str] = field(default_factory=list)
    """The cells of that line."""
    thousands_separator: str = ThousandsSeparator.NONE
    tag_column: str | None = None
    value_column: str | None = None
    """Of a long file, the columns that its rows were brought together by."""
    skip_rows: list[str] = field(default_factory=list)
    """Patterns of rows that seem to be totals, which are not among the rows."""
    missing: list[str] = field(default_factory=list)
    """Numbers that seem to mean that there is no value."""

    def column(self, index: int) -> list[str]:
        """The cells of a column that hold anything."""
        return [row[index].strip() for row in self.rows if index < len(row) and row[index].strip()]


def read_sample(path: Path, name: str, header_line: int = HEADER_SEARCHED) -> FileSample:
    """The first rows of a file, its header on a line or where one seems to be; Refusal where none is."""
    head = _read_head(path, name)
    encoding = _guess_encoding(head.content)
    text = head.content.decode(encoding, "replace")
    delimiter = guess_delimiter(text)
    line = header_line
    if line == HEADER_SEARCHED:
        line = guess_header_line(head.rows or split_lines(text, delimiter)) if head.has_header_line else 1
    file = CsvFile(path, delimiter, encoding, line, name, CONTENT_BYTES_MAX)
    form = _find_form(file)
    with open_table(file, form) as table:
        header = [heading.strip() for heading in table.header]
        _refuse_wide(name, header)
        rows = [
            [cell[:SAMPLE_CELL_LENGTH_MAX] for cell in row.cells[: len(header)]]
            for row in islice(table.rows, SAMPLE_ROWS_MAX)
            if row.cells
        ]
    has_units = form.tag_column is None and len(rows) > 1 and is_line_of_units(rows[0], rows[1])
    units = rows[0] if has_units else []
    rows = rows[has_units:]
    cells = [cell.strip() for row in rows for cell in row]
    marks = guess_marks(cells)
    return FileSample(
        name, header, rows, encoding, delimiter, marks.decimal_mark, line, head.is_workbook, has_units, units,
        marks.thousands_separator, form.tag_column, form.value_column, [*form.skip_rows],
        guess_missing(cells),
    )  # fmt: skip


def _find_form(file: CsvFile) -> TableForm:
    """The form by which the rows are read: totals are passed over, and a long file is made wide."""
    with open_table(file, TableForm(takes_stored=True)) as table:
        header = [*table.header]
        long_columns = find_long_columns(header)
        looked_at = LONG_ROWS_LOOKED_AT if long_columns else SAMPLE_ROWS_MAX
        rows = [row.cells for row in islice(table.rows, looked_at)]
    skipped = tuple(guess_skipped_rows(rows))
    if long_columns is None:
        return TableForm(takes_stored=True, skip_rows=skipped)
    tag, value = long_columns
    place = header.index(tag)
    found = dict.fromkeys(
        cells[place].strip() for cells in rows if place < len(cells) and not guess_skipped_rows([cells])
    )
    tags = tuple(name for name in found if name)[: COLUMNS_OF_FEED_MAX - len(header)]
    beside = tuple(name for name in header if name not in {tag, value})
    return TableForm(
        takes_stored=True, skip_rows=skipped, tag_column=tag, value_column=value, tags=(*beside, *tags),
        leaves_out=True,
    )  # fmt: skip


def _refuse_wide(name: str, header: Sequence[str]) -> None:
    if len(header) > COLUMNS_OF_FEED_MAX:
        raise Refusal(
            f"The file {name} has {len(header):,} columns; a sample has at most {COLUMNS_OF_FEED_MAX:,},"
            " as many as a data feed says something about."
        )
    if longest := next((column for column in header if len(column) > COLUMN_NAME_LENGTH_MAX), None):
        raise Refusal(
            f"The file {name} has a column whose name, {shorten(longest)!r}, has {len(longest):,} characters;"
            f" at most {COLUMN_NAME_LENGTH_MAX:,} are taken."
        )


def add_times(sample: FileSample, columns: SuggestedColumns) -> SuggestedColumns:
    """The suggestion, in which a column that holds times gives the start where no name tells which does.

    A column of times of day belongs to the start as well if it is the only one after that of the dates.
    """
    return _add_clock(sample, _add_start(sample, columns))


def _add_clock(sample: FileSample, columns: SuggestedColumns) -> SuggestedColumns:
    starts = [column for column in columns.columns if column.field == START]
    if len(starts) != 1 or starts[0].column not in sample.header:
        return columns
    clocks = [
        name
        for index, name in enumerate(sample.header)
        if (cells := sample.column(index)) and all(map(_CLOCK.fullmatch, cells))
    ]
    is_after = clocks and sample.header.index(clocks[0]) > sample.header.index(starts[0].column)
    if len(clocks) != 1 or not is_after or clocks[0] not in columns.unclear:
        return columns
    both = [*columns.columns, FeedColumn(clocks[0], START)]
    times = list_times_of(sample, both)
    if not times or not any(parse_times(times, time_format) for time_format in (None, *_DATE_FORMATS)):
        return columns
    return SuggestedColumns(both, [name for name in columns.unclear if name != clocks[0]], columns.lacking)


def _add_start(sample: FileSample, columns: SuggestedColumns) -> SuggestedColumns:
    if START not in columns.lacking:
        return columns
    for index, name in enumerate(sample.header):
        cells = sample.column(index)
        if (
            name in columns.unclear
            and cells
            and cells[0][0].isdigit()
            and any(parse_times(cells, time_format) for time_format in (None, *_DATE_FORMATS))
        ):
            return SuggestedColumns(
                [FeedColumn(name, START), *columns.columns],
                [name_unclear for name_unclear in columns.unclear if name_unclear != name],
                [field for field in columns.lacking if field != START],
            )
    return columns


def list_times_of(sample: FileSample, columns: Sequence[FeedColumn]) -> list[str]:
    """The times that columns give; a date and a time of day in two columns are one, joined as in a file."""
    return [time for field in TIME_FIELDS for time in _list_joined(sample, columns, field)]


def _list_joined(sample: FileSample, columns: Sequence[FeedColumn], field: str) -> list[str]:
    names = {column.column for column in columns if column.field == field}
    places = [index for index, name in enumerate(sample.header) if name in names]
    rows = ([row[place].strip() for place in places if place < len(row)] for row in sample.rows)
    return [" ".join(cells) for cells in rows if len(cells) == len(places) and all(cells) and cells]


def guess_time_format(sample: FileSample, columns: SuggestedColumns) -> tuple[str | None, bool]:
    """The form of the times of a sample, None for ISO 8601, and whether all of them have an offset."""
    times = list_times_of(sample, columns.columns)
    counted = _find_counted(times)
    if counted is None and (parsed := parse_times(times, None)):
        return None, all(moment.tzinfo is not None for moment in parsed)
    forms = TIME_FORMATS if counted is None else (counted,)
    fitting = (time_format for time_format in forms if times and parse_times(times, time_format))
    return next(fitting, None), False


def _find_counted(times: Sequence[str]) -> str | None:
    """The form that counts seconds or days, where the times are numbers of a likely size."""
    return next((form for form in COUNTED_FORMATS if times and parse_times(times, form)), None)


def parse_times(times: Sequence[str], time_format: str | None) -> list[datetime]:
    """The times as a form reads them; none at all where it does not read each.

    A number is a time only in years in which plants export them, so that no two forms read the same one.
    """
    try:
        if time_format in COUNTED_FORMATS:
            counted = [parse_counted(time, str(time_format)) for time in times]
            return counted if all(moment.year in _YEARS for moment in counted) else []
        return [parse_form(time, time_format) for time in times]
    except (ValueError, OverflowError):
        return []


_YEARS: Final = range(1990, 2080)


def _read_head(path: Path, name: str) -> FileHead:
    """How the content begins; of what is packed, once it is unpacked."""
    with path.open("rb") as raw:
        head = raw.read(_HEAD_BYTES)
    if head.startswith(ZIP_MAGIC):
        return read_archive_head(path, name, _HEAD_BYTES)
    if not head.startswith(GZIP_MAGIC):
        return FileHead(head, has_header_line=not head.startswith(PARQUET_MAGIC))
    try:
        with gzip.open(path) as content:
            return FileHead(content.read(_HEAD_BYTES))
    except (EOFError, zlib.error, OSError):
        return FileHead(head)  # reading the table reports what is wrong with it


def _guess_encoding(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        # The last character may be cut in two.
        head[: max(head.rfind(b"\n"), 0) or None].decode()
    except UnicodeDecodeError:
        return _FALLBACK
    return "utf-8"
