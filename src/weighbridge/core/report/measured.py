"""How much of what a report takes was measured: the shares of its batches, each by how much it takes of it.

>>> measured_share_of([TakenShare(1, Decimal(3), Decimal(1)), TakenShare(2, Decimal(1), Decimal("0.5"))])
Decimal('0.875')

Invariant: a share is between 0 and 1, or there is none, where nobody knows it of some batch.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from weighbridge.core.ledger.contributions import SHARE_DIGITS
from weighbridge.core.quantity.number import CONTEXT, EXACT, ZERO, plain, round_to


class TakenShare(NamedTuple):
    """An amount of a batch, and which part of it was measured; None where nobody knows."""

    batch: int
    amount: Decimal
    share: Decimal | None


def measured_share_of(taken: Sequence[TakenShare]) -> Decimal | None:
    """The part of all amounts that was measured, cut after twelve places."""
    whole, measured = ZERO, ZERO
    for one in taken:
        if one.share is None:
            return None
        whole = EXACT.add(whole, one.amount)
        measured = EXACT.add(measured, EXACT.multiply(one.amount, one.share))
    if not whole:
        return None
    return Decimal(plain(round_to(CONTEXT.divide(measured, whole), SHARE_DIGITS, "down")))
