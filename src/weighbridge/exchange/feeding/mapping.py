"""What the columns of a file give, by what a data feed says of them and by their names.

Invariants: every column is accounted for, mapped, left out or refused; no two columns give the same, but for
a date and a time of day that give one time together; a number is converted by an exact rational.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from weighbridge.collection.records.data_points import EventType
from weighbridge.core.collection.data_feed import COLUMNS_MAX, OtherColumns, ReferenceRule
from weighbridge.core.problem import Problem, bounded
from weighbridge.core.quantity.number import shorten
from weighbridge.core.quantity.unit import Conversion, UnitError, conversion, parse_unit
from weighbridge.errors import Invalid
from weighbridge.exchange.data_feeds.records import DataFeed, FeedColumn
from weighbridge.exchange.feeding.units_line import units_by_column
from weighbridge.exchange.tabular.columns import (
    EVENT_FIELDS,
    LEFT_OUT,
    LOCATION_FIELD,
    TIME_FIELDS,
    Columns,
    Point,
    meanings_of_names,
    plain_name,
)
from weighbridge.exchange.tabular.file import FileRow

FEED_FIELDS: Final = (*EVENT_FIELDS, LOCATION_FIELD)
"""What a column may give of the event itself."""

PROBLEMS_MAX: Final = 100
"""Problems of a header that are told at once."""


def problems_of_columns(columns: Sequence[FeedColumn], event_type: EventType) -> Iterator[Problem]:
    """What is wrong with what a feed says of columns, before any file is there."""
    points = {one.slug: one for one in event_type.data_point_types}
    times = Counter(one.column.strip() for one in columns)
    for index, one in enumerate(columns):
        at = f"data_feed.columns[{index}]"
        if not one.column.strip() or "\0" in one.column:
            yield Problem(f"{at}.column is blank; it takes the name of a column.", f"{at}.column", "required")
        elif times[one.column.strip()] > 1:
            text = f"{at}.column is {one.column!r}, which is named {times[one.column.strip()]} times."
            yield Problem(text, f"{at}.column", "taken")
        if one.field not in points and one.field not in FEED_FIELDS and one.field != LEFT_OUT:
            allowed = ", ".join([*points, *FEED_FIELDS, LEFT_OUT])
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


def columns_of(
    header: Sequence[str], feed: DataFeed, event_type: EventType, units_line: FileRow | None = None
) -> Columns:
    """What each column of a file gives; Invalid with everything that is wrong with the header.

    Where the feed has a line of units below the header, that is needed too.
    """
    if len(header) > COLUMNS_MAX:
        said_of_width = f"The file has {len(header):,} columns; at most {COLUMNS_MAX:,} are taken."
        raise Invalid([Problem(said_of_width, "columns", "too_many")])
    points = {one.slug: one for one in event_type.data_point_types}
    said = {one.column.strip(): one for one in feed.columns}
    by_name = meanings_of_names(points, FEED_FIELDS)
    fields = [said[name].field if name in said else by_name.get(plain_name(name)) for name in header]
    problems = [*_problems_of_header(header, said, feed)]
    if feed.other_columns == OtherColumns.LEAVE_OUT:
        fields = [LEFT_OUT if field is None else field for field in fields]
    problems += [
        *_unmapped(header, fields),
        *_stale(said, points),
        *_repeated(header, fields, said),
        *_lacking(fields, feed),
    ]
    units = {name: one.unit for name, one in said.items() if one.unit is not None}
    if feed.units_line:
        of_line, wrong = units_by_column(header, fields, units_line, points, said)
        units |= of_line
        problems += wrong
    if problems:
        raise Invalid(bounded(problems, PROBLEMS_MAX))
    of_event: dict[str, tuple[int, ...]] = {}
    of_points = []
    for index, (name, field) in enumerate(zip(header, fields, strict=True)):
        if field is not None and field in points:
            unit = units.get(name)
            change = None if unit is None else _conversion(unit, points[field].unit)
            of_points.append(Point(index, field, points[field].value_type, change))
        elif field is not None and field != LEFT_OUT:
            of_event[field] = (*of_event.get(field, ()), index)
    return Columns(tuple(header), of_event, tuple(of_points))


def _conversion(unit: str, target: str | None) -> Conversion | None:
    """How numbers come from one unit to another; None where they are the same."""
    found = conversion(parse_unit(unit), parse_unit(target or ""))
    slope, shift, divisor = found
    return None if slope == divisor and not shift else found


def _problems_of_header(
    header: Sequence[str], said: Mapping[str, FeedColumn], feed: DataFeed
) -> Iterator[Problem]:
    if absent := [name for name in said if name not in header]:
        there = shorten(", ".join(map(repr, header[:50])), 600)
        for name in absent:
            text = (
                f"The data feed names the column {name!r}; line {feed.header_line} of the file has {there}."
            )
            yield Problem(text, "columns", "unknown")


def _unmapped(header: Sequence[str], fields: Sequence[str | None]) -> Iterator[Problem]:
    unmapped = [name for name, field in zip(header, fields, strict=True) if field is None]
    if len(header) == 1 and unmapped:
        text = f"The file has a single column {shorten(unmapped[0])!r}; is another delimiter needed?"
        yield Problem(text, "columns", "unknown")
        return
    for name in unmapped:
        text = (
            f"The column {shorten(name)!r} gives nothing; say in columns of the data feed what it gives, "
            f"leave it out there with {LEFT_OUT!r}, or let other_columns be leave_out."
        )
        yield Problem(text, "columns", "required")


def _stale(said: Mapping[str, FeedColumn], points: Mapping[str, object]) -> Iterator[Problem]:
    for one in said.values():
        if one.field not in points and one.field not in FEED_FIELDS and one.field != LEFT_OUT:
            text = f"The column {one.column!r} gives {one.field!r}, which the event type does not have."
            yield Problem(text, "columns", "unknown")


def _repeated(
    header: Sequence[str], fields: Sequence[str | None], said: Mapping[str, FeedColumn]
) -> Iterator[Problem]:
    givers: dict[str, list[str]] = defaultdict(list)
    for name, field in zip(header, fields, strict=True):
        if field is not None and field != LEFT_OUT:
            givers[field].append(name)
    for field, names in givers.items():
        together = field in TIME_FIELDS and len({*names}) == len(names) and said.keys() >= {*names}
        if len(names) > 1 and not together:
            named = shorten(", ".join(map(repr, names)), 300)
            text = f"The columns {named} all give {field}; leave all but one out with {LEFT_OUT!r}."
            yield Problem(text, "columns", "invalid")


def _lacking(fields: Sequence[str | None], feed: DataFeed) -> Iterator[Problem]:
    if "start_time" not in fields:
        yield Problem("No column gives start_time; say which one does.", "columns", "required")
    if "end_time" in fields and feed.duration is not None:
        text = "A column gives end_time, and the data feed says a duration; leave one of them out."
        yield Problem(text, "duration", "conflict")
    is_given = "client_reference" in fields
    if feed.client_reference == ReferenceRule.COLUMN and not is_given:
        text = "No column gives client_reference, of which the data feed makes the references of events."
        yield Problem(text, "client_reference", "required")
    if feed.client_reference != ReferenceRule.COLUMN and is_given:
        text = (
            f"A column gives client_reference, which the data feed makes by {feed.client_reference}; "
            "leave the column out, or let client_reference be column."
        )
        yield Problem(text, "client_reference", "conflict")
