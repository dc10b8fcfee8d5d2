"""An endpoint is a plain function behind one method and path; this is what all of them share.

One transaction for each request: reading for GET and for questions, writing for the others, committed when
the function returns. The function gets a `Call` and gives the record that goes on the wire. What the
decorators get (permission, body, answer) also makes the OpenAPI document.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, cast

from msgspec import UNSET, structs
from psycopg import OperationalError
from psycopg.errors import DiskFull

from weighbridge.concurrency import computing_for
from weighbridge.core.platform.permission import Actor, account_of_token
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import BeyondCalendarError
from weighbridge.db.engine import MOVED, Database, Read
from weighbridge.db.statements import jsonb
from weighbridge.errors import Invalid, Malformed, Refusal, Unauthorized
from weighbridge.http import idempotency, wire
from weighbridge.http.caller import (
    WebRequest,
    admit_caller,
    authenticate_caller,
    cells,
    database,
    forget_cell,
    from_replica,
    has_replica,
    read_token,
    shares,
)
from weighbridge.http.endpoints.computing import execute_request, hand_over_when_long, lock_idempotency_key
from weighbridge.http.endpoints.known_then import LookingBack, answer_known_then, is_looking_back
from weighbridge.http.endpoints.response_modes import MARKS, summarise_list
from weighbridge.http.limits import RateLimiter
from weighbridge.http.messages import body as upload
from weighbridge.http.messages.body import BODY_BYTES_MAX, may_be_long, receive_body
from weighbridge.http.messages.operation import (
    REFUSALS_TOLD,
    Answer,
    Attachment,
    AttachmentReply,
    Call,
    Endpoint,
    Handler,
    HttpMethod,
    Operation,
    ReadCall,
    Reply,
    WriteCall,
    build_call,
    build_response,
    replay_answer,
    route,
)
from weighbridge.http.text import outside_calendar

__all__ = [
    "Answer", "Call", "LookingBack", "ReadCall", "WriteCall", "ask", "build_call", "build_response", "delete",
    "get", "patch", "post",
]  # fmt: skip

# A shortcut executes a small request in one statement, by what the process remembers.
#
# It succeeds or nothing has happened: where anything is unknown, refused or in doubt, the request is done the
# long way from its start, which looks at everything. So a shortcut has no refusals of its own, and who is
# refused hears the same as ever.
#
# Invariants: the statement itself checks whether the token is still valid, and stores nothing otherwise; a
# request that carries an idempotency key takes the long way; a request counts once against the limit.


SHORT_BODY_BYTES_MAX: Final = 16_384
"""Bytes of a body that may take the shortcut; a larger one is read only once."""


@dataclass(frozen=True, slots=True)
class CachedAuthorization:
    """Whom a token acted for when last looked at, and the parameters that ask whether it still does."""

    actor: Actor
    token_id: int
    values: Mapping[str, Any]
    question: tuple[str, Sequence[Any]]
    """Gives a row while the token acts for the actor."""


@dataclass(frozen=True, slots=True)
class ShortCall:
    """One request on its way: its caller if the token is still valid, its database and its path."""

    database: Database
    cached: CachedAuthorization
    path: Mapping[str, str]


Shortcut = Callable[[ShortCall, Any], Awaitable[Any]]
"""Gives the record of the answer, or None when the long way has to be taken."""


async def take_shortcut(request: WebRequest, permission: str, body: type[Any], shortcut: Shortcut) -> Any:
    """The record of the answer; None when nothing has been done and the long way has to be taken."""
    cached = _recall_authorization(request, permission) if _is_short(request) else None
    if cached is None:
        return None
    try:
        decoded_body = wire.decode(await _read_short_body(request, permission), body)
    except Malformed:
        return None

    async def store() -> Any:
        return await shortcut(ShortCall(database(request), cached, _path_of(request)), decoded_body)

    return await _go_by_memory(request, cached, store)


async def read_at_once(
    request: WebRequest, permission: str, read_function: Callable[[Read, Actor], Awaitable[Any]]
) -> Any:
    """What a request reads, in one message with the question whom its token acts for.

    None where that has to be asked first: the process does not know the token, it acts for another by now,
    or the request is refused anything, which is said by whoever looks at everything.
    """
    cached = _recall_authorization(request, permission)
    if cached is None:
        return None

    async def read() -> Any:
        with computing_for(cached.actor.account_id):
            async with database(request).read() as tx:
                tx.require(*cached.question, Unauthorized("The token acts for another by now."))
                answer = await read_function(tx, cached.actor)
                await tx.settle()
                return answer

    return await _go_by_memory(request, cached, read)


async def _go_by_memory(
    request: WebRequest, cached: CachedAuthorization, work: Callable[[], Awaitable[Any]]
) -> Any:
    """What work gives that asks by itself whom the token acts for; None where the long way has to be taken.

    Work that is refused has done nothing, and counts against no limit.
    """
    limiter: RateLimiter = request.app.state.limiter
    allowance = limiter.admit_unshared(cached.token_id)
    if allowance is None:
        return None
    account = request.scope["state"]["account"] = cached.actor.account_id
    request.scope["state"]["limit"] = allowance.headers
    answer = None
    async with shares(request).turn(account):  # who waits for it in vain need not wait again
        try:
            answer = await work()
        except Refusal:
            pass
        except OperationalError as error:
            if error.sqlstate != MOVED:
                raise
            forget_cell(request)
        finally:
            if answer is None:
                limiter.take_back(cached.token_id, allowance)
    return answer


def _recall_authorization(request: WebRequest, permission: str) -> CachedAuthorization | None:
    """Whom the request's token acted for when last looked at, if that one may do this."""
    token = read_token(request)
    cell = cells(request).recall(account_of_token(token))
    if not token or cell is None:
        return None
    request.scope["state"]["cell"] = cell
    cached: CachedAuthorization | None = request.app.state.recall_authorization(
        database(request), token, request.scope["state"]["request_id"]
    )
    if cached is None:
        return None
    try:
        admitted = admit_caller(request, cached.actor, permission)
    except Refusal:
        return None
    return cached if admitted is cached.actor else replace(cached, actor=admitted)


