"""The stored runs of slots: those of the same times, or of the same event or tracking id whenever it is."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from psycopg.sql import SQL

from weighbridge.core.time.cadence import EventSlot
from weighbridge.core.time.instant import Interval

RUNS_OF_SLOTS: Final = SQL("""(
    WITH slot AS (
        SELECT * FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(slot_events)s::bigint[],
                             %(slot_tracking_ids)s::text[])
                      WITH ORDINALITY AS slot (start_time, end_time, event_id, tracking_id, number)
    )
    SELECT slot.number AS slot, runs.* FROM slot
      JOIN runs ON (runs.start_time, runs.end_time) = (slot.start_time, slot.end_time) AND NOT runs.by_event
     WHERE runs.project_id = %(project)s AND runs.family_id = %(family)s
       AND num_nonnulls(slot.event_id, slot.tracking_id) = 0
    UNION ALL
    SELECT slot.number, runs.* FROM slot
      JOIN runs ON runs.event_id = slot.event_id AND runs.by_event
     WHERE runs.project_id = %(project)s AND runs.family_id = %(family)s
    UNION ALL
    SELECT slot.number, runs.* FROM slot
      JOIN runs ON runs.tracking_id = slot.tracking_id AND runs.by_event AND runs.event_id IS NULL
     WHERE runs.project_id = %(project)s AND runs.family_id = %(family)s
) AS r""")
"""Runs `r` of one model with the place of their slot, counted from 1; parameters project, family and those
of `slot_columns`."""


def slot_columns(slots: Sequence[Interval]) -> Mapping[str, list[Any]]:
    """Slots as the arrays that a statement takes."""
    of_events = [slot if isinstance(slot, EventSlot) else None for slot in slots]
    return {
        "starts": [slot.start for slot in slots],
        "ends": [slot.end for slot in slots],
        "slot_events": [(slot and slot.event) or None for slot in of_events],
        "slot_tracking_ids": [(slot and slot.tracking_id) or None for slot in of_events],
    }
