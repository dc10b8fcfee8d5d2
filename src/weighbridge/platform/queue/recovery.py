"""Recovery: a task that is not finished has a job in the queue, whatever became of its workers.

A job can be lost: its worker died or was cut off, was told to stop before it was done, or failed in a way
that the queue does not try again. Such a job is removed, so that a worker which comes back to life cannot
touch the one that takes its place; then every unfinished task without a job gets a new one.

Invariants: recovering is safe at any time and any number of times; a task never has two jobs; a job of a
living worker is left alone.
"""

from typing import Final

from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.platform.queue.jobs import JOB, QUEUE, defer


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
