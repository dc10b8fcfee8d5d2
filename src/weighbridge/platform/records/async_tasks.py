"""An async task as the interface shows it and as the code that runs it knows it."""

from typing import Annotated, Any

import msgspec

from weighbridge.core.platform.tasks import AREA_OF_KIND, TaskState
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import one_of


class Cancellation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /async_tasks/{task_id}/cancel, which may be left out."""


class AsyncTask(msgspec.Struct, frozen=True):
    """One task that a caller polls."""

    id: int
    """The number of the task, by which it is asked for."""
    type: Annotated[str, one_of(AREA_OF_KIND)]
    """What the task does."""
    state: Annotated[str, one_of(TaskState)]
    """Where the task stands; `complete` and `failed` are for good."""
    progress: int
    """How far it is, in percent; 100 once it is complete."""
    progress_description: str | None
    """What it is doing just now; null unless it is running."""
    created_at: Instant
    """When the task was accepted."""
    started_at: Instant | None
    finished_at: Instant | None
    error_message: str | None
    """Why it failed, in a sentence; null unless it did. A failed task has changed nothing."""
    result: Any
    """What it came to, by its type, such as `{"batches": [], "created": 0}`; null until it is complete."""
    args: dict[str, Any]
    """What was asked for; projects, ledgers and batches stand in it by their `numeric_id`."""
