"""Roll up what is marked: the readings that changed since, of every type that something is rolled up from.

A mark tells of a stretch in which readings of a type changed, or of all of them where what is made of them
did. The stretches become few ranges of slots, and these are refreshed portion by portion, each in a
transaction of its own; the marks go when all of it is stored. What is refreshed leaves marks for what is
rolled up from it, so that minutes become hours and hours days in one go.

Killed in the middle, it leaves the marks, and what is rolled up again changes nothing. In the background it
gives way to a generation and comes back; before a generation it waits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from weighbridge.core.collection.roll_up import gathered
from weighbridge.core.time.instant import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.errors import Conflict
from weighbridge.platform import changes
from weighbridge.quality.rollup.definition import RollUpDefinition, definition_of, held_definition
from weighbridge.quality.rollup.refreshing import refresh

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
    """Roll up what is marked in a project; gives whether all of it is done.

    Where it does not wait, it gives way to another worker and to a generation that is at work.
    """
    for _ in range(ROUNDS_MAX):
        async with database.read() as tx:
            seen = await _seen(tx, project)
        if not seen.numbers:
            return True
        try:
            await _roll_up(database, project, seen, waits=waits)
        except (Conflict, _RolledUpElsewhereError):
            return False
    return False


async def roll_up_within(tx: Write, project: int) -> None:
    """Roll up what is marked in a project, in a transaction that is undone afterwards."""
    for _ in range(ROUNDS_MAX):
        seen = await _seen(tx, project)
        if not seen.numbers:
            break
        for source, stretches in seen.stretches.items():
            for (target,) in await tx.tuples(_TARGETS, (project, source)):
                definition = await definition_of(tx, project, target)
                assert definition is not None, "it was listed a moment ago"  # noqa: S101
                for slots in gathered([await slots_of(tx, definition, one) for one in stretches]):
                    for first in range(slots.start, slots.stop, SLOTS):
                        portion = range(first, min(first + SLOTS, slots.stop))
                        await refresh(tx, definition, portion, is_undone=True)
        await tx.execute(_REMOVE, (project, seen.numbers))


async def _roll_up(database: Database, project: int, seen: _Seen, *, waits: bool) -> None:
    if seen.is_redefined:
        async with database.write() as tx:  # writers that may not have seen that their events are readings
            await tx.execute(*locks.hold_rule_marks(project))
    for source, stretches in seen.stretches.items():
        async with database.read() as tx:
            targets = await tx.tuples(_TARGETS, (project, source))
        for (target,) in targets:
            await _follow(database, project, target, stretches, waits=waits)
    async with database.write() as tx:
        await tx.execute(_REMOVE, (project, seen.numbers))


async def _follow(
    database: Database, project: int, target: int, stretches: Sequence[Stretch], *, waits: bool
) -> None:
    """Refresh the events of a type wherever readings changed."""
    async with database.read() as tx:
        definition = await definition_of(tx, project, target)
        if definition is None:
            return
        ranges = gathered([await slots_of(tx, definition, one) for one in stretches])
    for slots in ranges:
        first: int | None = slots.start
        while first is not None and first < slots.stop:
            portion = range(first, min(first + SLOTS, slots.stop))
            first = await _refresh(database, definition, portion, waits=waits)


async def _refresh(database: Database, known: RollUpDefinition, portion: range, *, waits: bool) -> int | None:
    """Refresh a portion of slots; gives the first slot behind it that has events, None where none has."""
    async with database.write() as tx:
        if waits:
            await changes.await_generations(tx, known.project)
            await tx.execute(*locks.hold(locks.roll_up_worker(known.project)))
        elif not await tx.value(*locks.try_hold(locks.roll_up_worker(known.project))):
            raise _RolledUpElsewhereError
        definition = await held_definition(tx, known.project, known.event_type)
        if definition is None or definition.slots != known.slots:
            return None  # what was defined since left marks of its own
        await refresh(tx, definition, portion)
        after = await _first_event(tx, definition, definition.slots.start(portion.stop))
        return None if after is None else definition.slots.holding(after)


async def slots_of(tx: Read, definition: RollUpDefinition, stretch: Stretch) -> range:
    """The slots of a stretch, as far as there are events."""
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


async def _seen(tx: Read, project: int) -> _Seen:
    numbers = await tx.tuples("SELECT id FROM roll_up_marks WHERE project_id = %s", (project,))
    stretches: dict[int, list[Stretch]] = {}
    for source, first, last in await tx.tuples(_MARKED, (project,)) if numbers else ():
        bounds = tuple(None if one is None else Instant.of(one) for one in (first, last))
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
