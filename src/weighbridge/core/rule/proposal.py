"""A proposal is the correction of a rule that needs approval: held with its result, and in force nowhere.

A result proposes while its record fails and the rule has a correction for it. A proposal that has nothing to
stand on any more is withdrawn; it may be made again.

Invariants: there is no other move than those listed; what a person decided stays as it is.
"""

from enum import StrEnum
from typing import Final


class ApprovalState(StrEnum):
    """Where the correction that a result proposes stands."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


class ProposalTrigger(StrEnum):
    """What moves a proposal."""

    PROPOSE = "propose"
    """An evaluation finds the record failing, with a correction for it."""

    WITHDRAW = "withdraw"
    """Its record fails no more or has no correction, its result is dismissed, its rule changed or removed."""


MOVES: Final = {
    (None, ProposalTrigger.PROPOSE): ApprovalState.PENDING,
    (ApprovalState.PENDING, ProposalTrigger.PROPOSE): ApprovalState.PENDING,
    (ApprovalState.PENDING, ProposalTrigger.WITHDRAW): ApprovalState.WITHDRAWN,
    (ApprovalState.WITHDRAWN, ProposalTrigger.PROPOSE): ApprovalState.PENDING,
}
"""From a state, by a trigger, to a state; a result without a proposal has none."""


def advance(state: ApprovalState | None, trigger: ProposalTrigger) -> ApprovalState:
    """The state after the trigger; raises ValueError for a move that the table does not list."""
    try:
        return MOVES[state, trigger]
    except KeyError:
        raise ValueError(f"a proposal that is {state} does not {trigger}") from None


def states_before(trigger: ProposalTrigger) -> list[str | None]:
    """The states that a trigger can move a proposal from; None for a result without one."""
    return [None if state is None else state.value for state, by in MOVES if by is trigger]
