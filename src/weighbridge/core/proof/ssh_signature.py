"""A signature over a file that `ssh-keygen -Y verify` takes (SSHSIG, openssh's PROTOCOL.sshsig).

The namespace says what the signature is for, so that one made for something else does not pass. The message
is signed by its SHA-512.
"""

import base64
import hashlib
from struct import pack
from textwrap import wrap
from typing import Final

from weighbridge.core.proof.signing import SigningKey

_MAGIC: Final = b"SSHSIG"
_VERSION: Final = 1
_KIND: Final = b"ssh-ed25519"
_HASH: Final = b"sha512"
_LINE_LENGTH: Final = 70


def ssh_signature(content: bytes, key: SigningKey, namespace: str) -> str:
    """The signature in its armour, as a file `.sig` holds it; the namespace is a text such as `file`."""
    named = _string(namespace.encode()) + _string(b"") + _string(_HASH)
    digest = hashlib.sha512(content).digest()
    made = key.sign(_MAGIC + named + _string(digest))
    signature = _string(_string(_KIND) + _string(made))
    blob = _MAGIC + pack(">I", _VERSION) + _string(_public(key.public)) + named + signature
    lines = wrap(base64.b64encode(blob).decode(), _LINE_LENGTH)
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""])


def ssh_public_key(public: bytes) -> str:
    """The public key as OpenSSH writes it; `NAME ` before it makes a line of a file of allowed signers."""
    return f"{_KIND.decode()} {base64.b64encode(_public(public)).decode()}"


def _public(public: bytes) -> bytes:
    return _string(_KIND) + _string(public)


def _string(content: bytes) -> bytes:
    return pack(">I", len(content)) + content
