"""Async tasks: work that outlives its request, which the caller polls.

States: pending, running, complete, failed. Each attempt raises the fence; only the newest attempt can
publish, so an effect happens once however often a worker dies. A task that is cancelled fails, and
publishes nothing.
"""

from dataclasses import replace
from typing import Any, Final, LiteralString

import msgspec
from procrastinate import App, PsycopgConnector
from psycopg.errors import SerializationFailure
from psycopg.sql import SQL, Composable

from weighbridge import tracing
from weighbridge.core.identity import API_PREFIX
from weighbridge.core.platform.permission import ANY, Actor
from weighbridge.core.platform.settings import check_quota
from weighbridge.core.platform.tasks import (
    AREA_OF_KIND,
    ATTEMPTS_MAX,
    TaskState,
    Trigger,
    advance,
    find_cancel_permission,
    find_read_permission,
    find_readable_projects,
    list_readable_kinds,
    states_before,
)
from weighbridge.db.engine import Command, Database, Read, Write
from weighbridge.db.lists.listing import (
    Filter,
    Index,
    Listing,
    Page,
    list_request,
    read_int4,
    read_key,
    read_page,
)
from weighbridge.db.row import Column, row_of
from weighbridge.db.statements import Literal, jsonb
from weighbridge.errors import Conflict, Forbidden, NotFound, TooManyRequests
from weighbridge.http.endpoints.endpoint import Answer, ReadCall, WriteCall, get, post
from weighbridge.platform import changes
from weighbridge.platform.records import AsyncTask, Cancellation
from weighbridge.platform.tenancy import find, limit_to_projects, of_account, project_filter


def _state(text: str) -> str:
    return TaskState(text)


ASYNC_TASKS: Final = Listing(
    sorts={"id": "t.id", "created_at": "t.created_at", "state": "t.state", "type": "t.type"},
    default_sort="-id",
    key=("t.id",),
    filters={
        "state": Filter("t.state", _state, ", ".join(TaskState)),
        "type": Filter("t.type", str, "a type of task"),
        "project_id": project_filter("t.project_id"),
        "ledger_id": Filter("(t.args ->> 'ledger_id')::bigint", read_key("ledger"), "an id lgr_…"),
    },
    indexes=(Index("id"),),
)

ASYNC_TASK: Final = row_of(
    AsyncTask,
    Column("id", "t.id"),
    Column("type", "t.type"),
    Column("state", "t.state"),
    Column("progress", "CASE t.state WHEN 'complete' THEN 100 ELSE coalesce(p.progress, 0) END"),
    Column("progress_description", "CASE t.state WHEN 'running' THEN p.description END"),
    Column("created_at", "t.created_at"),
    Column("started_at", "t.started_at"),
    Column("finished_at", "t.finished_at"),
    Column("error_message", "t.error_message"),
    Column("result", "t.result"),
    Column("args", "t.args"),
)
_SOURCE: Final = "async_tasks t LEFT JOIN async_task_progress p ON p.task_id = t.id"


async def read_task_of_any_kind(tx: Read, actor: Actor, text: str) -> AsyncTask:
    """One task of the actor's account, of whatever kind."""
    try:
        number = read_int4(text)
    except ValueError:
        raise NotFound from None
    return await _read_task(tx, actor, number)


async def _read_seen_task(tx: Read, actor: Actor, text: str) -> tuple[AsyncTask, int | None]:
    """One task and its project; NotFound where somebody limited to projects may not read it."""
    task = await read_task_of_any_kind(tx, actor, text)
    if not actor.is_limited:
        return task, None
    statement = SQL("SELECT t.project_id FROM async_tasks t WHERE t.id = %s AND {}")
    rows = await tx.tuples(statement.format(_limit_to_readable(actor)), (task.id,))
    if not rows:
        raise NotFound
    return task, rows[0][0]


def _limit_to_readable(actor: Actor) -> Composable:
    """The condition that the actor may read a task: by its kind and project, or as an export of their own."""
    if not actor.is_limited:
        return SQL("t.type = ANY ({})").format(Literal(list_readable_kinds(actor)))
    own = SQL("(t.type = 'export' AND t.user_id = {} AND t.token_id IS NOT DISTINCT FROM {})").format(
        Literal(actor.user_id), Literal(actor.token_id)
    )
    readable = list_readable(actor, "t.type", "t.project_id")
    return SQL("({})").format(SQL(" OR ").join([own, *readable]))


