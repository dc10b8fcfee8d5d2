"""What becomes of what a rule found: its results, its proposals and its runs, each a table of states and
moves.

A rule result is what a version of a rule found in one record; a failure that lasts is an alert. A record
that never failed has no result. A result is open until its record passes, or, once it was dismissed, until
its record fails anew: with another value than the one that was dismissed. A later failure is another result.

A proposal is the correction of a rule that needs approval: kept with its result, and in force nowhere. A
result proposes while its record fails and the rule has a correction for it. A person approves it, which puts
the correction in force, or rejects it. A proposal without a reason any more is withdrawn, or superseded when
that is found out only as someone approves it; either may be made again. A decision is about one value: when
the rule calculates another one, it is proposed again. While its result is open, a decision may be reversed by
the opposite one: an approval until a batch was made of its correction, a rejection whenever the rule still
calculates what was rejected.

A rule run is one evaluation of a version of a rule over a period, with what it came to. A run that a task
carries out has the state of its task; one that evaluates what has just changed is written down complete.
Reversing a run removes the corrections that it wrote.

Invariants: there is no other move than those listed; a result that is closed, and a run that is failed or
reversed, stays as it is; the same decision on a proposal again changes nothing.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from enum import StrEnum
from typing import Final, TypeVar

Before = TypeVar("Before")
After = TypeVar("After")
Trigger = TypeVar("Trigger")


class ResultStatus(StrEnum):
    """The state of a result."""

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


RESULT_MOVES: Final = {
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


class ApprovalState(StrEnum):
    """The state of the correction that a result proposes."""

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
    """The approved correction is reverted: the rule no longer calculates it, or a person reverted it."""

    APPROVE = "approve"
    """A person permits the correction, which may have been rejected, and the rule still calculates it."""

    SUPERSEDE = "supersede"
    """A person permits the correction, and its data have changed meanwhile."""

    REJECT = "reject"
    """A person refuses the correction, which may be in force by an approval, with a reason."""


PROPOSAL_MOVES: Final[Mapping[tuple[ApprovalState | None, ProposalTrigger], ApprovalState]] = {
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
    (ApprovalState.REJECTED, ProposalTrigger.APPROVE): ApprovalState.APPROVED,
    (ApprovalState.SUPERSEDED, ProposalTrigger.APPROVE): ApprovalState.SUPERSEDED,
    (ApprovalState.PENDING, ProposalTrigger.SUPERSEDE): ApprovalState.SUPERSEDED,
    (ApprovalState.REJECTED, ProposalTrigger.SUPERSEDE): ApprovalState.SUPERSEDED,
    (ApprovalState.PENDING, ProposalTrigger.REJECT): ApprovalState.REJECTED,
    (ApprovalState.APPROVED, ProposalTrigger.REJECT): ApprovalState.REJECTED,
    (ApprovalState.REJECTED, ProposalTrigger.REJECT): ApprovalState.REJECTED,
}
"""From a state, by a trigger, to a state; a result without a proposal has none."""


class RunState(StrEnum):
    """The state of a run."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    REVERSED = "reversed"


class RunKind(StrEnum):
    """Why a run was made."""

    AUTOMATIC = "automatic"
    """Data changed."""

    BACKFILL = "backfill"
    """The rule did: it was made, has a new version, or holds for longer."""

    RE_EVALUATION = "re_evaluation"
    """Someone asked for it."""


class RunTrigger(StrEnum):
    """What moves a run."""

    ATTEMPT = "attempt"
    SUCCEED = "succeed"
    FAIL = "fail"
    REVERSE = "reverse"


@dataclass(frozen=True, slots=True)
class RunCounts:
    """What evaluating a rule came to, as numbers."""

    evaluated: int = 0
    """Records that were looked at."""
    alerts: int = 0
    """Those of them that the rule alerts on."""
    changed: int = 0
    """Results, corrections and proposals that are not what they were."""
    corrections: int = 0
    """Corrections that were written."""
    withdrawn: int = 0
    """Corrections of the rule that were taken back."""
    proposals: int = 0
    """Corrections that were proposed, or proposed anew."""

    @property
    def corrects(self) -> bool:
        """Whether values, or what is proposed for them, are not what they were."""
        return bool(self.corrections or self.withdrawn or self.proposals)

    def plus(self, other: "RunCounts") -> "RunCounts":
        """Both together."""
        return RunCounts(
            *(count + another for count, another in zip(astuple(self), astuple(other), strict=True))
        )


