"""Which batches a report rests on: those that it takes of, and all that these rest on, over every draw.

A batch rests on the batches of its slot that the same generation made, on the newest of the slot's other
runs (what was shared was divided among all of them), on all batches of its run, and on what it drew of.
So the newest batch of each run is there, which says what the run comes to. A link to a report opens what it
rests on by draws and runs alone (`find_in_basis`), which is a part of that.

A report that was sent off rests on what its runs came to at that moment; what came later is stated by
another report.

Invariant: what is gathered is closed: whatever one of its batches rests on is in it.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final

import msgspec

from weighbridge.core.bundle.tables import SlotLine
from weighbridge.db.engine import Read

CLOSURE_BATCHES_AT_ONCE: Final = 1000
"""Batches whose sources are looked for by one statement."""


class _Mate(msgspec.Struct, frozen=True):
    """A batch of a slot, as one generation left it."""

    generation: int
    model: int
    slot: int
    batch: int
    is_made: bool


async def read_submission_time(tx: Read, project: int, report: int) -> datetime | None:
    """When a report was sent off; None of a draft."""
    [(moment,)] = await tx.tuples(
        "SELECT reserved_at FROM reports WHERE project_id = %s AND id = %s", (project, report)
    )
    return moment if isinstance(moment, datetime) else None


async def find_basis(
    tx: Read, project: int, reported: Collection[int], stated: datetime | None
) -> tuple[list[int], list[SlotLine]]:
    """All batches behind some, by their numbers, and the slots that they were computed in."""
    known: set[int] = set()
    waiting = set(reported)
    lines: dict[tuple[int, ...], SlotLine] = {}
    while waiting:
        batches = sorted(waiting)[:CLOSURE_BATCHES_AT_ONCE]
        known.update(batches)
        found: set[int] = set()
        for line in await _read_slots(tx, project, batches):
            lines[tuple(line.batches)] = line
            found.update(line.batches, line.alongside)
        values = {"project": project, "batches": batches, "stated": stated}
        for (number,) in await tx.tuples(_BEHIND_SOME, values):
            found.add(number)
        waiting = (waiting | found) - known
    return sorted(known), sorted(lines.values(), key=lambda line: line.batches)


async def _read_slots(tx: Read, project: int, batches: Collection[int]) -> list[SlotLine]:
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


# What one batch `given` rests on beside its slot; the only definition of it.
_BEHIND: Final = """
    SELECT source_batch_id AS id FROM batch_draws
     WHERE project_id = %(project)s AND batch_id = given.id
    UNION ALL
    SELECT of_run.id FROM batches b
      JOIN batches of_run ON (of_run.project_id, of_run.run_id, of_run.ledger_id)
                           = (b.project_id, b.run_id, b.ledger_id)
     WHERE b.project_id = %(project)s AND b.id = given.id
       AND (of_run.id < b.id OR %(stated)s::timestamptz IS NULL OR EXISTS (
            SELECT FROM ledger_entries e
             WHERE (e.project_id, e.batch_id) = (of_run.project_id, of_run.id)
               AND e.kind = 'credit' AND e.posted_at <= %(stated)s))
"""
_BEHIND_SOME: Final = f"""
    SELECT DISTINCT behind.id FROM unnest(%(batches)s::bigint[]) AS given (id)
     CROSS JOIN LATERAL ({_BEHIND}) AS behind
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


# What of some batches a report rests on, and which of its batches read some events: asked for one batch or
# one page, so that one statement goes from the report along draws and runs and ends where all are found.


async def find_in_basis(
    tx: Read, project: int, report: int, batches: Collection[int], stated: datetime | None
) -> set[int]:
    """Those of some batches that a report takes of, or rests on by draws and runs."""
    values = {"project": project, "report": report, "stated": stated, "batches": sorted(batches)}
    return {number for (number,) in await tx.tuples(_IN_BASIS, values)}


async def find_readers(
    tx: Read, project: int, report: int, events: Collection[int], stated: datetime | None
) -> Mapping[int, int]:
    """The newest batch that read each of some events, of those that `find_in_basis` finds."""
    values = {"project": project, "report": report, "stated": stated, "events": sorted(events)}
    return dict(await tx.tuples(_READERS, values))


_BASIS: Final = f"""
    RECURSIVE basis AS (
        SELECT batch_id AS id FROM report_batches WHERE (project_id, report_id) = (%(project)s, %(report)s)
        UNION
        SELECT behind.id FROM basis AS given CROSS JOIN LATERAL ({_BEHIND}) AS behind
    )
"""
# Each is found once; with all of them, nothing further is looked for.
_IN_BASIS: Final = f"""
    WITH {_BASIS}
    SELECT id FROM basis WHERE id = ANY (%(batches)s) LIMIT cardinality(%(batches)s::bigint[])
"""
_READERS: Final = f"""
    WITH {_BASIS}, reader AS MATERIALIZED (
        SELECT named.event, i.batch_id
          FROM unnest(%(events)s::bigint[]) AS named (event)
          JOIN batch_inputs i ON i.project_id = %(project)s
           AND int8range(i.first_event, i.last_event, '[]') @> named.event AND named.event = ANY (i.event_ids)
    )
    SELECT reader.event, max(reader.batch_id)
      FROM reader JOIN basis ON basis.id = reader.batch_id
      JOIN batches b ON (b.project_id, b.id) = (%(project)s, reader.batch_id) AND b.deleted_at IS NULL
     GROUP BY reader.event
"""
