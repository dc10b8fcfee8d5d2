"""The refusals of the service, each with the HTTP status it answers with.

An action collects every problem it finds and raises one of these once; `http` renders them.
"""

from collections.abc import Sequence

from weighbridge.core.problem import Problem


class Refusal(Exception):
    """The caller asked for something that cannot be done; nothing was changed."""

    status = 500

    def __init__(self, problems: Sequence[Problem] | str) -> None:
        self.problems = (Problem(problems),) if isinstance(problems, str) else tuple(problems)
        super().__init__("; ".join(problem.message for problem in self.problems))


class Malformed(Refusal):
    """The request has the wrong shape."""

    status = 400


class Unauthorized(Refusal):
    """No usable token came with the request."""

    status = 401


class Forbidden(Refusal):
    """The token lacks the permission that the route asks for."""

    status = 403


class NotFound(Refusal):
    """No such record, or a record of another account."""

    status = 404

    def __init__(self, problems: Sequence[Problem] | str = "record not found") -> None:
        super().__init__(problems)


class TooSlow(Refusal):
    """The body took longer to arrive than the service waits."""

    status = 408


class Conflict(Refusal):
    """The record is in a state that does not allow this."""

    status = 409


class TooLarge(Refusal):
    """The body is over the limit."""

    status = 413


class UnsupportedMediaType(Refusal):
    """The body has a content type that the route does not read."""

    status = 415


class Invalid(Refusal):
    """The request has the right shape and breaks a rule."""

    status = 422


class TooManyRequests(Refusal):
    """The token has used up its requests of this minute."""

    status = 429

    def __init__(self, problems: Sequence[Problem] | str, *, retry_after_seconds: int) -> None:
        super().__init__(problems)
        self.retry_after_seconds = retry_after_seconds


class Damaged(Refusal):
    """What was stored is not what comes back."""

    status = 500


class Unavailable(Refusal):
    """The service cannot answer just now; the same request may succeed later."""

    status = 503
