"""The file that proves one row to be under a signed head (C2SP tlog-proof, version 1).

    c2sp.org/tlog-proof@v1
    index 4                     the row, counted from 0
    gSKyXoYZUgZ6jduWYrkDO...=   hashes from the row's neighbour up to the root's child
                                an empty line
    ...                         the checkpoint

Invariant: what verifies was signed as a head with this row at this place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from weighbridge.core.proof.checkpoint import Checkpoint, encoded, hash_of, number, opened
from weighbridge.core.proof.error import UnprovenError
from weighbridge.core.proof.merkle import verify_inclusion
from weighbridge.core.proof.signing import VerifierKey

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
        lines = [FIRST_LINE, f"index {self.index}", *map(encoded, self.path), "", self.note]
        return "\n".join(lines)

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the file; UnprovenError when it is none. Extra data in it is passed over: nothing signs it."""
        before, separator, note = text.partition("\n\n")
        first, *lines = before.split("\n")
        if lines and lines[0].startswith("extra "):
            del lines[0]
        if first != FIRST_LINE or not separator or not lines or not lines[0].startswith("index "):
            raise UnprovenError(f"The proof does not begin with {FIRST_LINE} and the index of a row.")
        return cls(number(lines[0].removeprefix("index ")), [hash_of(line) for line in lines[1:]], note)

    def verify(self, leaf: bytes, verifier: VerifierKey) -> Checkpoint:
        """The head that the leaf's hash is under; UnprovenError unless the key signed it and the path leads
        there.
        """
        head = opened(self.note, verifier)
        verify_inclusion(leaf, self.index, head.size, self.path, head.root)
        return head
