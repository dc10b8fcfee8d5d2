"""Imputed events: what rules made for slots of a cadence in which no event came.

An imputed event holds nothing that was captured; its values are corrections that rules made, or people. It is
withdrawn when none is left, and by triggers when a captured event comes for its slot.

Invariants: of a meter's slot at most one imputed event stands, and none beside a captured one; what was
withdrawn stays voided.
"""

from collections.abc import Collection
from typing import Final

from weighbridge.core.collection.correction import NOT_REVERTED
from weighbridge.db import locks
from weighbridge.db.engine import Write


async def settle_imputed(tx: Write, project: int, made: Collection[int] = ()) -> int:
    """Withdraw the imputed events that have no value any more, and say which are complete; gives how many
    were withdrawn.

    Where the transaction has made events of some event types it comes last: it waits for whoever is storing
    captured ones, and those that they come for go as well. Whoever stores some later finds what was made.
    """
    for event_type in sorted(made):
        await tx.execute(*locks.hold(locks.captured_slots(project, event_type)))
    if made:
        await tx.execute(_GIVE_WAY, {"project": project, "event_types": list(made)})
    values = {"project": project, "not_reverted": list(NOT_REVERTED)}
    empty = [event for (event,) in await tx.tuples(_EMPTY, values)]
    if empty:
        await tx.execute("SELECT withdraw_imputed(%s, %s::bigint[])", (project, empty))
    await tx.execute(_COMPLETE, values)
    return len(empty)


_GIVE_WAY: Final = """
    SELECT give_way_to_captured(%(project)s, array_agg(event_id)) FROM imputations
     WHERE project_id = %(project)s AND event_type_id = ANY (%(event_types)s) AND withdrawn_at IS NULL
    HAVING count(*) > 0
"""
_STAND: Final = """
    SELECT FROM corrections c
     WHERE (c.project_id, c.event_id) = (m.project_id, m.event_id) AND c.state = ANY (%(not_reverted)s)
"""
_EMPTY: Final = f"""
    SELECT m.event_id FROM imputations m
     WHERE m.project_id = %(project)s AND m.withdrawn_at IS NULL
       AND NOT EXISTS ({_STAND} AND c.position > 0)
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
