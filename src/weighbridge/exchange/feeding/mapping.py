"""What the columns of a file give, by what a data feed says of them, by their names and by a line of units.

Invariants: every column is accounted for, mapped, left out or refused; no two columns give the same, but for
a date and a time of day that give one time together; a number is converted by an exact rational; a line that
holds anything of a row, a number or a time, is never taken for one of units.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self
from zoneinfo import ZoneInfo, available_timezones

from weighbridge.collection.records.data_points import DataPointType, EventType
from weighbridge.core.collection.data_feed import (
    COLUMNS_MAX,
    CONTENT_MARK,
    VALUE_MARK,
    OtherColumns,
    ReferenceRule,
    is_value,
)
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.quantity.number import NumberError, parse_decimal, shorten
from weighbridge.core.quantity.unit import Conversion, UnitError, find_conversion, parse_unit
from weighbridge.errors import Invalid
from weighbridge.exchange.records.data_feeds import DataFeed, FeedColumn, NewDataFeed
from weighbridge.exchange.tabular.cell import CellError, Clock, check_clock, read_clock, read_moment
from weighbridge.exchange.tabular.columns import (
    FIELDS,
    LEFT_OUT,
    TIME_FIELDS,
    Columns,
    build_columns,
    choose_fields,
)
from weighbridge.exchange.tabular.table import FileRow, RowTable

_BRACKETED: Final = re.compile(r"\[(?P<square>[^\[\]]*)\]|\((?P<round>[^()]*)\)")
_DIGIT: Final = re.compile(r"\d")
_DIGITS_OF_TIME: Final = 6
"""Digits from which on a text is a time and no name of a zone, such as UTC+03:00."""


def take_units_line(table: RowTable) -> FileRow | None:
    """The first line below the header that is not blank, which is no row any more."""
    return next((row for row in table.rows if row.cells), None)


def read_units(
    header: Sequence[str],
    fields: Sequence[str | None],
    line: FileRow | None,
    points: Mapping[str, DataPointType],
    said: Mapping[str, FeedColumn],
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
            problems.append(_problem(line, name, cell, "which is a time, so that the line is a row"))
        if point is None or point.value_type != "number" or not text:
            continue
        own = said[name].unit if name in said else None
        problem = _problem_of_unit(text, own, point.unit)
        if problem is not None:
            problems.append(_problem(line, name, cell, problem))
        elif own is None:
            units[name] = text
    return units, problems


def read_unit(cell: str) -> str:
    """What a cell of the line says: a unit, with brackets around it or without."""
    text = cell.strip()
    if match := _BRACKETED.fullmatch(text):
        return (match["square"] or match["round"] or "").strip()
    return text


def is_line_of_units(cells: Sequence[str], below: Sequence[str]) -> bool:
    """Whether the first line of a sample looks like units: over numbers units, and no number itself."""
    over = [read_unit(cell) for cell, number in zip(cells, below, strict=False) if _is_number(number)]
    said = [text for text in over if text]
    return bool(said) and not any(map(_is_number, cells)) and all(_is_unit(text) for text in said)


def _problem_of_unit(text: str, own: str | None, target: str | None) -> str | None:
    if _is_number(text):
        return "which is a number, so that the line is a row"
    try:
        found = find_conversion(parse_unit(text), parse_unit(target or ""))
    except UnitError as error:
        return None if own is not None and not _is_unit(text) else str(error).rstrip(".")
    if own is not None and found != find_conversion(parse_unit(own), parse_unit(target or "")):
        return f"and the data feed says that it is in {own!r}"
    return None


def _problem(line: FileRow, name: str, cell: str, said: str) -> Problem:
    text = f"Line {line.line} of units has {shorten(cell)!r} for the column {shorten(name)!r}, {said}."
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
"""Problems of a header that are told at once."""

DIGEST_DIGITS: Final = 12
"""Digits of the content's SHA-256 that stand in client references."""


@dataclass(frozen=True, slots=True)
class RowValues:
    """What a feed gives every row of its files in place of columns."""

    start: str | None = None
    """When the first row begins; each later one begins a duration later."""
    is_reading: bool = False
    """Whether rows have no length, though there is a duration."""
    reference: str | None = None
    """What client references begin with where no column gives them; empty gives events none."""
    locations: tuple[str, ...] = ()
    """Locations by id or name."""

    @classmethod
    def of(cls, columns: Sequence[FeedColumn]) -> Self:
        """Gather the values among the columns of a feed."""
        by_field: dict[str, list[str]] = defaultdict(list)
        for one in columns:
            if is_value(one.column, one.field):
                by_field[one.field].append(one.column.removeprefix(VALUE_MARK).strip())
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


