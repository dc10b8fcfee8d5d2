"""A place is the right to compute: whoever asks for one waits for it without holding anything else.

An account has at most half of all places, so one that asks for a thousand computations leaves the other half
to the others; those who ask for the same account are served in order.

Invariants: no more than `places` requests have one at a time; who stops waiting leaves the queue.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from weighbridge.errors import Unavailable

WAITING_MAX: Final = 256
"""Requests of one account that may wait for a place at a time."""

WAITING_SECONDS_MAX: Final = 30.0
"""How long a request waits for a place."""


class Places:
    """The places of one event loop."""

    def __init__(self, places: int) -> None:
        self._all = asyncio.Semaphore(places)
        self._share = max(1, places // 2)
        self._of_account: dict[int, asyncio.Semaphore] = {}
        self._asking: Counter[int] = Counter()

    @asynccontextmanager
    async def of(self, account: int) -> AsyncIterator[None]:
        """Wait for a place of an account and hold it; Unavailable when too many wait, or for too long."""
        if self._asking[account] >= WAITING_MAX + self._share:
            raise Unavailable(f"{WAITING_MAX:,} computations of the account wait already; try again.")
        own = self._of_account.setdefault(account, asyncio.Semaphore(self._share))
        self._asking[account] += 1
        try:
            async with _taken(own), _taken(self._all):
                yield
        finally:
            self._asking[account] -= 1
            if not self._asking[account]:
                del self._asking[account], self._of_account[account]


@asynccontextmanager
async def _taken(semaphore: asyncio.Semaphore) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(WAITING_SECONDS_MAX):
            await semaphore.acquire()
    except TimeoutError:
        said = (
            f"The computation waited {WAITING_SECONDS_MAX:.0f} seconds for others of the account; try again."
        )
        raise Unavailable(said) from None
    try:
        yield
    finally:
        semaphore.release()
