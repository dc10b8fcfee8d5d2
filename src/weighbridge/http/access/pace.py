"""Refusals at a pace: an address that is refused again and again has its refusals later.

A flood of requests that are refused takes as much of a process as any other, however quick a refusal is. So
of one client address only so many refusals leave in a second; each further one waits one to two seconds, in
which its connection brings no other, and they do not all come back at once. Whoever does what refusals say
never meets that.

Invariants: what is answered as it was asked never waits; the memory is bounded.
"""

from collections import OrderedDict
from typing import Final

ADDRESSES_MAX: Final = 10_000
"""Addresses whose refusals of this second a process remembers, at most."""

WAIT_SECONDS: Final = 1.0
"""How long a refusal waits that is one too many."""

SPREAD: Final = 64
"""Over how many steps of another second those behind it are spread."""


class Pace:
    """Counts refusals by client address; a limit of 0 lets all of them leave at once.

    `now` is in seconds, by any clock that goes on evenly.
    """

    def __init__(self, per_second: int) -> None:
        self.per_second = per_second
        self._refusals: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def wait(self, address: str, now: float) -> float:
        """How many seconds a refusal of this moment has to wait."""
        second, count = self._refusals.pop(address, (-1, 0))
        count = count + 1 if second == int(now) else 1
        self._refusals[address] = (int(now), count)
        if len(self._refusals) > ADDRESSES_MAX:
            self._refusals.popitem(last=False)
        behind = count - self.per_second - 1
        return WAIT_SECONDS * (1 + behind % SPREAD / SPREAD) if behind >= 0 else 0.0
