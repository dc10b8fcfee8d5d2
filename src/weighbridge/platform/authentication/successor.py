"""The successor: the user who answers from now on for what somebody else has made."""

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid


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
