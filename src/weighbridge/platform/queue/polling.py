"""Polling: how the caller of an operation that queues work hears of its end."""

from typing import Final

from weighbridge.core.identity.link import API_PREFIX
from weighbridge.http.endpoint import Answer
from weighbridge.platform.async_tasks.records import AsyncTask

POLL_AFTER_SECONDS: Final = 2


def accepted(task: AsyncTask) -> Answer:
    """The task with where and when to ask for it again."""
    return Answer(task, poll(task))


def poll(task: AsyncTask) -> dict[str, str]:
    """Where and when to ask for a task again, as headers."""
    address = f"{API_PREFIX}/async_tasks/{task.id}"
    return {"Location": address, "Retry-After": str(POLL_AFTER_SECONDS)}
