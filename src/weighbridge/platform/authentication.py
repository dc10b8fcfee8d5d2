"""Authentication: whom a token or a session acts for, and on whom a user may act.

`recall_authorization` gives whom a token acted for when it was last looked at. It serves to check a request
before the one statement that executes it. That statement asks by `TOKEN_STANDS` whether the token still acts
for the same user with the same permissions, and does nothing otherwise: a token that was revoked before a
request came has no effect. People sign in by a password. The browser holds a secret of 256 random bits in a
cookie, the database its hash; a session ends when the person signs out, there or everywhere, when it was not
used for half a day, and after a week at the latest.

Invariants: of tokens and sessions only the SHA-256 is remembered, of passwords only the Argon2id hash; a
recalled actor is given to nothing but statements that ask; an attempt to sign in is counted before the
password is checked; nobody acts on a user who may do more than themselves.
"""

import asyncio
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from secrets import token_urlsafe
from typing import Any, Final, Self

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from weighbridge.core.number import shorten
from weighbridge.core.platform import permission
from weighbridge.core.platform.cell import FIRST, name_account
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.ticket import Ticket, read_ticket
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Database, Read, Write, suppress_failed_write
from weighbridge.errors import Conflict, Forbidden, Invalid, TooManyRequests, Unauthorized
from weighbridge.http.endpoints.endpoint import CachedAuthorization
from weighbridge.platform import changes
from weighbridge.platform.records import (
    ADMINISTERS,
    IDLE_HOURS,
    OUTAGE_MINUTES,
    SESSION_DAYS,
    Person,
    ProviderSession,
)

USE_IS_RECORDED: Final = "(last_used_at IS NOT NULL AND last_used_at >= now() - interval '1 hour')"
"""That a token is in use is written down once an hour, for each request must not cost a write.

Without coalesce: a statement that writes to a distributed table may have no function of time within one.
"""

TOKEN_STANDS: Final = f"""
    EXISTS (SELECT FROM api_tokens
             WHERE secret_hash = %(secret_hash)s AND id = %(token)s
               AND account_id = %(account)s AND user_id = %(user)s AND permissions @> %(permissions)s::text[]
               AND permissions <@ %(permissions)s::text[]
               AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AND {USE_IS_RECORDED})
"""
"""A condition for a statement that executes a request; its parameters are those of a cached authorization."""


_NAMED: Final = re.compile(r"%\((\w+)\)s")
_QUESTION: Final = _NAMED.sub("%s", f"SELECT WHERE {TOKEN_STANDS}")
_VALUES: Final = tuple(_NAMED.findall(TOKEN_STANDS))
"""The condition as a question that goes out with others, whose parameters have no names."""

_TOKEN: Final = f"""
    SELECT secret_hash, extract(epoch FROM now())::bigint, id, account_id, user_id, permissions,
           revoked_at IS NOT NULL, coalesce(expires_at <= now(), false), NOT {USE_IS_RECORDED}
      FROM api_tokens
"""


async def authenticate(database: Database, token: str, request_id: str) -> Actor:
    """Find whom a token acts for; raise Unauthorized when it is unknown, expired or revoked."""
    if not permission.is_well_formed(token):
        raise Unauthorized("The token is not one of this service.", "token_unknown")
    secret_hash = permission.hash_token(token)
    row = await database.single(f"{_TOKEN} WHERE secret_hash = %s", (secret_hash,))
    if row is None:
        raise Unauthorized("The token is not one of this service.", "token_unknown")
    return await _admit(database, row, request_id)


async def authenticate_ticket(database: Database, text: str, request_id: str) -> Actor:
    """Find whom the token of a ticket acts for; raise Unauthorized when either is not valid, or no longer."""
    ticket = read_ticket(text)
    key = None if ticket is None else (ticket.account_id, ticket.token_id)
    row = key and await database.single(f"{_TOKEN} WHERE account_id = %s AND id = %s", key)
    if ticket is None or not row:
        raise Unauthorized("The ticket is not one of this service.", "token_unknown")
    secret_hash, now, *_ = row
    if not ticket.is_signed(text, secret_hash):
        raise Unauthorized("The ticket is not one of this service.", "token_unknown")
    if ticket.ends <= now:
        raise Unauthorized("The ticket has expired; ask for another.", "token_expired")
    return await _admit(database, row, request_id)


async def _admit(database: Database, row: Any, request_id: str) -> Actor:
    """The actor of a token that is as its row says; raise Unauthorized when it acts for nobody any more."""
    secret_hash, _, token_id, account_id, user_id, permissions, *state = row
    is_revoked, is_expired, is_use_unrecorded = state
    if is_revoked:
        raise Unauthorized("The token has been revoked.", "token_revoked")
    if is_expired:
        raise Unauthorized("The token has expired.", "token_expired")
    if is_use_unrecorded:
        await _record_use(database, token_id)
    actor = Actor(account_id, user_id, token_id, frozenset(permissions), request_id)
    _remember(database, secret_hash, actor)
    return actor


