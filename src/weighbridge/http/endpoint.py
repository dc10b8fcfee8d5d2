"""An endpoint is a plain function behind one method and path; this is what all of them share.

One transaction for each request: reading for GET, writing for the others, committed when the
function returns. The function gets a `Call` and gives the record that goes on the wire. What the
decorators are told (permission, body, answer) also makes the OpenAPI document.
"""

from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Literal, TypeVar, cast
from urllib.parse import unquote_to_bytes

from litestar.handlers import HTTPRouteHandler
from psycopg.errors import DiskFull

from weighbridge.core.identity.suggestion import did_you_mean
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.db.json import jsonb
from weighbridge.errors import Malformed
from weighbridge.http import idempotency, upload, wire
from weighbridge.http.arrival.body import BODY_BYTES_MAX, arrived_body, digested, may_be_left_out
from weighbridge.http.attachment import Attachment, AttachmentReply, Files
from weighbridge.http.caller import WebRequest, authenticated, database, shares, twins
from weighbridge.http.reply import Reply
from weighbridge.http.shortcut import Shortcut, by_presumption, by_shortcut
from weighbridge.settings import Settings

HttpMethod = Literal["GET", "POST", "PATCH", "DELETE"]
Transaction = TypeVar("Transaction", bound=Read)
Sent = Reply | AttachmentReply
"""What a handler answers with: a record or a file."""

_JSON = wire.MEDIA_TYPE


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
class Operation:
    """What an endpoint promises, for the OpenAPI document."""

    method: HttpMethod
    path: str
    name: str
    module: str
    summary: str
    permission: str
    returns: Any
    status: int
    body: Any = None
    listing: Any = None
    example: Any = None
    examples: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    """Several bodies by a short name, each with what it asks for."""
    headers: Mapping[str, str] = field(default_factory=dict)
    form: upload.Form | None = None
    """The form that may come in place of JSON."""
    text: str | None = None
    """The media type of the text that it takes in place of JSON."""
    body_bytes_max: int | None = BODY_BYTES_MAX
    """The longest body that it takes beside a form, in bytes; None is as long as the service takes any."""
    sends: tuple[str, ...] = ()
    """The media types of the files that it answers with in place of JSON."""
    query: Mapping[str, str] = field(default_factory=dict)
    """What each parameter means that must stand in the query."""
    moments: Mapping[str, str] = field(default_factory=dict)
    """What each time means that may stand in the query."""

    @property
    def may_lack_body(self) -> bool:
        """Whether a request without a body asks for something all the same."""
        return may_be_left_out(self.body)


@dataclass(frozen=True, slots=True)
class Answer:
    """A record with headers of its own, where an endpoint sends any."""

    record: Any
    headers: Mapping[str, str]


async def _answered(
    request: WebRequest, permission: str, read: Callable[[Read, Actor], Awaitable[Any]]
) -> Any:
    """What a request reads, by whom its token acts for; a project that is not theirs is refused first."""
    actor = await authenticated(request, permission)
    async with shares(request).turn(actor.account_id), database(request).read() as tx:
        try:
            return await read(tx, actor)
        finally:
            await tx.settle()


