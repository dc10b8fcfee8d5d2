"""How uncertain what batches came to is, in the unit of their ledger, as records show it.

Invariants: the shares of a whole budget add up to 1; the interval is about what was computed, and has the
coverage probability that the model asked for; computed amount less discount is the credited amount.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, LiteralString

import msgspec

from weighbridge.accounting.records.batches import BatchCredit, BatchUncertainty, UncertaintyLine
from weighbridge.accounting.records.uncertainty import AmountUncertainty, UncertaintyInterval
from weighbridge.core.ledger.allocation import LedgerRounding, round_total
from weighbridge.core.number import CONTEXT, EXACT, ZERO
from weighbridge.core.uncertainty.discount import Discount
from weighbridge.core.uncertainty.effects import (
    BudgetLine,
    CombinedUncertainty,
    Uncertainty,
    read_uncertainty,
)
from weighbridge.core.unit import convert, find_slope, parse_unit

UNCERTAINTY: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NOT NULL OR b.run_id IS NULL
         THEN c.uncertainty || jsonb_build_object('computed', c.value::text)
    ELSE (SELECT s.uncertainty || jsonb_build_object('computed', s.value::text) FROM batch_calculations s
           WHERE s.project_id = b.project_id AND s.is_primary AND s.batch_id = (
                 SELECT newest.id FROM batches newest
                  WHERE (newest.project_id, newest.run_id, newest.ledger_id)
                      = (b.project_id, b.run_id, b.ledger_id) AND newest.deleted_at IS NULL
                  ORDER BY newest.id DESC LIMIT 1)) END
"""
"""How uncertain the run of a batch is, and what it came to before a discount: as with the total, by the first
batch as it is now.
"""

LINES_MAX: Final = 50
"""How many lines of its budget a batch shows, the largest first."""


@dataclass(frozen=True, slots=True)
class KeptUncertainty:
    """What a batch keeps of how uncertain its output is, in the unit of its ledger."""

    uncertainty: Uncertainty
    probability: Decimal
    """The coverage probability that the model asks for."""
    computed: Decimal
    """What the output came to."""
    factor: Decimal
    """The coverage factor."""
    discount: Discount | None
    """What the model credits less than that."""
    discount_factor: Decimal | None
    """By what the standard uncertainty is multiplied for that."""

    def compute_credit(self, combined: CombinedUncertainty, scale: int, rounding: LedgerRounding) -> Decimal:
        """Return what a ledger would be credited with if the output were so uncertain."""
        taken_off = ZERO if self.discount is None else self.discount.compute(self.computed, combined)
        return round_total(CONTEXT.subtract(self.computed, taken_off), scale, rounding)


def read_kept(kept: Mapping[str, Any], unit: str, ledger_unit: str) -> KeptUncertainty:
    """Read what is kept of an output in a unit."""
    there, here = parse_unit(unit), parse_unit(ledger_unit)
    rule = {key: Decimal(number) for key, number in kept.get("discount", {}).items()}
    return KeptUncertainty(
        read_uncertainty(kept).scale(find_slope(there, here)),
        Decimal(kept["coverage_probability"]),
        convert(Decimal(kept["computed"]), there, here),
        Decimal(kept["coverage_factor"]),
        Discount(**rule) if rule else None,
        Decimal(kept["discount_factor"]) if rule else None,
    )


def build_uncertainty(
    kept: Mapping[str, Any] | None,
    unit: str,
    ledger_unit: str,
    scale: int,
    rounding: LedgerRounding,
    total: Decimal,
) -> BatchUncertainty | None:
    """Build what a batch shows of its uncertainty, of what is kept of its output in a unit.

    `scale` and `rounding` are those of the ledger, `total` is what it was credited with.
    """
    if kept is None:
        return None
    read = read_kept(kept, unit, ledger_unit)
    combined = read.uncertainty.combine()
    computed = total if read.discount is None else round_total(read.computed, scale, rounding)
    interval = _build_interval(computed, combined, read.probability, read.factor)
    return BatchUncertainty(
        **msgspec.structs.asdict(interval),
        budget=list_lines(combined),
        budget_count=len(combined.budget),
        credit=_build_credit(read, computed, total),
    )


def _build_credit(kept: KeptUncertainty, computed: Decimal, total: Decimal) -> BatchCredit | None:
    if kept.discount is None or kept.discount_factor is None:
        return None
    return BatchCredit(
        computed_amount=computed,
        discount=EXACT.subtract(computed, total),
        credited_amount=total,
        standard_deviations=kept.discount.standard_deviations,
        percentile=kept.discount.percentile,
        factor=kept.discount_factor,
    )


def describe_amount(
    amount: Decimal,
    combined: CombinedUncertainty,
    probability: Decimal,
    discount: Decimal = ZERO,
    *,
    factor: Decimal | None = None,
) -> AmountUncertainty:
    """Describe how uncertain an amount is, in its unit, with an interval for a coverage probability.

    The interval is about what was computed: the amount and the discount that was taken off it. Without the
    coverage `factor` it is computed, which may take a hundredth of a second.
    """
    computed = CONTEXT.add(amount, discount)
    interval = _build_interval(computed, combined, probability, factor)
    relative = CONTEXT.divide(combined.standard_uncertainty, computed.copy_abs()) if computed else None
    return AmountUncertainty(
        **msgspec.structs.asdict(interval),
        amount=amount,
        discount=discount,
        relative_standard_uncertainty=relative,
    )


def _build_interval(
    computed: Decimal, combined: CombinedUncertainty, probability: Decimal, factor: Decimal | None
) -> UncertaintyInterval:
    if factor is None:
        factor = combined.compute_coverage_factor(probability)
    expanded = CONTEXT.multiply(combined.standard_uncertainty, factor)
    return UncertaintyInterval(
        standard_uncertainty=combined.standard_uncertainty,
        degrees_of_freedom=combined.degrees_of_freedom,
        degrees_of_freedom_reason=None if combined.reason is None else str(combined.reason),
        coverage_probability=probability,
        coverage_factor=factor,
        expanded_uncertainty=expanded,
        low=CONTEXT.subtract(computed, expanded),
        high=CONTEXT.add(computed, expanded),
    )


def list_lines(combined: CombinedUncertainty) -> list[UncertaintyLine]:
    """List the largest lines of a budget, as many as are shown; effects are called by their own names."""
    return [_build_line(line) for line in combined.budget[:LINES_MAX]]


def _build_line(line: BudgetLine) -> UncertaintyLine:
    effect = line.effect
    return UncertaintyLine(
        line.input, effect.name, effect.owner or None, effect.name, line.change, line.share
    )
