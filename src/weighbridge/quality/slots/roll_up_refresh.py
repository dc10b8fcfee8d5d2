"""Update stored rolled-up events where readings changed, from the marks that writes leave.

Interrupted work leaves its marks, and repeating it changes nothing. An event keeps its number, notes,
evidence and corrections. What a batch may use changes only while no generation runs.

Invariants: refreshing again changes nothing. There is one event for each slot and combination of tags.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg.sql import SQL

from weighbridge.collection.measurements.corrections import show_in_force, undo_by_runs
from weighbridge.core.collection.capture import gather_ranges
from weighbridge.core.collection.correction import CorrectionOrigin, CorrectionState
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Command, Database, Read, Write
from weighbridge.errors import Conflict
from weighbridge.platform import changes, staleness
from weighbridge.quality.rule_corrections import take_back_approvals
from weighbridge.quality.slots.roll_up import (
    CONTENT,
    MADE,
    SAME_SLOT_AND_TAGS,
    RollUpDefinition,
    events_of_slots,
    held_definition,
    read_definition,
)

# Refreshing: the stored events of some slots are updated from their readings, in sets.
#
# An event keeps its number, its notes, its evidence and its corrections while its values change beneath
# them. Events of readings that came first are new; one whose readings are all gone is voided, and comes
# back with them. What a batch may be made of changes only while no generation runs, and the batch is stale
# by it.
#
# Invariants: refreshing again changes nothing; of a slot and its tags there is one event.


@dataclass(frozen=True, slots=True)
class _Changed:
    """An event that differs from its readings: in which of its values, or in whether it counts."""

    event: int
    start: datetime
    positions: Sequence[int]
    is_otherwise: bool
    """Complete or not, there or not, by what it was."""
    is_gone: bool


async def refresh(tx: Write, definition: RollUpDefinition, numbers: range, *, is_undone: bool = False) -> int:
    """Update the events of some slots from their readings; return how many changed.

    Conflict while a generation runs and events have to change that were there before, unless the transaction
    is undone afterwards.
    """
    query, values = events_of_slots(definition, numbers)
    await tx.execute(_TABLE)
    await tx.execute("DELETE FROM rolled_up")
    key = {"project": definition.project, "event_type": definition.event_type}
    await tx.execute(SQL(_FILL).format(events=query), values | key)
    span = key | {"first": values["first"], "last": values["last"]}
    positions = [column.position for column in definition.columns]
    changed = [_Changed(*row) for row in await tx.tuples(_CHANGED, span | {"positions": positions})]
    added = await _add(tx, key)
    if changed:
        if not is_undone:
            await staleness.hold_off_generations(tx, definition.project)
        await _change(tx, definition.project, changed)
    _leave_marks(tx, definition, [*added, *(event_change.start for event_change in changed)])
    return len(added) + len(changed)


async def _add(tx: Write, key: dict[str, Any]) -> list[datetime]:
    """Store the events that were not there; gives when they start."""
    count: int = await tx.value("SELECT count(*) FROM rolled_up WHERE event_id IS NULL")
    if not count:
        return []
    keys = await tx.take_event_keys(count)
    bounds = await tx.tuples(_ADD, key | {"keys": keys})
    return [moment for row in bounds for moment in row]


async def _change(tx: Write, project: int, changed: Sequence[_Changed]) -> None:
    """Update existing events from their readings, and mark their users as stale."""
    inputs = staleness.announce(tx, project)
    events = sorted(event_change.event for event_change in changed)
    query_values = {"project": project, "events": events}
    await tx.execute(_HOLD, query_values)
    await tx.execute(
        _VOID,
        {
            "project": project,
            "events": [event_change.event for event_change in changed if event_change.is_gone],
        },
    )
    filled = await tx.tuples(_FILLED, query_values)
    corrected = await tx.tuples(_UPDATE, query_values)
    await show_in_force(tx, project, [event for event, is_corrected in corrected if is_corrected])
    # The readings replace values that rules filled in, in their transaction, as with imputed events.
    await undo_by_runs(tx, project, [(number, run) for number, run, _ in filled])
    for rule in sorted({rule for _, _, rule in filled}):
        await take_back_approvals(tx, project, rule)
    values = [
        (event_change.event, position) for event_change in changed for position in event_change.positions
    ]
    values += [(event_change.event, 0) for event_change in changed if event_change.is_otherwise]
    changes.leave(tx, project, staleness.ChangedValues(inputs, values))


def _leave_marks(tx: Write, definition: RollUpDefinition, starts: Sequence[datetime]) -> None:
    """Mark the events for automatic rules, and for the roll-ups that read them."""
    if starts:
        mark = changes.Mark(definition.event_type, min(starts), max(starts))
        changes.leave(tx, definition.project, changes.NewEvents((mark,)))


_TABLE: Final = """
    CREATE TEMPORARY TABLE IF NOT EXISTS rolled_up (
        start_time timestamptz(3), end_time timestamptz(3), asset_id integer, location_ids integer[],
        feedstock_id integer, tracking_id text, readings integer, valid_readings integer,
        covered_readings integer, expected_readings integer, numbers numeric[], texts text[],
        booleans boolean[], is_complete boolean, event_id bigint
    ) ON COMMIT DROP
