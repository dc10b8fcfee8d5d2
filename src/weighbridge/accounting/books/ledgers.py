"""The key of a ledger that a caller names, once it is sure that it is one of the caller's account."""

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.errors import NotFound


async def key_of_ledger(tx: Read, actor: Actor, ledger: str) -> ids.Key:
    """The key of a ledger of the actor's account; raise NotFound when it has none of that id."""
    key = ids.parse("ledger", ledger)
    if key is None or not await tx.value(
        """
        SELECT true FROM ledgers l JOIN projects p ON p.id = l.project_id
         WHERE l.project_id = %s AND l.id = %s AND p.account_id = %s
        """,
        (key.project, key.key, actor.account_id),
    ):
        raise NotFound("ledger", ledger)
    return key
