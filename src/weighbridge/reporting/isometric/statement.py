"""The states of a statement at the registry, and what they say of a report of ours.

>>> read_decision(StatementStatus.VERIFIED) is None
True
"""

from enum import StrEnum
from typing import Final

from weighbridge.core.report import ReportTrigger


class StatementStatus(StrEnum):
    """The state of a statement, in the registry's words."""

    DRAFT = "DRAFT"
    AWAITING_VERIFICATION = "AWAITING_VERIFICATION"
    VERIFIED = "VERIFIED"
    CREDITS_ISSUED = "CREDITS_ISSUED"
    FAILED_VERIFICATION = "FAILED_VERIFICATION"


DECISIONS: Final = {
    StatementStatus.CREDITS_ISSUED: ReportTrigger.ACCEPT,
    StatementStatus.FAILED_VERIFICATION: ReportTrigger.REJECT,
}
"""The states that decide of a report: a verified one waits until credits are issued."""


def read_decision(status: str) -> ReportTrigger | None:
    """What a state decides of a report; None while nothing is decided, and for a word that is not known."""
    return DECISIONS.get(StatementStatus(status)) if status in set(StatementStatus) else None
