"""Staleness as generations meet it: they clear the marks of what they compute anew, and mark what changed.

Whoever changes an input marks the runs that used it; `platform/changes` says which, and holds the project's
lock. A batch is stale while its run is marked, or while a run that it draws from is stale; of a run's batches
the newest says so.
"""

from collections.abc import Sequence
from typing import Final

from psycopg.sql import SQL

from weighbridge.accounting.books.runs import RUNS_OF_SLOTS, slot_columns
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Database, Write
from weighbridge.modelling.document.reach import reach_of, stretches
from weighbridge.platform import changes


async def mark_changed_meanwhile(database: Database, tx: Write, project: int) -> None:
    """Mark what has changed since the snapshot of this transaction, and hold off changes until it ends.

    Comes last in a generation, when its batches and their lineage are written and old marks are cleared.
    """
    held = await changes.await_changes(tx, project)
    values = {"snapshot": await tx.value("SELECT pg_current_snapshot()::text")}
    async with database.read() as fresh:
        corrected = await fresh.tuples(_CORRECTED, {"project": project, **values})
        added = await stretches(fresh, project, _UNSEEN.format("s.added_by"), values)
    changes.leave(tx, project, changes.ChangedValues(held, corrected))
    for stretch in added:
        # By this transaction: it sees the versions of its own batches.
        changes.leave(tx, project, await reach_of(tx, held, stretch))


async def clear(
    tx: Write, project: int, family: int, ledgers: Sequence[int], slots: Sequence[Interval]
) -> None:
    """Take the marks off every run of the slots, on these ledgers."""
    await tx.execute(
        SQL("""
        DELETE FROM stale_runs s USING {runs}
         WHERE s.project_id = %(project)s AND s.ledger_id = ANY (%(ledgers)s) AND r.id = s.run_id
        """).format(runs=RUNS_OF_SLOTS),
        {"project": project, "family": family, "ledgers": list(ledgers), **slot_columns(slots)},
    )


# What a snapshot does not show, of transactions that have committed. A number above those given out so far
# comes from another cluster, out of a dump.
_UNSEEN: Final = """
    {0} >= pg_snapshot_xmin(%(snapshot)s::pg_snapshot) AND {0} < pg_snapshot_xmax(pg_current_snapshot())
    AND NOT pg_visible_in_snapshot({0}, %(snapshot)s::pg_snapshot)
"""
_CORRECTED: Final = f"""
    SELECT event_id, position FROM corrections
     WHERE project_id = %(project)s AND {_UNSEEN.format("changed_by")}
     UNION
    SELECT event_id, 0 FROM imputations
     WHERE project_id = %(project)s AND withdrawn_at IS NOT NULL AND {_UNSEEN.format("withdrawn_by")}
     ORDER BY event_id, position
"""
