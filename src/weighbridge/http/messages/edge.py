"""The outermost layer, around every response whatever becomes of the request, and what errors look like.

It gives the request an id, rejects one that a proxy could read differently, limits how long a body
takes to arrive, answers CORS, adds headers, counts, and writes one line to the log. HEAD is answered as
GET is, without the body. Whatever is raised on the way becomes an error response here.

Invariants: a request that passes names its host once, has a body that is packed in nothing, and writes
its path in the one form that has no other; every error leaves in one shape, with a code of the catalogue.
"""

import asyncio
import errno
import re
import time
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from secrets import token_hex
from typing import Annotated, Any, Final

import msgspec
import structlog
from litestar import Response
from litestar.exceptions import HTTPException
from psycopg import OperationalError
from psycopg.errors import (
    CannotConnectNow,
    ConfigurationLimitExceeded,
    DeadlockDetected,
    DiskFull,
    ForeignKeyViolation,
    LockNotAvailable,
    OutOfMemory,
    QueryCanceled,
    SerializationFailure,
    TooManyConnections,
    UndefinedTable,
    UniqueViolation,
)
from psycopg_pool import PoolTimeout

from weighbridge import tracing
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.db.engine import MOVED
from weighbridge.errors import (
    Conflict,
    Damaged,
    Invalid,
    Malformed,
    NotFound,
    Refusal,
    TooLarge,
    TooSlow,
    Unauthorized,
    Unavailable,
)
from weighbridge.http import metrics
from weighbridge.http.caller import WebRequest, cell_of, forget_cell
from weighbridge.http.messages.asgi import Application, Message, Receive, RequestScope, Send
from weighbridge.http.wire import below_wrapping

# Framing: where a request begins and ends, whom it is for, and which path it names, all in one way only.
#
# A proxy in front of the service decides by the same bytes. What the two could read differently (two hosts,
# a body in chunks and packed, a path written in another way) is refused rather than guessed at.
#
# Invariant: a request that passes names its host once, has a body that is packed in nothing, and writes its
# path in the one form that has no other.


_NO_OTHER_FORM: Final = re.compile(
    rb"/|\*|(?:/(?!\.{1,2}(?:/|\Z))(?:[^/%\x00-\x20\x7f]|%(?!2[DdEeFf]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]"
    rb"|6[1-9A-Fa-f]|7[0-9AaEe])[0-9A-Fa-f]{2})+)+"
)
"""Parts without `.` and `..`, none of them empty, with nothing escaped that needs no escape, and no slash."""

_CHUNKED: Final = b"chunked"
_HOST_IS_OPTIONAL: Final = ("1", "1.0")
"""The version before a host had to be named, as servers write it."""


def check_framing(scope: MutableMapping[str, Any]) -> Refusal | None:
    """Why a request is not even looked at; None when it is framed in one way only."""
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    codings = [value.strip().lower() for name, value in scope["headers"] if name == b"transfer-encoding"]
    if len(hosts) > 1:
        return Malformed(f"The request names {len(hosts)} hosts; it takes one header Host.")
    if not any(hosts) and scope["http_version"] not in _HOST_IS_OPTIONAL:
        return Malformed("The request names no host; it takes one header Host.")
    if codings and codings != [_CHUNKED]:
        message = shorten(b", ".join(codings).decode("latin-1"))
        return Malformed(f"The transfer encoding is {message}; this service takes chunked alone, or none.")
    if not _NO_OTHER_FORM.fullmatch(scope.get("raw_path") or scope["path"].encode()):
        return NotFound(message="There is nothing at this path.", code="no_such_path")
    return None


# The outermost layer, around every answer whatever becomes of the request.
#
# It gives the request an id, refuses one that a proxy could read differently (above), takes a body only
# so long to arrive, says which other origins' pages may call (CORS; none unless the setting names some),
# adds the headers that protect a browser and those with the remaining number of calls, counts,
# and writes one line to the log. HEAD is answered as GET is, without the body.


log = structlog.get_logger()

_ACCEPTABLE_ID: Final = re.compile(rb"[A-Za-z0-9._-]{8,64}")

SECURITY_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
"""Sent with every answer that does not set them itself."""

