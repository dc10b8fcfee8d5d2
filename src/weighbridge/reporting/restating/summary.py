"""The summary of changes of a report: against the last that was accepted, or else the one that it restates.

What a run stood on is its newest batch when the report was submitted; of a draft, its newest batch now.
"""

from collections.abc import Hashable
from decimal import Decimal
from typing import Final

from weighbridge.core.identity import ids
from weighbridge.core.quantity.number import EXACT
from weighbridge.core.report.summary import RunBasis, TakenOfRun, changes_between, total_change
from weighbridge.db.engine import Read
from weighbridge.reporting.reports.records import ReportChanges, RunRestated


async def summary_of_changes(tx: Read, project: int, report: int) -> ReportChanges | None:
    """What a report says otherwise than the one that it is compared with; None for one that restates
    nothing.
    """
    earlier = await tx.value(_COMPARED, {"project": project, "report": report})
    if earlier is None:
        return None
    before, after = await _taken(tx, project, earlier), await _taken(tx, project, report)
    changes = changes_between(before, after)
    batches = await _first_batches(tx, project, [earlier, report])
    return ReportChanges(
        compared_with=ids.of("report", project, earlier),
        change=total_change(changes),
        data=[
            RunRestated(
                batch_ids=[ids.of("batch", project, batch) for batch in batches[one.run]],
                before=one.before,
                after=one.after,
                change=EXACT.subtract(one.after, one.before),
                causes=list(one.causes),
            )
            for one in changes
        ],
    )


async def _taken(tx: Read, project: int, report: int) -> dict[Hashable, TakenOfRun]:
    taken: dict[Hashable, TakenOfRun] = {}
    for run, amount, batch, model, corrections, *events in await tx.tuples(
        _TAKEN, {"project": project, "report": report}
    ):
        count, first, last = events
        basis = RunBasis(batch, model, frozenset(corrections), (int(count), first, last))
        taken[run] = TakenOfRun(Decimal(amount), basis)
    return taken


async def _first_batches(tx: Read, project: int, reports: list[int]) -> dict[Hashable, list[int]]:
    """The batches that either report takes from, by run."""
    rows = await tx.tuples(
        """
        SELECT coalesce(b.run_id, - b.id), array_agg(DISTINCT b.id ORDER BY b.id)
          FROM report_batches i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
         WHERE i.project_id = %s AND i.report_id = ANY (%s) GROUP BY 1
        """,
        (project, reports),
    )
    return dict(rows)


_COMPARED: Final = """
    SELECT coalesce(
               (SELECT max(earlier.id) FROM reports earlier
                 WHERE (earlier.project_id, earlier.chain_id) = (r.project_id, r.chain_id) AND earlier.id <
                 r.id
                   AND EXISTS (SELECT FROM report_moves m
                                WHERE (m.project_id, m.report_id, m.status)
                                    = (earlier.project_id, earlier.id, 'complete'))),
               r.supersedes)
      FROM reports r WHERE r.project_id = %(project)s AND r.id = %(report)s AND r.supersedes IS NOT NULL
"""

# An instrument has no run; its own number, below zero, stands for it.
_TAKEN: Final = """
    WITH taken AS (
        SELECT coalesce(b.run_id, - b.id) AS run, sum(i.amount) AS amount, max(coalesce(i.basis, (
               SELECT max(newest.id) FROM batches newest
                WHERE (newest.project_id, newest.run_id, newest.ledger_id)
                    = (b.project_id, b.run_id, b.ledger_id) AND newest.deleted_at IS NULL), b.id)) AS basis,
               min(b.start_time) AS start_time, min(b.id) AS first
          FROM report_batches i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
         WHERE i.project_id = %(project)s AND i.report_id = %(report)s GROUP BY 1
    )
    SELECT taken.run, taken.amount, taken.basis, b.model_id,
           ARRAY(SELECT c.correction_id FROM batch_corrections c
                  WHERE (c.project_id, c.batch_id) = (b.project_id, b.id)),
           (SELECT coalesce(sum(s.event_count), 0) FROM batch_input_sets s
             WHERE (s.project_id, s.batch_id) = (b.project_id, b.id)),
           (SELECT min(n.first_event) FROM batch_inputs n
             WHERE (n.project_id, n.batch_id) = (b.project_id, b.id)),
           (SELECT max(n.last_event) FROM batch_inputs n
             WHERE (n.project_id, n.batch_id) = (b.project_id, b.id))
      FROM taken JOIN batches b ON (b.project_id, b.id) = (%(project)s, taken.basis)
     ORDER BY taken.start_time, taken.first
"""