RUN_MOVES: Final = {
    (RunState.PENDING, RunTrigger.ATTEMPT): RunState.RUNNING,
    (RunState.PENDING, RunTrigger.FAIL): RunState.FAILED,
    (RunState.RUNNING, RunTrigger.ATTEMPT): RunState.RUNNING,
    (RunState.RUNNING, RunTrigger.SUCCEED): RunState.COMPLETE,
    (RunState.RUNNING, RunTrigger.FAIL): RunState.FAILED,
    (RunState.COMPLETE, RunTrigger.REVERSE): RunState.REVERSED,
    (RunState.REVERSED, RunTrigger.REVERSE): RunState.REVERSED,
}
"""From a state, by a trigger, to a state. A running run that is attempted again lost its worker."""


def advance_result(status: ResultStatus, trigger: ResultTrigger) -> ResultStatus:
    """Return the status after the trigger; raises ValueError for a move that the table does not list."""
    return _advance(RESULT_MOVES, status, trigger, "a result that is {} does not change when it {}")


def advance_proposal(state: ApprovalState | None, trigger: ProposalTrigger) -> ApprovalState:
    """Return the state after the trigger; raises ValueError for a move that the table does not list."""
    return _advance(PROPOSAL_MOVES, state, trigger, "a proposal that is {} does not {}")


def advance_run(state: RunState, trigger: RunTrigger) -> RunState:
    """Return the state after the trigger; raises ValueError for a move that the table does not list."""
    return _advance(RUN_MOVES, state, trigger, "a rule run that is {} does not {}")


def _advance(
    moves: Mapping[tuple[Before, Trigger], After], state: Before, trigger: Trigger, refusal: str
) -> After:
    try:
        return moves[state, trigger]
    except KeyError:
        raise ValueError(refusal.format(state, trigger)) from None


def list_run_states_before(trigger: RunTrigger) -> list[str]:
    """List the states that a trigger can move a run from."""
    return [state.value for state, by in RUN_MOVES if by is trigger]


def list_proposal_states_before(trigger: ProposalTrigger) -> list[str | None]:
    """List the states that a trigger can move a proposal from; None for a result without one."""
    return [None if state is None else state.value for state, by in PROPOSAL_MOVES if by is trigger]


def list_proposal_states_changed_by(trigger: ProposalTrigger) -> list[ApprovalState]:
    """List the states that a trigger moves a proposal from to another one."""
    moves = PROPOSAL_MOVES.items()
    return [state for (state, by), after in moves if by is trigger and state not in (None, after)]


def list_statuses_before(trigger: ResultTrigger) -> list[str]:
    """List the statuses that a trigger can move a result from."""
    return [status.value for status, by in RESULT_MOVES if by is trigger]


def list_statuses_closed_by(*triggers: ResultTrigger) -> list[str]:
    """List the statuses of open results that any of the triggers closes."""
    return [
        status.value for status in ResultStatus if any((status, trigger) in CLOSES for trigger in triggers)
    ]


def list_statuses_open_to(trigger: ResultTrigger) -> list[str]:
    """List the statuses of open results that become what is found, and go on."""
    moves = (RESULT_MOVES.get((status, trigger)) for status in ResultStatus)
    return [
        status.value
        for status, after in zip(ResultStatus, moves, strict=True)
        if after in ALERTS and (status, trigger) not in CLOSES
    ]


def list_statuses_changed_by(trigger: ResultTrigger) -> list[str]:
    """List the statuses that a trigger moves a result from to another one."""
    return [
        status.value for (status, by), after in RESULT_MOVES.items() if by is trigger and after is not status
    ]
