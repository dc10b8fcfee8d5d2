"""Make event types, change and remove them."""

from collections.abc import Sequence

from msgspec import UNSET

from weighbridge.collection.event_schema.checking import (
    problems_of_data_point_types,
    problems_of_event_type,
    problems_of_measured_cadence,
    problems_of_valid_when,
)
from weighbridge.collection.event_schema.revision import (
    KeptDataPointType,
    Revision,
    problems_of_new,
    revise,
    written_out,
)
from weighbridge.collection.event_schema.roll_up import (
    ReadingsType,
    forget_roll_up,
    points_rolled_up,
    problems_of_roll_up,
    readers_of,
    source_of,
    store_roll_up,
)
from weighbridge.collection.event_types import queries
from weighbridge.collection.event_types.records import (
    EventType,
    EventTypeChange,
    NewDataPointType,
    NewEventType,
)
from weighbridge.core.identity import ids
from weighbridge.core.identity.ids import POSITION_MAX
from weighbridge.core.identity.slug import slug_of
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid
from weighbridge.platform import changes
from weighbridge.platform.feature_flags.queries import is_on


async def create_event_type(tx: Write, actor: Actor, project: int, new: NewEventType) -> EventType:
    """Make an event type with its data point types."""
    has_capture_rate = await is_on(tx, actor.account_id, Feature.DATA_CAPTURE_RATE)
    source = await source_of(tx, project, new, None)
    problems = [
        *problems_of_event_type(new),
        *problems_of_measured_cadence(new, has_capture_rate=has_capture_rate),
        *problems_of_data_point_types(new.data_point_types),
        *problems_of_valid_when(new),
        *problems_of_roll_up(new, source),
    ]
    slug = new.slug or slug_of(new.name)
    if not problems and await tx.value(
        "SELECT true FROM event_types WHERE project_id = %s AND slug = %s", (project, slug)
    ):
        problems.append(
            Problem(f"The project has an event type {slug!r} already.", "event_type.slug", "taken")
        )
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO event_types (project_id, slug, name, description, cadence_amount, cadence_unit,
                                 valid_when, reusable_in_batches, expected_locations, requires_tracking_id)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            project, slug, new.name.strip(), new.description, new.cadence_amount, new.cadence_unit,
            new.valid_when, new.reusable_in_batches, new.expected_locations, new.requires_tracking_id,
        ),
    )  # fmt: skip
    await _add_data_point_types(tx, project, number, new.data_point_types)
    if new.rolled_up_from is not None:
        await store_roll_up(tx, project, number, written_out(new.rolled_up_from), source)
    made = await queries.get_event_type(tx, project, ids.of("event_type", project, number))
    changes.record(tx, actor, action="event_type.create", target=made.id, project_id=project, after=made)
    return made


