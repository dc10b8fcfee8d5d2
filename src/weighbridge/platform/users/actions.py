"""Invite people, let them in by a link, set passwords, and say what they may do."""

from collections.abc import Sequence
from secrets import token_urlsafe
from typing import Final

from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.identity.unseen import problem_of_unseen
from weighbridge.core.platform.permission import ALL_PERMISSIONS, Actor
from weighbridge.core.platform.role import shortest
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.db.engine import Write
from weighbridge.errors import Conflict, Invalid, NotFound
from weighbridge.platform import changes
from weighbridge.platform.authentication.authority import refuse_above, refuse_beyond
from weighbridge.platform.authentication.passwords import hashed
from weighbridge.platform.users import queries
from weighbridge.platform.users.records import ADMINISTERS, EMAIL_LENGTH_MAX, LINK_HOURS, AccessLink

_GIVES: Final = "Nobody gives away what they may not do themselves"


async def invite_user(tx: Write, actor: Actor, email: str, permissions: Sequence[str]) -> str:
    """Make a link by which somebody joins the account, and give its secret, which is not stored."""
    email = email.strip()
    problems = [*_problems_of_email(email), *_problems_of_permissions(permissions)]
    if problems:
        raise Invalid(problems)
    refuse_beyond(actor, permissions, _GIVES)
    await _refuse_taken(tx, email)
    await _refuse_invited_above(tx, actor, email)
    secret = await make_link(tx, actor, "join", email=email, permissions=shortest(permissions))
    changes.record(
        tx, actor, action="user.invite", target=str(actor.account_id),
        after={"permissions": list(shortest(permissions))},
    )  # fmt: skip
    return secret


async def make_link(
    tx: Write,
    actor: Actor,
    kind: str,
    *,
    user_id: int | None = None,
    email: str | None = None,
    permissions: Sequence[str] = (),
) -> str:
    """Make a link of a kind and give its secret; what lets in the same person until then does so no more."""
    secret = token_urlsafe(32)
    await tx.execute(
        """
        DELETE FROM access_links
         WHERE account_id = %s AND kind = %s AND used_at IS NULL
           AND (user_id, email) IS NOT DISTINCT FROM (%s::integer, %s::text)
        """,
        (actor.account_id, kind, user_id, email),
    )
    await tx.execute(
        """
        INSERT INTO access_links (account_id, kind, secret_hash, user_id, email, permissions, made_by,
                                  expires_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, now() + make_interval(hours => %s))
        """,
        (
            actor.account_id, kind, queries.hash_of(secret), user_id, email, list(permissions), actor.user_id,
            LINK_HOURS[kind],
        ),
    )  # fmt: skip
    return secret


async def make_user_link(tx: Write, actor: Actor, number: int, kind: str) -> str:
    """Make a link by which a user of the account sets another password, or signs in once."""
    await refuse_above(tx, actor, (await queries.get_user(tx, actor, number)).id)
    user = await queries.get_user(tx, actor, number)
    if user.disabled_at is not None:
        raise Conflict("The user may not sign in; allow it first.")
    secret = await make_link(tx, actor, kind, user_id=number)
    changes.record(tx, actor, action="user.make_link", target=str(number), after={"kind": kind})
    return secret


async def add_user(
    tx: Write, actor: Actor, *, email: str, name: str, permissions: Sequence[str], password_hash: str
) -> int:
    """Make a person who can sign in, or give a password to a user whom only tokens acted for so far."""
    email, name = email.strip(), name.strip() or email.partition("@")[0].strip()
    problems = [*_problems_of_email(email), *_problems_of_permissions(permissions)]
    if wrong := problem_of_name(name, "A user", "name"):
        problems.append(wrong)
    if problems:
        raise Invalid(problems)
    await _refuse_taken(tx, email)
    user_id: int = await tx.value(
        """
        INSERT INTO users AS u (account_id, email, name, permissions, password_hash)
        VALUES (%s, %s, %s, %s, %s)
        ON CONFLICT (account_id, email) DO UPDATE
           SET name = excluded.name, permissions = excluded.permissions,
               password_hash = excluded.password_hash, disabled_at = NULL
        RETURNING id
        """,
        (actor.account_id, email, name, list(shortest(permissions)), password_hash),
    )
    after = {"permissions": list(shortest(permissions))}
    changes.record(tx, actor, action="user.create", target=str(user_id), after=after)
    return user_id


async def add_user_without_password(
    tx: Write, actor: Actor, *, email: str, name: str, permissions: Sequence[str]
) -> int:
    """Make a person whose password nobody knows: they sign in by a link, and may choose one by another."""
    refuse_beyond(actor, permissions, _GIVES)
    password_hash = await hashed(token_urlsafe(32))
    return await add_user(
        tx, actor, email=email, name=name, permissions=permissions, password_hash=password_hash
    )


async def withdraw_invitation(tx: Write, actor: Actor, email: str) -> bool:
    """Take back the invitation of an address; whether there was one that nobody had followed."""
    await _refuse_invited_above(tx, actor, email)
    gone = await tx.execute(
        """
        DELETE FROM access_links
         WHERE account_id = %s AND kind = 'join' AND used_at IS NULL AND lower(email) = lower(%s)
        """,
        (actor.account_id, email.strip()),
    )
    if gone:
        changes.record(tx, actor, action="user.withdraw_invitation", target=str(actor.account_id))
    return bool(gone)


