"""Every refusal leaves in one shape: status, statusCode, errors and the id of the request."""

from typing import Any, Final

import msgspec
import structlog
from litestar import Response
from litestar.exceptions import HTTPException
from psycopg import OperationalError
from psycopg.errors import (
    DeadlockDetected,
    ForeignKeyViolation,
    LockNotAvailable,
    QueryCanceled,
    UniqueViolation,
)
from psycopg_pool import PoolTimeout

from weighbridge.core.problem import Problem
from weighbridge.errors import (
    Conflict,
    Damaged,
    Refusal,
    TooLarge,
    TooManyRequests,
    TooSlow,
    Unauthorized,
    Unavailable,
)
from weighbridge.http.caller import WebRequest

log = structlog.get_logger()

_RETRY_AFTER_SECONDS = 2

MESSAGE_LENGTH_MAX: Final = 1_000
"""Characters of a message; one that quotes more of the request loses its middle."""

_BUSY = {
    QueryCanceled.sqlstate: "The request took longer than the service allows; ask for less at once.",
    DeadlockDetected.sqlstate: "The request got in the way of another one; try again.",
    LockNotAvailable.sqlstate: "The request waited too long for another one; try again.",
}
"""Why the database could not do something now, by its own code for it."""

_SENTENCES = {
    404: "There is nothing at this path.",
    405: "This path does not take this method.",
}


class ErrorItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that is wrong."""

    message: str
    field: str | None = None
    code: str | None = None
    records: tuple[str, ...] = ()
    """Ids of the records that are in the way."""


class ErrorBody(msgspec.Struct, frozen=True, rename={"status_code": "statusCode"}):
    """The body of every answer that is not a success."""

    status: str
    status_code: int
    errors: list[ErrorItem]
    request_id: str


def refused(request: WebRequest, refusal: Refusal) -> Response[bytes]:
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
    if isinstance(refusal, Unavailable):
        headers["Retry-After"] = str(_RETRY_AFTER_SECONDS)
    if isinstance(refusal, TooManyRequests):
        headers["Retry-After"] = str(refusal.retry_after_seconds)
    if isinstance(refusal, TooSlow):
        headers["Connection"] = "close"
    return _rendered(request, refusal.status, refusal.problems, headers)


def refused_by_framework(request: WebRequest, error: HTTPException) -> Response[bytes]:
    """Answer with a refusal of the framework: no such path, wrong method, body too large."""
    sentence = _SENTENCES.get(error.status_code, f"{error.detail.rstrip('.')}.")
    if error.status_code == TooLarge.status:
        limit = request.route_handler.resolve_request_max_body_size() or 0
        sentence = f"The body is larger than this request takes; it takes {limit:,} bytes at most."
    return _rendered(request, error.status_code, (Problem(sentence),), dict(error.headers or {}))


def overtaken(request: WebRequest, _: UniqueViolation | ForeignKeyViolation) -> Response[bytes]:
    """Answer when another request changed what this one had checked, between its check and its write."""
    return refused(
        request,
        Conflict(
            "Another request stored or removed what this one depends on; nothing was stored. Send it again."
        ),
    )


def database_away(request: WebRequest, error: OperationalError | PoolTimeout) -> Response[bytes]:
    """Answer while the database restarts or cannot be reached."""
    log.warning("database_unavailable", error=str(error))
    state = getattr(error, "sqlstate", None)
    return refused(
        request, Unavailable(_BUSY.get(state, "The database cannot be reached just now; try again."))
    )


def broken(request: WebRequest, error: Exception) -> Response[bytes]:
    """Answer for a mistake of ours; the log has the trace under the request id."""
    log.error("request_failed", exc_info=error, request_id=_request_id(request))
    return _rendered(
        request, 500, (Problem("The service made a mistake; it is logged under the request id."),), {}
    )


HANDLERS: Any = {
    Refusal: refused,
    HTTPException: refused_by_framework,
    UniqueViolation: overtaken,
    ForeignKeyViolation: overtaken,
    OperationalError: database_away,
    PoolTimeout: database_away,
    Exception: broken,
}
"""What `app` hands to the framework."""


def _rendered(
    request: WebRequest, status: int, problems: tuple[Problem, ...], headers: dict[str, str]
) -> Response[bytes]:
    body = ErrorBody(
        "error",
        status,
        [
            ErrorItem(_short(problem.message), problem.field, problem.code, problem.records)
            for problem in problems
        ],
        _request_id(request),
    )
    return Response(
        msgspec.json.encode(body), status_code=status, media_type="application/json", headers=headers
    )


def _short(message: str) -> str:
    """The message without the middle of what it quotes, when that is long; its end says what is allowed."""
    if len(message) <= MESSAGE_LENGTH_MAX:
        return message
    half = MESSAGE_LENGTH_MAX // 2
    return f"{message[:half]}…{message[-half:]}"


def _request_id(request: WebRequest) -> str:
    return str(request.scope.get("state", {}).get("request_id", ""))
