"""Read async tasks."""

from typing import Final

from psycopg.sql import SQL, Literal

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.task_state import TaskState
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, page_of, read_int4
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound
from weighbridge.platform.async_tasks.records import AsyncTask


def _state(text: str) -> str:
    return TaskState(text)


def _number_of_ledger(text: str) -> int:
    key = ids.parse("ledger", text)
    if key is None:
        raise ValueError(text)
    return key.key


ASYNC_TASKS: Final = Listing(
    sorts={"id": "t.id", "created_at": "t.created_at", "state": "t.state", "type": "t.type"},
    default_sort="-id",
    key=("t.id",),
    filters={
        "state": Filter("t.state", _state, ", ".join(TaskState)),
        "type": Filter("t.type", str, "a type of task"),
        "project_id": Filter("t.project_id", read_int4, "a project's number"),
        "ledger_id": Filter("(t.args ->> 'ledger_id')::bigint", _number_of_ledger, "an id lgr_…"),
    },
)

ASYNC_TASK_ROW: Final = row_of(
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


async def list_async_tasks(tx: Read, actor: Actor, request: ListRequest) -> Page[AsyncTask]:
    """The tasks of the actor's account, newest first."""
    mine = SQL("t.account_id = {}").format(Literal(actor.account_id))
    return await page_of(
        tx,
        ASYNC_TASK_ROW.make,
        ASYNC_TASKS,
        request,
        columns=ASYNC_TASK_ROW.columns,
        source=_SOURCE,
        where=[mine],
    )


async def get_async_task(tx: Read, actor: Actor, text: str) -> AsyncTask:
    """One task of the actor's account."""
    try:
        number = read_int4(text)
    except ValueError:
        raise NotFound from None
    async_task = await tx.row(
        ASYNC_TASK_ROW.make,
        f"SELECT {ASYNC_TASK_ROW.columns} FROM {_SOURCE} WHERE t.id = %s AND t.account_id = %s",
        (number, actor.account_id),
    )
    if async_task is None:
        raise NotFound
    return async_task
