"""Store events, all of a request or none; complete one, or void it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from msgspec import UNSET

from weighbridge.core import ids
from weighbridge.core.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.json import canonical_sha256
from weighbridge.errors import Invalid, Malformed
from weighbridge.resources.audit_log import actions as audit
from weighbridge.resources.batch_generations.lock import hold_off_generations
from weighbridge.resources.batches.queries import batch_id
from weighbridge.resources.event_types.records import EXPECTED_LOCATIONS
from weighbridge.resources.events import queries
from weighbridge.resources.events.completion import completed
from weighbridge.resources.events.intake import COPY_EVENTS, Intake, Known, Place, Slot, Template, take_in
from weighbridge.resources.events.queries import EventRow
from weighbridge.resources.events.records import (
    EVENTS_MAX,
    BulkInfo,
    Event,
    EventChange,
    EventReceipts,
    NewEvent,
    NewEventsBody,
)

BATCHES_NAMED_MAX: Final = 10
"""Batches that a refusal to void an event names; it says how many more there are."""


async def create_events(tx: Write, actor: Actor, project: int, body: NewEventsBody) -> Event | EventReceipts:
    """Store the one event of the body, or its many."""
    if (body.event is UNSET) == (body.events is UNSET):
        raise Malformed("The body takes either event, an object, or events, a list.")
    if body.event is not UNSET:
        _, intake = await _store(tx, project, [body.event], "event")
        event = await queries.get_event(tx, project, intake.receipts[0].id)
        await audit.record(tx, actor, action="event.create", target=event.id, project_id=project, after=event)
        return event
    assert body.events is not UNSET  # noqa: S101 - one of the two is set
    if not 0 < len(body.events) <= EVENTS_MAX:
        raise Invalid(
            [
                Problem(
                    f"events holds {len(body.events)}; a request takes 1 to {EVENTS_MAX:,}.",
                    "events",
                    "invalid",
                )
            ]
        )
    keys, intake = await _store(tx, project, body.events, "events")
    count = len(keys)
    summary = {
        "count": count,
        "ids": _spans(project, keys),
        "sha256": canonical_sha256(body),
    }
    await audit.record(
        tx, actor, action="event.create_many", target=f"{count} events", project_id=project, after=summary
    )
    return EventReceipts(intake.receipts, BulkInfo(count))


async def update_event(tx: Write, actor: Actor, project: int, friendly: str, asked: EventChange) -> Event:
    """Add to an event what it lacks; what was captured stays."""
    # The type is locked before the event, in the order in which a change of the type locks them.
    kind = (await queries.event_row(tx, project, friendly)).slug
    locations = () if asked.locations is UNSET else asked.locations
    known = await _known(tx, project, slugs=[kind], locations={place.id for place in locations})
    row = await queries.locked_event_row(tx, project, friendly)
    before = await queries.whole_event(tx, row)
    place = Place("event", 0, [])
    wanted = completed(row, asked, known, place)
    if problems := [*place.problems, *await _problems_of_reference(tx, row, wanted.client_reference)]:
        raise Invalid(problems)
    if wanted == row:
        return before
    await tx.execute(
        """
        UPDATE events
           SET notes = %s, client_reference = %s, location_ids = %s, numbers = %s::numeric[],
               texts = %s::text[], booleans = %s::boolean[], is_complete = %s, updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (
            wanted.notes, wanted.client_reference, wanted.location_ids, wanted.numbers,
            wanted.texts, wanted.booleans, wanted.is_complete, project, row.number,
        ),
    )  # fmt: skip
    after = await queries.get_event(tx, project, friendly)
    await audit.record(
        tx, actor, action="event.update", target=after.id, project_id=project, before=before, after=after
    )
    return after


