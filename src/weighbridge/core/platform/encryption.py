"""Secrets of others as they are stored: encrypted, and each bound to the row that it is stored in.

An envelope is one byte for its form, eight that name the key, twelve of a nonce, and what AES-256-GCM gives
(NIST SP 800-38D): the secret encrypted, and a tag of sixteen bytes. The tag covers the account, the table,
the row and the column as well, so that an envelope that was copied to another place does not open there.

Nonces are random. With 96 bits of them a key may encrypt 2^32 secrets, which is more than all rows.

Invariants: what opens is what was encrypted for this place; no text of an error has a secret or a key.
"""

import binascii
import hashlib
import json
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES: Final = 32
KEYS_MAX: Final = 20
"""Keys that one file holds at most; those that open nothing any more are removed from it."""

KEY_ID_BYTES: Final = 8
NONCE_BYTES: Final = 12
_RANDOM_BITS: Final = 128
"""Random bits of which a nonce is the beginning: as many as the library gives at least."""

_TAG_BYTES: Final = 16
_FORM: Final = b"\x01"
_ID_DOMAIN: Final = b"weighbridge secret key\n"
_HEAD_BYTES: Final = len(_FORM) + KEY_ID_BYTES
ENVELOPE_BYTES_MIN: Final = _HEAD_BYTES + NONCE_BYTES + _TAG_BYTES
"""What an envelope has beside its secret."""


class UnopenedSecretError(Exception):
    """An envelope does not open: no key that is at hand made it, or it was made for another place."""


class SecretPlace(NamedTuple):
    """Where a secret is stored."""

    account: int
    table: str
    row: str
    column: str

    @property
    def bound(self) -> bytes:
        """What the tag covers beside the secret: a JSON array of the four, which no two places share."""
        return json.dumps([*self], separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class SecretKey:
    """One key; its name is the beginning of a digest of it, which tells nothing of the key."""

    material: bytes = field(repr=False)

    @property
    def id(self) -> bytes:
        return hashlib.sha256(_ID_DOMAIN + self.material).digest()[:KEY_ID_BYTES]

    @property
    def text(self) -> str:
        """The key as a line of a file of keys."""
        return b64encode(self.material).decode()

    @classmethod
    def made(cls) -> Self:
        """A new key."""
        return cls(AESGCM.generate_key(8 * KEY_BYTES))


@dataclass(frozen=True, slots=True)
class KeyRing:
    """The keys of secrets: the first encrypts, and each opens what it has encrypted."""

    keys: tuple[SecretKey, ...] = ()

    @classmethod
    def read(cls, text: str) -> Self:
        """The keys of a text: each on a line of its own, in base64; what follows # is a remark.

        Raises ValueError with a sentence that has nothing of a key.
        """
        lines = [line.partition("#")[0].strip() for line in text.splitlines()]
        keys = []
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                material = b64decode(line, validate=True)
            except (binascii.Error, ValueError):
                material = b""
            if len(material) != KEY_BYTES:
                raise ValueError(f"Line {number} is no key; a key is {KEY_BYTES} bytes in base64.")
            keys.append(SecretKey(material))
        if not 1 <= len(keys) <= KEYS_MAX:
            raise ValueError(f"There are {len(keys)} keys; must be 1 to {KEYS_MAX}, each on a line.")
        return cls(tuple(dict.fromkeys(keys)))

    @property
    def text(self) -> str:
        """The keys as a file has them."""
        return "".join(f"{key.text}\n" for key in self.keys)

    @property
    def ids(self) -> list[bytes]:
        return [key.id for key in self.keys]

    def encrypt(self, secret: bytes, place: SecretPlace) -> bytes:
        """Encrypt a secret for a place by the first key; UnopenedSecretError where there is none."""
        if not self.keys:
            raise UnopenedSecretError("There is no key by which a secret could be encrypted.")
        key, nonce = self.keys[0], AESGCM.generate_key(_RANDOM_BITS)[:NONCE_BYTES]
        head = _FORM + key.id
        return head + nonce + AESGCM(key.material).encrypt(nonce, secret, head + place.bound)

    def decrypt(self, envelope: bytes, place: SecretPlace) -> bytes:
        """Open an envelope; UnopenedSecretError with a sentence where it does not."""
        where = f"The secret in {place.table}, row {place.row}, of account {place.account}"
        if len(envelope) < ENVELOPE_BYTES_MIN or not envelope.startswith(_FORM):
            raise UnopenedSecretError(f"{where} is no envelope that this version knows.")
        name = read_key_id(envelope)
        key = next((key for key in self.keys if key.id == name), None)
        if key is None:
            raise UnopenedSecretError(f"{where} is encrypted by the key {name.hex()}, which is not at hand.")
        nonce = envelope[_HEAD_BYTES : _HEAD_BYTES + NONCE_BYTES]
        bound = envelope[:_HEAD_BYTES] + place.bound
        try:
            return AESGCM(key.material).decrypt(nonce, envelope[_HEAD_BYTES + NONCE_BYTES :], bound)
        except InvalidTag:
            raise UnopenedSecretError(f"{where} was changed, or was encrypted for another row.") from None


def read_key_id(envelope: bytes) -> bytes:
    """The name of the key by which an envelope was made."""
    return envelope[len(_FORM) : _HEAD_BYTES]


class Encryption(Protocol):
    """The keys as a process has them."""

    async def encrypt(self, secret: bytes, place: SecretPlace) -> bytes:
        """Encrypt a secret for a place."""

    async def decrypt(self, envelope: bytes, place: SecretPlace) -> bytes:
        """Open an envelope; UnopenedSecretError where it does not."""
