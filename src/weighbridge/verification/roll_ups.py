"""Rolled-up events: all of them anew from their readings, by the statement that made them.

Where readings changed and a mark says so, the events may still be those of before; that is no violation.
"""

from typing import Final
from zoneinfo import ZoneInfo

from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.quality.rollup.aggregation import CONTENT, MADE, SAME_SLOT_AND_TAGS, events_of_slots
from weighbridge.quality.rollup.definition import RollUpDefinition, definition_of
from weighbridge.quality.rollup.marked import SLOTS, slots_of

UTC: Final = ZoneInfo("UTC")


async def check_roll_ups(tx: Read) -> list[str]:
    """A sentence for each event that is not what its readings come to, and for each that is not there."""
    violations: list[str] = []
    for project, event_type in await tx.tuples(
        "SELECT project_id, event_type_id FROM roll_ups ORDER BY project_id, event_type_id"
    ):
        definition = await definition_of(tx, project, event_type)
        assert definition is not None, "it was listed a moment ago"  # noqa: S101
        slots = await slots_of(tx, definition, (None, None))
        for first in range(slots.start, slots.stop, SLOTS):
            violations += await _check(tx, definition, range(first, min(first + SLOTS, slots.stop)))
    return violations


async def _check(tx: Read, definition: RollUpDefinition, slots: range) -> list[str]:
    query, values = events_of_slots(definition, slots)
    rows = await tx.tuples(SQL(_BROKEN).format(events=query), values | {"event_type": definition.event_type})
    kind = ids.of("event_type", definition.project, definition.event_type)
    return [
        f"event type {kind}: readings from {Instant.of(start).astimezone(UTC).isoformat()} have no event"
        if event is None
        else f"event {ids.of('event', definition.project, event)}: its readings come to something else"
        for event, start in rows
    ]


_BROKEN: Final = f"""
    WITH made AS MATERIALIZED (SELECT * FROM ({{events}}) AS {MADE}
    ), matched AS MATERIALIZED (
        SELECT made.start_time, made.end_time, e.id,
               e.id IS NULL OR {CONTENT.format("e")} IS DISTINCT FROM {CONTENT.format("made")} AS is_broken
          FROM made
          LEFT JOIN events e ON e.project_id = %(project)s AND e.event_type_id = %(event_type)s
           AND e.readings IS NOT NULL AND e.voided_at IS NULL
           AND e.start_time >= %(first)s AND e.start_time < %(last)s AND {SAME_SLOT_AND_TAGS}
    ), broken AS (
        SELECT id, start_time, end_time FROM matched WHERE is_broken
        UNION ALL
        SELECT e.id, e.start_time, e.end_time FROM events e
         WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s AND e.voided_at IS NULL
           AND e.start_time >= %(first)s AND e.start_time < %(last)s AND NOT e.is_imputed
           AND e.id NOT IN (SELECT id FROM matched WHERE id IS NOT NULL)
    )
    SELECT id, start_time FROM broken
     WHERE NOT EXISTS (SELECT FROM roll_up_marks m
                        WHERE m.project_id = %(project)s AND m.source_id = %(source)s
                          AND m.start_time < broken.end_time AND m.end_time >= broken.start_time)
     ORDER BY start_time, id
"""
