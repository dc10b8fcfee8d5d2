"""Carry out a deletion: look again for what stands in the way, then undo everything in one fenced
transaction.
"""

from weighbridge.accounting.batches.queries import known_batches
from weighbridge.accounting.batches.records import DeletionResult
from weighbridge.accounting.posting.deletion import blockers_of, undo
from weighbridge.accounting.posting.deletion_effects import end_inputs, stands_above
from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.db import locks
from weighbridge.db.engine import Database
from weighbridge.errors import Invalid
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import actions as tasks
from weighbridge.platform.async_tasks.actions import Attempt


async def delete_batches(database: Database, attempt: Attempt) -> None:
    """Delete the batches that a task names; safe to repeat, because only the newest attempt publishes."""
    project, batches = attempt.project_id, list(attempt.args["batch_ids"])
    # The locks of generation are held before the snapshot is taken, so nothing is drawn meanwhile.
    async with database.snapshot(locks=await _locks(database, project, batches)) as tx:
        await tasks.report(database, attempt, 10, f"Deleting {len(batches)} batches")
        known = await known_batches(tx, project, batches)
        gone = [ids.of("batch", project, batch) for batch in batches if batch not in known]
        problems = [Problem(f"The batch {name} has been deleted already.") for name in gone]
        problems += await blockers_of(tx, project, batches, None)
        if problems:
            raise Invalid(problems)
        above = await stands_above(tx, project, batches)
        await undo(tx, project, batches, attempt.task_id)
        ended = await end_inputs(tx, project, batches)
        await tasks.hold_fence(tx, attempt)
        result = DeletionResult([ids.of("batch", project, batch) for batch in batches], ended, above)
        changes.record(
            tx,
            attempt.actor,
            changes.ChangedBatches(batches),
            action="batch_deletion.finish",
            target=result.deleted[0],
            project_id=project,
            after=result,
        )
        await tasks.succeed(tx, attempt, result)


async def _locks(database: Database, project: int, batches: list[int]) -> list[str]:
    """The locks of the models and of every ledger that the batches posted to, in the order of generation."""
    async with database.read() as tx:
        families = await tx.tuples(
            """
            SELECT DISTINCT l.family_id FROM batches b
              JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
             WHERE b.project_id = %s AND b.id = ANY (%s) AND l.family_id IS NOT NULL ORDER BY 1
            """,
            (project, batches),
        )
        ledgers = await tx.tuples(
            """
            SELECT ledger_id FROM batches WHERE project_id = %(project)s AND id = ANY (%(batches)s)
            UNION SELECT ledger_id FROM ledger_entries
             WHERE project_id = %(project)s AND posted_by = ANY (%(batches)s)
            ORDER BY ledger_id
            """,
            {"project": project, "batches": batches},
        )
    return [
        *(locks.generation(project, family) for (family,) in families),
        *(locks.ledger(project, ledger) for (ledger,) in ledgers),
    ]