"""
_FILL: Final = f"""
    INSERT INTO rolled_up
    SELECT made.*, e.id
      FROM ({{events}}) AS {MADE}
      LEFT JOIN events e ON e.project_id = %(project)s AND e.event_type_id = %(event_type)s
       AND e.readings IS NOT NULL AND e.start_time >= %(first)s AND e.start_time < %(last)s
       AND {SAME_SLOT_AND_TAGS}
"""
_CHANGED: Final = f"""
    SELECT e.id, e.start_time,
           ARRAY(SELECT position FROM unnest(%(positions)s::integer[]) AS position
                  WHERE r.event_id IS NOT NULL
                    AND (e.numbers[position], e.texts[position], e.booleans[position])
                        IS DISTINCT FROM (r.numbers[position], r.texts[position], r.booleans[position])),
           r.event_id IS NULL OR (e.is_complete, e.voided_at IS NULL) IS DISTINCT FROM (r.is_complete, true),
           r.event_id IS NULL
      FROM events e LEFT JOIN (SELECT * FROM rolled_up) r ON r.event_id = e.id
     WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s AND e.readings IS NOT NULL
       AND e.start_time >= %(first)s AND e.start_time < %(last)s
       AND CASE WHEN r.event_id IS NULL THEN e.voided_at IS NULL
                ELSE e.voided_at IS NOT NULL
                     OR {CONTENT.format("e")} IS DISTINCT FROM {CONTENT.format("r")} END
"""
_ADD: Final = """
    WITH added AS (
        INSERT INTO events (project_id, id, event_type_id, start_time, end_time, tracking_id, feedstock_id,
                            asset_id, location_ids, numbers, texts, booleans, is_complete, readings,
                            valid_readings, covered_readings, expected_readings)
        SELECT %(project)s, key.id, %(event_type)s, r.start_time, r.end_time, r.tracking_id, r.feedstock_id,
               r.asset_id, r.location_ids, r.numbers, r.texts, r.booleans, r.is_complete, r.readings,
               r.valid_readings, r.covered_readings, r.expected_readings
          FROM (SELECT *, row_number() OVER (ORDER BY start_time) AS place FROM rolled_up
                 WHERE event_id IS NULL) AS r
          JOIN unnest(%(keys)s::bigint[]) WITH ORDINALITY AS key (id, place) USING (place)
        RETURNING start_time)
    SELECT min(start_time), max(start_time) FROM added
"""
_HOLD: Final = """
    SELECT FROM events WHERE project_id = %(project)s AND id = ANY (%(events)s) ORDER BY id
       FOR NO KEY UPDATE
"""
_VOID: Final = """
    UPDATE events SET voided_at = now(), updated_at = now()
     WHERE project_id = %(project)s AND id = ANY (%(events)s)
"""
_FILLED: Final = f"""
    SELECT c.id, coalesce(c.rule_run_id, (SELECT max(u.id) FROM rule_runs u
                                           WHERE (u.project_id, u.rule_id) = (c.project_id, c.rule_id))),
           c.rule_id
      FROM corrections c
      JOIN events e ON (e.project_id, e.id) = (c.project_id, c.event_id)
      JOIN (SELECT * FROM rolled_up) r ON r.event_id = e.id
     WHERE c.project_id = %(project)s AND c.event_id = ANY (%(events)s)
       AND c.source = '{CorrectionOrigin.SUBSTITUTION}' AND c.state <> '{CorrectionState.REVERTED}'
       AND e.numbers[c.position] IS NULL AND r.numbers[c.position] IS NOT NULL