def _is_short(request: WebRequest) -> bool:
    """Whether the request is small JSON without a key."""
    headers = request.headers
    length = headers.get("content-length", "")
    return (
        length.isdecimal()
        and int(length) <= SHORT_BODY_BYTES_MAX
        and headers.get("content-type", "").partition(";")[0].strip().lower() == wire.MEDIA_TYPE
        and idempotency.HEADER not in headers
        and "content-encoding" not in headers
        and not request.scope["query_string"]
    )


async def _read_short_body(request: WebRequest, permission: str) -> bytes:
    try:
        return await request.body()
    except Exception:
        await authenticate_caller(request, permission)  # who is refused anyway hears of that
        raise


def _path_of(request: WebRequest) -> Mapping[str, str]:
    return cast("Mapping[str, str]", request.path_params)


# The endpoints: a decorator for each method.


def get(
    path: str,
    *,
    permission: str,
    computes: bool = False,
    returns: Any = None,
    listing: Any = None,
    sends: tuple[str, ...] = (),
    query: Mapping[str, str] | None = None,
    time_parameters: Mapping[str, str] | None = None,
    refuses: tuple[type[Refusal], ...] = (),
    task_results: Mapping[str, type[Any]] | None = None,
    looks_back: LookingBack | None = None,
    spans_projects: bool = False,
) -> Callable[[Callable[[ReadCall], Awaitable[Any]]], Endpoint]:
    """Serve a function that reads; with a listing, what it may be filtered and sorted by.

    One that computes is carried out apart from all other requests. One that answers with an attachment says
    what types of files it sends. `query` are parameters that must be there, `moments` are times that may;
    `refuses` are refusals that other readings do not give. One that looks back reads what was known `as_of`.
    """

    def decorate(function: Callable[[ReadCall], Awaitable[Any]]) -> Endpoint:
        async def handler(request: WebRequest) -> Reply | AttachmentReply:
            if looks_back and is_looking_back(request, looks_back):
                answer = await answer_known_then(request, permission, function, looks_back)
                return build_response(request, answer, 200)

            async def read(tx: Read, actor: Actor) -> Any:
                request.scope["state"]["account"] = actor.account_id
                return await function(build_call(request, tx, actor))

            if listing is not None and any(mark in request.scope["query_string"] for mark in MARKS):
                reading = partial(answer_reading, request, permission, of_replica=True)
                answer = await summarise_list(request, function, reading)
                return build_response(request, answer, 200)
            of_replica = listing is not None and not computes
            answer = await answer_reading(request, permission, read, computes=computes, of_replica=of_replica)
            if isinstance(answer, Attachment):
                return answer.reply(request.app.state.downloads, request.scope["state"]["account"])
            return build_response(request, answer, 200)

        return build_route(
            "GET", path, function, handler, permission=permission, returns=returns, status=200,
            listing=listing, sends=sends, query=query or {}, moments=time_parameters or {}, computes=computes,
            refuses=refuses, task_results=task_results or {}, looks_back=looks_back is not None,
            spans_projects=spans_projects,
        )  # fmt: skip

    return decorate


