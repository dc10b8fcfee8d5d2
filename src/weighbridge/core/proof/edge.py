"""The right edge of a tree that grows: the roots of the perfect subtrees that its leaves fall into.

Of n leaves they are as many as n has ones in binary, so a tree of any size grows in the memory of its levels.
Every eighth height is worth keeping: of 256 neighbours of one such height the one above is made, so that with
those alone any part of the tree is 255 hashes of each kept height away.

Invariant: `size` leaves were added, and `root` is the root over all of them.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from weighbridge.core.proof.merkle import Span, joined, node_hash, perfect_subtrees

KEPT_HEIGHT: Final = 8
"""Subtrees are kept whose height is a multiple of this, as in the tiles of C2SP tlog-tiles."""


class KeptNode(NamedTuple):
    """The root of a perfect subtree that is kept, 256^`level` leaves wide."""

    level: int
    position: int
    hash: bytes


class Edge:
    """A tree that grows by one leaf at a time."""

    def __init__(self, size: int = 0, roots: Iterable[bytes] = ()) -> None:
        """Go on from a tree of so many leaves, with the roots of its perfect subtrees from left to right."""
        heights = [subtree.height for subtree in perfect_subtrees(Span(0, size))]
        self.size = size
        self._roots = [*zip(heights, roots, strict=True)]

    def add(self, leaf: bytes) -> list[KeptNode]:
        """Add the hash of a leaf; gives the nodes to keep that became complete with it."""
        kept = []
        height, root = 0, leaf
        while self._roots and self._roots[-1][0] == height:
            root = node_hash(self._roots.pop()[1], root)
            height += 1
            if height % KEPT_HEIGHT == 0:
                kept.append(KeptNode(height // KEPT_HEIGHT, self.size >> height, root))
        self._roots.append((height, root))
        self.size += 1
        return kept

    @property
    def root(self) -> bytes:
        """The root over all leaves."""
        return joined([root for _, root in self._roots])
