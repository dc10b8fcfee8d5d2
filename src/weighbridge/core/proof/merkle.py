"""Trees of hashes by RFC 6962, section 2.1, with SHA-256.

A tree over n leaves is split at the largest power of two below n, again and again. A proof is a list of roots
of parts; which parts is a matter of numbers alone, so it is said here as spans, and whoever keeps the hashes
looks up their roots.

Invariants: the root of a span is the fold of its perfect subtrees from the right; a proof of n leaves has at
most 2 * log2(n) + 1 hashes; verifying needs the proof alone.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from weighbridge.core.proof.signing import UnprovenError

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = hashlib.sha256().digest()
"""The root of a tree without leaves."""


class Span(NamedTuple):
    """Leaves from `start`, and before `end`; the first leaf is 0."""

    start: int
    end: int


class Subtree(NamedTuple):
    """A perfect subtree: the leaves from `position` * 2^`height` on, 2^`height` of them."""

    height: int
    position: int


def hash_leaf(content: bytes) -> bytes:
    """The hash of a leaf's bytes."""
    return hashlib.sha256(b"\x00" + content).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    """The hash of two parts that lie beside each other."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def compute_perfect_root(hashes: Sequence[bytes]) -> bytes:
    """The root over as many neighbouring hashes of one height as a power of two says."""
    sha256 = hashlib.sha256
    while len(hashes) > 1:
        pairs = zip(hashes[::2], hashes[1::2], strict=True)
        hashes = [sha256(b"\x01" + left + right).digest() for left, right in pairs]
    return hashes[0]


def join_roots(roots: Sequence[bytes]) -> bytes:
    """The root over parts from left to right, each of them perfect and higher than the next."""
    if not roots:
        return EMPTY_ROOT
    root = roots[-1]
    for left in reversed(roots[:-1]):
        root = hash_node(left, root)
    return root


def compute_root(leaves: Sequence[bytes]) -> bytes:
    """The root over leaf hashes that are all there."""
    subtrees = list_perfect_subtrees(Span(0, len(leaves)))
    return join_roots(
        [compute_perfect_root(leaves[place << high : (place + 1) << high]) for high, place in subtrees]
    )


def list_perfect_subtrees(span: Span) -> list[Subtree]:
    """The perfect subtrees that a span of a tree falls into, from left to right."""
    subtrees = []
    start, end = span
    while start < end:
        height = (end - start).bit_length() - 1
        subtrees.append(Subtree(height, start >> height))
        start += 1 << height
    return subtrees


def list_inclusion_spans(index: int, size: int) -> list[Span]:
    """The parts whose roots prove that leaf `index` is in the tree of `size` leaves, the lowest first."""
    spans: list[Span] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            spans.append(Span(middle, end))
            end = middle
        else:
            spans.append(Span(start, middle))
            start = middle
    return spans[::-1]


def list_consistency_spans(old: int, new: int) -> list[Span]:
    """The parts whose roots prove that the tree of `new` leaves extends that of `old`; none of 0 leaves."""
    spans: list[Span] = []
    start, end = 0, new
    while 0 < old < end:
        middle = start + _split(end - start)
        if old <= middle:
            spans.append(Span(middle, end))
            end = middle
        else:
            spans.append(Span(start, middle))
            start = middle
    if start > 0:
        spans.append(Span(start, end))
    return spans[::-1]


def _split(leaves: int) -> int:
    """The largest power of two below a number of leaves."""
    return 1 << ((leaves - 1).bit_length() - 1)


def verify_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> None:
    """Raise UnprovenError unless the path leads from the leaf's hash to the root (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        raise UnprovenError(f"The proof is of leaf {index}, and the tree has {size:,} leaves.")
    spans = list_inclusion_spans(index, size)
    if len(path) != len(spans):
        raise UnprovenError(f"The proof has {len(path)} hashes; one of leaf {index} has {len(spans)}.")
    reached = leaf
    for span, sibling in zip(spans, path, strict=True):
        reached = hash_node(sibling, reached) if span.end <= index else hash_node(reached, sibling)
    if reached != root:
        raise UnprovenError("The row and its proof do not lead to the root of the head.")


def verify_consistency(
    old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]
) -> None:
    """Raise UnprovenError unless the new tree has the old one's leaves as its first (RFC 9162, 2.1.4.2)."""
    if old_size > new_size:
        raise UnprovenError(f"The older head has {old_size:,} rows, more than the newer one's {new_size:,}.")
    spans = list_consistency_spans(old_size, new_size)
    if len(proof) != len(spans):
        raise UnprovenError(f"The proof has {len(proof)} hashes; one from {old_size:,} has {len(spans)}.")
    if old_size == new_size and old_root != new_root:
        raise UnprovenError(f"The two heads have the same {old_size:,} rows and differ.")
    if old_size == 0 and old_root != EMPTY_ROOT:
        raise UnprovenError("The older head has no rows and is not the root of an empty tree.")
    if not spans:
        return
    if _compute_old_root(old_size, old_root, spans, proof) != old_root:
        raise UnprovenError("The proof does not lead to the root of the older head.")
    if _compute_new_root(old_size, old_root, spans, proof) != new_root:
        raise UnprovenError("The proof does not lead from the older head to the root of the newer one.")


def _list_old_roots(
    old: int, old_root: bytes, spans: Sequence[Span], proof: Sequence[bytes]
) -> Iterator[bytes]:
    """The roots of the parts that the old tree consists of, from right to left."""
    parts = [part for span, part in zip(spans, proof, strict=True) if span.end <= old]
    return iter(parts or [old_root])


def _compute_old_root(old: int, old_root: bytes, spans: Sequence[Span], proof: Sequence[bytes]) -> bytes:
    parts = _list_old_roots(old, old_root, spans, proof)
    root = next(parts)
    for left in parts:
        root = hash_node(left, root)
    return root


def _compute_new_root(old: int, old_root: bytes, spans: Sequence[Span], proof: Sequence[bytes]) -> bytes:
    is_perfect = spans[0].start == old
    root = old_root if is_perfect else proof[0]
    reached = Span(0, old) if is_perfect else spans[0]
    for span, part in zip(spans, proof, strict=True):
        if span == reached:
            continue
        root = hash_node(part, root) if span.end == reached.start else hash_node(root, part)
        reached = Span(min(span.start, reached.start), max(span.end, reached.end))
    return root


# The right edge of a tree that grows: the roots of the perfect subtrees that its leaves fall into.
#
# Of n leaves they are as many as n has ones in binary, so a tree of any size grows in the memory of its
# levels. Every eighth height is worth keeping: of 256 neighbours of one such height the one above is made,
# so that with those alone any part of the tree is 255 hashes of each kept height away.
#
# Invariant: `size` leaves were added, and `root` is the root over all of them.


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
        heights = [subtree.height for subtree in list_perfect_subtrees(Span(0, size))]
        self.size = size
        self._roots = [*zip(heights, roots, strict=True)]

    def add(self, leaf: bytes) -> list[KeptNode]:
        """Add the hash of a leaf; gives the nodes to keep that became complete with it."""
        kept = []
        height, root = 0, leaf
        while self._roots and self._roots[-1][0] == height:
            root = hash_node(self._roots.pop()[1], root)
            height += 1
            if height % KEPT_HEIGHT == 0:
                kept.append(KeptNode(height // KEPT_HEIGHT, self.size >> height, root))
        self._roots.append((height, root))
        self.size += 1
        return kept

    @property
    def root(self) -> bytes:
        """The root over all leaves."""
        return join_roots([root for _, root in self._roots])
