"""An endpoint is a plain function behind one method and path; this is what all of them share.

One transaction for each request: reading for GET, writing for the others, committed when the
function returns. The function gets a `Call` and gives the record that goes on the wire. What the
decorators are told (permission, body, answer) also makes the OpenAPI document.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, cast
from urllib.parse import unquote_to_bytes

import msgspec
from litestar import Response
from litestar.handlers import HTTPRouteHandler
from litestar.types import Empty

from weighbridge.core.identity.suggestion import did_you_mean, few_suggestions
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import BeyondCalendarError
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.json import jsonb
from weighbridge.db.threads import computing_for
from weighbridge.errors import Invalid, Malformed, UnsupportedMediaType
from weighbridge.http import idempotency, upload, wire
from weighbridge.http.attachment import Attachment, Files
from weighbridge.http.caller import WebRequest, authenticated, database
from weighbridge.http.computing.request import carried_out
from weighbridge.http.reply import Reply
from weighbridge.http.shortcut import Shortcut, by_presumption, by_shortcut
from weighbridge.http.text import outside_calendar

HttpMethod = Literal["GET", "POST", "PATCH", "DELETE"]
Transaction = TypeVar("Transaction", bound=Read)
Sent = Reply | Response[Any]
"""What a handler answers with: a record as a reply, a file as a response of the framework's."""

_JSON = wire.MEDIA_TYPE


@dataclass(frozen=True, slots=True)
class Call(Generic[Transaction]):
    """One request on its way: who calls, in which transaction, with which path and query."""

    tx: Transaction
    actor: Actor
    path: Mapping[str, str]
    query: tuple[tuple[str, str], ...]
    files: Files


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
    request: WebRequest,
    permission: str,
    read: Callable[[Read, Actor], Awaitable[Any]],
    *,
    computes: bool,
) -> Any:
    """What a request reads, by whom its token acts for; a project that is not theirs is refused first."""
    actor = await authenticated(request, permission)

    async def work(opened: Database) -> Any:
        async with opened.read() as tx:
            try:
                return await read(tx, actor)
            finally:
                await tx.settle()

    return await carried_out(request, actor, work, computes=computes)


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

    One that computes is carried out apart from all other requests.

    A function that answers with an attachment says what types of files it sends. `query` are the
    parameters that must stand in the query, each with what it means; `moments` are times that may.
    """

    def decorate(function: Callable[[ReadCall], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Sent:
            async def read(tx: Read, actor: Actor) -> Any:
                with computing_for(actor.account_id):
                    return await function(_call(request, tx, actor))

            answer = None if sends or computes else await by_presumption(request, permission, read)
            if answer is None:
                answer = await _answered(request, permission, read, computes=computes)
            if isinstance(answer, Attachment):
                return await answer.response()
            return _response(request, answer, 200)

        operation = Operation(
            "GET", path, function.__name__, function.__module__, _summary(function), permission, returns, 200,
            listing=listing, sends=sends, query=query or {}, moments=moments or {},
        )  # fmt: skip
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
    computes: bool = False,
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that writes what the body asks for; with a form, that may be a file.

    One that computes is carried out apart from all other requests. With the media type of a text, the body is
    such a text and no JSON, and is handed on as a `str`. With a shortcut, that is tried first.
    """
    return _writing(
        "POST", path, permission=permission, body=body, returns=returns, status=status, example=example,
        examples=examples or {}, kept=kept, form=form, text=text, shortcut=shortcut, computes=computes,
    )  # fmt: skip


def patch(
    path: str,
    *,
    permission: str,
    body: type[Any],
    returns: Any,
    example: Any = None,
    computes: bool = False,
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
        computes=computes,
    )


