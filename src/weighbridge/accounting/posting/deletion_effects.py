"""What a deletion ends and uncovers beside the entries that it undoes, and what its result says of that.

Invariants: what was named or skipped for a slot stays while any batch stands there, of whatever partition or
concurrent ledger, and ends with the last; where a run fell by a deleted batch, what stands above it is named.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.accounting.batches.records import EndedInput, StandsAbove
from weighbridge.core.identity import ids
from weighbridge.core.time.cadence import label
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.db.engine import Read, Write


class _Ended(msgspec.Struct, frozen=True):
    start_time: Instant
    end_time: Instant
    event: int | None
    tracking_id: str | None
    cadence: str
    time_zone: str
    number: int
    slug: str
    skipped: bool
    named: bool

    def ended(self, project: int) -> EndedInput:
        slot = ids.of("event", project, self.event) if self.event else self.tracking_id
        if slot is None:
            zone = ZoneInfo(self.time_zone)
            slot = label(self.cadence, Interval(self.start_time, self.end_time), zone)
        return EndedInput(slot, self.number, self.slug, self.skipped, self.named)


async def end_inputs(tx: Write, project: int, batches: Sequence[int]) -> list[EndedInput]:
    """Forget what was named and skipped for slots that deleted batches left empty; gives what it was."""
    rows = await tx.rows(_Ended, _END_INPUTS, {"project": project, "batches": list(batches)})
    ordered = sorted(rows, key=lambda one: (one.start_time, one.end_time, one.slug, one.number))
    return [one.ended(project) for one in ordered]


async def stands_above(tx: Read, project: int, batches: Sequence[int]) -> list[StandsAbove]:
    """What stands higher once batches by which runs fell are deleted, run by run; asked before they are."""
    rows: list[tuple[int, int, str, Decimal, Decimal]] = await tx.tuples(
        _STANDS_ABOVE, {"project": project, "batches": list(batches)}
    )
    return [
        StandsAbove(
            ids.of("ledger", project, ledger),
            ids.of("batch", project, batch),
            name,
            total,
            rest,
            rest - total,
        )
        for ledger, batch, name, total, rest in rows
    ]


_END_INPUTS: Final = """
    WITH slot AS (
        SELECT DISTINCT r.family_id, r.by_event, r.event_id,
               CASE WHEN r.by_event AND r.event_id IS NULL THEN r.tracking_id END AS tracking_id,
               CASE WHEN NOT r.by_event THEN r.start_time END AS start_time,
               CASE WHEN NOT r.by_event THEN r.end_time END AS end_time, max(m.cadence) AS cadence
          FROM batches b
          JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
          JOIN models m ON m.id = b.model_id
         WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s)
         GROUP BY 1, 2, 3, 4, 5, 6
    ), empty AS (
        SELECT * FROM slot
         WHERE NOT EXISTS (
               SELECT FROM runs r
                 JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
                WHERE r.project_id = %(project)s AND r.family_id = slot.family_id
                  AND r.by_event = slot.by_event
                  AND CASE WHEN NOT slot.by_event
                           THEN (r.start_time, r.end_time) = (slot.start_time, slot.end_time)
                           WHEN slot.event_id IS NOT NULL THEN r.event_id = slot.event_id
                           ELSE r.event_id IS NULL AND r.tracking_id = slot.tracking_id END)
    )
    DELETE FROM slot_inputs i USING empty, data_point_types t, projects p
     WHERE i.project_id = %(project)s AND i.family_id = empty.family_id AND p.id = i.project_id
       AND (t.project_id, t.id) = (i.project_id, i.data_point_type_id)
       AND CASE WHEN NOT empty.by_event
                THEN num_nonnulls(i.event_id, i.tracking_id) = 0
                 AND (i.start_time, i.end_time) = (empty.start_time, empty.end_time)
                WHEN empty.event_id IS NOT NULL THEN i.event_id = empty.event_id
                ELSE i.tracking_id = empty.tracking_id END
    RETURNING i.start_time, i.end_time, i.event_id, i.tracking_id, empty.cadence, p.time_zone, t.id, t.slug,
              i.is_skipped, i.event_ids IS NOT NULL
"""

# The newest batch of a run on a ledger has its total, so the newest that remains has what stands.
_STANDS_ABOVE: Final = """
    SELECT b.ledger_id, b.id, b.tracking_id, b.total, coalesce(rest.total, 0)
      FROM (SELECT DISTINCT ON (ledger_id, run_id) * FROM batches
             WHERE project_id = %(project)s AND id = ANY (%(batches)s) AND run_id IS NOT NULL
             ORDER BY ledger_id, run_id, id DESC) AS b
      LEFT JOIN LATERAL (SELECT total FROM batches o
                          WHERE (o.project_id, o.run_id, o.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
                            AND o.deleted_at IS NULL AND o.id <> ALL (%(batches)s)
                          ORDER BY o.id DESC LIMIT 1) AS rest ON true
     WHERE b.total < coalesce(rest.total, 0)
     ORDER BY b.ledger_id, b.start_time, b.tracking_id, b.id
"""
