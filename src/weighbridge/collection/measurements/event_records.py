"""Events as they are read: their rows, what lists of them share, the lines of their leaves, their records.

A row has the event's fields, and arrays of values with what a position means. One function assembles the
record of an event from its row, whether it was read or has just been stored, with the names that it needs.

Invariants: the arrays contain the values in force; captured values are stored separately where they
differ. An implied condition excludes no event that meets the original one. What a process remembers affects
the queries it sends, never the response; names are read in the snapshot of their events.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, LiteralString, Self

import msgspec
from msgspec import UNSET
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.annotations import (
    HAS_RESULTS,
    UNCORRECTED,
    CorrectionSummary,
    is_alert,
    is_warning,
)
from weighbridge.collection.measurements.values import BOOLEANS, CAPTURED_ARRAYS, NUMBERS, TEXTS
from weighbridge.collection.named_records.nouns import locations_by_number, locations_numbered
from weighbridge.collection.records.events import (
    DataPointResult,
    Event,
    EventAsset,
    EventDataPoint,
    EventEvidence,
    EventFeedstock,
    EventReadings,
)
from weighbridge.collection.records.projects import Location
from weighbridge.collection.records.uncertainty import StatedUncertainty, read_stated
from weighbridge.core import identity
from weighbridge.core.collection.correction import (
    ESCAPES,
    NULL,
    determine_value_source,
    hash_event_line,
    write_nullable,
    write_stated_field,
    write_texts,
    write_utc,
)
from weighbridge.core.identity import Link
from weighbridge.core.ledger.allocation import ValueSource
from weighbridge.core.number import CONTEXT
from weighbridge.core.time.calendar import MILLISECOND, Instant
from weighbridge.db.engine import Command, Read, Write
from weighbridge.db.lists.listing import Filter, ListRequest, read_key, start_implied
from weighbridge.db.row import Column, row_of
from weighbridge.db.statements import Literal, numbers
from weighbridge.errors import NotFound

# The row of an event: its own fields, the arrays of its values, and what a position of them means.
#
# Invariant: the arrays hold the values in force; where those are not what was captured, the captured ones
# stand beside them.


DataPointValue = Decimal | str | bool

EVENT_JOINED: Final = """
    LEFT JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
    LEFT JOIN feedstocks f ON (f.project_id, f.id) = (e.project_id, e.feedstock_id)
    LEFT JOIN assets a ON (a.project_id, a.id) = (e.project_id, e.asset_id)
"""
"""The joins for what is shown with events `e`.

Every event has its type. LEFT JOIN says so to a planner which has no statistics yet: it would begin with the
types of the project, and walk all events of each for one id.
"""

EVENT_SOURCE: Final = f"events e {EVENT_JOINED}"

METER_ASSET: Final[LiteralString] = "coalesce(e.asset_id, 0)"
METER_LOCATION: Final[LiteralString] = (
    "CASE WHEN e.asset_id IS NULL THEN coalesce(e.location_ids[1], 0) ELSE 0 END"
)
"""The keys of an event's meter, as `core/time/expectation.py` defines it; 0 for one that it lacks."""


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
    """The captured values, where corrections are in force."""
    is_revised: bool = False
    is_imputed: bool = False
    has_results: bool = False
    """Whether rules have found something about it."""
    has_evidence: bool = False
    source: int | None = None
    """The event type of whose readings it is made, and its slug."""
    source_slug: str | None = None
    readings: int | None = None
    """How many readings it is made of, and how many of them are valid; None for a captured event."""
    valid_readings: int | None = None
    covered_readings: int | None = None
    """Slots of the readings' cadence in which its meter has a valid one, of those expected."""
    expected_readings: int | None = None
    uncertainties: Mapping[str, Any] | None = None
    """What is stated of how well single values are known, by position; None where nothing is."""


class PositionMeaning(msgspec.Struct, frozen=True):
    """The meaning of a position of an event type."""

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
    Column("uncertainties", "e.uncertainties"),
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
    """The row of an event that is not voided, locked until the transaction ends."""
    return await _row(tx, project, friendly, _ONE_LOCKED)


def event_number(project: int, friendly: str) -> int:
    """The number in the friendly id of an event of the project; NotFound for any other text."""
    key = identity.parse("event", friendly)
    if key is None or key != identity.Key(project, key.key):
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


def is_to_come(row: EventRow, position: int) -> bool:
    """Whether an event lacks a value that may still be sent, though a rule may have filled one in for it."""
    if row.is_revised and row.readings is None and not row.is_imputed:
        return _captured_at(row, position) is None
    return value_at(row, position) is None


def _captured_at(row: EventRow, position: int) -> DataPointValue | None:
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


