"""Sealing: committed rows of the audit log get their number and hash, in the order of their ids.

Invariants: one sealer works on an account at a time; a row is sealed once; sealing makes no writer wait.
"""

from typing import Final

from weighbridge.core.platform.audit_chain import ANCHOR, link
from weighbridge.db import locks
from weighbridge.db.engine import Database, Write
from weighbridge.db.json import canonical
from weighbridge.platform.audit_log.records import SealedRow

SEALED_AT_ONCE: Final = 1000
"""Rows that one transaction seals at most."""

_UNSEALED: Final = """
    SELECT a.account_id, %(last)s + row_number() OVER (ORDER BY a.id), a.id, a.project_id, a.at, a.user_id,
           a.token_id, a.request_id, a.action, a.object, a.before, a.after
      FROM audit_log a
     WHERE a.id IN (SELECT audit_id FROM audit_unsealed
                     WHERE account_id = %(account)s ORDER BY audit_id LIMIT %(limit)s)
     ORDER BY a.id
"""


async def seal(database: Database) -> int:
    """Seal whatever was committed and waits; gives the number of rows."""
    sealed = 0
    async with database.read() as tx:
        accounts = [
            account for (account,) in await tx.tuples("SELECT DISTINCT account_id FROM audit_unsealed")
        ]
    for account in accounts:
        count = SEALED_AT_ONCE
        while count == SEALED_AT_ONCE:
            async with database.write() as tx:
                count = await seal_account(tx, account)
            sealed += count
    return sealed


async def seal_account(tx: Write, account: int) -> int:
    """Seal the next rows of one account; gives their number, 0 also when another sealer is at work."""
    if not await tx.value(*locks.try_hold(locks.audit_seal(account))):
        return 0
    last = await tx.tuples(
        "SELECT number, hash FROM audit_seals WHERE account_id = %s ORDER BY number DESC LIMIT 1", (account,)
    )
    number, previous = last[0] if last else (0, ANCHOR)
    rows = await tx.rows(SealedRow, _UNSEALED, {"last": number, "account": account, "limit": SEALED_AT_ONCE})
    hashes = []
    for row in rows:
        previous = link(previous, canonical(row))
        hashes.append(previous)
    ids = [row.id for row in rows]
    await tx.execute(
        """
        WITH waited AS (
            DELETE FROM audit_unsealed WHERE account_id = %s AND audit_id = ANY (%s))
        INSERT INTO audit_seals (account_id, number, audit_id, hash)
        SELECT %s, number, audit_id, hash
          FROM unnest(%s::bigint[], %s::bigint[], %s::bytea[]) AS sealed (number, audit_id, hash)
        """,
        (account, ids, account, [row.number for row in rows], ids, hashes),
    )
    return len(rows)
