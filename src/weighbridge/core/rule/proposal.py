"""A proposal is the correction of a rule that needs approval: held with its result, and in force nowhere.

A result proposes while its record fails and the rule has a correction for it. A person approves it, which
puts the correction in force, or rejects it. A proposal that has nothing to stand on any more is withdrawn, or
superseded when that is found out only as someone approves it; either may be made again. A decision is about
one value: when the rule comes to another one, that is proposed anew.

Invariants: there is no other move than those listed; the same decision again changes nothing, and the
opposite one is refused.
"""

from enum import StrEnum
from typing import Final


class ApprovalState(StrEnum):
    """Where the correction that a result proposes stands."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"


class ProposalTrigger(StrEnum):
    """What moves a proposal."""

    PROPOSE = "propose"
    """An evaluation finds the record failing, with a correction for it."""

    PROPOSE_ANEW = "propose_anew"
    """It finds another correction than the one that a person decided on."""

    WITHDRAW = "withdraw"
    """Its record fails no more or has no correction, its result is dismissed, its rule changed or removed."""

    TAKE_BACK = "take_back"
    """The correction that was approved is reverted: the rule says it no more, or a person reverted it."""

    APPROVE = "approve"
    """A person lets the correction be, and the rule still comes to it."""

    SUPERSEDE = "supersede"
    """A person lets the correction be, and its data have changed meanwhile."""

    REJECT = "reject"
    """A person refuses the correction, with a reason."""


MOVES: Final = {
    (None, ProposalTrigger.PROPOSE): ApprovalState.PENDING,
    (ApprovalState.PENDING, ProposalTrigger.PROPOSE): ApprovalState.PENDING,
    (ApprovalState.WITHDRAWN, ProposalTrigger.PROPOSE): ApprovalState.PENDING,
    (ApprovalState.SUPERSEDED, ProposalTrigger.PROPOSE): ApprovalState.PENDING,
    (ApprovalState.APPROVED, ProposalTrigger.PROPOSE_ANEW): ApprovalState.PENDING,
    (ApprovalState.REJECTED, ProposalTrigger.PROPOSE_ANEW): ApprovalState.PENDING,
    (ApprovalState.PENDING, ProposalTrigger.WITHDRAW): ApprovalState.WITHDRAWN,
    (ApprovalState.APPROVED, ProposalTrigger.TAKE_BACK): ApprovalState.WITHDRAWN,
    (ApprovalState.PENDING, ProposalTrigger.APPROVE): ApprovalState.APPROVED,
    (ApprovalState.APPROVED, ProposalTrigger.APPROVE): ApprovalState.APPROVED,
    (ApprovalState.SUPERSEDED, ProposalTrigger.APPROVE): ApprovalState.SUPERSEDED,
    (ApprovalState.PENDING, ProposalTrigger.SUPERSEDE): ApprovalState.SUPERSEDED,
    (ApprovalState.PENDING, ProposalTrigger.REJECT): ApprovalState.REJECTED,
    (ApprovalState.REJECTED, ProposalTrigger.REJECT): ApprovalState.REJECTED,
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