# What lists of events and of their data points share: which events an end lets a list leave out unread.
#
# Invariant: an implied condition excludes no event that meets the original one.


_PLACES: Final = (
    "e.location_ids[1] = {}",
    "e.location_ids[2] = {}",
    "e.location_ids[3] IS NOT NULL AND {} = ANY (e.location_ids[3:])",
)
BY_METER: Final[Mapping[str, Filter]] = {
    "asset_id": Filter("e.asset_id", read_key("asset"), "an id ast_…"),
    "location_id": Filter(
        "e.location_ids", read_key("location"), "an id loc_…", contains=True, places=_PLACES
    ),
}
"""What meters events are of: their asset, and any of their locations, each place of which has an index."""

_LONGEST: Final = """
    (SELECT coalesce(max(longest), interval '0') FROM event_counts WHERE project_id = {})
"""


def implied_by(project: int, request: ListRequest) -> tuple[Composable, ...]:
    """The bounds on the start of events that bounds on their end imply."""
    return start_implied(request, "e.start_time", SQL(_LONGEST).format(Literal(project)))


async def with_readings(tx: Read, project: int, request: ListRequest) -> tuple[ListRequest, list[Composable]]:
    """The request with what finds the readings of the rolled-up event that it names, and their tags.

    They are found by the index of their type and time, however many there are. An event that was captured, or
    that is not there, has none.
    """
    rolled_up_events = {value for name, _, value in request.conditions if name == _ROLLED_UP}
    if not rolled_up_events:
        return request, []
    other_conditions = [condition for condition in request.conditions if condition[0] != _ROLLED_UP]
    rows = (
        await tx.tuples(_ROLLED_UP_EVENTS, (project, list(rolled_up_events)))
        if len(rolled_up_events) == 1
        else []
    )
    if not rows:
        return replace(request, conditions=(*other_conditions, ("event_type_id", "eq", 0))), []
    source, start, end, asset, feedstock, tracking_id, locations = rows[0]
    slot_conditions = (
        ("event_type_id", "eq", source),
        ("start_time", "geq", start),
        ("start_time", "leq", end - MILLISECOND),
    )
    tags = SQL(
        "e.asset_id IS NOT DISTINCT FROM {} AND e.feedstock_id IS NOT DISTINCT FROM {}"
        " AND e.tracking_id IS NOT DISTINCT FROM {} AND e.location_ids = {}::integer[]"
    ).format(Literal(asset), Literal(feedstock), Literal(tracking_id), Literal(locations))
    return replace(request, conditions=(*other_conditions, *slot_conditions)), [tags]


_ROLLED_UP: Final = "rolled_up_event_id"
_ROLLED_UP_EVENTS: Final = """
    SELECT r.source_id, e.start_time, e.end_time, e.asset_id, e.feedstock_id, e.tracking_id, e.location_ids
      FROM events e JOIN roll_ups r ON (r.project_id, r.event_type_id) = (e.project_id, e.event_type_id)
     WHERE e.project_id = %s AND e.id = ANY (%s) AND e.readings IS NOT NULL
"""


# Stored events as the lines of their leaves: their captured values, without corrections.


_CAPTURED: Final[LiteralString] = """
    CASE WHEN e.captured ? '{0}' THEN (e.captured ->> '{0}')::{1} ELSE e.{0} END"""
LINE_COLUMNS: Final = ", ".join(
    [
        "e.project_id, e.id, e.event_type_id",
        _CAPTURED.format("start_time", "timestamptz"),
        _CAPTURED.format("end_time", "timestamptz"),
        _CAPTURED.format("tracking_id", "text"),
        _CAPTURED.format("feedstock_id", "integer"),
        _CAPTURED.format("asset_id", "integer"),
        "e.client_reference, e.notes, e.location_ids::text, e.numbers::text, e.texts, e.booleans::text",
        "e.uncertainties",
    ]
)
"""The columns of an event `e` that its line is made of, in their order."""


def leaf_of_columns(columns: Sequence[Any]) -> bytes:
    """The leaf of an event, by its line's columns."""
    return hash_event_line(line_of_columns(columns))


def line_of_columns(columns: Sequence[Any]) -> str:
    """The line of an event by its columns."""
    project, number, kind, start, end, tracking_id, feedstock, asset, reference, notes, *arrays = columns
    locations, numbers, texts, booleans, stated = arrays
    start_text = write_utc(start)
    end_text = start_text if end == start else write_utc(end)
    fields = (
        str(project), str(number), str(kind), start_text, end_text, write_nullable(tracking_id),
        NULL if feedstock is None else str(feedstock), NULL if asset is None else str(asset),
        write_nullable(reference), write_nullable(notes), locations, numbers,
        write_texts(texts).translate(ESCAPES) if texts else "{}", booleans,
    )  # fmt: skip
    return "\t".join(fields) + write_stated_field(stated)