async def answer_reading(
    request: WebRequest,
    permission: str,
    read_function: Callable[[Read, Actor], Awaitable[Any]],
    *,
    computes: bool,
    tries: bool = False,
    of_replica: bool = False,
) -> Any:
    """What a request reads, by whom its token acts for; a project that is not theirs is refused first.

    With `of_replica` it is read from the replica, where there is one.
    """
    is_let_through = request.scope["state"].get("actor") is not None
    if not (is_let_through or computes or tries or (of_replica and has_replica(request))):
        answer = await read_at_once(request, permission, read_function)
        if answer is not None:
            return answer
    actor = await authenticate_caller(request, permission)

    async def work(database_: Database) -> Any:
        if of_replica:
            answer = await from_replica(request, lambda tx: read_function(tx, actor))
            if answer is not None:
                return answer
        async with database_.trial() if tries else database_.read() as tx:
            try:
                return await read_function(tx, actor)
            finally:
                await tx.settle()

    async with shares(request).request(actor.account_id):
        return await execute_request(request, actor, work, computes=computes)


def ask(
    path: str,
    *,
    permission: str,
    body: type[Any],
    returns: Any,
    example: Any = None,
    body_bytes_max: int | None = BODY_BYTES_MAX,
    of_one_snapshot: bool = False,
    spans_projects: bool = False,
) -> Callable[[Callable[[ReadCall, Any], Awaitable[Any]]], Endpoint]:
    """Serve a function that answers a question which needs a body, and stores nothing.

    It is carried out apart from all other requests. While it computes it holds no connection, unless all that
    it reads has to come of one snapshot.
    """
    opening = Database.read if of_one_snapshot else Database.question

    def decorate(function: Callable[[ReadCall, Any], Awaitable[Any]]) -> Endpoint:
        async def handler(request: WebRequest) -> Reply:
            return await answer_question(request, permission, body, opening, function)

        return build_route(
            "POST", path, function, handler, permission=permission, returns=returns, status=200, body=body,
            example=example, body_bytes_max=body_bytes_max, computes=True, only_asks=True,
            spans_projects=spans_projects,
        )  # fmt: skip

    return decorate


async def answer_question(
    request: WebRequest,
    permission: str,
    body: type[Any],
    opening: Callable[[Database], AbstractAsyncContextManager[Any]],
    function: Callable[[Any, Any], Awaitable[Any]],
) -> Reply:
    """The answer to a question with a body, worked out in a transaction that is opened for it."""
    actor = await authenticate_caller(request, permission)
    async with receive_request(request, actor, body) as (decoded_body, scope):

        async def work(database_: Database) -> Reply:
            async with opening(database_) as tx:
                if (
                    scope is not None
                    and (stored_answer := await idempotency.find_answer(tx, scope)) is not None
                ):
                    return replay_answer(stored_answer)
                answer = await refuse_outside_calendar(
                    function(build_call(request, tx, actor), decoded_body), decoded_body
                )
                response = build_response(request, answer, 200)
            if scope is None:
                return response
            async with database_.write() as writing:
                if (stored_answer := await idempotency.claim(writing, scope)) is not None:
                    return replay_answer(stored_answer)
                headers = jsonb(response.headers)
                await idempotency.store_answer(writing, scope, 200, headers, response.content)
            return response

        return await execute_request(request, actor, work, computes=True)


def post(
    path: str,
    *,
    permission: str,
    body: type[Any],
    returns: Any,
    status: int = 201,
    example: Any = None,
    examples: Mapping[str, tuple[str, Any]] | None = None,
    shown_once: str = "",
    form: upload.Form | None = None,
    text: str | None = None,
    shortcut: Shortcut | None = None,
    body_bytes_max: int | None = BODY_BYTES_MAX,
    computes: bool = False,
    refusals_told: frozenset[int] = REFUSALS_TOLD,
    task_results: Mapping[str, type[Any]] | None = None,
    spans_projects: bool = False,
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], Endpoint]:
    """Serve a function that writes what the body asks for; with a form, that may be a file.

    With the media type of a text, the body is such a text, no JSON, and is handed on as a `str`. A shortcut
    is tried first. One that computes is carried out apart from all other requests. The audit log has
    refusals with the statuses that are named. A field that is `shown_once`, such as the text of a token, is
    left out of the answer that is stored to be repeated.
    """
    return _serve_write(
        "POST", path, permission=permission, body=body, returns=returns, status=status, example=example,
        examples=examples or {}, shown_once=shown_once, form=form, text=text, shortcut=shortcut,
        body_bytes_max=body_bytes_max, computes=computes, refusals_told=refusals_told,
        task_results=task_results or {}, spans_projects=spans_projects,
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
    spans_projects: bool = False,
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], Endpoint]:
    """Serve a function that changes a record."""
    return _serve_write(
        "PATCH", path, permission=permission, body=body, returns=returns, status=200, example=example,
        examples={}, body_bytes_max=body_bytes_max, computes=computes, spans_projects=spans_projects,
    )  # fmt: skip