def list_readable(actor: Actor, kind: LiteralString, project: LiteralString) -> list[Composable]:
    """For each kind of task the condition that the actor may read one, by the columns of kind and project."""
    return [
        limit_to_projects(
            SQL("{} = {}").format(SQL(kind), Literal(one)), project, find_readable_projects(actor, one)
        )
        for one in AREA_OF_KIND
    ]


async def read_limited_actor(tx: Read, attempt: "Attempt") -> Actor:
    """For whom a task acts; somebody limited to projects with what they may do by now."""
    permissions = await tx.value(
        """
        SELECT coalesce((SELECT permissions FROM api_tokens WHERE id = %s),
                        (SELECT permissions FROM users WHERE id = %s))
        """,
        (attempt.token_id, attempt.user_id),
    )
    actor = replace(attempt.actor, permissions=frozenset(permissions))
    return actor if actor.is_limited else attempt.actor


async def _read_task(tx: Read, actor: Actor, number: int) -> AsyncTask:
    numbered = SQL("{} AND t.id = %s").format(of_account(actor, "t.account_id"))
    return await find(tx, ASYNC_TASK, _SOURCE, numbered, (number,))


# The queue behind async tasks: Procrastinate on the same database.
#
# A task and its job are written in the request's own transaction, so there is never one without the other.
# One queue task executes every type; what a type does is registered by `worker`. `queue.py` has the side of
# the workers.


QUEUE: Final = "weighbridge"
JOB: Final = "weighbridge.attempt"

# Only sends, and only on connections that it is handed; it never opens one of its own.
_SENDER: Final = App(connector=PsycopgConnector())


async def defer(tx: Write, task_id: int, *, lock: str) -> None:
    """Queue a task on the transaction's connection; tasks with the same lock run one after the other."""
    connection = await tx.ready()
    deferrer = _SENDER.configure_task(JOB, lock=lock, queue=QUEUE, connection=connection, allow_unknown=True)
    # The statement names a type of the queue. Cells share connections, and a prepared statement keeps the
    # type of the cell in which it was prepared.
    threshold, connection.prepare_threshold = connection.prepare_threshold, None
    try:
        await deferrer.defer_async(task_id=task_id, **tracing.traceparent())
    finally:
        connection.prepare_threshold = threshold


async def give_head_start(tx: Write, task_id: int, seconds: int) -> None:
    """Leave a task to the worker of its lock alone for so long."""
    await tx.execute(
        """
        UPDATE procrastinate_jobs SET scheduled_at = now() + make_interval(secs => %s)
         WHERE queue_name = %s AND status = 'todo' AND (args ->> 'task_id')::integer = %s
        """,
        (seconds, QUEUE, task_id),
    )


async def withdraw(tx: Write, task_id: int) -> None:
    """Take a task out of the queue, unless a worker has taken it up; that one finds out by itself."""
    await tx.execute(
        """
        DELETE FROM procrastinate_jobs
         WHERE queue_name = %s AND status = 'todo' AND (args ->> 'task_id')::integer = %s
        """,
        (QUEUE, task_id),
    )


# The states of a task, and attempts at it.


CANCELLED: Final = "The task was cancelled; it has changed nothing."
"""What a cancelled task says of its end."""


TASKS_RETRY_SECONDS: Final = 10
"""When to ask again for a task that the quota of unfinished ones did not allow."""


class Attempt(msgspec.Struct, frozen=True):
    """One attempt at a task; `number` is the fence."""

    task_id: int
    number: int
    type: str
    args: dict[str, Any]
    project_id: int
    account_id: int
    user_id: int
    token_id: int | None
    request_id: str

    @property
    def actor(self) -> Actor:
        """Who asked for the work."""
        return Actor(self.account_id, self.user_id, self.token_id, frozenset(), self.request_id)


class AttemptSupersededError(Exception):
    """A newer attempt has begun or the task was cancelled, so this one may not publish anything."""