async def stored_leaves(tx: Read, project: int, numbers: Collection[int]) -> dict[int, str]:
    """The leaves of events of a project, as hexadecimal digits."""
    rows = await tx.tuples(
        f"SELECT {LINE_COLUMNS} FROM events e WHERE e.project_id = %s AND e.id = ANY (%s)",
        (project, sorted(numbers)),
    )
    return {row[1]: leaf_of_columns(row).hex() for row in rows}


# The record of an event: what an answer makes of its row, its positions and what belongs to it.
#
# One function makes it, whether the event was read or has just been stored.


def assemble_event(
    row: EventRow,
    meanings: Sequence[PositionMeaning],
    locations: list[Location],
    evidence: list[EventEvidence],
    *,
    corrections: Mapping[tuple[int, int], CorrectionSummary] = MappingProxyType({}),
    results: Mapping[tuple[int, int], list[DataPointResult]] = MappingProxyType({}),
) -> Event:
    """An event of its row, the meaning of its positions, and what belongs to it."""
    friendly = identity.of("event", row.project, row.number)
    project = _kept_id("project", row.project)
    if corrections or results or row.is_revised or row.is_imputed or row.uncertainties:
        points = [
            _data_point(row, meaning, value, corrections.get(key, UNCORRECTED), results.get(key, []))
            for meaning in meanings
            for key in [(row.number, meaning.position)]
            if (value := value_at(row, meaning.position)) is not None
        ]
    else:
        points = _list_captured_values(row, meanings)
    missing = [] if row.is_complete else _list_missing_slugs(row, meanings)
    found = [*_list_results(row, meanings, results)] if results else []
    return Event(
        id=friendly,
        slug=row.slug,
        event_type=row.name,
        event_type_id=_kept_id("event_type", row.project, row.event_type),
        project_id=project,
        tracking_id=row.tracking_id,
        client_reference=row.client_reference,
        notes=row.notes,
        start_time=row.start_time,
        end_time=row.end_time,
        status="complete" if row.is_complete else "incomplete",
        missing=missing,
        feedstock=_feedstock(row),
        asset=_asset(row),
        data_points=points,
        locations=locations,
        evidences=evidence,
        rolled_up_from=_readings(row),
        has_rule_alerts=any(map(is_alert, found)),
        has_rule_warnings=any(map(is_warning, found)),
        created_at=row.created_at,
        updated_at=row.updated_at,
        ui_url=Link(f"/projects/{project}/events/{friendly}"),
    )


def _readings(row: EventRow) -> EventReadings | None:
    """The readings that an event is made of."""
    if row.readings is None or row.valid_readings is None or row.source is None or row.source_slug is None:
        return None
    covered, expected = row.covered_readings, row.expected_readings
    share = None if covered is None or not expected else CONTEXT.divide(Decimal(covered), Decimal(expected))
    return EventReadings(
        identity.of("event_type", row.project, row.source),
        row.source_slug,
        row.start_time,
        row.end_time,
        row.readings,
        row.valid_readings,
        expected,
        share,
    )


def _list_missing_slugs(row: EventRow, meanings: Sequence[PositionMeaning]) -> list[str]:
    """The slugs of required data points whose values are to come."""
    return [meaning.slug for meaning in meanings if meaning.required and is_to_come(row, meaning.position)]


def _list_results(
    row: EventRow,
    meanings: Sequence[PositionMeaning],
    results: Mapping[tuple[int, int], list[DataPointResult]],
) -> Iterable[DataPointResult]:
    return (result for meaning in meanings for result in results.get((row.number, meaning.position), ()))


_kept_id = lru_cache(1024)(identity.of)
"""The ids of records that many events name."""


def _list_captured_values(row: EventRow, meanings: Sequence[PositionMeaning]) -> list[EventDataPoint]:
    """Values as they were captured, with which nobody had to do since: `_data_point` by position.

    A page of events has a hundred of them, and names take half of the time that a record takes to make.
    """
    project, event, captured = row.project, row.number, ValueSource.CAPTURED
    return [
        EventDataPoint(
            identity.of("data_point", project, event, meaning.position),
            meaning.slug, meaning.name, value, value, meaning.unit, "complete", False, False, None,  # noqa: FBT003
            captured, 0, 0, [],
        )
        for meaning in meanings
        if (value := value_at(row, meaning.position)) is not None
    ]  # fmt: skip


