"""What can go wrong with a call, each as a class that a program can tell apart.

Invariant: whatever the service refuses comes with its status, its sentences and its request id.
"""

from typing import Any, ClassVar

import msgspec


class ErrorItem(msgspec.Struct, frozen=True, kw_only=True):
    """One problem: a sentence for people, a code for programs, and the field that it is about."""

    message: str
    code: str | None = None
    field: str | None = None
    records: list[str] = []
    type: str | None = None
    id: Any = None


class WeighbridgeError(Exception):
    """Anything that this client raises on purpose."""


class Unreachable(WeighbridgeError):
    """The service did not answer, however often it was asked; what was sent may have arrived."""


class UnreadableAnswer(WeighbridgeError):
    """Something answered that does not speak the service's interface."""


class Refused(WeighbridgeError):
    """The service refused the call; `errors` says all that is wrong with it."""

    def __init__(self, status: int, errors: list[ErrorItem], request_id: str | None) -> None:
        self.status = status
        self.errors = errors
        self.request_id = request_id
        told = " ".join(f"{each.field}: {each.message}" if each.field else each.message for each in errors)
        super().__init__(f"{status} {told}" + (f" (request {request_id})" if request_id else ""))


class BadRequest(Refused):
    """400: the request has a wrong shape, or a parameter that the operation does not take."""


class Unauthenticated(Refused):
    """401: there is no token, or it is not known, has expired or was revoked."""


class Forbidden(Refused):
    """403: the token lacks the permission, or the account the feature."""


class NotFound(Refused):
    """404: the record is not there, or not the account's."""


class Conflict(Refused):
    """409: the records are in a state that does not allow it."""


class Invalid(Refused):
    """422: a rule of the domain is broken; nothing was stored."""


class RateLimited(Refused):
    """429: a limit of requests or a quota is used up."""


class Failed(Refused):
    """5xx: the service could not do it."""


class TaskFailed(WeighbridgeError):
    """A task that was waited for has failed; `task` is its record."""

    def __init__(self, task: Any) -> None:
        self.task = task
        super().__init__(f"Task {task.id} ({task.type}) failed: {task.error_message}")


class TaskTimeout(WeighbridgeError):
    """A task that was waited for had not ended in time; it goes on."""


class _Body(msgspec.Struct):
    kinds: ClassVar[dict[int, type[Refused]]] = {
        400: BadRequest,
        401: Unauthenticated,
        403: Forbidden,
        404: NotFound,
        409: Conflict,
        422: Invalid,
        429: RateLimited,
    }
    errors: list[ErrorItem]
    request_id: str | None = None


def refusal(status: int, content: bytes) -> WeighbridgeError:
    """The error that an answer stands for which is no success."""
    try:
        body = msgspec.json.decode(content, type=_Body)
    except msgspec.DecodeError:
        shown = content[:200].decode(errors="replace")
        return UnreadableAnswer(f"The answer has status {status} and no errors of the service: {shown!r}")
    return _Body.kinds.get(status, Failed if status >= 500 else Refused)(status, body.errors, body.request_id)
