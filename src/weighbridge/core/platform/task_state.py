"""The states of an async task and the moves between them, as one table.

Invariants: a task that is complete or failed stays so; there is no other move than those listed.
"""

from enum import StrEnum
from typing import Final


class TaskState(StrEnum):
    """Where a task stands."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"


class Trigger(StrEnum):
    """What moves a task."""

    ATTEMPT = "attempt"
    SUCCEED = "succeed"
    FAIL = "fail"
    CANCEL = "cancel"


MOVES: Final = {
    (TaskState.PENDING, Trigger.ATTEMPT): TaskState.RUNNING,
    (TaskState.PENDING, Trigger.FAIL): TaskState.FAILED,
    (TaskState.PENDING, Trigger.CANCEL): TaskState.FAILED,
    (TaskState.RUNNING, Trigger.ATTEMPT): TaskState.RUNNING,
    (TaskState.RUNNING, Trigger.SUCCEED): TaskState.COMPLETE,
    (TaskState.RUNNING, Trigger.FAIL): TaskState.FAILED,
    (TaskState.RUNNING, Trigger.CANCEL): TaskState.FAILED,
}
"""From a state, by a trigger, to a state.

A running task that is attempted again lost its worker. One that is cancelled fails as any other does, so that
whoever polls it need know of no further state.
"""

ATTEMPTS_MAX: Final = 5
"""Attempts of one task; a task that outlives none of them fails for good."""


def advance(state: TaskState, trigger: Trigger) -> TaskState:
    """The state after the trigger; raises ValueError for a move that the table does not list."""
    try:
        return MOVES[state, trigger]
    except KeyError:
        raise ValueError(f"a task that is {state} does not {trigger}") from None


def states_before(trigger: Trigger) -> list[str]:
    """The states that a trigger can move a task from."""
    return [state.value for state, by in MOVES if by is trigger]
