"""Guessing is bounded: by the name that somebody signs in by or the link that they follow, and by the address
of the client, each with a counter of its own.

An attempt is counted before the password is looked at, so that many at once count as many; one that succeeds
gives back what it counted. What is counted outlives no window of time, and names nobody: the key is a hash.
"""

import hashlib
from dataclasses import dataclass
from typing import Final, Self

from weighbridge.db.engine import Database
from weighbridge.errors import TooManyRequests

ATTEMPTS_OF_USER_MAX: Final = 10
"""Attempts to sign in as one user, or by one link, within the window."""

ATTEMPTS_OF_ADDRESS_MAX: Final = 100
"""Attempts to sign in from one client's address within the window: an office may share it. Those with a
password and those by a link are counted apart."""

WINDOW_SECONDS: Final = 900
"""How long an attempt counts, from the first of its window."""

_PRUNED_MAX: Final = 100
"""Rows past their time that one attempt removes, so that the table stays as long as one window makes it."""

_COUNT: Final = """
    WITH gone AS (DELETE FROM sign_in_attempts WHERE key IN (
            SELECT key FROM sign_in_attempts
             WHERE since < now() - make_interval(secs => %(window)s) AND key <> ALL (%(keys)s)
             LIMIT %(pruned)s FOR UPDATE SKIP LOCKED))
    INSERT INTO sign_in_attempts AS a (key, attempts) SELECT key, 1 FROM unnest(%(keys)s::bytea[]) key
     ORDER BY key
    ON CONFLICT (key) DO UPDATE SET
        attempts = CASE WHEN a.since < now() - make_interval(secs => %(window)s) THEN 1
                        ELSE least(a.attempts + 1, 1000000) END,
        since = CASE WHEN a.since < now() - make_interval(secs => %(window)s) THEN now() ELSE a.since END
    RETURNING key, attempts, ceil(extract(epoch FROM since - now()))::integer + %(window)s
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


async def count_attempt(database: Database, attempt: SignInAttempt) -> None:
    """Count an attempt to sign in; TooManyRequests when there were too many of the user, link or address."""
    limits = {attempt.of_one: ATTEMPTS_OF_USER_MAX, attempt.of_address: ATTEMPTS_OF_ADDRESS_MAX}
    async with database.write() as tx:
        rows = await tx.tuples(_COUNT, {"keys": [*limits], "window": WINDOW_SECONDS, "pruned": _PRUNED_MAX})
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
    await database.single(_FORGIVE, {"one": attempt.of_one, "address": attempt.of_address})


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind} {text}".encode()).digest()
