"""Paths of async tasks."""

from weighbridge.core.platform.permission import ANY
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post
from weighbridge.platform.async_tasks import actions, queries
from weighbridge.platform.async_tasks.records import AsyncTask, Cancellation


@get("/async_tasks", permission=ANY, returns=Page[AsyncTask], listing=queries.ASYNC_TASKS)
async def list_async_tasks(call: ReadCall) -> Page[AsyncTask]:
    """List the account's async tasks of the kinds that the token may start or read, newest first."""
    return await queries.list_async_tasks(call.tx, call.actor, list_request(call.query, queries.ASYNC_TASKS))


@get("/async_tasks/{task_id}", permission=ANY, returns=AsyncTask)
async def get_async_task(call: ReadCall) -> AsyncTask:
    """Read one async task; poll it every 2 to 5 seconds until it is complete or failed.

    It takes the permission to read in the area in which the task was started: `production_accounting` for
    generations and deletions of batches, `data_rules` for rule runs.
    """
    return await queries.read_async_task(call.tx, call.actor, call.path["task_id"])


@post("/async_tasks/{task_id}/cancel", permission=ANY, body=Cancellation, returns=AsyncTask, status=200)
async def cancel_async_task(call: WriteCall, _: Cancellation) -> AsyncTask:
    """Cancel a task that is pending or running: it is `failed` at once, and changes nothing.

    A worker that is at it stops within a second or so. 409 for a task that has ended. It takes the permission
    to write in the area in which the task was started. The body may be left out.
    """
    return await actions.cancel(call.tx, call.actor, call.path["task_id"])


ROUTES = [list_async_tasks, get_async_task, cancel_async_task]
