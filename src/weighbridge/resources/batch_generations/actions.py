"""Preview a generation, and start one."""

from weighbridge.core import ids
from weighbridge.core.instant import Instant
from weighbridge.core.permission import Actor
from weighbridge.db.engine import Read, Write
from weighbridge.resources.async_tasks.actions import queue_task
from weighbridge.resources.async_tasks.records import AsyncTask
from weighbridge.resources.audit_log import actions as audit
from weighbridge.resources.batch_generations.lock import lock_name
from weighbridge.resources.batch_generations.planner import make_plan
from weighbridge.resources.batch_generations.records import NewGeneration, Preview, PreviewEntry
from weighbridge.resources.batch_generations.scope import scope_of
from weighbridge.resources.ledgers.queries import ledger_id

TASK = "batch_generation"


async def preview(tx: Read, actor: Actor, ledger: str, asked: NewGeneration) -> Preview:
    """Say what generation would do, ledger by ledger."""
    scope = await scope_of(tx, actor, ledger, asked)
    plan = await make_plan(tx, scope)
    entries = []
    for target in scope.targets:
        changes = [change for change in plan.changes if change.target == target]
        adjustments = sum(change.adjusts is not None for change in changes)
        entries.append(
            PreviewEntry(
                id=ledger_id(scope.project, target.number),
                name=target.name,
                count=len(changes),
                adjustments=adjustments,
                slots=list(plan.slot_labels),
                touched_slots=list(plan.touched_labels),
                not_counted=list(plan.not_counted),
                problems=list(plan.problems),
            )
        )
    return Preview(entries)


async def start(tx: Write, actor: Actor, ledger: str, asked: NewGeneration) -> AsyncTask:
    """Queue a generation as a task; what cannot run at all is refused at once."""
    scope = await scope_of(tx, actor, ledger, asked)
    key = ids.parse(ids.PREFIXES["ledger"], ledger)
    assert key is not None  # noqa: S101 - the ledger was found by it
    args = {
        "project_id": scope.project,
        "ledger_id": key.key,
        "start_time": Instant.of(asked.start_time),
        "end_time": Instant.of(asked.end_time),
        "generate_concurrent_ledgers": asked.generate_concurrent_ledgers,
    }
    lock = lock_name(scope.project, scope.family)
    task = await queue_task(tx, actor, kind=TASK, project_id=scope.project, args=args, lock=lock)
    await audit.record(
        tx, actor, action="batch_generation.start", target=ledger, project_id=scope.project, after=task
    )
    return task
