"""Make accounts and users, find whom a command acts for, and forget who a person was."""

from typing import Final

from weighbridge.core.platform.permission import ALL_PERMISSIONS, Actor
from weighbridge.core.quantity.number import shorten
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.errors import Conflict, NotFound
from weighbridge.platform import changes

DEFAULT_ACCOUNT: Final = "default"
ADMINISTRATOR: Final = "administrator"


_REVOKE_ALL: Final = """
    WITH RECURSIVE branch (id) AS (
        SELECT id FROM api_tokens WHERE account_id = %(account)s AND user_id = %(user)s
         UNION SELECT t.id FROM api_tokens t JOIN branch b ON b.id = t.issued_by)
    UPDATE api_tokens SET revoked_at = now()
     WHERE id IN (SELECT id FROM branch) AND revoked_at IS NULL RETURNING id
"""


async def create_account(tx: Write, *, name: str, request_id: str) -> Actor:
    """Make an account with its administrator; raise Conflict when the name is taken."""
    account_id = await tx.value(
        "INSERT INTO accounts (name) VALUES (%s) ON CONFLICT DO NOTHING RETURNING id", (name,)
    )
    if account_id is None:
        raise Conflict(f"There is an account {name!r} already.")
    user_id = await ensure_user(tx, account_id, ADMINISTRATOR)
    actor = Actor(account_id, user_id, None, frozenset(ALL_PERMISSIONS), request_id)
    changes.record(tx, actor, action="account.create", target=str(account_id), after={"name": name})
    return actor


async def administrator_of(tx: Write, account: str, request_id: str) -> Actor:
    """The administrator of an account; the default account is made when it is first asked for."""
    account_id = await tx.value("SELECT id FROM accounts WHERE name = %s", (account,))
    if account_id is None and account == DEFAULT_ACCOUNT:
        await tx.execute(*locks.hold(locks.DEFAULT_ACCOUNT))
        account_id = await tx.value("SELECT id FROM accounts WHERE name = %s", (account,))
        if account_id is None:
            return await create_account(tx, name=account, request_id=request_id)
    if account_id is None:
        raise NotFound(message=f"There is no account {account!r}.")
    user_id = await ensure_user(tx, account_id, ADMINISTRATOR)
    return Actor(account_id, user_id, None, frozenset(ALL_PERMISSIONS), request_id)


async def ensure_user(tx: Write, account_id: int, email: str) -> int:
    """The id of a user of the account, who is made when new."""
    user_id: int = await tx.value(
        """
        INSERT INTO users (account_id, email, name) VALUES (%s, %s, %s)
        ON CONFLICT (account_id, email) DO UPDATE SET email = excluded.email RETURNING id
        """,
        (account_id, email, email.partition("@")[0]),
    )
    return user_id


async def erase_person(tx: Write, actor: Actor, email: str) -> int:
    """Forget who a user of the account was, and revoke their tokens with all that those issued.

    The user stays as a number, by which books and audit rows go on telling who did what apart from others.
    Raises NotFound when nobody has the address, Conflict for the administrator, who is no person.
    """
    if email == ADMINISTRATOR:
        raise Conflict(f"{ADMINISTRATOR!r} stands for the commands of this service and is no person.")
    await tx.execute(*locks.hold(locks.token_issue(actor.account_id)))
    user_id: int | None = await tx.value(
        """
        UPDATE users SET email = 'erased-' || id, name = 'erased-' || id, password_hash = NULL
         WHERE account_id = %s AND email = %s RETURNING id
        """,
        (actor.account_id, email),
    )
    if user_id is None:
        raise NotFound(message=f"The account has no user with the address {shorten(email)}.")
    revoked = await tx.tuples(_REVOKE_ALL, {"user": user_id, "account": actor.account_id})
    await tx.execute("UPDATE api_tokens SET name = 'erased-' || id WHERE user_id = %s", (user_id,))
    await tx.execute("DELETE FROM sessions WHERE user_id = %s", (user_id,))
    await tx.execute(
        """
        DELETE FROM access_links
         WHERE account_id = %s AND (user_id = %s OR lower(email) = lower(%s)
                                    OR made_by = %s AND used_at IS NULL)
        """,
        (actor.account_id, user_id, email, user_id),
    )
    after = {"revoked_tokens": sorted(number for (number,) in revoked)}
    changes.record(tx, actor, action="user.erase", target=str(user_id), after=after)
    return user_id
