"""An API token is a secret text that names itself: `wb_live_`, 32 random characters, 6 of checksum.

The checksum lets a typo or a random string be refused before the database is asked, and lets secret
scanners recognise a leaked token without false alarms.

Invariants: `is_well_formed(assemble(random))` for any 32 characters of the alphabet; the hash is
what is stored, never the token.
"""

import hashlib
import zlib
from typing import Final

PREFIX: Final = "wb_live_"
ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
RANDOM_LENGTH: Final = 32
CHECKSUM_LENGTH: Final = 6

LIFETIMES_DAYS: Final = (30, 60, 90, 180, 365)
"""How long a token may live; None beside these means that it does not expire."""

LIFETIME_DAYS_DEFAULT: Final = 90


def assemble(random_part: str) -> str:
    """Make a token of 32 random characters of the alphabet."""
    if len(random_part) != RANDOM_LENGTH or not set(random_part) <= set(ALPHABET):
        raise ValueError(f"a token is made of {RANDOM_LENGTH} characters of the alphabet")
    return PREFIX + random_part + _checksum(random_part)


def is_well_formed(token: str) -> bool:
    """Whether the text has the form of a token and its checksum holds."""
    body = token.removeprefix(PREFIX)
    if body == token or len(body) != RANDOM_LENGTH + CHECKSUM_LENGTH or not set(body) <= set(ALPHABET):
        return False
    return _checksum(body[:RANDOM_LENGTH]) == body[RANDOM_LENGTH:]


def secret_hash(token: str) -> bytes:
    """What is stored of a token. A fast hash is right for a secret of 190 random bits."""
    return hashlib.sha256(token.encode()).digest()


def _checksum(text: str) -> str:
    value = zlib.crc32(text.encode())
    digits = ""
    for _ in range(CHECKSUM_LENGTH):
        value, digit = divmod(value, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits
