"""Pending roll-ups: data in the range that do not follow yet what they are rolled up from.

A generation has them done before it begins, so they stand in a preview, and in a result where readings
changed while it ran.
"""

from collections.abc import Sequence
from typing import Final

from weighbridge.accounting.batch_generations.records import PendingRollUps
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.inputs.window import Reach
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read


async def pending_roll_ups(tx: Read, scope: Scope, streams: Sequence[InputStream]) -> list[PendingRollUps]:
    """What is still to be rolled up of the data that inputs read, by event type and by what changed."""
    types = {stream.event_type for stream in streams}
    if not types:
        return []
    anywhere = {stream.event_type for stream in streams if stream.window.reach is Reach.ANY}
    values = {
        "project": scope.project,
        "types": sorted(types),
        "anywhere": sorted(anywhere),
        "start": scope.hull.start,
        "end": scope.hull.end,
    }
    return [
        PendingRollUps(slug, source, *(None if one is None else Instant.of(one) for one in bounds))
        for slug, source, *bounds in await tx.tuples(_PENDING, values)
    ]


# A reading belongs to a slot that may begin, or end, so much earlier or later as the slot is long.
_PENDING: Final = """
    WITH RECURSIVE made_of (id, source_id) AS (
        SELECT event_type_id, source_id FROM roll_ups
         WHERE project_id = %(project)s AND event_type_id = ANY (%(types)s)
        UNION
        SELECT made_of.id, r.source_id FROM made_of
          JOIN roll_ups r ON r.project_id = %(project)s AND r.event_type_id = made_of.source_id
    ), pending AS (
        SELECT t.slug, source.slug AS source, m.start_time, m.end_time
          FROM made_of
          JOIN roll_up_marks m ON (m.project_id, m.source_id) = (%(project)s, made_of.source_id)
          JOIN event_types t ON (t.project_id, t.id) = (%(project)s, made_of.id)
          JOIN event_types source ON (source.project_id, source.id) = (%(project)s, made_of.source_id)
         CROSS JOIN LATERAL (
               SELECT least((t.cadence_amount || ' ' || t.cadence_unit)::interval, '1000 years') AS length
         ) AS slot
         WHERE t.id = ANY (%(anywhere)s)
            OR m.start_time < %(end)s + slot.length AND m.end_time >= %(start)s - slot.length
    )
    SELECT slug, source, CASE WHEN isfinite(min(start_time)) THEN min(start_time) END,
           CASE WHEN isfinite(max(end_time)) THEN max(end_time) END
      FROM pending GROUP BY slug, source ORDER BY slug, source
"""
