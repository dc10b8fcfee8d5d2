"""Refreshing: the stored events of some slots follow what their readings come to, in sets.

An event keeps its number, its notes, its evidence and its corrections while its values change beneath them.
Events of readings that came first are new; one whose readings are all gone is voided, and comes back with
them. What a batch may be made of changes only while no generation runs, and the batch is stale by it.

Invariants: refreshing again changes nothing; of a slot and its tags there is one event.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg.sql import SQL

from weighbridge.collection.measurements.corrections import show_in_force, undo_by_runs
from weighbridge.core.collection.correction import CorrectionOrigin, CorrectionState
from weighbridge.db.engine import Write
from weighbridge.platform import changes
from weighbridge.quality.correction.proposals import take_back_approvals
from weighbridge.quality.rollup.aggregation import CONTENT, MADE, SAME_SLOT_AND_TAGS, events_of_slots
from weighbridge.quality.rollup.definition import RollUpDefinition


@dataclass(frozen=True, slots=True)
class _Changed:
    """An event that does not say what its readings come to: which of its values, or whether it counts."""

    event: int
    start: datetime
    positions: Sequence[int]
    is_otherwise: bool
    """Complete or not, there or not, by what it was."""
    is_gone: bool


async def refresh(tx: Write, definition: RollUpDefinition, numbers: range, *, is_undone: bool = False) -> int:
    """Let the events of some slots be what their readings come to; gives how many changed.

    Conflict while a generation runs and events have to change that were there before, unless the transaction
    is undone afterwards.
    """
    query, values = events_of_slots(definition, numbers)
    await tx.execute(_TABLE)
    await tx.execute("DELETE FROM rolled_up")
    key = {"project": definition.project, "event_type": definition.event_type}
    await tx.execute(SQL(_FILL).format(events=query), values | key)
    span = key | {"first": values["first"], "last": values["last"]}
    positions = [one.position for one in definition.columns]
    changed = [_Changed(*row) for row in await tx.tuples(_CHANGED, span | {"positions": positions})]
    added = await _add(tx, key)
    if changed:
        if not is_undone:
            await changes.hold_off_generations(tx, definition.project)
        await _change(tx, definition.project, changed)
    _leave_marks(tx, definition, [*added, *(one.start for one in changed)])
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
    """Let events that were there say what their readings come to, and whoever used them know."""
    inputs = changes.announce(tx, project)
    events = sorted(one.event for one in changed)
    named = {"project": project, "events": events}
    await tx.execute(_HOLD, named)
    await tx.execute(_VOID, {"project": project, "events": [one.event for one in changed if one.is_gone]})
    filled = await tx.tuples(_FILLED, named)
    corrected = await tx.tuples(_UPDATE, named)
    await show_in_force(tx, project, [event for event, is_corrected in corrected if is_corrected])
    # What rules filled in gives way to the readings in their transaction, as imputed events do.
    await undo_by_runs(tx, project, [(number, run) for number, run, _ in filled])
    for rule in sorted({rule for _, _, rule in filled}):
        await take_back_approvals(tx, project, rule)
    values = [(one.event, position) for one in changed for position in one.positions]
    values += [(one.event, 0) for one in changed if one.is_otherwise]
    changes.leave(tx, project, changes.ChangedValues(inputs, values))


def _leave_marks(tx: Write, definition: RollUpDefinition, starts: Sequence[datetime]) -> None:
    """Leave the events to automatic rules, and to what is rolled up from them."""
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
      FROM events e LEFT JOIN rolled_up r ON r.event_id = e.id
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
      JOIN rolled_up r ON r.event_id = e.id
     WHERE c.project_id = %(project)s AND c.event_id = ANY (%(events)s)
       AND c.source = '{CorrectionOrigin.SUBSTITUTION}' AND c.state <> '{CorrectionState.REVERTED}'
       AND e.numbers[c.position] IS NULL AND r.numbers[c.position] IS NOT NULL
"""
"""Corrections that gave events values which their readings come to now, each with a run of its rule."""

_UPDATE: Final = """
    UPDATE events e
       SET numbers = r.numbers, texts = r.texts, booleans = r.booleans, is_complete = r.is_complete,
           readings = r.readings, valid_readings = r.valid_readings, covered_readings = r.covered_readings,
           expected_readings = r.expected_readings, voided_at = NULL, updated_at = now()
      FROM rolled_up r
     WHERE e.project_id = %(project)s AND e.id = ANY (%(events)s) AND r.event_id = e.id
    RETURNING e.id, num_nonnulls(e.corrected_numbers, e.corrected_texts, e.corrected_booleans) > 0
"""
