"""The conditions of a batch: whether it says what its data say now, and whether a report holds some of it.

Several may hold of one batch: one that is reported may be stale. Pages, the strip of periods and the
interface name them alike, in the order of `BatchCondition`.
"""

from enum import StrEnum
from typing import Final


class BatchCondition(StrEnum):
    """A condition of a batch, the most urgent first."""

    STALE = "stale"
    """Something that it was made of has changed since."""

    NOT_COUNTED_YET = "not_counted_yet"
    """Events of its slot wait for a generation."""

    WAITING_FOR_APPROVAL = "waiting_for_approval"
    """Corrections of its data are proposed, and nobody has decided on them."""

    UP_TO_DATE = "up_to_date"
    """None of these."""

    REPORTED = "reported"
    """Reports hold some of it."""


LEDGER_CONDITIONS: Final = tuple(
    condition for condition in BatchCondition if condition is not BatchCondition.REPORTED
)
"""The conditions of a ledger: those that hold of any of its batches."""


def list_conditions(
    *, is_stale: bool, waiting_event_count: int, pending_proposal_count: int, is_reported: bool = False
) -> list[BatchCondition]:
    """The conditions that hold, in their order; one of the first four at least."""
    open_ones = [
        condition
        for condition, holds in (
            (BatchCondition.STALE, is_stale),
            (BatchCondition.NOT_COUNTED_YET, waiting_event_count > 0),
            (BatchCondition.WAITING_FOR_APPROVAL, pending_proposal_count > 0),
        )
        if holds
    ]
    return [*(open_ones or [BatchCondition.UP_TO_DATE]), *([BatchCondition.REPORTED] if is_reported else [])]
