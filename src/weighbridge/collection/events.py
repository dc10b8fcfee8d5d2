"""Events: something that happened, with the values measured then.

An event belongs to one event type and carries data points of its types only. One that lacks a required
value is incomplete: it is stored, says what is missing and is used by no run until it is complete. What
was captured is never overwritten. An event is voided, never removed, and keeps its client reference.
Permission: data collection.

Invariants: a request stores all its events or none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Final, LiteralString, Self

from msgspec import UNSET, structs
from psycopg.sql import SQL, Composed, Identifier, Placeholder

from weighbridge.collection.evidence import evidence_by_event, evidence_numbered
from weighbridge.collection.intake.checking import EventProblems, EventVocabulary
from weighbridge.collection.intake.completion import Changes, changes_of
from weighbridge.collection.intake.creation import list_id_spans, store_event, store_many, store_one
from weighbridge.collection.intake.lookup import look_up
from weighbridge.collection.measurements.annotations import correction_summaries, results_of_events
from weighbridge.collection.measurements.corrections import NewCorrection, apply_corrections
from weighbridge.collection.measurements.event_records import (
    BY_METER,
    EVENT_JOINED,
    EVENT_ROW,
    EVENT_SOURCE,
    EXPECTED_MAX,
    ONE_EVENT,
    EventRow,
    Named,
    Names,
    PositionMeaning,
    assemble_event,
    event_number,
    event_row,
    implied_by,
    locked_event_row,
    stored_leaves,
    with_readings,
)
from weighbridge.collection.named_records.nouns import locations_by_number, locations_of_event
from weighbridge.collection.records.events import (
    EVENT_STATUSES,
    EVENTS_MAX,
    Event,
    EventChange,
    EventChangeBody,
    EventReceipts,
    NewEventsBody,
)
from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Command, Read, Write
from weighbridge.db.lists.listing import (
    MOMENT,
    Filter,
    Index,
    Listing,
    ListRequest,
    Page,
    Source,
    list_request,
    page_with_rows,
    read_int4,
    read_key,
    read_moment,
)
from weighbridge.db.statements import Part, jsonb
from weighbridge.db.transaction import Memory
from weighbridge.errors import Invalid, Malformed, NotFound, Refusal
from weighbridge.http.endpoints.endpoint import LookingBack, ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform import changes, staleness
from weighbridge.platform.tenancy import project_named, project_number, project_of, project_to_read

# Read events with their data points and locations.


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


async def select_events(tx: Read, project: int, request: ListRequest) -> Page[Event]:
    """The events of a project that are not voided."""
    request, tagged = await with_readings(tx, project, await resolve_slug_filter(tx, project, request))
    here = Part("e.project_id = %s AND e.voided_at IS NULL", (project,))
    source = Source(
        "events e",
        "e.*",
        EVENT_JOINED,
        implied=implied_by(project, request),
        kept=_stored_count(project, request),
    )
    read = partial(
        page_with_rows, tx, EVENT_ROW.make, EVENTS, request,
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


async def resolve_slug_filter(tx: Read, project: int, request: ListRequest) -> ListRequest:
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


def _stored_count(project: int, request: ListRequest) -> Part | None:
    """How many events of the project, or of one type, there are: that is kept as they come."""
    types = {value for name, _, value in request.conditions if name in _TYPE}
    if len(types) > 1 or any(name not in _TYPE for name, *_ in request.conditions):
        return None
    of_type = " AND event_type_id = %s" if types else ""
    return Part(
        f"SELECT coalesce(sum(events), 0)::bigint, true FROM event_counts WHERE project_id = %s{of_type}",
        (project, *types),
    )


async def read_event(tx: Read, project: int, friendly: str) -> Event:
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
    return assemble_event(
        row,
        [PositionMeaning(*meaning) for meaning in meanings],
        [named[one] for one in row.location_ids],
        evidence_by_event(project, evidence).get(number, []),
    )


async def whole_event(tx: Read, row: EventRow) -> Event:
    """An event's row with the names of its values and the records of its locations."""
    return (await _events(tx, row.project, [row]))[0]


async def read_numbered_events(tx: Read, project: int, numbers: Sequence[int]) -> list[Event]:
    """The events with some numbers, in their order; voided ones too."""
    rows = [EVENT_ROW.make(*row) for row in await tx.tuples(_MANY, (project, list(numbers)))]
    return await _events(tx, project, rows) if rows else []


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


