"""Read events with their data points and locations."""

from collections.abc import Sequence
from typing import Any, Final

from psycopg.sql import SQL, Literal

from weighbridge.collection.events.records import EVENT_STATUSES, Event
from weighbridge.collection.evidence.queries import evidence_of_events
from weighbridge.collection.locations.queries import locations_by_number
from weighbridge.collection.measurements.corrected import correction_summaries
from weighbridge.collection.measurements.event_record import assembled
from weighbridge.collection.measurements.event_row import (
    EVENT_ROW,
    EVENT_SOURCE,
    EventRow,
    PositionMeaning,
    event_row,
)
from weighbridge.collection.measurements.findings import (
    results_of_events,
)
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.db.listing import MOMENT, Filter, Listing, ListRequest, Page, page_of, read_int4, read_moment


def _number_of(kind: str) -> Any:
    def read(text: str) -> int:
        key = ids.parse(kind, text)
        if key is None:
            raise ValueError(text)
        return key.key

    return read


def _is_complete(text: str) -> bool:
    if text not in EVENT_STATUSES:
        raise ValueError(text)
    return text == "complete"


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
        "updated_at": Filter("e.updated_at", read_moment, MOMENT, _BOUNDS),
        "status": Filter("e.is_complete", _is_complete, " or ".join(EVENT_STATUSES)),
    },
)


async def list_events(tx: Read, project: int, request: ListRequest) -> Page[Event]:
    """The events of a project that are not voided."""
    here = SQL("e.project_id = {} AND e.voided_at IS NULL").format(Literal(project))
    page = await page_of(
        tx, EVENT_ROW.make, EVENTS, request, columns=EVENT_ROW.columns, source=EVENT_SOURCE, where=[here]
    )
    return Page(await _events(tx, project, page.data), page.info)


async def get_event(tx: Read, project: int, friendly: str) -> Event:
    """One event by its friendly id."""
    return await whole_event(tx, await event_row(tx, project, friendly))


async def whole_event(tx: Read, row: EventRow) -> Event:
    """An event's row with the names of its values and the records of its locations."""
    return (await _events(tx, row.project, [row]))[0]


async def _events(tx: Read, project: int, rows: Sequence[EventRow]) -> list[Event]:
    """Complete rows with the names of their values, the records of their locations, and their evidence."""
    meanings = await tx.rows(
        PositionMeaning,
        """
        SELECT event_type_id, position, slug, name, unit, required FROM data_point_types
         WHERE project_id = %s AND event_type_id = ANY (%s) ORDER BY event_type_id, position
        """,
        (project, list({row.event_type for row in rows})),
    )
    of_type: dict[int, list[PositionMeaning]] = {}
    for meaning in meanings:
        of_type.setdefault(meaning.event_type, []).append(meaning)
    locations = await locations_by_number(
        tx, project, {number for row in rows for number in row.location_ids}
    )
    evidence = await evidence_of_events(tx, project, [row.number for row in rows])
    corrections = await correction_summaries(tx, project, [row.number for row in rows if row.is_revised])
    results = await results_of_events(tx, project, [row.number for row in rows if row.has_results])
    return [
        assembled(
            row,
            of_type.get(row.event_type, []),
            [locations[number] for number in row.location_ids],
            evidence[row.number],
            corrections=corrections,
            results=results,
        )
        for row in rows
    ]
