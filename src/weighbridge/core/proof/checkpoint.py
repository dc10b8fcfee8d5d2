"""A checkpoint: the head of a log, how many rows it has and their root, signed (C2SP tlog-checkpoint).

    plant.example/audit_log/1        the origin: which log
    1042                             how many rows
    CsUYapGGPo4dkMgIAUqom/Xajj7...=  the root, in Base64
                                     an empty line
    — plant.example/audit_log/1 Az3grl...   the name of the key, and its number with the signature

Invariant: what `opened` gives was signed by the key that the caller named; other signatures are passed over.
"""

import base64
import binascii
from dataclasses import dataclass
from typing import Final

from weighbridge.core.proof.error import UnprovenError
from weighbridge.core.proof.merkle import HASH_BYTES
from weighbridge.core.proof.signing import SigningKey, VerifierKey

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
        return f"{self.origin}\n{self.size}\n{encoded(self.root)}\n"


def signed(checkpoint: Checkpoint, key: SigningKey) -> str:
    """The checkpoint as a note, signed by a key that is named for the log."""
    verifier = VerifierKey(checkpoint.origin, key.public)
    signature = verifier.key_id + key.sign(checkpoint.text.encode())
    return f"{checkpoint.text}\n{_BEFORE_SIGNATURE}{verifier.name} {encoded(signature)}\n"


def opened(note: str, verifier: VerifierKey) -> Checkpoint:
    """Read a checkpoint; UnprovenError unless this key signed it, for a log of the key's name."""
    if len(note) > NOTE_LENGTH_MAX:
        raise UnprovenError(f"The head is longer than {NOTE_LENGTH_MAX:,} characters.")
    text, separator, signatures = note.rpartition("\n\n")
    if not separator or not note.endswith("\n"):
        raise UnprovenError("The head is no signed note: it has no empty line before its signatures.")
    text += "\n"
    _refuse_unsigned(text, signatures, verifier)
    checkpoint = _read(text)
    if checkpoint.origin != verifier.name:
        raise UnprovenError(f"The head is of {checkpoint.origin}, and the key is of {verifier.name}.")
    return checkpoint


def _refuse_unsigned(text: str, signatures: str, verifier: VerifierKey) -> None:
    is_signed = False
    for line in signatures.rstrip("\n").split("\n"):
        name, _, signature = line.removeprefix(_BEFORE_SIGNATURE).rpartition(" ")
        if not line.startswith(_BEFORE_SIGNATURE) or not name:
            raise UnprovenError(f"The head has a line among its signatures that is none: {line[:100]!r}.")
        content = decoded(signature)
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
    return Checkpoint(lines[0], number(lines[1]), hash_of(lines[2]))


def number(text: str) -> int:
    """Read a whole number as these formats write it: ASCII digits, no zero before others."""
    if not (text.isascii() and text.isdigit()) or (text[0] == "0" and len(text) > 1) or len(text) > 18:
        raise UnprovenError(f"{text[:40]!r} is no number of rows.")
    return int(text)


def hash_of(text: str) -> bytes:
    """Read a hash in Base64."""
    content = decoded(text)
    if len(content) != HASH_BYTES:
        raise UnprovenError(f"{text[:100]!r} is no hash of {HASH_BYTES} bytes in Base64.")
    return content


def encoded(content: bytes) -> str:
    """Bytes in Base64."""
    return base64.b64encode(content).decode()


def decoded(text: str) -> bytes:
    """Bytes from Base64, which has one way only to write each."""
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise UnprovenError(f"{text[:100]!r} is not Base64.") from None
    if encoded(content) != text:
        raise UnprovenError(f"{text[:100]!r} is not Base64 as it is written.")
    return content
