"""Overdrawn runs: source runs of which more is drawn than they come to, or that took of others' batches.

Only a run that fell can be one: the others are drawn of as far as their batches hold, which is their total.
"""

from collections.abc import Collection
from typing import Final

from weighbridge.core.ledger.drawing import SourceRun
from weighbridge.core.ledger.posting import Taken, latest_first
from weighbridge.db.engine import Read


async def source_runs(
    tx: Read, project: int, runs: Collection[tuple[int, int]]
) -> dict[tuple[int, int], SourceRun]:
    """Those of some runs, by ledger and number, that fell: what they come to, and what is drawn of them."""
    if not runs:
        return {}
    ledgers, numbers = zip(*sorted(runs), strict=True)
    values = {"project": project, "ledgers": list(ledgers), "runs": list(numbers)}
    rows = await tx.tuples(_OVERDRAWN, values)
    if not rows:
        return {}
    taken: dict[tuple[int, int], list[Taken]] = {}
    values |= {"ledgers": [row[0] for row in rows], "runs": [row[1] for row in rows]}
    for ledger, run, batch, amount, moment in await tx.tuples(_TAKEN_OF_OTHERS, values):
        taken.setdefault((ledger, run), []).append(Taken(batch, amount, moment))
    return {
        (ledger, run): SourceRun(
            total=total,
            drawn=drawn,
            taken=[
                (one.batch, one.amount)
                for one in latest_first(taken.get((ledger, run), ()), end)
                if isinstance(one.batch, int)
            ],
            short=short,
        )
        for ledger, run, end, total, drawn, short in rows
    }


_OVERDRAWN: Final = """
    WITH fallen AS (
        SELECT run.ledger_id, run.id
          FROM unnest(%(ledgers)s::integer[], %(runs)s::bigint[]) AS run (ledger_id, id)
         WHERE EXISTS (SELECT FROM ledger_entries e
                        WHERE (e.project_id, e.run_id, e.ledger_id) = (%(project)s, run.id, run.ledger_id)
                          AND e.node IS NULL AND e.kind = 'fall')
            OR EXISTS (SELECT FROM deficits d
                        WHERE (d.project_id, d.ledger_id, d.run_id) = (%(project)s, run.ledger_id, run.id)
                          AND d.amount > 0)
    )
    SELECT f.ledger_id, f.id, r.end_time,
           (SELECT coalesce(sum(e.amount), 0) FROM ledger_entries e
             WHERE (e.project_id, e.run_id, e.ledger_id) = (%(project)s, f.id, f.ledger_id)
               AND e.node IS NULL) - short.amount,
           (SELECT coalesce(- sum(e.amount), 0)
              FROM batches b
              JOIN ledger_entries e ON (e.project_id, e.batch_id) = (b.project_id, b.id)
             WHERE (b.project_id, b.run_id, b.ledger_id) = (%(project)s, f.id, f.ledger_id)
               AND e.kind NOT IN ('credit', 'fall', 'rise')),
           short.amount
      FROM fallen f
      JOIN runs r ON (r.project_id, r.id) = (%(project)s, f.id)
     CROSS JOIN LATERAL (
            SELECT coalesce(sum(d.amount), 0) AS amount FROM deficits d
             WHERE (d.project_id, d.ledger_id, d.run_id) = (%(project)s, f.ledger_id, f.id)) AS short
"""

_TAKEN_OF_OTHERS: Final = """
    SELECT e.ledger_id, e.run_id, e.batch_id, - sum(e.amount), e.effective_at
      FROM unnest(%(ledgers)s::integer[], %(runs)s::bigint[]) AS run (ledger_id, id)
      JOIN ledger_entries e ON (e.project_id, e.run_id, e.ledger_id)
                             = (%(project)s, run.id, run.ledger_id) AND e.kind IN ('fall', 'rise')
      JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
     WHERE b.run_id IS DISTINCT FROM e.run_id
     GROUP BY e.ledger_id, e.run_id, e.batch_id, e.effective_at HAVING sum(e.amount) < 0
     ORDER BY max(e.id) FILTER (WHERE e.kind = 'fall' AND e.reverses IS NULL)
"""
