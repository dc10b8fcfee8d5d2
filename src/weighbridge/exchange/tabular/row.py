"""A row becomes an event, or is bad for reasons that are all named; and how it differs from its event.

Invariants: an empty cell is a value that is missing, never a zero; the rules of events are those of the
intake that every event goes through. A field about which neither a column nor the mapping says anything is in
no row's power: it is not compared, and never corrected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from weighbridge.collection.intake.client_references import NOT_CORRECTED, Discrepancy, FieldKey
from weighbridge.collection.records.events import EventChange, LocationRef, NewDataPoint, NewEvent
from weighbridge.core.quantity.number import NumberError, limit_number, shorten
from weighbridge.core.quantity.unit import Conversion, convert_by
from weighbridge.exchange.tabular.cell import (
    CellError,
    Clock,
    MissingMarks,
    ReadyCell,
    read_boolean,
    read_number,
)
from weighbridge.exchange.tabular.columns import LOCATION_FIELD, Columns
from weighbridge.exchange.tabular.table import BadRow, FileRow, RowProblem

NAMES_SHOWN: Final = 10
"""Feedstocks or assets that a message names as allowed, at most."""

_BLANK_LINE: Final = "the line is blank, yet every row is counted for its time"


@dataclass(frozen=True, slots=True)
class RowMapping:
    """How the rows of one file become events."""

    columns: Columns
    clock: Clock
    event_type: str
    locations: list[LocationRef]
    feedstocks: Mapping[str, str]
    assets: Mapping[str, str]
    reference: str | None
    """What the client references begin with, before the line; None gives events none of their own."""
    is_known_by_time: bool = False
    """Whether references go on with what an event is of and when it starts, and not with its line."""
    places: Mapping[str, str] = field(default_factory=dict)
    """The locations that a column may name: ids by name, and by themselves."""
    feedstock: str | None = None
    """The feedstock of rows that name none."""
    asset: str | None = None
    """The asset of rows that name none."""
    decimal_comma: bool = False
    missing: MissingMarks = MissingMarks()  # noqa: RUF009 - a frozen value


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event with the line that it came from."""

    line: int
    event: NewEvent
    is_known_by_line: bool = False
    """Whether its client reference was made of the line, and not brought by a column."""


class RowTimes(NamedTuple):
    """When a row begins and ends, or why that is not known."""

    begin: datetime | None = None
    end: datetime | None = None
    error: str | None = None


def check_form(mapping: RowMapping, row: FileRow) -> BadRow | None:
    """Why a row is bad by its form alone: a line that is blank, or has other cells than the header."""
    if not row.cells:
        return BadRow(row.line, (RowProblem(_BLANK_LINE),))
    width = len(mapping.columns.header)
    if len(row.cells) != width:
        said = f"it has {len(row.cells)} cells, but the header has {width}"
        return BadRow(row.line, (RowProblem(said),))
    return None


def is_passed_over(mapping: RowMapping, row: FileRow) -> bool:
    """Whether a row harms nothing: a blank line, or one of empty cells as spreadsheets write below a table.

    Where rows are counted for their times, it is a row without values.
    """
    return mapping.clock.start is None and not any(map(str.strip, row.cells))


def read_row(mapping: RowMapping, row: FileRow, times: RowTimes) -> NumberedEvent | BadRow:
    """Make the event of a row of the right form."""
    problems: list[RowProblem] = []
    begin, end = _times(mapping, row, times, problems)
    points = _points(mapping, row.cells, problems)
    fields = mapping.columns.fields
    feedstock, asset, locations = mapping.feedstock, mapping.asset, mapping.locations
    if "feedstock" in fields:
        feedstock = _named(mapping, row.cells, "feedstock", mapping.feedstocks, problems) or feedstock
    if "asset" in fields:
        asset = _named(mapping, row.cells, "asset", mapping.assets, problems) or asset
    if LOCATION_FIELD in fields and (
        place := _named(mapping, row.cells, LOCATION_FIELD, mapping.places, problems)
    ):
        locations = [*locations, LocationRef(place)]
    if problems or begin is None:
        return BadRow(row.line, tuple(problems))
    event = NewEvent(
        event_type=mapping.event_type,
        start_time=begin,
        end_time=end,
        tracking_id=(read_cell(mapping, row.cells, "tracking_id") or None)
        if "tracking_id" in fields
        else None,
        feedstock_id=feedstock,
        asset_id=asset,
        client_reference=_reference(
            mapping, row, begin, (asset, feedstock, *locations[len(mapping.locations) :])
        ),
        notes=(read_cell(mapping, row.cells, "notes") or None) if "notes" in fields else None,
        locations=locations,
        data_points=points,
    )
    is_known_by_line = not mapping.is_known_by_time and not mapping.columns.has_references
    return NumberedEvent(row.line, event, is_known_by_line=is_known_by_line)


def _times(
    mapping: RowMapping, row: FileRow, times: RowTimes, problems: list[RowProblem]
) -> tuple[datetime | None, datetime | None]:
    if times.error is None:
        return times.begin, times.end
    name = "end_time" if times.error.startswith("end_time") else "start_time"
    problems.append(RowProblem(times.error, None, read_cell(mapping, row.cells, name) or None, name))
    return None, None


