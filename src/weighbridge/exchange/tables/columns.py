"""Columns: what each column of a file gives, a field of the event, a data point or nothing.

A data feed says it, or else the name of the column, or a line of units. Some values are given to every row
in place of a column.

Invariants: every column is accounted for, mapped, left out or refused; no two columns give the same, but for
a date and a time of day that give one time together; where an event type has a data point with the slug of
an event's field, the data point stands first; a number is converted by an exact rational; a line that holds
anything of a row, a number or a time, is never taken for one of units.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Self
from zoneinfo import ZoneInfo

from weighbridge.collection.records.data_points import DataPointType, EventType
from weighbridge.core.collection.data_feed import (
    COLUMNS_MAX,
    CONTENT_MARK,
    VALUE_MARK,
    OtherColumns,
    ReferenceRule,
    is_value,
)
from weighbridge.core.identity import make_slug
from weighbridge.core.number import NumberError, parse_decimal, shorten
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.time.calendar import time_zone_names
from weighbridge.core.unit import Conversion, UnitError, find_conversion, parse_unit
from weighbridge.errors import Invalid
from weighbridge.exchange.records.data_feeds import DataFeed, FeedColumn
from weighbridge.exchange.tables.cell import CellError, Clock, check_clock, read_clock, read_moment
from weighbridge.exchange.tables.header import find_base
from weighbridge.exchange.tables.table import FileRow, RowTable
from weighbridge.exchange.tables.table_form import LEFT_OUT

EVENT_FIELDS: Final = (
    "start_time",
    "end_time",
    "utc_offset",
    "tracking_id",
    "feedstock",
    "asset",
    "client_reference",
    "notes",
)
LOCATION_FIELD: Final = "location"
FIELDS: Final = (*EVENT_FIELDS, LOCATION_FIELD)
"""The fields of the event itself that a column may give."""

TIME_FIELDS: Final = ("start_time", "end_time")
"""The fields that several columns may give together, with a space between their cells."""

COLUMNS_SHOWN: Final = 50
"""Columns of a header that a message shows."""

HEADER_LENGTH_SHOWN: Final = 600
"""Characters of a header that a message shows."""

NAMES_LENGTH_SHOWN: Final = 300
"""Characters of the names of columns that a message shows."""


@dataclass(frozen=True, slots=True)
class Point:
    """A column whose cells are values of a data point."""

    index: int
    slug: str
    value_type: str
    conversion: Conversion | None = None
    """How a number comes from the unit of the column to that of the data point; None leaves it as it is."""
    flag: str | None = None
    """The data point that keeps a detection limit as it is written."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The header, and what its columns give, by their position in the row."""

    header: tuple[str, ...]
    fields: Mapping[str, tuple[int, ...]]
    points: tuple[Point, ...]
    leaves_unnamed: bool = False
    """Whether cells behind the last column that has a name are left out, because the feed says so of `''`."""

    @property
    def has_references(self) -> bool:
        return "client_reference" in self.fields

    def as_mapping(self) -> dict[str, str]:
        """Name what each column gives; a column that was left out gives `-`."""
        fields_by_index = {index: field for field, indexes in self.fields.items() for index in indexes}
        fields_by_index |= {point.index: point.slug for point in self.points}
        named = {name: fields_by_index.get(index, LEFT_OUT) for index, name in enumerate(self.header)}
        return named | ({"": LEFT_OUT} if self.leaves_unnamed else {})


def choose_fields(
    header: Sequence[str],
    fields_by_column: Mapping[str, str],
    value_types: Mapping[str, str],
    *,
    header_line: int = 1,
    leaves_out: bool = False,
) -> tuple[list[str | None], list[Problem]]:
    """Choose what each column gives, as it is named or else by its name, and collect what is wrong with that.

    With `leaves_out` a column about which nothing is known gives nothing.
    """
    by_name = list_meanings(value_types, FIELDS)
    chosen = [_choose_field(name, header, fields_by_column, by_name) for name in header]
    if leaves_out:
        chosen = [LEFT_OUT if field is None else field for field in chosen]
    problems = [
        *_find_unknown_columns(fields_by_column, header, header_line),
        *_find_unknown_fields(fields_by_column, value_types),
        *_find_unmapped(header, chosen, value_types),
        *_find_repeated(header, chosen, fields_by_column),
    ]
    return chosen, problems


