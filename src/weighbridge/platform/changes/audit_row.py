"""The row that a write leaves in the audit log: who did what to which object, and the record around it."""

from typing import Any, Final, LiteralString

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Command
from weighbridge.db.json import jsonb

INSERT_AUDIT_ROW: Final[LiteralString] = """
    INSERT INTO audit_log (account_id, project_id, user_id, token_id, request_id, action, object, before,
                           after)"""
"""What comes behind gives the row, by VALUES or by SELECT."""


def audit_row(
    actor: Actor, *, action: str, target: str, project_id: int | None, before: Any, after: Any
) -> Command:
    """The statement that writes the row; the records become JSON."""
    return (
        f"{INSERT_AUDIT_ROW} VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (
            actor.account_id, project_id, actor.user_id, actor.token_id, actor.request_id, action, target,
            jsonb(before), jsonb(after),
        ),
    )  # fmt: skip
