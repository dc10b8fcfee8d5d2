"""Ask for the deletion of batches; what stands in the way is said at once."""

from collections.abc import Sequence
from typing import Any

from weighbridge.accounting.batches import queries
from weighbridge.accounting.batches.records import DELETED_TOGETHER_MAX, BatchDeletion
from weighbridge.accounting.ledgers.queries import get_ledger
from weighbridge.accounting.posting.deletion import blockers_of
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid
from weighbridge.platform import changes
from weighbridge.platform.async_tasks.actions import queue_task
from weighbridge.platform.async_tasks.records import AsyncTask

TASK = "batch_deletion"


async def delete_batch(tx: Write, actor: Actor, friendly: str) -> AsyncTask:
    """Queue the deletion of one batch."""
    key = await queries.key_of_batch(tx, actor, friendly)
    ledger: int = await tx.value(
        "SELECT ledger_id FROM batches WHERE project_id = %s AND id = %s", (key.project, key.key)
    )
    return await _queue(tx, actor, ids.Key(key.project, ledger), [key.key], None)


async def delete_batches(tx: Write, actor: Actor, ledger: str, request: BatchDeletion) -> AsyncTask:
    """Queue the deletion of several batches of the ledger's project, all of them or none."""
    await get_ledger(tx, actor, ledger)
    key = ids.parse("ledger", ledger)
    assert key is not None  # noqa: S101 - the ledger was found by it
    named = list(dict.fromkeys(request.batch_ids))
    if not 1 <= len(named) <= DELETED_TOGETHER_MAX:
        message = f"batch_ids takes 1 to {DELETED_TOGETHER_MAX} batches; it names {len(named)}."
        raise Invalid([Problem(message, "batch_ids", "invalid")])
    parsed = [ids.parse("batch", text) for text in named]
    numbers = [one.key for one in parsed if one is not None and one.project == key.project]
    known = await queries.known_batches(tx, key.project, numbers)
    if unknown := [
        Problem(
            f"batch_ids names {text!r}, which is no batch of the project.", "batch_ids", "unknown", (text,)
        )
        for text, one in zip(named, parsed, strict=True)
        if one is None or one.project != key.project or one.key not in known
    ]:
        raise Invalid(unknown)
    return await _queue(tx, actor, key, sorted(numbers), "batch_ids", reason=request.reason)


async def _queue(
    tx: Write,
    actor: Actor,
    ledger: ids.Key,
    batches: Sequence[int],
    field: str | None,
    *,
    reason: str | None = None,
) -> AsyncTask:
    """Queue the deletion of batches of the ledger's project, for which the task names the ledger."""
    project = ledger.project
    if blockers := await blockers_of(tx, project, batches, field):
        raise Invalid(blockers)
    families = await tx.tuples(
        """
        SELECT DISTINCT l.family_id FROM batches b
          JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
         WHERE b.project_id = %s AND b.id = ANY (%s) ORDER BY 1 NULLS LAST LIMIT 1
        """,
        (project, list(batches)),
    )
    args: dict[str, Any] = {
        "project_id": project,
        "ledger_id": ledger.key,
        "batch_ids": list(batches),
    }
    args |= {} if reason is None else {"reason": reason}
    lock = locks.generation(project, families[0][0] or 0)
    task = await queue_task(tx, actor, kind=TASK, project_id=project, args=args, lock=lock)
    changes.record(
        tx,
        actor,
        action="batch_deletion.start",
        target=ids.of("batch", project, batches[0]),
        project_id=project,
        after=task,
    )
    return task