"""
"""Corrections of values that the readings now provide, each with a run of its rule."""

_UPDATE: Final = """
    UPDATE events e
       SET numbers = r.numbers, texts = r.texts, booleans = r.booleans, is_complete = r.is_complete,
           readings = r.readings, valid_readings = r.valid_readings, covered_readings = r.covered_readings,
           expected_readings = r.expected_readings, voided_at = NULL, updated_at = now()
      FROM (SELECT * FROM rolled_up) r
     WHERE e.project_id = %(project)s AND e.id = ANY (%(events)s) AND r.event_id = e.id
    RETURNING e.id, num_nonnulls(e.corrected_numbers, e.corrected_texts, e.corrected_booleans) > 0
"""


# Roll up the marked readings: those that changed, of every type that is rolled up.
#
# A mark tells of a stretch in which readings of a type changed, or of all of them where what is made of
# them did. The stretches become few ranges of slots, and these are refreshed portion by portion, each in a
# transaction of its own; the marks go when all of it is stored. What is refreshed leaves marks for what is
# rolled up from it, so that minutes become hours and hours days in one go.
#
# If it is killed, the marks remain, and rolling up again changes nothing. In the background
# it yields to a generation and tries again later; before a generation it waits.


SLOTS: Final = 10_000
"""Slots that are rolled up in one transaction, at most."""

ROUNDS_MAX: Final = 50
"""How often marks are taken that came meanwhile; then others have their turn."""

Stretch = tuple[Instant | None, Instant | None]
"""From when to when readings changed; None where all earlier or later ones did."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """The marks of a project: their numbers, and the stretches of each event type of readings."""

    numbers: list[int]
    stretches: dict[int, list[Stretch]]

    @property
    def is_redefined(self) -> bool:
        """Whether something may be rolled up that was not before."""
        return any(None in stretch for stretches in self.stretches.values() for stretch in stretches)


class _RolledUpElsewhereError(Exception):
    """Another worker rolls up for the project just now."""


async def roll_up_marked(database: Database, project: int, *, waits: bool = False) -> bool:
    """Roll up the marked readings of a project; return whether all of them are done.

    Unless it waits, it yields to another worker and to a running generation.
    """
    for _ in range(ROUNDS_MAX):
        async with database.read() as tx:
            marks = await _read_seen(tx, project)
        if not marks.numbers:
            return True
        try:
            await _roll_up(database, project, marks, waits=waits)
        except (Conflict, _RolledUpElsewhereError):
            return False
    return False


async def roll_up_within(tx: Write, project: int) -> None:
    """Roll up the marked readings of a project, in a transaction that is rolled back afterwards."""
    for _ in range(ROUNDS_MAX):
        marks = await _read_seen(tx, project)
        if not marks.numbers:
            break
        for source, stretches in marks.stretches.items():
            for (target,) in await tx.tuples(_TARGETS, (project, source)):
                definition = await read_definition(tx, project, target)
                assert definition is not None, "it was listed a moment ago"  # noqa: S101
                for slots in gather_ranges(
                    [await slots_of(tx, definition, stretch) for stretch in stretches]
                ):
                    for first in range(slots.start, slots.stop, SLOTS):
                        portion = range(first, min(first + SLOTS, slots.stop))
                        await refresh(tx, definition, portion, is_undone=True)
        await tx.execute(_REMOVE, (project, marks.numbers))


async def _roll_up(database: Database, project: int, marks: _Seen, *, waits: bool) -> None:
    if marks.is_redefined:
        async with database.write() as tx:  # writers that may not have seen that their events are readings
            await tx.execute(*locks.hold_rule_marks(project))
    for source, stretches in marks.stretches.items():
        async with database.read() as tx:
            targets = await tx.tuples(_TARGETS, (project, source))
        for (target,) in targets:
            await _follow(database, project, target, stretches, waits=waits)
    async with database.write() as tx:
        await tx.execute(_REMOVE, (project, marks.numbers))


async def _follow(
    database: Database, project: int, target: int, stretches: Sequence[Stretch], *, waits: bool
) -> None:
    """Refresh the events of a type wherever readings changed."""
    async with database.read() as tx:
        definition = await read_definition(tx, project, target)
        if definition is None:
            return
        ranges = gather_ranges([await slots_of(tx, definition, stretch) for stretch in stretches])
    for slots in ranges:
        first: int | None = slots.start
        while first is not None and first < slots.stop:
            portion = range(first, min(first + SLOTS, slots.stop))
            first = await _refresh(database, definition, portion, waits=waits)


async def _refresh(
    database: Database, stored_definition: RollUpDefinition, portion: range, *, waits: bool
) -> int | None:
    """Refresh a portion of slots; return the next slot that has events, None where none has."""
    async with database.write() as tx:
        if waits:
            await staleness.await_generations(tx, stored_definition.project)
            await tx.execute(*locks.hold(locks.roll_up_worker(stored_definition.project)))
        elif not await tx.value(*locks.try_hold(locks.roll_up_worker(stored_definition.project))):
            raise _RolledUpElsewhereError
        definition = await held_definition(tx, stored_definition.project, stored_definition.event_type)
        if definition is None or definition.slots != stored_definition.slots:
            return None  # a later definition left its own marks
        await refresh(tx, definition, portion)
        after = await _first_event(tx, definition, definition.slots.start(portion.stop))
        return None if after is None else definition.slots.holding(after)


async def slots_of(tx: Read, definition: RollUpDefinition, stretch: Stretch) -> range:
    """The slots of a time interval, up to the last event."""
    slots, (start, end) = definition.slots, stretch
    start = await _first_event(tx, definition) if start is None else start
    end = await _last_event(tx, definition) if end is None else end
    return range(0) if start is None or end is None else range(slots.holding(start), slots.holding(end) + 1)


async def _first_event(
    tx: Read, definition: RollUpDefinition, start: Instant | None = None
) -> Instant | None:
    """When the first reading or event begins, from a moment on."""
    kinds = (definition.project, definition.source, definition.project, definition.event_type)
    if start is None:
        moment = await tx.value(_FIRST, kinds)
    else:
        moment = await tx.value(_FIRST_FROM, (*kinds[:2], start, *kinds[2:], start))
    return None if moment is None else Instant.of(moment)


async def _last_event(tx: Read, definition: RollUpDefinition) -> Instant | None:
    kinds = (definition.project, definition.source, definition.project, definition.event_type)
    moment = await tx.value(_LAST, kinds)
    return None if moment is None else Instant.of(moment)


def roll_up_marks(project: int) -> Command:
    """The command that reads the marks of a project."""
    return "SELECT id FROM roll_up_marks WHERE project_id = %s", (project,)


async def _read_seen(tx: Read, project: int) -> _Seen:
    numbers = await tx.tuples(*roll_up_marks(project))
    stretches: dict[int, list[Stretch]] = {}
    for source, first, last in await tx.tuples(_MARKED, (project,)) if numbers else ():
        bounds = tuple(None if bound is None else Instant.of(bound) for bound in (first, last))
        stretches.setdefault(source, []).append((bounds[0], bounds[1]))
    return _Seen([number for (number,) in numbers], stretches)


_REMOVE: Final = "DELETE FROM roll_up_marks WHERE project_id = %s AND id = ANY (%s)"
_TARGETS: Final = """
    SELECT event_type_id FROM roll_ups WHERE project_id = %s AND source_id = %s ORDER BY event_type_id
"""
_MARKED: Final = """
    SELECT source_id, CASE WHEN isfinite(lower(span)) THEN lower(span) END,
           CASE WHEN isfinite(upper(span)) THEN upper(span) END
      FROM (SELECT source_id, unnest(range_agg(tstzrange(start_time, end_time, '[]'))) AS span
              FROM roll_up_marks WHERE project_id = %s GROUP BY source_id) merged
     ORDER BY source_id, span
"""
_FIRST: Final = """
    SELECT least((SELECT min(start_time) FROM events WHERE project_id = %s AND event_type_id = %s),
                 (SELECT min(start_time) FROM events WHERE project_id = %s AND event_type_id = %s))
"""
_FIRST_FROM: Final = """
    SELECT least((SELECT min(start_time) FROM events
                   WHERE project_id = %s AND event_type_id = %s AND start_time >= %s),
                 (SELECT min(start_time) FROM events
                   WHERE project_id = %s AND event_type_id = %s AND start_time >= %s))
"""
_LAST: Final = """
    SELECT greatest((SELECT max(start_time) FROM events WHERE project_id = %s AND event_type_id = %s),
                    (SELECT max(start_time) FROM events WHERE project_id = %s AND event_type_id = %s))
"""