async def issue_ticket(tx: Read, actor: Actor, seconds: int) -> tuple[str, Instant]:
    """A ticket for the token of the actor, and when it ends; raise Invalid for whoever has no token."""
    key = (actor.account_id, actor.token_id)
    rows = await tx.tuples(f"{_TOKEN} WHERE account_id = %s AND id = %s", key)
    if actor.token_id is None or not rows:
        raise Invalid("A ticket stands for an API token, and this request was not sent with one.")
    secret_hash, now, *_ = rows[0]
    ticket = Ticket(actor.account_id, actor.token_id, now + seconds)
    return ticket.sign(secret_hash), Instant.of(datetime.fromtimestamp(ticket.ends, UTC))


async def _record_use(database: Database, token_id: int) -> None:
    """Write down that a token is in use: once an hour, for each request must not cost a write.

    Where that cannot be written, the token acts all the same: a full disk must not keep anybody from reading.
    """
    with suppress_failed_write("last use of a token"):
        await database.single(
            f"""
            UPDATE api_tokens SET last_used_at = now() WHERE id = %s AND NOT {USE_IS_RECORDED} RETURNING id
            """,
            (token_id,),
        )


def _remember(database: Database, secret_hash: bytes, actor: Actor) -> None:
    """Remember whom a token acts for."""
    values = {
        "secret_hash": secret_hash,
        "token": actor.token_id,
        "account": actor.account_id,
        "user": actor.user_id,
        "permissions": f"{{{','.join(sorted(actor.permissions))}}}",
    }
    database.memory.keep(("token", secret_hash), (actor.permissions, values), len(actor.permissions))


def recall_authorization(database: Database, token: str, request_id: str) -> CachedAuthorization | None:
    """Whom the token acted for when it was last looked at."""
    remembered = database.memory.recall(("token", permission.hash_token(token)))
    if remembered is None:
        return None
    permissions, values = remembered
    actor = Actor(values["account"], values["user"], values["token"], permissions, request_id)
    question = _QUESTION, [values[name] for name in _VALUES]
    return CachedAuthorization(actor, values["token"], values, question)


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
       AND (expires_at IS NULL OR expires_at > now())
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


# The administrator of one's own: an account keeps somebody whom no identity provider can lock out.
#
# Invariants: whoever changes who that may be holds the account's row first, so of two at once the second one
# sees what the first has done.


NO_PASSWORD: Final = "$argon2id$none"  # noqa: S105 - no password has this hash
"""What is stored of the password of somebody who never had one: of the form of a hash, and none."""

SIGNS_IN_BY_PASSWORD: Final = f"""
    u.password_hash IS NOT NULL AND u.password_hash <> '{NO_PASSWORD}' AND u.disabled_at IS NULL
    AND (u.keeps_password
         OR NOT EXISTS (SELECT FROM provider_people i WHERE (i.account_id, i.user_id) = (u.account_id, u.id))
            AND NOT EXISTS (SELECT FROM identity_providers p
                             WHERE p.account_id = u.account_id AND p.is_required))
"""
"""Whether a user `u` signs in with a password: they are linked to no identity provider and none is required,
or they keep their password."""


async def hold_administrators(tx: Write, account: int) -> None:
    """Keep others from changing meanwhile who administers an account, and how they sign in."""
    await tx.execute("SELECT FROM accounts WHERE id = %s FOR NO KEY UPDATE", (account,))


async def has_own_administrator(tx: Read, account: int) -> bool:
    """Whether some administrator of an account signs in without an identity provider.

    The account's row is held (`hold_administrators`) where something follows from it.
    """
    statement = f"""
        SELECT EXISTS (SELECT FROM users u WHERE u.account_id = %s AND '{ADMINISTERS}' = ANY (u.permissions)
                          AND {SIGNS_IN_BY_PASSWORD})
    """
    return bool(await tx.value(statement, (account,)))


async def need_own_administrator(tx: Read, account: int) -> None:
    """Raise Conflict where no administrator of an account signs in without an identity provider."""
    if await has_own_administrator(tx, account):
        return
    others = f"""
        SELECT EXISTS (SELECT FROM users WHERE account_id = %s AND '{ADMINISTERS}' = ANY (permissions)
                          AND password_hash IS NOT NULL AND disabled_at IS NULL)
    """
    if not await tx.value(others, (account,)):
        raise Conflict("The account must have an administrator. Grant the role to another user first.")
    raise Conflict(
        "The account must have an administrator who signs in with a password. Grant the role to another "
        "user first, or have one keep their password (under People, or by `weighbridge user change`)."
    )


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