def _data_point(
    row: EventRow,
    meaning: PositionMeaning,
    value: DataPointValue,
    corrections: CorrectionSummary,
    results: list[DataPointResult],
) -> EventDataPoint:
    return EventDataPoint(
        id=identity.of("data_point", row.project, row.number, meaning.position),
        slug=meaning.slug,
        data_point_type=meaning.name,
        value=value,
        raw_value=_captured_at(row, meaning.position) if row.is_revised or row.is_imputed else value,
        unit=meaning.unit,
        status="complete",
        substituted=corrections.substitution is not None and not row.is_imputed,
        imputed=row.is_imputed,
        substitution=corrections.substitution,
        value_source=determine_value_source(corrections.origin, is_imputed=row.is_imputed),
        corrections_count=corrections.corrections_count,
        corrections_total=corrections.corrections_total,
        rule_results=results,
        uncertainty=stated_at(row, meaning.position) or UNSET,
    )


def stated_at(row: EventRow, position: int) -> StatedUncertainty | None:
    """What is stated of how well the value at a position is known; None where its type says so."""
    stated = (row.uncertainties or {}).get(str(position))
    return None if stated is None else read_stated(stated)


def with_stated(
    before: Mapping[str, Any] | None, position: int, stated: StatedUncertainty | None
) -> Mapping[str, Any] | None:
    """What is stated of the values of an event when one of them is known otherwise; None where nothing is."""
    others = {place: one for place, one in (before or {}).items() if place != str(position)}
    return (others if stated is None else {**others, str(position): stated}) or None


def _feedstock(row: EventRow) -> EventFeedstock | None:
    if row.feedstock is None or row.feedstock_name is None:
        return None
    return EventFeedstock(_kept_id("feedstock", row.project, row.feedstock), row.feedstock_name)


def _asset(row: EventRow) -> EventAsset | None:
    if row.asset is None or row.asset_name is None:
        return None
    return EventAsset(_kept_id("asset", row.project, row.asset), row.asset_name)


# The names shown with events: what their values are called, and the places they are tagged with.
#
# A page of events nearly always needs the names that the page before it needed. So these are asked for in
# the message that asks for the page, and only a page that needs others asks again.
#
# Invariants: what a process remembers decides what is asked, never what is answered; a name is read in the
# snapshot of the events that it stands with.


EXPECTED_MAX: Final = 100
"""Event types and locations whose names are asked for before it is known that they are needed, at most."""

_MEANINGS: Final = """
    SELECT event_type_id, position, slug, name, unit, required FROM data_point_types
     WHERE project_id = %s AND event_type_id = ANY (%s::integer[]) ORDER BY event_type_id, position
"""


@dataclass(frozen=True, slots=True)
class Named:
    """The event types and locations that some events name."""

    types: frozenset[int]
    locations: frozenset[int]

    @classmethod
    def by(cls, rows: Sequence[EventRow]) -> Self:
        return cls(
            frozenset(row.event_type for row in rows),
            frozenset(number for row in rows for number in row.location_ids),
        )

    def covers(self, rows: Sequence[EventRow]) -> bool:
        """Whether the events name nothing else."""
        return all(
            row.event_type in self.types and self.locations.issuperset(row.location_ids) for row in rows
        )

    def joined(self, other: Self) -> Self:
        """What both name; the other's alone where that is too much to ask for on suspicion."""
        joined_names = type(self)(self.types | other.types, self.locations | other.locations)
        return (
            joined_names if len(joined_names.types) + len(joined_names.locations) <= EXPECTED_MAX else other
        )

    def questions(self, project: int) -> tuple[Command, Command]:
        """The commands that read the names, in the order in which `Names` takes the results."""
        return (_MEANINGS, (project, numbers(self.types))), locations_numbered(project, self.locations)


@dataclass(frozen=True, slots=True)
class Names:
    """The meaning of positions by event type, and locations by their numbers."""

    meanings: Mapping[int, Sequence[PositionMeaning]]
    locations: Mapping[int, Location]

    @classmethod
    def read(cls, meanings: Sequence[TupleRow], locations: Sequence[TupleRow]) -> Self:
        of_type: dict[int, list[PositionMeaning]] = {}
        for row in meanings:
            meaning = PositionMeaning(*row)
            of_type.setdefault(meaning.event_type, []).append(meaning)
        return cls(of_type, locations_by_number(locations))

    def event(
        self,
        row: EventRow,
        evidence: list[EventEvidence],
        corrections: Mapping[tuple[int, int], CorrectionSummary],
        results: Mapping[tuple[int, int], list[DataPointResult]],
    ) -> Event:
        """The event of a row, with what people, rules and files have to do with it."""
        return assemble_event(
            row,
            self.meanings.get(row.event_type, ()),
            [self.locations[number] for number in row.location_ids],
            evidence,
            corrections=corrections,
            results=results,
        )
