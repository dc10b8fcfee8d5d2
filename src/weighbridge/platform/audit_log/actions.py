"""Leave a row in the audit log."""

from typing import Any, Final

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Write
from weighbridge.db.json import jsonb

AUDIT_COLUMNS: Final = "account_id, project_id, user_id, token_id, request_id, action, object, before, after"


async def record(
    tx: Write,
    actor: Actor,
    *,
    action: str,
    target: str,
    project_id: int | None = None,
    before: Any = None,
    after: Any = None,
) -> None:
    """Write down that the actor did something to an object."""
    tx.later(
        f"INSERT INTO audit_log ({AUDIT_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (
            actor.account_id, project_id, actor.user_id, actor.token_id, actor.request_id, action, target,
            jsonb(before), jsonb(after),
        ),
    )  # fmt: skip
