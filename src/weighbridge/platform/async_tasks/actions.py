"""Queue a task, begin an attempt at it, report progress, end it, and cancel it."""

from typing import Any, Final

import msgspec
from psycopg.errors import SerializationFailure

from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.quota import problem_of_quota
from weighbridge.core.platform.task_kind import permission_to_cancel
from weighbridge.core.platform.task_state import ATTEMPTS_MAX, TaskState, Trigger, advance, states_before
from weighbridge.db.engine import Database, Write
from weighbridge.db.json import jsonb
from weighbridge.errors import Conflict, Forbidden, TooManyRequests
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import queries
from weighbridge.platform.async_tasks.records import AsyncTask
from weighbridge.platform.queue.jobs import defer, withdraw

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


class Overtaken(Exception):
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
    return await queries.get_async_task(tx, actor, str(task_id))


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
        problem = problem_of_quota("unfinished tasks", unfinished, 1, allowed)
        raise TooManyRequests([problem], retry_after_seconds=TASKS_RETRY_SECONDS)


async def begin_attempt(tx: Write, task_id: int) -> Attempt | None:
    """Raise the fence and start working; None when there is nothing left to do."""
    attempt = await tx.row(
        Attempt,
        """
        UPDATE async_tasks
           SET attempt = attempt + 1, state = %s, started_at = coalesce(started_at, clock_timestamp())
         WHERE id = %s AND state = ANY (%s)
        RETURNING id, attempt, type, args, project_id, account_id, user_id, token_id, request_id
        """,
        (advance(TaskState.PENDING, Trigger.ATTEMPT), task_id, states_before(Trigger.ATTEMPT)),
    )
    if attempt is not None and attempt.number > ATTEMPTS_MAX:
        await fail(
            tx, task_id, f"The task was given up after {ATTEMPTS_MAX} attempts, none of which came to an end."
        )
        return None
    return attempt


async def hold_fence(tx: Write, attempt: Attempt) -> None:
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
        raise Overtaken from None
    if not holds:
        raise Overtaken


async def succeed(tx: Write, attempt: Attempt, result: Any) -> None:
    """End a task well, in the transaction that publishes its effect and holds the fence."""
    await tx.execute(
        """
        UPDATE async_tasks SET state = %s, finished_at = clock_timestamp(), result = %s
         WHERE id = %s AND attempt = %s AND state = ANY (%s)
        """,
        (TaskState.COMPLETE, jsonb(result), attempt.task_id, attempt.number, states_before(Trigger.SUCCEED)),
    )


async def fail(tx: Write, task_id: int, message: str) -> None:
    """End a task with the reason that its caller reads, and that the audit log tells."""
    failed = await tx.tuples(
        """
        UPDATE async_tasks
           SET state = %s, started_at = coalesce(started_at, clock_timestamp()),
               finished_at = clock_timestamp(), error_message = %s
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


async def cancel(tx: Write, actor: Actor, text: str) -> AsyncTask:
    """End a task that has not ended by itself; it publishes nothing from then on.

    Raises Forbidden when the actor may not start its kind, Conflict when it is complete or failed.
    """
    before = await queries.get_async_task(tx, actor, text)
    needed = permission_to_cancel(before.type)
    if not actor.may(needed):
        raise Forbidden(f"The token lacks the permission {needed}.", "permission_missing")
    cancelled = await tx.execute(
        """
        UPDATE async_tasks
           SET state = %s, started_at = coalesce(started_at, clock_timestamp()),
               finished_at = clock_timestamp(), error_message = %s
         WHERE id = %s AND state = ANY (%s)
        """,
        (advance(TaskState.RUNNING, Trigger.CANCEL), CANCELLED, before.id, states_before(Trigger.CANCEL)),
    )
    after = await queries.get_async_task(tx, actor, text)
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


async def report(database: Database, attempt: Attempt, progress: int, description: str) -> None:
    """Say how far the work is, at once and apart from the transaction that will publish it.

    Raises Overtaken when the task was cancelled meanwhile, so that nobody works on in vain.
    """
    told = await database.single(
        """
        UPDATE async_task_progress p SET progress = %s, description = %s
          FROM async_tasks t WHERE t.id = p.task_id AND t.id = %s AND t.state <> %s
        RETURNING t.id
        """,
        (progress, description, attempt.task_id, TaskState.FAILED),
    )
    if told is None:
        raise Overtaken