_MANY: Final = f"""
    SELECT {EVENT_ROW.columns} FROM {EVENT_SOURCE} WHERE e.project_id = %s AND e.id = ANY (%s) ORDER BY e.id
"""
_MEANINGS_OF_ONE: Final = """
    SELECT event_type_id, position, slug, name, unit, required FROM data_point_types
     WHERE project_id = %s
       AND event_type_id = (SELECT event_type_id FROM events WHERE project_id = %s AND id = %s)
     ORDER BY position
"""


# Create events, complete and correct one, or void it.


class EventWithLeaf(Event, frozen=True, kw_only=True):
    """An event as the audit log tells it: with the leaf of what was captured of it."""

    leaf: str

    @classmethod
    def of(cls, event: Event, leaf: str) -> Self:
        """The event with its leaf, 64 hexadecimal digits."""
        return cls(**structs.asdict(event), leaf=leaf)


_CASTS: Final[Mapping[str, LiteralString]] = {
    "numbers": "::numeric[]",
    "texts": "::text[]",
    "booleans": "::boolean[]",
}

_MANY_LOCKED: Final = f"""
    SELECT {EVENT_ROW.columns} FROM {EVENT_SOURCE}
     WHERE e.project_id = %s AND e.id = ANY (%s) AND e.voided_at IS NULL
     ORDER BY e.id FOR NO KEY UPDATE OF e
"""
_GONE: Final = Problem("The event was voided meanwhile.", "event", "unknown")

BATCHES_NAMED_MAX: Final = 10
"""Batches that a refusal to void an event names; it says how many more there are."""


async def insert_events(tx: Write, actor: Actor, project: int, body: NewEventsBody) -> Event | EventReceipts:
    """Store the one event of the body, or its many; NotFound when the account has no such project."""
    if refusal := _find_refusal(body):
        await project_named(tx, actor, str(project))
        raise refusal
    if body.event is not UNSET:
        return await store_one(tx, actor, project, body.event)
    assert body.events is not UNSET  # noqa: S101 - one of the two is set
    return await store_many(tx, actor, project, body.events)


def _find_refusal(body: NewEventsBody) -> Refusal | None:
    """Why the body as a whole is refused, whatever its events are."""
    if (body.event is UNSET) == (body.events is UNSET):
        return Malformed("The body takes either event, an object, or events, a list.")
    if body.events is UNSET or 0 < len(body.events) <= EVENTS_MAX:
        return None
    message = f"events holds {len(body.events)}; a request takes 1 to {EVENTS_MAX:,}."
    return Invalid([Problem(message, "events", "invalid")])


async def change_event(tx: Write, actor: Actor, project: int, friendly: str, change: EventChange) -> Event:
    """Add to an event what it lacks, and correct what it holds; what was captured stays beside it."""
    # The type is locked before the event, in the order in which a change of the type locks them.
    kind = (await event_row(tx, project, friendly)).slug
    vocabulary = (
        await look_up(tx, actor, project, slugs=[kind], named=_list_named_records(change))
    ).vocabulary
    row = await locked_event_row(tx, project, friendly)
    before = await whole_event(tx, row)
    problems = EventProblems("event", 0, [])
    changing = changes_of(row, change, vocabulary, problems)
    reference = changing.fields.get("client_reference")
    problems.collected.extend(await _problems_of_reference(tx, row, reference))
    if problems.collected:
        raise Invalid(problems.collected)
    if not changing.fields and not changing.corrections:
        return before
    traces = await _list_traces(tx, row, changing)
    was = await stored_leaves(tx, project, [row.number])
    await _set_fields(tx, row, changing.fields)
    await apply_corrections(tx, actor, project, changing.corrections)
    after = await read_event(tx, project, friendly)
    now = await stored_leaves(tx, project, [row.number])
    changes.record(
        tx, actor, *traces, action="event.update", target=after.id, project_id=project,
        before=EventWithLeaf.of(before, was[row.number]), after=EventWithLeaf.of(after, now[row.number]),
    )  # fmt: skip
    return after


