"""Read users, and links that let somebody in."""

import hashlib
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.platform.permission import ALL_PERMISSIONS, Actor, including
from weighbridge.db.engine import Read
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound
from weighbridge.platform.accounts.actions import ADMINISTRATOR
from weighbridge.platform.tenancy.scope import find, of_account
from weighbridge.platform.users.records import ADMINISTERS, AccessLink, User

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


_LINKS: Final = """
    access_links l JOIN users m ON (m.account_id, m.id) = (l.account_id, l.made_by)
    LEFT JOIN users o ON (o.account_id, o.id) = (l.account_id, l.user_id)
"""
_INCLUDING: Final = " ".join(
    f"WHEN '{one}' THEN '{{{','.join((one, *including(one)))}}}'::text[]" for one in ALL_PERMISSIONS
)
"""For each permission those that it is held by, as a permission itself or within a higher one."""

_LETS_IN: Final = f"""
    l.used_at IS NULL AND l.expires_at > now() AND o.disabled_at IS NULL
    AND (m.email = '{ADMINISTRATOR}' OR m.disabled_at IS NULL AND '{ADMINISTERS}' = ANY (m.permissions)
         AND NOT EXISTS (
             SELECT FROM unnest(CASE WHEN l.user_id IS NULL THEN l.permissions ELSE o.permissions END) AS p
              WHERE NOT m.permissions && CASE p {_INCLUDING} END))
"""
"""A link lets in as long as its maker, if it was no command, could make it still: they administer, and may do
all that it gives, or that whom it is for may do by now."""


_FIND_LINK: Final = SQL("SELECT {} FROM {} WHERE l.secret_hash = %s AND l.kind = ANY (%s) AND {}").format(
    SQL(_LINK.columns), SQL(_LINKS), SQL(_LETS_IN)
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
        SELECT {} FROM {} WHERE {} AND l.kind = 'join' AND {} ORDER BY l.created_at DESC LIMIT {}
        """
    ).format(
        SQL(_LINK.columns), SQL(_LINKS), of_account(actor, "l.account_id"), SQL(_LETS_IN), USERS_MAX
    )  # fmt: skip
    return await tx.rows(_LINK.make, statement)


async def link_by_secret(tx: Read, secret: str, kinds: tuple[str, ...]) -> AccessLink:
    """The link with this secret that still lets somebody in; NotFound when there is none (any more)."""
    link = await tx.row(_LINK.make, _FIND_LINK, (hash_of(secret), [*kinds]))
    if link is None:
        raise _no_link()
    return link


async def need_link(tx: Read, link: AccessLink) -> None:
    """Raise NotFound where a link lets nobody in (any more)."""
    statement = SQL("SELECT true FROM {} WHERE l.id = %s AND {}").format(SQL(_LINKS), SQL(_LETS_IN))
    if not await tx.value(statement, (link.id,)):
        raise _no_link()


def _no_link() -> NotFound:
    said = "This link has been used, has run out, or was never made. Ask for another one."
    return NotFound(message=said, code="no_such_path")


async def count_held(tx: Read, actor: Actor, number: int) -> tuple[int, int]:
    """How many tokens that work act for a user, and for how many open links to reports they answer."""
    [(tokens, links)] = await tx.tuples(
        """
        SELECT (SELECT count(*) FROM api_tokens
                 WHERE account_id = %(account)s AND user_id = %(user)s AND revoked_at IS NULL
                   AND coalesce(expires_at > now(), true)),
               (SELECT count(*) FROM report_links
                 WHERE coalesce(user_id, created_by) = %(user)s AND revoked_at IS NULL AND expires_at > now())
        """,
        {"account": actor.account_id, "user": number},
    )
    return tokens, links


async def has_people(tx: Read) -> bool:
    """Whether anybody can sign in."""
    return bool(await tx.value("SELECT EXISTS (SELECT FROM users WHERE password_hash IS NOT NULL)"))


def hash_of(secret: str) -> bytes:
    """What is stored of a secret of 256 random bits."""
    return hashlib.sha256(secret.encode()).digest()
