"""Read async tasks."""

from typing import Final

from psycopg.sql import SQL

from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.task_kind import permission_to_read, readable_kinds
from weighbridge.core.platform.task_state import TaskState
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Index, Listing, ListRequest, Page, read_int4, read_key, read_page
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of
from weighbridge.errors import Forbidden, NotFound
from weighbridge.platform.async_tasks.records import AsyncTask
from weighbridge.platform.tenancy.project_filter import project_filter
from weighbridge.platform.tenancy.scope import find, of_account


def _state(text: str) -> str:
    return TaskState(text)


ASYNC_TASKS: Final = Listing(
    sorts={"id": "t.id", "created_at": "t.created_at", "state": "t.state", "type": "t.type"},
    default_sort="-id",
    key=("t.id",),
    filters={
        "state": Filter("t.state", _state, ", ".join(TaskState)),
        "type": Filter("t.type", str, "a type of task"),
        "project_id": project_filter("t.project_id"),
        "ledger_id": Filter("(t.args ->> 'ledger_id')::bigint", read_key("ledger"), "an id lgr_…"),
    },
    indexes=(Index("id"),),
)

ASYNC_TASK: Final = row_of(
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
    """The tasks of the actor's account of the kinds that the actor may read, newest first."""
    mine = SQL("{} AND t.type = ANY ({})").format(
        of_account(actor, "t.account_id"), Literal(readable_kinds(actor))
    )
    return await read_page(tx, ASYNC_TASK, ASYNC_TASKS, request, source=_SOURCE, where=[mine])


async def read_async_task(tx: Read, actor: Actor, text: str) -> AsyncTask:
    """One task of the actor's account; raise Forbidden when the actor may not read its kind."""
    task = await get_async_task(tx, actor, text)
    needed = permission_to_read(task.type)
    if not actor.may(needed):
        raise Forbidden(f"The token lacks the permission {needed}.")
    return task


async def get_async_task(tx: Read, actor: Actor, text: str) -> AsyncTask:
    """One task of the actor's account, of whatever kind."""
    try:
        number = read_int4(text)
    except ValueError:
        raise NotFound from None
    numbered = SQL("{} AND t.id = %s").format(of_account(actor, "t.account_id"))
    return await find(tx, ASYNC_TASK, _SOURCE, numbered, (number,))
