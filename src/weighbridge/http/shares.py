"""Per-account quotas of one process: connections, places for computing, and statements stored together.

Invariants: an account waits for itself alone while others take no more than their quotas; requests of
one account are let through in the order in which they came; a request whose turn does not come soon is
rejected.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from weighbridge.core.problem import Problem
from weighbridge.errors import TooManyRequests
from weighbridge.places import FairPlaces

# Shares: how much of one process's connections an account may take, and how many requests it may have here.
#
# An account that works alone takes half of the connections. Each other account that has something to do
# takes the part that would be left to it: of n accounts at work each gets one part of n + 1, so that one
# part is always free for whoever comes next. A request over its account's share waits in a queue of its
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
            able = [one for one in self._accounts.values() if one.waiting and self._has_room(one)]
            if not able:
                return
            account = min(able, key=lambda one: one.held)
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
        at_work = sum(1 for one in self._accounts.values() if one.held or one.waiting or one is account)
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


# A place is the right to be carried out: whoever asks for one waits for it without holding anything else.
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
        async with AsyncExitStack() as held:
            try:
                await held.enter_async_context(self._places.of(account, wait_seconds=self._wait_seconds))
            except TimeoutError:
                raise busy(*self._refused) from None
            yield


# Together: what many requests have to store is stored by one statement, and each goes on when that is done.
#
# While one statement is under way, what comes meanwhile waits and goes with the next one. So many requests
# for the same row do not queue for it one by one, each with a connection of its own.
#
# Invariant: nobody goes on before what they brought is committed; where that fails, all who brought it hear
# so.


Value = TypeVar("Value")


class Together(Generic[Value]):
    """Stores values by a function that takes all that wait; for one event loop."""

    def __init__(self, store_all: Callable[[Sequence[Value]], Awaitable[None]]) -> None:
        self._store_all = store_all
        self._waiting: list[tuple[Value, asyncio.Future[None]]] = []
        self._storing: asyncio.Task[None] | None = None

    async def store(self, value: Value) -> None:
        """Store a value with others that wait; raises what the database says when it cannot."""
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((value, stored))
        if self._storing is None or self._storing.done():
            self._storing = asyncio.create_task(self._store())
        await stored

    async def _store(self) -> None:
        while self._waiting:
            taken, self._waiting = self._waiting, []
            failure: Exception | None = None
            try:
                await self._store_all([value for value, _ in taken])
            except Exception as error:  # noqa: BLE001 - those who wait are told
                failure = error
            for _, stored in taken:
                if stored.done():  # its request has gone
                    continue
                if failure is None:
                    stored.set_result(None)
                else:
                    stored.set_exception(failure)
