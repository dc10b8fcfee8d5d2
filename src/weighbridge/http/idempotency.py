"""Idempotency: a request that carries a key has its effect once, and every repetition gets the same
response.

The response is stored in the transaction of the effect, so there is never one without the other. Errors are
not stored: nothing happened, and the same key may be used for the corrected request. A concurrent duplicate
waits for the first a little, and is then rejected, so a client that repeats a request many times takes no
more than one at work. A read-only computation, which has no effect, is stored by the request that finishes
first.

Invariants: the scope of a key is token, method and path; one key belongs to one body.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec
from psycopg.errors import LockNotAvailable

from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Conflict, Invalid, Malformed

KEY_LENGTH_MAX: Final = 255
KEPT_HOURS: Final = 24
"""How long an answer can be repeated."""

WAIT_SECONDS: Final = 2
"""How long a duplicate waits for the first; afterwards it is rejected with the same `Retry-After`."""

HEADER: Final = "idempotency-key"
REPLAYED_HEADER: Final = "Idempotency-Replayed"


class KeyScope(msgspec.Struct, frozen=True):
    """What a key belongs to, and the digest of the body it came with."""

    token_id: int
    method: str
    path: str
    key: str
    body_sha256: bytes


class StoredAnswer(msgspec.Struct, frozen=True):
    """An answer as it was sent."""

    body_sha256: bytes
    status: int
    headers: dict[str, str]
    answer: bytes


DIGESTED_AT_ONCE_MAX: Final = 1_048_576
"""Bytes of a body that is digested on the event loop; a longer one is digested in a thread."""


async def read_scope(token_id: int, method: str, path: str, key: str, body: bytes) -> KeyScope:
    """The scope of a request's key; Malformed for a key that no request may carry."""
    if not 0 < len(key) <= KEY_LENGTH_MAX or not key.isprintable():
        message = f"Idempotency-Key must have 1 to {KEY_LENGTH_MAX} printable characters, but has {len(key)}."
        raise Malformed([Problem(message, "Idempotency-Key", "invalid")])
    is_long = len(body) > DIGESTED_AT_ONCE_MAX
    digest = await asyncio.to_thread(hashlib.sha256, body) if is_long else hashlib.sha256(body)
    return KeyScope(token_id, method, path, key, digest.digest())


async def claim(tx: Write, scope: KeyScope) -> StoredAnswer | None:
    """Take the key for this request, or give the answer that was stored under it.

    Waits a little for a duplicate in another process; Conflict when that takes longer. Raises Invalid when
    the key came with another body before.
    """
    values = (scope.token_id, scope.method, scope.path, scope.key)
    tx.later(f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'")
    tx.later(
        """
        DELETE FROM idempotency_keys
         WHERE token_id = %s AND method = %s AND path = %s AND key = %s
           AND created_at < now() - %s * interval '1 hour'
        """,
        (*values, KEPT_HOURS),
    )
    try:
        inserted = await tx.execute(
            """
            INSERT INTO idempotency_keys (token_id, method, path, key, body_sha256)
            VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
            """,
            (*values, scope.body_sha256),
        )
    except LockNotAvailable:
        raise duplicate_in_progress() from None
    tx.later("SET LOCAL lock_timeout TO DEFAULT")
    if inserted:
        return None
    stored_answer = await find_answer(tx, scope)
    assert stored_answer is not None, "a key that is taken has a row"  # noqa: S101
    return stored_answer


async def find_answer(tx: Read, scope: KeyScope) -> StoredAnswer | None:
    """The answer that was stored under a key, if any; Invalid when the key came with another body before."""
    row = await tx.row(
        StoredAnswer,
        """
        SELECT body_sha256, status, headers, answer FROM idempotency_keys
         WHERE token_id = %s AND method = %s AND path = %s AND key = %s
           AND created_at >= now() - %s * interval '1 hour'
        """,
        (scope.token_id, scope.method, scope.path, scope.key, KEPT_HOURS),
    )
    if row is not None and row.body_sha256 != scope.body_sha256:
        message = "The Idempotency-Key was used for another body before; a new request needs a new key."
        raise Invalid([Problem(message, "Idempotency-Key", "reused")])
    return row


def duplicate_in_progress() -> Conflict:
    """The refusal of a duplicate whose first is still under way."""
    message = "A request with this Idempotency-Key is still under way; ask again for its answer."
    refusal = Conflict([Problem(message, "Idempotency-Key", "in_progress")])
    refusal.retry_after_seconds = WAIT_SECONDS
    return refusal


async def store_answer(tx: Write, scope: KeyScope, status: int, headers: Any, answer: bytes) -> None:
    """Store the answer under its key, in the transaction of the effect."""
    await tx.execute(
        """
        UPDATE idempotency_keys SET status = %s, headers = %s, answer = %s
         WHERE token_id = %s AND method = %s AND path = %s AND key = %s
        """,
        (status, headers, answer, scope.token_id, scope.method, scope.path, scope.key),
    )


async def forget(tx: Write) -> int:
    """Remove the answers that are too old to be repeated; gives how many there were."""
    return await tx.execute(
        "DELETE FROM idempotency_keys WHERE created_at < now() - %s * interval '1 hour'", (KEPT_HOURS,)
    )


# Concurrent duplicates that come to one process meet here, others at the key's row. One that waits holds
# nothing but itself.


class IdempotencyKeyLocks:
    """The keys whose requests are under way in this process; for one event loop."""

    def __init__(self, wait_seconds: float = WAIT_SECONDS) -> None:
        self._wait_seconds = wait_seconds
        self._under_way: dict[tuple[int, str, str, str], asyncio.Future[None]] = {}

    @asynccontextmanager
    async def acquire(self, scope: KeyScope) -> AsyncIterator[None]:
        """Be the only request of its key here; Conflict when a duplicate takes too long."""
        name = (scope.token_id, scope.method, scope.path, scope.key)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._wait_seconds
        while (duplicate := self._under_way.get(name)) is not None:
            if loop.time() >= deadline:
                raise duplicate_in_progress()
            await asyncio.wait([duplicate], timeout=deadline - loop.time())
        own_future = self._under_way[name] = loop.create_future()
        try:
            yield
        finally:
            del self._under_way[name]
            own_future.set_result(None)
