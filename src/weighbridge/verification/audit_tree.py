"""The audit log of every account: each leaf and node of its tree made anew from the rows.

Rows that were sealed before there was a tree are linked to the row before as well, which is checked too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import msgspec

from weighbridge.core.platform.audit_chain import ANCHOR, link
from weighbridge.core.proof.checkpoint import Checkpoint
from weighbridge.core.proof.edge import Edge, KeptNode
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.json import canonical
from weighbridge.platform.audit_log.records import SealedRow
from weighbridge.platform.audit_tree.leaf import leaf_of
from weighbridge.platform.audit_tree.stored import TornTreeError, edge_of, size_of

READ_AT_ONCE: Final = 5000
"""Rows that are held in memory at a time."""

ASTRAY_MAX: Final = 100
"""Rows that are named at most of those that are neither sealed nor wait for it."""

_SEALED: Final = """
    SELECT s.hash, s.chain, a.account_id, s.number, a.id, a.project_id, a.at, a.user_id, a.token_id,
           a.request_id, a.action, a.object, a.before, a.after
      FROM audit_seals s JOIN audit_log a ON a.id = s.audit_id
     WHERE s.account_id = %s AND s.number > %s ORDER BY s.number LIMIT %s
"""
_BEFORE: Final = """
    SELECT number, chain FROM audit_seals
     WHERE account_id = %s AND sealed_at < %s::timestamptz ORDER BY number DESC LIMIT 1
"""
_ASTRAY: Final = """
    SELECT a.account_id, a.id FROM audit_log a
     WHERE (%(since)s::timestamptz IS NULL OR a.at >= %(since)s)
       AND NOT EXISTS (SELECT FROM audit_seals s WHERE s.audit_id = a.id)
       AND NOT EXISTS (SELECT FROM audit_unsealed u WHERE (u.account_id, u.audit_id) = (a.account_id, a.id))
     ORDER BY a.id LIMIT %(limit)s
"""


class Head(msgspec.Struct, frozen=True):
    """The head of an account's log. Noted elsewhere, it vouches for every row up to its number."""

    account: int
    number: int
    hash: str
    """The root of the tree over those rows, as 64 hexadecimal digits."""


@dataclass(slots=True)
class Walk:
    """How far an account's rows have been walked, and what was said of them."""

    account: int
    number: int
    chain: bytes
    edge: Edge
    nodes: dict[tuple[int, int], bytes]
    """The kept nodes by level and position."""
    is_whole: bool = True
    violations: list[str] = field(default_factory=list)

    def row(self, row: SealedRow, leaf: bytes, chain: bytes | None) -> None:
        """Go on to the next row, with what its seal says."""
        if row.number != self.number + 1:
            self.say(f"row {self.number + 1} of the audit log is missing")
            self.is_whole = False
        is_linked = chain is None or link(self.chain, canonical(row)) == chain
        if leaf_of(row) != leaf or not is_linked:
            self.say(f"row {row.number} of the audit log is not what was sealed ({row.action})")
        self.number, self.chain = row.number, chain or self.chain
        kept = self.edge.add(leaf)
        if self.is_whole:
            self.violations += self._of_nodes(kept)

    def _of_nodes(self, kept: list[KeptNode]) -> Iterator[str]:
        for level, position, root in kept:
            if self.nodes.get((level, position)) != root:
                yield (
                    f"account {self.account}: the tree of the audit log is torn at row {self.number}:"
                    f" node {position} of level {level} is not what its rows make"
                )

    def say(self, violation: str) -> None:
        """Name something that does not hold."""
        self.violations.append(f"account {self.account}: {violation}")


async def check_trees(tx: Read, since: Instant | None = None) -> tuple[list[Head], list[str]]:
    """Check every account's log, or what was sealed since a moment; gives their heads and the violations."""
    heads: list[Head] = []
    violations: list[str] = []
    for (account,) in await tx.tuples("SELECT DISTINCT account_id FROM audit_seals ORDER BY 1"):
        walk = await _begun(tx, account, since)
        while rows := await tx.tuples(_SEALED, (account, walk.number, READ_AT_ONCE)):
            for leaf, chain, *content in rows:
                walk.row(SealedRow(*content), leaf, chain)
        if (last := await size_of(tx, account)) > walk.number:
            walk.say(f"row {last} of the audit log is missing")
        heads.append(Head(account, walk.number, walk.edge.root.hex()))
        violations += walk.violations
    astray = await tx.tuples(_ASTRAY, {"since": since, "limit": ASTRAY_MAX})
    violations += [
        f"account {account}: the row with the id {number} of the audit log has lost its seal"
        for account, number in astray
    ]
    return heads, violations


async def check_kept_head(tx: Read, head: Checkpoint) -> list[str]:
    """What speaks against the database having every row of a head, which its key has vouched for."""
    account = head.origin.rpartition("/")[2]
    if not account.isdecimal():
        return [f"{head.origin} is no audit log of an account of this service"]
    walk = Walk(int(account), 0, ANCHOR, Edge(), {}, is_whole=False)
    while left := min(READ_AT_ONCE, head.size - walk.edge.size):
        rows = await tx.tuples(_SEALED, (walk.account, walk.number, left))
        if not rows:
            walk.say(f"the head is of {head.size} rows of the audit log, and here are {walk.edge.size}")
            return walk.violations
        for leaf, chain, *content in rows:
            walk.row(SealedRow(*content), leaf, chain)
    if walk.edge.root != head.root:
        walk.say(f"the first {head.size} rows of the audit log are not those that the head was made of")
    return walk.violations


async def _begun(tx: Read, account: int, since: Instant | None) -> Walk:
    """The walk of an account's rows, from the first on or from a moment."""
    nodes = await tx.tuples("SELECT level, position, hash FROM audit_nodes WHERE account_id = %s", (account,))
    by_place = {(level, position): root for level, position, root in nodes}
    rows = await tx.tuples(_BEFORE, (account, since))
    if not rows:
        return Walk(account, 0, ANCHOR, Edge(), by_place)
    [(number, chain)] = rows
    try:
        return Walk(account, number, chain or ANCHOR, await edge_of(tx, account, number), by_place)
    except TornTreeError as error:
        walk = Walk(account, 0, ANCHOR, Edge(), by_place)
        walk.say(str(error))
        return walk
