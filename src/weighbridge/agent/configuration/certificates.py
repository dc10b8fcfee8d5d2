"""Certificates and keys of the file, by what is in them: PEM and DER, whatever their files are called.

Invariant: what cannot be read is a refusal that names the setting and the file.
"""

import ssl
from pathlib import Path
from typing import Final

from weighbridge.errors import Refusal

PEM_MARK: Final = b"-----BEGIN "


def is_pem(content: bytes) -> bool:
    """Whether certificates or a key are written in PEM; otherwise they are in DER."""
    return PEM_MARK in content


def content_of(path: Path, setting: str) -> bytes:
    """What a file holds. Raises Refusal."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, setting, error.strerror or error) from None


def unreadable(path: Path, setting: str, why: object) -> Refusal:
    """The refusal of a file that cannot be used."""
    return Refusal(f"The file {path} of {setting} cannot be used: {why}.")


def trusting(path: Path | None, setting: str) -> ssl.SSLContext:
    """What verifies a certificate: the authorities of a file, or those of the machine. Raises Refusal."""
    if path is None:
        return ssl.create_default_context()
    content = content_of(path, setting)
    try:
        if is_pem(content):
            return ssl.create_default_context(cafile=path)
        return ssl.create_default_context(cadata=content)
    except (OSError, ssl.SSLError, ValueError) as error:
        raise unreadable(path, setting, f"it holds no certificates in PEM or DER ({error})") from None
