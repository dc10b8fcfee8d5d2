"""Tokens that were refused, counted for each client address: whoever tries too many has to wait.

Each process counts for itself and for the running minute, so a service of several processes lets through
as many times the limit. A token that the process has accepted before is let through at all times: a
neighbour behind the same address cannot lock its user out.

Invariants: the memory is bounded, and the address that failed longest ago is forgotten first; no part of
a token is counted or logged.
"""

from collections import OrderedDict
from typing import Final

import structlog

from weighbridge.http import metrics

log = structlog.get_logger()

WINDOW_SECONDS: Final = 60
ADDRESSES_MAX: Final = 10_000
"""Addresses whose failures of this minute a process remembers, at most."""

THROTTLED: Final = "throttled"
"""The reason that is counted when no token was looked at any more."""


class FailedAuthentications:
    """Counts refused tokens by client address; a limit of 0 lets everybody try for ever.

    `now` is in seconds, by any clock that goes on evenly.
    """

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._failures: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def is_used_up(self, address: str, now: float) -> bool:
        """Whether the address has failed as often in this minute as it may."""
        minute, failed = self._failures.get(address, (0, 0))
        return bool(self.per_minute) and minute == _minute(now) and failed >= self.per_minute

    def count(self, address: str, reason: str, request_id: str, now: float) -> None:
        """Write a failure down: in the memory, in the log and in the counter of its reason."""
        minute, failed = self._failures.pop(address, (0, 0))
        self._failures[address] = (_minute(now), failed + 1 if minute == _minute(now) else 1)
        if len(self._failures) > ADDRESSES_MAX:
            self._failures.popitem(last=False)
        _report(address, reason, request_id)

    def refuse(self, address: str, request_id: str) -> None:
        """Write down that a token was not even looked at."""
        _report(address, THROTTLED, request_id)

    def __len__(self) -> int:
        return len(self._failures)


def seconds_left(now: float) -> int:
    """How long the current minute goes on, at least one second."""
    return max(1, _minute(now) * WINDOW_SECONDS - int(now))


def _minute(now: float) -> int:
    return int(now) // WINDOW_SECONDS + 1  # none is 0, which stands for never


def _report(address: str, reason: str, request_id: str) -> None:
    metrics.observe_authentication_failure(reason)
    log.warning("authentication_failed", client=address, reason=reason, request_id=request_id)
