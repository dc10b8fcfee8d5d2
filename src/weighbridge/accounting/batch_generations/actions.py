"""Preview a generation, start one, and start one that gives a batch other inputs."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from weighbridge.accounting.batch_generations.records import (
    NewGeneration,
    PartitionDeficit,
    Preview,
    PreviewEntry,
    UpdatedBatch,
    UpdatedInputs,
)
from weighbridge.accounting.batches.queries import get_batch, key_of_batch
from weighbridge.accounting.drawing.draws import refuse_beyond_balance
from weighbridge.accounting.drawing.manual_sources import choices_in
from weighbridge.accounting.ledgers.queries import get_ledger
from weighbridge.accounting.planning.plan import Plan, Target
from weighbridge.accounting.planning.planner import make_plans
from weighbridge.accounting.planning.scope import Scope, scopes_of
from weighbridge.accounting.planning.updates import generation_for, updated_run
from weighbridge.accounting.posting.adjustments import postings_of
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.cadence import label
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid, NotFound
from weighbridge.platform import changes
from weighbridge.platform.async_tasks.actions import queue_task
from weighbridge.platform.async_tasks.records import AsyncTask

TASK = "batch_generation"


async def preview(tx: Read, actor: Actor, ledger: str, asked: NewGeneration) -> Preview:
    """Say what generation would do, ledger by ledger."""
    scopes = await scopes_of(tx, actor, ledger, asked)
    plans = await make_plans(tx, scopes, await choices_in(tx, scopes, asked))
    is_runnable = not any(plan.problems for plan in plans)
    deficits = []
    if is_runnable:
        deficits = (await postings_of(tx, scopes[0].project, plans)).named_deficits(scopes[0].project)
    return Preview([_entry(scopes[-1], target, plans, deficits) for target in scopes[-1].targets])


def _entry(
    scope: Scope, target: Target, plans: Sequence[Plan], deficits: Sequence[PartitionDeficit]
) -> PreviewEntry:
    """What the plans of all versions do to one ledger; `scope` is the last one, which names the rest."""
    own_changes = [change for plan in plans for change in plan.changes if change.target == target]
    own = ids.of("ledger", scope.project, target.number)
    others = {ids.of("ledger", scope.project, one.number) for one in scope.targets} - {own}
    slots = [pair for plan in plans for pair in zip(plan.slots, plan.slot_labels, strict=True)]
    return PreviewEntry(
        id=own,
        name=target.name,
        count=len(own_changes),
        adjustments=sum(change.adjusts is not None for change in own_changes),
        slots=[named for _, named in sorted(slots, key=_place)],
        touched_slots=[named for plan in plans for named in plan.touched_labels],
        passed_over_slots=[label(scope.cadence, slot, scope.zone) for slot in scope.passed_over],
        not_counted=[found for plan in plans for found in plan.not_counted],
        pending_proposals=[found for plan in plans for found in plan.pending],
        left_out=[run for plan in plans for run in plan.left_out],
        deficits=[one for one in deficits if one.ledger not in others],
        problems=[problem for plan in plans for problem in plan.problems],
    )


def _place(slot: tuple[Interval, str]) -> tuple[datetime, datetime, str]:
    interval, named = slot
    return interval.start, interval.end, named


async def start(tx: Write, actor: Actor, ledger: str, asked: NewGeneration) -> AsyncTask:
    """Queue a generation as a task; what cannot run at all is refused at once."""
    scopes = await scopes_of(tx, actor, ledger, asked)
    await refuse_beyond_balance(tx, scopes, await choices_in(tx, scopes, asked))
    task = await _queue(tx, actor, ledger, scopes[-1], asked)
    changes.record(
        tx, actor, action="batch_generation.start", target=ledger, project_id=scopes[-1].project, after=task
    )
    return task


async def update_inputs(
    tx: Write, actor: Actor, ledger: str, batch: str, asked: UpdatedInputs
) -> tuple[UpdatedBatch, AsyncTask]:
    """Have a batch of the ledger computed again with other inputs, by a generation of its slot."""
    key = await key_of_batch(tx, actor, batch)
    before = await get_batch(tx, actor, batch)
    if before.ledger_id != (await get_ledger(tx, actor, ledger)).id:
        raise NotFound
    if asked == UpdatedInputs():
        names = ", ".join(UpdatedInputs.__struct_fields__)
        raise Invalid([Problem(f"The body names no inputs; it takes {names}.", None, "required")])
    held_by = ids.parse("ledger", ledger)
    assert held_by is not None  # noqa: S101 - the ledger was found by it
    run = await updated_run(tx, key.project, held_by.key, key.key)
    generation = await generation_for(tx, key.project, run, asked)
    scopes = await scopes_of(tx, actor, ledger, generation, run.slot)
    await refuse_beyond_balance(tx, scopes, await choices_in(tx, scopes, generation, run.partition))
    task = await _queue(tx, actor, ledger, scopes[-1], generation, batch_id=key.key)
    await tx.execute(
        "UPDATE batches SET inputs_task_id = %s, updated_at = now() WHERE project_id = %s AND id = %s",
        (task.id, key.project, key.key),
    )
    after = await get_batch(tx, actor, batch)
    shown = {name: getattr(after, name) for name in UpdatedBatch.__struct_fields__}
    changes.record(tx, actor, action="batch.update_inputs", target=batch, project_id=key.project, after=task)
    return UpdatedBatch(**shown), task


async def _queue(
    tx: Write, actor: Actor, ledger: str, scope: Scope, asked: NewGeneration, **more: int
) -> AsyncTask:
    """Queue the task of a generation."""
    key = ids.parse("ledger", ledger)
    assert key is not None  # noqa: S101 - the ledger was found by it
    given = {name: value for name, value in msgspec.structs.asdict(asked).items() if value is not None}
    times = {"start_time": Instant.of(asked.start_time), "end_time": Instant.of(asked.end_time)}
    args = {**given, **times, "project_id": scope.project, "ledger_id": key.key, **more}
    lock = locks.generation(scope.project, scope.family)
    return await queue_task(tx, actor, kind=TASK, project_id=scope.project, args=args, lock=lock)
