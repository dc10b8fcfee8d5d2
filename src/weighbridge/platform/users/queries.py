"""Read users, and links that let somebody in."""

import hashlib
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound
from weighbridge.platform.tenancy.scope import find, of_account
from weighbridge.platform.users.records import AccessLink, User

USERS_MAX: Final = 1_000
"""Users of an account that are listed at a time."""

_USER: Final = row_of(
    User,
    Column("id", "u.id"),
    Column("name", "u.name"),
    Column("email", "u.email"),
    Column("permissions", "u.permissions"),
    Column("signs_in", "u.password_hash IS NOT NULL"),
    Column("created_at", "u.created_at"),
    Column("signed_in_at", "u.signed_in_at"),
    Column("disabled_at", "u.disabled_at"),
)

_LINK: Final = row_of(
    AccessLink,
    Column("id", "l.id"),
    Column("kind", "l.kind"),
    Column("account_id", "l.account_id"),
    Column("user_id", "l.user_id"),
    Column("email", "l.email"),
    Column("permissions", "l.permissions"),
    Column("made_by", "l.made_by"),
    Column("created_at", "l.created_at"),
    Column("expires_at", "l.expires_at"),
)


async def list_users(tx: Read, actor: Actor) -> list[User]:
    """The users of the actor's account, people first."""
    statement = SQL("SELECT {} FROM users u WHERE {} ORDER BY password_hash IS NULL, email LIMIT {}").format(
        SQL(_USER.columns), of_account(actor, "u.account_id"), USERS_MAX
    )
    return await tx.rows(_USER.make, statement)


async def get_user(tx: Read, actor: Actor, number: int) -> User:
    """One user of the actor's account; NotFound when there is none."""
    numbered = SQL("{} AND u.id = %s").format(of_account(actor, "u.account_id"))
    return await find(tx, _USER, "users u", numbered, (number,))


async def list_open_links(tx: Read, actor: Actor) -> list[AccessLink]:
    """The invitations of the actor's account that nobody has followed yet."""
    statement = SQL(
        """
        SELECT {} FROM access_links l
         WHERE {} AND l.kind = 'join' AND l.used_at IS NULL AND l.expires_at > now()
         ORDER BY l.created_at DESC LIMIT {}
        """
    ).format(SQL(_LINK.columns), of_account(actor, "l.account_id"), USERS_MAX)
    return await tx.rows(_LINK.make, statement)


async def link_by_secret(tx: Read, secret: str, kinds: tuple[str, ...]) -> AccessLink:
    """The link with this secret that still lets somebody in; NotFound when there is none (any more)."""
    statement = SQL(
        "SELECT {} FROM access_links l WHERE l.secret_hash = %s AND l.kind = ANY (%s)"
        " AND l.used_at IS NULL AND l.expires_at > now()"
    ).format(SQL(_LINK.columns))
    link = await tx.row(_LINK.make, statement, (hash_of(secret), [*kinds]))
    if link is None:
        said = "This link has been used, has run out, or was never made. Ask for another one."
        raise NotFound(message=said, code="no_such_path")
    return link


async def has_people(tx: Read) -> bool:
    """Whether anybody can sign in."""
    return bool(await tx.value("SELECT EXISTS (SELECT FROM users WHERE password_hash IS NOT NULL)"))


def hash_of(secret: str) -> bytes:
    """What is stored of a secret of 256 random bits."""
    return hashlib.sha256(secret.encode()).digest()