TRANSPORT_HEADER: Final = (b"strict-transport-security", b"max-age=31536000")
"""Sent as well when people reach the service by https."""


ANY_ORIGIN: Final = "*"

_EXPOSED: Final = (
    b"X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Location, Allow, "
    b"Idempotency-Replayed, Content-Disposition"
)
_PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"GET, HEAD, POST, PATCH, DELETE, OPTIONS"),
    (b"access-control-allow-headers", b"Authorization, Content-Type, Idempotency-Key, X-Request-Id"),
    (b"access-control-max-age", b"600"),
)
"""The response to a preflight request: methods, headers, and for how many seconds."""


@dataclass(frozen=True, slots=True)
class CrossOrigin:
    """Which other origins' pages may call the service; no cookies are read, so none are asked for."""

    origins: tuple[str, ...]

    def headers(self, scope: RequestScope) -> list[tuple[bytes, bytes]]:
        """Return the headers that let a page of the request's origin read the response."""
        if not self.origins:
            return []
        vary = (b"vary", b"Origin")
        origin = _header(scope, b"origin")
        if not origin or not {ANY_ORIGIN, origin.decode("latin-1").lower()} & {*self.origins}:
            return [vary]
        allowed_origin = b"*" if ANY_ORIGIN in self.origins else origin
        return [
            (b"access-control-allow-origin", allowed_origin),
            (b"access-control-expose-headers", _EXPOSED),
            vary,
        ]

    def is_preflight(self, scope: RequestScope) -> bool:
        """Whether a browser asks first, for a page that may call."""
        return (
            scope["method"] == "OPTIONS"
            and bool(_header(scope, b"access-control-request-method"))
            and len(self.headers(scope)) > 1
        )


@dataclass(slots=True)
class _Exchange:
    """One request and its answer, for the log and the counters."""

    scope: RequestScope
    always: tuple[tuple[bytes, bytes], ...]
    cross_origin: CrossOrigin
    untouched: Callable[[], Mapping[str, int]]
    request_id: str
    started: float = field(default_factory=time.perf_counter)
    status: int = 0
    span: Any = field(init=False)

    def __post_init__(self) -> None:
        self.span = tracing.begin_request(self.scope, self.request_id)

    @property
    def is_refusal(self) -> bool:
        """Whether the client is to ask otherwise, or later."""
        return HTTPStatus.BAD_REQUEST <= self.status < HTTPStatus.INTERNAL_SERVER_ERROR

    def headers(self, own_headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """The answer's own headers, the ones it lacks, the request id and the state of the limit."""
        headers = list(own_headers)
        names = {name.lower() for name, _ in headers}
        headers += [header for header in self.always if header[0] not in names]
        headers.append((b"x-request-id", self.request_id.encode()))
        headers += self.cross_origin.headers(self.scope)
        limit = self.scope["state"].get("limit")
        limit = self.untouched() if limit is None else limit
        return headers + [(name.encode(), str(value).encode()) for name, value in limit.items()]

    def finish(self) -> None:
        seconds = time.perf_counter() - self.started
        operation = self.scope["state"].get("operation", metrics.OTHER)
        metrics.observe(operation, self.scope["method"], self.status, seconds)
        tracing.end_request(self.span, self.scope, operation, self.status)
        log.info(
            "request",
            method=self.scope["method"],
            path=self.scope["path"],
            status=self.status,
            milliseconds=round(seconds * 1000, 1),
            request_id=self.request_id,
        )


def edge(
    inner: Application,
    *,
    is_https: bool,
    body_seconds: int,
    origins: tuple[str, ...],
    idle_counts: Callable[[], Mapping[str, int]],
    pause: Callable[[RequestScope], float],
) -> Application:
    """Wrap an ASGI application; `idle_counts` returns the full limits, for callers without counted requests.

    `origins` are those whose pages may call it from a browser; `pause` returns for how many seconds the
    rejection of a request waits.
    """
    cross_origin = CrossOrigin(origins)
    always = (*SECURITY_HEADERS, TRANSPORT_HEADER) if is_https else SECURITY_HEADERS

    async def outer(scope: RequestScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return
        exchange = _Exchange(scope, always, cross_origin, idle_counts, _choose_request_id(scope))
        scope.setdefault("state", {})["request_id"] = exchange.request_id
        is_head = scope["state"]["is_head"] = scope["method"] == "HEAD"
        inner_scope = {**scope, "method": "GET"} if is_head else scope

        async def send_completed(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
                if exchange.is_refusal and (seconds := pause(scope)):
                    await asyncio.sleep(seconds)
                message["headers"] = exchange.headers(message.get("headers", []))
            elif is_head:
                message["body"] = b""
            await send(message)

        try:
            if (refusal := check_framing(scope)) is not None:
                await _refuse(refusal, exchange.request_id, send_completed)
                return
            if cross_origin.is_preflight(scope):
                await send_completed({"type": "http.response.start", "status": 204, "headers": [*_PREFLIGHT]})
                await send_completed({"type": "http.response.body", "body": b""})
                return
            receive_in_time = _receive_in_time(receive, body_seconds, _told_length(scope))
            await inner(inner_scope, receive_in_time, send_completed)
        finally:
            exchange.finish()

    return outer


async def _refuse(refusal: Refusal, request_id: str, send: Send) -> None:
    """Answer a request that nothing inside should see; no other follows one whose end is not certain."""
    content = _encode_refusal(refusal, request_id)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(content)).encode()),
    ]
    if isinstance(refusal, Malformed):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def _told_length(scope: RequestScope) -> int:
    """Return the length of the body by its header; 0 without one."""
    length_text = _header(scope, b"content-length")
    return int(length_text) if length_text.isdigit() else 0