async def use_link(tx: Write, link: AccessLink) -> None:
    """Use a link up; NotFound when somebody else has meanwhile, or its maker may not give that any more."""
    await tx.execute(
        "SELECT FROM users WHERE account_id = %s AND id = ANY (%s) ORDER BY id FOR SHARE",
        (link.account_id, [link.made_by, link.user_id]),
    )
    await queries.need_link(tx, link)
    statement = "UPDATE access_links SET used_at = now() WHERE id = %s AND used_at IS NULL"
    if not await tx.execute(statement, (link.id,)):
        raise NotFound(message="This link has been used. Ask for another one.", code="no_such_path")


async def set_password(tx: Write, actor: Actor, password_hash: str) -> None:
    """Give the actor's user another password, and end every session of theirs."""
    await tx.execute(
        "UPDATE users SET password_hash = %s WHERE id = %s AND account_id = %s",
        (password_hash, actor.user_id, actor.account_id),
    )
    await tx.execute("DELETE FROM sessions WHERE user_id = %s", (actor.user_id,))
    changes.record(tx, actor, action="user.set_password", target=str(actor.user_id))


async def update_user(
    tx: Write, actor: Actor, number: int, *, permissions: Sequence[str], may_sign_in: bool
) -> None:
    """Say what a user may do and whether they may sign in; Conflict when nobody is left to administer."""
    if problems := _problems_of_permissions(permissions):
        raise Invalid(problems)
    refuse_beyond(actor, permissions, _GIVES)
    await refuse_above(tx, actor, (await queries.get_user(tx, actor, number)).id)
    before = await queries.get_user(tx, actor, number)
    await tx.execute(
        """
        UPDATE users SET permissions = %s, disabled_at = CASE WHEN %s THEN NULL
                                                               ELSE coalesce(disabled_at, now()) END
         WHERE id = %s
        """,
        (list(shortest(permissions)), may_sign_in, number),
    )
    await tx.execute("SELECT FROM users WHERE account_id = %s FOR UPDATE", (actor.account_id,))
    if not await tx.value(
        """
        SELECT EXISTS (SELECT FROM users WHERE account_id = %s AND password_hash IS NOT NULL
                          AND disabled_at IS NULL AND %s = ANY (permissions))
        """,
        (actor.account_id, ADMINISTERS),
    ):
        raise Conflict("Nobody would be left who administers the account; let somebody else do so first.")
    if not may_sign_in:
        await tx.execute("DELETE FROM sessions WHERE user_id = %s", (number,))
    if not may_sign_in or ADMINISTERS not in permissions:
        await _end_links_of(tx, actor, number)
    changes.record(
        tx, actor, action="user.update", target=str(number),
        before={"permissions": before.permissions, "may_sign_in": before.disabled_at is None},
        after={"permissions": list(shortest(permissions)), "may_sign_in": may_sign_in},
    )  # fmt: skip


async def _end_links_of(tx: Write, actor: Actor, number: int) -> None:
    """End what a user has made, and what was made for them, that would let somebody in and was not used."""
    await tx.execute(
        "DELETE FROM access_links WHERE account_id = %s AND used_at IS NULL AND %s IN (made_by, user_id)",
        (actor.account_id, number),
    )


async def offer_first_user(tx: Write, actor: Actor) -> str | None:
    """The secret of a link by which the first person joins, with every permission; None when people have."""
    if await queries.has_people(tx):
        return None
    return await make_link(tx, actor, "first", permissions=shortest(ALL_PERMISSIONS))


async def _refuse_taken(tx: Write, email: str) -> None:
    taken = await tx.value(
        "SELECT true FROM users WHERE lower(email) = lower(%s) AND password_hash IS NOT NULL", (email,)
    )
    if taken:
        raise Conflict([Problem(f"Somebody signs in as {shorten(email)} already.", "email", "conflict")])


async def _refuse_invited_above(tx: Write, actor: Actor, email: str) -> None:
    """Raise Forbidden where somebody is invited to do more than the actor may, who cannot take that back."""
    rows = await tx.tuples(
        """
        SELECT DISTINCT unnest(permissions) FROM access_links
         WHERE account_id = %s AND kind = 'join' AND used_at IS NULL AND expires_at > now()
           AND lower(email) = lower(%s)
        """,
        (actor.account_id, email.strip()),
    )
    refuse_beyond(actor, sorted(one for (one,) in rows), "Nobody takes back what they could not give")


def _problems_of_email(email: str) -> list[Problem]:
    if unseen := problem_of_unseen(email, "email"):
        return [unseen]
    name, _, host = email.partition("@")
    if name and host and len(email) <= EMAIL_LENGTH_MAX and not any(one.isspace() for one in email):
        return []
    said = f"email is {shorten(email)!r}; it takes an address such as ada@plant.example."
    return [Problem(said, "email", "invalid")]


def _problems_of_permissions(permissions: Sequence[str]) -> list[Problem]:
    unknown = [one for one in permissions if one not in ALL_PERMISSIONS]
    if unknown or not permissions:
        came = f"names {shorten(unknown[0])!r}" if unknown else "is empty"
        said = f"permissions {came}; it takes at least one of {', '.join(ALL_PERMISSIONS)}."
        return [Problem(said, "permissions", "invalid")]
    return []
