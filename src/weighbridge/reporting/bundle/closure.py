"""Which batches a report rests on: those that it takes of, and all that these rest on, over every draw.

A batch rests on the batches of its slot that the same generation made, on the newest of the slot's other runs
(what was shared was divided among all of them), on all batches of its run, and on what it drew of. So the
newest batch of each run is there, which says what the run comes to.

A report that was sent off rests on what its runs came to at that moment; what came later is stated by another
report.

Invariant: what is gathered is closed: whatever one of its batches rests on is in it.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Final

import msgspec

from weighbridge.core.bundle.form.lineage import SlotLine
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read

BATCHES_AT_ONCE: Final = 1000
"""Batches whose sources are looked for by one statement."""


class _Mate(msgspec.Struct, frozen=True):
    """A batch of a slot, as one generation left it."""

    generation: int
    model: int
    slot: int
    batch: int
    is_made: bool


async def stated_at(tx: Read, project: int, report: int) -> datetime | None:
    """When a report was sent off; None of a draft."""
    [(moment,)] = await tx.tuples(
        "SELECT reserved_at FROM reports WHERE project_id = %s AND id = %s", (project, report)
    )
    return moment if isinstance(moment, datetime) else None


async def chain_of(tx: Read, project: int, report: int) -> list[str]:
    """The ids of a report and of all that stand before it in its chain."""
    found = await tx.tuples(
        """
        SELECT earlier.id FROM reports r
          JOIN reports earlier ON (earlier.project_id, earlier.chain_id) = (r.project_id, r.chain_id)
         WHERE r.project_id = %s AND r.id = %s AND earlier.id <= r.id ORDER BY earlier.id
        """,
        (project, report),
    )
    return [ids.of("report", project, number) for (number,) in found]


async def batches_behind(
    tx: Read, project: int, reported: Collection[int], stated: datetime | None
) -> tuple[list[int], list[SlotLine]]:
    """All batches behind some, by their numbers, and the slots that they were computed in."""
    known: set[int] = set()
    waiting = set(reported)
    lines: dict[tuple[int, ...], SlotLine] = {}
    while waiting:
        batches = sorted(waiting)[:BATCHES_AT_ONCE]
        known.update(batches)
        found: set[int] = set()
        for line in await _slots(tx, project, batches):
            lines[tuple(line.batches)] = line
            found.update(line.batches, line.alongside)
        values = {"project": project, "batches": batches, "stated": stated}
        for (number,) in await tx.tuples(_BEHIND, values):
            found.add(number)
        waiting = (waiting | found) - known
    return sorted(known), sorted(lines.values(), key=lambda line: line.batches)


async def _slots(tx: Read, project: int, batches: Collection[int]) -> list[SlotLine]:
    mates: dict[tuple[int, int, int], list[_Mate]] = {}
    for row in await tx.rows(_Mate, _MATES, {"project": project, "batches": list(batches)}):
        mates.setdefault((row.generation, row.model, row.slot), []).append(row)
    return [
        SlotLine(
            generation,
            model,
            sorted(mate.batch for mate in of_slot if mate.is_made),
            sorted(mate.batch for mate in of_slot if not mate.is_made),
        )
        for (generation, model, _), of_slot in mates.items()
    ]


_BEHIND: Final = """
    SELECT source_batch_id FROM batch_draws WHERE project_id = %(project)s AND batch_id = ANY (%(batches)s)
    UNION
    SELECT of_run.id FROM batches b
      JOIN batches of_run ON (of_run.project_id, of_run.run_id, of_run.ledger_id)
                           = (b.project_id, b.run_id, b.ledger_id)
     WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s)
       AND (of_run.id < b.id OR %(stated)s::timestamptz IS NULL OR EXISTS (
            SELECT FROM ledger_entries e
             WHERE (e.project_id, e.batch_id) = (of_run.project_id, of_run.id)
               AND e.kind = 'credit' AND e.posted_at <= %(stated)s))
"""

# As whoever verifies takes them: of every run of a slot the newest batch that was there by the end of the
# generation, on each ledger that it touched there.
_MATES: Final = """
    WITH chosen AS MATERIALIZED (
        SELECT row_number() OVER () AS slot, given.*
          FROM (SELECT DISTINCT m.family_id, b.model_id, b.async_task_id, r.event_id,
                       CASE WHEN r.by_event AND r.event_id IS NULL THEN r.tracking_id END AS tracking_id,
                       CASE WHEN NOT r.by_event THEN r.start_time END AS start_time,
                       CASE WHEN NOT r.by_event THEN r.end_time END AS end_time
                  FROM batches b
                  JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
                  JOIN models m ON m.id = b.model_id
                 WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s)) AS given
    ), generation AS MATERIALIZED (
        SELECT b.async_task_id, b.model_id, max(b.id) AS newest_batch FROM batches b
         WHERE b.project_id = %(project)s AND b.async_task_id IN (SELECT async_task_id FROM chosen)
         GROUP BY b.async_task_id, b.model_id
    ), ended AS MATERIALIZED (
        SELECT generation.*, (SELECT min(made.posted_at) FROM ledger_entries made
                               WHERE made.project_id = %(project)s AND made.batch_id = newest_batch
                                 AND made.kind = 'credit' AND made.reverses IS NULL) AS made_at
          FROM generation
    ), of_slot AS MATERIALIZED (
        SELECT chosen.slot, r.id FROM chosen
          JOIN runs r ON (r.family_id, r.start_time, r.end_time)
                       = (chosen.family_id, chosen.start_time, chosen.end_time) AND NOT r.by_event
         WHERE r.project_id = %(project)s
        UNION ALL
        SELECT chosen.slot, r.id FROM chosen
          JOIN runs r ON (r.family_id, r.event_id) = (chosen.family_id, chosen.event_id) AND r.by_event
         WHERE r.project_id = %(project)s
        UNION ALL
        SELECT chosen.slot, r.id FROM chosen
          JOIN runs r ON (r.family_id, r.tracking_id) = (chosen.family_id, chosen.tracking_id)
                     AND r.by_event AND r.event_id IS NULL
         WHERE r.project_id = %(project)s
    ), touched AS MATERIALIZED (
        SELECT DISTINCT chosen.slot, b.ledger_id FROM chosen JOIN of_slot USING (slot)
          JOIN batches b ON (b.project_id, b.run_id) = (%(project)s, of_slot.id)
                        AND (b.async_task_id, b.model_id) = (chosen.async_task_id, chosen.model_id)
    )
    SELECT DISTINCT ON (chosen.slot, b.run_id, b.ledger_id)
           chosen.async_task_id, chosen.model_id, chosen.slot, b.id,
           (b.async_task_id, b.model_id) = (chosen.async_task_id, chosen.model_id)
      FROM chosen JOIN of_slot USING (slot)
      JOIN ended ON (ended.async_task_id, ended.model_id) = (chosen.async_task_id, chosen.model_id)
      JOIN batches b ON (b.project_id, b.run_id) = (%(project)s, of_slot.id) AND b.id <= ended.newest_batch
       AND (b.deleted_at IS NULL OR b.deleted_at > ended.made_at)
      JOIN touched ON (touched.slot, touched.ledger_id) = (chosen.slot, b.ledger_id)
     ORDER BY chosen.slot, b.run_id, b.ledger_id, b.id DESC
"""
