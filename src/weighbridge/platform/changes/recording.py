"""Record a write: its audit row, and everything else that has to be known of it."""

from typing import Any

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Write
from weighbridge.platform.changes.audit_row import audit_row
from weighbridge.platform.changes.obligations import refuse_forgotten
from weighbridge.platform.changes.trace import Trace


def record(
    tx: Write,
    actor: Actor,
    *traces: Trace | None,
    action: str,
    target: str,
    project_id: int | None = None,
    before: Any = None,
    after: Any = None,
) -> None:
    """Write down that the actor did something to an object, and leave what follows from what it changed.

    None stands for a trace that this time there is not. Raises ForgottenError when the action is unknown, or
    lacks a trace that it owes: a mistake in the code, never in a request.
    """
    traces_left = [trace for trace in traces if trace is not None]
    refuse_forgotten(action, traces_left, before, after)
    tx.later(
        *audit_row(actor, action=action, target=target, project_id=project_id, before=before, after=after)
    )
    # The feed of changes is told by triggers on the tables of what it tells of.
    if traces_left:
        assert project_id is not None, f"{action} changes records of a project"  # noqa: S101
        leave(tx, project_id, *traces_left)


def leave(tx: Write, project: int, *traces: Trace) -> None:
    """Leave traces of a part of a write, where machinery works in portions; its caller records the whole."""
    for trace in traces:
        for statement, values in trace.statements(project):
            tx.later(statement, values)