async def queue_task(
    tx: Write, actor: Actor, *, kind: str, project_id: int | None, args: dict[str, Any], lock: str
) -> AsyncTask:
    """Write down a task and queue it, both in this transaction.

    Raises TooManyRequests while the account has as many unfinished tasks as its quota allows.
    """
    await _refuse_over_quota(tx, actor)
    task_id: int = await tx.value(
        """
        INSERT INTO async_tasks (account_id, project_id, type, args, user_id, token_id, request_id)
        VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (actor.account_id, project_id, kind, jsonb(args), actor.user_id, actor.token_id, actor.request_id),
    )
    await tx.execute("INSERT INTO async_task_progress (task_id) VALUES (%s)", (task_id,))
    await defer(tx, task_id, lock=lock)
    return await _read_task(tx, actor, task_id)


async def write_trial_task(tx: Write, actor: Actor, *, kind: str, project_id: int) -> int:
    """The number of a task in a transaction that is undone, for what is written there in its name."""
    number: int = await tx.value(
        """
        INSERT INTO async_tasks (account_id, project_id, type, args, user_id, token_id, request_id)
        VALUES (%s, %s, %s, '{}', %s, %s, %s) RETURNING id
        """,
        (actor.account_id, project_id, kind, actor.user_id, actor.token_id, actor.request_id),
    )
    return number


async def _refuse_over_quota(tx: Write, actor: Actor) -> None:
    allowed = tx.quotas.tasks
    if not allowed:
        return
    unfinished: int = await tx.value(
        """
        SELECT count(*) FROM (SELECT FROM async_tasks WHERE account_id = %s
                                 AND state IN ('pending', 'running') LIMIT %s) AS unfinished
        """,
        (actor.account_id, allowed),
    )
    if unfinished >= allowed:
        problem = check_quota("unfinished tasks", unfinished, 1, allowed)
        raise TooManyRequests([problem], retry_after_seconds=TASKS_RETRY_SECONDS)


async def begin_attempt(tx: Write, task_id: int) -> Attempt | None:
    """Raise the fence and start working; None when there is nothing left to do."""
    attempt = await tx.row(
        Attempt,
        """
        UPDATE async_tasks
           SET attempt = attempt + 1, state = %s,
               started_at = coalesce(started_at, (SELECT clock_timestamp()))
         WHERE id = %s AND state = ANY (%s)
        RETURNING id, attempt, type, args, project_id, account_id, user_id, token_id, request_id
        """,
        (advance(TaskState.PENDING, Trigger.ATTEMPT), task_id, states_before(Trigger.ATTEMPT)),
    )
    if attempt is not None and attempt.number > ATTEMPTS_MAX:
        await fail_task(
            tx, task_id, f"The task was given up after {ATTEMPTS_MAX} attempts, none of which came to an end."
        )
        return None
    return attempt


async def lock_current_attempt(tx: Write, attempt: Attempt) -> None:
    """Make sure that this is the newest attempt, and that none begins, nor the task ends, before the commit.

    Before it the transaction locks no row that moves with the task, as the run of a rule does: whoever
    cancels the task takes the task first.
    """
    await tx.ready()  # what still waits to go out may fail for reasons of its own
    try:
        holds = await tx.value(
            "SELECT attempt = %s AND state = %s FROM async_tasks WHERE id = %s FOR SHARE",
            (attempt.number, TaskState.RUNNING, attempt.task_id),
        )
    except SerializationFailure:  # in a snapshot: the row has changed since, and is another's now
        raise AttemptSupersededError from None
    if not holds:
        raise AttemptSupersededError


async def complete_task(tx: Write, attempt: Attempt, result: Any) -> None:
    """End a task well, in the transaction that publishes its effect and holds the fence."""
    tx.later(
        """
        UPDATE async_tasks SET state = %s, finished_at = (SELECT clock_timestamp()), result = %s
         WHERE id = %s AND attempt = %s AND state = ANY (%s)
        """,
        (TaskState.COMPLETE, jsonb(result), attempt.task_id, attempt.number, states_before(Trigger.SUCCEED)),
    )


async def fail_task(tx: Write, task_id: int, message: str) -> None:
    """End a task with the reason that its caller reads, and that the audit log tells."""
    failed = await tx.tuples(
        """
        UPDATE async_tasks
           SET state = %s, started_at = coalesce(started_at, (SELECT clock_timestamp())),
               finished_at = (SELECT clock_timestamp()), error_message = %s
         WHERE id = %s AND state = ANY (%s)
        RETURNING account_id, user_id, token_id, request_id, project_id, type
        """,
        (TaskState.FAILED, message, task_id, states_before(Trigger.FAIL)),
    )
    for account, user, token, request_id, project, kind in failed:
        changes.record(
            tx, Actor(account, user, token, frozenset(), request_id), action="async_task.fail",
            target=str(task_id), project_id=project, after={"type": kind, "error_message": message},
        )  # fmt: skip


async def cancel_task(tx: Write, actor: Actor, text: str) -> AsyncTask:
    """End a task that has not ended by itself; it publishes nothing from then on.

    Raises Forbidden when the actor may not start its kind, Conflict when it is complete or failed.
    """
    before, project = await _read_seen_task(tx, actor, text)
    needed = find_cancel_permission(before.type)
    if not actor.may_within(needed, project):
        raise Forbidden(f"The token lacks the permission {needed}.", "permission_missing")
    cancelled = await tx.execute(
        """
        UPDATE async_tasks
           SET state = %s, started_at = coalesce(started_at, (SELECT clock_timestamp())),
               finished_at = (SELECT clock_timestamp()), error_message = %s
         WHERE id = %s AND state = ANY (%s)
        """,
        (advance(TaskState.RUNNING, Trigger.CANCEL), CANCELLED, before.id, states_before(Trigger.CANCEL)),
    )
    after = await _read_task(tx, actor, before.id)
    if not cancelled:
        raise Conflict(
            f"The task is {after.state}; only one that is pending or running can be cancelled.", "task_ended"
        )
    await withdraw(tx, before.id)
    changes.record(
        tx, actor, action="async_task.cancel", target=str(before.id),
        project_id=before.args.get("project_id"), before=before, after=after,
    )  # fmt: skip
    return after


async def report_progress(database: Database, attempt: Attempt, progress: int, description: str) -> None:
    """Say how far the work is, at once and apart from the transaction that will publish it.

    Raises AttemptSupersededError when the task was cancelled meanwhile, so that nobody works on in vain.
    """
    if await database.single(*progress_statement(attempt, progress, description)) is None:
        raise AttemptSupersededError


def progress_statement(
    attempt: Attempt, progress: int, description: str, returning: LiteralString = "t.id"
) -> Command:
    """What says how far the work is, and gives a row of what is asked, unless the task was cancelled."""
    return _REPORT + returning, (progress, description, attempt.task_id, TaskState.FAILED)


_REPORT: Final = """
    UPDATE async_task_progress p SET progress = %s, description = %s
      FROM async_tasks t WHERE t.id = p.task_id AND t.id = %s AND t.state <> %s
    RETURNING """


@get("/async_tasks", permission=ANY, returns=Page[AsyncTask], listing=ASYNC_TASKS)
async def list_async_tasks(call: ReadCall) -> Page[AsyncTask]:
    """List the account's async tasks of the kinds that the token may start or read, newest first."""
    actor, request = call.actor, list_request(call.query, ASYNC_TASKS)
    mine = SQL("{} AND {}").format(of_account(actor, "t.account_id"), _limit_to_readable(actor))
    return await read_page(call.tx, ASYNC_TASK, ASYNC_TASKS, request, source=_SOURCE, where=[mine])


@get("/async_tasks/{task_id}", permission=ANY, returns=AsyncTask)
async def get_async_task(call: ReadCall) -> AsyncTask:
    """Read one async task; poll it every 2 to 5 seconds until it is complete or failed.

    It takes the permission to read in the area in which the task was started: `production_accounting` for
    generations and deletions of batches, `data_rules` for rule runs.
    """
    actor = call.actor
    task, project = await _read_seen_task(call.tx, actor, call.path["task_id"])
    needed = find_read_permission(task.type)
    if not actor.may_within(needed, project):
        raise Forbidden(f"The token lacks the permission {needed}.")
    return task


@post("/async_tasks/{task_id}/cancel", permission=ANY, body=Cancellation, returns=AsyncTask, status=200)
async def cancel_async_task(call: WriteCall, _: Cancellation) -> AsyncTask:
    """Cancel a task that is pending or running: it is `failed` at once, and changes nothing.

    A worker that is at it stops within a second or so. 409 for a task that has ended. It takes the permission
    to write in the area in which the task was started. The body may be left out.
    """
    return await cancel_task(call.tx, call.actor, call.path["task_id"])


ROUTES = [list_async_tasks, get_async_task, cancel_async_task]


POLL_AFTER_SECONDS: Final = 2


def accept_task(task: AsyncTask) -> Answer:
    """The task with where and when to ask for it again."""
    return Answer(task, poll(task))


def poll(task: AsyncTask) -> dict[str, str]:
    """Where and when to ask for a task again, as headers."""
    address = f"{API_PREFIX}/async_tasks/{task.id}"
    return {"Location": address, "Retry-After": str(POLL_AFTER_SECONDS)}
