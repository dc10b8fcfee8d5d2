"""Places: the right to do what only so many may do at a time, shared fairly between accounts.

An account, or whatever else they are shared by, has at most half of all places unless its share is said, so
one that asks for a hundred leaves the others to the others; who asks for the same account is served in order.

Invariants: no more than `places` hold one at a time; who stops waiting leaves the queue.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager


class FairPlaces:
    """The places of one event loop."""

    def __init__(self, places: int, *, share: int | None = None) -> None:
        self._all = asyncio.Semaphore(places)
        self._share = share or max(1, places // 2)
        self._of_account: dict[Hashable, asyncio.Semaphore] = {}
        self._asking: Counter[Hashable] = Counter()

    @asynccontextmanager
    async def of(self, account: Hashable, *, wait_seconds: float | None = None) -> AsyncIterator[None]:
        """Wait for a place of an account and hold it; TimeoutError when its turn does not come in time."""
        own = self._of_account.setdefault(account, asyncio.Semaphore(self._share))
        self._asking[account] += 1
        try:
            async with _taken(own, wait_seconds), _taken(self._all, wait_seconds):
                yield
        finally:
            self._asking[account] -= 1
            if not self._asking[account]:
                del self._asking[account], self._of_account[account]


@asynccontextmanager
async def _taken(semaphore: asyncio.Semaphore, wait_seconds: float | None) -> AsyncIterator[None]:
    async with asyncio.timeout(wait_seconds):
        await semaphore.acquire()
    try:
        yield
    finally:
        semaphore.release()