def delete(
    path: str, *, permission: str, returns: Any = None, status: int = 204
) -> Callable[[Callable[[WriteCall], Awaitable[Any]]], HTTPRouteHandler]:
    """Serve a function that removes a record; it takes no body and, unless it says so, answers none."""

    def decorate(function: Callable[[WriteCall], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Reply:
            actor = await authenticated(request, permission)
            async with database(request).write() as tx:
                answer = await function(_call(request, tx, actor))
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
    computes: bool,
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], HTTPRouteHandler]:
    def decorate(function: Callable[[WriteCall, Any], Awaitable[Any]]) -> HTTPRouteHandler:
        async def handler(request: WebRequest) -> Reply:
            if shortcut and (answer := await by_shortcut(request, permission, body, shortcut)) is not None:
                return _response(request, answer, status)
            actor = await authenticated(request, permission)
            async with _body_of(request, body, form, text) as (arrived, raw):
                scope = idempotency.scope_of(actor, method, request.url.path, _key(request), raw)

                async def work(opened: Database) -> Reply:
                    async with opened.write() as tx:
                        if scope is not None and (stored := await idempotency.claim(tx, scope)) is not None:
                            return _replayed(stored)
                        try:
                            answer = await function(_call(request, tx, actor), arrived)
                        except BeyondCalendarError as error:
                            # Whoever does not say it beside all else that is wrong has it said here.
                            said = outside_calendar(arrived) or [Problem(f"A time {error}.", None, "invalid")]
                            raise Invalid(said) from None
                        response = _response(request, answer, status)
                        if scope is not None:
                            repeated = _response(request, kept(answer), status) if kept else response
                            head = jsonb(repeated.headers)
                            await idempotency.keep(tx, scope, status, head, repeated.content)
                    return response

                return await carried_out(request, actor, work, computes=computes)

        operation = Operation(
            method, path, function.__name__, function.__module__, _summary(function), permission,
            returns, status, body=body, example=example, examples=examples, form=form, text=text,
        )  # fmt: skip
        return _route(operation, handler)

    return decorate


def _key(request: WebRequest) -> str | None:
    return request.headers.get(idempotency.HEADER)


def _replayed(stored: idempotency.StoredAnswer) -> Reply:
    headers = {**stored.headers, idempotency.REPLAYED_HEADER: "true"}
    return Reply(stored.status, stored.answer, headers)


@asynccontextmanager
async def _body_of(
    request: WebRequest, body: type[Any], form: upload.Form | None, text: str | None
) -> AsyncIterator[tuple[Any, bytes]]:
    """What the body asks for, and the bytes by which a repetition of it is known."""
    kind = request.headers.get("content-type", "")
    packed = request.headers.get("content-encoding", "identity")
    if packed.lower() != "identity":
        raise UnsupportedMediaType(f"The content encoding is {packed}; this request takes a body as it is.")
    if form is not None and upload.is_form(kind):
        async with (
            upload.read(form, kind, request.stream()) as arrived,
            form.received(request.app.state.files, arrived) as file,
        ):
            yield file, arrived.identity
        return
    takes = text or _JSON
    plain_kind = kind.partition(";")[0].strip().lower()
    if plain_kind in {"", takes} and may_be_left_out(body) and not await request.body():
        yield wire.decode(b"{}", body), b""
        return
    if plain_kind != takes:
        takes = takes if form is None else f"{takes} or {upload.MEDIA_TYPE}"
        raise UnsupportedMediaType(f"The content type is {kind or 'missing'}; this request takes {takes}.")
    raw = await request.body()
    yield wire.decode(raw, body) if text is None else wire.decode_text(raw), raw


def may_be_left_out(body: Any) -> bool:
    """Whether a body of this kind is nothing but options."""
    is_record = isinstance(body, type) and issubclass(body, msgspec.Struct)
    return is_record and not any(one.required for one in msgspec.structs.fields(body))


def _call(request: WebRequest, tx: Transaction, actor: Actor) -> Call[Transaction]:
    path = cast("Mapping[str, str]", request.path_params)
    return Call(tx, actor, path, _query(request), request.app.state.files)


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
        with few_suggestions():
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
        request_max_body_size=operation.form.body_bytes_max if operation.form else Empty,
    )(named)