def _choose_field(
    name: str, header: Sequence[str], fields_by_column: Mapping[str, str], by_name: Mapping[str, str]
) -> str | None:
    field = fields_by_column.get(name, by_name.get(simplify_name(name)))
    if field is None and (base := find_base(name, header)) is not None:
        # What leaves a name out leaves out every column of that name.
        return LEFT_OUT if fields_by_column.get(base) == LEFT_OUT else None
    return field


def build_columns(
    header: Sequence[str],
    chosen: Sequence[str | None],
    value_types: Mapping[str, str],
    conversions: Mapping[str, Conversion | None] = {},
    flags: Mapping[str, str] = {},
) -> Columns:
    """Build the columns of what was chosen; `conversions` and `flags` are by the names of columns."""
    fields: dict[str, tuple[int, ...]] = {}
    points = []
    for index, (name, field) in enumerate(zip(header, chosen, strict=True)):
        if field is not None and field in value_types:
            points.append(Point(index, field, value_types[field], conversions.get(name), flags.get(name)))
        elif field is not None and field != LEFT_OUT:
            fields[field] = (*fields.get(field, ()), index)
    return Columns(tuple(header), fields, tuple(points))


def list_meanings(value_types: Iterable[str], fields: Iterable[str]) -> dict[str, str]:
    """The field a column gives by its name alone; hyphens and underscores are equal."""
    slugs = list(value_types)
    times = Counter(map(simplify_name, slugs))
    by_name = {simplify_name(field): field for field in fields}
    by_name |= {simplify_name(slug): slug for slug in slugs if times[simplify_name(slug)] == 1}
    return by_name


def simplify_name(name: str) -> str:
    return make_slug(name).replace("_", "-")


def list_fields(value_types: Iterable[str]) -> str:
    """List what a column may give, for a message."""
    return ", ".join(dict.fromkeys([*value_types, *FIELDS]))


def _find_unknown_columns(
    fields_by_column: Mapping[str, str], header: Sequence[str], header_line: int
) -> Iterator[Problem]:
    names = shorten(", ".join(map(repr, header[:COLUMNS_SHOWN])), HEADER_LENGTH_SHOWN)
    where = f"line {header_line}" if header_line else "the header"
    for column, field in fields_by_column.items():
        if column not in header and (column or field != LEFT_OUT):
            text = f"The data feed names the column {column!r}; {where} of the file has {names}."
            yield Problem(text, "columns", "unknown")


def _find_unknown_fields(
    fields_by_column: Mapping[str, str], value_types: Mapping[str, str]
) -> Iterator[Problem]:
    for column, field in fields_by_column.items():
        if field not in value_types and field not in FIELDS and field != LEFT_OUT:
            text = f"The column {column!r} gives {field!r}, which the event type does not have."
            yield Problem(text, "columns", "unknown")


def _find_unmapped(
    header: Sequence[str], chosen: Sequence[str | None], value_types: Mapping[str, str]
) -> Iterator[Problem]:
    unmapped = [name for name, field in zip(header, chosen, strict=True) if field is None]
    if len(header) == 1 and unmapped:
        text = f"The file has a single column {shorten(unmapped[0])!r}; is another delimiter needed?"
        yield Problem(text, "columns", "unknown")
        return
    for name in unmapped:
        text = (
            f"The column {shorten(name)!r} is not mapped; set in columns of the data feed which of "
            f"{list_fields(value_types)} it gives, leave it out there with {LEFT_OUT!r}, or let "
            "other_columns be leave_out."
        )
        yield Problem(text, "columns", "required")


def _find_repeated(
    header: Sequence[str], chosen: Sequence[str | None], fields_by_column: Mapping[str, str]
) -> Iterator[Problem]:
    givers: dict[str, list[str]] = defaultdict(list)
    for name, field in zip(header, chosen, strict=True):
        if field is not None and field != LEFT_OUT:
            givers[field].append(name)
    for field, names in givers.items():
        is_one_time = (
            field in TIME_FIELDS and len({*names}) == len(names) and fields_by_column.keys() >= {*names}
        )
        if len(names) == 1 or is_one_time:
            continue
        names_text = shorten(", ".join(map(repr, names)), NAMES_LENGTH_SHOWN)
        text = f"The columns {names_text} all give {field}; leave all but one out with {LEFT_OUT!r}."
        yield Problem(text, "columns", "invalid")