def check_values(feed: DataFeed | NewDataFeed) -> Iterator[Problem]:
    """Find what is wrong with the values that a feed gives every row, before any file is there."""
    times = Counter(one.field for one in feed.columns if is_value(one.column, one.field))
    for field in ("start_time", "end_time", "client_reference"):
        if times[field] > 1:
            text = f"data_feed.columns give every row a {field} {times[field]} times; once is enough."
            yield Problem(text, "data_feed.columns", "taken")
    values = RowValues.of(feed.columns)
    if values.start is not None and feed.duration is None:
        text = "data_feed.columns say when the first row begins, and data_feed.duration is not given."
        yield Problem(text, "data_feed.duration", "required")
    if values.start is not None:
        try:
            zone = ZoneInfo(feed.time_zone) if feed.time_zone in available_timezones() else None
            read_moment(values.start, zone or (ZoneInfo("UTC") if feed.time_zone else None))
        except CellError as error:
            text = f"data_feed.columns give the start_time of the first row: {error}."
            yield Problem(text, "data_feed.columns", "invalid")
    ends = [one.column for one in feed.columns if one.field == "end_time" and is_value(one.column, one.field)]
    if any(column.strip() != VALUE_MARK for column in ends):
        text = f"data_feed.columns give every row an end_time; only {VALUE_MARK!r}, for none, can be given."
        yield Problem(text, "data_feed.columns", "invalid")
    if values.reference is not None and feed.client_reference == ReferenceRule.COLUMN:
        text = "data_feed.columns give the client_reference of every row, and it is made of a column too."
        yield Problem(text, "data_feed.client_reference", "conflict")


def check_columns(columns: Sequence[FeedColumn], event_type: EventType) -> Iterator[Problem]:
    """What is wrong with what a feed says of columns, before any file is there."""
    points = {one.slug: one for one in event_type.data_point_types}
    times = Counter(one.column.strip() for one in columns if not is_value(one.column, one.field))
    for index, one in enumerate(columns):
        at = f"data_feed.columns[{index}]"
        if (not one.column.strip() and one.field != LEFT_OUT) or "\0" in one.column:
            yield Problem(f"{at}.column is blank; it takes the name of a column.", f"{at}.column", "required")
        elif times[one.column.strip()] > 1:
            text = f"{at}.column is {one.column!r}, which is named {times[one.column.strip()]} times."
            yield Problem(text, f"{at}.column", "taken")
        if one.field not in points and one.field not in FIELDS and one.field != LEFT_OUT:
            allowed = ", ".join([*points, *FIELDS, LEFT_OUT])
            text = f"{at}.field is {shorten(one.field)!r}; it takes one of {allowed}."
            yield Problem(text, f"{at}.field", "unknown")
        elif one.unit is not None:
            point = points.get(one.field)
            if point is None or point.value_type != "number":
                text = f"{at}.unit is {one.unit!r}, but {one.field!r} is no number; leave the unit out."
                yield Problem(text, f"{at}.unit", "invalid")
            else:
                try:
                    _conversion(one.unit, point.unit)
                except UnitError as error:
                    yield Problem(f"{at}.unit: {error}", f"{at}.unit", "invalid")


def map_columns(
    header: Sequence[str], feed: DataFeed, event_type: EventType, units_line: FileRow | None = None
) -> Columns:
    """What each column of a file gives; Invalid with everything that is wrong with the header.

    Where the feed has a line of units below the header, that is needed too.
    """
    if len(header) > COLUMNS_MAX:
        said_of_width = f"The file has {len(header):,} columns; at most {COLUMNS_MAX:,} are taken."
        raise Invalid([Problem(said_of_width, "columns", "too_many")])
    points = {one.slug: one for one in event_type.data_point_types}
    value_types = {slug: point.value_type for slug, point in points.items()}
    said = {one.column.strip(): one for one in feed.columns if not is_value(one.column, one.field)}
    fields, problems = choose_fields(
        header, {name: one.field for name, one in said.items()}, value_types,
        header_line=feed.header_line, leaves_out=feed.other_columns == OtherColumns.LEAVE_OUT,
    )  # fmt: skip
    problems += _conflicts(fields, feed)
    units = {name: one.unit for name, one in said.items() if one.unit is not None}
    if feed.units_line:
        of_line, wrong = read_units(header, fields, units_line, points, said)
        units |= of_line
        problems += wrong
    if problems:
        raise Invalid(limit_problems(problems, PROBLEMS_MAX))
    conversions = {
        name: _conversion(units[name], points[field].unit)
        for name, field in zip(header, fields, strict=True)
        if name in units and field is not None and field in points
    }
    return build_columns(header, fields, value_types, conversions)


def build_clock(feed: DataFeed) -> Clock:
    """Read when rows are, by what a feed says of times."""
    values = RowValues.of(feed.columns)
    return read_clock(
        time_zone=feed.time_zone,
        time_format=feed.time_format,
        start=values.start,
        every=feed.duration,
        readings=values.is_reading,
        in_order=feed.rows_in_order,
    )


def _conversion(unit: str, target: str | None) -> Conversion | None:
    """How numbers come from one unit to another; None where they are the same."""
    found = find_conversion(parse_unit(unit), parse_unit(target or ""))
    slope, shift, divisor = found
    return None if slope == divisor and not shift else found


def _conflicts(fields: Sequence[str | None], feed: DataFeed) -> Iterator[Problem]:
    """What columns and the feed say twice, or neither of them."""
    yield from check_clock(build_clock(feed), {field for field in fields if field is not None})
    is_given = "client_reference" in fields
    if feed.client_reference == ReferenceRule.COLUMN and not is_given:
        text = "No column gives client_reference, of which the data feed makes the references of events."
        yield Problem(text, "client_reference", "required")
    has_value = RowValues.of(feed.columns).reference is not None
    if feed.client_reference != ReferenceRule.COLUMN and is_given and not has_value:
        text = (
            f"A column gives client_reference, which the data feed makes by {feed.client_reference}; "
            "leave the column out, or let client_reference be column."
        )
        yield Problem(text, "client_reference", "conflict")
