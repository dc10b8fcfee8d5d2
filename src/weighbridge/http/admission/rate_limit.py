"""The rate limit: so many requests a minute for each token, counted across all processes.

A process counts by itself and adds its count to the shared one every few requests, so that the limit
holds for all processes together and few requests pay for it. The overshoot is at most the share of the
limit that each process keeps to itself.

Invariants: a token's count is never lower than what was let through, less the parts not yet shared.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from weighbridge.db.engine import Database
from weighbridge.db.hosts.connection import suppress_failed_write

WINDOW_SECONDS: Final = 60
UNSHARED_PART: Final = 50
"""A process keeps one in so many of the limit's requests to itself before it shares its count."""

TOKENS_REMEMBERED_MAX: Final = 10_000
"""Tokens whose current minute a process remembers, at most."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a token may still ask in this minute; without a limit, everything."""

    limit: int
    left: int
    reset: int
    """When the next minute begins, in seconds of Unix time."""

    @property
    def is_used_up(self) -> bool:
        return self.left < 0

    @property
    def headers(self) -> dict[str, int]:
        if not self.limit:
            return {}
        return {
            "RateLimit-Limit": self.limit,
            "RateLimit-Remaining": max(0, self.left),
            "RateLimit-Reset": self.reset,
        }


@dataclass(slots=True)
class _Window:
    """What this process knows of one token's current minute."""

    minute: int
    shared: int = 0
    unshared: int = 0


class RateLimiter:
    """Counts the requests of tokens; a limit of 0 lets everything through."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.time) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._unshared_max = max(1, per_minute // UNSHARED_PART)
        self._windows: dict[int, _Window] = {}

    async def admit(self, database: Database, token_id: int) -> Allowance:
        """Count a request of a token."""
        if not self.per_minute:
            return Allowance(0, 0, 0)
        window = self._window(token_id)
        window.unshared += 1
        if window.unshared >= self._unshared_max:
            await _share(database, token_id, window)
        return self._allowance(window)

    def admit_unshared(self, token_id: int) -> Allowance | None:
        """Count a request of a token if that needs no question to the database, and lets it through."""
        if not self.per_minute:
            return Allowance(0, 0, 0)
        window = self._window(token_id)
        if window.unshared + 1 >= self._unshared_max:
            return None
        window.unshared += 1
        allowance = self._allowance(window)
        if allowance.is_used_up:
            window.unshared -= 1
            return None
        return allowance

    def take_back(self, token_id: int, allowance: Allowance) -> None:
        """Do not count what `admit_unshared` let through, unless it is shared by now or its minute over."""
        window = self._windows.get(token_id)
        if window is not None and window.unshared and self._allowance(window).reset == allowance.reset:
            window.unshared -= 1

    def untouched(self) -> Allowance:
        """What a request has that named no token."""
        return self._allowance(_Window(self._minute()))

    def seconds_left(self) -> int:
        """How long the current minute goes on, at least one second."""
        return max(1, (self._minute() + 1) * WINDOW_SECONDS - int(self._clock()))

    def _allowance(self, window: _Window) -> Allowance:
        left = self.per_minute - window.shared - window.unshared
        return Allowance(self.per_minute, left, (window.minute + 1) * WINDOW_SECONDS)

    def _window(self, token_id: int) -> _Window:
        minute = self._minute()
        window = self._windows.get(token_id)
        if window is None or window.minute != minute:
            if len(self._windows) >= TOKENS_REMEMBERED_MAX:
                self._windows.clear()
            window = self._windows[token_id] = _Window(minute)
        return window

    def _minute(self) -> int:
        return int(self._clock()) // WINDOW_SECONDS


async def _share(database: Database, token_id: int, window: _Window) -> None:
    """Add what this process counted to the shared count, and learn what all have counted.

    Where that cannot be written, each process counts on by itself.
    """
    counted, window.unshared = window.unshared, 0
    window.shared += counted
    row = None
    with suppress_failed_write("count of requests"):
        row = await database.single(
            """
            INSERT INTO request_counts AS c (token_id, minute, requests) VALUES (%s, %s, %s)
            ON CONFLICT (token_id) DO UPDATE SET minute = excluded.minute,
                requests = excluded.requests + CASE WHEN c.minute = excluded.minute THEN c.requests ELSE 0 END
            RETURNING requests
            """,
            (token_id, window.minute, counted),
        )
    if row is not None:
        window.shared = max(window.shared, int(row[0]))
