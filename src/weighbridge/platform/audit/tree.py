"""The Merkle tree of each account's audit log: leaves, stored nodes, and the sealing of committed rows.

`seal` gives committed rows their numbers and appends them as leaves; nothing else adds to the tree.

Invariants: one worker seals an account at a time; a row is sealed once; numbers have no gap; the number
of rows that a root or a proof reads grows with the logarithm of the log.
"""

from collections.abc import Sequence
from typing import Any, Final

from weighbridge.core.identity import ids
from weighbridge.core.platform.audit import LEAF_FIELDS, hash_of_row
from weighbridge.core.proof.merkle import (
    KEPT_HEIGHT,
    Edge,
    KeptNode,
    Span,
    Subtree,
    compute_perfect_root,
    join_roots,
    list_perfect_subtrees,
)
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.platform.records.audit_log import SealedRow

# The hash of a sealed row of the audit log, and what it is made of.


def leaf_of(row: SealedRow) -> bytes:
    """The hash of the row's leaf in its account's tree."""
    return hash_of_row(shown(row))


def shown(row: SealedRow) -> dict[str, Any]:
    """The fields of the row that are hashed, as the interface shows them."""
    fields = {field: getattr(row, field) for field in LEAF_FIELDS}
    fields["at"] = row.at.text
    fields["project_id"] = None if row.project_id is None else ids.of("project", row.project_id)
    return fields


# The roots of parts of an account's tree, from the hashes that are kept: leaves and every eighth level.
#
# Invariant: the rows that are read are 255 of each kept level at most for each end of a part.


_LEAVES: Final = """
    SELECT 0, number - 1, hash FROM audit_seals WHERE account_id = %s AND number = ANY (%s::bigint[])
"""
_NODES: Final = """
    SELECT n.level, n.position, n.hash
      FROM unnest(%s::smallint[], %s::bigint[]) AS sought (level, position)
      JOIN audit_nodes n ON (n.account_id, n.level, n.position) = (%s, sought.level, sought.position)
"""

Place = tuple[int, int]
"""A kept level and a position in it; level 0 are the leaves."""


class TornTreeError(Exception):
    """A hash that belongs to the tree is not there: somebody removed it past the service."""


async def size_of(tx: Read, account: int) -> int:
    """How many rows of the account are sealed."""
    size: int | None = await tx.value(
        "SELECT number FROM audit_seals WHERE account_id = %s ORDER BY number DESC LIMIT 1", (account,)
    )
    return size or 0


async def roots_of(tx: Read, account: int, spans: Sequence[Span]) -> list[bytes]:
    """The root of each span of the account's tree, all of whose rows are sealed."""
    parts = [list_perfect_subtrees(span) for span in spans]
    hashes = await _hashes(tx, account, {place for part in parts for one in part for place in _places(one)})
    return [join_roots([_root(one, hashes) for one in part]) for part in parts]


async def edge_of(tx: Read, account: int, size: int) -> Edge:
    """The right edge of the account's tree when it had so many rows, to go on from."""
    subtrees = list_perfect_subtrees(Span(0, size))
    hashes = await _hashes(tx, account, {place for one in subtrees for place in _places(one)})
    return Edge(size, [_root(one, hashes) for one in subtrees])


async def _hashes(tx: Read, account: int, places: set[Place]) -> dict[Place, bytes]:
    leaves = [position + 1 for level, position in places if level == 0]
    nodes = [place for place in places if place[0] > 0]
    levels, positions = [level for level, _ in nodes], [position for _, position in nodes]
    if not places:
        return {}
    found = await tx.several((_LEAVES, (account, leaves)), (_NODES, (levels, positions, account)))
    return {(level, position): hashed for rows in found for level, position, hashed in rows}


def _places(subtree: Subtree) -> list[Place]:
    """The kept hashes that a perfect subtree is made of."""
    level, above = divmod(subtree.height, KEPT_HEIGHT)
    first = subtree.position << above
    return [(level, position) for position in range(first, first + (1 << above))]


def _root(subtree: Subtree, hashes: dict[Place, bytes]) -> bytes:
    try:
        return compute_perfect_root([hashes[place] for place in _places(subtree)])
    except KeyError as error:
        level, position = error.args[0]
        raise TornTreeError(f"hash {position} of level {level} of the audit log is missing") from None


# Sealing: committed rows of the audit log get their number and become leaves of their account's tree.
#
# Their order is that of their ids among those that were committed by then. Whoever writes a row leaves its
# id in a table of those that wait, and no more; so no writer waits for another one, and a row that commits
# late gets a later number.
#
# Invariants: one sealer works on an account at a time; a row is sealed once; numbers have no gap; the nodes
# of the tree that became complete are kept in the same transaction.


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