def hash_secret(secret: str) -> bytes:
    """What is stored of a secret of 256 random bits."""
    return hashlib.sha256(secret.encode()).digest()


# A password is stored as its Argon2id hash and compared in a thread, for that takes long on purpose.
#
# Invariants: whoever names a user that there is not waits as long as for a wrong password.


PASSWORD_LENGTH_MIN: Final = 12
"""Characters of a password, at least."""

PASSWORD_LENGTH_MAX: Final = 200
"""Characters of a password, at most."""

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
"""The cost that OWASP's Password Storage Cheat Sheet names for Argon2id: 19 MiB, two rounds, one lane."""


async def hash_password(password: str) -> str:
    """What is stored of a password."""
    return await asyncio.to_thread(_HASHER.hash, password)


async def verify_password(stored: str | None, password: str) -> bool:
    """Whether a password is the one that was stored; None stands for a user who is not there."""
    if len(password) > PASSWORD_LENGTH_MAX:
        return False
    return await asyncio.to_thread(_verify, stored, password) and stored is not None


def problem_of_password(password: str, email: str) -> Problem | None:
    """What is wrong with a new password, if anything is: its length, or that it is the address."""
    if not PASSWORD_LENGTH_MIN <= len(password) <= PASSWORD_LENGTH_MAX:
        message = (
            f"The password has {len(password)} characters; it takes "
            f"{PASSWORD_LENGTH_MIN} to {PASSWORD_LENGTH_MAX}."
        )
        return Problem(message, "password", "invalid")
    if password.lower() == email.lower():
        return Problem("The password is the address; it takes something else.", "password", "invalid")
    return None


