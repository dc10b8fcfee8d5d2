"""The watch: looks for all requests of a process that wait, and wakes those whose account has something new.

Invariants: whoever waits for what is behind a number is woken by the next look that finds a later one,
whenever it came; while nobody waits, nothing looks.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
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

LISTENERS_MAX: Final = 50
"""Streams of one account that one process sends at the same time."""

log = structlog.get_logger()

Look = Callable[[Database, Sequence[int]], Awaitable[Mapping[int, int]]]
"""Gives the newest number of each of these accounts."""


@dataclass(slots=True, eq=False)
class _Waiting:
    account: int
    seen: int
    woken: asyncio.Event
    is_listening: bool


class Watch:
    """Whoever waits in one process; for one event loop."""

    def __init__(self, database: Database, look: Look) -> None:
        self._database = database
        self._look = look
        self._waiting: set[_Waiting] = set()
        self._looking: asyncio.Task[None] | None = None
        self._listeners: Counter[int] = Counter()
        self.is_ending = False

    @contextmanager
    def listening(self, account: int) -> Iterator[None]:
        """Count a stream of the account while the block lasts; TooManyRequests when it has too many."""
        if self._listeners[account] >= LISTENERS_MAX:
            raise busy(f"The account has {LISTENERS_MAX:,} streams here, which is all it may.")
        self._listeners[account] += 1
        try:
            yield
        finally:
            self._listeners[account] -= 1
            if not self._listeners[account]:
                del self._listeners[account]

    def end(self) -> None:
        """Let nobody wait any more: the process is about to stop."""
        self.is_ending = True
        for one in self._waiting:
            one.woken.set()

    async def await_later(
        self, account: int, seen: int, seconds: float, *, is_listening: bool = False
    ) -> bool:
        """Wait until the account has a later number than the one seen; False when that took too long.

        TooManyRequests when too many of the account wait already; streams are counted by themselves.
        """
        if self.is_ending:
            return False
        others = (one for one in self._waiting if not (is_listening or one.is_listening))
        if sum(1 for one in others if one.account == account) >= WAITING_MAX:
            raise busy(f"The account has {WAITING_MAX:,} requests here that wait, which is all it may.")
        waiting = _Waiting(account, seen, asyncio.Event(), is_listening)
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
        return not self.is_ending

    async def stop(self) -> None:
        """Look no more."""
        self.end()
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
