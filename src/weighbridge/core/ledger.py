"""A ledger is a list of entries that are only ever added; a balance is the sum of entries.

A credit raises a batch's balance. A fall lowers it when a run turns out to have made less: it takes
from the run's batches, oldest first.

Invariants: no balance is below zero; what a run has posted, credits and falls together, is its total.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.number import EXACT

SCALE_DEFAULT: Final = 6
"""Decimals that a ledger keeps unless it is made with others."""

SCALE_MAX: Final = 20
"""Decimals that a ledger keeps at most."""


@dataclass(frozen=True, slots=True)
class Holding:
    """What a batch holds on its ledger at a moment."""

    batch_id: int
    balance: Decimal


@dataclass(frozen=True, slots=True)
class Posting:
    """What a run's new total asks of its ledger: a credit to a new batch, or falls on earlier ones."""

    credit: Decimal
    falls: tuple[Holding, ...]
    short: Decimal
    """What the falls could not take, because it was drawn already."""


def post(total: Decimal, posted: Decimal, holdings: Sequence[Holding]) -> Posting:
    """Post the difference between a run's total and what it has posted; holdings are oldest first."""
    difference = EXACT.subtract(total, posted)
    if difference >= 0:
        return Posting(difference, (), Decimal(0))
    left = -difference
    falls = []
    for holding in holdings:
        taken = min(left, holding.balance)
        if taken > 0:
            falls.append(Holding(holding.batch_id, taken))
            left = EXACT.subtract(left, taken)
    return Posting(Decimal(0), tuple(falls), left)
