"""An endpoint is a plain function behind one method and path; this is what all of them share.

One transaction for each request: reading for GET and for questions, writing for the others, committed when
the function returns. The function gets a `Call` and gives the record that goes on the wire. What the
decorators are told (permission, body, answer) also makes the OpenAPI document.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar, cast
from urllib.parse import unquote_to_bytes

from litestar.handlers import HTTPRouteHandler
from psycopg.errors import DiskFull

from weighbridge.core.identity.suggestion import did_you_mean
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import BeyondCalendarError
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.json import jsonb
from weighbridge.errors import Invalid, Malformed
from weighbridge.http import idempotency, upload
from weighbridge.http.arrival.body import BODY_BYTES_MAX, arrived_body, digested, may_be_long
from weighbridge.http.attachment import Attachment, AttachmentReply, Files
from weighbridge.http.caller import WebRequest, authenticated, database, shares, twins
from weighbridge.http.computing.elsewhere import apart
from weighbridge.http.computing.request import carried_out
from weighbridge.http.operation import Handler, HttpMethod, Operation, route
from weighbridge.http.reply import Reply
from weighbridge.http.shortcut import Shortcut, by_presumption, by_shortcut
from weighbridge.http.text import outside_calendar
from weighbridge.http.wire import Encode
from weighbridge.settings import Settings

Transaction = TypeVar("Transaction", bound=Read)


@dataclass(frozen=True, slots=True)
class Call(Generic[Transaction]):
    """One request on its way: who calls, in which transaction, with which path and query."""

    tx: Transaction
    actor: Actor
    path: Mapping[str, str]
    query: tuple[tuple[str, str], ...]
    files: Files
    settings: Settings


ReadCall = Call[Read]
WriteCall = Call[Write]
RepeatedAnswer = Callable[[Any], Any] | None
"""What is stored of an answer to be repeated, when that is not all of it: a token loses its secret."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A record with headers of its own, where an endpoint sends any."""

    record: Any
    headers: Mapping[str, str]


