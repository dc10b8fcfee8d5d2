"""Strangers: requests that carry nothing the process knows, such as those for open pages and by links.

Each client address, and each link, has so many of them at once in a second; further ones wait for their time
before they ask the database anything, and are refused where that would be long. Refusals leave at a pace of
their own, for a refusal takes a process as long as many an answer: while one waits, its connection brings no
other request. Those that come through are carried out a few at a time, each link and address in its turn:
were all that come at once carried out at once, whoever has a token would wait for all of them together.

Invariants: nobody waits longer than `WAIT_SECONDS` for their time, and `REFUSED_SECONDS_MAX` for a refusal;
who sends a body slowly keeps no place; the memory is bounded: what came longest ago goes first.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Final

from weighbridge.core.problem import Problem
from weighbridge.errors import TooManyRequests
from weighbridge.http.access.address import client_address
from weighbridge.http.admission.places import Places
from weighbridge.http.caller import WebRequest, shares

PER_SECOND: Final = 10
"""Requests of strangers that one address has in a second in the long run, in each process."""

AT_ONCE: Final = 15
"""Requests of strangers that one address has at once."""

ADDRESSES_OF_LINK: Final = 2
"""How many times as many requests one link has: one address cannot use it up for the others."""

AT_WORK: Final = 2
"""Requests of strangers that a process carries out at a time; one link, or else one address, has half."""

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

_CODE: Final = "rate_limited"


class Arrivals:
    """Says when requests of each key have their time; `now` is in seconds, by any clock that goes evenly."""

    def __init__(self, per_second: int = PER_SECOND, at_once: int = AT_ONCE) -> None:
        self._interval = 1 / per_second
        self._ahead = at_once / per_second
        self._next: OrderedDict[Hashable, float] = OrderedDict()
        self._next_refusal: OrderedDict[Hashable, float] = OrderedDict()

    def wait(self, key: Hashable, now: float) -> float | None:
        """How many seconds a request of a key waits; None where that is too long, and it is not counted."""
        next_one = max(self._next.pop(key, now), now)
        seconds = max(0.0, next_one - now - self._ahead)
        is_let_in = seconds <= WAIT_SECONDS
        _keep(self._next, key, next_one + self._interval if is_let_in else next_one)
        return seconds if is_let_in else None

    def refusal_wait(self, key: Hashable, now: float) -> float:
        """How many seconds the refusal of a request of a key waits."""
        seconds = max(WAIT_SECONDS, self._next_refusal.pop(key, now) - now)
        _keep(self._next_refusal, key, now + min(seconds + 1 / REFUSALS_PER_SECOND, REFUSED_SECONDS_MAX))
        return seconds

    async def come(self, key: Hashable) -> None:
        """Wait for the time of a request of a key; TooManyRequests where there are too many."""
        now = asyncio.get_running_loop().time()
        seconds = self.wait(key, now)
        if seconds is None:
            await asyncio.sleep(self.refusal_wait(key, now))
            said = "There were too many requests without a token, of this address or by this link."
            raise TooManyRequests([Problem(said, None, _CODE)], retry_after_seconds=1)
        if seconds:
            await asyncio.sleep(seconds)


class Strangers:
    """What strangers may take of a process."""

    def __init__(self) -> None:
        self.addresses = Arrivals()
        self.links = Arrivals(ADDRESSES_OF_LINK * PER_SECOND, ADDRESSES_OF_LINK * AT_ONCE)
        self.places = Places(AT_WORK, occupied="Others are served who carry no token either", code=_CODE)


def _keep(times: OrderedDict[Hashable, float], key: Hashable, time: float) -> None:
    times[key] = time
    if len(times) > KEYS_MAX:
        times.popitem(last=False)


async def await_time(request: WebRequest, link: Hashable = None) -> Hashable:
    """Wait for a stranger's time, by address and then by link; gives by which of them the request counts."""
    app = request.app.state
    strangers: Strangers = app.strangers
    address = client_address(request.scope, app.proxies)
    await strangers.addresses.come(address)
    if link is None:
        return address
    await strangers.links.come(link)
    return link


@asynccontextmanager
async def admitted(request: WebRequest, link: Hashable = None) -> AsyncIterator[None]:
    """Let a stranger's request in at its time, with its place and its share of the connections."""
    key = await await_time(request, link)
    if request.method == "POST":
        await request.body()
    strangers: Strangers = request.app.state.strangers
    async with strangers.places.of(key), shares(request).turn(NO_ACCOUNT):
        yield
