"""Authority: nobody acts on somebody who may do more than themselves.

Who may do more has more to lose: a link for another password would sign one in as them, a token would act in
their name, and to shut them out would leave the account to somebody who was never given it.

Invariant: what a user may do is looked at under a lock that lasts as long as the transaction, so nobody is
given more between the look and the act.
"""

from collections.abc import Iterable

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Write
from weighbridge.errors import Forbidden

_OF_USER = """
    SELECT permissions FROM users WHERE account_id = %(account)s AND id = %(user)s FOR NO KEY UPDATE
"""
_OF_TOKENS = """
    SELECT DISTINCT unnest(permissions) FROM api_tokens
     WHERE account_id = %(account)s AND user_id = %(user)s AND revoked_at IS NULL
       AND coalesce(expires_at > now(), true)
"""


async def refuse_above(tx: Write, actor: Actor, user_id: int) -> None:
    """Raise Forbidden where a user may do more than the actor, at the pages or by a token that works."""
    if user_id == actor.user_id:
        return
    named = {"account": actor.account_id, "user": user_id}
    rows = await tx.tuples(_OF_USER, named)
    held = {one for (permissions,) in rows for one in permissions}
    held |= {one for (one,) in await tx.tuples(_OF_TOKENS, named)}
    refuse_beyond(actor, sorted(held), "Nobody acts on somebody who may do more than themselves")


def refuse_beyond(actor: Actor, permissions: Iterable[str], rule: str) -> None:
    """Raise Forbidden, by a rule, where the actor lacks some of the permissions."""
    if beyond := actor.beyond(permissions):
        raise Forbidden(f"{rule}: {', '.join(beyond)}.", "permission_missing")
