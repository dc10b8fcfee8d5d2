"""The order in which a draw takes from the batches of its source: the first whole, or a part of all."""

from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum

from weighbridge.core.ledger.allocation import divide
from weighbridge.core.quantity.number import EXACT, exact_total


class DrawOrder(StrEnum):
    """Which batches of the source are drawn first."""

    FIFO = "fifo"
    PRO_RATA = "pro_rata"


def parts_taken(
    offers: Iterable[tuple[int, Decimal]], missing: Decimal, order: DrawOrder, scale: int
) -> Iterable[tuple[int, Decimal]]:
    """How much to take of each offer: all of each in turn, or a part of all."""
    if order is DrawOrder.FIFO:
        left = missing
        for source, amount in offers:
            taken = min(left, amount)
            yield source, taken
            left = EXACT.subtract(left, taken)
            if not left:
                return
        return
    every = list(offers)
    amounts = [amount for _, amount in every]
    if exact_total(amounts) <= missing:
        yield from every
        return
    # A part is cut below its offer and raised by one unit at most, so that none is above its offer.
    parts = divide(missing, amounts, scale)
    yield from ((source, part) for (source, _), part in zip(every, parts, strict=True) if part)
