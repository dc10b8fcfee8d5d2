"""How uncertain the amount of a report is: what it takes of batches, with what these share.

A report that takes a of a run that came to Q takes a/Q of each of its effects, as a draw does. Effects of one
name add up over all batches before they are squared, so a scale that weighed two batches counts once and in
full. A liability is stated, and certain.

Of several ledgers each effect counts with the sign of its ledger: a scale that weighed what is claimed and
what is deducted moves both, and partly cancels.

Worked example: 10 t of January and 20 t of February, weighed on one scale that is known to 1 %, are known
to 0.3 t together; read to 0.1 t each by themselves, that adds sqrt(0.02) t in squares.

Invariants: one batch of unknown uncertainty leaves that of the sum unknown; a sum of all parts of a run has
all of its uncertainty. What a report took is fixed by its basis, so a certificate that changes later changes
nothing of what was sent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from weighbridge.core.number import CONTEXT, EXACT, ZERO, exact_total, total
from weighbridge.core.uncertainty.effects import Uncertainty, WrittenPart, read_sum


@dataclass(frozen=True, slots=True)
class IncludedUncertainty:
    """An amount of a batch, and how uncertain its run was when the report took of it."""

    batch: int
    amount: Decimal
    """In the unit of the ledger."""
    run_total: Decimal
    """What the run came to, in the unit of the ledger."""
    slope: Decimal
    """How much of the ledger's unit one unit of the run's output is."""
    written: Mapping[str, Any] | None
    """What is kept of the output, in its own unit; None where nothing is."""
    computed: Decimal | None = None
    """What the run came to before its discount, in the unit of the ledger; None without a discount."""
    factor: Decimal = Decimal(1)
    """How much of the report's unit one unit of the ledger counts for; below zero where it is deducted."""

    @property
    def counted(self) -> Decimal:
        """What the amount counts for in that of the report."""
        return EXACT.multiply(self.amount, self.factor)

    @property
    def is_known(self) -> bool:
        """Whether a part of its run has a known uncertainty."""
        return self.written is not None and self.run_total != 0

    @property
    def discount(self) -> Decimal:
        """What was taken off before the amount was credited, in the unit of the ledger."""
        if self.computed is None or not self.run_total:
            return ZERO
        taken_off = EXACT.subtract(self.computed, self.run_total)
        return CONTEXT.divide(EXACT.multiply(self.amount, taken_off), self.run_total)

    @property
    def part(self) -> WrittenPart:
        """What is taken of the run, where that is known, in the unit of the ledger."""
        assert self.written is not None, "asked where it is known"  # noqa: S101
        return WrittenPart(self.written, EXACT.multiply(self.amount, self.slope), self.run_total)

    @property
    def counted_part(self) -> WrittenPart:
        """The same with its sign, in the unit of the report."""
        written, part, whole = self.part
        return WrittenPart(written, EXACT.multiply(part, self.factor), whole)


@dataclass(frozen=True, slots=True)
class SummedUncertainty:
    """How uncertain a sum of included amounts is."""

    total: Decimal
    """The sum."""
    discount: Decimal
    """What was taken off before it was credited."""
    uncertainty: Uncertainty
    coverage_probability: Decimal
    """The largest that the models of the batches ask for."""
    is_probability_shared: bool
    """Whether all of them ask for that one."""


def list_unknown(included: Sequence[IncludedUncertainty]) -> list[int]:
    """List the batches of whose runs no uncertainty is known."""
    return [one.batch for one in included if not one.is_known]


def sum_included(included: Sequence[IncludedUncertainty]) -> SummedUncertainty | None:
    """Sum what a report takes; None for nothing, and where some uncertainty is unknown."""
    if not included or list_unknown(included):
        return None
    probabilities = {Decimal(one.written["coverage_probability"]) for one in included if one.written}
    return SummedUncertainty(
        exact_total(one.counted for one in included),
        total(CONTEXT.multiply(one.discount, one.factor) for one in included),
        read_sum(one.counted_part for one in included if one.amount),
        max(probabilities),
        len(probabilities) == 1,
    )
