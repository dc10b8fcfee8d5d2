"""The discount: what is credited is what was computed, less a part for how uncertain it is.

It is a number of standard uncertainties, or what takes the estimate down to a lower percentile of its
distribution to first order: Student's t with the degrees of freedom of the result, or the normal distribution
(JCGM 100:2008, G.3).

A worked example: 100 t with u = 2 t. One standard uncertainty credits 98 t; the 5th percentile of a normal
distribution credits 100 - 1.645 x 2 = 96.71 t.

Invariants: a credit is never below zero, and an amount at or below zero is no credit and has no discount; a
discount is never below zero.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.number import CONTEXT, ZERO
from weighbridge.core.uncertainty.effects import CombinedUncertainty
from weighbridge.core.uncertainty.quantiles import student_quantile

STANDARD_DEVIATIONS_MAX: Final = 100
"""How many standard uncertainties a discount may have at most."""

PERCENTILE_BELOW: Final = Decimal("0.5")
"""Below what a percentile must be: at one half nothing is discounted."""


@dataclass(frozen=True, slots=True)
class Discount:
    """How much less than the computed amount is credited, by exactly one of two rules."""

    standard_deviations: Decimal | None = None
    """How many standard uncertainties."""
    percentile: Decimal | None = None
    """The probability with which the amount is below what is credited."""

    def list_fields(self) -> Mapping[str, Decimal]:
        """List the rule that it has, by its key in a document."""
        numbers = {"standard_deviations": self.standard_deviations, "percentile": self.percentile}
        return {key: number for key, number in numbers.items() if number is not None}

    def compute_factor(self, degrees_of_freedom: Decimal | None) -> Decimal:
        """Return by what the standard uncertainty is multiplied; None for infinitely many degrees."""
        if self.standard_deviations is not None:
            return self.standard_deviations
        assert self.percentile is not None, "a discount that was read has one of its rules"  # noqa: S101
        return student_quantile(1 - self.percentile, degrees_of_freedom)

    def compute(self, amount: Decimal, combined: CombinedUncertainty) -> Decimal:
        """Return what is taken off an amount, in its unit."""
        if amount <= 0:
            return ZERO
        factor = self.compute_factor(combined.degrees_of_freedom)
        return min(amount, CONTEXT.multiply(factor, combined.standard_uncertainty))