def delete(
    path: str,
    *,
    permission: str,
    returns: Any = None,
    status: int = 204,
    urgent: bool = False,
    spans_projects: bool = False,
) -> Callable[[Callable[[WriteCall], Awaitable[Any]]], Endpoint]:
    """Serve a function that removes a record; it takes no body and, unless it says so, answers none.

    What is urgent is done on a full disk too, at the cost of the reserve.
    """

    def decorate(function: Callable[[WriteCall], Awaitable[Any]]) -> Endpoint:
        async def handler(request: WebRequest) -> Reply:
            actor = await authenticate_caller(request, permission)

            async def remove() -> Any:
                async with database(request).write() as tx:
                    return await function(build_call(request, tx, actor))

            async with shares(request).turn(actor.account_id):
                try:
                    answer = await remove()
                except DiskFull:
                    if not (urgent and request.app.state.disk.release()):
                        raise
                    answer = await remove()
            return Reply(204) if status == 204 else build_response(request, answer, status)

        return build_route(
            "DELETE", path, function, handler, permission=permission, returns=returns, status=status,
            spans_projects=spans_projects,
        )  # fmt: skip

    return decorate


def _serve_write(
    method: HttpMethod,
    path: str,
    *,
    permission: str,
    body: type[Any],
    returns: Any,
    status: int,
    computes: bool,
    shown_once: str = "",
    form: upload.Form | None = None,
    text: str | None = None,
    shortcut: Shortcut | None = None,
    **promised: Any,
) -> Callable[[Callable[[WriteCall, Any], Awaitable[Any]]], Endpoint]:
    def decorate(function: Callable[[WriteCall, Any], Awaitable[Any]]) -> Endpoint:
        async def handler(request: WebRequest) -> Reply:
            if shortcut and (answer := await take_shortcut(request, permission, body, shortcut)) is not None:
                return build_response(request, answer, status)
            actor = await authenticate_caller(request, permission)
            async with receive_request(request, actor, body, form, text) as (decoded_body, scope):

                async def work(database_: Database) -> Reply:
                    async with database_.write() as tx:
                        if scope is not None and (stored := await idempotency.claim(tx, scope)) is not None:
                            return replay_answer(stored)
                        answer = await refuse_outside_calendar(
                            function(build_call(request, tx, actor), decoded_body), decoded_body
                        )
                        response = repeated = build_response(request, answer, status)
                        if scope is not None:
                            if shown_once:
                                answer = structs.replace(answer, **{shown_once: UNSET})
                                repeated = build_response(request, answer, status)
                            headers = jsonb(repeated.headers)
                            await idempotency.store_answer(tx, scope, status, headers, repeated.content)
                    return response

                return await execute_request(request, actor, work, computes=computes)

        return build_route(
            method, path, function, handler, permission=permission, returns=returns, status=status, body=body,
            form=form, text=text, computes=computes, **promised,
        )  # fmt: skip

    return decorate


@asynccontextmanager
async def receive_request(
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
        receive_body(request, account, body, form, text) as (decoded_body, raw),
        lock_idempotency_key(request, actor, raw) as scope,
    ):
        yield decoded_body, scope


async def refuse_outside_calendar(answering: Awaitable[Any], decoded_body: Any) -> Any:
    """An answer; Invalid where a time of the body has no year in UTC and nobody has said so before."""
    try:
        return await answering
    except BeyondCalendarError as error:
        message = outside_calendar(decoded_body) or [Problem(f"A time {error}.", None, "invalid")]
        raise Invalid(message) from None


def build_route(
    method: HttpMethod, path: str, function: Callable[..., Any], handler: Handler, **promised: Any
) -> Endpoint:
    """The handler behind its path, with what the function and the decorator promise of it."""
    doc = function.__doc__
    if not doc:
        raise ValueError(f"{function.__name__} needs a docstring: it is what readers of /docs see")
    name, module = function.__name__, function.__module__
    promised |= {"function": function, "summary": doc.strip()}
    operation = Operation(method=method, path=path, name=name, module=module, **promised)
    return route(operation, hand_over_when_long(operation, handler))
