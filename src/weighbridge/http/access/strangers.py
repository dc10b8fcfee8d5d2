"""Strangers: requests that carry nothing the process knows, such as those for open pages and by links.

Each client address, and each link, has so many of them at once in a second; further ones wait for their time
before they ask the database anything, and are refused where that would be long. Refusals leave at a pace of
their own, for a refusal takes a process as long as many an answer: while one waits, its connection brings no
other request. Those that come through share the connections as one account would, so that nobody with a token
or a session waits for all of them together.

Invariants: nobody waits longer than `WAIT_SECONDS` for an answer, and `REFUSED_SECONDS_MAX` for a refusal;
the memory is bounded: what came longest ago goes first.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from weighbridge.core.problem import Problem
from weighbridge.errors import TooManyRequests
from weighbridge.http.access.address import client_address
from weighbridge.http.caller import WebRequest, shares

PER_SECOND: Final = 10
"""Requests of strangers that one address, or one link, has in a second in the long run, in each process."""

AT_ONCE: Final = 15
"""Requests of strangers that one address, or one link, has at once."""

WAIT_SECONDS: Final = 1.0
"""How long such a request waits for its time, at most."""

REFUSALS_PER_SECOND: Final = 10
"""Refusals that leave in a second to one address, or of one link, in the long run, in each process."""

REFUSED_SECONDS_MAX: Final = 10.0
"""How long a refusal waits for its time, at most; the first wait as long as a request would."""

KEYS_MAX: Final = 20_000
"""Addresses and links that a process remembers, at most."""

NO_ACCOUNT: Final = 0
"""The number by which strangers share connections; no account has it."""


class Strangers:
    """Says when requests of strangers have their time; `now` is in seconds, by any clock that goes evenly."""

    def __init__(self, per_second: int = PER_SECOND, at_once: int = AT_ONCE) -> None:
        self._interval = 1 / per_second
        self._ahead = at_once / per_second
        self._next: OrderedDict[str, float] = OrderedDict()
        self._next_refusal: OrderedDict[str, float] = OrderedDict()

    def wait(self, key: str, now: float) -> float | None:
        """How many seconds a request of a key waits; None where that is too long, and it is not counted."""
        next_one = max(self._next.pop(key, now), now)
        seconds = max(0.0, next_one - now - self._ahead)
        is_let_in = seconds <= WAIT_SECONDS
        _keep(self._next, key, next_one + self._interval if is_let_in else next_one)
        return seconds if is_let_in else None

    def refusal_wait(self, key: str, now: float) -> float:
        """How many seconds the refusal of a request of a key waits."""
        seconds = max(WAIT_SECONDS, self._next_refusal.pop(key, now) - now)
        _keep(self._next_refusal, key, now + min(seconds + 1 / REFUSALS_PER_SECOND, REFUSED_SECONDS_MAX))
        return seconds


def _keep(times: OrderedDict[str, float], key: str, time: float) -> None:
    times[key] = time
    if len(times) > KEYS_MAX:
        times.popitem(last=False)


async def await_time(request: WebRequest, link: str = "") -> None:
    """Wait for the time of a stranger's request, by its address and link; TooManyRequests for too many."""
    app, now = request.app.state, asyncio.get_running_loop().time()
    strangers: Strangers = app.strangers
    keys = [f"address {client_address(request.scope, app.proxies)}", *([f"link {link}"] if link else [])]
    waits = [strangers.wait(key, now) for key in keys]
    if refused := [key for key, seconds in zip(keys, waits, strict=True) if seconds is None]:
        await asyncio.sleep(max(strangers.refusal_wait(key, now) for key in refused))
        said = "There were too many requests without a token, of this address or by this link."
        raise TooManyRequests([Problem(said, None, "rate_limited")], retry_after_seconds=1)
    if seconds := max(one for one in waits if one is not None):
        await asyncio.sleep(seconds)


@asynccontextmanager
async def admitted(request: WebRequest, link: str = "") -> AsyncIterator[None]:
    """Let a stranger's request in at its time, with its share of the connections."""
    await await_time(request, link)
    async with shares(request).turn(NO_ACCOUNT):
        yield
