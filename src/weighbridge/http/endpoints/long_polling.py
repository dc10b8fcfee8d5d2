"""Operations that wait until there is something to answer: long polling, and Server-Sent Events.

A request that waits holds no connection and no quota of its account, only a place among those that
wait. One watch in each process looks for all of them. Read `Watch`, then `StreamReply`, then `follow`.

Invariants: a request that waits is woken by the next look that finds something new; before each look
the token is checked again.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

import msgspec
import structlog

from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database
from weighbridge.errors import Forbidden, Gone, Malformed, Refusal
from weighbridge.http import metrics
from weighbridge.http.caller import (
    Credential,
    WebRequest,
    authenticate_caller,
    database,
    read_token,
    recognise,
    shares,
)
from weighbridge.http.endpoints.computing import await_disconnect, execute_request
from weighbridge.http.endpoints.endpoint import build_route
from weighbridge.http.limits import busy
from weighbridge.http.messages.asgi import Receive, RequestScope, Send
from weighbridge.http.messages.operation import Endpoint, Handler, Reply, build_response, read_query
from weighbridge.http.wire import Encode

# The watch: looks for all requests of a process that wait, and wakes those whose account has something new.
#
# Invariants: a client that waits for entries after a number is woken by the next look that finds a later one,
# whenever it came; while nobody waits, nothing looks.


LOOK_SECONDS: Final = 0.1
"""How often the watch looks."""

WAITING_MAX: Final = 100
"""Requests of one account that may wait in one process."""

LISTENERS_MAX: Final = 50
"""Streams of one account that one process sends at the same time."""

log = structlog.get_logger()

Look = Callable[[Database, Sequence[int]], Awaitable[Mapping[int, int]]]
"""Gives the newest number of each of these accounts."""


@dataclass(slots=True, eq=False)
class _Waiter:
    account: int
    seen: int
    woken: asyncio.Event
    is_listening: bool


class Watch:
    """The clients that wait in one process; for one event loop."""

    def __init__(self, database: Database, look: Look) -> None:
        self._database = database
        self._look = look
        self._waiting: set[_Waiter] = set()
        self._looking: asyncio.Task[None] | None = None
        self._listeners: Counter[int] = Counter()
        self.is_ending = False

    @contextmanager
    def listening(self, account: int) -> Iterator[None]:
        """Count a stream of the account while the block lasts; TooManyRequests when it has too many."""
        if self._listeners[account] >= LISTENERS_MAX:
            raise busy(f"The account has {LISTENERS_MAX:,} streams here, which is all it may.")
        self._listeners[account] += 1
        try:
            yield
        finally:
            self._listeners[account] -= 1
            if not self._listeners[account]:
                del self._listeners[account]

    def end(self) -> None:
        """Let nobody wait any more: the process is about to stop."""
        self.is_ending = True
        for waiter in self._waiting:
            waiter.woken.set()

    async def await_later(
        self, account: int, seen_number: int, seconds: float, *, is_listening: bool = False
    ) -> bool:
        """Wait until the account has a later number than the one seen; False when that took too long.

        TooManyRequests when too many of the account wait already; streams are counted by themselves.
        """
        if self.is_ending:
            return False
        others = (waiter for waiter in self._waiting if not (is_listening or waiter.is_listening))
        if sum(1 for other in others if other.account == account) >= WAITING_MAX:
            raise busy(f"The account has {WAITING_MAX:,} requests here that wait, which is all it may.")
        own_waiter = _Waiter(account, seen_number, asyncio.Event(), is_listening)
        self._waiting.add(own_waiter)
        metrics.observe_wait()
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_again_and_again())
        try:
            async with asyncio.timeout(seconds):
                await own_waiter.woken.wait()
        except TimeoutError:
            return False
        finally:
            self._waiting.discard(own_waiter)
        return not self.is_ending

    async def stop(self) -> None:
        """Look no more."""
        self.end()
        if self._looking is not None:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking

    async def _look_again_and_again(self) -> None:
        try:
            while self._waiting:
                try:
                    await self._look_once()
                except Exception:
                    log.exception("watch_failed")
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            self._looking = None

    async def _look_once(self) -> None:
        newest = await self._look(self._database, sorted({waiter.account for waiter in self._waiting}))
        for waiter in self._waiting:
            if newest.get(waiter.account, 0) > waiter.seen:
                waiter.woken.set()


# A stream: what is followed, sent as it comes, as Server-Sent Events (HTML Standard, section 9.2).
#
# A client asks for `text/event-stream` and, when its connection was lost, says by `Last-Event-ID` what it
# was sent last. `EventSource` of a browser cannot send the header with the token: a page puts a ticket into
# the address, or uses `fetch`.
#
# Invariants: what is sent carries the cursor behind it as its id, so a client that comes back is sent what
# follows, once; between two looks a stream holds nothing but its place; before each look, and with each
# sign of life, the token is checked again; a stream ends by itself, after an hour at the
# latest.


EVENT_STREAM: Final = "text/event-stream"
"""What a client asks for who wants a stream."""

LAST_ID: Final = "last-event-id"
"""The header by which a client says what it was sent last."""

BEAT_SECONDS: Final = 15
"""How often a stream gives a sign of life when there is nothing to send, in seconds."""

STREAM_SECONDS_MAX: Final = 3_600
"""How long a stream lasts at most, in seconds; the client then comes back by itself."""

COME_BACK_MILLISECONDS: Final = 2_000
"""How long a client waits before it comes back, unless it knows better."""

HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
)
"""Sent with a stream; the last one asks proxies not to hold back what comes."""


@dataclass(frozen=True, slots=True)
class StreamLook:
    """What a look has found to send: records with the ids behind them, and where it has come to."""

    items: Sequence[tuple[str, Any]]
    cursor: str
    number: int
    has_more: bool


StreamLooking = Callable[[str], Awaitable[StreamLook]]
"""Looks for entries after a cursor; raises a Refusal if the token is no longer valid."""


@dataclass(frozen=True, slots=True)
class StreamReply:
    """A stream on its way out; the framework calls it to have it sent."""

    account: int
    first: StreamLook
    look: StreamLooking
    watch: Watch
    encode: Encode
    stalled_seconds: int

    async def __call__(self, _scope: RequestScope, receive: Receive, send: Send) -> None:
        """Send it, as an application of its own (ASGI), until the client goes away."""
        with self.watch.listening(self.account):
            await send({"type": "http.response.start", "status": 200, "headers": [*HEADERS]})
            disconnect = asyncio.create_task(await_disconnect(receive))
            sending = asyncio.create_task(self._send(send))
            try:
                await asyncio.wait([disconnect, sending], return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (disconnect, sending):
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task

    async def _send(self, send: Send) -> None:
        with suppress(TimeoutError):  # who takes nothing for so long is left
            async for text in self._texts():
                async with asyncio.timeout(self.stalled_seconds):
                    await send({"type": "http.response.body", "body": text, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _texts(self) -> AsyncIterator[bytes]:
        clock = asyncio.get_running_loop().time
        deadline = clock() + STREAM_SECONDS_MAX
        result = self.first
        yield f"retry: {COME_BACK_MILLISECONDS}\n\n".encode()
        while True:
            for identity, record in result.items:
                yield event_text(identity, self.encode(record))
            yield beat_text(result.cursor)
            if not result.has_more:
                left = min(BEAT_SECONDS, deadline - clock())
                await self.watch.await_later(self.account, result.number, left, is_listening=True)
            if self.watch.is_ending or clock() >= deadline:
                return
            try:
                result = await self.look(result.cursor)
            except Refusal as refusal:
                yield end_text(refusal)
                return


def event_text(identity: str, record: bytes) -> bytes:
    """One record as an event; JSON has no line breaks."""
    return b"id: " + identity.encode() + b"\ndata: " + record + b"\n\n"


def beat_text(cursor: str) -> bytes:
    """A sign of life that also says how far the stream has come; clients remember it as the last id."""
    return f": \nid: {cursor}\n\n".encode()


def end_text(refusal: Refusal) -> bytes:
    """The event that says why a stream ends before its time."""
    [problem, *_] = refusal.problems
    message = {"message": problem.message, "code": problem.code or refusal.code}
    return b"event: end\ndata: " + msgspec.json.encode(message) + b"\n\n"


# Serve what can be waited for: the answer, or the next one that has something in it.
#
# Invariants: between two looks a request holds nothing; before each it is asked anew whether its token
# stands.


WAIT: Final = "wait"
"""The parameter that says how long to wait."""

WAIT_SECONDS_MAX: Final = 30
"""How long a request may wait, in seconds."""

TICKET: Final = "ticket"
"""The parameter that stands for the token of a stream, where a client cannot send headers."""

_MEANING_OF_TICKET: Final = (
    "In place of a token, for a stream alone: a ticket of POST /changes/issue_ticket, as `EventSource` of a "
    "browser needs it."
)

_MEANING: Final = (
    f"How many seconds to wait until there is something to answer, 0 to {WAIT_SECONDS_MAX}; 0 is not at all."
)


@dataclass(frozen=True, slots=True)
class FollowCall:
    """One look of a request: who calls, in which database, with what in the query."""

    database: Database
    actor: Actor
    query: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LookResult:
    """What a look has found, up to which number, whether that is worth an answer, and what to ask next."""

    record: Any
    number: int
    is_worth_telling: bool
    next_query: tuple[tuple[str, str], ...]
    stream: StreamLook
    """The same for a stream."""


def follow(
    path: str, *, permission: str, returns: Any, options: Mapping[str, str], begins: tuple[str, str]
) -> Callable[[Callable[[FollowCall], Awaitable[LookResult]]], Endpoint]:
    """Serve a function that looks; while it finds nothing, the request waits for as long as it asks for.

    A client that requests an event stream gets one; it begins at the parameter `begins`, or at its default.
    """

    def decorate(function: Callable[[FollowCall], Awaitable[LookResult]]) -> Endpoint:
        async def handler(request: WebRequest) -> Reply | StreamReply:
            is_head = request.scope["state"].get("is_head", False)
            is_stream = EVENT_STREAM in request.headers.get("accept", "") and not is_head
            credential = _read_credential(request, is_stream=is_stream)
            actor = await authenticate_caller(request, permission, credential)
            query = tuple(pair for pair in read_query(request) if pair[0] != TICKET)
            if is_stream:
                return await _stream(request, actor, credential, query, function, begins)
            result = await _await_result(request, actor, query, function)
            return build_response(request, result.record, 200)

        return build_route(
            "GET", path, function, cast("Handler", handler), permission=permission, returns=returns,
            status=200, options={**options, WAIT: _MEANING, TICKET: _MEANING_OF_TICKET}, refuses=(Gone,),
            streams=True,
        )  # fmt: skip

    return decorate


async def _await_result(
    request: WebRequest,
    actor: Actor,
    query: tuple[tuple[str, str], ...],
    function: Callable[[FollowCall], Awaitable[LookResult]],
) -> LookResult:
    watch: Watch = request.app.state.watch
    clock = asyncio.get_running_loop().time
    deadline = clock() + _seconds(query)
    other_pairs = tuple(pair for pair in query if pair[0] != WAIT)
    while True:
        look = partial(_look, function, actor, other_pairs)
        async with shares(request).request(actor.account_id):
            result = await execute_request(request, actor, look, computes=False)
        left = deadline - clock()
        if result.is_worth_telling or left <= 0:
            return result
        if not await watch.await_later(actor.account_id, result.number, left):
            return result
        credential = Credential(read_token(request))
        actor, other_pairs = await _recheck(request, actor, credential), result.next_query


def _read_credential(request: WebRequest, *, is_stream: bool) -> Credential:
    """The token of the request, or the ticket by which a stream is asked for."""
    token, tickets = read_token(request), request.query_params.getall(TICKET, [])
    if not tickets:
        return Credential(token)
    if token or len(tickets) > 1 or not is_stream:
        rule = "one takes the place of the token, where an event stream is asked for"
        raise Malformed([Problem(f"{TICKET} is not taken here: {rule}.", TICKET, "conflict")])
    return Credential(tickets[0], is_ticket=True)


async def _stream(
    request: WebRequest,
    actor: Actor,
    credential: Credential,
    query: tuple[tuple[str, str], ...],
    function: Callable[[FollowCall], Awaitable[LookResult]],
    begins: tuple[str, str],
) -> StreamReply:
    """What is followed as a stream; it goes on behind the id that the client was sent last."""
    if any(name == WAIT for name, _ in query):
        raise Malformed([Problem(f"{WAIT} is for an answer; a stream waits by itself.", WAIT, "conflict")])
    place, beginning = begins
    other_pairs = tuple(pair for pair in query if pair[0] != place)
    asked_place = next((text for name, text in query if name == place), beginning)

    async def looked(cursor: str, caller: Actor) -> StreamLook:
        look = partial(_look, function, caller, ((place, cursor), *other_pairs))
        async with shares(request).request(caller.account_id):
            result = await execute_request(request, caller, look, computes=False)
        return result.stream

    async def look_again(cursor: str) -> StreamLook:
        return await looked(cursor, await _recheck(request, actor, credential))

    return StreamReply(
        actor.account_id,
        await looked(request.headers.get(LAST_ID) or asked_place, actor),
        look_again,
        request.app.state.watch,
        request.app.state.encode,
        request.app.state.settings.answer_stalled_seconds,
    )


async def _look(
    function: Callable[[FollowCall], Awaitable[LookResult]],
    actor: Actor,
    query: tuple[tuple[str, str], ...],
    database_: Database,
) -> LookResult:
    return await function(FollowCall(database_, actor, query))


async def _recheck(request: WebRequest, actor: Actor, credential: Credential) -> Actor:
    """Return the current actor of a token or ticket; Unauthorized if it is no longer valid."""
    current_actor = await recognise(request, database(request), credential)
    if current_actor.account_id != actor.account_id:
        raise Forbidden("The token acts for another account than when the request came.")
    return current_actor


def _seconds(query: tuple[tuple[str, str], ...]) -> int:
    texts = [text for name, text in query if name == WAIT]
    if not texts:
        return 0
    text = texts[-1]
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(WAIT_SECONDS_MAX))
    if len(texts) == 1 and is_number and int(text) <= WAIT_SECONDS_MAX:
        return int(text)
    rule = f"a whole number of seconds from 0 to {WAIT_SECONDS_MAX}, once"
    message = f"{WAIT} is {shorten(text)!r}; it takes {rule}."
    raise Malformed([Problem(message, WAIT, "invalid")])