def _header(scope: RequestScope, header_name: bytes) -> bytes:
    """The first header of a name; empty where there is none."""
    return next((bytes(value) for name, value in scope["headers"] if name == header_name), b"")


def _receive_in_time(receive: Receive, body_seconds: int, left: int) -> Receive:
    """Receive the body, all of it within the time; afterwards, wait for the client to go away for ever.

    The HTTP server has no such deadline of its own. It also sends the end of a body as a message of its
    own, for which nobody needs to wait who has as many bytes as the header states.
    """
    deadline: float | None = None  # from when the body is asked for: long ones wait for their turn
    is_complete = False

    async def received() -> Message:
        nonlocal deadline, is_complete, left
        if is_complete:
            return await receive()
        if deadline is None:
            deadline = asyncio.get_running_loop().time() + body_seconds
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise TooSlow(f"The body did not arrive within {body_seconds} seconds.") from None
        if message["type"] == "http.disconnect":
            raise Malformed("The body ends before its end, or is divided into chunks that cannot be read.")
        left -= len(message.get("body", b""))
        is_complete = left == 0 or not message.get("more_body", False)
        message["more_body"] = not is_complete
        return message

    return received


def _choose_request_id(scope: RequestScope) -> str:
    """Keep the caller's id when it is harmless, so that logs of both sides meet; else make one."""
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _ACCEPTABLE_ID.fullmatch(value):
            return bytes(value).decode()
    return f"req_{token_hex(12)}"


# Every refusal leaves in one shape: status, statusCode, errors and the id of the request.
#
# Invariants: every error has a code of the catalogue; a record that is not there is named by its type and the
# id that was asked for; fields are named by their path below the wrapping key.


OVERTAKEN_RETRY_SECONDS: Final = 1
"""After how long a request that was overtaken may be sent again: the other one has ended by then."""

MESSAGE_LENGTH_MAX: Final = 1_000
"""Characters of a message or the name of a field; a longer one loses its middle."""

_BUSY = {
    QueryCanceled.sqlstate: "The request took longer than the service allows; ask for less at once.",
    DeadlockDetected.sqlstate: "The request got in the way of another one; try again.",
    SerializationFailure.sqlstate: "The data changed while the answer was worked out; try again.",
    LockNotAvailable.sqlstate: "The request waited too long for another one; try again.",
    OutOfMemory.sqlstate: "The memory of the database server is used up; ask for less, or try again.",
    CannotConnectNow.sqlstate: "The database is starting, or the account has just moved; try again.",
    TooManyConnections.sqlstate: "The database has no connection left; try again.",
    MOVED: "The account is moving to another part of the database; try again.",
}
"""Why the database could not do something now, by its own code for it."""

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
"""What the system says of a disk, or of a part of one, that has no room left."""