async def _list_traces(tx: Write, row: EventRow, changing: Changes) -> list[changes.Trace]:
    """What a change of an event leaves beside its corrections; Conflict while a generation runs, where values
    are known otherwise than before.
    """
    traces: list[changes.Trace] = [changes.StoredEvents([row.number])]
    # Filters may read the location, so what was made of the event is no longer certain.
    positions = [0] * ("location_ids" in changing.fields) + changing.restated
    if changing.restated:
        traces.append(await staleness.hold_off_generations(tx, row.project))
    if positions:
        inputs = staleness.announce(tx, row.project)
        values = [(row.number, position) for position in positions]
        restated = [value for value in values if value[1]]
        traces.append(staleness.ChangedValues(inputs, values, restated))
    return traces


def _list_named_records(change: EventChange) -> dict[str, set[str]]:
    """The records that a change names, by kind."""
    locations = () if change.locations is UNSET else change.locations
    return {
        "location": {location.id for location in locations},
        "feedstock": {change.feedstock_id} if isinstance(change.feedstock_id, str) else set(),
        "asset": {change.asset_id} if isinstance(change.asset_id, str) else set(),
    }


async def _set_fields(tx: Write, row: EventRow, fields: Mapping[str, Any]) -> None:
    if fields:
        await tx.execute(*_setting_fields(row, fields))


def _setting_fields(row: EventRow, fields: Mapping[str, Any]) -> tuple[Composed, tuple[Any, ...]]:
    """The statement that sets columns of an event."""
    columns = SQL(", ").join(
        SQL("{} = {}{}").format(Identifier(name), Placeholder(), SQL(_CASTS.get(name, ""))) for name in fields
    )
    statement = SQL("UPDATE events SET {}, updated_at = now() WHERE project_id = %s AND id = %s RETURNING id")
    values = [jsonb(value) if name == "uncertainties" else value for name, value in fields.items()]
    return statement.format(columns), (*values, row.project, row.number)


async def change_events(
    tx: Write, actor: Actor, project: int, wanted: Mapping[int, EventChange], vocabulary: EventVocabulary
) -> dict[int, list[Problem]]:
    """Complete and correct many events of held types, by their numbers, as `update_event` does one.

    Gives what is wrong with those that stay as they are. It takes values, times and tags; what is replaced
    and not corrected, such as notes and locations, is for `update_event`.
    """
    rows = await tx.rows(EVENT_ROW.make, _MANY_LOCKED, (project, sorted(wanted)))
    refused = {number: [_GONE] for number in wanted.keys() - {row.number for row in rows}}
    setting: list[Command] = []
    correcting: list[NewCorrection] = []
    numbers: list[int] = []
    completed: list[int] = []
    for row in rows:
        problems = EventProblems("event", 0, [])
        changing = changes_of(row, wanted[row.number], vocabulary, problems)
        if problems.collected:
            refused[row.number] = problems.collected
            continue
        if changing.fields:
            setting.append(_setting_fields(row, changing.fields))
            completed.append(row.number)
        correcting += changing.corrections
        numbers.append(row.number)
    was = await stored_leaves(tx, project, completed) if setting else {}
    if setting:
        await tx.several(*setting)
    await apply_corrections(tx, actor, project, correcting)
    if numbers:
        now = await stored_leaves(tx, project, completed) if setting else {}
        leaves = [[identity.of("event", project, one), was[one], now[one]] for one in completed]
        summary = {"count": len(numbers), "ids": list_id_spans(project, numbers), "leaves": leaves}
        changes.record(
            tx, actor, changes.StoredEvents(numbers), action="event.update_many",
            target=f"{len(numbers)} events", project_id=project, after=summary,
        )  # fmt: skip
    return refused


