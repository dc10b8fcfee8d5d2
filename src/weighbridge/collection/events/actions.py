"""Create events, complete and correct one, or void it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, LiteralString, Self

from msgspec import UNSET, structs
from psycopg.sql import SQL, Composed, Identifier, Placeholder

from weighbridge.collection.events import queries
from weighbridge.collection.events.records import EVENTS_MAX, Event, EventChange, EventReceipts, NewEventsBody
from weighbridge.collection.intake.checking import EventProblems, EventVocabulary
from weighbridge.collection.intake.completion import changes_of
from weighbridge.collection.intake.creation import spans_of, store_many, store_one
from weighbridge.collection.intake.lookup import look_up
from weighbridge.collection.measurements.corrections import NewCorrection, apply_corrections
from weighbridge.collection.measurements.event_lines import stored_leaves
from weighbridge.collection.measurements.event_row import (
    EVENT_ROW,
    EVENT_SOURCE,
    EventRow,
    event_row,
    locked_event_row,
)
from weighbridge.collection.tenancy.project import project_named
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Command, Write
from weighbridge.errors import Invalid, Malformed, Refusal
from weighbridge.platform import changes


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


async def create_events(tx: Write, actor: Actor, project: int, body: NewEventsBody) -> Event | EventReceipts:
    """Store the one event of the body, or its many; NotFound when the account has no such project."""
    if refusal := _refusal_of(body):
        await project_named(tx, actor, str(project))
        raise refusal
    if body.event is not UNSET:
        return await store_one(tx, actor, project, body.event)
    assert body.events is not UNSET  # noqa: S101 - one of the two is set
    return await store_many(tx, actor, project, body.events)


def _refusal_of(body: NewEventsBody) -> Refusal | None:
    """Why the body as a whole is refused, whatever its events are."""
    if (body.event is UNSET) == (body.events is UNSET):
        return Malformed("The body takes either event, an object, or events, a list.")
    if body.events is UNSET or 0 < len(body.events) <= EVENTS_MAX:
        return None
    said = f"events holds {len(body.events)}; a request takes 1 to {EVENTS_MAX:,}."
    return Invalid([Problem(said, "events", "invalid")])


async def update_event(tx: Write, actor: Actor, project: int, friendly: str, change: EventChange) -> Event:
    """Add to an event what it lacks, and correct what it holds; what was captured stays beside it."""
    # The type is locked before the event, in the order in which a change of the type locks them.
    kind = (await event_row(tx, project, friendly)).slug
    vocabulary = (await look_up(tx, actor, project, slugs=[kind], named=_named(change))).vocabulary
    row = await locked_event_row(tx, project, friendly)
    before = await queries.whole_event(tx, row)
    problems = EventProblems("event", 0, [])
    changing = changes_of(row, change, vocabulary, problems)
    reference = changing.fields.get("client_reference")
    problems.collected.extend(await _problems_of_reference(tx, row, reference))
    if problems.collected:
        raise Invalid(problems.collected)
    if not changing.fields and not changing.corrections:
        return before
    moved = None
    if "location_ids" in changing.fields:
        # Filters may read the location, so what was made of the event is no longer certain.
        moved = changes.ChangedValues(changes.announce(tx, project), [(row.number, 0)])
    was = await stored_leaves(tx, project, [row.number])
    await _set_fields(tx, row, changing.fields)
    await apply_corrections(tx, actor, project, changing.corrections)
    after = await queries.get_event(tx, project, friendly)
    now = await stored_leaves(tx, project, [row.number])
    stored = changes.StoredEvents([row.number])
    changes.record(
        tx, actor, stored, moved, action="event.update", target=after.id, project_id=project,
        before=EventWithLeaf.of(before, was[row.number]), after=EventWithLeaf.of(after, now[row.number]),
    )  # fmt: skip
    return after


def _named(change: EventChange) -> dict[str, set[str]]:
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
    return statement.format(columns), (*fields.values(), row.project, row.number)


async def update_events(
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
        leaves = [[ids.of("event", project, one), was[one], now[one]] for one in completed]
        summary = {"count": len(numbers), "ids": spans_of(project, numbers), "leaves": leaves}
        changes.record(
            tx, actor, changes.StoredEvents(numbers), action="event.update_many",
            target=f"{len(numbers)} events", project_id=project, after=summary,
        )  # fmt: skip
    return refused


async def void_event(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Take an event that no batch was made of out of the data; it stays stored for the audit."""
    row = await locked_event_row(tx, project, friendly)
    if row.source_slug is not None:
        said = f"The event is rolled up from {row.source_slug!r}; void its readings instead. It stays."
        raise Invalid([Problem(said, code="rolled_up")])
    before = await queries.whole_event(tx, row)
    held = await changes.hold_off_generations(tx, project)
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
        raise Invalid([_used(project, [number for (number,) in used])])
    await tx.execute(
        "UPDATE events SET voided_at = now(), updated_at = now() WHERE project_id = %s AND id = %s",
        (project, row.number),
    )
    stored = changes.StoredEvents([row.number])
    changes.record(
        tx, actor, held, stored, action="event.void", target=before.id, project_id=project, before=before
    )


def _used(project: int, batches: Sequence[int]) -> Problem:
    named = ", ".join(ids.of("batch", project, number) for number in batches[:BATCHES_NAMED_MAX])
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
    there = ids.of("event", row.project, other)
    said = f"event.client_reference is {reference!r}, which the event {there} of the project has."
    return [Problem(said, "event.client_reference", "taken", (there,))]
