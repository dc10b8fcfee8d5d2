"""Proofs that a verifier checks: trees of hashes, their signed heads, and the files that carry both.

The hashes of a log's rows and a key come in; texts in public formats go out, and the check of each of them,
which needs nothing of the service. Trees follow RFC 6962, section 2.1, with SHA-256: one over n leaves is
split at the largest power of two below n, again and again. A proof is a list of roots of parts; which parts
is a matter of numbers alone, so it is written here as spans, and the caller that stores the hashes looks up
their roots. A checkpoint is a signed head (C2SP tlog-checkpoint, signed-note, tlog-proof).

Worked example: of three rows with the leaf hashes a, b, c the root is H(1, H(1, a, b), c). That b is in it
is proved by a and c, in this order: H(1, a, b) from the first, the root from the second. That the tree of
three extends the tree of two is proved by c alone: the old root is H(1, a, b), and with c it becomes the
new one.

Invariants: the root of a span is the fold of its perfect subtrees from the right; a proof of n leaves has at
most 2 * log2(n) + 1 hashes; verifying needs the proof alone, and everything unproved raises UnprovenError.
"""

import base64
import binascii
import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from weighbridge.core.signing import SigningKey, UnprovenError, VerifierKey

_HASH_BYTES: Final = 32
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
    """Return the hash of two adjacent parts."""
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


def list_outside_spans(indexes: Sequence[int], size: int) -> list[Span]:
    """The largest parts of a tree that have none of some leaves, from left to right; `indexes` ascend.

    Their roots prove all these leaves at once.
    """
    return [span for span, count in _list_parts(indexes, size) if not count]


def compute_root_of_some(leaves: Sequence[tuple[int, bytes]], size: int, outside: Sequence[bytes]) -> bytes:
    """The root of a tree of which some leaves are there, in their order, and of all parts without any of them
    the roots; UnprovenError unless there are as many as it takes.
    """
    indexes = [index for index, _ in leaves]
    parts = _list_parts(indexes, size)
    if len(outside) != sum(not count for _, count in parts) or (indexes and indexes[-1] >= size):
        raise UnprovenError(f"The proof of {len(leaves):,} of {size:,} leaves has {len(outside):,} hashes.")
    roots: dict[Span, bytes] = {}
    hashes, place = iter(outside), 0
    for span, count in parts:
        within = [hashed for _, hashed in leaves[place : place + count]]
        roots[span] = compute_root(within) if count else next(hashes)
        place += count
    return _join_parts(Span(0, size), roots)


def _list_parts(indexes: Sequence[int], size: int) -> list[tuple[Span, int]]:
    """The largest parts of a tree that have all or none of some leaves, with how many of these each has."""
    parts: list[tuple[Span, int]] = []
    waiting = [(Span(0, size), 0, len(indexes))] if size else []
    while waiting:
        span, first, last = waiting.pop()
        if last - first in {0, span.end - span.start}:
            parts.append((span, last - first))
            continue
        middle = span.start + _split(span.end - span.start)
        at = bisect_left(indexes, middle, first, last)
        waiting += [(Span(middle, span.end), at, last), (Span(span.start, middle), first, at)]
    return parts


