"""A row becomes an event, or is bad for reasons that are all named.

Invariants: an empty cell is a value that is missing, never a zero; the rules of events are those of the
intake that every event goes through, asked here before anything is stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from weighbridge.collection.events.records import LocationRef, NewDataPoint, NewEvent
from weighbridge.collection.intake.checking import EventVocabulary, take_in
from weighbridge.core.quantity.number import shorten
from weighbridge.exchange.tabular.cell import CellError, read_boolean, read_number
from weighbridge.exchange.tabular.clock import Clock, times_of_row
from weighbridge.exchange.tabular.columns import Columns, Point
from weighbridge.exchange.tabular.file import FileRow

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
    decimal_comma: bool = False
    missing: frozenset[str] = frozenset({""})
    """Cells that say that there is no value."""


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event with the line that it came from."""

    line: int
    event: NewEvent
    is_known_by_line: bool = False
    """Whether its client reference was made of the line, and not brought by a column."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A line that is no event, and why."""

    line: int
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"Line {self.line}: {'; '.join(self.reasons)}."


def read_row(
    mapping: RowMapping, row: FileRow, index: int, last: datetime | None = None
) -> NumberedEvent | BadRow | None:
    """Make the event of a row, `index` rows after the first; None for a blank line that harms nothing.

    `last` is when the event before it starts.
    """
    if not row.cells:
        return BadRow(row.line, (_BLANK_LINE,)) if mapping.clock.start is not None else None
    width = len(mapping.columns.header)
    if len(row.cells) != width:
        return BadRow(row.line, (f"it has {len(row.cells)} cells, but the header has {width}",))
    reasons: list[str] = []
    begin, end = _times(mapping, row, index, last, reasons)
    points = _points(mapping, row.cells, reasons)
    feedstock = _named(mapping, row.cells, "feedstock", mapping.feedstocks, reasons)
    asset = _named(mapping, row.cells, "asset", mapping.assets, reasons)
    if reasons or begin is None:
        return BadRow(row.line, tuple(reasons))
    event = NewEvent(
        event_type=mapping.event_type,
        start_time=begin,
        end_time=end,
        tracking_id=_cell(mapping, row.cells, "tracking_id") or None,
        feedstock_id=feedstock,
        asset_id=asset,
        client_reference=_reference(mapping, row),
        notes=_cell(mapping, row.cells, "notes") or None,
        locations=mapping.locations,
        data_points=points,
    )
    return NumberedEvent(row.line, event, is_known_by_line=not mapping.columns.has_references)


def check_event(numbered: NumberedEvent, vocabulary: EventVocabulary) -> tuple[list[str], list[str]]:
    """Ask the intake: why the event would be refused, and which required values it lacks."""
    intake = take_in([numbered.event], [0], vocabulary, "event")
    reasons = [problem.message.removeprefix("event.").rstrip(".") for problem in intake.problems]
    return reasons, intake.receipts[0].missing if intake.receipts else []


def _times(
    mapping: RowMapping, row: FileRow, index: int, last: datetime | None, reasons: list[str]
) -> tuple[datetime | None, datetime | None]:
    start, end = _cell(mapping, row.cells, "start_time"), _cell(mapping, row.cells, "end_time")
    try:
        return times_of_row(mapping.clock, index, start, end, last)
    except CellError as error:
        reasons.append(str(error))
        return None, None


def _points(mapping: RowMapping, cells: list[str], reasons: list[str]) -> list[NewDataPoint]:
    points = []
    missing = mapping.missing
    for point in mapping.columns.points:
        cell = cells[point.index]
        text = cell.strip()
        if text in missing:
            continue
        try:
            points.append(NewDataPoint(point.slug, _value(mapping, point, cell, text)))
        except CellError as error:
            reasons.append(f"column {mapping.columns.header[point.index]!r}: {error}")
    return points


def _value(mapping: RowMapping, point: Point, cell: str, text: str) -> Decimal | str | bool:
    if point.value_type == "number":
        return read_number(text, decimal_comma=mapping.decimal_comma)
    return read_boolean(text) if point.value_type == "boolean" else cell


def _named(
    mapping: RowMapping, cells: list[str], field: str, known: Mapping[str, str], reasons: list[str]
) -> str | None:
    """The id of the feedstock or asset that a cell names."""
    text = _cell(mapping, cells, field)
    if not text:
        return None
    friendly = known.get(text)
    if friendly is None:
        names = sorted(name for name, other in known.items() if name != other)
        more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        allowed = ", ".join(map(repr, names[:NAMES_SHOWN])) or "none"
        reasons.append(f"{shorten(text)!r} is no {field} of the project, which has {allowed}{more}")
    return friendly


def _reference(mapping: RowMapping, row: FileRow) -> str | None:
    if mapping.columns.has_references:
        return _cell(mapping, row.cells, "client_reference") or None
    return None if mapping.reference is None else f"{mapping.reference}:{row.line}"


def _cell(mapping: RowMapping, cells: list[str], field: str) -> str:
    """The text of an event's field; empty when no column gives it or a cell says that it is missing."""
    texts = [cells[index].strip() for index in mapping.columns.fields.get(field, ())]
    return "" if mapping.missing.intersection(texts) else " ".join(texts)