def _points(mapping: RowMapping, cells: list[str], problems: list[RowProblem]) -> list[NewDataPoint]:
    points = []
    missing, missing_numbers = mapping.missing.texts, mapping.missing.numbers
    decimal_comma = mapping.decimal_comma
    for point in mapping.columns.points:
        cell = cells[point.index]
        text = cell if type(cell) is ReadyCell else cell.strip()
        if text in missing:
            continue
        try:
            if point.value_type == "number":
                number = read_number(text, decimal_comma=decimal_comma)
                if missing_numbers and number in missing_numbers:
                    continue
                if point.conversion is not None:
                    number = _converted(number, point.conversion)
                points.append(NewDataPoint(point.slug, number))
            else:
                value = read_boolean(text) if point.value_type == "boolean" else str(cell)
                points.append(NewDataPoint(point.slug, value))
        except CellError as error:
            problems.append(RowProblem(str(error), mapping.columns.header[point.index], cell))
    return points


def _converted(value: Decimal, conversion: Conversion) -> Decimal:
    """The number in the unit of its data point, by exact rationals and rounded once at most."""
    try:
        return limit_number(convert_by(value, *conversion))
    except NumberError as error:
        raise CellError(f"converted to the unit of the data point, {str(error).rstrip('.')}") from None


def _named(
    mapping: RowMapping, cells: list[str], noun: str, known: Mapping[str, str], problems: list[RowProblem]
) -> str | None:
    """The id of the feedstock, asset or location that a cell names."""
    text = read_cell(mapping, cells, noun)
    if not text:
        return None
    friendly = known.get(text)
    if friendly is None:
        names = sorted(name for name, other in known.items() if name != other)
        more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        allowed = ", ".join(map(repr, names[:NAMES_SHOWN])) or "none"
        said = f"{shorten(text)!r} is no {noun} of the project, which has {allowed}{more}"
        problems.append(RowProblem(said, None, text, noun))
    return friendly


def _reference(
    mapping: RowMapping, row: FileRow, begin: datetime, of: tuple[str | LocationRef | None, ...]
) -> str | None:
    if mapping.columns.has_references:
        return read_cell(mapping, row.cells, "client_reference") or None
    if mapping.is_known_by_time:
        named = [one.id if isinstance(one, LocationRef) else one for one in of if one is not None]
        return ":".join([mapping.reference or "", begin.isoformat(), *named])
    return None if mapping.reference is None else f"{mapping.reference}:{row.line}"


def read_cell(mapping: RowMapping, cells: list[str], name: str) -> str:
    """The text of an event's field; empty when no column gives it or a cell says that it is missing."""
    indexes = mapping.columns.fields.get(name, ())
    if len(indexes) == 1:
        cell = cells[indexes[0]]
        text = cell if type(cell) is ReadyCell else cell.strip()
        return "" if text in mapping.missing.texts else text
    texts = [cells[index].strip() for index in indexes]
    if mapping.missing.texts.intersection(texts):
        return ""
    joined = " ".join(texts)
    return ReadyCell(joined) if texts and all(type(cells[at]) is ReadyCell for at in indexes) else joined


_FIELDS: Final = {"feedstock": "feedstock_id", "asset": "asset_id", LOCATION_FIELD: "locations"}
"""What events call the things that columns give, where that is another word."""


_TAKING_AWAY: Final = (
    "a file takes no value away and replaces no notes or locations; mend it, or change the event {event}"
)
_CORRECTED: Final = "the event {event} is corrected to what the file says"
_WOULD_BE_CORRECTED: Final = "the event {event} would be corrected to what the file says"

GivenFields = Mapping[FieldKey, str | None]
"""What rows give, each with its column; what is said of every row has none."""


def list_given_fields(mapping: RowMapping) -> GivenFields:
    """The fields of events and the data points that rows give."""
    columns, clock = mapping.columns, mapping.clock
    of_every_row = {
        "start_time": clock.start, "end_time": clock.every, "feedstock": mapping.feedstock,
        "asset": mapping.asset, LOCATION_FIELD: mapping.locations or None,
    }  # fmt: skip
    named: dict[str, str | None] = {name: None for name, value in of_every_row.items() if value is not None}
    for name, indexes in columns.fields.items():
        named[name] = ", ".join(columns.header[index] for index in indexes)
    values = {(point.slug, True): columns.header[point.index] for point in columns.points}
    return {(_FIELDS.get(name, name), False): column for name, column in named.items()} | values


def build_differing_row(line: int, found: Sequence[Discrepancy], given: GivenFields, said: str) -> BadRow:
    """A row as it is told of when its event has other values; `said` is what that comes to."""
    return BadRow(
        line,
        tuple(
            RowProblem(f"{one.said('the file')}; {said}", given.get(one.key), one.sent, one.field, one.stored)
            for one in found
        ),
    )


def describe_outcome(
    event: str, stays: str, *, is_correcting: bool, is_correctable: bool, is_dry_run: bool = False
) -> str:
    """What becomes of an event that a row differs from, as the end of a sentence.

    `stays` is what to do where events are not corrected, with the place {event}.
    """
    if not is_correcting:
        return stays.format(event=event)
    if not is_correctable:
        return _TAKING_AWAY.format(event=event)
    return (_WOULD_BE_CORRECTED if is_dry_run else _CORRECTED).format(event=event)


def is_correctable(found: Sequence[Discrepancy]) -> bool:
    """Whether all that differs can be corrected: nothing is taken away, nothing replaced without a trace."""
    return all(one.sent is not None and (one.is_value or one.field not in NOT_CORRECTED) for one in found)


def build_change(event: NewEvent, found: Sequence[Discrepancy], reason: str) -> EventChange:
    """The change that makes an event say what its row says; raises nothing, for the row was judged before."""
    own = {one.field for one in found if not one.is_value}
    slugs = {one.field for one in found if one.is_value}
    fields: dict[str, Any] = {name: getattr(event, name) for name in own}
    if "end_time" in fields and event.end_time is None:
        fields["end_time"] = event.start_time
    points = [point for point in event.data_points if point.slug in slugs]
    return EventChange(**fields, data_points=points, reason=reason)