def _join_parts(span: Span, roots: Mapping[Span, bytes]) -> bytes:
    """The root of a part of a tree by those of the smaller parts that it is made of."""
    if span in roots:
        return roots[span]
    middle = span.start + _split(span.end - span.start)
    left = _join_parts(Span(span.start, middle), roots)
    return hash_node(left, _join_parts(Span(middle, span.end), roots))


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
        kept_hashes = []
        height, root = 0, leaf
        while self._roots and self._roots[-1][0] == height:
            root = hash_node(self._roots.pop()[1], root)
            height += 1
            if height % KEPT_HEIGHT == 0:
                kept_hashes.append(KeptNode(height // KEPT_HEIGHT, self.size >> height, root))
        self._roots.append((height, root))
        self.size += 1
        return kept_hashes

    @property
    def root(self) -> bytes:
        """The root over all leaves."""
        return join_roots([root for _, root in self._roots])


# A checkpoint: the head of a log, how many rows it has and their root, signed (C2SP tlog-checkpoint).
#
#     plant.example/audit_log/1        the origin: which log
#     1042                             how many rows
#     CsUYapGGPo4dkMgIAUqom/Xajj7...=  the root, in Base64
#                                      an empty line
#     — plant.example/audit_log/1 Az3grl...   the name of the key, and its number with the signature
#
# Invariant: what `open_checkpoint` gives was signed by the key that the caller named; other signatures are
# passed over.


NOTE_LENGTH_MAX: Final = 100_000
"""Characters of a signed note that are read; 16 signatures of any kind have room."""

BEFORE_SIGNATURE: Final = "\u2014 "
"""What a line of a signature begins with."""

_KEY_ID_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"


def sign_checkpoint(checkpoint: Checkpoint, key: SigningKey) -> str:
    """The checkpoint as a note, signed by a key that is named for the log."""
    verifier = VerifierKey(checkpoint.origin, key.public)
    signature = verifier.key_id + key.sign(checkpoint.text.encode())
    return f"{checkpoint.text}\n{BEFORE_SIGNATURE}{verifier.name} {encode_base64(signature)}\n"


def open_checkpoint(note: str, verifier: VerifierKey) -> Checkpoint:
    """Read a checkpoint; UnprovenError unless this key signed it, for a log of the key's name."""
    if len(note) > NOTE_LENGTH_MAX:
        raise UnprovenError(f"The head is longer than {NOTE_LENGTH_MAX:,} characters.")
    text, separator, signatures = note.rpartition("\n\n")
    if not separator or not note.endswith("\n"):
        raise UnprovenError("The head is no signed note: it has no empty line before its signatures.")
    text += "\n"
    _require_signature(text, signatures, verifier)
    checkpoint = _read(text)
    if checkpoint.origin != verifier.name:
        raise UnprovenError(f"The head is of {checkpoint.origin}, and the key is of {verifier.name}.")
    return checkpoint


def _require_signature(text: str, signatures: str, verifier: VerifierKey) -> None:
    is_signed = False
    for line in signatures.rstrip("\n").split("\n"):
        name, _, signature = line.removeprefix(BEFORE_SIGNATURE).rpartition(" ")
        if not line.startswith(BEFORE_SIGNATURE) or not name:
            raise UnprovenError(f"The head has a line among its signatures that is none: {line[:100]!r}.")
        content = decode_base64(signature)
        if (name, content[:_KEY_ID_BYTES]) != (verifier.name, verifier.key_id):
            continue
        if not verifier.verify(text.encode(), content[_KEY_ID_BYTES:]):
            raise UnprovenError(f"The signature of {name} on the head does not hold.")
        is_signed = True
    if not is_signed:
        raise UnprovenError(f"The head is not signed by {verifier.text}.")


def _read(text: str) -> Checkpoint:
    lines = text.removesuffix("\n").split("\n")
    if len(lines) < 3 or not all(lines):
        raise UnprovenError("The head has no three lines of origin, number of rows and root.")
    return Checkpoint(lines[0], parse_whole_number(lines[1]), hash_of(lines[2]))


def parse_whole_number(text: str) -> int:
    """Read a whole number as these formats write it: ASCII digits, no zero before others."""
    if not (text.isascii() and text.isdigit()) or (text[0] == "0" and len(text) > 1) or len(text) > 18:
        raise UnprovenError(f"{text[:40]!r} is no number of rows.")
    return int(text)


def hash_of(text: str) -> bytes:
    """Read a hash in Base64."""
    content = decode_base64(text)
    if len(content) != _HASH_BYTES:
        raise UnprovenError(f"{text[:100]!r} is no hash of {_HASH_BYTES} bytes in Base64.")
    return content


def encode_base64(content: bytes) -> str:
    """Bytes in Base64."""
    return base64.b64encode(content).decode()


def decode_base64(text: str) -> bytes:
    """Bytes from Base64, which has one way only to write each."""
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise UnprovenError(f"{text[:100]!r} is not Base64.") from None
    if encode_base64(content) != text:
        raise UnprovenError(f"{text[:100]!r} is not Base64 as it is written.")
    return content


# The file that proves one row to be under a signed head (C2SP tlog-proof, version 1).
#
#     c2sp.org/tlog-proof@v1
#     index 4                     the row, counted from 0
#     gSKyXoYZUgZ6jduWYrkDO...=   hashes from the row's neighbour up to the root's child
#                                 an empty line
#     ...                         the checkpoint
#
# Invariant: what verifies was signed as a head with this row at this place.


FIRST_LINE: Final = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """A row's place, the path from it to the root, and the signed head with that root."""

    index: int
    path: Sequence[bytes]
    note: str

    @property
    def text(self) -> str:
        """The file."""
        lines = [FIRST_LINE, f"index {self.index}", *map(encode_base64, self.path), "", self.note]
        return "\n".join(lines)

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the file; UnprovenError when it is none. Extra data in it is passed over: nothing signs it."""
        proof_text, separator, note = text.partition("\n\n")
        first, *lines = proof_text.split("\n")
        if lines and lines[0].startswith("extra "):
            del lines[0]
        if first != FIRST_LINE or not separator or not lines or not lines[0].startswith("index "):
            raise UnprovenError(f"The proof does not begin with {FIRST_LINE} and the index of a row.")
        return cls(
            parse_whole_number(lines[0].removeprefix("index ")), [hash_of(line) for line in lines[1:]], note
        )

    def verify(self, leaf: bytes, verifier: VerifierKey) -> Checkpoint:
        """The head that the leaf's hash is under; UnprovenError unless the key signed it and the path leads
        there.
        """
        head = open_checkpoint(self.note, verifier)
        verify_inclusion(leaf, self.index, head.size, self.path, head.root)
        return head


# The file that proves a head to extend an older one, as a witness takes it (C2SP tlog-witness).
#
#     old 1042                    how many rows the older head has
#     gSKyXoYZUgZ6jduWYrkDO...=   the hashes of the proof
#                                 an empty line
#     ...                         the newer checkpoint
#
# Invariant: what verifies has all rows of the older head, unchanged and in their places.


_OLD: Final = "old "


@dataclass(frozen=True, slots=True)
class ConsistencyProof:
    """How many rows the older head has, the hashes between, and the newer signed head."""

    old_size: int
    hashes: Sequence[bytes]
    note: str

    @property
    def text(self) -> str:
        """The file."""
        return "\n".join([f"{_OLD}{self.old_size}", *map(encode_base64, self.hashes), "", self.note])

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the file; UnprovenError when it is none."""
        proof_text, separator, note = text.partition("\n\n")
        first, *lines = proof_text.split("\n")
        if not separator or not first.startswith(_OLD):
            raise UnprovenError("The proof does not begin with `old` and the number of rows of a head.")
        return cls(parse_whole_number(first.removeprefix(_OLD)), [hash_of(line) for line in lines], note)

    def verify(self, older: Checkpoint, verifier: VerifierKey) -> Checkpoint:
        """The newer head; UnprovenError unless the key signed it and it extends the older one."""
        newer = open_checkpoint(self.note, verifier)
        if self.old_size != older.size:
            raise UnprovenError(f"The proof is from {self.old_size:,} rows; the head has {older.size:,}.")
        verify_consistency(older.size, older.root, newer.size, newer.root, self.hashes)
        return newer