async def update_event_type(
    tx: Write, actor: Actor, project: int, friendly: str, change: EventTypeChange
) -> EventType:
    """Change an event type; what events carry keeps its meaning.

    What is required from now on holds for events that are stored from now on; what no longer is required
    completes the events that lacked nothing else.
    """
    if change.rolled_up_from is not UNSET:
        # Two that are rolled up from each other would wait for each other's rows.
        await tx.execute(*locks.hold(locks.roll_ups(project)))
    number, before = await _locked(tx, project, friendly)
    has_capture_rate = await is_on(tx, actor.account_id, Feature.DATA_CAPTURE_RATE)
    revision = revise(before, change)
    desired = revision.desired
    source = await source_of(tx, project, desired, number)
    problems = [
        *problems_of_new(revision, change),
        *problems_of_event_type(desired),
        *problems_of_measured_cadence(change, has_capture_rate=has_capture_rate),
        *problems_of_data_point_types(desired.data_point_types),
        *problems_of_valid_when(desired),
        *problems_of_roll_up(desired, source),
    ]
    if problems := problems or await _problems_of_use(tx, project, number, revision):
        raise Invalid(problems)
    if not revision.is_change:
        return before
    await tx.execute(
        """
        UPDATE event_types
           SET name = %s, description = %s, cadence_amount = %s, cadence_unit = %s, valid_when = %s,
               reusable_in_batches = %s, expected_locations = %s, requires_tracking_id = %s,
               updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (
            desired.name, desired.description, desired.cadence_amount, desired.cadence_unit,
            desired.valid_when, desired.reusable_in_batches, desired.expected_locations,
            desired.requires_tracking_id, project, number,
        ),
    )  # fmt: skip
    await _change_schema(tx, project, number, revision, source)
    after = await queries.get_event_type(tx, project, friendly)
    changes.record(
        tx, actor, action="event_type.update", target=after.id, project_id=project, before=before, after=after
    )
    if revision.is_loosened:
        await _complete_events(tx, actor, project, number, after)
    return after


async def delete_event_type(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Remove an event type that has no events, voided ones included."""
    number, before = await _locked(tx, project, friendly)
    if await tx.value(
        "SELECT EXISTS (SELECT FROM events WHERE project_id = %s AND event_type_id = %s)", (project, number)
    ):
        raise Invalid(
            [
                Problem(
                    f"The project has events of type {before.slug!r}, voided ones included; the type stays.",
                    code="in_use",
                )
            ]
        )
    if await tx.value(
        "SELECT EXISTS (SELECT FROM rule_versions WHERE project_id = %s AND event_type_id = %s)",
        (project, number),
    ):
        said = f"Data rules, removed ones included, watch events of type {before.slug!r}; the type stays."
        raise Invalid([Problem(said, code="in_use")])
    if await tx.value(
        "SELECT EXISTS (SELECT FROM outages WHERE project_id = %s AND event_type_id = %s)", (project, number)
    ):
        raise Invalid([Problem(f"Outages name the type {before.slug!r}; it stays.", code="in_use")])
    if await tx.value(
        "SELECT EXISTS (SELECT FROM data_feeds WHERE project_id = %s AND event_type_id = %s)",
        (project, number),
    ):
        raise Invalid([Problem(f"Data feeds make events of type {before.slug!r}; it stays.", code="in_use")])
    if readers := await readers_of(tx, project, number):
        named = ", ".join(map(repr, readers))
        said = f"Events of type {named} are rolled up from {before.slug!r}; the type stays."
        raise Invalid([Problem(said, code="in_use")])
    await forget_roll_up(tx, project, number)
    await tx.execute(
        "DELETE FROM data_point_types WHERE project_id = %s AND event_type_id = %s", (project, number)
    )
    await tx.execute("DELETE FROM event_types WHERE project_id = %s AND id = %s", (project, number))
    changes.record(tx, actor, action="event_type.delete", target=before.id, project_id=project, before=before)


async def _locked(tx: Write, project: int, friendly: str) -> tuple[int, EventType]:
    """The number and record of an event type that nobody else changes, and of which nobody stores events."""
    number = ids.number("event_type", friendly, project)
    await tx.execute(
        "SELECT FROM event_types WHERE project_id = %s AND id = %s FOR UPDATE", (project, number)
    )
    return number, await queries.get_event_type(tx, project, friendly)


async def _problems_of_use(tx: Write, project: int, number: int, revision: Revision) -> list[Problem]:
    """What cannot be removed or mean something else, because events carry it or batches read it."""
    redefined = [one for one in revision.kept if one.is_redefined]
    numbers = [one.id for one in revision.removed] + [one.was.id for one in redefined]
    if problems := await _problems_of_roll_ups(tx, project, number, revision, numbers):
        return problems
    if not numbers:
        return []
    rows = await tx.tuples(
        """
        SELECT t.id FROM data_point_types t
         WHERE t.project_id = %(project)s AND t.id = ANY (%(numbers)s)
           AND (EXISTS (SELECT FROM events e
                         WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s
                           AND (e.numbers[t.position] IS NOT NULL OR e.texts[t.position] IS NOT NULL
                                OR e.booleans[t.position] IS NOT NULL))
                OR EXISTS (SELECT FROM batch_input_sets s
                            WHERE s.project_id = %(project)s AND s.event_type_id = %(event_type)s
                              AND t.position = ANY (s.positions)))
        """,
        {"project": project, "event_type": number, "numbers": numbers},
    )
    used = {one for (one,) in rows}
    return [
        Problem(
            f"event_type.data_point_types leaves out {one.slug!r}, which events carry; it stays.",
            "event_type.data_point_types",
            "in_use",
        )
        for one in revision.removed
        if one.id in used
    ] + [_redefined(one) for one in redefined if one.was.id in used]


async def _problems_of_roll_ups(
    tx: Write, project: int, number: int, revision: Revision, points: Sequence[int]
) -> list[Problem]:
    """What cannot change because events are rolled up, or are captured and cannot be rolled up any more."""
    read = await points_rolled_up(tx, project, points)
    slugs = {one.id: one.slug for one in revision.was.data_point_types}
    problems = [
        Problem(
            f"Events of type {reader!r} are rolled up from {slugs[point]!r}; it stays as it is.",
            "event_type.data_point_types",
            "in_use",
        )
        for point, reader in read.items()
    ]
    if revision.was.cadence_unit is not None and revision.desired.cadence_unit is None:
        problems += [
            Problem(
                f"Events of type {reader!r} are rolled up by the cadence of {revision.was.slug!r}; it stays.",
                "event_type.cadence_unit",
                "in_use",
            )
            for reader in await readers_of(tx, project, number)
        ]
    was, desired = revision.was.rolled_up_from, revision.desired.rolled_up_from
    if (was is None) != (desired is None) and await tx.value(
        "SELECT EXISTS (SELECT FROM events WHERE project_id = %s AND event_type_id = %s)", (project, number)
    ):
        made = "written by people and devices" if was is None else f"rolled up from {was.event_type!r}"
        said = (
            f"The project has events of type {revision.was.slug!r}, voided ones included, that were {made}; "
        )
        problems.append(Problem(f"{said}make another event type.", "event_type.rolled_up_from", "in_use"))
    return problems


def _redefined(kept: KeptDataPointType) -> Problem:
    name = "value_type" if kept.was.value_type != kept.desired.value_type else "unit"
    field = f"event_type.data_point_types[{kept.index}].{name}"
    return Problem(
        f"{field} is {getattr(kept.desired, name)!r}, but events carry {kept.was.slug!r} as "
        f"{getattr(kept.was, name)!r}; add another data point type instead.",
        field,
        "in_use",
    )


async def _change_schema(
    tx: Write, project: int, number: int, revision: Revision, source: ReadingsType | None
) -> None:
    """Change the data point types, and what they are made of."""
    was, desired = revision.was.rolled_up_from, revision.desired.rolled_up_from
    if is_made_anew := was != desired:
        await forget_roll_up(tx, project, number, values_only=desired is not None)
    await _change_data_point_types(tx, project, number, revision)
    if is_made_anew and desired is not None:
        await store_roll_up(tx, project, number, desired, source)


async def _change_data_point_types(tx: Write, project: int, number: int, revision: Revision) -> None:
    if revision.removed:
        await tx.execute(
            "DELETE FROM data_point_types WHERE project_id = %s AND id = ANY (%s)",
            (project, [one.id for one in revision.removed]),
        )
    for one in revision.kept:
        if one.is_changed:
            await tx.execute(
                """
                UPDATE data_point_types
                   SET name = %s, value_type = %s, unit = %s, required = %s, updated_at = now()
                 WHERE project_id = %s AND id = %s
                """,
                (
                    one.desired.name.strip(), one.desired.value_type, one.desired.unit, one.desired.required,
                    project, one.was.id,
                ),
            )  # fmt: skip
    if revision.added:
        await _add_data_point_types(tx, project, number, revision.added)


async def _add_data_point_types(
    tx: Write, project: int, number: int, new: Sequence[NewDataPointType]
) -> None:
    """Write down data point types at positions that none has had before."""
    first: int = await tx.value(
        "SELECT next_position FROM event_types WHERE project_id = %s AND id = %s", (project, number)
    )
    if first + len(new) - 1 > POSITION_MAX:
        raise Invalid(
            [
                Problem(
                    "The event type has had so many data point types that no position is left; make another.",
                    "event_type.data_point_types",
                    "too_many",
                )
            ]
        )
    await tx.execute(
        """
        INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type, unit,
                                      required)
        SELECT %s, %s, place + %s - 1, slug, name, value_type, unit, required
          FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::boolean[])
               WITH ORDINALITY AS sent (slug, name, value_type, unit, required, place)
         ORDER BY place
        """,
        (
            project,
            number,
            first,
            [one.slug or slug_of(one.name) for one in new],
            [one.name.strip() for one in new],
            [one.value_type for one in new],
            [one.unit for one in new],
            [one.required for one in new],
        ),
    )


async def _complete_events(tx: Write, actor: Actor, project: int, number: int, event_type: EventType) -> None:
    """Complete the events that lack nothing that is required any more."""
    completed = await tx.execute(
        """
        UPDATE events e SET is_complete = true, updated_at = now()
         WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s AND NOT e.is_complete
           AND e.readings IS NULL
           AND NOT EXISTS (SELECT FROM data_point_types t
                            WHERE t.project_id = %(project)s AND t.event_type_id = %(event_type)s
                              AND t.required
                              AND e.numbers[t.position] IS NULL AND e.texts[t.position] IS NULL
                              AND e.booleans[t.position] IS NULL)
        """,
        {"project": project, "event_type": number},
    )
    if completed:
        changes.record(
            tx,
            actor,
            action="event.complete_many",
            target=f"{completed} events",
            project_id=project,
            after={"count": completed, "event_type": event_type.id},
        )
