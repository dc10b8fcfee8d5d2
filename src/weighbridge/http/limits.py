"""What a client, a token and an account may take of one process: requests, refusals, connections, places.

Read from the top: the client's address (`client_address`), its refused tokens (`FailedAuthentications`), the
pace of its refusals (`Pace`), requests a minute of each token (`RateLimiter`), then per-account quotas
(`Shares`, of each host, and `Places`) and statements stored together (`Together`).

Invariants: without trusted proxies no header names the client; all memory is bounded; a token's count is
never lower than what was let through, less the parts not yet shared between processes; an account waits for
itself alone while others take no more than their quotas; requests of one account are let through in the
order in which they came; a request whose turn does not come soon is refused.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final, Generic, TypeVar

import structlog

from weighbridge.concurrency import FairPlaces
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database, suppress_failed_write
from weighbridge.errors import TooManyRequests
from weighbridge.http import metrics

# The address of the client that a request comes from, also behind proxies.
#
# A proxy adds the address of its caller to the end of `X-Forwarded-For`. Anybody may send such a
# header, so of its entries only those are believed that a trusted proxy added: read from the end, the first
# address that is no trusted proxy's is the client's.
#
# Invariants: without trusted proxies the header is not read; the result is an address or UNKNOWN, whatever
# was sent.


HEADER: Final = b"x-forwarded-for"
UNKNOWN: Final = "unknown"
"""The address of a client without one, such as at a unix socket."""

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
        parsed_address = _read(entry)
        if parsed_address is None or not any(client in network for network in trusted):
            break
        client = parsed_address
    return _format_address(client)


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


def _format_address(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((address, NETWORK_BITS_V6), strict=False))


# Tokens that were refused, counted for each client address: a client with too many of them has to wait.
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
        minute, failures = self._failures.get(address, (0, 0))
        return bool(self.per_minute) and minute == _minute(now) and failures >= self.per_minute

    def count(self, address: str, reason: str, request_id: str, now: float) -> None:
        """Write a failure down: in the memory, in the log and in the counter of its reason."""
        minute, failures = self._failures.pop(address, (0, 0))
        self._failures[address] = (_minute(now), failures + 1 if minute == _minute(now) else 1)
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
    return int(now) // WINDOW_SECONDS + 1  # none is 0, which means never


def _report(address: str, reason: str, request_id: str) -> None:
    metrics.observe_authentication_failure(reason)
    log.warning("authentication_failed", client=address, reason=reason, request_id=request_id)


# Refusals at a pace: an address that is refused again and again has its refusals later.
#
# A flood of requests that are refused takes as much of a process as any other, however quick a refusal is.
# So of one client address only so many refusals leave in a second; each further one waits one to two
# seconds, in which its connection brings no other, and they do not all come back at once. A client that does
# what refusals say never meets that.
#
# Invariants: what is answered as it was asked never waits; the memory is bounded.


PACED_ADDRESSES_MAX: Final = 10_000
"""Addresses whose refusals of this second a process remembers, at most."""

REFUSAL_PAUSE_SECONDS: Final = 1.0
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
        excess = count - self.per_second - 1
        return REFUSAL_PAUSE_SECONDS * (1 + excess % SPREAD / SPREAD) if excess >= 0 else 0.0


def refusal_pause(
    proxies: Sequence[Network], refusals_per_second: int
) -> Callable[[Mapping[str, Any]], float]:
    """Return how many seconds the rejection of a request waits, by the client's earlier rejections."""
    pace = Pace(refusals_per_second)
    if not pace.per_second:
        return lambda _: 0.0
    return lambda scope: pace.wait(client_address(scope, proxies), asyncio.get_running_loop().time())


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
    unshared_count, window.unshared = window.unshared, 0
    window.shared += unshared_count
    row = None
    with suppress_failed_write("count of requests"):
        row = await database.single(
            """
            INSERT INTO request_counts AS c (token_id, minute, requests) VALUES (%s, %s, %s)
            ON CONFLICT (token_id) DO UPDATE SET minute = excluded.minute,
                requests = excluded.requests + CASE WHEN c.minute = excluded.minute THEN c.requests ELSE 0 END
            RETURNING requests
            """,
            (token_id, window.minute, unshared_count),
        )
    if row is not None:
        window.shared = max(window.shared, int(row[0]))


# Shares: how much of one process's connections an account may take, and how many requests it may have here.
#
# An account that works alone takes half of the connections. Each other account that has something to do
# takes the part that would be left to it: of n accounts at work each gets one part of n + 1, so that one
# part is always free for the next account. A request over its account's share waits in a queue of its
# account, and is refused when its turn does not come soon.
#
# With ten connections: one account alone takes 5. When a second one comes, each may take 3; what the first
# has over that it keeps until its requests end, and takes no more.
#
# Invariants: an account waits for itself alone while others take no more than their shares; requests of one
# account are let through in the order in which they came; one connection is left for questions about
# tokens.