async def void_event(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Take an event that no batch was made of out of the data; it stays stored for the audit."""
    row = await queries.locked_event_row(tx, project, friendly)
    before = await queries.whole_event(tx, row)
    await hold_off_generations(tx, project)
    used = await tx.tuples(
        """
        SELECT DISTINCT batch_id FROM batch_inputs
         WHERE project_id = %(project)s AND %(event)s = ANY (event_ids)
           AND int8range(first_event, last_event, '[]') @> %(event)s::bigint
         ORDER BY batch_id
        """,
        {"project": project, "event": row.number},
    )
    if used:
        raise Invalid([_used(project, [number for (number,) in used])])
    await tx.execute(
        "UPDATE events SET voided_at = now(), updated_at = now() WHERE project_id = %s AND id = %s",
        (project, row.number),
    )
    await audit.record(tx, actor, action="event.void", target=before.id, project_id=project, before=before)


def _used(project: int, batches: Sequence[int]) -> Problem:
    named = ", ".join(batch_id(project, number) for number in batches[:BATCHES_NAMED_MAX])
    more = len(batches) - BATCHES_NAMED_MAX
    others = f" and {more:,} more" if more > 0 else ""
    return Problem(f"The event is part of what was accounted for: {named}{others}. It stays.", code="in_use")


async def _store(tx: Write, project: int, events: Sequence[NewEvent], field: str) -> tuple[list[int], Intake]:
    slugs = {event.event_type for event in events}
    locations = {place.id for event in events for place in event.locations}
    feedstocks = {event.feedstock_id for event in events if event.feedstock_id is not None}
    assets = {event.asset_id for event in events if event.asset_id is not None}
    known = await _known(
        tx, project, slugs=list(slugs), locations=locations, feedstocks=feedstocks, assets=assets
    )
    keys = await tx.take_event_keys(len(events))
    intake = take_in(events, keys, known, field)
    problems = [*intake.problems, *await _repeated_references(tx, project, events)]
    if problems:
        raise Invalid(problems)
    await tx.copy(COPY_EVENTS, "".join(intake.rows))
    return keys, intake


async def _known(
    tx: Write,
    project: int,
    *,
    slugs: list[str],
    locations: Collection[str],
    feedstocks: Collection[str] = frozenset(),
    assets: Collection[str] = frozenset(),
) -> Known:
    """Look up what events name, each kind of record in one statement.

    All of it is held as it is until the transaction ends, so that nobody removes or redefines what a row
    is being written for.
    """
    return Known(
        project,
        await _templates(tx, project, slugs),
        await _numbers(
            tx,
            "SELECT id FROM locations WHERE project_id = %s AND id = ANY (%s) FOR KEY SHARE",
            project,
            "location",
            locations,
        ),
        await _numbers(
            tx,
            "SELECT id FROM feedstocks WHERE project_id = %s AND id = ANY (%s) FOR KEY SHARE",
            project,
            "feedstock",
            feedstocks,
        ),
        await _numbers(
            tx,
            "SELECT id FROM assets WHERE project_id = %s AND id = ANY (%s) FOR KEY SHARE",
            project,
            "asset",
            assets,
        ),
    )


async def _templates(tx: Write, project: int, slugs: list[str]) -> dict[str, Template]:
    # A statement of its own: the next one then sees what a change that this one waited for has made.
    await tx.execute(
        "SELECT FROM event_types WHERE project_id = %s AND slug = ANY (%s) FOR KEY SHARE", (project, slugs)
    )
    rows = await tx.tuples(
        """
        SELECT et.slug, et.id, et.expected_locations, et.requires_tracking_id,
               dpt.slug, dpt.position, dpt.value_type, dpt.required
          FROM event_types et
          LEFT JOIN data_point_types dpt ON (dpt.project_id, dpt.event_type_id) = (et.project_id, et.id)
         WHERE et.project_id = %s AND et.slug = ANY (%s)
         ORDER BY et.id, dpt.position
        """,
        (project, slugs),
    )
    grouped = defaultdict(list)
    for event_type, *rest in rows:
        grouped[event_type].append(rest)
    return {
        slug: Template(
            number=group[0][0],
            slots={name: Slot(position, value_type) for *_, name, position, value_type, _ in group if name},
            width=max(position or 0 for *_, position, _, _ in group),
            required=frozenset(name for *_, name, _, _, required in group if required),
            locations_min=EXPECTED_LOCATIONS[group[0][1]],
            requires_tracking_id=group[0][2],
        )
        for slug, group in grouped.items()
    }


async def _numbers(
    tx: Write, statement: str, project: int, kind: str, named: Collection[str]
) -> dict[str, int]:
    """Which of the friendly ids name a record of the project, and its number there."""
    wanted = {
        friendly: key.key
        for friendly in named
        if (key := ids.parse(ids.PREFIXES[kind], friendly)) and key.project == project
    }
    if not wanted:
        return {}
    there = {number for (number,) in await tx.tuples(statement, (project, list(wanted.values())))}
    return {friendly: number for friendly, number in wanted.items() if number in there}


async def _repeated_references(tx: Write, project: int, events: Sequence[NewEvent]) -> list[Problem]:
    """Client references that the request or the project already has: an event would be stored twice."""
    sent = Counter(event.client_reference for event in events if event.client_reference)
    if not sent:
        return []
    stored = await tx.tuples(
        "SELECT client_reference FROM events WHERE project_id = %s AND client_reference = ANY (%s)",
        (project, list(sent)),
    )
    taken = {reference for (reference,) in stored}
    return [
        Problem(
            f"The project has an event with the client reference {reference!r} already."
            if reference in taken
            else f"The client reference {reference!r} stands on {times} events of the request.",
            "client_reference",
            "taken",
        )
        for reference, times in sent.items()
        if times > 1 or reference in taken
    ]


async def _problems_of_reference(tx: Write, row: EventRow, wanted: str | None) -> list[Problem]:
    if wanted is None or wanted == row.client_reference:
        return []
    if not await tx.value(
        "SELECT true FROM events WHERE project_id = %s AND client_reference = %s", (row.project, wanted)
    ):
        return []
    said = f"The project has an event with the client reference {wanted!r} already."
    return [Problem(said, "event.client_reference", "taken")]


def _spans(project: int, keys: Sequence[int]) -> list[list[str]]:
    """Runs of consecutive event keys as pairs of first and last id."""
    starts = [index for index, key in enumerate(keys) if index == 0 or key != keys[index - 1] + 1]
    ends = [*(start - 1 for start in starts[1:]), len(keys) - 1]
    return [
        [queries.event_id(project, keys[start]), queries.event_id(project, keys[end])]
        for start, end in zip(starts, ends, strict=True)
    ]
