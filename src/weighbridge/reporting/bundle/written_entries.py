"""The entries that a bundle's batches hold, and that its runs posted, as the database has them.

Invariant: of each run of a bundle every entry is there, on whatever batch it stands, and of each batch too;
so what a run comes to and what a batch has left follow from them.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from weighbridge.core.bundle.form import rows
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read


async def entry_rows(
    tx: Read, project: int, batches: Sequence[int], stated: datetime | None
) -> list[rows.EntryRow]:
    """The entries on some batches and by their runs, posted by a moment; all where none is said."""
    found = await tx.tuples(_ENTRIES, {"project": project, "batches": list(batches), "stated": stated})
    return [rows.EntryRow(*map(_value, row)) for row in found]


async def deficit_rows(
    tx: Read, project: int, batches: Sequence[int], stated: datetime | None
) -> list[rows.DeficitRow]:
    """What the runs of some batches were short of, posted by a moment; all where none is said."""
    found = await tx.tuples(_DEFICITS, {"project": project, "batches": list(batches), "stated": stated})
    return [rows.DeficitRow(*map(_value, row)) for row in found]


def _value(value: Any) -> Any:
    return Instant.of(value) if isinstance(value, datetime) else value


_RUNS: Final = """
    WITH of_runs AS MATERIALIZED (
        SELECT DISTINCT ledger_id, run_id FROM batches
         WHERE project_id = %(project)s AND id = ANY (%(batches)s) AND run_id IS NOT NULL
    )
"""
_ENTRIES: Final = f"""
    {_RUNS}, chosen AS (
        SELECT id FROM ledger_entries WHERE project_id = %(project)s AND batch_id = ANY (%(batches)s)
        UNION
        SELECT e.id FROM of_runs
          JOIN ledger_entries e ON (e.project_id, e.run_id) = (%(project)s, of_runs.run_id)
           AND e.node IS NOT NULL
        UNION
        SELECT e.id FROM of_runs
          JOIN ledger_entries e ON (e.project_id, e.run_id, e.ledger_id)
                                 = (%(project)s, of_runs.run_id, of_runs.ledger_id) AND e.node IS NULL
    )
    SELECT e.id, e.ledger_id, e.batch_id, e.kind, e.amount, e.effective_at, e.posted_at, e.posted_by,
           e.run_id, e.node, e.reverses, e.report_id
      FROM chosen JOIN ledger_entries e ON (e.project_id, e.id) = (%(project)s, chosen.id)
     WHERE %(stated)s::timestamptz IS NULL OR e.posted_at <= %(stated)s
     ORDER BY e.id
"""
_DEFICITS: Final = f"""
    {_RUNS}
    SELECT d.id, d.ledger_id, d.run_id, d.amount, d.effective_at, d.posted_at, d.posted_by, d.reverses,
           d.report_id
      FROM of_runs
      JOIN deficit_entries d ON (d.project_id, d.run_id, d.ledger_id)
                              = (%(project)s, of_runs.run_id, of_runs.ledger_id)
     WHERE %(stated)s::timestamptz IS NULL OR d.posted_at <= %(stated)s
     ORDER BY d.id
"""
