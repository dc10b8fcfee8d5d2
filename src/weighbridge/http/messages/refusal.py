"""Every refusal leaves in one shape: status, statusCode, errors and the id of the request.

Invariants: every error has a code of the catalogue; a record that is not there is named by its type and the
id that was asked for; fields are named by their path below the wrapping key.
"""

import errno
from dataclasses import replace
from typing import Annotated, Any, Final

import msgspec
import structlog
from litestar import Response
from litestar.exceptions import HTTPException
from psycopg import OperationalError
from psycopg.errors import (
    ConfigurationLimitExceeded,
    DeadlockDetected,
    DiskFull,
    ForeignKeyViolation,
    LockNotAvailable,
    OutOfMemory,
    QueryCanceled,
    SerializationFailure,
    TooManyConnections,
    UniqueViolation,
)
from psycopg_pool import PoolTimeout

from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
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
from weighbridge.http.caller import WebRequest
from weighbridge.http.wire import below_wrapping

log = structlog.get_logger()

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
    TooManyConnections.sqlstate: "The database has no connection left; try again.",
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
    """Answer with a refusal that the service itself raised; the log has what the caller is not told."""
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
    return render_refusal(
        request, Unavailable(_BUSY.get(state, "The database cannot be reached just now; try again."))
    )


def render_system_error(request: WebRequest, error: OSError) -> Response[bytes]:
    """Answer when this machine has no room for what was sent, or made any other mistake."""
    if error.errno not in FULL:
        return render_mistake(request, error)
    log.warning("disk_full", error=str(error))
    return _disk_full(request, "The disk for files that arrive is full")


def _disk_full(request: WebRequest, what: str) -> Response[bytes]:
    request.app.state.disk.fill()
    return render_refusal(
        request, Unavailable(f"{what}; nothing was stored. What only reads is still answered.", "disk_full")
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


def encode_refusal(refusal: Refusal, request_id: str) -> bytes:
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
