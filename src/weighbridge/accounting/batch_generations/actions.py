"""Start a generation, and start one that gives a batch other inputs."""

import msgspec

from weighbridge.accounting.batch_generations.records import NewGeneration, UpdatedBatch, UpdatedInputs
from weighbridge.accounting.batches.queries import get_batch, key_of_batch
from weighbridge.accounting.books.ledgers import key_of_ledger
from weighbridge.accounting.planning.input_updates import generation_for, updated_run
from weighbridge.accounting.planning.propose import Request, refuse_early
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid, NotFound
from weighbridge.platform import changes
from weighbridge.platform.async_tasks.actions import queue_task
from weighbridge.platform.async_tasks.records import AsyncTask

TASK = "batch_generation"


async def start(tx: Write, actor: Actor, ledger: str, generation: NewGeneration) -> AsyncTask:
    """Queue a generation as a task; what cannot run at all is refused at once."""
    request = Request(actor, ledger, generation)
    scope = await refuse_early(tx, request)
    task = await _queue(tx, request, scope)
    changes.record(
        tx, actor, action="batch_generation.start", target=ledger, project_id=scope.project, after=task
    )
    return task


async def update_inputs(
    tx: Write, actor: Actor, ledger: str, batch: str, inputs: UpdatedInputs
) -> tuple[UpdatedBatch, AsyncTask]:
    """Have a batch of the ledger computed again with other inputs, by a generation of its slot."""
    ledger_id = ids.make("ledger", await key_of_ledger(tx, actor, ledger))
    key = await key_of_batch(tx, actor, batch)
    before = await get_batch(tx, actor, batch)
    if before.ledger_id != ledger_id:
        raise NotFound("batch", batch)
    if inputs == UpdatedInputs():
        names = ", ".join(UpdatedInputs.__struct_fields__)
        raise Invalid([Problem(f"The body names no inputs; it takes {names}.", None, "required")])
    run = await updated_run(tx, ledger, key.key)
    generation = await generation_for(tx, key.project, run, inputs)
    request = Request(actor, ledger, generation, key.key)
    task = await _queue(tx, request, await refuse_early(tx, request))
    await tx.execute(
        "UPDATE batches SET inputs_task_id = %s, updated_at = now() WHERE project_id = %s AND id = %s",
        (task.id, key.project, key.key),
    )
    after = await get_batch(tx, actor, batch)
    shown = {name: getattr(after, name) for name in UpdatedBatch.__struct_fields__}
    changes.record(tx, actor, action="batch.update_inputs", target=batch, project_id=key.project, after=task)
    return UpdatedBatch(**shown), task


async def _queue(tx: Write, request: Request, scope: Scope) -> AsyncTask:
    """Queue the task of a generation; `tasks` reads the request from its arguments again."""
    generation = request.generation
    given = {name: value for name, value in msgspec.structs.asdict(generation).items() if value is not None}
    times = {"start_time": Instant.of(generation.start_time), "end_time": Instant.of(generation.end_time)}
    args = {**given, **times, "project_id": scope.project, "ledger_id": ids.number("ledger", request.ledger)}
    if request.updated_batch is not None:
        args["batch_id"] = request.updated_batch
    lock = locks.generation(scope.project, scope.family)
    return await queue_task(tx, request.actor, kind=TASK, project_id=scope.project, args=args, lock=lock)
