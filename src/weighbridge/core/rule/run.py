"""A rule run is one evaluation of a version of a rule over a period, with what it came to.

A run that a task carries out stands where its task stands; one that evaluates what has just changed is
written down complete. Reversing a run removes the corrections that it wrote.

Invariants: there is no other move than those listed; a run that is failed or reversed stays so.
"""

from dataclasses import astuple, dataclass
from enum import StrEnum
from typing import Final


class RunState(StrEnum):
    """Where a run stands."""

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
        return RunCounts(*(one + another for one, another in zip(astuple(self), astuple(other), strict=True)))


MOVES: Final = {
    (RunState.PENDING, RunTrigger.ATTEMPT): RunState.RUNNING,
    (RunState.PENDING, RunTrigger.FAIL): RunState.FAILED,
    (RunState.RUNNING, RunTrigger.ATTEMPT): RunState.RUNNING,
    (RunState.RUNNING, RunTrigger.SUCCEED): RunState.COMPLETE,
    (RunState.RUNNING, RunTrigger.FAIL): RunState.FAILED,
    (RunState.COMPLETE, RunTrigger.REVERSE): RunState.REVERSED,
    (RunState.REVERSED, RunTrigger.REVERSE): RunState.REVERSED,
}
"""From a state, by a trigger, to a state. A running run that is attempted again lost its worker."""


def advance(state: RunState, trigger: RunTrigger) -> RunState:
    """The state after the trigger; raises ValueError for a move that the table does not list."""
    try:
        return MOVES[state, trigger]
    except KeyError:
        raise ValueError(f"a rule run that is {state} does not {trigger}") from None


def states_before(trigger: RunTrigger) -> list[str]:
    """The states that a trigger can move a run from."""
    return [state.value for state, by in MOVES if by is trigger]
