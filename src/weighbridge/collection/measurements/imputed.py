"""Imputed events: what rules made for slots of a cadence in which no event came.

An imputed event holds nothing that was captured; its values are corrections that rules made, or people. It is
withdrawn when none is left, and by triggers when a captured event comes for its slot.

Invariants: of a meter's slot at most one imputed event stands, and none beside a captured one; what was
withdrawn stays voided.
"""

from typing import Final

from weighbridge.core.collection.correction import NOT_REVERTED
from weighbridge.db.engine import Write


async def settle_imputed(tx: Write, project: int) -> int:
    """Withdraw the imputed events that have no value any more, and say which are complete; gives how many
    were withdrawn.

    One that was made while a captured one came for its slot goes as well: neither saw the other.
    """
    values = {"project": project, "not_reverted": list(NOT_REVERTED)}
    empty = [event for (event,) in await tx.tuples(_EMPTY, values)]
    if empty:
        await tx.execute("SELECT withdraw_imputed(%s, %s::bigint[])", (project, empty))
    await tx.execute(_COMPLETE, values)
    return len(empty)


_STAND: Final = """
    SELECT FROM corrections c
     WHERE (c.project_id, c.event_id) = (m.project_id, m.event_id) AND c.state = ANY (%(not_reverted)s)
"""
_EMPTY: Final = f"""
    SELECT m.event_id FROM imputations m
     WHERE m.project_id = %(project)s AND m.withdrawn_at IS NULL
       AND (NOT EXISTS ({_STAND} AND c.position > 0) OR EXISTS (
            SELECT FROM events e
             WHERE e.project_id = m.project_id AND e.event_type_id = m.event_type_id
               AND e.voided_at IS NULL AND NOT e.is_imputed
               AND e.start_time >= m.slot_start AND e.start_time < m.slot_end
               AND coalesce(e.asset_id, 0) = m.asset_id
               AND CASE WHEN e.asset_id IS NULL THEN coalesce(e.location_ids[1], 0) ELSE 0 END
                   = m.location_id))
     ORDER BY m.event_id
"""
_COMPLETE: Final = f"""
    UPDATE events e SET is_complete = NOT e.is_complete, updated_at = now()
      FROM imputations m
     WHERE (m.project_id, m.event_id) = (e.project_id, e.id) AND m.withdrawn_at IS NULL
       AND m.project_id = %(project)s
       AND e.is_complete = EXISTS (
           SELECT FROM data_point_types t
            WHERE (t.project_id, t.event_type_id) = (m.project_id, m.event_type_id) AND t.required
              AND NOT EXISTS ({_STAND} AND c.position = t.position))
"""
