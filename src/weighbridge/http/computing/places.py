"""A place is the right to compute: whoever asks for one waits for it without holding anything else.

An account has at most half of all places, so one that asks for a hundred computations leaves the other half
to the others; those who ask for the same account are served in order.

Invariants: no more than `places` requests have one at a time; who stops waiting leaves the queue.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from weighbridge.http.admission.shares import WAIT_SECONDS, busy


class Places:
    """The places of one event loop."""

    def __init__(self, places: int, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self._all = asyncio.Semaphore(places)
        self._share = max(1, places // 2)
        self._wait_seconds = wait_seconds
        self._of_account: dict[int, asyncio.Semaphore] = {}
        self._asking: Counter[int] = Counter()

    @asynccontextmanager
    async def of(self, account: int) -> AsyncIterator[None]:
        """Wait for a place of an account and hold it; TooManyRequests when its turn does not come soon."""
        own = self._of_account.setdefault(account, asyncio.Semaphore(self._share))
        self._asking[account] += 1
        try:
            async with self._taken(own), self._taken(self._all):
                yield
        finally:
            self._asking[account] -= 1
            if not self._asking[account]:
                del self._asking[account], self._of_account[account]

    @asynccontextmanager
    async def _taken(self, semaphore: asyncio.Semaphore) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._wait_seconds):
                await semaphore.acquire()
        except TimeoutError:
            raise busy(
                "The account has other things computed just now, and this request has waited "
                f"{self._wait_seconds:g} seconds."
            ) from None
        try:
            yield
        finally:
            semaphore.release()
