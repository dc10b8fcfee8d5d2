"""Where the work of a request is executed: with all others, on a loop of its own, or in another process.

`execute_request` runs the work on the loop that answers all requests, or, where it computes, on the
`ComputingLoop`. `hand_over_when_long` has a compute process, where there is one, execute what computes or is
long.

Invariants: a request that nobody waits for any more is cancelled and its transaction rolled back; none
takes longer than CARRYING_OUT_SECONDS_MAX; a read-only computation is asked a second time where the process
that had it ends, anything else is not, since it may have been executed.
"""

import asyncio
import re
import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import structlog
import uvloop

from weighbridge import tracing
from weighbridge.concurrency import computing_for, processor_time
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database
from weighbridge.errors import Invalid, Refusal, Unavailable
from weighbridge.http import idempotency, metrics
from weighbridge.http.caller import (
    WebRequest,
    authenticate_caller,
    cell_of,
    database,
    enter_database,
    key_locks,
    shares,
)
from weighbridge.http.endpoints import computing_process as server
from weighbridge.http.endpoints.computing_process import RequestHead
from weighbridge.http.limits import Places
from weighbridge.http.messages.asgi import Send
from weighbridge.http.messages.body import may_be_long
from weighbridge.http.messages.operation import Handler, Operation, Reply, Sent

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
        execution = asyncio.wrap_future(
            asyncio.run_coroutine_threadsafe(self._within(account, work), self._loop)
        )
        leaving = asyncio.create_task(await_disconnect(receive))
        try:
            waited_for: list[asyncio.Future[Any]] = [execution, leaving]
            await asyncio.wait(waited_for, return_when=asyncio.FIRST_COMPLETED)
            if not execution.done():
                raise Unavailable("The client hung up before the computation was done.")
            return execution.result()
        finally:
            execution.cancel()
            leaving.cancel()

    async def _within(self, account: int, work: Callable[[Database], Awaitable[Result]]) -> Result:
        async with self._waiting_places.of(account):
            with computing_for(account), processor_time() as processor:
                computing = asyncio.ensure_future(work(self._database))
                try:
                    # Asked before the computation is cancelled, which ends what is counted.
                    done_tasks, _ = await asyncio.wait([computing], timeout=self._seconds_max)
                    if done_tasks:
                        return computing.result()
                    raise refuse_slow_computation(self._seconds_max, processor.seconds)
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


def refuse_slow_computation(seconds_max: float, computed_seconds: float) -> Refusal:
    """What is said of a computation that has not ended in time: whether it may when it is asked again."""
    message = f"The computation took longer than {seconds_max:g} seconds"
    if computed_seconds < HAD_A_PROCESSOR * seconds_max:
        return Unavailable(f"{message}; ask for less.")
    message += ", the most that a request may compute; ask for less."
    return Invalid([Problem(message, None, "too_costly")])


async def await_disconnect(receive: Receive) -> None:
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

    def work_in_cell(base: Database) -> Awaitable[Result]:
        base.follow(cell_of(request))  # these connections are apart from those of other requests
        return work(enter_database(request, base))

    return await computing.carry_out(account, work_in_cell, request.receive)


# Requests that another process executes: an API process lets them through and hands them over.
#
# What computes, writes a long page or brings a long body would hold up every other request of the process,
# because an interpreter runs one thread at a time. So the API process looks at the token, counts the request,
# waits for a place of its account, and hands the rest to a computing process, which is the same application
# (`computing_process.py`). A computing process has a lower priority than API processes on the processor.


CONNECT_SECONDS: Final = 10.0
"""How long a computing process may take to be there: one that died is started again meanwhile."""

CONNECT_AGAIN_SECONDS: Final = 0.05

ANSWER_SECONDS: Final = CARRYING_OUT_SECONDS_MAX + 10.0
"""How long a computing process may be silent that has all of a request which computes: more than it takes."""

SHORT_PAGE: Final = 50
"""Records of a page that an API process writes by itself; a longer one counts as a computation."""