# The mapping of columns and constant values in a data feed, and the line of units.


_BRACKETED: Final = re.compile(r"\[(?P<square>[^\[\]]*)\]|\((?P<round>[^()]*)\)")
_DIGIT: Final = re.compile(r"\d")
_DIGITS_OF_TIME: Final = 6
"""Digits from which on a text is a time and no name of a zone, such as UTC+03:00."""


def take_units_line(table: RowTable) -> FileRow | None:
    """The first line below the header that is not blank, which is not a row of data."""
    return next((row for row in table.rows if row.cells), None)


def read_units(
    header: Sequence[str],
    fields: Sequence[str | None],
    line: FileRow | None,
    points: Mapping[str, DataPointType],
    feed_columns: Mapping[str, FeedColumn],
) -> tuple[dict[str, str], list[Problem]]:
    """The units of the columns of numbers by the line, and what is wrong with it.

    A unit that the data feed says as well has to be the same; where the line has one that is not known, what
    the data feed says stands.
    """
    if line is None:
        return {}, [Problem("The file has no line of units below its header.", "units_line", "required")]
    if len(line.cells) != len(header):
        text = f"Line {line.line} of units has {len(line.cells)} cells, but the header has {len(header)}."
        return {}, [Problem(text, "units_line", "invalid")]
    units: dict[str, str] = {}
    problems: list[Problem] = []
    for name, field, cell in zip(header, fields, line.cells, strict=True):
        text = read_unit(cell)
        point = points.get(field or "")
        if field in TIME_FIELDS and point is None and len(_DIGIT.findall(text)) >= _DIGITS_OF_TIME:
            problems.append(_build_problem(line, name, cell, "which is a time, so that the line is a row"))
        if point is None or point.value_type != "number" or not text:
            continue
        column_unit = feed_columns[name].unit if name in feed_columns else None
        problem = _check_unit(text, column_unit, point.unit)
        if problem is not None:
            problems.append(_build_problem(line, name, cell, problem))
        elif column_unit is None:
            units[name] = text
    return units, problems


def read_unit(cell: str) -> str:
    """The unit in a cell of the line, with brackets around it or without."""
    text = cell.strip()
    if match := _BRACKETED.fullmatch(text):
        return (match["square"] or match["round"] or "").strip()
    return text


def is_line_of_units(cells: Sequence[str], below: Sequence[str]) -> bool:
    """Whether the first line of a sample looks like units: over numbers units, and no number itself."""
    over = [read_unit(cell) for cell, number in zip(cells, below, strict=False) if _is_number(number)]
    units = [text for text in over if text]
    return bool(units) and not any(map(_is_number, cells)) and all(_is_unit(text) for text in units)


def _check_unit(text: str, column_unit: str | None, target: str | None) -> str | None:
    if _is_number(text):
        return "which is a number, so that the line is a row"
    try:
        conversion = find_conversion(parse_unit(text), parse_unit(target or ""))
    except UnitError as error:
        return None if column_unit is not None and not _is_unit(text) else str(error).rstrip(".")
    if column_unit is not None and conversion != find_conversion(
        parse_unit(column_unit), parse_unit(target or "")
    ):
        return f"and the data feed says that it is in {column_unit!r}"
    return None


def _build_problem(line: FileRow, name: str, cell: str, clause: str) -> Problem:
    text = f"Line {line.line} of units has {shorten(cell)!r} for the column {shorten(name)!r}, {clause}."
    return Problem(text, "units_line", "invalid")


def _is_number(text: str) -> bool:
    try:
        parse_decimal(text.strip().replace(",", ".", 1))
    except NumberError:
        return False
    return True


def _is_unit(text: str) -> bool:
    try:
        parse_unit(text)
    except UnitError:
        return False
    return True


PROBLEMS_MAX: Final = 100
"""Problems of a header that are reported at once."""

DIGEST_DIGITS: Final = 12
"""Digits of the content's SHA-256 in client references."""


