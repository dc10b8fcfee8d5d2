"""A figure, as the demonstration shows it: its first places, with a sign where there are more."""

from decimal import Decimal
from typing import Final

from weighbridge.core.quantity.number import plain, round_to

PLACES_SHOWN: Final = 10


def number(value: Decimal | int, places: int = PLACES_SHOWN) -> str:
    """A number with its first places, and a sign where there are more."""
    exact = Decimal(value)
    shown = round_to(exact, places, "down")
    return plain(shown) + ("" if shown == exact else "…")
