"""A signature over a file that `ssh-keygen -Y verify` takes (SSHSIG, openssh's PROTOCOL.sshsig).

The namespace says what the signature is for, so that one made for something else does not pass. The message
is signed by its SHA-512.
"""

import base64
import binascii
import hashlib
from struct import pack
from textwrap import wrap
from typing import Final

from weighbridge.core.proof.error import UnprovenError
from weighbridge.core.proof.signing import SigningKey, VerifierKey

_MAGIC: Final = b"SSHSIG"
_VERSION: Final = 1
_KIND: Final = b"ssh-ed25519"
_HASH: Final = b"sha512"
_LINE_LENGTH: Final = 70
_SIGNATURE_BYTES: Final = 64


def ssh_signature(content: bytes, key: SigningKey, namespace: str) -> str:
    """The signature in its armour, as a file `.sig` holds it; the namespace is a text such as `file`."""
    made = key.sign(_message(content, namespace))
    return _armoured(key.public, namespace, made)


def verify_ssh_signature(content: bytes, signature: str, key: VerifierKey, namespace: str) -> None:
    """UnprovenError unless the file is the signature over the content by this key, as it is written above."""
    try:
        blob = base64.b64decode("".join(signature.split("\n")[1:-2]), validate=True)
    except binascii.Error:
        blob = b""
    made = blob[-_SIGNATURE_BYTES:]
    if _armoured(key.public, namespace, made) != signature:
        raise UnprovenError(f"The signature is none of the key {key.text} for {namespace!r}.")
    if not key.verify(_message(content, namespace), made):
        raise UnprovenError(f"The signature of {key.name} does not hold.")


def _message(content: bytes, namespace: str) -> bytes:
    return _MAGIC + _named(namespace) + _string(hashlib.sha512(content).digest())


def _armoured(public: bytes, namespace: str, made: bytes) -> str:
    signature = _string(_string(_KIND) + _string(made))
    blob = _MAGIC + pack(">I", _VERSION) + _string(_public(public)) + _named(namespace) + signature
    lines = wrap(base64.b64encode(blob).decode(), _LINE_LENGTH)
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""])


def _named(namespace: str) -> bytes:
    return _string(namespace.encode()) + _string(b"") + _string(_HASH)


def ssh_public_key(public: bytes) -> str:
    """The public key as OpenSSH writes it; `NAME ` before it makes a line of a file of allowed signers."""
    return f"{_KIND.decode()} {base64.b64encode(_public(public)).decode()}"


def _public(public: bytes) -> bytes:
    return _string(_KIND) + _string(public)


def _string(content: bytes) -> bytes:
    return pack(">I", len(content)) + content
