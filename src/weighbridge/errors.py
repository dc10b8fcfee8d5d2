"""The refusals of the service, each with the HTTP status it answers with.

An action collects every problem it finds and raises one of these once; `http` renders them.
"""

from collections.abc import Sequence
from secrets import token_hex

from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem


class Refusal(Exception):
    """The caller asked for something that cannot be done; nothing was changed."""

    status = 500
    code = "internal_error"
    """What a problem of such a refusal is called that says no code of its own."""

    retry_after_seconds: int | None = None
    """When the same request may succeed, where that is known."""

    def __init__(self, problems: Sequence[Problem] | str, code: str | None = None) -> None:
        self.problems = (Problem(problems, None, code),) if isinstance(problems, str) else tuple(problems)
        super().__init__("; ".join(problem.message for problem in self.problems))


class Malformed(Refusal):
    """The request has the wrong shape."""

    status = 400
    code = "malformed"


class Unauthorized(Refusal):
    """No usable token came with the request."""

    status = 401
    code = "unauthorized"


class Forbidden(Refusal):
    """The token lacks the permission that the route asks for."""

    status = 403
    code = "forbidden"


class NotFound(Refusal):
    """No such record, or a record of another account.

    Whoever looks a record up says its type and the id that was asked for; of the record that stands last in
    the path they may be left out.
    """

    status = 404
    code = "not_found"

    def __init__(
        self,
        type: str | None = None,  # noqa: A002 - the field's name
        id: str | int | None = None,  # noqa: A002
        *,
        message: str = "record not found",
        code: str = "not_found",
    ) -> None:
        named = None if id is None else shorten(str(id))
        super().__init__([Problem(message, None, code, (), type, named)])


class TooSlow(Refusal):
    """The body took longer to arrive than the service waits."""

    status = 408
    code = "too_slow"


class Conflict(Refusal):
    """The record is in a state that does not allow this."""

    status = 409
    code = "conflict"


class Gone(Refusal):
    """What was asked for was here, and is not kept any more."""

    status = 410
    code = "cursor_expired"


class TooLarge(Refusal):
    """The body is over the limit."""

    status = 413
    code = "too_large"


class UnsupportedMediaType(Refusal):
    """The body has a content type that the route does not read."""

    status = 415
    code = "unsupported_media_type"


class Invalid(Refusal):
    """The request has the right shape and breaks a rule."""

    status = 422
    code = "invalid"


class TooManyRequests(Refusal):
    """The token, or its account, has asked for as much as it may; later it may ask again."""

    status = 429
    code = "rate_limited"

    def __init__(self, problems: Sequence[Problem] | str, *, retry_after_seconds: int) -> None:
        super().__init__(problems)
        self.retry_after_seconds = retry_after_seconds


class Damaged(Refusal):
    """What was stored is not what comes back."""

    status = 500
    code = "damaged"


class Unavailable(Refusal):
    """The service cannot answer just now; the same request may succeed later."""

    status = 503
    code = "unavailable"
    retry_after_seconds = 2


def new_reference() -> str:
    """A word by which an unexpected error is found in the log, and which says nothing else of it."""
    return f"err_{token_hex(12)}"


def mistake(reference: str) -> str:
    """The message of an unexpected error, whose own text stays in the log."""
    return f"internal error. Reference: {reference}."
