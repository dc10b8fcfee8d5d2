"""The journal of a submission: how far it came, step by step.

Invariant: a step of a task is written down only while that task's attempt is the newest one.
"""

from typing import Final, Self

from weighbridge.core.quantity.number import shorten
from weighbridge.core.report.delivery import DeliveryStep, may_have_been_received
from weighbridge.db.engine import Database, Read
from weighbridge.platform.async_tasks import actions as tasks
from weighbridge.platform.async_tasks.actions import Attempt

DETAIL_MAX: Final = 1_000
"""Characters that a step keeps of what its receiver said."""


async def steps_of(tx: Read, project: int, report: int) -> list[DeliveryStep]:
    """The steps of a report's submission, in order."""
    rows = await tx.tuples(
        "SELECT step FROM report_deliveries WHERE project_id = %s AND report_id = %s ORDER BY id",
        (project, report),
    )
    return [DeliveryStep(step) for (step,) in rows]


class TaskJournal:
    """The journal of one report, in which an attempt at its task writes."""

    def __init__(self, database: Database, attempt: Attempt, report: int, steps: list[DeliveryStep]) -> None:
        self._database = database
        self._attempt = attempt
        self._report = report
        self._steps = steps

    @classmethod
    async def read(cls, database: Database, attempt: Attempt, report: int) -> Self:
        """The journal as it stands."""
        async with database.read() as tx:
            return cls(database, attempt, report, await steps_of(tx, attempt.project_id, report))

    @property
    def may_have_been_received(self) -> bool:
        """Whether an earlier step may have brought it to its receiver."""
        return may_have_been_received(self._steps)

    async def note(
        self, step: DeliveryStep, *, http_status: int | None = None, detail: str | None = None
    ) -> None:
        """Write a step down; raises Overtaken when a newer attempt has begun."""
        async with self._database.write() as tx:
            await tasks.hold_fence(tx, self._attempt)
            await tx.execute(
                """
                INSERT INTO report_deliveries
                       (project_id, report_id, async_task_id, step, http_status, detail)
                VALUES (%s, %s, %s, %s, %s, %s)
                """,
                (
                    self._attempt.project_id, self._report, self._attempt.task_id, step, http_status,
                    shorten(detail, DETAIL_MAX) if detail else None,
                ),
            )  # fmt: skip
        self._steps.append(step)