@dataclass(frozen=True, slots=True)
class RowValues:
    """The constant values that a feed gives every row of its files."""

    start: str | None = None
    """When the first row begins; each later one begins a duration later."""
    is_reading: bool = False
    """Whether rows have no length, though there is a duration."""
    reference: str | None = None
    """The prefix of client references where no column gives them; empty gives events none."""
    locations: tuple[str, ...] = ()
    """Locations by id or name."""

    @classmethod
    def of(cls, columns: Sequence[FeedColumn]) -> Self:
        """Gather the values among the columns of a feed."""
        by_field: dict[str, list[str]] = defaultdict(list)
        for column in columns:
            if is_value(column.column, column.field):
                by_field[column.field].append(column.column.removeprefix(VALUE_MARK).strip())
        [start, reference] = [
            by_field[field][0] if by_field[field] else None for field in ("start_time", "client_reference")
        ]
        return cls(start, "end_time" in by_field, reference, tuple(by_field["location"]))

    def reference_of(self, feed: DataFeed, content_sha256: bytes) -> str | None:
        """Build what the client references of a file's events begin with; None gives them none."""
        content = content_sha256.hex()[:DIGEST_DIGITS]
        if self.reference is not None:
            return self.reference.replace(CONTENT_MARK, content) or None
        return f"feed-{feed.id}" + (f":{content}" if feed.client_reference == ReferenceRule.ROW else "")


def check_values(feed: DataFeed) -> Iterator[Problem]:
    """Find what is wrong with the values that a feed gives every row, before any file exists."""
    times = Counter(point.field for point in feed.columns if is_value(point.column, point.field))
    for field in ("start_time", "end_time", "client_reference"):
        if times[field] > 1:
            text = f"data_feed.columns give every row a {field} {times[field]} times; once is enough."
            yield Problem(text, "data_feed.columns", "taken")
    values = RowValues.of(feed.columns)
    if values.start is not None and feed.duration is None:
        text = "data_feed.duration is required when data_feed.columns gives the start of the first row."
        yield Problem(text, "data_feed.duration", "required")
    if values.start is not None:
        try:
            zone = ZoneInfo(feed.time_zone) if feed.time_zone in time_zone_names() else None
            read_moment(values.start, zone or (ZoneInfo("UTC") if feed.time_zone else None))
        except CellError as error:
            text = f"data_feed.columns give the start_time of the first row: {error}."
            yield Problem(text, "data_feed.columns", "invalid")
    ends = [
        point.column
        for point in feed.columns
        if point.field == "end_time" and is_value(point.column, point.field)
    ]
    if any(column.strip() != VALUE_MARK for column in ends):
        text = f"data_feed.columns give every row an end_time; only {VALUE_MARK!r}, for none, can be given."
        yield Problem(text, "data_feed.columns", "invalid")
    if values.reference is not None and feed.client_reference == ReferenceRule.COLUMN:
        text = "data_feed.columns give the client_reference of every row, and it is made of a column too."
        yield Problem(text, "data_feed.client_reference", "conflict")


def check_columns(columns: Sequence[FeedColumn], event_type: EventType) -> Iterator[Problem]:
    """The errors in a feed's mapping of columns, before any file exists."""
    points = {point_type.slug: point_type for point_type in event_type.data_point_types}
    times = Counter(column.column.strip() for column in columns if not is_value(column.column, column.field))
    for index, column in enumerate(columns):
        at = f"data_feed.columns[{index}]"
        if (not column.column.strip() and column.field != LEFT_OUT) or "\0" in column.column:
            yield Problem(f"{at}.column is blank; it takes the name of a column.", f"{at}.column", "required")
        elif times[column.column.strip()] > 1:
            text = f"{at}.column is {column.column!r}, which is named {times[column.column.strip()]} times."
            yield Problem(text, f"{at}.column", "taken")
        if column.field not in points and column.field not in FIELDS and column.field != LEFT_OUT:
            allowed = ", ".join([*points, *FIELDS, LEFT_OUT])
            text = f"{at}.field is {shorten(column.field)!r}; it takes one of {allowed}."
            yield Problem(text, f"{at}.field", "unknown")
        elif problem := _check_flag(column, points, at):
            yield problem
        elif column.unit is not None:
            point = points.get(column.field)
            if point is None or point.value_type != "number":
                text = f"{at}.unit is {column.unit!r}, but {column.field!r} is no number; leave the unit out."
                yield Problem(text, f"{at}.unit", "invalid")
            else:
                try:
                    _find_conversion(column.unit, point.unit)
                except UnitError as error:
                    yield Problem(f"{at}.unit: {error}", f"{at}.unit", "invalid")


