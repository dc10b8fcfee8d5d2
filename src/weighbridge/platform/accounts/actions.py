"""Make accounts and users, and find whom a command acts for."""

from typing import Final

from weighbridge.core.platform.permission import ALL_PERMISSIONS, Actor
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.errors import Conflict, NotFound
from weighbridge.platform import changes

DEFAULT_ACCOUNT: Final = "default"
ADMINISTRATOR: Final = "administrator"


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
