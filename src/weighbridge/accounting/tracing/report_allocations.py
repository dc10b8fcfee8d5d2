"""What reports hold of batches: what an accepted report states, and what one under way has reserved.

What a chain of reports has posted stands by the report that is complete, whichever report of it posted it.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Final

import msgspec
from psycopg.rows import TupleRow

from weighbridge.core.identity import ids
from weighbridge.core.report.state import ReportStatus
from weighbridge.db.engine import Command
from weighbridge.http.text import one_of


class AllocatedReport(msgspec.Struct, frozen=True):
    """A report that holds something of a batch."""

    id: str
    name: str
    """What people call the report, such as `First quarter of 2025`."""
    report_type: str
    """What kind of report it is, such as `quarterly`."""
    status: Annotated[str, one_of(ReportStatus)]
    """Where the report stands; it is `complete` once what it holds is posted, and reserved before."""


class AllocatedTotal(msgspec.Struct, frozen=True):
    """What a report holds of all its batches."""

    id: int
    """The number of the allocation."""
    amount: Decimal
    """How much the report holds in all, in `unit`."""
    unit: str
    """The unit of the ledger, such as `t`."""


class BatchReportAllocation(msgspec.Struct, frozen=True):
    """So much of a batch is held by a report, reserved or posted."""

    allocation: AllocatedTotal
    amount: Decimal
    """How much of the batch the report holds, in `unit`."""
    unit: str
    """The unit of the batch's ledger, such as `t`."""
    report: AllocatedReport


def reported_numbered(project: int, batches: Sequence[int]) -> Command:
    """The question for what reports hold of each of some batches."""
    return _REPORTED, {"project": project, "batches": list(batches)}


def reported_by_batch(
    project: int, batches: Sequence[int], answers: Sequence[TupleRow]
) -> dict[int, list[BatchReportAllocation]]:
    """What reports hold of each of some batches, in the order in which the reports were made."""
    reported: dict[int, list[BatchReportAllocation]] = {batch: [] for batch in batches}
    for batch, amount, total, unit, number, name, report_type, status in answers:
        report = AllocatedReport(ids.of("report", project, number), name, report_type, status)
        whole = AllocatedTotal(number, total, unit)
        reported[batch].append(BatchReportAllocation(whole, amount, unit, report))
    return reported


_REPORTED: Final = """
    WITH holding AS (
        SELECT DISTINCT r.id, r.chain_id, r.name, r.report_type, r.status, r.status = 'complete' AS is_posted
          FROM ledger_entries e
          JOIN reports own ON (own.project_id, own.id) = (e.project_id, e.report_id)
          JOIN reports r ON (r.project_id, r.chain_id) = (own.project_id, own.chain_id)
           AND r.status IN ('submitting', 'submitted', 'failed', 'complete')
         WHERE e.project_id = %(project)s AND e.batch_id = ANY (%(batches)s)
    ), held AS (
        SELECT h.id, e.batch_id, e.ledger_id, - sum(e.amount) AS amount
          FROM holding h
          JOIN reports own ON (own.project_id, own.chain_id) = (%(project)s, h.chain_id)
          JOIN ledger_entries e ON (e.project_id, e.report_id) = (%(project)s, own.id)
           AND e.kind = ANY (CASE WHEN h.is_posted THEN ARRAY['report', 'restate']
                             ELSE ARRAY['reserve', 'release'] END)
         GROUP BY h.id, e.batch_id, e.ledger_id HAVING sum(e.amount) <> 0
    )
    SELECT held.batch_id, held.amount, (SELECT sum(every.amount) FROM held every WHERE every.id = held.id),
           l.unit, h.id, h.name, h.report_type, h.status
      FROM held JOIN holding h USING (id)
      JOIN ledgers l ON (l.project_id, l.id) = (%(project)s, held.ledger_id)
     WHERE held.batch_id = ANY (%(batches)s)
     ORDER BY h.id
"""
