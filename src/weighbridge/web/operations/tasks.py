"""Async tasks: how far they are, what came of them, and ending one."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.platform.async_tasks.routes import cancel_async_task, get_async_task, list_async_tasks
from weighbridge.web.listing import ListQuery, ListView, asked_for
from weighbridge.web.page import form, page
from weighbridge.web.records.shown import shown_record, shown_value
from weighbridge.web.visit import Moved, View, Visit, view

ENDED: Final = ("complete", "failed")
"""States that a task is in for good."""


def asked_for_tasks(visit: Visit) -> ListQuery:
    """What the list asks for."""
    return asked_for(visit.query)


async def tasks(visit: Visit) -> View:
    """Tasks of the account, the newest first."""
    found = await visit.ask(list_async_tasks, asked_for_tasks(visit))
    return view(
        "operations/tasks.html", "Tasks",
        call="/async_tasks", has_csv=True, tasks=found.data, home=home_of(visit),
        list=ListView(visit.request.url.path, visit.query, found.info),
    )  # fmt: skip


async def task(visit: Visit) -> View:
    """One task: its progress, what was asked for and what it came to."""
    found = await visit.ask(get_async_task)
    return view(
        "operations/task.html", f"Task {found.id}",
        call=f"/async_tasks/{found.id}", crumbs=(("Tasks", f"{home_of(visit)}/async_tasks"),),
        task=found, args=shown_record(found.args), result=shown_value(found.result),
        has_ended=found.state in ENDED,
    )  # fmt: skip


@form("/async_tasks/{task_id}/cancel", again=task, everywhere=True)
async def cancel(visit: Visit) -> Moved:
    """End a task that waits or runs: it changes nothing."""
    found = await visit.do(cancel_async_task, {})
    return Moved(f"{home_of(visit)}/async_tasks/{found.id}", "The task is cancelled; it has changed nothing.")


def home_of(visit: Visit) -> str:
    """Where the project's pages begin; empty where one is in none."""
    return visit.frame.home if visit.frame.project else ""


PAGES: Final[list[HTTPRouteHandler]] = [
    *page("/async_tasks", of=list_async_tasks, asked=asked_for_tasks, everywhere=True)(tasks),
    *page("/async_tasks/{task_id}", of=get_async_task, everywhere=True)(task),
    *cancel,
]
