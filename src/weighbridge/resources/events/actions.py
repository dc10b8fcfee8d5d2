"""Store events: all of a request or none."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from msgspec import UNSET

from weighbridge.core import ids
from weighbridge.core.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.json import canonical_sha256
from weighbridge.errors import Invalid, Malformed
from weighbridge.resources.audit_log import actions as audit
from weighbridge.resources.event_types.records import EXPECTED_LOCATIONS
from weighbridge.resources.events import queries
from weighbridge.resources.events.intake import COPY_EVENTS, Intake, Known, Slot, Template, take_in
from weighbridge.resources.events.records import (
    EVENTS_MAX,
    BulkInfo,
    Event,
    EventReceipts,
    NewEvent,
    NewEventsBody,
)


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


async def _store(tx: Write, project: int, events: Sequence[NewEvent], field: str) -> tuple[list[int], Intake]:
    known = await _known(tx, project, events)
    keys = await tx.take_event_keys(len(events))
    intake = take_in(events, keys, known, field)
    problems = [*intake.problems, *await _repeated_references(tx, project, events)]
    if problems:
        raise Invalid(problems)
    await tx.copy(COPY_EVENTS, "".join(intake.rows))
    return keys, intake


async def _known(tx: Write, project: int, events: Sequence[NewEvent]) -> Known:
    """Look up what the events name, each kind of record in one statement."""
    slugs = list({event.event_type for event in events})
    locations = {place.id for event in events for place in event.locations}
    feedstocks = {event.feedstock_id for event in events if event.feedstock_id is not None}
    return Known(
        project,
        await _templates(tx, project, slugs),
        await _numbers(
            tx,
            "SELECT id FROM locations WHERE project_id = %s AND id = ANY (%s)",
            project,
            "location",
            locations,
        ),
        await _numbers(
            tx,
            "SELECT id FROM feedstocks WHERE project_id = %s AND id = ANY (%s)",
            project,
            "feedstock",
            feedstocks,
        ),
    )


async def _templates(tx: Write, project: int, slugs: list[str]) -> dict[str, Template]:
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


async def _numbers(tx: Write, statement: str, project: int, kind: str, named: set[str]) -> dict[str, int]:
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


def _spans(project: int, keys: Sequence[int]) -> list[list[str]]:
    """Runs of consecutive event keys as pairs of first and last id."""
    starts = [index for index, key in enumerate(keys) if index == 0 or key != keys[index - 1] + 1]
    ends = [*(start - 1 for start in starts[1:]), len(keys) - 1]
    return [
        [queries.event_id(project, keys[start]), queries.event_id(project, keys[end])]
        for start, end in zip(starts, ends, strict=True)
    ]
