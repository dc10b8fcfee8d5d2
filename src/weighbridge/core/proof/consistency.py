"""The file that proves a head to extend an older one, as a witness takes it (C2SP tlog-witness).

    old 1042                    how many rows the older head has
    gSKyXoYZUgZ6jduWYrkDO...=   the hashes of the proof
                                an empty line
    ...                         the newer checkpoint

Invariant: what verifies has all rows of the older head, unchanged and in their places.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from weighbridge.core.proof.checkpoint import Checkpoint, encoded, hash_of, number, opened
from weighbridge.core.proof.error import UnprovenError
from weighbridge.core.proof.merkle import verify_consistency
from weighbridge.core.proof.signing import VerifierKey

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
        return "\n".join([f"{_OLD}{self.old_size}", *map(encoded, self.hashes), "", self.note])

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the file; UnprovenError when it is none."""
        before, separator, note = text.partition("\n\n")
        first, *lines = before.split("\n")
        if not separator or not first.startswith(_OLD):
            raise UnprovenError("The proof does not begin with `old` and the number of rows of a head.")
        return cls(number(first.removeprefix(_OLD)), [hash_of(line) for line in lines], note)

    def verify(self, older: Checkpoint, verifier: VerifierKey) -> Checkpoint:
        """The newer head; UnprovenError unless the key signed it and it extends the older one."""
        newer = opened(self.note, verifier)
        if self.old_size != older.size:
            raise UnprovenError(f"The proof is from {self.old_size:,} rows; the head has {older.size:,}.")
        verify_consistency(older.size, older.root, newer.size, newer.root, self.hashes)
        return newer
