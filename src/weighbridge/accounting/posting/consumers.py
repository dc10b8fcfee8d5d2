"""Consumers: the runs that drew from batches of a run, and its own batches on other ledgers.

What the run comes to anew, they have not seen.
"""

from collections.abc import Sequence

from weighbridge.accounting.posting.posted import Posted
from weighbridge.core.identity import ids
from weighbridge.db.engine import Write
from weighbridge.platform.changes.newest_batch import IS_NEWEST
from weighbridge.platform.changes.stale_reasons import INPUTS_REPLACED, SOURCE_ADJUSTED


async def mark_consumers(tx: Write, project: int, posted: Sequence[Posted]) -> None:
    """Mark the runs that draw from a run which has another batch now, as long as they draw from it.

    Both generations lock the ledger between them, so no draw escapes this.
    """
    adjusting = [one for one in posted if one.difference.adjusts is not None]
    if not adjusting:
        return
    await tx.execute(
        f"""
        INSERT INTO stale_runs (project_id, run_id, ledger_id, reason, record)
        SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, %(reason)s, adjusted.record
          FROM unnest(%(runs)s::bigint[], %(ledgers)s::integer[], %(records)s::text[])
               AS adjusted (run_id, ledger_id, record)
          JOIN batches source
            ON (source.project_id, source.run_id, source.ledger_id)
             = (%(project)s, adjusted.run_id, adjusted.ledger_id)
          JOIN batch_draws d ON (d.project_id, d.source_batch_id) = (source.project_id, source.id)
          JOIN batches b ON (b.project_id, b.id) = (d.project_id, d.batch_id)
         WHERE {IS_NEWEST}
        ON CONFLICT DO NOTHING
        """,
        {
            "project": project,
            "reason": SOURCE_ADJUSTED,
            "runs": [one.run_id for one in adjusting],
            "ledgers": [one.difference.ledger.number for one in adjusting],
            "records": [ids.of("batch", project, one.batch_id) for one in adjusting],
        },
    )


async def mark_other_ledgers(
    tx: Write, project: int, posted: Sequence[Posted], ledgers: Sequence[int]
) -> None:
    """Mark runs that were given other inputs, on the ledgers that were not generated with them."""
    await tx.execute(
        """
        INSERT INTO stale_runs (project_id, run_id, ledger_id, reason, record)
        SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, %(reason)s, given.record
          FROM unnest(%(runs)s::bigint[], %(records)s::text[]) AS given (run_id, record)
          JOIN batches b ON (b.project_id, b.run_id) = (%(project)s, given.run_id)
         WHERE b.deleted_at IS NULL AND b.ledger_id <> ALL (%(ledgers)s)
        ON CONFLICT DO NOTHING
        """,
        {
            "project": project,
            "reason": INPUTS_REPLACED,
            "runs": [one.run_id for one in posted],
            "records": [ids.of("batch", project, one.batch_id) for one in posted],
            "ledgers": list(ledgers),
        },
    )
