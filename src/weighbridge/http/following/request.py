"""Serve what can be waited for: the answer, or the next one that has something in it.

Invariants: between two looks a request holds nothing; before each it is asked anew whether its token stands.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.db.engine import Database
from weighbridge.errors import Forbidden, Gone, Malformed
from weighbridge.http.call import query_of, response_of
from weighbridge.http.caller import WebRequest, authenticated, database, shares, token_of
from weighbridge.http.computing.request import carried_out
from weighbridge.http.endpoint import routed
from weighbridge.http.following.stream import EVENT_STREAM, LAST_ID, StreamLook, StreamReply
from weighbridge.http.following.watch import Watch
from weighbridge.http.operation import Handler
from weighbridge.http.reply import Reply

WAIT: Final = "wait"
"""The parameter that says how long to wait."""

WAIT_SECONDS_MAX: Final = 30
"""How long a request may wait, in seconds."""

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
) -> Callable[[Callable[[FollowCall], Awaitable[LookResult]]], HTTPRouteHandler]:
    """Serve a function that looks; while it finds nothing, the request waits for as long as it asks for.

    Whoever asks for a stream of events gets one, which begins where `begins`, a parameter, says by default.
    """

    def decorate(function: Callable[[FollowCall], Awaitable[LookResult]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Reply | StreamReply:
            actor = await authenticated(request, permission)
            query = query_of(request)
            asks_for_stream = EVENT_STREAM in request.headers.get("accept", "")
            if asks_for_stream and not request.scope["state"].get("is_head"):
                return await _streamed(request, actor, query, function, begins)
            seen = await _awaited(request, actor, query, function)
            return response_of(request, seen.record, 200)

        return routed(
            "GET", path, function, cast("Handler", handler), permission=permission, returns=returns,
            status=200, options={**options, WAIT: _MEANING}, refuses=(Gone,), streams=True,
        )  # fmt: skip

    return decorate


async def _awaited(
    request: WebRequest,
    actor: Actor,
    query: tuple[tuple[str, str], ...],
    function: Callable[[FollowCall], Awaitable[LookResult]],
) -> LookResult:
    watch: Watch = request.app.state.watch
    clock = asyncio.get_running_loop().time
    deadline = clock() + _seconds(query)
    rest = tuple(pair for pair in query if pair[0] != WAIT)
    while True:
        look = partial(_look, function, actor, rest)
        async with shares(request).request(actor.account_id):
            seen = await carried_out(request, actor, look, computes=False)
        left = deadline - clock()
        if seen.is_worth_telling or left <= 0:
            return seen
        if not await watch.await_later(actor.account_id, seen.number, left):
            return seen
        actor, rest = await _still(request, actor), seen.next_query


async def _streamed(
    request: WebRequest,
    actor: Actor,
    query: tuple[tuple[str, str], ...],
    function: Callable[[FollowCall], Awaitable[LookResult]],
    begins: tuple[str, str],
) -> StreamReply:
    """What is followed as a stream; it goes on behind the id that the client was sent last."""
    if any(name == WAIT for name, _ in query):
        raise Malformed([Problem(f"{WAIT} is for an answer; a stream waits by itself.", WAIT, "conflict")])
    place, beginning = begins
    rest = tuple(pair for pair in query if pair[0] != place)
    asked = next((text for name, text in query if name == place), beginning)

    async def looked(cursor: str, caller: Actor) -> StreamLook:
        look = partial(_look, function, caller, ((place, cursor), *rest))
        async with shares(request).request(caller.account_id):
            seen = await carried_out(request, caller, look, computes=False)
        return seen.stream

    async def look_again(cursor: str) -> StreamLook:
        return await looked(cursor, await _still(request, actor))

    return StreamReply(
        actor.account_id,
        await looked(request.headers.get(LAST_ID) or asked, actor),
        look_again,
        request.app.state.watch,
        request.app.state.encode,
        request.app.state.settings.answer_stalled_seconds,
    )


async def _look(
    function: Callable[[FollowCall], Awaitable[LookResult]],
    actor: Actor,
    query: tuple[tuple[str, str], ...],
    opened: Database,
) -> LookResult:
    return await function(FollowCall(opened, actor, query))


async def _still(request: WebRequest, actor: Actor) -> Actor:
    """Whom the token acts for now; Unauthorized when it does not stand any more."""
    found: Actor = await request.app.state.authenticate(
        database(request), token_of(request), actor.request_id
    )
    if found.account_id != actor.account_id:
        raise Forbidden("The token acts for another account than when the request came.")
    return found


def _seconds(query: tuple[tuple[str, str], ...]) -> int:
    texts = [text for name, text in query if name == WAIT]
    if not texts:
        return 0
    text = texts[-1]
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(WAIT_SECONDS_MAX))
    if len(texts) == 1 and is_number and int(text) <= WAIT_SECONDS_MAX:
        return int(text)
    takes = f"a whole number of seconds from 0 to {WAIT_SECONDS_MAX}, once"
    said = f"{WAIT} is {shorten(text)!r}; it takes {takes}."
    raise Malformed([Problem(said, WAIT, "invalid")])