def get(
    path: str,
    *,
    permission: str,
    computes: bool = False,
    returns: Any = None,
    listing: Any = None,
    sends: tuple[str, ...] = (),
    query: Mapping[str, str] | None = None,
    moments: Mapping[str, str] | None = None,
) -> Callable[[Callable[[ReadCall], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that reads; with a listing, what it may be filtered and sorted by.

    One that computes is carried out apart from all other requests. One that answers with an attachment says
    what types of files it sends. `query` are parameters that must be there, `moments` are times that may.
    """

    def decorate(function: Callable[[ReadCall], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Reply | AttachmentReply:
            async def read(tx: Read, actor: Actor) -> Any:
                request.scope["state"]["account"] = actor.account_id
                return await function(_call(request, tx, actor))

            answer = None if sends or computes else await by_presumption(request, permission, read)
            if answer is None:
                answer = await _answered(request, permission, read, computes=computes)
            if isinstance(answer, Attachment):
                return answer.reply(request.app.state.downloads, request.scope["state"]["account"])
            return _response(request, answer, 200)

        return _routed(
            "GET", path, function, handler, permission=permission, returns=returns, status=200,
            listing=listing, sends=sends, query=query or {}, moments=moments or {}, computes=computes,
        )  # fmt: skip

    return decorate


async def _answered(
    request: WebRequest,
    permission: str,
    read: Callable[[Read, Actor], Awaitable[Any]],
    *,
    computes: bool,
    tries: bool = False,
) -> Any:
    """What a request reads, by whom its token acts for; a project that is not theirs is refused first."""
    actor = await authenticated(request, permission)

    async def work(opened: Database) -> Any:
        async with opened.trial() if tries else opened.read() as tx:
            try:
                return await read(tx, actor)
            finally:
                await tx.settle()

    async with shares(request).request(actor.account_id):
        return await carried_out(request, actor, work, computes=computes)


def attempt(
    path: str, *, permission: str, returns: Any
) -> Callable[[Callable[[WriteCall], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that says what would come of a change, apart from other requests; it is undone."""

    def decorate(function: Callable[[WriteCall], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Reply:
            async def read(tx: Any, actor: Actor) -> Any:
                return await function(_call(request, tx, actor))

            answer = await _answered(request, permission, read, computes=True, tries=True)
            return _response(request, answer, 200)

        return _routed(
            "GET", path, function, handler, permission=permission, returns=returns, status=200, computes=True
        )

    return decorate


def ask(
    path: str,
    *,
    permission: str,
    body: type[Any],
    returns: Any,
    example: Any = None,
    body_bytes_max: int | None = BODY_BYTES_MAX,
    of_one_snapshot: bool = False,
) -> Callable[[Callable[[ReadCall, Any], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that answers a question which needs a body, and stores nothing.

    It is carried out apart from all other requests. While it computes it holds no connection, unless all that
    it reads has to come of one snapshot.
    """

    def decorate(function: Callable[[ReadCall, Any], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Reply:
            actor = await authenticated(request, permission)
            async with _arrived(request, actor, body) as (arrived, scope):

                async def work(opened: Database) -> Reply:
                    async with opened.read() if of_one_snapshot else opened.question() as tx:
                        if scope is not None and (stored := await idempotency.find(tx, scope)) is not None:
                            return _replayed(stored)
                        answer = await _within_calendar(function(_call(request, tx, actor), arrived), arrived)
                        response = _response(request, answer, 200)
                    if scope is None:
                        return response
                    async with opened.write() as writing:
                        if (stored := await idempotency.claim(writing, scope)) is not None:
                            return _replayed(stored)
                        headers = jsonb(response.headers)
                        await idempotency.keep(writing, scope, 200, headers, response.content)
                    return response

                return await carried_out(request, actor, work, computes=True)

        return _routed(
            "POST", path, function, handler, permission=permission, returns=returns, status=200, body=body,
            example=example, body_bytes_max=body_bytes_max, computes=True, only_asks=True,
        )  # fmt: skip

    return decorate


def post(
    path: str,
    *,
    permission: str,
    body: type[Any],
    returns: Any,
    status: int = 201,
    example: Any = None,
    examples: Mapping[str, tuple[str, Any]] | None = None,
    kept: RepeatedAnswer = None,
    form: upload.Form | None = None,
    text: str | None = None,
    shortcut: Shortcut | None = None,
    body_bytes_max: int | None = BODY_BYTES_MAX,
    computes: bool = False,
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that writes what the body asks for; with a form, that may be a file.

    With the media type of a text, the body is such a text, no JSON, and is handed on as a `str`. A shortcut
    is tried first. One that computes is carried out apart from all other requests.
    """
    return _writing(
        "POST", path, permission=permission, body=body, returns=returns, status=status, example=example,
        examples=examples or {}, kept=kept, form=form, text=text, shortcut=shortcut,
        body_bytes_max=body_bytes_max, computes=computes,
    )  # fmt: skip


def patch(
    path: str,
    *,
    permission: str,
    body: type[Any],
    returns: Any,
    example: Any = None,
    body_bytes_max: int | None = BODY_BYTES_MAX,
    computes: bool = False,
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that changes a record."""
    return _writing(
        "PATCH", path, permission=permission, body=body, returns=returns, status=200, example=example,
        examples={}, body_bytes_max=body_bytes_max, computes=computes,
    )  # fmt: skip


def delete(
    path: str, *, permission: str, returns: Any = None, status: int = 204, urgent: bool = False
) -> Callable[[Callable[[WriteCall], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that removes a record; it takes no body and, unless it says so, answers none.

    What is urgent is done on a full disk too, at the cost of the reserve.
    """

    def decorate(function: Callable[[WriteCall], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Reply:
            actor = await authenticated(request, permission)

            async def remove() -> Any:
                async with database(request).write() as tx:
                    return await function(_call(request, tx, actor))

            async with shares(request).turn(actor.account_id):
                try:
                    answer = await remove()
                except DiskFull:
                    if not (urgent and request.app.state.disk.release()):
                        raise
                    answer = await remove()
            return Reply(204) if status == 204 else _response(request, answer, status)

        return _routed(
            "DELETE", path, function, handler, permission=permission, returns=returns, status=status
        )

    return decorate


def _writing(
    method: HttpMethod,
    path: str,
    *,
    permission: str,
    body: type[Any],
    returns: Any,
    status: int,
    computes: bool,
    kept: RepeatedAnswer = None,
    form: upload.Form | None = None,
    text: str | None = None,
    shortcut: Shortcut | None = None,
    **promised: Any,
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], HTTPRouteHandler]:
    def decorate(function: Callable[[WriteCall, Any], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Reply:
            if shortcut and (answer := await by_shortcut(request, permission, body, shortcut)) is not None:
                return _response(request, answer, status)
            actor = await authenticated(request, permission)
            async with _arrived(request, actor, body, form, text) as (arrived, scope):

                async def work(opened: Database) -> Reply:
                    async with opened.write() as tx:
                        if scope is not None and (stored := await idempotency.claim(tx, scope)) is not None:
                            return _replayed(stored)
                        answer = await _within_calendar(function(_call(request, tx, actor), arrived), arrived)
                        response = _response(request, answer, status)
                        if scope is not None:
                            repeated = _response(request, kept(answer), status) if kept else response
                            headers = jsonb(repeated.headers)
                            await idempotency.keep(tx, scope, status, headers, repeated.content)
                    return response

                return await carried_out(request, actor, work, computes=computes)

        return _routed(
            method, path, function, handler, permission=permission, returns=returns, status=status, body=body,
            form=form, text=text, computes=computes, **promised,
        )  # fmt: skip

    return decorate


@asynccontextmanager
async def _arrived(
    request: WebRequest,
    actor: Actor,
    body: type[Any],
    form: upload.Form | None = None,
    text: str | None = None,
) -> AsyncIterator[tuple[Any, idempotency.KeyScope | None]]:
    """The body of a request that its account may have under way, which is alone of its idempotency key."""
    account = actor.account_id
    async with (
        shares(request).request(account),
        shares(request).long_body(account) if may_be_long(request, form) else nullcontext(),
        arrived_body(request, body, form, text) as (arrived, raw),
    ):
        key = request.headers.get(idempotency.HEADER)
        of_body = partial(idempotency.scope_of, actor, request.method, request.url.path, key)
        scope = await digested(raw, of_body)
        async with twins(request).alone(scope):
            yield arrived, scope


async def _within_calendar(answering: Awaitable[Any], arrived: Any) -> Any:
    """An answer; Invalid where a time of the body has no year in UTC and nobody has said so before."""
    try:
        return await answering
    except BeyondCalendarError as error:
        said = outside_calendar(arrived) or [Problem(f"A time {error}.", None, "invalid")]
        raise Invalid(said) from None


def _routed(
    method: HttpMethod, path: str, function: Callable[..., Any], handler: Handler, **promised: Any
) -> HTTPRouteHandler:
    """The handler behind its path, with what the function and the decorator promise of it."""
    doc = function.__doc__
    if not doc:
        raise ValueError(f"{function.__name__} needs a docstring: it is what readers of /docs see")
    name, module = function.__name__, function.__module__
    operation = Operation(method=method, path=path, name=name, module=module, summary=doc.strip(), **promised)
    return route(operation, apart(operation, handler))


def _replayed(stored: idempotency.StoredAnswer) -> Reply:
    headers = {**stored.headers, idempotency.REPLAYED_HEADER: "true"}
    return Reply(stored.status, stored.answer, headers)


def _call(request: WebRequest, tx: Transaction, actor: Actor) -> Call[Transaction]:
    path = cast("Mapping[str, str]", request.path_params)
    state = request.app.state
    return Call(tx, actor, path, _query(request), state.files, state.settings)


def _query(request: WebRequest) -> tuple[tuple[str, str], ...]:
    """The query; a list says by itself what it does not take, and of others it is said here."""
    raw: bytes = request.scope["query_string"]
    if not raw:
        return ()
    try:
        unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        raise Malformed("The query is not UTF-8.") from None
    query = tuple(request.query_params.multi_items())
    operation: Operation = request.route_handler.opt["operation"]
    if operation.listing is None:
        takes = [*operation.query, *operation.moments]
        said = f"takes {', '.join(takes)}" if takes else "takes none"
        unknown = [name for name in dict.fromkeys(name for name, _ in query) if name not in takes]
        if problems := [
            Problem(
                f"{name} is not a parameter of this request{did_you_mean(name, takes, index)}, which {said}.",
                name,
                "unknown",
            )
            for index, name in enumerate(unknown)
        ]:
            raise Malformed(problems)
    return query


def _response(request: WebRequest, answer: Any, status: int) -> Reply:
    headers: Mapping[str, str] = {}
    if isinstance(answer, Answer):
        answer, headers = answer.record, answer.headers
    encode: Encode = request.app.state.encode
    return Reply(status, encode(answer), headers)
