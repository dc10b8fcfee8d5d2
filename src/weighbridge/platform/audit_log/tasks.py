"""Sealing: committed rows of the audit log get their number and become leaves of their account's tree.

Their order is that of their ids among those that were committed by then. Whoever writes a row leaves its id
in a table of those that wait, and no more; so no writer waits for another one, and a row that commits late
gets a later number.

Invariants: one sealer works on an account at a time; a row is sealed once; numbers have no gap; the nodes of
the tree that became complete are kept in the same transaction.
"""

from typing import Final

from weighbridge.core.proof.edge import KeptNode
from weighbridge.db import locks
from weighbridge.db.engine import Database, Write
from weighbridge.platform.audit_log.records import SealedRow
from weighbridge.platform.audit_tree.leaf import leaf_of
from weighbridge.platform.audit_tree.stored import edge_of, size_of

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
_SEAL: Final = """
    WITH waited AS (
        DELETE FROM audit_unsealed WHERE account_id = %s AND audit_id = ANY (%s))
    INSERT INTO audit_seals (account_id, number, audit_id, hash)
    SELECT %s, number, audit_id, hash
      FROM unnest(%s::bigint[], %s::bigint[], %s::bytea[]) AS sealed (number, audit_id, hash)
"""
_KEEP_NODES: Final = """
    INSERT INTO audit_nodes (account_id, level, position, hash)
    SELECT %s, level, position, hash
      FROM unnest(%s::smallint[], %s::bigint[], %s::bytea[]) AS complete (level, position, hash)
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
    number = await size_of(tx, account)
    rows = await tx.rows(SealedRow, _UNSEALED, {"last": number, "account": account, "limit": SEALED_AT_ONCE})
    if not rows:
        return 0
    edge = await edge_of(tx, account, number)
    nodes: list[KeptNode] = []
    hashes = []
    for row in rows:
        hashes.append(leaf_of(row))
        nodes += edge.add(hashes[-1])
    if nodes:
        levels, positions, roots = zip(*nodes, strict=True)
        tx.later(_KEEP_NODES, (account, [*levels], [*positions], [*roots]))
    ids = [row.id for row in rows]
    await tx.execute(_SEAL, (account, ids, account, [row.number for row in rows], ids, hashes))
    return len(rows)
