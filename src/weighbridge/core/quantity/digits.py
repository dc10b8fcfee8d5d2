"""An amount as text that is the same for the same amount; of many numbers, their count and their digest."""

import hashlib
from collections.abc import Sequence
from decimal import Decimal

from weighbridge.core.quantity.number import plain


def digits(amount: Decimal | tuple[Decimal, ...] | None) -> str:
    """An amount as text that is the same for the same amount; of an array, its digest."""
    if amount is None:
        return ""
    if isinstance(amount, Decimal):
        return plain(amount)
    return f"[{len(amount)} {digest_of(amount).hex()}]"


def digest_of(amounts: Sequence[Decimal]) -> bytes:
    """The SHA-256 of an array's numbers, one to a line."""
    return hashlib.sha256("\n".join(map(plain, amounts)).encode()).digest()
