"""What an async task looks like on the wire, and to the code that carries it out."""

from typing import Any

import msgspec

from weighbridge.core.time.instant import Instant


class AsyncTask(msgspec.Struct, frozen=True):
    """One task that a caller polls."""

    id: int
    type: str
    state: str
    progress: int
    progress_description: str | None
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None
    error_message: str | None
    result: Any
    args: dict[str, Any]
