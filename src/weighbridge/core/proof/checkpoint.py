"""Checkpoints of an audit log, and the proofs that a row is under one and that one extends another (RFC
6962, C2SP tlog-checkpoint).
"""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from weighbridge.core.proof.merkle import HASH_BYTES, verify_consistency, verify_inclusion
from weighbridge.core.proof.signing import SigningKey, UnprovenError, VerifierKey

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

_BEFORE_SIGNATURE: Final = "\u2014 "
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
    return f"{checkpoint.text}\n{_BEFORE_SIGNATURE}{verifier.name} {encode_base64(signature)}\n"


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
        name, _, signature = line.removeprefix(_BEFORE_SIGNATURE).rpartition(" ")
        if not line.startswith(_BEFORE_SIGNATURE) or not name:
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
    if len(content) != HASH_BYTES:
        raise UnprovenError(f"{text[:100]!r} is no hash of {HASH_BYTES} bytes in Base64.")
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
        before, separator, note = text.partition("\n\n")
        first, *lines = before.split("\n")
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
        before, separator, note = text.partition("\n\n")
        first, *lines = before.split("\n")
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
