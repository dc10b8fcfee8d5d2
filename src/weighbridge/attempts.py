"""Carry out tasks: make attempts at them, fenced and watched, and work on the queue of their jobs.

A refusal of ours ends a task as failed, because trying again would end the same way; anything else is tried
again, up to the limit. What a task does is given by its type: `worker.py` knows all types, and an import
carries out the uploads of one data feed.

Invariant: each attempt raises its fence first, so one that was overtaken or cancelled publishes nothing.
"""

import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

import structlog
from procrastinate import App, PsycopgConnector, RetryStrategy
from psycopg import Error
from psycopg_pool import PoolTimeout

from weighbridge import tracing
from weighbridge.core.platform.tasks import ATTEMPTS_MAX, TaskState
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database, primary_conninfo
from weighbridge.errors import Invalid, Refusal, mistake, new_reference
from weighbridge.platform import async_tasks
from weighbridge.platform.async_tasks import JOB, QUEUE, Attempt, AttemptSupersededError
from weighbridge.platform.queue import FairJobManager, keep_working, recover
from weighbridge.settings import Settings

log = structlog.get_logger()

Task = Callable[[Database, Attempt], Coroutine[Any, Any, None]]

CANCELLED_SECONDS: Final = 0.5
"""How often a worker asks whether a task at work was cancelled."""

LOOK_SECONDS: Final = 1.0
"""How often a worker looks for jobs that nobody announces: those that waited for a lock or for their time."""


async def work_on_lock(
    database: Database,
    settings: Settings,
    lock: str,
    *,
    tasks: Mapping[str, Task],
    until: Callable[[], Coroutine[Any, Any, bool]],
    abandon: Callable[[], Coroutine[Any, Any, None]],
    look_seconds: float,
) -> None:
    """Work on the tasks that share a lock, as a worker beside any others, until it is asked no more for that.

    `until` is asked every so often. Tasks of workers that have died are queued again meanwhile. On an
    interruption `abandon` cancels what nobody waits for any more, before the work at hand is waited for.
    """
    app = build_app(database, settings, stopping := asyncio.Event(), tasks, lock=lock)
    async with app.open_async():
        working = asyncio.create_task(keep_working(partial(work_on_queue, app, settings), stopping))
        try:
            recovered = -math.inf
            while not await until():
                if (now := time.monotonic()) - recovered > settings.lease_seconds / 3:
                    recovered = now
                    async with database.write() as tx:
                        await recover(tx, settings.lease_seconds)
                await asyncio.wait([working], timeout=look_seconds)
        except BaseException:
            await abandon()
            raise
        finally:
            stopping.set()
            await asyncio.wait([working])


def build_app(
    database: Database,
    settings: Settings,
    stopping: asyncio.Event,
    tasks: Mapping[str, Task],
    *,
    lock: str | None = None,
) -> App:
    """Build the queue's application, which works on all jobs or on those with a lock."""
    app = App(connector=PsycopgConnector(conninfo=primary_conninfo(database.session_url or database.url)))

    @app.task(
        name=JOB,
        queue=QUEUE,
        retry=RetryStrategy(max_attempts=ATTEMPTS_MAX, exponential_wait=2, retry_exceptions=[Exception]),
    )
    async def attempt(*, task_id: int, traceparent: str | None = None) -> None:
        seconds = settings.task_seconds
        await attempt_task(database, task_id, tasks, seconds=seconds, queued_by=traceparent)

    app.job_manager = FairJobManager(app.connector, stopping, lock)
    return app


async def work_on_queue(app: App, settings: Settings) -> None:
    await app.run_worker_async(
        queues=[QUEUE],
        concurrency=settings.worker_concurrency,
        fetch_job_polling_interval=LOOK_SECONDS,
        update_heartbeat_interval=settings.lease_seconds / 3,
        stalled_worker_timeout=settings.lease_seconds,
        shutdown_graceful_timeout=settings.shutdown_seconds,
        delete_jobs="successful",
        install_signal_handlers=False,
    )


async def attempt_task(
    database: Database,
    task_id: int,
    tasks: Mapping[str, Task],
    *,
    seconds: float = math.inf,
    queued_by: str | None = None,
) -> None:
    """Make one attempt at a task, which may take so many seconds; `queued_by` is the span of the request."""
    async with database.write() as tx:
        attempt = await async_tasks.begin_attempt(tx, task_id)
    if attempt is None:
        return
    try:
        try:
            work = tasks[attempt.type](database, attempt)
            with tracing.task_span(attempt, queued_by):
                await watch_work(database, attempt, work, seconds=seconds)
        except Refusal as refusal:
            message = " ".join(problem.message for problem in refusal.problems)
            async with database.write() as tx:
                await async_tasks.lock_current_attempt(tx, attempt)
                await async_tasks.fail_task(tx, task_id, message)
    except AttemptSupersededError:
        log.warning("attempt_overtaken", task_id=task_id, attempt=attempt.number)
    except Exception:
        reference = new_reference()
        log.exception("attempt_failed", task_id=task_id, attempt=attempt.number, reference=reference)
        if attempt.number >= ATTEMPTS_MAX:
            async with database.write() as tx:
                await async_tasks.fail_task(
                    tx, task_id, f"The task failed {ATTEMPTS_MAX} times: {mistake(reference)}"
                )
            return
        raise


async def watch_work(
    database: Database, attempt: Attempt, work: Coroutine[Any, Any, None], *, seconds: float
) -> None:
    """Do the work; AttemptSupersededError when it is cancelled meanwhile, Invalid after so many seconds.

    When this ends, the work has ended and its transaction with it. A thread that computes cannot be stopped;
    it ends by itself, and nobody hears of it.
    """
    working = asyncio.create_task(work)
    clock = asyncio.get_running_loop().time
    deadline = clock() + seconds
    try:
        while (left := deadline - clock()) > 0:
            done, _ = await asyncio.wait([working], timeout=min(CANCELLED_SECONDS, left))
            if done:
                return working.result()
            if await _is_given_up(database, attempt):
                raise AttemptSupersededError
        raise Invalid([Problem(f"The task was at work for {seconds:,} seconds, which is all it may.")])
    finally:
        if not working.done():
            working.cancel()
            await asyncio.wait([working])


async def _is_given_up(database: Database, attempt: Attempt) -> bool:
    """Whether the task has failed while it was worked on; not while the database cannot tell."""
    with suppress(Error, PoolTimeout):
        statement = "SELECT FROM async_tasks WHERE id = %s AND state = %s"
        return await database.single(statement, (attempt.task_id, TaskState.FAILED)) is not None
    return False
