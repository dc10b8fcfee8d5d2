"""A rule result is what a version of a rule found in one record; a failure that stands is an alert.

A record that never failed has no result. A result is open until its record passes, or, once it was
dismissed, until its record fails anew: with another value than the one that was dismissed. A later failure
is another result.

Invariants: there is no other move than those listed; a result that is closed stays as it is.
"""

from enum import StrEnum
from typing import Final


class ResultStatus(StrEnum):
    """Where a result stands."""

    FAIL = "fail"
    ERROR = "error"
    DISMISSED = "dismissed"
    PASS = "pass"  # noqa: S105 - a status, no password


class ResultTrigger(StrEnum):
    """What moves an open result: what an evaluation finds in its record, or a person's dismissal."""

    FAILS = "fails"
    """The rule's expression is true of the record, and of the same value as before."""

    FAILS_ANEW = "fails_anew"
    """It is true of another value than before."""

    PASSES = "passes"
    ERRS = "errs"
    """The expression has no value for the record, and the reason is the same as before."""

    ERRS_ANEW = "errs_anew"
    DISMISSED = "is_dismissed"


MOVES: Final = {
    (ResultStatus.FAIL, ResultTrigger.FAILS): ResultStatus.FAIL,
    (ResultStatus.FAIL, ResultTrigger.FAILS_ANEW): ResultStatus.FAIL,
    (ResultStatus.FAIL, ResultTrigger.PASSES): ResultStatus.PASS,
    (ResultStatus.FAIL, ResultTrigger.ERRS): ResultStatus.ERROR,
    (ResultStatus.FAIL, ResultTrigger.ERRS_ANEW): ResultStatus.ERROR,
    (ResultStatus.FAIL, ResultTrigger.DISMISSED): ResultStatus.DISMISSED,
    (ResultStatus.ERROR, ResultTrigger.FAILS): ResultStatus.FAIL,
    (ResultStatus.ERROR, ResultTrigger.FAILS_ANEW): ResultStatus.FAIL,
    (ResultStatus.ERROR, ResultTrigger.PASSES): ResultStatus.PASS,
    (ResultStatus.ERROR, ResultTrigger.ERRS): ResultStatus.ERROR,
    (ResultStatus.ERROR, ResultTrigger.ERRS_ANEW): ResultStatus.ERROR,
    (ResultStatus.ERROR, ResultTrigger.DISMISSED): ResultStatus.DISMISSED,
    (ResultStatus.DISMISSED, ResultTrigger.FAILS): ResultStatus.DISMISSED,
    (ResultStatus.DISMISSED, ResultTrigger.FAILS_ANEW): ResultStatus.DISMISSED,
    (ResultStatus.DISMISSED, ResultTrigger.PASSES): ResultStatus.DISMISSED,
    (ResultStatus.DISMISSED, ResultTrigger.ERRS): ResultStatus.DISMISSED,
    (ResultStatus.DISMISSED, ResultTrigger.ERRS_ANEW): ResultStatus.DISMISSED,
    (ResultStatus.DISMISSED, ResultTrigger.DISMISSED): ResultStatus.DISMISSED,
}
"""From a status, by a trigger, to a status."""

CLOSES: Final = frozenset(
    {
        (ResultStatus.FAIL, ResultTrigger.PASSES),
        (ResultStatus.ERROR, ResultTrigger.PASSES),
        (ResultStatus.DISMISSED, ResultTrigger.PASSES),
        (ResultStatus.DISMISSED, ResultTrigger.FAILS_ANEW),
        (ResultStatus.DISMISSED, ResultTrigger.ERRS_ANEW),
    }
)
"""The moves after which a result is closed."""

REOPENS: Final = frozenset(
    {(ResultStatus.DISMISSED, ResultTrigger.FAILS_ANEW), (ResultStatus.DISMISSED, ResultTrigger.ERRS_ANEW)}
)
"""The moves that leave an alert behind all the same: another result, in place of the closed one."""

ALERTS: Final = frozenset({ResultStatus.FAIL, ResultStatus.ERROR})
"""The statuses of a result that asks for someone's attention."""


def advance(status: ResultStatus, trigger: ResultTrigger) -> ResultStatus:
    """The status after the trigger; raises ValueError for a move that the table does not list."""
    try:
        return MOVES[status, trigger]
    except KeyError:
        raise ValueError(f"a result that is {status} does not change when it {trigger}") from None


def statuses_before(trigger: ResultTrigger) -> list[str]:
    """The statuses that a trigger can move a result from."""
    return [status.value for status, by in MOVES if by is trigger]


def statuses_closed_by(*triggers: ResultTrigger) -> list[str]:
    """The statuses of open results that any of the triggers closes."""
    return [status.value for status in ResultStatus if any((status, one) in CLOSES for one in triggers)]


def statuses_open_to(trigger: ResultTrigger) -> list[str]:
    """The statuses of open results that become what is found, and go on."""
    moves = (MOVES.get((status, trigger)) for status in ResultStatus)
    return [
        status.value
        for status, after in zip(ResultStatus, moves, strict=True)
        if after in ALERTS and (status, trigger) not in CLOSES
    ]


def statuses_changed_by(trigger: ResultTrigger) -> list[str]:
    """The statuses that a trigger moves a result from to another one."""
    return [status.value for (status, by), after in MOVES.items() if by is trigger and after is not status]
