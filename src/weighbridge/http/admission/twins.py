"""Twins: requests with one idempotency key that come to one process while the first is under way.

A twin waits a little for the first, holding nothing but itself, and gives way when that takes longer. Twins
that come to different processes meet at the key's row (`http/idempotency.py`).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from weighbridge.http.idempotency import WAIT_SECONDS, KeyScope, in_progress


class Twins:
    """The keys whose requests are under way in this process; for one event loop."""

    def __init__(self, wait_seconds: float = WAIT_SECONDS) -> None:
        self._wait_seconds = wait_seconds
        self._under_way: dict[tuple[int, str, str, str], asyncio.Future[None]] = {}

    @asynccontextmanager
    async def alone(self, scope: KeyScope | None) -> AsyncIterator[None]:
        """Be the only request of its key here; Conflict when a twin takes too long. Without a key at once."""
        if scope is None:
            yield
            return
        name = (scope.token_id, scope.method, scope.path, scope.key)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._wait_seconds
        while (twin := self._under_way.get(name)) is not None:
            if loop.time() >= deadline:
                raise in_progress()
            await asyncio.wait([twin], timeout=deadline - loop.time())
        mine = self._under_way[name] = loop.create_future()
        try:
            yield
        finally:
            del self._under_way[name]
            mine.set_result(None)
