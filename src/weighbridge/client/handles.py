"""A task in the hands of whoever started it."""

from collections.abc import Awaitable, Callable
from typing import Any

from weighbridge.client.carrying import Flow
from weighbridge.client.made.records import AsyncTask
from weighbridge.client.tasks import Show, ended, shown

Run = Callable[[Flow[AsyncTask]], AsyncTask]
AsyncRun = Callable[[Flow[AsyncTask]], Awaitable[AsyncTask]]


class TaskHandle:
    """A task, by its number and, once it was asked for, its record."""

    def __init__(self, run: Run, task: AsyncTask | int) -> None:
        self._run = run
        self.record = None if isinstance(task, int) else task
        self.id = task if isinstance(task, int) else task.id

    def __repr__(self) -> str:
        return f"<task {self.id}: {self.record.state if self.record else 'not asked for yet'}>"

    def wait(self, *, timeout: float | None = None, progress: bool | Show | None = None) -> Any:
        """What the task came to, once it is complete.

        `timeout` is in seconds; `progress` shows a bar on a terminal unless it is False, or calls what is
        given with each record. Raises TaskFailed when it fails, TaskTimeout when it goes on for longer.
        """
        self.record = self._run(ended(self.id, timeout=timeout, show=shown(progress)))
        return self.record.result


class AsyncTaskHandle:
    """A task to be awaited, by its number and, once it was asked for, its record."""

    def __init__(self, run: AsyncRun, task: AsyncTask | int) -> None:
        self._run = run
        self.record = None if isinstance(task, int) else task
        self.id = task if isinstance(task, int) else task.id

    def __repr__(self) -> str:
        return f"<task {self.id}: {self.record.state if self.record else 'not asked for yet'}>"

    async def wait(self, *, timeout: float | None = None, progress: bool | Show | None = None) -> Any:  # noqa: ASYNC109
        """What the task came to, once it is complete; otherwise as `TaskHandle.wait`."""
        self.record = await self._run(ended(self.id, timeout=timeout, show=shown(progress)))
        return self.record.result
