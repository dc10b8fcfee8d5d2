"""Limits by client and by token: the client's address, its rejected tokens, its rejections, requests a
minute.

Invariants: without trusted proxies no header names the client; all memory is bounded; a token's count
is never lower than what was let through, less the parts not yet shared between processes.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final

import structlog

from weighbridge.db.engine import Database, suppress_failed_write
from weighbridge.http import metrics

# The address of the client that a request comes from, also when proxies stand between.
#
# A proxy adds the address of whoever called it to the end of `X-Forwarded-For`. Anybody may send such a
# header, so of its entries only those are believed that a trusted proxy added: read from the end, the first
# address that is no trusted proxy's is the client's.
#
# Invariants: without trusted proxies the header is not read; the result is an address or UNKNOWN, whatever
# was sent.


HEADER: Final = b"x-forwarded-for"
UNKNOWN: Final = "unknown"
"""Stands for a client without an address, such as one at a unix socket."""

ENTRIES_MAX: Final = 32
"""Entries of the header that are read, from its end."""

NETWORK_BITS_V6: Final = 64
"""An IPv6 client owns a network of this many bits, and can call from any address in it."""

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """The networks that the texts name; raises ValueError for a text that names none."""
    return tuple(ip_network(text, strict=False) for text in texts)


def client_address(scope: Mapping[str, Any], trusted: Sequence[Network]) -> str:
    """The address of the request's client as text, of IPv6 the network; `trusted` are proxies' networks."""
    peer = _read((scope.get("client") or ("",))[0])
    if peer is None:
        return UNKNOWN
    client = peer
    for entry in _entries(scope) if trusted else ():
        read = _read(entry)
        if read is None or not any(client in network for network in trusted):
            break
        client = read
    return _told(client)


def _entries(scope: Mapping[str, Any]) -> list[str]:
    """What proxies have written, the last first."""
    lines = [bytes(value).decode("latin-1") for name, value in scope["headers"] if name == HEADER]
    return ",".join(lines).split(",")[: -ENTRIES_MAX - 1 : -1]


def _read(text: str) -> Address | None:
    """An address, with or without brackets and port."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def _told(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((address, NETWORK_BITS_V6), strict=False))


# Tokens that were refused, counted for each client address: whoever tries too many has to wait.
#
# Each process counts for itself and for the running minute, so a service of several processes lets through
# as many times the limit. A token that the process has accepted before is let through at all times: a
# neighbour behind the same address cannot lock its user out.
#
# Invariants: the memory is bounded, and the address that failed longest ago is forgotten first; no part of
# a token is counted or logged.


log = structlog.get_logger()

WINDOW_SECONDS: Final = 60
"""What is counted is counted by the minute."""

FAILED_ADDRESSES_MAX: Final = 10_000
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
        if len(self._failures) > FAILED_ADDRESSES_MAX:
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


# Refusals at a pace: an address that is refused again and again has its refusals later.
#
# A flood of requests that are refused takes as much of a process as any other, however quick a refusal is.
# So of one client address only so many refusals leave in a second; each further one waits one to two
# seconds, in which its connection brings no other, and they do not all come back at once. Whoever does what
# refusals say never meets that.
#
# Invariants: what is answered as it was asked never waits; the memory is bounded.


PACED_ADDRESSES_MAX: Final = 10_000
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
        if len(self._refusals) > PACED_ADDRESSES_MAX:
            self._refusals.popitem(last=False)
        behind = count - self.per_second - 1
        return WAIT_SECONDS * (1 + behind % SPREAD / SPREAD) if behind >= 0 else 0.0


# The rate limit: so many requests a minute for each token, counted across all processes.
#
# A process counts by itself and adds its count to the shared one every few requests, so that the limit
# holds for all processes together and few requests pay for it. The overshoot is at most the share of the
# limit that each process keeps to itself.
#
# Invariants: a token's count is never lower than what was let through, less the parts not yet shared.


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