def get(
    path: str,
    *,
    permission: str,
    returns: Any = None,
    listing: Any = None,
    sends: tuple[str, ...] = (),
    query: Mapping[str, str] | None = None,
    moments: Mapping[str, str] | None = None,
) -> Callable[[Callable[[ReadCall], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that reads; with a listing, what it may be filtered and sorted by.

    A function that answers with an attachment says what types of files it sends. `query` are the
    parameters that must stand in the query, each with what it means; `moments` are times that may.
    """

    def decorate(function: Callable[[ReadCall], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Sent:
            async def read(tx: Read, actor: Actor) -> Any:
                request.scope["state"]["account"] = actor.account_id
                return await function(_call(request, tx, actor))

            answer = None if sends else await by_presumption(request, permission, read)
            if answer is None:
                answer = await _answered(request, permission, read)
            if isinstance(answer, Attachment):
                return answer.reply(request.app.state.downloads, request.scope["state"]["account"])
            return _response(request, answer, 200)

        operation = Operation(
            "GET",
            path,
            function.__name__,
            function.__module__,
            _summary(function),
            permission,
            returns,
            200,
            listing=listing,
            sends=sends,
            query=query or {},
            moments=moments or {},
        )
        return _route(operation, handler)

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
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that writes what the body asks for; with a form, that may be a file.

    With the media type of a text, the body is such a text and no JSON, and is handed on as a `str`. With a
    shortcut, that is tried first. Where many records may come at once, the body may be longer than others.
    """
    return _writing(
        "POST", path, permission=permission, body=body, returns=returns, status=status, example=example,
        examples=examples or {}, kept=kept, form=form, text=text, shortcut=shortcut,
        body_bytes_max=body_bytes_max,
    )  # fmt: skip


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

    While it computes it holds no connection, unless all that it reads has to come of one snapshot.
    """

    def decorate(function: Callable[[ReadCall, Any], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Reply:
            actor = await authenticated(request, permission)
            account = actor.account_id
            async with (
                shares(request).request(account),
                arrived_body(request, body, None, None) as (arrived, raw),
            ):
                key_scope = partial(idempotency.scope_of, actor, "POST", request.url.path, _key(request))
                scope = await digested(raw, key_scope)
                async with twins(request).alone(scope), shares(request).question(account):
                    reading = database(request).read if of_one_snapshot else database(request).question
                    async with reading() as tx:
                        if scope is not None and (stored := await idempotency.find(tx, scope)) is not None:
                            return _replayed(stored)
                        response = _response(request, await function(_call(request, tx, actor), arrived), 200)
                    if scope is None:
                        return response
                    async with database(request).write() as writing:
                        if (stored := await idempotency.claim(writing, scope)) is not None:
                            return _replayed(stored)
                        headers = jsonb(response.headers)
                        await idempotency.keep(writing, scope, 200, headers, response.content)
                return response

        operation = Operation(
            "POST", path, function.__name__, function.__module__, _summary(function), permission,
            returns, 200, body=body, example=example, body_bytes_max=body_bytes_max,
        )  # fmt: skip
        return _route(operation, handler)

    return decorate


def patch(
    path: str,
    *,
    permission: str,
    body: type[Any],
    returns: Any,
    example: Any = None,
    body_bytes_max: int | None = BODY_BYTES_MAX,
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that changes a record."""
    return _writing(
        "PATCH",
        path,
        permission=permission,
        body=body,
        returns=returns,
        status=200,
        example=example,
        examples={},
        body_bytes_max=body_bytes_max,
    )


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

        operation = Operation(
            "DELETE", path, function.__name__, function.__module__, _summary(function), permission,
            returns, status,
        )  # fmt: skip
        return _route(operation, handler)

    return decorate


def _writing(
    method: HttpMethod,
    path: str,
    *,
    permission: str,
    body: type[Any],
    returns: Any,
    status: int,
    example: Any,
    examples: Mapping[str, tuple[str, Any]],
    kept: RepeatedAnswer = None,
    form: upload.Form | None = None,
    text: str | None = None,
    shortcut: Shortcut | None = None,
    body_bytes_max: int | None = BODY_BYTES_MAX,
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], HTTPRouteHandler]:
    def decorate(function: Callable[[WriteCall, Any], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Reply:
            if shortcut and (answer := await by_shortcut(request, permission, body, shortcut)) is not None:
                return _response(request, answer, status)
            actor = await authenticated(request, permission)
            account = actor.account_id
            async with (
                shares(request).request(account),
                arrived_body(request, body, form, text) as (arrived, raw),
            ):
                scope = await digested(
                    raw, partial(idempotency.scope_of, actor, method, request.url.path, _key(request))
                )
                async with (
                    twins(request).alone(scope),
                    shares(request).connection(account),
                    database(request).write() as tx,
                ):
                    if scope is not None and (stored := await idempotency.claim(tx, scope)) is not None:
                        return _replayed(stored)
                    answer = await function(_call(request, tx, actor), arrived)
                    response = _response(request, answer, status)
                    if scope is not None:
                        repeated = _response(request, kept(answer), status) if kept else response
                        await idempotency.keep(tx, scope, status, jsonb(repeated.headers), repeated.content)
                return response

        operation = Operation(
            method, path, function.__name__, function.__module__, _summary(function), permission,
            returns, status, body=body, example=example, examples=examples, form=form, text=text,
            body_bytes_max=body_bytes_max,
        )  # fmt: skip
        return _route(operation, handler)

    return decorate


def _key(request: WebRequest) -> str | None:
    return request.headers.get(idempotency.HEADER)


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
    encode: wire.Encode = request.app.state.encode
    return Reply(status, encode(answer), headers)


def _summary(function: Callable[..., Any]) -> str:
    if not function.__doc__:
        raise Malformed(f"{function.__name__} has no docstring; it is the public summary of the endpoint")
    return function.__doc__.strip()


def framework_path(path: str) -> str:
    """A path with braces around the names of its parameters, as the framework writes it."""
    parts = path.split("/")
    return "/".join(f"{{{part[1:-1]}:str}}" if part.startswith("{") else part for part in parts)


def _route(operation: Operation, handler: Callable[[WebRequest], Awaitable[Sent]]) -> HTTPRouteHandler:
    async def named(request: WebRequest) -> Sent:
        request.scope["state"]["operation"] = operation.name
        return await handler(request)

    named.__name__ = operation.name
    named.__annotations__ = {"request": WebRequest, "return": Reply}
    return HTTPRouteHandler(
        framework_path(operation.path),
        http_method=operation.method,
        status_code=200,  # each response says its own; the framework allows no 204 with a response class
        media_type=_JSON,
        operation_id=f"{operation.name}",
        include_in_schema=False,
        opt={"operation": operation},
    )(named)


def bounded(handler: HTTPRouteHandler, most: int) -> HTTPRouteHandler:
    """The handler of a service that reads so many bytes of any body at most; a form has its own bound."""
    operation: Operation | None = handler.opt.get("operation")
    if operation is None:
        return handler
    made = copy(handler)
    if operation.form is not None:
        made.request_max_body_size = operation.form.body_bytes_max
    elif operation.body_bytes_max is not None:
        made.request_max_body_size = min(operation.body_bytes_max, most)
    return made
