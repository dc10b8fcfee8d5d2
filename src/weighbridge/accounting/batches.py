"""Batches: what a run credited to a ledger, with every node's value and the events it was made of.

A batch carries a primary output and a balance; an adjusting batch names the first batch of its run.
Permission: production accounting.

Reading batches is in `batches_queries.py`. Deletion is checked when it is requested and again when its
task runs. Other inputs of a batch are a generation of its slot (`batch_generations.py`).
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from weighbridge.accounting import batches_queries as queries
from weighbridge.accounting.batch_generations import queue_request
from weighbridge.accounting.batches_queries import find_known_batches
from weighbridge.accounting.books.balances import find_ledger_key
from weighbridge.accounting.ledgers_queries import find_ledger, find_ledger_to_read
from weighbridge.accounting.planning.proposal import Request, UpdatedRun, check_early, read_updated_run
from weighbridge.accounting.posting.deletion import (
    end_inputs,
    list_blockers,
    read_higher_standings,
    undo_batches,
)
from weighbridge.accounting.records.batches import (
    DELETED_TOGETHER_MAX,
    Batch,
    BatchDeletion,
    DeletionResult,
    InputDataPage,
    Lineage,
)
from weighbridge.accounting.records.model_runs import NewGeneration, UpdatedBatch, UpdatedInputs
from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.lists.listing import Page, list_request
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.endpoints.endpoint import (
    Answer,
    LookingBack,
    ReadCall,
    WriteCall,
    delete,
    get,
    patch,
    post,
)
from weighbridge.http.messages.body import LONG_BODY_BYTES_MAX
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt, accept_task, poll, queue_task
from weighbridge.platform.records import AsyncTask
from weighbridge.platform.tenancy import key_named, project_of

# Carry out a deletion: look again for what stands in the way, then undo everything in one fenced
# transaction.


async def run_batch_deletion(database: Database, attempt: Attempt) -> None:
    """Delete the batches that a task names; safe to repeat, because only the newest attempt publishes."""
    project, batches = attempt.project_id, list(attempt.args["batch_ids"])
    # The locks of generation are held before the snapshot is taken, so nothing is drawn meanwhile.
    async with database.snapshot(locks=await _list_locks(database, project, batches)) as tx:
        await tasks.report_progress(database, attempt, 10, f"Deleting {len(batches)} batches")
        known = await find_known_batches(tx, project, batches)
        gone = [identity.of("batch", project, batch) for batch in batches if batch not in known]
        problems = [Problem(f"The batch {name} has been deleted already.") for name in gone]
        problems += await list_blockers(tx, project, batches, None)
        if problems:
            raise Invalid(problems)
        above = await read_higher_standings(tx, project, batches)
        await undo_batches(tx, project, batches, attempt.task_id)
        ended = await end_inputs(tx, project, batches)
        await tasks.lock_current_attempt(tx, attempt)
        result = DeletionResult([identity.of("batch", project, batch) for batch in batches], ended, above)
        changes.record(
            tx,
            attempt.actor,
            changes.ChangedBatches(batches),
            action="batch_deletion.finish",
            target=result.deleted[0],
            project_id=project,
            after=result,
        )
        await tasks.complete_task(tx, attempt, result)


async def _list_locks(database: Database, project: int, batches: list[int]) -> list[str]:
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


# Ask for the deletion of batches; what stands in the way is said at once.


TASK = "batch_deletion"


async def queue_deletion_of_one(tx: Write, actor: Actor, friendly: str) -> AsyncTask:
    """Queue the deletion of one batch."""
    key = await queries.find_batch_key(tx, actor, friendly)
    ledger: int = await tx.value(
        "SELECT ledger_id FROM batches WHERE project_id = %s AND id = %s", (key.project, key.key)
    )
    return await _queue_task(tx, actor, identity.Key(key.project, ledger), [key.key], None)


async def queue_deletion(tx: Write, actor: Actor, ledger: str, request: BatchDeletion) -> AsyncTask:
    """Queue the deletion of several batches of the ledger's project, all of them or none."""
    await find_ledger(tx, actor, ledger)
    key = key_named("ledger", ledger)
    named = list(dict.fromkeys(request.batch_ids))
    if not 1 <= len(named) <= DELETED_TOGETHER_MAX:
        message = f"batch_ids takes 1 to {DELETED_TOGETHER_MAX} batches; it names {len(named)}."
        raise Invalid([Problem(message, "batch_ids", "invalid")])
    parsed = [identity.parse("batch", text) for text in named]
    numbers = [one.key for one in parsed if one is not None and one.project == key.project]
    known = await queries.find_known_batches(tx, key.project, numbers)
    if unknown := [
        Problem(
            f"batch_ids names {text!r}, which is no batch of the project.", "batch_ids", "unknown", (text,)
        )
        for text, one in zip(named, parsed, strict=True)
        if one is None or one.project != key.project or one.key not in known
    ]:
        raise Invalid(unknown)
    return await _queue_task(tx, actor, key, sorted(numbers), "batch_ids", reason=request.reason)


