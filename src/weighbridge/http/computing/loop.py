"""The event loop, in a thread of its own, on which requests that compute are executed.

`execute_request` chooses where the work of a request runs: with all others, or on this loop.

Invariants: a request that nobody waits for any more is cancelled and its transaction rolled back; none
takes longer than CARRYING_OUT_SECONDS_MAX.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import Future
from typing import Any, Final, Self, TypeVar

import uvloop

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database
from weighbridge.db.threads import computing_for, processor_time
from weighbridge.errors import Invalid, Refusal, Unavailable
from weighbridge.http.caller import WebRequest, database, shares
from weighbridge.http.shares import Places

# An event loop in a thread of its own, with connections of its own, for requests that compute.
#
# What a computation does between two waits, listing slots or comparing runs, holds up this loop and not the
# one that answers all other requests. The caller waits on its own loop, and watches whether the client
# hangs up.
#
# Invariants: a request that nobody waits for any more is cancelled, its transaction is rolled back, and its
# computation halted; none takes longer than CARRYING_OUT_SECONDS_MAX. What had a processor nearly all that
# time would not end in time when asked again, and is refused as too costly; what waited for one may be
# asked again.


Result = TypeVar("Result")
Receive = Callable[[], Awaitable[Any]]

CARRYING_OUT_SECONDS_MAX: Final = 20.0
"""How long a request may compute, from when it has its place."""

HAD_A_PROCESSOR: Final = 0.8
"""Which part of that time a computation has computed that would take too long on an idle machine as well."""

STOPPING_SECONDS_MAX: Final = 30.0
"""How long the loop may take to end when the process stops."""


class ComputingLoop:
    """The loop, as long as the `async with` block lasts."""

    def __init__(
        self, database: Database, places: int, *, seconds_max: float = CARRYING_OUT_SECONDS_MAX
    ) -> None:
        self._database = database
        self._places = places
        self._seconds_max = seconds_max
        self._thread = threading.Thread(target=self._run, name="computing loop", daemon=True)
        self._started: Future[asyncio.AbstractEventLoop] = Future()

    async def __aenter__(self) -> Self:
        self._thread.start()
        self._loop = await asyncio.wrap_future(self._started)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        await asyncio.to_thread(self._thread.join, STOPPING_SECONDS_MAX)

    async def carry_out(
        self, account: int, work: Callable[[Database], Awaitable[Result]], receive: Receive
    ) -> Result:
        """Carry out the work of a request whose body was read; Invalid when it takes too long by itself, and
        Unavailable when it does because others compute.
        """
        carried = asyncio.wrap_future(
            asyncio.run_coroutine_threadsafe(self._within(account, work), self._loop)
        )
        leaving = asyncio.create_task(hung_up(receive))
        try:
            waited_for: list[asyncio.Future[Any]] = [carried, leaving]
            await asyncio.wait(waited_for, return_when=asyncio.FIRST_COMPLETED)
            if not carried.done():
                raise Unavailable("The client hung up before the computation was done.")
            return carried.result()
        finally:
            carried.cancel()
            leaving.cancel()

    async def _within(self, account: int, work: Callable[[Database], Awaitable[Result]]) -> Result:
        async with self._waiting_places.of(account):
            with computing_for(account), processor_time() as processor:
                computing = asyncio.ensure_future(work(self._database))
                try:
                    # Asked before the computation is cancelled, which ends what is counted.
                    done, _ = await asyncio.wait([computing], timeout=self._seconds_max)
                    if done:
                        return computing.result()
                    raise too_long(self._seconds_max, processor.seconds)
                finally:
                    computing.cancel()
                    await asyncio.gather(computing, return_exceptions=True)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._stopping = asyncio.Event()
        self._waiting_places = Places(self._places)
        try:
            async with self._database:
                self._started.set_result(asyncio.get_running_loop())
                await self._stopping.wait()
        except Exception as error:
            if self._started.done():
                raise
            self._started.set_exception(error)


def too_long(seconds_max: float, computed_seconds: float) -> Refusal:
    """What is said of a computation that has not ended in time: whether it may when it is asked again."""
    said = f"The computation took longer than {seconds_max:g} seconds"
    if computed_seconds < HAD_A_PROCESSOR * seconds_max:
        return Unavailable(f"{said}; ask for less.")
    said += ", the most that a request may compute; ask for less."
    return Invalid([Problem(said, None, "too_costly")])


async def hung_up(receive: Receive) -> None:
    """Wait until the client goes away; what it still sends is of no interest."""
    message: MutableMapping[str, Any] = {}
    while message.get("type") != "http.disconnect":
        message = await receive()


# Where the work of a request is carried out: among all others, or apart from them when it computes.


async def execute_request(
    request: WebRequest, actor: Actor, work: Callable[[Database], Awaitable[Result]], *, computes: bool
) -> Result:
    """Carry out the work of a request whose body was read and which is counted among those of its account.

    It waits for the account's turn: to have something computed, or to take a connection. TooManyRequests when
    that does not come soon, Unavailable when it computes for too long.
    """
    account = actor.account_id
    if not computes:
        async with shares(request).connection(account):
            with computing_for(account):
                return await work(database(request))
    computing: ComputingLoop = request.app.state.computing
    return await computing.carry_out(account, work, request.receive)
