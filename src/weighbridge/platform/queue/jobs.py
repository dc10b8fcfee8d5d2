"""The queue behind async tasks: Procrastinate on the same database.

A task and its job are written in the request's own transaction, so there is never one without the
other. One queue task carries out every type; what a type does is registered by `worker`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Final

from procrastinate import App, PsycopgConnector
from procrastinate.connector import BaseConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from psycopg import OperationalError

from weighbridge.db.engine import Write
from weighbridge.platform.queue.turns import TAKE_NEXT
from weighbridge.tracing import spans

QUEUE: Final = "weighbridge"
JOB: Final = "weighbridge.attempt"

WRITE_AGAIN_SECONDS: Final = 1
"""Between two attempts at writing what became of a job, while the database is lost."""

_log: Final = logging.getLogger(__name__)


async def defer(tx: Write, task_id: int, *, lock: str) -> None:
    """Queue a task on the transaction's connection; tasks with the same lock run one after the other."""
    deferrer = _SENDER.configure_task(
        JOB, lock=lock, queue=QUEUE, connection=await tx.ready(), allow_unknown=True
    )
    await deferrer.defer_async(task_id=task_id, **spans.traceparent())


async def withdraw(tx: Write, task_id: int) -> None:
    """Take a task out of the queue, unless a worker has taken it up; that one finds out by itself."""
    await tx.execute(
        """
        DELETE FROM procrastinate_jobs
         WHERE queue_name = %s AND status = 'todo' AND (args ->> 'task_id')::integer = %s
        """,
        (QUEUE, task_id),
    )


class FairJobManager(JobManager):
    """What a worker asks for jobs: the queue's own, but it chooses the next one fairly and surely ends each.

    A worker that lives keeps its lease. Were the end of a job lost with the connection, the job would hold
    its lock, and its task might never be tried again, until that worker leaves; so the end is written again
    until it is there, or the job is no longer this worker's. A worker that stops leaves it to recovery.
    """

    def __init__(self, connector: BaseConnector, stopping: asyncio.Event | None = None) -> None:
        super().__init__(connector)
        self._stopping = stopping or asyncio.Event()

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """Give the next job to a worker; None while there is none that it could take up."""
        rows = await self.connector.execute_query_all_async(
            query=TAKE_NEXT, queues=list(queues or ()), worker_id=worker_id
        )
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
                await asyncio.wait_for(self._stopping.wait(), WRITE_AGAIN_SECONDS)

    async def _is_at_work(self, job: Job) -> bool:
        """Whether a job is still the worker's that took it, and not ended."""
        rows = await self.connector.execute_query_all_async(
            query="SELECT id FROM procrastinate_jobs"
            " WHERE id = %(job_id)s AND status = 'doing' AND worker_id = %(worker_id)s",
            job_id=job.id,
            worker_id=job.worker_id,
        )
        return bool(rows)


# Only sends, and only on connections that it is handed; it never opens one of its own.
_SENDER: Final = App(connector=PsycopgConnector())