async def _queue_task(
    tx: Write,
    actor: Actor,
    ledger: identity.Key,
    batches: Sequence[int],
    field: str | None,
    *,
    reason: str | None = None,
) -> AsyncTask:
    """Queue the deletion of batches of the ledger's project, for which the task names the ledger."""
    project = ledger.project
    if blockers := await list_blockers(tx, project, batches, field):
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
        target=identity.of("batch", project, batches[0]),
        project_id=project,
        after=task,
    )
    return task


# Give a batch other inputs: its slot is generated again with those that the caller names for the batch.
#
# What is named replaces what stayed with the slot, list by list. Amounts of sources are for the batch's
# run. Data points are the complete set of the batch: of the types that they touch, what batches of the
# slot's other partitions were made of stays with the slot, so that those do not change.
#
# Invariants: an update that would leave less than was drawn is refused, and one that fails changes nothing.
# While its task is at work the batch is `processing`; why it failed is the batch's `error_message`.


_SHORTEST: Final = timedelta(milliseconds=1)
"""How long a range is at least, where the slot is a reading."""


async def queue_input_update(
    tx: Write, actor: Actor, ledger: str, batch: str, inputs: UpdatedInputs
) -> tuple[UpdatedBatch, AsyncTask]:
    """Have a batch of the ledger computed again with other inputs, by a generation of its slot."""
    ledger_id = identity.make("ledger", await find_ledger_key(tx, actor, ledger))
    key = await queries.find_batch_key(tx, actor, batch)
    before = await queries.get_batch(tx, actor, batch)
    if before.ledger_id != ledger_id:
        raise NotFound("batch", batch)
    if inputs == UpdatedInputs():
        names = ", ".join(UpdatedInputs.__struct_fields__)
        raise Invalid([Problem(f"The body names no inputs; it takes {names}.", None, "required")])
    run = await read_updated_run(tx, ledger, key.key)
    generation = await _build_generation(tx, key.project, run, inputs)
    request = Request(actor, ledger, generation, key.key)
    task = await queue_request(tx, request, await check_early(tx, request))
    await tx.execute(
        "UPDATE batches SET inputs_task_id = %s, updated_at = now() WHERE project_id = %s AND id = %s",
        (task.id, key.project, key.key),
    )
    after = await queries.get_batch(tx, actor, batch)
    shown = {name: getattr(after, name) for name in UpdatedBatch.__struct_fields__}
    changes.record(tx, actor, action="batch.update_inputs", target=batch, project_id=key.project, after=task)
    return UpdatedBatch(**shown), task


async def _build_generation(tx: Read, project: int, run: UpdatedRun, inputs: UpdatedInputs) -> NewGeneration:
    """The generation that gives a run its other inputs."""
    data_points = inputs.data_point_ids
    if data_points:
        data_points = list(
            dict.fromkeys([*data_points, *await _read_inputs_of_others(tx, project, run, data_points)])
        )
    return NewGeneration(
        start_time=run.start_time,
        end_time=max(run.end_time, run.start_time + _SHORTEST),
        batch_amounts=inputs.batch_amounts,
        data_point_ids=data_points,
        skipped_data_point_type_ids=inputs.skipped_data_point_type_ids,
    )


async def _read_inputs_of_others(tx: Read, project: int, run: UpdatedRun, names: Sequence[str]) -> list[str]:
    """What the slot's other partitions are made of, of the types that are named."""
    keys = [identity.parse("data_point", text) for text in names]
    event_keys = [key for key in keys if key and key.project == project and key.owner is identity.Owner.EVENT]
    rows = await tx.tuples(
        _OF_OTHERS,
        {
            "project": project,
            "run": run.number,
            "events": [key.key for key in event_keys],
            "positions": [key.position for key in event_keys],
        },
    )
    return [identity.of("data_point", project, event, position) for event, position in rows]


# The newest batch of a run says what the run is made of.
_OF_OTHERS: Final = """
    WITH named AS (
        SELECT DISTINCT e.event_type_id, point.position
          FROM unnest(%(events)s::bigint[], %(positions)s::integer[]) AS point (event_id, position)
          JOIN events e ON e.project_id = %(project)s AND e.id = point.event_id
    ), others AS (
        SELECT DISTINCT ON (b.run_id) b.id
          FROM runs mine
          JOIN runs r ON (r.project_id, r.family_id, r.start_time, r.end_time)
                       = (mine.project_id, mine.family_id, mine.start_time, mine.end_time) AND r.id <> mine.id
           AND r.by_event = mine.by_event AND r.event_id IS NOT DISTINCT FROM mine.event_id
           AND (NOT mine.by_event OR r.tracking_id IS NOT DISTINCT FROM mine.tracking_id)
          JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
         WHERE mine.project_id = %(project)s AND mine.id = %(run)s
         ORDER BY b.run_id, b.id DESC
    )
    SELECT DISTINCT used.id, named.position
      FROM others
      JOIN batch_input_sets s ON s.project_id = %(project)s AND s.batch_id = others.id
      JOIN named ON named.event_type_id = s.event_type_id AND named.position = ANY (s.positions)
      JOIN batch_inputs i ON (i.project_id, i.batch_id, i.set_number)
                           = (s.project_id, s.batch_id, s.set_number)
      CROSS JOIN unnest(i.event_ids) AS used (id)
     ORDER BY 1, 2
"""