_PAGE_SIZE: Final = re.compile(rb"(?:^|&)page_size=0*(\d{1,9})")

ATTEMPTS: Final = 2
"""How often a question is asked of a process that ends before it answers."""

log = structlog.get_logger()


class _Lost(Exception):  # noqa: N818 - reported to the caller by its meaning for the request
    """The process that had the request ended before it answered."""


@dataclass(frozen=True, slots=True)
class ForwardedReply(Reply):
    """An answer as another process gave it; the framework calls it to have it sent."""

    passed_headers: server.Headers = field(default_factory=list)

    async def __call__(self, _scope: object, _receive: object, send: Send) -> None:
        """Send it, as an application of its own (ASGI)."""
        await send({"type": "http.response.start", "status": self.status, "headers": [*self.passed_headers]})
        await send({"type": "http.response.body", "body": self.content})


class ComputingProcesses:
    """The computing processes as one API process sees them; `places` are requests it has there at a time."""

    def __init__(self, sockets: tuple[Path, ...], places: int) -> None:
        self._sockets = sockets
        self._under_way: Counter[Path] = Counter()
        self.places = Places(places)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A connection to the process that has least to do; Unavailable when none is there for long."""
        deadline = asyncio.get_running_loop().time() + CONNECT_SECONDS
        while True:
            for socket in sorted(self._sockets, key=lambda path: self._under_way[path]):
                with suppress(OSError):
                    reader, writer = await asyncio.open_unix_connection(socket, limit=server.PIECE_BYTES_MAX)
                    break
            else:
                if asyncio.get_running_loop().time() > deadline:
                    metrics.observe_handing_over("unreachable")
                    raise Unavailable("No process that computes can be reached just now; try again.")
                await asyncio.sleep(CONNECT_AGAIN_SECONDS)
                continue
            break
        self._under_way[socket] += 1
        try:
            yield reader, writer
        finally:
            self._under_way[socket] -= 1
            writer.transport.abort()


def hand_over_when_long(operation: Operation, handler: Handler) -> Handler:
    """Return the handler of an operation; it hands over long work if there is a process for it."""

    async def handed_over(request: WebRequest) -> Sent:
        processes: ComputingProcesses | None = request.app.state.computing_processes
        if processes is not None:
            is_long = operation.body is not None and may_be_long(request, operation.form)
            computes = operation.computes or _is_long_page(request, operation)
            if is_long or computes:
                return await _hand_over(request, operation, processes, is_long=is_long, computes=computes)
        return await handler(request)

    return handed_over


def _is_long_page(request: WebRequest, operation: Operation) -> bool:
    """Whether a list is asked for so many records at a time that writing them would hold up others."""
    page_size = None if operation.listing is None else _PAGE_SIZE.search(request.scope["query_string"])
    return page_size is not None and int(page_size[1]) > SHORT_PAGE


async def _hand_over(
    request: WebRequest,
    operation: Operation,
    processes: ComputingProcesses,
    *,
    is_long: bool,
    computes: bool,
) -> ForwardedReply:
    actor = await authenticate_caller(request, operation.permission)
    account, of_accounts = actor.account_id, shares(request)
    async with (
        of_accounts.request(account),
        of_accounts.long_body(account) if is_long else nullcontext(),
    ):
        if not computes:
            return await _stream_elsewhere(request, actor, processes)
        body = b"" if operation.body is None else await request.body()
        async with lock_idempotency_key(request, actor, body), processes.places.of(account):
            return await _compute_elsewhere(request, operation, actor, processes, body)


@asynccontextmanager
async def lock_idempotency_key(
    request: WebRequest, actor: Actor, body: bytes
) -> AsyncIterator[idempotency.KeyScope | None]:
    """Be the only request of its idempotency key in this process; at once where it has none."""
    key = request.headers.get(idempotency.HEADER)
    if key is None or actor.token_id is None:
        yield None
        return
    scope = await idempotency.read_scope(actor.token_id, request.method, request.url.path, key, body)
    async with key_locks(request).acquire(scope):
        yield scope


async def _compute_elsewhere(
    request: WebRequest, operation: Operation, actor: Actor, processes: ComputingProcesses, body: bytes
) -> ForwardedReply:
    """The answer to a request that computes; the work ends when the client hangs up."""
    answering = asyncio.create_task(_answer(request, operation, actor, processes, body))
    leaving = asyncio.create_task(await_disconnect(request.receive))
    try:
        await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise Unavailable("The client hung up before the computation was done.")
        return answering.result()
    finally:
        answering.cancel()
        leaving.cancel()


async def _answer(
    request: WebRequest, operation: Operation, actor: Actor, processes: ComputingProcesses, body: bytes
) -> ForwardedReply:
    """Ask, and ask a question again whose process ends meanwhile; not longer than an answer may take."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            for _ in range(ATTEMPTS if operation.is_question else 1):
                with suppress(_Lost):
                    async with processes.connection() as (reader, writer):
                        return await _exchange(request, actor, reader, writer, body)
    except TimeoutError:
        metrics.observe_handing_over("silent")
        raise Unavailable(
            f"The computation took longer than {ANSWER_SECONDS:g} seconds; ask for less."
        ) from None
    raise _lost(is_question=operation.is_question)