_OF_FRAMEWORK = {
    404: Problem("There is nothing at this path.", code="no_such_path"),
    405: Problem("This path does not take this method.", code="method_not_allowed"),
}
"""What the framework refuses by itself, by status."""

_TYPES = {"task": "async_task", "token": "api_token"}
"""The type of record that a parameter of a path names, where that is not the parameter's own word."""


_EXAMPLE_ID = "evt_3f2a9c41d07be8564a1c9d20"


def _says(meaning: str, *examples: str) -> msgspec.Meta:
    return msgspec.Meta(description=meaning, examples=list(examples) or None)


class ErrorItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is wrong."""

    message: Annotated[str, _says("What is wrong, in a sentence for people.", "project.name is required.")]
    code: Annotated[str, _says("The word for a program; the reference of errors lists all.", "required")]
    field: Annotated[
        str | None,
        _says("The path of the field below the wrapping key.", "events[3].data_points[0].value"),
    ] = None
    records: Annotated[tuple[str, ...], _says("The ids of the records that are in the way.")] = ()
    type: Annotated[str | None, _says("The type of a record that is not there.", "event")] = None
    id: Annotated[str | None, _says("The id by which that record was asked for.", _EXAMPLE_ID)] = None


class ErrorBody(msgspec.Struct, frozen=True, rename={"status_code": "statusCode"}):
    """The body of every answer that is not a success."""

    status: str
    status_code: int
    errors: list[ErrorItem]
    request_id: str


def render_refusal(request: WebRequest, refusal: Refusal) -> Response[bytes]:
    """Respond with an error that the service raised itself; only the log has its details."""
    if refusal.__cause__ is not None or isinstance(refusal, Damaged):
        log.error(
            "request_refused",
            reason=str(refusal),
            cause=str(refusal.__cause__ or ""),
            request_id=_request_id(request),
        )
    headers: dict[str, str] = (
        {"WWW-Authenticate": 'Bearer error="invalid_token"'} if isinstance(refusal, Unauthorized) else {}
    )
    if refusal.retry_after_seconds is not None:
        headers["Retry-After"] = str(refusal.retry_after_seconds)
    if isinstance(refusal, TooSlow):
        headers["Connection"] = "close"
    problems = refusal.problems
    if isinstance(refusal, NotFound):
        problems = tuple(_name_record(request, problem) for problem in problems)
    return _render(request, refusal.status, refusal.code, problems, headers)


def render_framework_error(request: WebRequest, error: HTTPException) -> Response[bytes]:
    """Answer with a refusal of the framework: no such path, wrong method, body too large."""
    problem = _OF_FRAMEWORK.get(error.status_code, Problem(f"{error.detail.rstrip('.')}."))
    code = Malformed.code
    if error.status_code == TooLarge.status:
        limit = request.route_handler.resolve_request_max_body_size() or 0
        problem = Problem(f"The body is larger than this request takes; it takes {limit:,} bytes at most.")
        code = TooLarge.code
    return _render(request, error.status_code, code, (problem,), dict(error.headers or {}))


def render_conflict(request: WebRequest, _: UniqueViolation | ForeignKeyViolation) -> Response[bytes]:
    """Answer when another request changed what this one had checked, between its check and its write."""
    conflict = Conflict(
        "Another request stored or removed what this one depends on; nothing was stored. Send it again.",
        "overtaken",
    )
    conflict.retry_after_seconds = OVERTAKEN_RETRY_SECONDS
    return render_refusal(request, conflict)


def render_database_error(request: WebRequest, error: OperationalError | PoolTimeout) -> Response[bytes]:
    """Answer while the database restarts or cannot be reached."""
    log.warning("database_unavailable", error=str(error))
    if isinstance(error, DiskFull):
        return _disk_full(request, "The disk of the database is full")
    if isinstance(error, ConfigurationLimitExceeded):
        # Asking again would need the same room.
        message = "The request needs more room for interim results than the database allows it; ask for less."
        return render_refusal(request, Invalid([Problem(message, None, "too_costly")]))
    state = getattr(error, "sqlstate", None)
    if state == MOVED:
        forget_cell(request)
    if state == CannotConnectNow.sqlstate:
        request.app.state.cells.look_anew()
    return render_refusal(
        request, Unavailable(_BUSY.get(state, "The database cannot be reached just now; try again."))
    )


def render_missing_table(request: WebRequest, error: UndefinedTable) -> Response[bytes]:
    """Answer where a cell leaves its node just now, which passes on what needs tables, and not all of it."""
    if cell_of(request).node is None:
        return render_mistake(request, error)
    request.app.state.cells.look_anew()
    return render_refusal(request, Unavailable(_BUSY[CannotConnectNow.sqlstate]))


def render_system_error(request: WebRequest, error: OSError) -> Response[bytes]:
    """Answer when this machine has no room for what was sent, or made any other mistake."""
    if error.errno not in FULL:
        return render_mistake(request, error)
    log.warning("disk_full", error=str(error))
    return _disk_full(request, "The disk for files that arrive is full")


def _disk_full(request: WebRequest, description: str) -> Response[bytes]:
    request.app.state.disk.fill()
    return render_refusal(
        request,
        Unavailable(f"{description}; nothing was stored. What only reads is still answered.", "disk_full"),
    )


def render_mistake(request: WebRequest, error: Exception) -> Response[bytes]:
    """Answer for a mistake of ours; the log has the trace under the request id."""
    log.error("request_failed", exc_info=error, request_id=_request_id(request))
    problem = Problem("The service made a mistake; it is logged under the request id.")
    return _render(request, 500, Refusal.code, (problem,), {})


HANDLERS: Any = {
    Refusal: render_refusal,
    HTTPException: render_framework_error,
    UniqueViolation: render_conflict,
    ForeignKeyViolation: render_conflict,
    OperationalError: render_database_error,
    PoolTimeout: render_database_error,
    UndefinedTable: render_missing_table,
    OSError: render_system_error,
    Exception: render_mistake,
}
"""What `app` hands to the framework."""


def _name_record(request: WebRequest, problem: Problem) -> Problem:
    """The problem with the record that is not there; where nobody said which, the last of the path."""
    if problem.type is not None or not request.path_params:
        return problem
    name, value = [*request.path_params.items()][-1]
    kind = name.removesuffix("_id")
    return replace(problem, type=_TYPES.get(kind, kind), id=shorten(str(value)))


def _render(
    request: WebRequest, status: int, code: str, problems: tuple[Problem, ...], headers: dict[str, str]
) -> Response[bytes]:
    """The answer, which names fields as the body of the operation has them."""
    handler = request.scope.get("route_handler")
    operation = handler.opt.get("operation") if handler else None  # none where there is no such path
    body_kind = operation.body if operation else None
    content = _content(status, code, problems, body_kind, _request_id(request))
    return Response(content, status_code=status, media_type="application/json", headers=headers)


def _encode_refusal(refusal: Refusal, request_id: str) -> bytes:
    """What a refusal says to a request that no operation has seen."""
    return _content(refusal.status, refusal.code, refusal.problems, None, request_id)


def _content(status: int, code: str, problems: tuple[Problem, ...], body_kind: Any, request_id: str) -> bytes:
    """The body of the answer; a problem that has no code of its own has that of the refusal."""
    body = ErrorBody(
        "error",
        status,
        [
            ErrorItem(
                _short(problem.message),
                problem.code or code,
                None if problem.field is None else _short(below_wrapping(problem.field, body_kind) or ""),
                problem.records,
                problem.type,
                problem.id,
            )
            for problem in problems
        ],
        request_id,
    )
    return msgspec.json.encode(body)


def _short(message: str) -> str:
    """The message without the middle of what it quotes, when that is long; its end says what is allowed."""
    if len(message) <= MESSAGE_LENGTH_MAX:
        return message
    half = MESSAGE_LENGTH_MAX // 2
    return f"{message[:half]}…{message[-half:]}"


def _request_id(request: WebRequest) -> str:
    return str(request.scope.get("state", {}).get("request_id", ""))