# Paths of batches.


_READ = "production_accounting:read"
_WRITE = "production_accounting:write"


@get(
    "/batches",
    permission=_READ,
    returns=Page[Batch],
    listing=queries.BATCHES,
    looks_back=LookingBack.ASKED,
    spans_projects=True,
)
async def list_batches(call: ReadCall) -> Page[Batch]:
    """List the batches of all the account's ledgers."""
    return await queries.list_batches(call.tx, call.actor, list_request(call.query, queries.BATCHES))


@get(
    "/projects/{project_id}/batches",
    permission=_READ,
    returns=Page[Batch],
    listing=queries.BATCHES,
    looks_back=LookingBack.ASKED,
)
async def list_project_batches(call: ReadCall) -> Page[Batch]:
    """List the batches of all the project's ledgers."""
    return await queries.list_batches_of_project(
        call.tx, await project_of(call), list_request(call.query, queries.BATCHES)
    )


@get(
    "/ledgers/{ledger_id}/batches",
    permission=_READ,
    returns=Page[Batch],
    listing=queries.LEDGER_BATCHES,
    looks_back=LookingBack.ASKED,
)
async def list_ledger_batches(call: ReadCall) -> Page[Batch]:
    """List the batches of one ledger."""
    key = find_ledger_to_read(call.tx, call.actor, call.path["ledger_id"])
    return await queries.list_ledger_batches(
        call.tx, key.project, key.key, list_request(call.query, queries.LEDGER_BATCHES)
    )


@get("/batches/{batch_id}", permission=_READ, returns=Batch, looks_back=LookingBack.ASKED)
async def get_batch(call: ReadCall) -> Batch:
    """Read one batch with the first rows of its input data."""
    return await queries.get_batch(call.tx, call.actor, call.path["batch_id"])


@get(
    "/batches/{batch_id}/input_data",
    permission=_READ,
    returns=InputDataPage,
    listing=queries.INPUT_DATA,
    looks_back=LookingBack.ASKED,
)
async def list_input_data(call: ReadCall) -> InputDataPage:
    """List every value that a batch was made of, page by page."""
    return await queries.list_input_data(
        call.tx, call.actor, call.path["batch_id"], list_request(call.query, queries.INPUT_DATA)
    )


@get("/batches/{batch_id}/lineage", permission=_READ, returns=Lineage, looks_back=LookingBack.ASKED)
async def get_lineage(call: ReadCall) -> Lineage:
    """Show how a batch came about: every node's equation and value, down to the measurements."""
    return await queries.get_lineage(call.tx, call.actor, call.path["batch_id"])


@patch(
    "/ledgers/{ledger_id}/batches/{batch_id}/update_inputs",
    permission=_WRITE,
    body=UpdatedInputs,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=UpdatedBatch,
    example={"data_point_ids": [], "skipped_data_point_type_ids": []},
    computes=True,
)
async def update_inputs(call: WriteCall, body: UpdatedInputs) -> Answer:
    """Start computing a batch again with other inputs; `processing` until the task in `Location` ends."""
    batch, task = await queue_input_update(
        call.tx, call.actor, call.path["ledger_id"], call.path["batch_id"], body
    )
    return Answer(batch, poll(task))


@delete("/batches/{batch_id}", permission=_WRITE, returns=AsyncTask, status=202)
async def delete_batch(call: WriteCall) -> Answer:
    """Start undoing all that one batch posted; poll the task in the answer."""
    return accept_task(await queue_deletion_of_one(call.tx, call.actor, call.path["batch_id"]))


@post(
    "/ledgers/{ledger_id}/batch_deletions",
    permission=_WRITE,
    body=BatchDeletion,
    returns=AsyncTask,
    status=202,
    task_results={"batch_deletion": DeletionResult},
)
async def create_batch_deletion(call: WriteCall, body: BatchDeletion) -> Answer:
    """Start undoing all that several batches of the ledger's project posted, together."""
    task = await queue_deletion(call.tx, call.actor, call.path["ledger_id"], body)
    return accept_task(task)


ROUTES = [
    list_batches,
    list_project_batches,
    list_ledger_batches,
    get_batch,
    list_input_data,
    get_lineage,
    update_inputs,
    delete_batch,
    create_batch_deletion,
]
