"""How a ledger rounds: a run's total once, when it is posted, and what is drawn of it once, when it is drawn.

`half_even` errs to neither side. `down` goes toward minus infinity, so that no total exceeds what was
computed; what is drawn of such a ledger is rounded up, so that no use counts for less than it took.

Every partition's total is rounded for itself, because each is a batch that is drawn, reported and corrected
by itself, and must not move when a neighbour does. So the rounded parts of n partitions may differ from the
rounded sum: with `half_even` by at most (n + 1) / 2 units of the last place, for n + 1 roundings are off by
half a unit each at most; with `down` they are below it, by less than n units.
"""

from decimal import Decimal
from typing import Final, Literal

from weighbridge.core.quantity.number import plain, round_to

LedgerRounding = Literal["half_even", "down"]
"""How a ledger rounds what is posted to it."""

HALF_EVEN: Final = "half_even"
DOWN: Final = "down"


def rounded_total(value: Decimal, scale: int, rounding: LedgerRounding) -> Decimal:
    """What a run comes to on a ledger, in the ledger's unit."""
    return round_to(value, scale, "floor" if rounding == DOWN else "half_even")


def rounded_draw(value: Decimal, scale: int, rounding: LedgerRounding) -> Decimal:
    """What is drawn of a ledger where a node needs so much of its unit."""
    return round_to(value, scale, "ceiling" if rounding == DOWN else "half_even")


def coarseness(ledger: str, unit: str, scale: int, rounding: LedgerRounding, share_places: int) -> str | None:
    """The warning that a ledger is coarser than its model cuts shares; None when it is not."""
    if scale >= share_places:
        return None
    last_place = f"{plain(Decimal(1).scaleb(-scale))} {unit}".strip()
    off = (
        f"be below their rounded sum by less than n x {last_place}"
        if rounding == DOWN
        else f"differ from their rounded sum by up to (n + 1) / 2 x {last_place}"
    )
    return (
        f"{ledger!r} keeps {scale} decimals and its model cuts shares at {share_places}:"
        f" the rounded totals of n partitions may {off}."
    )