def _verify(stored: str | None, password: str) -> bool:
    of_nobody = _hash_of_nobody()  # made for the first who asks, whoever that is
    try:
        return _HASHER.verify(stored or of_nobody, password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _hash_of_nobody() -> str:
    return _HASHER.hash("the password of nobody")


# Guessing is bounded: by the name that somebody signs in by or the link that they follow, and by the
# address of the client, each with a counter of its own.
#
# An attempt is counted before the password is looked at, so that many at once count as many; one that
# succeeds gives back what it counted. What is counted outlives no window of time, and names nobody: the key
# is a hash.


ATTEMPTS_OF_USER_MAX: Final = 10
"""Attempts to sign in as one user, or by one link, within the window."""

ATTEMPTS_OF_ADDRESS_MAX: Final = 100
"""Attempts to sign in from one client's address within the window: an office may share it. Those with a
password and those by a link are counted apart."""

WINDOW_SECONDS: Final = 900
"""How long an attempt counts, from the first of its window."""

_PRUNED_MAX: Final = 100
"""Rows past their time that one attempt removes, so that the table stays as long as one window makes it."""

# The window stands in it: a cluster passes no parameters on to DO UPDATE.
_COUNT: Final = f"""
    WITH gone AS (DELETE FROM sign_in_attempts WHERE key IN (
            SELECT key FROM sign_in_attempts
             WHERE since < now() - make_interval(secs => {WINDOW_SECONDS}) AND key <> ALL (%(keys)s)
             LIMIT %(pruned)s FOR UPDATE SKIP LOCKED))
    INSERT INTO sign_in_attempts AS a (key, attempts) SELECT key, 1 FROM unnest(%(keys)s::bytea[]) key
     ORDER BY key
    ON CONFLICT (key) DO UPDATE SET
        attempts = CASE WHEN excluded.since - a.since > make_interval(secs => {WINDOW_SECONDS}) THEN 1
                        ELSE least(a.attempts + 1, 1000000) END,
        since = CASE WHEN excluded.since - a.since > make_interval(secs => {WINDOW_SECONDS})
                     THEN excluded.since ELSE a.since END
    RETURNING key, attempts, ceil(extract(epoch FROM since - now()))::integer + {WINDOW_SECONDS}
"""

_FORGIVE: Final = """
    WITH one AS (DELETE FROM sign_in_attempts WHERE key = %(one)s RETURNING key)
    UPDATE sign_in_attempts SET attempts = greatest(attempts - 1, 1) WHERE key = %(address)s
    RETURNING (SELECT count(*) FROM one)
"""


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """An attempt to sign in: by which user or link, and from where."""

    of_one: bytes
    of_address: bytes

    @classmethod
    def with_password(cls, email: str, address: str) -> Self:
        """An attempt as the user of an address, with a password."""
        return cls(_key("user", email.strip().lower()), _key("address", address))

    @classmethod
    def by_link(cls, secret: str, address: str) -> Self:
        """An attempt by a link, whether there is such a link or not."""
        return cls(_key("link", secret), _key("address of links", address))

    @classmethod
    def by_provider(cls, state: str, address: str) -> Self:
        """An attempt by a way to an identity provider."""
        return cls(_key("state", state), _key("address of ways to providers", address))


async def count_attempt(database: Database, attempt: SignInAttempt) -> None:
    """Count an attempt to sign in; TooManyRequests when there were too many of the user, link or address."""
    # In the first cell, whichever is meant: an address has one allowance, not one in each cell.
    database = database.in_cell(FIRST)
    limits = {attempt.of_one: ATTEMPTS_OF_USER_MAX, attempt.of_address: ATTEMPTS_OF_ADDRESS_MAX}
    async with database.write() as tx:
        rows = await tx.tuples(_COUNT, {"keys": [*limits], "pruned": _PRUNED_MAX})
    waits = [seconds for key, attempts, seconds in rows if attempts > limits[bytes(key)]]
    if waits:
        minutes = -(-max(waits) // 60)
        raise TooManyRequests(
            f"There were too many attempts to sign in; try again in {minutes} "
            f"{'minute' if minutes == 1 else 'minutes'}.",
            retry_after_seconds=max(waits),
        )


async def forgive_attempts(database: Database, attempt: SignInAttempt) -> None:
    """Forget the attempts of a user or link who has signed in now, and this one of the address."""
    await database.in_cell(FIRST).single(_FORGIVE, {"one": attempt.of_one, "address": attempt.of_address})


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind} {text}".encode()).digest()


# Sign in, sign out, and recognise whose session a request belongs to.


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
      LEFT JOIN provider_people i ON (i.account_id, i.user_id) = (s.account_id, s.user_id)
     WHERE s.secret_hash = %(secret_hash)s AND u.disabled_at IS NULL AND s.expires_at > now()
       AND s.used_at > now() - make_interval(hours => %(hours)s)
       AND (s.provider_id IS NULL
            OR i.provider_id = s.provider_id AND i.confirmed_at > now() - make_interval(mins => %(outage)s))
"""


async def sign_in(
    database: Database, *, email: str, password: str, address: str, program: str, request_id: str
) -> str:
    """Begin a session of the person with this address and password; give its secret.

    Raises Unauthorized when there is none, without saying which of both is wrong, and when the person signs
    in by an identity provider; TooManyRequests when that was tried too often.
    """
    email = email.strip()
    attempt = SignInAttempt.with_password(email, address)
    await count_attempt(database, attempt)
    row = await database.single(
        f"""
        SELECT account_id, id, permissions, nullif(password_hash, '{NO_PASSWORD}'), {SIGNS_IN_BY_PASSWORD}
          FROM users u
         WHERE lower(email) = lower(%s) AND password_hash IS NOT NULL AND disabled_at IS NULL
        """,
        (email,),
    )
    if not await verify_password(row[3] if row else None, password) or row is None:
        raise Unauthorized("The address or the password is wrong.", "sign_in_refused")
    account_id, user_id, permissions, _, signs_in_by_password = row
    if not signs_in_by_password:
        raise Unauthorized(
            "You sign in by the identity provider of your account, and with a password no longer.",
            "sign_in_refused",
        )
    actor = Actor(account_id, user_id, None, frozenset(permissions), request_id)
    async with database.write() as tx:
        secret = await begin_session(tx, actor, program)
    await forgive_attempts(database, attempt)
    return secret


async def begin_session(
    tx: Write, actor: Actor, program: str, by_provider: ProviderSession | None = None
) -> str:
    """Begin a session of the actor's user; give its secret. Sessions that have ended are removed."""
    minutes = SESSION_DAYS * 1_440 if by_provider is None else by_provider.minutes
    secret = name_account(actor.account_id, token_urlsafe(32))
    await tx.execute(
        "DELETE FROM sessions WHERE expires_at < now() OR used_at < now() - make_interval(hours => %s)",
        (IDLE_HOURS,),
    )
    number = await tx.value(
        """
        INSERT INTO sessions (account_id, user_id, secret_hash, program, expires_at, provider_id,
                              provider_session)
        VALUES (%s, %s, %s, %s, now() + make_interval(mins => %s), %s, %s) RETURNING id
        """,
        (
            actor.account_id, actor.user_id, hash_secret(secret), program[:PROGRAM_LENGTH_MAX], minutes,
            by_provider and by_provider.provider, by_provider and by_provider.session,
        ),
    )  # fmt: skip
    await tx.execute("UPDATE users SET signed_in_at = now() WHERE id = %s", (actor.user_id,))
    changes.record(tx, actor, action="session.begin", target=str(number))
    return secret


async def recognise_session(database: Database, secret: str, request_id: str) -> Person | None:
    """Who is behind the secret of a session; None when it has ended or never began."""
    row = await database.single(
        _RECOGNISE,
        {
            "secret_hash": hash_secret(secret), "hours": IDLE_HOURS, "minutes": USE_MINUTES,
            "outage": OUTAGE_MINUTES,
        },
    )  # fmt: skip
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
