"""Read events with their data points and locations."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, LiteralString

import msgspec
from psycopg.sql import SQL, Literal

from weighbridge.collection.events.records import Event, EventAsset, EventDataPoint, EventFeedstock
from weighbridge.collection.evidence.queries import evidence_of_events
from weighbridge.collection.evidence.records import EventEvidence
from weighbridge.collection.locations.queries import locations_by_number
from weighbridge.collection.measurements.corrected import NOTHING, Standing, standing_on
from weighbridge.collection.measurements.findings import (
    HAS_RESULTS,
    DataPointResult,
    is_alert,
    results_of_events,
)
from weighbridge.collection.measurements.value import CAPTURED_ARRAYS, CURRENT_ARRAYS
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.listing import MOMENT, Filter, Listing, Page, Wanted, page_of, read_int4, read_moment
from weighbridge.errors import NotFound

Value = Decimal | str | bool


def _number_of(kind: str) -> Any:
    def read(text: str) -> int:
        key = ids.parse(kind, text)
        if key is None:
            raise ValueError(text)
        return key.key

    return read


_BOUNDS: Final = ("eq", "geq", "leq")

EVENTS: Final = Listing(
    sorts={
        "id": "e.id",
        "start_time": "e.start_time",
        "end_time": "e.end_time",
        "created_at": "e.created_at",
        "updated_at": "e.updated_at",
        "status": "e.is_complete",
        "tracking_id": "coalesce(e.tracking_id, '')",
        "friendly_id": "e.id",
    },
    default_sort="start_time",
    key=("e.id",),
    filters={
        "event_type_id": Filter("e.event_type_id", _number_of("event_type"), "an id et_…"),
        "nexus_event_type_id": Filter("e.event_type_id", read_int4, "an event type's number"),
        "slug": Filter("t.slug", str, "the slug of an event type"),
        "location_id": Filter("e.location_ids", _number_of("location"), "an id loc_…", contains=True),
        "feedstock_id": Filter("e.feedstock_id", _number_of("feedstock"), "an id fs_…"),
        "asset_id": Filter("e.asset_id", _number_of("asset"), "an id ast_…"),
        "tracking_id": Filter("e.tracking_id", str, "a tracking id"),
        "client_reference": Filter("e.client_reference", str, "a client reference"),
        "start_time": Filter("e.start_time", read_moment, MOMENT, _BOUNDS),
        "end_time": Filter("e.end_time", read_moment, MOMENT, _BOUNDS),
    },
)

_SOURCE: Final = """
    events e
    JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
    LEFT JOIN feedstocks f ON (f.project_id, f.id) = (e.project_id, e.feedstock_id)
    LEFT JOIN assets a ON (a.project_id, a.id) = (e.project_id, e.asset_id)
"""
_COLUMNS: Final = f"""
    e.project_id, e.id, e.event_type_id, t.slug, t.name, e.tracking_id, e.client_reference, e.notes,
    e.start_time, e.end_time, e.is_complete, e.feedstock_id, f.name AS feedstock, e.asset_id,
    a.name AS asset, e.location_ids, {CURRENT_ARRAYS}, e.created_at, e.updated_at,
    {CAPTURED_ARRAYS}, e.is_revised, e.is_imputed, {HAS_RESULTS}
"""
_ONE: Final = (
    f"SELECT {_COLUMNS} FROM {_SOURCE} WHERE e.project_id = %s AND e.id = %s AND e.voided_at IS NULL"
)
_ONE_LOCKED: Final = f"{_ONE} FOR NO KEY UPDATE OF e"


class EventRow(msgspec.Struct, frozen=True):
    """An event as it stands in its row."""

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
    """What was captured, where something else stands now."""
    is_revised: bool = False
    is_imputed: bool = False
    has_results: bool = False
    """Whether rules have found something about it."""


class Measure(msgspec.Struct, frozen=True):
    """What a position of an event type means."""

    event_type: int
    position: int
    slug: str
    name: str
    unit: str | None
    required: bool


async def list_events(tx: Read, project: int, wanted: Wanted) -> Page[Event]:
    """The events of a project that are not voided."""
    here = SQL("e.project_id = {} AND e.voided_at IS NULL").format(Literal(project))
    page = await page_of(tx, EventRow, EVENTS, wanted, columns=_COLUMNS, source=_SOURCE, where=[here])
    return Page(await _events(tx, project, page.data), page.info)


async def get_event(tx: Read, project: int, friendly: str) -> Event:
    """One event by its friendly id."""
    return await whole_event(tx, await event_row(tx, project, friendly))


async def whole_event(tx: Read, row: EventRow) -> Event:
    """An event's row with the names of its values and the records of its locations."""
    return (await _events(tx, row.project, [row]))[0]


async def event_row(tx: Read, project: int, friendly: str) -> EventRow:
    """The row of an event that is not voided."""
    return await _row(tx, project, friendly, _ONE)


