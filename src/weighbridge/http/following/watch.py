"""The watch: looks for all requests of a process that wait, and wakes those whose account has something new.

Invariants: whoever waits for what is behind a number is woken by the next look that finds a later one,
whenever it came; while nobody waits, nothing looks.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from weighbridge.db.engine import Database
from weighbridge.http import metrics
from weighbridge.http.admission.shares import busy

LOOK_SECONDS: Final = 0.1
"""How often the watch looks."""

WAITING_MAX: Final = 100
"""Requests of one account that may wait in one process."""

log = structlog.get_logger()

Look = Callable[[Database, Sequence[int]], Awaitable[Mapping[int, int]]]
"""Gives the newest number of each of these accounts."""


@dataclass(slots=True, eq=False)
class _Waiting:
    account: int
    seen: int
    woken: asyncio.Event


class Watch:
    """Whoever waits in one process; for one event loop."""

    def __init__(self, database: Database, look: Look) -> None:
        self._database = database
        self._look = look
        self._waiting: set[_Waiting] = set()
        self._looking: asyncio.Task[None] | None = None

    async def await_later(self, account: int, seen: int, seconds: float) -> bool:
        """Wait until the account has a later number than the one seen; False when that took too long.

        TooManyRequests when too many of the account wait already.
        """
        if sum(1 for one in self._waiting if one.account == account) >= WAITING_MAX:
            raise busy(f"The account has {WAITING_MAX:,} requests here that wait, which is all it may.")
        waiting = _Waiting(account, seen, asyncio.Event())
        self._waiting.add(waiting)
        metrics.observe_wait()
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_again_and_again())
        try:
            async with asyncio.timeout(seconds):
                await waiting.woken.wait()
        except TimeoutError:
            return False
        finally:
            self._waiting.discard(waiting)
        return True

    async def stop(self) -> None:
        """Look no more."""
        if self._looking is not None:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking

    async def _look_again_and_again(self) -> None:
        try:
            while self._waiting:
                try:
                    await self._look_once()
                except Exception:
                    log.exception("watch_failed")
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            self._looking = None

    async def _look_once(self) -> None:
        newest = await self._look(self._database, sorted({one.account for one in self._waiting}))
        for one in self._waiting:
            if newest.get(one.account, 0) > one.seen:
                one.woken.set()
