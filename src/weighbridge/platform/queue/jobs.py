"""The queue behind async tasks: Procrastinate on the same database.

A task and its job are written in the request's own transaction, so there is never one without the
other. One queue task carries out every type; what a type does is registered by `worker`.
"""

from collections.abc import Iterable
from typing import Final

from procrastinate import App, PsycopgConnector
from procrastinate.jobs import Job
from procrastinate.manager import JobManager

from weighbridge.db.engine import Write
from weighbridge.platform.queue.turns import TAKE_NEXT
from weighbridge.tracing import spans

QUEUE: Final = "weighbridge"
JOB: Final = "weighbridge.attempt"


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
    """What a worker asks for jobs: the queue's own, except for the choice of the next one."""

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """Give the next job to a worker; None while there is none that it could take up."""
        rows = await self.connector.execute_query_all_async(
            query=TAKE_NEXT, queues=list(queues or ()), worker_id=worker_id
        )
        return Job.from_row(rows[0]) if rows else None


# Only sends, and only on connections that it is handed; it never opens one of its own.
_SENDER: Final = App(connector=PsycopgConnector())
