"""The queue behind async tasks: Procrastinate on the same database.

A task and its job are written in the request's own transaction, so there is never one without the
other. One queue task carries out every type; what a type does is registered by `worker`.
"""

from typing import Final

from procrastinate import App, PsycopgConnector

from weighbridge.db.engine import Write

QUEUE: Final = "weighbridge"
JOB: Final = "weighbridge.attempt"


async def defer(tx: Write, task_id: int, *, lock: str) -> None:
    """Queue a task on the transaction's connection; tasks with the same lock run one after the other."""
    deferrer = _SENDER.configure_task(
        JOB, lock=lock, queue=QUEUE, connection=await tx.ready(), allow_unknown=True
    )
    await deferrer.defer_async(task_id=task_id)


# Only sends, and only on connections that it is handed; it never opens one of its own.
_SENDER: Final = App(connector=PsycopgConnector())