async def set_void(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Take an event that no batch was made of out of the data; it stays stored for the audit."""
    row = await locked_event_row(tx, project, friendly)
    if row.source_slug is not None:
        message = f"The event is rolled up from {row.source_slug!r}; void its readings instead. It stays."
        raise Invalid([Problem(message, code="rolled_up")])
    before = await whole_event(tx, row)
    held = await staleness.hold_off_generations(tx, project)
    used = await tx.tuples(
        """
        SELECT DISTINCT i.batch_id FROM batch_inputs i
          JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id) AND b.deleted_at IS NULL
         WHERE i.project_id = %(project)s AND %(event)s = ANY (i.event_ids)
           AND int8range(i.first_event, i.last_event, '[]') @> %(event)s::bigint
         ORDER BY i.batch_id
        """,
        {"project": project, "event": row.number},
    )
    if used:
        raise Invalid([_problem_of_use(project, [number for (number,) in used])])
    await tx.execute(
        "UPDATE events SET voided_at = now(), updated_at = now() WHERE project_id = %s AND id = %s",
        (project, row.number),
    )
    stored = changes.StoredEvents([row.number])
    changes.record(
        tx, actor, held, stored, action="event.void", target=before.id, project_id=project, before=before
    )


def _problem_of_use(project: int, batches: Sequence[int]) -> Problem:
    named = ", ".join(identity.of("batch", project, number) for number in batches[:BATCHES_NAMED_MAX])
    more = len(batches) - BATCHES_NAMED_MAX
    others = f" and {more:,} more" if more > 0 else ""
    return Problem(f"The event is part of what was accounted for: {named}{others}. It stays.", code="in_use")


async def _problems_of_reference(tx: Write, row: EventRow, reference: str | None) -> list[Problem]:
    if reference is None or reference == row.client_reference:
        return []
    other = await tx.value(
        "SELECT id FROM events WHERE project_id = %s AND client_reference = %s", (row.project, reference)
    )
    if other is None:
        return []
    there = identity.of("event", row.project, other)
    message = f"event.client_reference is {reference!r}, which the event {there} of the project has."
    return [Problem(message, "event.client_reference", "taken", (there,))]


# Paths of events.


_PATH = "/projects/{project_id}/events"
_ONE = _PATH + "/{event_id}"

_QUARTER: Final = {
    "event_type": "meter-reading",
    "start_time": "2025-01-31T06:00:00+01:00",
    "end_time": "2025-01-31T06:15:00+01:00",
    "client_reference": "meter-7/2025-01-31T06:00",
    "data_points": [{"slug": "energy", "value": Decimal("12.50")}],
}
_NEXT: Final = {
    "start_time": "2025-01-31T06:15:00+01:00",
    "end_time": "2025-01-31T06:30:00+01:00",
    "client_reference": "meter-7/2025-01-31T06:15",
}
EXAMPLES: Final = {
    "one": ("One event; the answer is its record.", {"event": _QUARTER}),
    "many": (
        "Many events, all stored or none; the answer has the id of each.",
        {"events": [_QUARTER, _QUARTER | _NEXT]},
    ),
}


@get(
    _PATH,
    permission="data_collection:read",
    returns=Page[Event],
    listing=EVENTS,
    looks_back=LookingBack.ASKED,
)
async def list_events(call: ReadCall) -> Page[Event]:
    """List a project's events with their data points."""
    return await select_events(call.tx, project_to_read(call), list_request(call.query, EVENTS))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewEventsBody,
    body_bytes_max=None,
    returns=Event | EventReceipts,
    examples=EXAMPLES,
    shortcut=store_event,
)
async def create_events(call: WriteCall, body: NewEventsBody) -> Event | EventReceipts:
    """Store one event, or up to 10,000 of which all or none are stored."""
    project = project_number(call.path["project_id"])
    return await insert_events(call.tx, call.actor, project, body)


@get(_ONE, permission="data_collection:read", returns=Event, looks_back=LookingBack.ASKED)
async def get_event(call: ReadCall) -> Event:
    """Read one event."""
    return await read_event(call.tx, project_to_read(call), call.path["event_id"])


@patch(_ONE, permission="data_collection:write", body=EventChangeBody, returns=Event)
async def update_event(call: WriteCall, body: EventChangeBody) -> Event:
    """Complete an event (first values, notes, client reference, locations), or correct what it holds.

    Another value, time, feedstock, asset or tracking id is a correction: it counts from now on, and what was
    captured stays beside it; what is held adds nothing. A reading stays one when only `start_time` is sent.
    Null clears notes and client reference; `locations` replaces the set.
    """
    return await change_event(call.tx, call.actor, await project_of(call), call.path["event_id"], body.event)


@delete(_ONE, permission="data_collection:write")
async def void_event(call: WriteCall) -> None:
    """Void an event that no batch was made of.

    It disappears from the data, stays stored for the audit, and keeps its client reference.
    """
    project = await project_of(call)
    await set_void(call.tx, call.actor, project, call.path["event_id"])


ROUTES = [list_events, create_events, get_event, update_event, void_event]
