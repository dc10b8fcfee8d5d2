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


NO_BATCHES: Final = "no_batches"
"""The condition of a ledger of which nothing else holds, and that has no batch yet."""

LEDGER_CONDITIONS: Final = (
    *(condition for condition in BatchCondition if condition is not BatchCondition.REPORTED),
    NO_BATCHES,
)
"""The conditions of a ledger: those that hold of any of its batches, or that it has none."""


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


def list_ledger_conditions(
    *, has_batches: bool, is_stale: bool, waiting_event_count: int, pending_proposal_count: int
) -> list[str]:
    """The conditions of a ledger: what holds of any of its batches; one that has none is not up to date."""
    conditions = list_conditions(
        is_stale=is_stale,
        waiting_event_count=waiting_event_count,
        pending_proposal_count=pending_proposal_count,
    )
    if has_batches or conditions != [BatchCondition.UP_TO_DATE]:
        return [*conditions]
    return [NO_BATCHES]
