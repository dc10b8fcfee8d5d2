"""How much of each batch that a report takes from was measured."""

from typing import Final

from weighbridge.accounting.books.run_totals import RESTS_ON
from weighbridge.accounting.books.value_source_shares import measured_share, value_source_shares
from weighbridge.core.identity import ids
from weighbridge.core.report.measured import TakenShare
from weighbridge.db.engine import Read


async def shares_of_batches(tx: Read, report: ids.Key) -> list[TakenShare]:
    """What a report takes of each batch, and how much of that was measured, where that is known."""
    rows = await tx.tuples(_RESTS_ON, (report.project, report.key))
    return [
        TakenShare(batch, amount, measured_share(value_source_shares(contributions)))
        for batch, amount, contributions in rows
    ]


_RESTS_ON: Final = f"""
    SELECT i.batch_id, i.amount, {RESTS_ON}
      FROM report_batches i
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
      LEFT JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary
     WHERE i.project_id = %s AND i.report_id = %s ORDER BY i.batch_id
"""
