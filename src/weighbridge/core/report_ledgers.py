"""Several ledgers in one report: each has a role and counts toward the claim, or is deducted from it.

What is taken of a ledger stands in its own unit and at its own scale, and is posted there. The report states
the signed sum in the unit of its first ledger. A factor says how much of that unit one unit of a ledger is,
below zero for one that is deducted; only exact factors are allowed, so the sum is exact.

Worked example. A report takes 100 t of removal and deducts 12,500 kg of process emissions and 2.5 t of
leakage:

>>> factors = [Decimal(1), Decimal("-0.001"), Decimal(-1)]
>>> sum_net(zip([Decimal(100), Decimal(12500), Decimal("2.5")], factors))
Decimal('85.000')

Its receiver accepts 40 t. Of each deduction is accepted what is in proportion, at the scale of its ledger;
the first ledger makes up the rest:

>>> claimed = [
...     ClaimedLedger({1: Decimal(100)}, Decimal(1), 3),
...     ClaimedLedger({2: Decimal(12500)}, Decimal("-0.001"), 0),
...     ClaimedLedger({3: Decimal("2.5")}, Decimal(-1), 3),
... ]
>>> share_net(Decimal(40), claimed)
{2: Decimal('5882'), 3: Decimal('1.176'), 1: Decimal('47.058')}

Invariants: what parts are shared comes to the shared amount, to the last digit, and no part is below zero or
above its claim.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core.number import CONTEXT, EXACT, ZERO, exact_total, round_to
from weighbridge.core.report import share_accepted
from weighbridge.core.unit import Unit, UnitError, find_conversion


@dataclass(frozen=True, slots=True)
class ClaimedLedger:
    """What a report claims of one ledger."""

    amounts: Mapping[int, Decimal]
    """By batch, in the unit of the ledger."""
    factor: Decimal
    """How much of the report's unit one unit of the ledger is; below zero where it is deducted."""
    scale: int
    """The decimals of the ledger."""

    @property
    def total(self) -> Decimal:
        """All that is claimed, in the unit of the ledger."""
        return exact_total(self.amounts.values())


def find_exact_factor(source: Unit, target: Unit) -> Decimal | None:
    """How much of a unit one unit of another is; None where they do not convert, or not exactly."""
    try:
        slope, shift, divisor = find_conversion(source, target)
    except UnitError:
        return None
    factor = CONTEXT.divide(slope, divisor)
    return None if shift or EXACT.multiply(factor, divisor) != slope else factor


def sum_net(amounts: Iterable[tuple[Decimal, Decimal]]) -> Decimal:
    """The signed sum of amounts, each with its factor."""
    return exact_total(
        amount if factor == 1 else EXACT.multiply(amount, factor) for amount, factor in amounts
    )


def share_net(amount: Decimal, claimed: Sequence[ClaimedLedger]) -> dict[int, Decimal] | None:
    """How much of each batch is accepted where so much of the signed sum is, the first ledger's batches last.

    None where the first ledger cannot make up the rest, which rounding may leave where nearly nothing or
    nearly all is shared.
    """
    first, *others = claimed
    if not others:
        return share_accepted(amount, first.amounts, first.scale)
    net = sum_net((one.total, one.factor) for one in claimed)
    shared: dict[int, Decimal] = {}
    rest = amount
    for one in (one for one in others if one.total):
        part = round_to(CONTEXT.divide(CONTEXT.multiply(one.total, amount), net), one.scale)
        part = min(part, one.total)
        shared |= share_accepted(part, one.amounts, one.scale)
        rest = EXACT.subtract(rest, EXACT.multiply(part, one.factor))
    if rest < ZERO or rest > first.total:
        return None
    of_first = share_accepted(rest, first.amounts, first.scale) if first.amounts else {}
    return shared | of_first
