"""Preview a generation, and start one."""

from collections.abc import Sequence

import msgspec

from weighbridge.core import ids
from weighbridge.core.cadence import label
from weighbridge.core.instant import Instant
from weighbridge.core.permission import Actor
from weighbridge.db.engine import Read, Write
from weighbridge.resources.async_tasks.actions import queue_task
from weighbridge.resources.async_tasks.records import AsyncTask
from weighbridge.resources.audit_log import actions as audit
from weighbridge.resources.batch_generations.lock import lock_name
from weighbridge.resources.batch_generations.plan import Plan, Target
from weighbridge.resources.batch_generations.planner import make_plan
from weighbridge.resources.batch_generations.records import NewGeneration, Preview, PreviewEntry
from weighbridge.resources.batch_generations.scope import Scope, scopes_of
from weighbridge.resources.ledgers.queries import ledger_id

TASK = "batch_generation"


async def preview(tx: Read, actor: Actor, ledger: str, asked: NewGeneration) -> Preview:
    """Say what generation would do, ledger by ledger."""
    scopes = await scopes_of(tx, actor, ledger, asked)
    plans = [await make_plan(tx, scope) for scope in scopes]
    return Preview([_entry(scopes[-1], target, plans) for target in scopes[-1].targets])


def _entry(scope: Scope, target: Target, plans: Sequence[Plan]) -> PreviewEntry:
    """What the plans of all versions do to one ledger; `scope` is the last one, which names the rest."""
    changes = [change for plan in plans for change in plan.changes if change.target == target]
    cadence, zone = scope.model.cadence, scope.zone
    return PreviewEntry(
        id=ledger_id(scope.project, target.number),
        name=target.name,
        count=len(changes),
        adjustments=sum(change.adjusts is not None for change in changes),
        slots=[named for plan in plans for named in plan.slot_labels],
        touched_slots=[named for plan in plans for named in plan.touched_labels],
        passed_over_slots=[label(cadence, slot, zone) for slot in scope.passed_over],
        not_counted=[found for plan in plans for found in plan.not_counted],
        problems=[problem for plan in plans for problem in plan.problems],
    )


async def start(tx: Write, actor: Actor, ledger: str, asked: NewGeneration) -> AsyncTask:
    """Queue a generation as a task; what cannot run at all is refused at once."""
    scope = (await scopes_of(tx, actor, ledger, asked))[-1]
    key = ids.parse(ids.PREFIXES["ledger"], ledger)
    assert key is not None  # noqa: S101 - the ledger was found by it
    given = {name: value for name, value in msgspec.structs.asdict(asked).items() if value is not None}
    times = {"start_time": Instant.of(asked.start_time), "end_time": Instant.of(asked.end_time)}
    args = {**given, **times, "project_id": scope.project, "ledger_id": key.key}
    lock = lock_name(scope.project, scope.family)
    task = await queue_task(tx, actor, kind=TASK, project_id=scope.project, args=args, lock=lock)
    await audit.record(
        tx, actor, action="batch_generation.start", target=ledger, project_id=scope.project, after=task
    )
    return task
