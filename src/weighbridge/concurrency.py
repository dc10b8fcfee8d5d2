"""What accounts share of one process: places, threads that compute, and turns on the event loop.

Read `FairPlaces` (what only so many may do at a time), `FairThreads` (computations, asked for by
`Read.in_thread`), then `Turns` (long work on the loop).

Invariants: no more than `places` hold one at a time, and whoever stops waiting leaves the queue; no account
computes in more than its share; a computation that nobody waits for any more is halted, and its thread counts
as long as it is at work.
"""

import asyncio
import os
import sys
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from typing import Any, Final, TypeVar

from weighbridge.core.halt import Halt

# Places: an account, or whatever else they are shared by, has at most half of all places unless its share is
# said, so one that asks for a hundred leaves the others to the others. Requests of one account are served in
# order.


class FairPlaces:
    """The places of one event loop."""

    def __init__(self, places: int, *, share: int | None = None) -> None:
        self._all = asyncio.Semaphore(places)
        self._share = share or max(1, places // 2)
        self._of_account: dict[Hashable, asyncio.Semaphore] = {}
        self._asking: Counter[Hashable] = Counter()

    @asynccontextmanager
    async def of(self, account: Hashable, *, wait_seconds: float | None = None) -> AsyncIterator[None]:
        """Wait for a place of an account and hold it; TimeoutError when its turn does not come in time."""
        own = self._of_account.setdefault(account, asyncio.Semaphore(self._share))
        self._asking[account] += 1
        try:
            async with _take(own, wait_seconds), _take(self._all, wait_seconds):
                yield
        finally:
            self._asking[account] -= 1
            if not self._asking[account]:
                del self._asking[account], self._of_account[account]


@asynccontextmanager
async def _take(semaphore: asyncio.Semaphore, wait_seconds: float | None) -> AsyncIterator[None]:
    async with asyncio.timeout(wait_seconds):
        await semaphore.acquire()
    try:
        yield
    finally:
        semaphore.release()


# Threads: a computation is pure. One account has at most some of the threads, so another's computation
# starts at once; those of one account start in the order in which they came.


Result = TypeVar("Result")

THREADS: Final = 4
"""Threads of a process that compute."""

SHARE: Final = 1
"""Threads that one account may have at a time: in one process more would not be quicker."""

SWITCH_SECONDS: Final = 0.0002
"""How long a thread computes before another that waits has its turn: the event loop is one of them."""

NICENESS: Final = 5
"""How far threads that compute stand back behind all others of their process, on the scale of `nice`."""

ALIVE_SECONDS: Final = 0.25
"""How often a transaction that waits for a computation is used, well below every idle timeout."""

_account: ContextVar[int | None] = ContextVar("account", default=None)
_processor: ContextVar["ProcessorTime | None"] = ContextVar("processor", default=None)


class ProcessorTime:
    """How long the computations of one request have had a processor, that of now included."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._running: dict[int, tuple[int, float]] = {}

    @property
    def seconds(self) -> float:
        """So far."""
        running = [*self._running.values()]
        return self._seconds + sum(time.clock_gettime(clock) - since for clock, since in running)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count what this thread computes within."""
        thread = threading.get_ident()
        clock = time.pthread_getcpuclockid(thread)
        self._running[thread] = clock, time.clock_gettime(clock)
        try:
            yield
        finally:
            _, since = self._running.pop(thread)
            self._seconds += time.clock_gettime(clock) - since


@contextmanager
def processor_time() -> Iterator[ProcessorTime]:
    """Within, the time that computations have a processor is counted."""
    token = _processor.set(counted := ProcessorTime())
    try:
        yield counted
    finally:
        _processor.reset(token)


@contextmanager
def computing_for(account: int) -> Iterator[None]:
    """Within, what is computed is computed for an account; elsewhere it is for the service itself."""
    token = _account.set(account)
    try:
        yield
    finally:
        _account.reset(token)


class FairThreads:
    """Threads that take computations from the accounts in turn."""

    def __init__(self, threads: int = THREADS, share: int = SHARE) -> None:
        self._size, self._share = threads, share
        self._threads: list[threading.Thread] = []
        self._waiting: OrderedDict[int | None, deque[Callable[[], None]]] = OrderedDict()
        self._at_work: Counter[int | None] = Counter()
        self._changed = threading.Condition()

    def submit(self, halt: Halt, work: Callable[..., Result], *arguments: Any) -> "Future[Result]":
        """Have something computed for the account at hand, in its context."""
        future: Future[Result] = Future()
        context, counted = copy_context(), _processor.get()

        def compute() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                with nullcontext() if counted is None else counted.counted():
                    result = context.run(halt.over, lambda: work(*arguments))
            except BaseException as error:  # noqa: BLE001 - whoever waits is told
                future.set_exception(error)
            else:
                future.set_result(result)

        with self._changed:
            self._waiting.setdefault(_account.get(), deque()).append(compute)
            if len(self._threads) < self._size:
                thread = threading.Thread(target=self._work, name="computing", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify()
        return future

    def _work(self) -> None:
        _stand_back()
        while True:
            with self._changed:
                while (taken := self._next()) is None:
                    self._changed.wait()
                account, compute = taken
                self._at_work[account] += 1
            try:
                compute()
            finally:
                del compute, taken
                with self._changed:
                    self._at_work[account] -= 1
                    self._changed.notify()

    def _next(self) -> tuple[int | None, Callable[[], None]] | None:
        """The first computation of the account whose turn it is; None while none may start."""
        for account, waiting in self._waiting.items():
            if account is not None and self._at_work[account] >= self._share:
                continue
            compute = waiting.popleft()
            if waiting:
                self._waiting.move_to_end(account)
            else:
                del self._waiting[account]
            return account, compute
        return None


COMPUTING: Final = FairThreads()
"""The threads of this process."""


async def compute_in_thread(
    meanwhile: Callable[[], Awaitable[None]] | None, work: Callable[..., Result], *arguments: Any
) -> Result:
    """What comes of a computation in one of the threads; it is halted when nobody waits for it any more.

    What is to be done meanwhile is done again and again, as long as it lasts.
    """
    halt = Halt()
    computing = asyncio.wrap_future(COMPUTING.submit(halt, work, *arguments))
    try:
        while not (await asyncio.wait([computing], timeout=ALIVE_SECONDS))[0]:
            if meanwhile is not None:
                await meanwhile()
        return computing.result()
    finally:
        halt.call()
        computing.cancel()


def _stand_back() -> None:
    """Let this thread have the processor after those that answer, where a thread has a turn of its own."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)


def take_turns_quickly() -> None:
    """Let the threads of the process take turns so often that its event loop keeps answering."""
    sys.setswitchinterval(SWITCH_SECONDS)


# Turns: long work on the event loop gives way to other requests every few milliseconds.
#
# A thread would not help: most of this work is in calls that hold the interpreter's lock, so the loop would
# wait for it all the same, and hand the lock back and forth besides.


TURN_SECONDS: Final = 0.005
"""How long one request works before others get their turn, when none of its steps takes longer."""


class Turns:
    """The turns of one piece of work, which says between its steps that it can give way."""

    def __init__(self) -> None:
        self._ends = time.monotonic() + TURN_SECONDS

    async def next(self) -> None:
        """Give way when the turn is over."""
        if time.monotonic() >= self._ends:
            await asyncio.sleep(0)
            self._ends = time.monotonic() + TURN_SECONDS
