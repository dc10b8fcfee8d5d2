"""Threads that compute, so that the event loop goes on answering; they are shared fairly between accounts.

A computation is pure and asks for a thread by `Read.in_thread`. One account has at most some of the threads,
so another's computation starts at once; those of one account start in the order in which they came.

Invariants: no account computes in more than its share; whoever stops waiting for a computation has it halted,
and its thread is counted as long as it is at work.
"""

import asyncio
import os
import sys
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from typing import Any, Final, TypeVar

from weighbridge.core.halt import Halt

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


async def computed(
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
