"""The row of an event: its own fields, the arrays of its values, and what a position of them means.

Invariant: the arrays hold the values in force; where those are not what was captured, the captured ones stand
beside them.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, LiteralString

import msgspec

from weighbridge.collection.measurements.findings import HAS_RESULTS
from weighbridge.collection.measurements.value import BOOLEANS, CAPTURED_ARRAYS, NUMBERS, TEXTS
from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound

DataPointValue = Decimal | str | bool

EVENT_JOINED: Final = """
    LEFT JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
    LEFT JOIN feedstocks f ON (f.project_id, f.id) = (e.project_id, e.feedstock_id)
    LEFT JOIN assets a ON (a.project_id, a.id) = (e.project_id, e.asset_id)
"""
"""What is shown with events `e`, found after them.

Every event has its type. LEFT JOIN says so to a planner which has no statistics yet: it would begin with the
types of the project, and walk all events of each for one id.
"""

EVENT_SOURCE: Final = f"events e {EVENT_JOINED}"

METER_ASSET: Final[LiteralString] = "coalesce(e.asset_id, 0)"
METER_LOCATION: Final[LiteralString] = (
    "CASE WHEN e.asset_id IS NULL THEN coalesce(e.location_ids[1], 0) ELSE 0 END"
)
"""The keys of an event's meter, as `core/time/meter.py` defines it; 0 for the one that it does not have."""


class EventRow(msgspec.Struct, frozen=True):
    """An event as its row has it."""

    project: int
    number: int
    event_type: int
    slug: str
    name: str
    tracking_id: str | None
    client_reference: str | None
    notes: str | None
    start_time: Instant
    end_time: Instant
    is_complete: bool
    feedstock: int | None
    feedstock_name: str | None
    asset: int | None
    asset_name: str | None
    location_ids: list[int]
    numbers: list[Decimal | None]
    texts: list[str | None]
    booleans: list[bool | None]
    created_at: Instant
    updated_at: Instant
    captured_numbers: list[Decimal | None] | None = None
    captured_texts: list[str | None] | None = None
    captured_booleans: list[bool | None] | None = None
    """What was captured, where something else is in force now."""
    is_revised: bool = False
    is_imputed: bool = False
    has_results: bool = False
    """Whether rules have found something about it."""
    has_evidence: bool = False
    source: int | None = None
    """The event type of whose readings it is made, and its slug."""
    source_slug: str | None = None
    readings: int | None = None
    """How many readings it is made of, and how many of them are valid; None of what was captured."""
    valid_readings: int | None = None
    covered_readings: int | None = None
    """Slots of the readings' cadence in which its meter has a valid one, of those expected."""
    expected_readings: int | None = None


class PositionMeaning(msgspec.Struct, frozen=True):
    """What a position of an event type means."""

    event_type: int
    position: int
    slug: str
    name: str
    unit: str | None
    required: bool


_HAS_EVIDENCE: Final = (
    "EXISTS (SELECT FROM evidence v WHERE (v.project_id, v.event_id) = (e.project_id, e.id))"
)

# Events that were captured, which nearly all are, are not asked about.
_SOURCE: Final = """
    CASE WHEN e.readings IS NOT NULL THEN (
        SELECT {} FROM roll_ups ru JOIN event_types source ON (source.project_id, source.id)
                                                            = (ru.project_id, ru.source_id)
         WHERE (ru.project_id, ru.event_type_id) = (e.project_id, e.event_type_id)) END
"""

EVENT_ROW: Final = row_of(
    EventRow,
    Column("project", "e.project_id"),
    Column("number", "e.id"),
    Column("event_type", "e.event_type_id"),
    Column("slug", "t.slug"),
    Column("name", "t.name"),
    Column("tracking_id", "e.tracking_id"),
    Column("client_reference", "e.client_reference"),
    Column("notes", "e.notes"),
    Column("start_time", "e.start_time"),
    Column("end_time", "e.end_time"),
    Column("is_complete", "e.is_complete"),
    Column("feedstock", "e.feedstock_id"),
    Column("feedstock_name", "f.name AS feedstock"),
    Column("asset", "e.asset_id"),
    Column("asset_name", "a.name AS asset"),
    Column("location_ids", "e.location_ids"),
    Column("numbers", f"{NUMBERS} AS numbers"),
    Column("texts", f"{TEXTS} AS texts"),
    Column("booleans", f"{BOOLEANS} AS booleans"),
    Column("created_at", "e.created_at"),
    Column("updated_at", "e.updated_at"),
    Column("captured_numbers", CAPTURED_ARRAYS["numbers"]),
    Column("captured_texts", CAPTURED_ARRAYS["texts"]),
    Column("captured_booleans", CAPTURED_ARRAYS["booleans"]),
    Column("is_revised", "e.is_revised"),
    Column("is_imputed", "e.is_imputed"),
    Column("has_results", f"{HAS_RESULTS} AS has_results"),
    Column("has_evidence", f"{_HAS_EVIDENCE} AS has_evidence"),
    Column("source", f"{_SOURCE.format('source.id')} AS source"),
    Column("source_slug", f"{_SOURCE.format('source.slug')} AS source_slug"),
    Column("readings", "e.readings"),
    Column("valid_readings", "e.valid_readings"),
    Column("covered_readings", "e.covered_readings"),
    Column("expected_readings", "e.expected_readings"),
)

ONE_EVENT: Final = (
    f"SELECT {EVENT_ROW.columns} FROM {EVENT_SOURCE}"
    " WHERE e.project_id = %s AND e.id = %s AND e.voided_at IS NULL"
)
_ONE_LOCKED: Final = f"{ONE_EVENT} FOR NO KEY UPDATE OF e"


async def event_row(tx: Read, project: int, friendly: str) -> EventRow:
    """The row of an event that is not voided."""
    return await _row(tx, project, friendly, ONE_EVENT)


async def locked_event_row(tx: Write, project: int, friendly: str) -> EventRow:
    """The row of an event that is not voided, and that nobody else changes until the transaction ends."""
    return await _row(tx, project, friendly, _ONE_LOCKED)


def event_number(project: int, friendly: str) -> int:
    """The number in the friendly id of an event of the project; NotFound for any other text."""
    key = ids.parse("event", friendly)
    if key is None or key != ids.Key(project, key.key):
        raise NotFound("event", friendly)
    return key.key


async def _row(tx: Read, project: int, friendly: str, statement: LiteralString) -> EventRow:
    row = await tx.row(EVENT_ROW.make, statement, (project, event_number(project, friendly)))
    if row is None:
        raise NotFound("event", friendly)
    return row


def value_at(row: EventRow, position: int) -> DataPointValue | None:
    """The value that an event holds at a position, as corrected; most are numbers."""
    numbers = row.numbers
    if position <= len(numbers) and (value := numbers[position - 1]) is not None:
        return value
    return _at(position, row.texts, row.booleans)


def captured_at(row: EventRow, position: int) -> DataPointValue | None:
    """The value that was captured at a position; an imputed event has none."""
    if row.is_imputed:
        return None
    return _at(
        position,
        row.numbers if row.captured_numbers is None else row.captured_numbers,
        row.texts if row.captured_texts is None else row.captured_texts,
        row.booleans if row.captured_booleans is None else row.captured_booleans,
    )


def _at(position: int, *arrays: Sequence[DataPointValue | None]) -> DataPointValue | None:
    for values in arrays:
        if position <= len(values) and (value := values[position - 1]) is not None:
            return value
    return None
