"""The worker's side of the queue: one job for each async task, which `async_tasks.py` writes with the task.

Read `FairJobManager` (which job comes next), `recover` (no task is left without a job) and
`keep_working` (a worker outlasts its connections).
"""

import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final

from procrastinate import PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from psycopg import OperationalError

from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.platform.async_tasks import JOB, QUEUE, defer

WRITE_AGAIN_SECONDS: Final = 1
"""Between two attempts at writing what became of a job, while the database is lost."""

CHOOSING_SECONDS: Final = 3
"""How long a cell may take to choose its next job, for which others wait."""

_log: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class JobPlaces:
    """How many jobs one worker may still take up, in all cells together."""

    free: int
    choosing: asyncio.Lock = field(default_factory=asyncio.Lock)


class FairJobManager(JobManager):
    """What a worker asks for jobs: the queue's own, but it chooses the next one fairly and surely ends each.

    A worker that lives keeps its lease. Were the end of a job lost with the connection, the job would hold
    its lock, and its task might never be tried again, until that worker leaves; so the end is written again
    until it is there, or the job is no longer this worker's. A worker that stops leaves it to recovery.
    """

    def __init__(
        self,
        connector: PsycopgConnector,
        stopping: asyncio.Event | None = None,
        lock: str | None = None,
        places: JobPlaces | None = None,
    ) -> None:
        """Choose among all jobs, or among those with a lock; take none up while no place is free."""
        super().__init__(connector)
        self._connector = connector
        self._places = places or JobPlaces(sys.maxsize)
        self._lock = lock
        self._stopping = stopping or asyncio.Event()

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """Give the next job to a worker; None while there is none that it could take up."""
        if not self._places.free:
            return None
        # One cell after the other, so that none takes a place for nothing; each with a connection at hand,
        # so that none waits for the server of another.
        rows: list[dict[str, Any]] = []
        try:
            async with self._connector.pool.connection() as connection, self._places.choosing:
                if not self._places.free:
                    return None
                async with asyncio.timeout(CHOOSING_SECONDS):
                    rows = await self._connector.execute_query_all_async_with_connection(
                        connection, TAKE_NEXT, queues=list(queues or ()), worker_id=worker_id, lock=self._lock
                    )
                self._places.free -= bool(rows)
        except BaseException:
            self._places.free += bool(rows)  # what was chosen was not committed
            raise
        return Job.from_row(rows[0]) if rows else None

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:  # noqa: FBT001 - the queue's
        """Set a job to its final state, however often the database is lost meanwhile."""
        await self._write_end(job, partial(super().finish_job, job, status, delete_job))

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """Queue a job for another attempt, however often the database is lost meanwhile."""
        await self._write_end(job, partial(super().retry_job, job, retry_at, priority, queue, lock))

    async def _write_end(self, job: Job, write: Callable[[], Awaitable[None]]) -> None:
        self._places.free += 1
        lost = False
        while True:
            try:
                if not lost or await self._is_at_work(job):
                    await write()
            except ConnectorException as error:
                if self._stopping.is_set() or not isinstance(error.__cause__, OperationalError):
                    raise
                _log.warning("What became of job %s is written again: %s", job.id, error.__cause__)
            else:
                return
            lost = True
            with suppress(TimeoutError):
                async with asyncio.timeout(WRITE_AGAIN_SECONDS):
                    await self._stopping.wait()

    async def _is_at_work(self, job: Job) -> bool:
        """Whether a job is still the worker's that took it, and not ended."""
        rows = await self.connector.execute_query_all_async(
            query="SELECT id FROM procrastinate_jobs"
            " WHERE id = %(job_id)s AND status = 'doing' AND worker_id = %(worker_id)s",
            job_id=job.id,
            worker_id=job.worker_id,
        )
        return bool(rows)


# Turns: whose task a worker takes up next.
#
# The queue by itself serves whoever came first, so one account's hundred tasks would stand before the one
# of another. Here the choice is made at the moment a worker is free, in one statement: first comes the
# account with the fewest tasks at work, and among those the one that was served longest ago; within an
# account the task that was queued first. A task whose lock is held, or for which another with the same lock
# was queued earlier, is not there to be chosen.
#
# Three tasks of account A (1, 2, 3), one of B (4) and one of C (5) wait for one worker: it takes up 1, then
# 4 and 5, for A was served last, then 2 and 3.
#
# A worker of one lock takes up nothing else, and what it is given a head start for.
#
# Invariants: a job is given to one worker; tasks with the same lock run one after the other, in the order
# in which they were queued; no account waits longer than one task of each other account at every worker.


