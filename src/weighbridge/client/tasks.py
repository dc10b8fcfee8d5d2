"""Tasks that a caller waits for.

A task is asked for after 0.2 s, then ever more seldom, up to every 5 s, as the service suggests.
"""

import sys
from collections.abc import Callable
from typing import Final

from weighbridge.client.carrying import Flow, Pause, carried_out
from weighbridge.client.errors import TaskFailed, TaskTimeout
from weighbridge.client.made.operations import async_tasks_get
from weighbridge.client.made.records import AsyncTask

Show = Callable[[AsyncTask], None]
FIRST_SECONDS: Final = 0.2
SECONDS_MAX: Final = 5.0
"""The longest pause between two looks at a task, in seconds."""
GROWTH: Final = 1.6
BAR: Final = 30
"""How many characters a full bar has."""


def ended(task_id: int, *, timeout: float | None, show: Show | None) -> Flow[AsyncTask]:
    """The task once it is complete.

    `timeout` is in seconds. Raises TaskFailed when it fails, TaskTimeout when it goes on for longer.
    """
    waited, pause = 0.0, FIRST_SECONDS
    while True:
        task = yield from carried_out(async_tasks_get(task_id))
        if show is not None:
            show(task)
        if task.state == "failed":
            raise TaskFailed(task)
        if task.state == "complete":
            return task
        if timeout is not None and waited + pause > timeout:
            raise TaskTimeout(f"Task {task.id} ({task.type}) is still {task.state} after {waited:.0f} s.")
        yield Pause(pause)
        waited += pause
        pause = min(pause * GROWTH, SECONDS_MAX)


def bar(task: AsyncTask) -> str:
    """How far a task is, in one line."""
    full = task.progress * BAR // 100
    return (
        f"[{'#' * full}{'.' * (BAR - full)}] {task.progress:3d} % {task.progress_description or task.state}"
    )


def shown(progress: bool | Show | None) -> Show | None:  # noqa: FBT001 - as people write it
    """What shows the progress: a bar on a terminal unless it is said otherwise."""
    if progress is None:
        progress = sys.stderr.isatty()
    if progress is True:
        return _draw
    return progress or None


def _draw(task: AsyncTask) -> None:
    over = task.state in ("complete", "failed")
    sys.stderr.write(f"\r{bar(task):<78}" + ("\n" if over else ""))
    sys.stderr.flush()
