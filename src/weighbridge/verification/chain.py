"""The audit chain of every account: each hash made anew from its row and the hash before it."""

from collections.abc import Iterator
from typing import Final

import msgspec

from weighbridge.core.platform.audit_chain import ANCHOR, link
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.json import canonical
from weighbridge.platform.audit_log.records import SealedRow

READ_AT_ONCE: Final = 5000
"""Rows that are held in memory at a time."""

_SEALED: Final = """
    SELECT s.number, s.hash, a.account_id, s.number, a.id, a.project_id, a.at, a.user_id, a.token_id,
           a.request_id, a.action, a.object, a.before, a.after
      FROM audit_seals s JOIN audit_log a ON a.id = s.audit_id
     WHERE s.account_id = %s AND s.number > %s ORDER BY s.number LIMIT %s
"""


class Head(msgspec.Struct, frozen=True):
    """The newest link of an account's chain. Noted elsewhere, it vouches for everything before it."""

    account: int
    number: int
    hash: str


async def check_chains(tx: Read, since: Instant | None = None) -> tuple[list[Head], list[str]]:
    """Check every chain, or what was sealed since a moment; gives their heads and the violations."""
    heads: list[Head] = []
    violations: list[str] = []
    for (account,) in await tx.tuples("SELECT DISTINCT account_id FROM audit_seals ORDER BY 1"):
        number, previous = await _link_before(tx, account, since)
        while rows := await tx.tuples(_SEALED, (account, number, READ_AT_ONCE)):
            for sealed, stored, *content in rows:
                violations += _complaints(number, previous, SealedRow(*content), stored)
                number, previous = sealed, stored
        heads.append(Head(account, number, previous.hex()))
    return heads, violations


async def _link_before(tx: Read, account: int, since: Instant | None) -> tuple[int, bytes]:
    """The last link before a moment, from which on a chain is checked; without one, where all chains hang."""
    rows = await tx.tuples(
        """
        SELECT number, hash FROM audit_seals
         WHERE account_id = %s AND sealed_at < %s::timestamptz ORDER BY number DESC LIMIT 1
        """,
        (account, since),
    )
    return rows[0] if rows else (0, ANCHOR)


def _complaints(number: int, previous: bytes, row: SealedRow, stored: bytes) -> Iterator[str]:
    if row.number != number + 1:
        yield f"account {row.account_id}: row {number + 1} of the audit chain is missing"
    if link(previous, canonical(row)) != stored:
        yield (
            f"account {row.account_id}: row {row.number} of the audit chain is not what was sealed"
            f" ({row.action})"
        )
