"""Cosignatures: a witness says that it saw a head at a time, and that it extends every head it saw before.

The formats are C2SP tlog-cosignature (`cosignature/v1`, Ed25519) and tlog-witness (the body of a submission,
which `proof.ConsistencyProof` writes). A cosignature is one more line below a checkpoint:

    — witness.example/w1 jWbPPwAAAABkGFDL…      the witness, and its key's number, a time and the signature

What is signed is `cosignature/v1`, `time` with the seconds since 1970, and the text of the checkpoint. The
number of a key is made with the byte 4, not 1, so one key never passes for the other kind.

Invariants: `list_cosignatures` gives each witness once, and none whose signature does not hold or whose time
is later than the caller's; other lines are passed over.
"""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Self

from weighbridge.core.identity import is_key_name
from weighbridge.core.proof import BEFORE_SIGNATURE, decode_base64, encode_base64
from weighbridge.core.signing import PUBLIC_KEY_BYTES, SigningKey, UnprovenError, VerifierKey

COSIGNATURE: Final = b"\x04"
"""What a signed note calls this kind of signature."""

FUTURE_SECONDS_MAX: Final = 300
"""How far the clock of a witness may be ahead of the one that a cosignature is verified by."""

_ID_BYTES: Final = 4
_TIME_BYTES: Final = 8
_LINE_BYTES: Final = _ID_BYTES + _TIME_BYTES + 64


@dataclass(frozen=True, slots=True)
class WitnessKey:
    """The public key of a witness under its name."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """The four bytes before each of its cosignatures."""
        return hashlib.sha256(self.name.encode() + b"\n" + COSIGNATURE + self.public).digest()[:_ID_BYTES]

    @property
    def text(self) -> str:
        """The key in one line, as tools for signed notes take it."""
        return f"{self.name}+{self.key_id.hex()}+{base64.b64encode(COSIGNATURE + self.public).decode()}"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the key from its line; UnprovenError when it is none."""
        name, id_text, encoded = [*text.strip().split("+", 2), "", ""][:3]
        try:
            content = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            content = b""
        key = cls(name, content[1:])
        is_whole = content[:1] == COSIGNATURE and len(key.public) == PUBLIC_KEY_BYTES
        if not (is_whole and key.key_id.hex() == id_text and is_key_name(name)):
            raise UnprovenError(
                f"{text.strip()[:200]!r} is no key of a witness; one is a name, +, eight hexadecimal digits,"
                " + and Base64 that begins with the byte 4, as `weighbridge witness key` prints it."
            )
        return key


@dataclass(frozen=True, slots=True)
class Cosignature:
    """That a witness saw a head at a time, in seconds since 1970."""

    witness: WitnessKey
    time: int
    signature: bytes

    @property
    def line(self) -> str:
        """The line below a checkpoint, without a line end."""
        content = self.witness.key_id + self.time.to_bytes(_TIME_BYTES, "big") + self.signature
        return f"{BEFORE_SIGNATURE}{self.witness.name} {encode_base64(content)}"

    @property
    def moment(self) -> str:
        """The time in UTC, for people."""
        try:
            return datetime.fromtimestamp(self.time, UTC).isoformat().replace("+00:00", "Z")
        except (OverflowError, ValueError, OSError):
            return f"{self.time} seconds after 1970"

    def holds(self, text: str) -> bool:
        """Whether the witness signed this text of a checkpoint at this time."""
        key = VerifierKey(self.witness.name, self.witness.public)
        return key.verify(_build_message(text, self.time), self.signature)


def cosign(text: str, name: str, key: SigningKey, time: int) -> Cosignature:
    """The cosignature of a witness over the text of a checkpoint."""
    return Cosignature(WitnessKey(name, key.public), time, key.sign(_build_message(text, time)))


def _build_message(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def read_cosignature(line: str, witness: WitnessKey) -> Cosignature | None:
    """The cosignature that a line has of a witness; None for a line of anybody else."""
    name, _, encoded = line.removeprefix(BEFORE_SIGNATURE).rpartition(" ")
    if not line.startswith(BEFORE_SIGNATURE) or name != witness.name:
        return None
    try:
        content = decode_base64(encoded)
    except UnprovenError:
        return None
    if content[:_ID_BYTES] != witness.key_id or len(content) != _LINE_BYTES:
        return None
    time = int.from_bytes(content[_ID_BYTES : _ID_BYTES + _TIME_BYTES], "big")
    return Cosignature(witness, time, content[_ID_BYTES + _TIME_BYTES :])


def list_cosignatures(note: str, witnesses: Sequence[WitnessKey], now: int) -> list[Cosignature]:
    """The valid cosignatures below a checkpoint, the newest of each witness, in the order of the witnesses.

    A public key counts once, under whatever names it comes.
    """
    text, _, lines = note.rpartition("\n\n")
    found: dict[bytes, Cosignature] = {}
    for witness in witnesses:
        read = [read_cosignature(line, witness) for line in lines.split("\n")]
        valid = [
            one
            for one in read
            if one is not None and one.time <= now + FUTURE_SECONDS_MAX and one.holds(text + "\n")
        ]
        if valid:
            found.setdefault(witness.public, max(valid, key=lambda one: one.time))
    return [*found.values()]


def add_lines(note: str, cosignatures: Sequence[Cosignature]) -> str:
    """The checkpoint with further lines below those that it has."""
    return note + "".join(f"{one.line}\n" for one in cosignatures)


def require_cosignatures(found: Sequence[Cosignature], witnesses: Sequence[WitnessKey], least: int) -> None:
    """UnprovenError when fewer of the witnesses cosigned the head than the caller asks for."""
    if len(found) < least:
        names = ", ".join(one.witness.name for one in found) or "none"
        raise UnprovenError(
            f"{len(found)} of the {len(witnesses)} witnesses that you named cosigned the head ({names});"
            f" you ask for at least {least}."
        )
