"""Decide on whom a user may act, and find the user to whom somebody else's tokens and links pass."""

from collections.abc import Iterable

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Forbidden, Invalid

# Authority: nobody acts on somebody who may do more than themselves.
#
# Who may do more has more to lose: a link for another password would sign one in as them, a token would act
# in their name, and to shut them out would leave the account to somebody who was never given it.
#
# Invariant: what a user may do is looked at under a lock that lasts as long as the transaction, so nobody
# is given more between the look and the act.


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
    held = {permission for (permissions,) in rows for permission in permissions}
    held |= {one for (one,) in await tx.tuples(_OF_TOKENS, named)}
    refuse_beyond(actor, sorted(held), "Nobody acts on somebody who may do more than themselves")


def refuse_beyond(actor: Actor, permissions: Iterable[str], rule: str) -> None:
    """Raise Forbidden, by a rule, where the actor lacks some of the permissions."""
    if beyond := actor.beyond(permissions):
        raise Forbidden(f"{rule}: {', '.join(beyond)}.", "permission_missing")


# The successor: the user who answers from now on for what somebody else has made.


async def need_user(tx: Read, actor: Actor, email: str, field: str) -> int:
    """The number of the user with an address; Invalid where there is none, or they were shut out.

    Upper and lower case make no difference, unless addresses of the account differ in nothing else.
    """
    rows = await tx.tuples(_ALIKE, {"account": actor.account_id, "email": email.strip()})
    alike = [row for row in rows if row[1] == email.strip()] or rows
    if not alike:
        message = f"{field} is {shorten(email)!r}, which is the address of no user of the account."
        raise Invalid([Problem(message, field, "unknown")])
    if len(alike) > 1:
        spelled = " and ".join(shorten(address) for _, address, _ in alike)
        message = f"{field} is {shorten(email)!r}, which is the address of {len(alike)} users: {spelled}."
        raise Invalid([Problem(message, field, "invalid")])
    [(number, _, is_shut_out)] = alike
    if is_shut_out:
        message = f"{field} is {shorten(email)!r}, who was shut out; name somebody who may act."
        raise Invalid([Problem(message, field, "invalid")])
    return int(number)


_ALIKE = """
    SELECT id, email, disabled_at IS NOT NULL FROM users
     WHERE account_id = %(account)s AND lower(email) = lower(%(email)s) ORDER BY id
"""