def _check_flag(column: FeedColumn, points: Mapping[str, DataPointType], at: str) -> Problem | None:
    if column.flag is None:
        return None
    point, flag = points.get(column.field), points.get(column.flag)
    if point is None or point.value_type != "number":
        text = f"{at}.flag is {column.flag!r}, but {column.field!r} is no number; leave the flag out."
        return Problem(text, f"{at}.flag", "invalid")
    if flag is None or flag.value_type != "string":
        texts = ", ".join(slug for slug, one in points.items() if one.value_type == "string") or "none yet"
        text = (
            f"{at}.flag is {shorten(column.flag)!r}; it takes the slug of a text data point of the event "
            f"type: {texts}."
        )
        return Problem(text, f"{at}.flag", "unknown")
    return None


def map_columns(
    header: Sequence[str], feed: DataFeed, event_type: EventType, units_line: FileRow | None = None
) -> Columns:
    """Map each column of a file; raises Invalid with every error of the header.

    Where the feed has a line of units below the header, that is needed too.
    """
    if len(header) > COLUMNS_MAX:
        said_of_width = f"The file has {len(header):,} columns; at most {COLUMNS_MAX:,} are taken."
        raise Invalid([Problem(said_of_width, "columns", "too_many")])
    points = {point_type.slug: point_type for point_type in event_type.data_point_types}
    value_types = {slug: point.value_type for slug, point in points.items()}
    feed_columns = {
        column.column.strip(): column for column in feed.columns if not is_value(column.column, column.field)
    }
    fields, problems = choose_fields(
        header, {name: column.field for name, column in feed_columns.items()}, value_types,
        header_line=feed.header_line, leaves_out=feed.other_columns == OtherColumns.LEAVE_OUT,
    )  # fmt: skip
    problems += _find_conflicts(fields, feed)
    units = {name: column.unit for name, column in feed_columns.items() if column.unit is not None}
    if feed.units_line:
        of_line, wrong = read_units(header, fields, units_line, points, feed_columns)
        units |= of_line
        problems += wrong
    if problems:
        raise Invalid(limit_problems(problems, PROBLEMS_MAX))
    conversions = {
        name: _find_conversion(units[name], points[field].unit)
        for name, field in zip(header, fields, strict=True)
        if name in units and field is not None and field in points
    }
    flags = {name: column.flag for name, column in feed_columns.items() if column.flag is not None}
    unnamed = feed_columns.get("")
    return replace(
        build_columns(header, fields, value_types, conversions, flags),
        leaves_unnamed=unnamed is not None and unnamed.field == LEFT_OUT,
    )


def build_clock(feed: DataFeed, after: datetime | None = None) -> Clock:
    """Build the clock of a file from the settings of a feed; `after` is the last row of earlier files."""
    values = RowValues.of(feed.columns)
    return read_clock(
        time_zone=feed.time_zone,
        time_format=feed.time_format,
        start=values.start,
        every=feed.duration,
        readings=values.is_reading,
        in_order=feed.rows_in_order,
        after=after if feed.files_in_order else None,
    )


def _find_conversion(unit: str, target: str | None) -> Conversion | None:
    """How numbers come from one unit to another; None where they are the same."""
    conversion = find_conversion(parse_unit(unit), parse_unit(target or ""))
    slope, shift, divisor = conversion
    return None if slope == divisor and not shift else conversion


def _find_conflicts(fields: Sequence[str | None], feed: DataFeed) -> Iterator[Problem]:
    """The fields that both columns and the feed give, or neither of them."""
    yield from check_clock(build_clock(feed), {field for field in fields if field is not None})
    is_given = "client_reference" in fields
    if feed.client_reference == ReferenceRule.COLUMN and not is_given:
        text = "No column gives client_reference, of which the data feed makes the references of events."
        yield Problem(text, "client_reference", "required")
    has_value = RowValues.of(feed.columns).reference is not None
    if feed.client_reference != ReferenceRule.COLUMN and is_given and not has_value:
        text = (
            "A column is mapped to client_reference, but the data feed identifies events by "
            f"{feed.client_reference}. Set client_reference to column, or ignore the column."
        )
        yield Problem(text, "client_reference", "conflict")
