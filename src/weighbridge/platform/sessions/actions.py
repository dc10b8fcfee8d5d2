"""Sign in, sign out, and recognise whose session a request belongs to."""

from secrets import token_urlsafe
from typing import Final

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Database, Write
from weighbridge.db.hosts.connection import suppress_failed_write
from weighbridge.errors import Unauthorized
from weighbridge.platform import changes
from weighbridge.platform.authentication.guessing import SignInAttempt, count_attempt, forgive_attempts
from weighbridge.platform.authentication.passwords import fits
from weighbridge.platform.sessions.records import IDLE_HOURS, SESSION_DAYS, Person
from weighbridge.platform.users.queries import hash_of

PROGRAM_LENGTH_MAX: Final = 200
"""Characters that are kept of what a browser calls itself."""

USE_MINUTES: Final = 5
"""How seldom it is written down that a session is in use."""

_RECOGNISE: Final = """
    SELECT s.id, s.account_id, s.user_id, u.permissions, u.name, u.email, a.name,
           s.used_at < now() - make_interval(mins => %(minutes)s)
      FROM sessions s
      JOIN users u ON (u.account_id, u.id) = (s.account_id, s.user_id)
      JOIN accounts a ON a.id = s.account_id
     WHERE s.secret_hash = %(secret_hash)s AND u.disabled_at IS NULL AND s.expires_at > now()
       AND s.used_at > now() - make_interval(hours => %(hours)s)
"""


async def sign_in(
    database: Database, *, email: str, password: str, address: str, program: str, request_id: str
) -> str:
    """Begin a session of the person with this address and password; give its secret.

    Raises Unauthorized when there is none, without saying which of both is wrong; TooManyRequests when that
    was tried too often.
    """
    email = email.strip()
    attempt = SignInAttempt.with_password(email, address)
    await count_attempt(database, attempt)
    row = await database.single(
        """
        SELECT account_id, id, permissions, password_hash FROM users
         WHERE lower(email) = lower(%s) AND password_hash IS NOT NULL AND disabled_at IS NULL
        """,
        (email,),
    )
    if not await fits(row[3] if row else None, password) or row is None:
        raise Unauthorized("The address or the password is wrong.", "sign_in_refused")
    account_id, user_id, permissions, _ = row
    actor = Actor(account_id, user_id, None, frozenset(permissions), request_id)
    async with database.write() as tx:
        secret = await begin_session(tx, actor, program)
    await forgive_attempts(database, attempt)
    return secret


async def begin_session(tx: Write, actor: Actor, program: str) -> str:
    """Begin a session of the actor's user; give its secret. Sessions that have ended are removed."""
    secret = token_urlsafe(32)
    await tx.execute(
        "DELETE FROM sessions WHERE expires_at < now() OR used_at < now() - make_interval(hours => %s)",
        (IDLE_HOURS,),
    )
    number = await tx.value(
        """
        INSERT INTO sessions (account_id, user_id, secret_hash, program, expires_at)
        VALUES (%s, %s, %s, %s, now() + make_interval(days => %s)) RETURNING id
        """,
        (
            actor.account_id, actor.user_id, hash_of(secret), program[:PROGRAM_LENGTH_MAX], SESSION_DAYS,
        ),
    )  # fmt: skip
    await tx.execute("UPDATE users SET signed_in_at = now() WHERE id = %s", (actor.user_id,))
    changes.record(tx, actor, action="session.begin", target=str(number))
    return secret


async def recognise_session(database: Database, secret: str, request_id: str) -> Person | None:
    """Who is behind the secret of a session; None when it has ended or never began."""
    row = await database.single(
        _RECOGNISE, {"secret_hash": hash_of(secret), "hours": IDLE_HOURS, "minutes": USE_MINUTES}
    )
    if row is None:
        return None
    number, account_id, user_id, permissions, name, email, account, is_use_unrecorded = row
    if is_use_unrecorded:
        with suppress_failed_write("last use of a session"):
            await database.single("UPDATE sessions SET used_at = now() WHERE id = %s RETURNING id", (number,))
    actor = Actor(account_id, user_id, None, frozenset(permissions), request_id)
    return Person(actor, number, name, email, account)


async def end_session(tx: Write, actor: Actor, number: int) -> None:
    """Sign the actor's user out of one session."""
    await tx.execute("DELETE FROM sessions WHERE id = %s AND user_id = %s", (number, actor.user_id))
    changes.record(tx, actor, action="session.end", target=str(number))


async def end_all_sessions(tx: Write, actor: Actor) -> None:
    """Sign the actor's user out everywhere."""
    ended = await tx.execute("DELETE FROM sessions WHERE user_id = %s", (actor.user_id,))
    changes.record(tx, actor, action="session.end_all", target=str(actor.user_id), after={"sessions": ended})