async def locked_event_row(tx: Write, project: int, friendly: str) -> EventRow:
    """The row of an event that is not voided, and that nobody else changes until the transaction ends."""
    return await _row(tx, project, friendly, _ONE_LOCKED)


async def _row(tx: Read, project: int, friendly: str, statement: LiteralString) -> EventRow:
    key = ids.parse("event", friendly)
    if key is None or key != ids.Key(project, key.key):
        raise NotFound
    row = await tx.row(EventRow, statement, (project, key.key))
    if row is None:
        raise NotFound
    return row


async def _events(tx: Read, project: int, rows: Sequence[EventRow]) -> list[Event]:
    """Complete rows with the names of their values, the records of their locations, and their evidence."""
    measures = await tx.rows(
        Measure,
        """
        SELECT event_type_id, position, slug, name, unit, required FROM data_point_types
         WHERE project_id = %s AND event_type_id = ANY (%s) ORDER BY event_type_id, position
        """,
        (project, list({row.event_type for row in rows})),
    )
    of_type: dict[int, list[Measure]] = {}
    for measure in measures:
        of_type.setdefault(measure.event_type, []).append(measure)
    places = await locations_by_number(tx, project, {number for row in rows for number in row.location_ids})
    evidence = await evidence_of_events(tx, project, [row.number for row in rows])
    standing = await standing_on(tx, project, [row.number for row in rows if row.is_revised])
    results = await results_of_events(tx, project, [row.number for row in rows if row.has_results])
    return [
        assembled(
            row,
            of_type.get(row.event_type, []),
            [places[number] for number in row.location_ids],
            evidence[row.number],
            standing,
            results,
        )
        for row in rows
    ]


def assembled(
    row: EventRow,
    measures: Sequence[Measure],
    places: list[Any],
    evidence: list[EventEvidence],
    standing: Mapping[tuple[int, int], Standing] = MappingProxyType({}),
    results: Mapping[tuple[int, int], list[DataPointResult]] = MappingProxyType({}),
) -> Event:
    """An event of its row, the meaning of its positions, and what belongs to it."""
    friendly = ids.of("event", row.project, row.number)
    points = [
        _data_point(row, measure, value, standing.get(place, NOTHING), results.get(place, []))
        for measure in measures
        for place in [(row.number, measure.position)]
        if (value := value_at(row, measure.position)) is not None
    ]
    missing = [
        measure.slug
        for measure in measures
        if measure.required and not row.is_complete and value_at(row, measure.position) is None
    ]
    return Event(
        id=friendly,
        slug=row.slug,
        event_type=row.name,
        event_type_id=ids.of("event_type", row.project, row.event_type),
        project_id=ids.of("project", row.project),
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
        locations=places,
        evidences=evidence,
        has_rule_alerts=any(
            is_alert(found)
            for measure in measures
            for found in results.get((row.number, measure.position), ())
        ),
        created_at=row.created_at,
        updated_at=row.updated_at,
        ui_url=Link(f"/projects/{ids.of('project', row.project)}/events/{friendly}"),
    )


def value_at(row: EventRow, position: int) -> Value | None:
    """The value that an event holds at a position, as corrected."""
    return _at(position, row.numbers, row.texts, row.booleans)


def captured_at(row: EventRow, position: int) -> Value | None:
    """The value that was captured at a position; an imputed event has none."""
    if row.is_imputed:
        return None
    return _at(
        position,
        row.numbers if row.captured_numbers is None else row.captured_numbers,
        row.texts if row.captured_texts is None else row.captured_texts,
        row.booleans if row.captured_booleans is None else row.captured_booleans,
    )


def _at(position: int, *arrays: Sequence[Value | None]) -> Value | None:
    for values in arrays:
        if position <= len(values) and (value := values[position - 1]) is not None:
            return value
    return None


def _data_point(
    row: EventRow, measure: Measure, value: Value, standing: Standing, results: list[DataPointResult]
) -> EventDataPoint:
    return EventDataPoint(
        id=ids.of("data_point", row.project, row.number, measure.position),
        slug=measure.slug,
        data_point_type=measure.name,
        value=value,
        raw_value=captured_at(row, measure.position),
        unit=measure.unit,
        status="complete",
        substituted=standing.substitution is not None,
        imputed=row.is_imputed,
        substitution=standing.substitution,
        corrections_count=standing.corrections_count,
        rule_results=results,
    )


def _feedstock(row: EventRow) -> EventFeedstock | None:
    if row.feedstock is None or row.feedstock_name is None:
        return None
    return EventFeedstock(ids.of("feedstock", row.project, row.feedstock), row.feedstock_name)


def _asset(row: EventRow) -> EventAsset | None:
    if row.asset is None or row.asset_name is None:
        return None
    return EventAsset(ids.of("asset", row.project, row.asset), row.asset_name)
