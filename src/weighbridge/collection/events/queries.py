"""Read events with their data points and locations."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from weighbridge.collection.events.records import EVENT_STATUSES, Event
from weighbridge.collection.evidence.queries import evidence_by_event, evidence_numbered
from weighbridge.collection.measurements.corrected import correction_summaries
from weighbridge.collection.measurements.event_list import BY_METER, implied_by, with_readings
from weighbridge.collection.measurements.event_names import EXPECTED_MAX, Named, Names
from weighbridge.collection.measurements.event_record import assembled
from weighbridge.collection.measurements.event_row import (
    EVENT_JOINED,
    EVENT_ROW,
    ONE_EVENT,
    EventRow,
    PositionMeaning,
    event_number,
    event_row,
)
from weighbridge.collection.measurements.findings import (
    results_of_events,
)
from weighbridge.collection.named_records.location import locations_by_number, locations_of_event
from weighbridge.db.engine import Read
from weighbridge.db.listing import (
    MOMENT,
    Filter,
    Index,
    Listing,
    ListRequest,
    Page,
    Source,
    page_beside,
    read_int4,
    read_key,
    read_moment,
)
from weighbridge.db.literal import Part
from weighbridge.db.memory import Memory
from weighbridge.errors import NotFound


def _is_complete(text: str) -> bool:
    if text not in EVENT_STATUSES:
        raise ValueError(text)
    return text == "complete"


_BOUNDS: Final = ("eq", "geq", "leq")
_TYPE: Final = ("event_type_id", "nexus_event_type_id", "slug")

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
        "event_type_id": Filter("e.event_type_id", read_key("event_type"), "an id et_…"),
        "nexus_event_type_id": Filter("e.event_type_id", read_int4, "an event type's number"),
        "slug": Filter("e.event_type_id", str, "the slug of an event type"),
        "location_id": BY_METER["location_id"],
        "feedstock_id": Filter("e.feedstock_id", read_key("feedstock"), "an id fs_…"),
        "asset_id": BY_METER["asset_id"],
        "tracking_id": Filter("e.tracking_id", str, "a tracking id"),
        "rolled_up_event_id": Filter("e.id", read_key("event"), "an id evt_…"),
        "client_reference": Filter("e.client_reference", str, "a client reference"),
        "start_time": Filter("e.start_time", read_moment, MOMENT, _BOUNDS),
        "end_time": Filter("e.end_time", read_moment, MOMENT, _BOUNDS),
        "updated_at": Filter("e.updated_at", read_moment, MOMENT, _BOUNDS),
        "status": Filter(
            "e.is_complete", _is_complete, " or ".join(EVENT_STATUSES), spelled={False: "NOT e.is_complete"}
        ),
    },
    indexes=(
        Index("", "client_reference"),
        Index("start_time", "client_reference"),
        Index("start_time", "tracking_id"),
        Index("updated_at", "updated_at", is_range=True),
        *(
            Index("start_time", field)
            for field in (
                "status",
                "asset_id",
                "feedstock_id",
                "location_id",
                *_TYPE,
            )
        ),
        Index("start_time"),
        Index("id"),
        Index("friendly_id"),
        Index("updated_at"),
    ),
    is_exported=True,
)


async def list_events(tx: Read, project: int, request: ListRequest) -> Page[Event]:
    """The events of a project that are not voided."""
    request, tagged = await with_readings(tx, project, await typed(tx, project, request))
    here = Part("e.project_id = %s AND e.voided_at IS NULL", (project,))
    source = Source(
        "events e", "e.*", EVENT_JOINED, implied=implied_by(project, request), kept=_kept(project, request)
    )
    read = partial(
        page_beside, tx, EVENT_ROW.make, EVENTS, request,
        columns=EVENT_ROW.columns, source=source, where=[here, *tagged],
    )  # fmt: skip
    expected: Named | None = tx.memory.recall(("named by events", project))
    if expected is not None:
        page, names = await read(beside=expected.questions(project), is_last=True)
        if expected.covers(page.data) and not any(map(_has_company, page.data)):
            plain = Names.read(*names)
            return Page([plain.event(row, [], {}, {}) for row in page.data], page.info)
    page, _ = await read()
    _expect(tx.memory, project, page.data)
    return Page(await _events(tx, project, page.data, is_read_only=True), page.info)


def _has_company(row: EventRow) -> bool:
    """Whether people, rules or files had to do with an event: then more than names stands with it."""
    return row.is_revised or row.has_results or row.has_evidence


def _expect(memory: Memory, project: int, rows: Sequence[EventRow]) -> None:
    """Ask for the names that these events have together with the next page, if that will be enough."""
    name = ("named by events", project)
    if not rows or any(map(_has_company, rows)):
        memory.forget(name)
        return
    named, expected = Named.by(rows), memory.recall(name)
    memory.keep(name, named if expected is None else expected.joined(named), parts=EXPECTED_MAX)


async def typed(tx: Read, project: int, request: ListRequest) -> ListRequest:
    """The request with the number of the event type that it names by its slug; 0, where there is none."""
    named = {value for name, _, value in request.conditions if name == "slug"}
    if not named:
        return request
    number = await tx.value(
        "SELECT id FROM event_types WHERE project_id = %s AND slug = %s", (project, *named)
    )
    conditions = [
        (name, comparator, (number or 0) if name == "slug" else value)
        for name, comparator, value in request.conditions
    ]
    return replace(request, conditions=tuple(conditions))


def _kept(project: int, request: ListRequest) -> Part | None:
    """How many events of the project, or of one type, there are: that is kept as they come."""
    types = {value for name, _, value in request.conditions if name in _TYPE}
    if len(types) > 1 or any(name not in _TYPE for name, *_ in request.conditions):
        return None
    of_type = " AND event_type_id = %s" if types else ""
    return Part(
        f"SELECT coalesce(sum(events), 0)::bigint, true FROM event_counts WHERE project_id = %s{of_type}",
        (project, *types),
    )


async def get_event(tx: Read, project: int, friendly: str) -> Event:
    """One event by its friendly id: all that most events have in one message."""
    number = event_number(project, friendly)
    rows, meanings, evidence, locations = await tx.lastly(
        (ONE_EVENT, (project, number)),
        (_MEANINGS_OF_ONE, (project, project, number)),
        evidence_numbered(project, [number]),
        locations_of_event(project, number),
    )
    if not rows:
        raise NotFound
    row = EVENT_ROW.make(*rows[0])
    if row.is_revised or row.has_results:
        return await whole_event(tx, await event_row(tx, project, friendly))
    named = locations_by_number(locations)
    return assembled(
        row,
        [PositionMeaning(*meaning) for meaning in meanings],
        [named[one] for one in row.location_ids],
        evidence_by_event(project, evidence).get(number, []),
    )


async def whole_event(tx: Read, row: EventRow) -> Event:
    """An event's row with the names of its values and the records of its locations."""
    return (await _events(tx, row.project, [row]))[0]


async def _events(
    tx: Read, project: int, rows: Sequence[EventRow], *, is_read_only: bool = False
) -> list[Event]:
    """Complete rows with the names of their values, the records of their locations, and their evidence.

    What every event has is asked for at once, and ends the transaction unless rules or people had to do with
    some: what they did is asked for where rows say that there is something.
    """
    revised = [row.number for row in rows if row.is_revised]
    judged = [row.number for row in rows if row.has_results]
    asked = (
        *Named.by(rows).questions(project),
        evidence_numbered(project, [row.number for row in rows]),
    )
    is_last = is_read_only and not revised and not judged
    *of_names, of_evidence = await (tx.lastly(*asked) if is_last else tx.several(*asked))
    names = Names.read(*of_names)
    evidence = evidence_by_event(project, of_evidence)
    corrections = await correction_summaries(tx, project, revised)
    results = await results_of_events(tx, project, judged)
    return [names.event(row, evidence.get(row.number, []), corrections, results) for row in rows]


_MEANINGS_OF_ONE: Final = """
    SELECT event_type_id, position, slug, name, unit, required FROM data_point_types
     WHERE project_id = %s
       AND event_type_id = (SELECT event_type_id FROM events WHERE project_id = %s AND id = %s)
     ORDER BY position
"""
