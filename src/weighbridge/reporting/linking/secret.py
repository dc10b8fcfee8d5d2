"""The secret in the address of a link: the number of the link and 64 random digits, as `17.3f9c…`.

Invariants: `read_secret(secret.text) == secret`; what is kept is the SHA-256 of the digits and
never the digits.
"""

import hashlib
import re
import secrets
from typing import Final, NamedTuple

SECRET_BYTES: Final = 32
"""Random bytes of a link's secret."""

_SECRET: Final = re.compile(rf"([1-9][0-9]{{0,8}})\.([0-9a-f]{{{2 * SECRET_BYTES}}})")


class LinkSecret(NamedTuple):
    """What stands in an address: the number of the link, and its digits."""

    number: int
    digits: str

    @property
    def text(self) -> str:
        """How it stands in an address."""
        return f"{self.number}.{self.digits}"

    @property
    def hash(self) -> bytes:
        """What is kept of it. A fast hash is right for 256 random bits."""
        return hashlib.sha256(self.digits.encode()).digest()


def new_digits() -> str:
    """Digits that nobody guesses."""
    return secrets.token_hex(SECRET_BYTES)


def read_secret(text: str) -> LinkSecret | None:
    """The secret that a text is; None for any other text."""
    found = _SECRET.fullmatch(text)
    return None if found is None else LinkSecret(int(found[1]), found[2])
