"""Ed25519 keys (RFC 8032): one to sign with, and its public half under a name, to verify by.

Invariants: a key signs the same bytes the same way each time; a public key is 32 bytes and a signature 64.

The bytes of a record that are hashed: JSON by RFC 8785, with decimals as texts.

RFC 8785 writes numbers as binary doubles, in which 34 digits do not survive. So before it every number
becomes a text that is no whole number, or is one beyond 2^53 - 1 in size: its digits as they are, without an
exponent. All other values are written as that standard says: no spaces, members in the order of the UTF-16
units of their names, and only what must be escaped is.

Invariant: equal records give equal bytes, whichever order their members came in.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from struct import pack
from textwrap import wrap
from typing import Any, Final, Self

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from weighbridge.core.identity import is_key_name

WHOLE_NUMBER_MAX: Final = 2**53 - 1
"""The greatest whole number that stays one; every reader of JSON has it exactly (RFC 7493, section 2.2)."""

_encoder: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def write_canonical_json(value: Any) -> bytes:
    """Write a value of objects, lists, texts, whole numbers, decimals, booleans and null."""
    return _encoder.encode(_replace_decimals(value)).encode()


def _replace_decimals(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _replace_decimals(value[name]) for name in _sort_names(value)}
    if isinstance(value, list | tuple):
        return [_replace_decimals(item) for item in value]
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, int) and not -WHOLE_NUMBER_MAX <= value <= WHOLE_NUMBER_MAX:
        return str(value)
    return value


def _sort_names(names: Collection[str]) -> list[str]:
    """The order of UTF-16 units, which that of characters is for ASCII, in a third of the time."""
    return sorted(names) if "".join(names).isascii() else sorted(names, key=_encode_utf_16)


def _encode_utf_16(name: str) -> bytes:
    return name.encode("utf-16-be")


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
        """The four bytes before each of its signatures."""
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
        return _is_signed(self.public, content, signature)


@lru_cache(maxsize=64)
def _is_signed(public: bytes, content: bytes, signature: bytes) -> bool:
    """Remembered, for all proofs of a bundle repeat the signature of one head."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, content)
    except InvalidSignature:
        return False
    return True


# What is raised when something that should be proved is not.


class UnprovenError(Exception):
    """A proof, a head or a signature does not hold, or cannot be read; the text says why in a sentence."""


# A signature over a file that `ssh-keygen -Y verify` takes (SSHSIG, openssh's PROTOCOL.sshsig).
#
# The namespace says what the signature is for, so that one made for something else does not pass. The
# message is signed by its SHA-512.


_MAGIC: Final = b"SSHSIG"
_VERSION: Final = 1
_KIND: Final = b"ssh-ed25519"
_HASH: Final = b"sha512"
_LINE_LENGTH: Final = 70
_SIGNATURE_BYTES: Final = 64
_SIGNER_START: Final = 14
"""Where the public key begins in a signature: behind what it begins with, its version, and a length."""


def write_ssh_signature(content: bytes, key: SigningKey, namespace: str) -> str:
    """The signature in its armour, as a file `.sig` holds it; the namespace is a text such as `file`."""
    signature = key.sign(_build_message(content, namespace))
    return _armour(key.public, namespace, signature)


def verify_ssh_signature(content: bytes, signature: str, key: VerifierKey, namespace: str) -> None:
    """UnprovenError unless the file is the signature over the content by this key, as it is written above."""
    try:
        blob = base64.b64decode("".join(signature.split("\n")[1:-2]), validate=True)
    except binascii.Error:
        blob = b""
    signature_bytes = blob[-_SIGNATURE_BYTES:]
    if _armour(key.public, namespace, signature_bytes) != signature:
        raise UnprovenError(f"The signature is none of the key {key.text} for {namespace!r}.")
    if not key.verify(_build_message(content, namespace), signature_bytes):
        raise UnprovenError(f"The signature of {key.name} does not hold.")


def read_ssh_signer(signature: str) -> bytes:
    """The public key that a signature names; UnprovenError where it is none of an Ed25519 key.

    That it made the signature is what `verify_ssh_signature` says.
    """
    try:
        blob = base64.b64decode("".join(signature.split("\n")[1:-2]), validate=True)
    except binascii.Error:
        blob = b""
    key = blob[_SIGNER_START : _SIGNER_START + len(_write_public_key(bytes(PUBLIC_KEY_BYTES)))]
    public = key[-PUBLIC_KEY_BYTES:]
    if not blob.startswith(_MAGIC) or key != _write_public_key(public):
        raise UnprovenError("The signature is none of an Ed25519 key, as `ssh-keygen -Y sign` makes it.")
    return public


def compute_ssh_fingerprint(public: bytes) -> str:
    """The fingerprint of a public key as `ssh-keygen -l` prints it."""
    digest = hashlib.sha256(_write_public_key(public)).digest()
    return f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}"


def _build_message(content: bytes, namespace: str) -> bytes:
    return _MAGIC + _write_namespace(namespace) + _write_string(hashlib.sha512(content).digest())


def _armour(public: bytes, namespace: str, signature_bytes: bytes) -> str:
    signature = _write_string(_write_string(_KIND) + _write_string(signature_bytes))
    blob = (
        _MAGIC
        + pack(">I", _VERSION)
        + _write_string(_write_public_key(public))
        + _write_namespace(namespace)
        + signature
    )
    lines = wrap(base64.b64encode(blob).decode(), _LINE_LENGTH)
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""])


def _write_namespace(namespace: str) -> bytes:
    return _write_string(namespace.encode()) + _write_string(b"") + _write_string(_HASH)


def write_ssh_public_key(public: bytes) -> str:
    """The public key as OpenSSH writes it; `NAME ` before it makes a line of a file of allowed signers."""
    return f"{_KIND.decode()} {base64.b64encode(_write_public_key(public)).decode()}"


def read_ssh_public_key(text: str) -> bytes:
    """The 32 bytes of an Ed25519 key in a line as OpenSSH writes it; UnprovenError for any other text."""
    kind, encoded = [*text.split(), "", ""][:2]
    try:
        public = base64.b64decode(encoded, validate=True)[-PUBLIC_KEY_BYTES:]
    except ValueError:  # no base64, or no ASCII
        public = b""
    if len(public) != PUBLIC_KEY_BYTES or write_ssh_public_key(public) != f"{kind} {encoded}":
        raise UnprovenError(
            f"{text.strip()[:100]!r} is not an Ed25519 public key of OpenSSH; one begins with"
            " `ssh-ed25519 AAAA`."
        )
    return public


def _write_public_key(public: bytes) -> bytes:
    return _write_string(_KIND) + _write_string(public)


def _write_string(content: bytes) -> bytes:
    return pack(">I", len(content)) + content
