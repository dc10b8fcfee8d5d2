"""A report's state says who has it, and what of its amounts: nothing, reserved, or posted.

A draft reserves nothing. Whoever submits it reserves its amounts; they stay reserved until the receiver has
decided, and while it is not certain that nothing was received. What is accepted is posted, what is rejected
is given back. A report that is restated is superseded: by the submission of the next one while it waits
itself, by its acceptance once it is complete.

Invariants: there is no other move than those listed; of a chain at most one report holds amounts reserved,
and at most one states what is posted.
"""

from enum import StrEnum
from typing import Final


class ReportStatus(StrEnum):
    """Where a report stands."""

    DRAFT = "draft"
    SUBMITTING = "submitting"
    SUBMITTED = "submitted"
    COMPLETE = "complete"
    REJECTED = "rejected"
    FAILED = "failed"
    SUPERSEDED = "superseded"


class ReportTrigger(StrEnum):
    """What moves a report."""

    SUBMIT = "submit"
    """A person sends it off, or sends off again what failed on its way."""

    DELIVER = "deliver"
    """The adapter says that it was received."""

    FAIL = "fail"
    """The adapter cannot say that it was received, nor that it was not."""

    ACCEPT = "accept"
    """The receiver accepts it."""

    REJECT = "reject"
    """The receiver rejects it, or it is certain that nothing was received."""

    SUPERSEDE = "supersede"
    """A report that restates it takes its place."""


MOVES: Final = {
    (ReportStatus.DRAFT, ReportTrigger.SUBMIT): ReportStatus.SUBMITTING,
    (ReportStatus.FAILED, ReportTrigger.SUBMIT): ReportStatus.SUBMITTING,
    (ReportStatus.SUBMITTING, ReportTrigger.DELIVER): ReportStatus.SUBMITTED,
    (ReportStatus.SUBMITTING, ReportTrigger.FAIL): ReportStatus.FAILED,
    (ReportStatus.SUBMITTED, ReportTrigger.ACCEPT): ReportStatus.COMPLETE,
    (ReportStatus.SUBMITTED, ReportTrigger.REJECT): ReportStatus.REJECTED,
    (ReportStatus.FAILED, ReportTrigger.REJECT): ReportStatus.REJECTED,
    (ReportStatus.SUBMITTED, ReportTrigger.SUPERSEDE): ReportStatus.SUPERSEDED,
    (ReportStatus.COMPLETE, ReportTrigger.SUPERSEDE): ReportStatus.SUPERSEDED,
}
"""From a state, by a trigger, to a state."""

RESERVING: Final = (ReportStatus.SUBMITTING, ReportStatus.SUBMITTED, ReportStatus.FAILED)
"""States in which a report holds its amounts reserved."""

RESTATABLE: Final = (ReportStatus.SUBMITTED, ReportStatus.COMPLETE, ReportStatus.REJECTED)
"""States in which the last report of a chain may be restated."""


def may(status: ReportStatus, trigger: ReportTrigger) -> bool:
    """Whether a trigger moves a report that stands there."""
    return (status, trigger) in MOVES


def advance(status: ReportStatus, trigger: ReportTrigger) -> ReportStatus:
    """The state after the trigger; raises ValueError for a move that the table does not list."""
    try:
        return MOVES[status, trigger]
    except KeyError:
        raise ValueError(f"a report that is {status} does not {trigger}") from None