WAIT_SECONDS: Final = 5.0
"""How long a request waits for the share of its account."""

RETRY_SECONDS: Final = 2
"""When a request that was refused for its account's share may be sent again."""

ACCOUNT_BUSY: Final = "account_busy"

LONG_BODIES: Final = 2
"""Long bodies of one account that a process has at a time."""

_FOR_TOKENS: Final = 1


@dataclass(slots=True)
class _Account:
    """What one account has in this process."""

    requests: int = 0
    held: int = 0
    waiting: deque[asyncio.Future[bool]] = field(default_factory=deque)
    """Those whose turn has not come; each hears whether it came, or the time was over."""
    long_bodies: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(LONG_BODIES))


class SharesOfHosts:
    """The shares of the connections to each host, of which a process has as many as to any other."""

    def __init__(self, connections: int, requests_max: int) -> None:
        self._make = partial(Shares, connections, requests_max)
        self._by_host: dict[str | None, Shares] = {}

    def to(self, node: str | None) -> "Shares":
        """The shares of connections to a node, or to the host of the first cell."""
        found = self._by_host.get(node)
        if found is None:
            found = self._by_host[node] = self._make()
        return found


class Shares:
    """Lets requests through, each account its share; for one event loop."""

    def __init__(self, connections: int, requests_max: int, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self._connections = connections
        self._requests_max = requests_max
        self._wait_seconds = wait_seconds
        self._held = 0
        self._waiting = 0
        self._accounts: dict[int, _Account] = {}

    def turn(self, number: int) -> "Turn":
        """Count a request of an account, and wait for its turn."""
        return Turn(self, number)

    @asynccontextmanager
    async def request(self, number: int) -> AsyncIterator[None]:
        """Count a request of an account while it is here; refuse it when the account has too many."""
        self.arrive(number)
        try:
            yield
        finally:
            self.depart(number)

    @asynccontextmanager
    async def connection(self, number: int) -> AsyncIterator[None]:
        """Wait for the account's turn to take a connection; the request is counted already."""
        await self.begin(number)
        try:
            yield
        finally:
            self.end(number)

    @asynccontextmanager
    async def long_body(self, number: int) -> AsyncIterator[None]:
        """Wait for the account's turn to send a long body; the request is counted already.

        A long body takes many times its size until its request has ended, so one account has few at a time.
        """
        async with self._accounts[number].long_bodies:
            yield

    def arrive(self, number: int) -> None:
        """Count a request of an account until it departs; refuse it when the account has too many."""
        account = self._accounts.get(number)
        if account is None:
            account = self._accounts[number] = _Account()
        if account.requests >= self._requests_max:
            raise busy(f"The account has {account.requests:,} requests under way, which is all it may.")
        account.requests += 1

    def depart(self, number: int) -> None:
        """Count a request no more."""
        account = self._accounts[number]
        account.requests -= 1
        if not account.requests:
            del self._accounts[number]

    async def begin(self, number: int) -> None:
        """Wait for the account's turn to take a connection, and take it until the end."""
        account = self._accounts[number]
        if account.waiting or not self._has_room(account):
            await self._wait(account)
        else:
            self._take(account)

    def end(self, number: int) -> None:
        """Give the connection back."""
        self._give_back(self._accounts[number])

    async def _wait(self, account: _Account) -> None:
        """Wait until `_let_through` takes a connection for this request."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[bool] = loop.create_future()
        account.waiting.append(turn)
        self._waiting += 1
        # A busy process queues most requests: waiting by `asyncio.wait` takes several times as long.
        timer = loop.call_later(self._wait_seconds, self._give_up, account, turn)
        try:
            has_turn = await turn
        except asyncio.CancelledError:
            if turn in account.waiting:
                self._leave(account, turn)
            elif not turn.cancelled() and turn.result():
                self._give_back(account)
            raise
        finally:
            timer.cancel()
        if not has_turn:
            raise busy(
                f"The account has {account.held:,} requests at work, which is its share just now, and this "
                f"one has waited {self._wait_seconds:g} seconds."
            )

    def _let_through(self) -> None:
        """Give what is free to those who wait: first to the account that holds least."""
        while True:
            able = [
                candidate
                for candidate in self._accounts.values()
                if candidate.waiting and self._has_room(candidate)
            ]
            if not able:
                return
            account = min(able, key=lambda candidate: candidate.held)
            turn = account.waiting.popleft()
            self._waiting -= 1
            if not turn.cancelled():  # else its request has gone, and does not know yet that it has left
                self._take(account)
                turn.set_result(True)

    def _give_up(self, account: _Account, turn: asyncio.Future[bool]) -> None:
        if not turn.done():
            self._leave(account, turn)
            turn.set_result(False)

    def _leave(self, account: _Account, turn: asyncio.Future[bool]) -> None:
        account.waiting.remove(turn)
        self._waiting -= 1
        self._let_through()  # there may be fewer accounts to share with now

    def _give_back(self, account: _Account) -> None:
        account.held -= 1
        self._held -= 1
        if self._waiting:
            self._let_through()

    def _take(self, account: _Account) -> None:
        account.held += 1
        self._held += 1

    def _has_room(self, account: _Account) -> bool:
        at_work = sum(
            1 for other in self._accounts.values() if other.held or other.waiting or other is account
        )
        share = max(1, self._connections // (at_work + 1))
        return account.held < share and self._held < max(1, self._connections - _FOR_TOKENS)


class Turn:
    """A request of an account, which has its turn as long as the block lasts; small requests pass here."""

    __slots__ = ("_number", "_shares")

    def __init__(self, shares: Shares, number: int) -> None:
        self._shares = shares
        self._number = number

    async def __aenter__(self) -> None:
        self._shares.arrive(self._number)
        try:
            await self._shares.begin(self._number)
        except BaseException:
            self._shares.depart(self._number)
            raise

    async def __aexit__(self, *_: object) -> None:
        self._shares.end(self._number)
        self._shares.depart(self._number)


def busy(message: str, code: str = ACCOUNT_BUSY) -> TooManyRequests:
    """Refuse a request for which its account has no room just now."""
    return TooManyRequests([Problem(message, None, code)], retry_after_seconds=RETRY_SECONDS)


# A place is the right to be executed: a request waits for it without holding anything else.
#
# Invariant: a request whose turn does not come soon is refused; what is computed raises what it raises.


class Places:
    """The places of one event loop."""

    def __init__(
        self,
        places: int,
        *,
        share: int | None = None,
        wait_seconds: float = WAIT_SECONDS,
        occupied: str = "The account has other things computed just now",
        code: str = ACCOUNT_BUSY,
    ) -> None:
        """`share` is how many an account may hold, half of all when it is not said; `occupied` is what a
        request hears whose turn does not come, as the message begins.
        """
        self._places = FairPlaces(places, share=share)
        self._wait_seconds = wait_seconds
        self._refused = f"{occupied}, and this request has waited {wait_seconds:g} seconds.", code

    @asynccontextmanager
    async def of(self, account: Hashable) -> AsyncIterator[None]:
        """Wait for a place of an account and hold it; TooManyRequests when its turn does not come soon."""
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self._places.of(account, wait_seconds=self._wait_seconds))
            except TimeoutError:
                raise busy(*self._refused) from None
            yield


# Together: what many requests have to store is stored by one statement, and each goes on when that is done.
#
# While one statement is under way, what comes meanwhile waits and goes with the next one. So many requests
# for the same row do not queue for it one by one, each with a connection of its own. What belongs to one cell
# waits for nothing of another.
#
# Invariant: nobody goes on before what they brought is committed; where that fails, all who brought it hear
# so.


Place = TypeVar("Place", bound=Hashable)
Value = TypeVar("Value")


class Together(Generic[Place, Value]):
    """Stores values by a function that takes all that wait of one place; for one event loop."""

    def __init__(self, store_all: Callable[[Place, Sequence[Value]], Awaitable[None]]) -> None:
        self._store_all = store_all
        self._waiting: dict[Place, list[tuple[Value, asyncio.Future[None]]]] = {}
        self._storing: set[asyncio.Task[None]] = set()

    async def store(self, place: Place, value: Value) -> None:
        """Store a value with others of its place that wait; raises what the database says when it cannot."""
        stored_future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.get(place)
        if waiting is None:
            waiting = self._waiting[place] = []
            storing = asyncio.create_task(self._store(place))
            self._storing.add(storing)
            storing.add_done_callback(self._storing.discard)
        waiting.append((value, stored_future))
        await stored_future

    async def _store(self, place: Place) -> None:
        while self._waiting[place]:
            batch, self._waiting[place] = self._waiting[place], []
            failure: Exception | None = None
            try:
                await self._store_all(place, [value for value, _ in batch])
            except Exception as error:  # noqa: BLE001 - the waiting callers get it
                failure = error
            for _, stored_future in batch:
                if stored_future.done():  # its request has gone
                    continue
                if failure is None:
                    stored_future.set_result(None)
                else:
                    stored_future.set_exception(failure)
        del self._waiting[place]
