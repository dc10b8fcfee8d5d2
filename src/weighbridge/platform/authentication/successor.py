"""The successor: the user who answers from now on for what somebody else has made."""

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid


async def need_user(tx: Read, actor: Actor, email: str, field: str) -> int:
    """The number of the user with an address; Invalid where there is none, or they were shut out."""
    rows = await tx.tuples(
        "SELECT id, disabled_at IS NOT NULL FROM users WHERE account_id = %s AND lower(email) = lower(%s)",
        (actor.account_id, email.strip()),
    )
    if not rows:
        message = f"{field} is {shorten(email)!r}, which is the address of no user of the account."
        raise Invalid([Problem(message, field, "unknown")])
    [(number, is_shut_out), *_] = rows
    if is_shut_out:
        message = f"{field} is {shorten(email)!r}, who was shut out; name somebody who may act."
        raise Invalid([Problem(message, field, "invalid")])
    return int(number)