TAKE_NEXT: Final = """
    SELECT id, status, task_name, priority, lock, queueing_lock, args, scheduled_at, queue_name, attempts,
           worker_id
      FROM take_next_job(%(queues)s::text[], %(worker_id)s, %(lock)s)
"""


# Recovery: a task that is not finished has a job in the queue, whatever became of its workers.
#
# A job can be lost: its worker died or was cut off, was told to stop before it was done, or failed in a way
# that the queue does not try again. Such a job is removed, so that a worker which comes back to life cannot
# touch the one that takes its place; then every unfinished task without a job gets a new one.
#
# Invariants: recovering is safe at any time and any number of times; a task never has two jobs; a job of a
# living worker is left alone.


async def recover(tx: Write, lease_seconds: int) -> list[int]:
    """Queue the tasks that no job stands for any more; gives their ids."""
    if not await tx.value(*locks.try_hold(locks.TASK_RECOVERY)):
        return []
    values = {"job": JOB, "queue": QUEUE, "lease": lease_seconds}
    of_jobs: dict[int, str] = dict(await tx.tuples(_REMOVE_LOST_JOBS, values))
    without_job: list[int] = [task_id for (task_id,) in await tx.tuples(_WITHOUT_JOB, values)]
    for task_id in without_job:
        await defer(tx, task_id, lock=of_jobs.get(task_id) or locks.job_of_task(task_id))
    return without_job


# Also of finished tasks: a job that its worker left behind would hold up those with the same lock.
_REMOVE_LOST_JOBS: Final = """
    DELETE FROM procrastinate_jobs j
     WHERE j.queue_name = %(queue)s AND j.task_name = %(job)s
       AND (j.status NOT IN ('todo', 'doing') OR (j.status = 'doing' AND NOT EXISTS (
               SELECT FROM procrastinate_workers w
                WHERE w.id = j.worker_id AND w.last_heartbeat >= now() - make_interval(secs => %(lease)s))))
    RETURNING (j.args ->> 'task_id')::integer, j.lock
"""

_WITHOUT_JOB: Final = """
    SELECT t.id FROM async_tasks t
     WHERE t.state IN ('pending', 'running') AND NOT EXISTS (
               SELECT FROM procrastinate_jobs j
                WHERE j.queue_name = %(queue)s AND j.task_name = %(job)s AND j.status IN ('todo', 'doing')
                  AND (j.args ->> 'task_id')::integer = t.id)
     ORDER BY t.id
"""


# Working on the queue without end: when the database was lost, a worker begins again once it is back.
#
# The queue's own worker ends when its connection is lost for longer than a moment, as while one host of the
# database takes over from another. What was in hand then passes to whoever finds its lease run out.


AGAIN_SECONDS: Final = 1
"""How soon a worker begins again whose work on the queue has ended."""


@asynccontextmanager
async def stop_on_signal() -> AsyncIterator[asyncio.Event]:
    """Within, SIGTERM and SIGINT set the event."""
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    numbers = (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        loop.add_signal_handler(number, stopping.set)
    try:
        yield stopping
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


async def keep_working(run: Callable[[], Coroutine[Any, Any, None]], stopping: asyncio.Event) -> None:
    """Work on the queue, again and again, until told to stop; then finish what is in hand."""
    telling = asyncio.create_task(stopping.wait())
    try:
        while not stopping.is_set():
            running = asyncio.create_task(run())
            try:
                await asyncio.wait([running, telling], return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not running.done():
                    running.cancel()  # by which the queue's worker is asked to finish
                    await asyncio.wait([running])
            if not stopping.is_set():
                error = running.exception()
                _log.warning("The work on the queue ended, and begins again: %s", error or "")
                await asyncio.wait([telling], timeout=AGAIN_SECONDS)
    finally:
        telling.cancel()
