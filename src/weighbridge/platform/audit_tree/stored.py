"""The roots of parts of an account's tree, from the hashes that are kept: leaves and every eighth level.

Invariant: the rows that are read are 255 of each kept level at most for each end of a part.
"""

from collections.abc import Sequence
from typing import Final

from weighbridge.core.proof.edge import KEPT_HEIGHT, Edge
from weighbridge.core.proof.merkle import Span, Subtree, joined, perfect_root, perfect_subtrees
from weighbridge.db.engine import Read

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
    parts = [perfect_subtrees(span) for span in spans]
    hashes = await _hashes(tx, account, {place for part in parts for one in part for place in _places(one)})
    return [joined([_root(one, hashes) for one in part]) for part in parts]


async def edge_of(tx: Read, account: int, size: int) -> Edge:
    """The right edge of the account's tree when it had so many rows, to go on from."""
    subtrees = perfect_subtrees(Span(0, size))
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
        return perfect_root([hashes[place] for place in _places(subtree)])
    except KeyError as error:
        level, position = error.args[0]
        raise TornTreeError(f"hash {position} of level {level} of the audit log is missing") from None