async def _exchange(
    request: WebRequest,
    actor: Actor,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    body: bytes,
) -> ForwardedReply:
    try:
        server.write_frame(writer, server.encode_head(_head(request, actor)))
        await server.write_content(writer, body)
        server.write_frame(writer, b"")
        return await _read_reply(reader)
    except (OSError, EOFError):
        log.warning("computing_process_lost", request_id=actor.request_id)
        metrics.observe_handing_over("lost")
        raise _Lost from None


async def _stream_elsewhere(
    request: WebRequest, actor: Actor, processes: ComputingProcesses
) -> ForwardedReply:
    """The answer to a long body, which is handed on as it arrives."""
    async with processes.connection() as (reader, writer):
        sending = asyncio.create_task(_send_stream(request, actor, writer))
        answering = asyncio.create_task(_read_reply(reader))
        try:
            await asyncio.wait([sending, answering], return_when=asyncio.FIRST_COMPLETED)
            if sending.done() and not isinstance(sending.exception(), OSError):
                sending.result()  # a body that is too long or too slow is refused here
            return await answering
        except (OSError, EOFError):
            log.warning("computing_process_lost", request_id=actor.request_id)
            metrics.observe_handing_over("lost")
            raise _lost(is_question=False) from None
        finally:
            sending.cancel()
            answering.cancel()
            await asyncio.gather(sending, answering, return_exceptions=True)


async def _send_stream(request: WebRequest, actor: Actor, writer: asyncio.StreamWriter) -> None:
    server.write_frame(writer, server.encode_head(_head(request, actor)))
    async for piece in request.stream():
        await server.write_content(writer, piece)
    server.write_frame(writer, b"")


async def _read_reply(reader: asyncio.StreamReader) -> ForwardedReply:
    head = server.decode_response(await server.read_frame(reader))
    content = await server.read_frame(reader)
    metrics.observe_handing_over("answered")
    return ForwardedReply(head.status, content, passed_headers=head.headers)


def _head(request: WebRequest, actor: Actor) -> RequestHead:
    scope = request.scope
    headers = [*scope["headers"]]
    for name, value in tracing.traceparent().items():
        headers = [(name.encode(), value.encode()), *headers]  # the first of a name is taken
    return RequestHead(scope["method"], scope["path"], scope["query_string"], headers, actor)


def _lost(*, is_question: bool) -> Unavailable:
    if is_question:
        return Unavailable(
            "The process that computed the answer ended before it was done; ask for less, or try again."
        )
    return Unavailable(
        "The process that worked on the request ended before it answered, and may have carried it out. Look, "
        "or send the request again with the Idempotency-Key it had.",
        "outcome_unknown",
    )
