"""The audit chain: each row's hash covers the row and the hash before it.

Whoever changes, removes or inserts a row anywhere has to make every later hash anew, so one hash that
was noted elsewhere vouches for everything before it.

Invariants: numbers begin at 1 and leave no gap; the first link stands on 32 zero bytes.
"""

import hashlib
from typing import Final

ANCHOR: Final = bytes(32)
"""What the first row's hash stands on."""


def link(previous: bytes, row: bytes) -> bytes:
    """The SHA-256 of the hash before and the row's canonical JSON."""
    return hashlib.sha256(previous + row).digest()
