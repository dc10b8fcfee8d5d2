"""Guessing is bounded: by the name that somebody signs in by, and by the client's address.

An attempt is counted before the password is looked at, so that many at once count as many; one that succeeds
gives back what it counted. What is counted outlives no window of time, and names nobody: the key is a hash.
"""

import hashlib
from typing import Final

from weighbridge.db.engine import Database
from weighbridge.errors import TooManyRequests

ATTEMPTS_OF_USER_MAX: Final = 10
"""Attempts to sign in as one user within the window."""

ATTEMPTS_OF_ADDRESS_MAX: Final = 100
"""Attempts to sign in from one client's address within the window: an office may share it."""

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
    WITH one AS (DELETE FROM sign_in_attempts WHERE key = %(user)s RETURNING key)
    UPDATE sign_in_attempts SET attempts = greatest(attempts - 1, 1) WHERE key = %(address)s
    RETURNING (SELECT count(*) FROM one)
"""


async def count_attempt(database: Database, email: str, address: str) -> None:
    """Count an attempt to sign in; TooManyRequests when there were too many of the user or the address."""
    of_user, of_address = _keys(email, address)
    limits = {of_user: ATTEMPTS_OF_USER_MAX, of_address: ATTEMPTS_OF_ADDRESS_MAX}
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


async def forgive_attempts(database: Database, email: str, address: str) -> None:
    """Forget the attempts of a user who has signed in now, and this one of the address."""
    of_user, of_address = _keys(email, address)
    await database.single(_FORGIVE, {"user": of_user, "address": of_address})


def _keys(email: str, address: str) -> tuple[bytes, bytes]:
    return _key("user", email.strip().lower()), _key("address", address)


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind} {text}".encode()).digest()
