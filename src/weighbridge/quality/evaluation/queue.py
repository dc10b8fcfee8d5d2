"""Queue a rule run: the run and the task that carries it out are written together.

Invariants: there is never one without the other; the runs of a rule are carried out one after the other, so
that a later run sees what an earlier one found.
"""

from typing import Final

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.run import RunKind
from weighbridge.core.time.instant import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.platform.async_tasks.actions import queue_task
from weighbridge.platform.async_tasks.records import AsyncTask
from weighbridge.quality.versions.stored_version import StoredVersion

TASK: Final = "rule_run"


async def queue_run(
    tx: Write,
    actor: Actor,
    version: StoredVersion,
    kind: RunKind,
    period: tuple[Instant | None, Instant | None],
) -> tuple[AsyncTask, int]:
    """Write down a run with the task that carries it out; gives the task, and the run's number."""
    number: int = await tx.value(
        """
        INSERT INTO rule_runs (project_id, rule_id, rule_version, kind, start_time, end_time)
        VALUES (%s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (version.project, version.rule, version.version, kind, *period),
    )
    start, end = period
    args = {
        "project_id": version.project,
        "rule_id": ids.of("rule", version.project, version.rule),
        "rule_version": version.version,
        "rule_run_id": number,
        "start_time": start,
        "end_time": end,
    }
    lock = locks.jobs_of_rule(version.project, version.rule)
    task = await queue_task(tx, actor, kind=TASK, project_id=version.project, args=args, lock=lock)
    await tx.execute(
        "UPDATE rule_runs SET async_task_id = %s WHERE project_id = %s AND id = %s",
        (task.id, version.project, number),
    )
    return task, number
