"""Ed25519 keys (RFC 8032): one to sign with, and its public half under a name, to verify by.

Invariants: a key signs the same bytes the same way each time; a public key is 32 bytes and a signature 64.
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Final, Self

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from weighbridge.core.proof.error import UnprovenError
from weighbridge.core.proof.key_name import is_key_name

ED25519: Final = b"\x01"
"""What a signed note calls this kind of signature."""

PUBLIC_KEY_BYTES: Final = 32


class SigningKey:
    """A private key; nothing prints what is in it."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    @classmethod
    def made(cls) -> Self:
        """Make a new key."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, content: bytes) -> Self:
        """Read a key from PEM or from OpenSSH's own format; UnprovenError when it is no such key."""
        is_openssh = b"BEGIN OPENSSH PRIVATE KEY" in content
        load = serialization.load_ssh_private_key if is_openssh else serialization.load_pem_private_key
        try:
            key = load(content, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise UnprovenError("It holds no private key in PEM without a password.") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise UnprovenError("It holds a private key of another kind; it must be Ed25519.")
        return cls(key)

    @property
    def pem(self) -> bytes:
        """The key as PEM (PKCS 8), without a password."""
        return self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    @property
    def public(self) -> bytes:
        """The 32 bytes of the public key."""
        return self._key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)

    def sign(self, content: bytes) -> bytes:
        """The 64 bytes of the signature."""
        return self._key.sign(content)


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key under the name by which notes say who signed them (C2SP signed-note)."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """The four bytes that stand before each of its signatures."""
        return hashlib.sha256(self.name.encode() + b"\n" + ED25519 + self.public).digest()[:4]

    @property
    def text(self) -> str:
        """The key in one line, as Go's note tools take it."""
        return f"{self.name}+{self.key_id.hex()}+{base64.b64encode(ED25519 + self.public).decode()}"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read the key from its line; UnprovenError when it is none."""
        # Base64 may hold a plus itself, and a name may not.
        name, id_text, encoded = [*text.strip().split("+", 2), "", ""][:3]
        try:
            public = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            public = b""
        key = cls(name, public[1:])
        is_whole = public[:1] == ED25519 and len(key.public) == PUBLIC_KEY_BYTES
        if not (is_whole and key.key_id.hex() == id_text and is_key_name(name)):
            raise UnprovenError(
                f"{text.strip()[:200]!r} is no verifier key; one is a name, +, eight hexadecimal digits, +"
                " and Base64, as `weighbridge audit key` prints it."
            )
        return key

    def verify(self, content: bytes, signature: bytes) -> bool:
        """Whether the key signed these bytes."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, content)
        except InvalidSignature:
            return False
        return True
