"""How uncertain what a report takes of batches is: of each batch, and of the sum with what they share.

A report stands on the batch of each run that was newest when it was sent off (`report_batches.basis`), a
draft on the newest now; what that batch keeps of its uncertainty never changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.accounting.books.uncertainty import describe_amount
from weighbridge.accounting.records.uncertainty import AmountUncertainty
from weighbridge.core import identity
from weighbridge.core.number import EXACT, ZERO, exact_total
from weighbridge.core.report_uncertainty import (
    IncludedUncertainty,
    SummedUncertainty,
    list_unknown,
    sum_included,
)
from weighbridge.core.uncertainty.effects import CombinedUncertainty, read_sum
from weighbridge.core.unit import convert, find_slope, parse_unit
from weighbridge.db.engine import Read
from weighbridge.reporting.submission.ledgers import FACTOR


@dataclass(frozen=True, slots=True)
class ReportedUncertainty:
    """How uncertain what a report takes is, and why that is not known where it is not."""

    summed: SummedUncertainty
    combined: CombinedUncertainty
    liability: Decimal

    @property
    def amount(self) -> AmountUncertainty:
        """Describe it, about what is taken less what the report owes, which is certain."""
        amount = EXACT.subtract(self.summed.total, self.liability)
        return describe_amount(amount, self.combined, self.summed.coverage_probability, self.summed.discount)


@dataclass(frozen=True, slots=True)
class Included:
    """What a report takes of batches, with their uncertainties: as it is claimed, or as it was accepted."""

    amounts: Sequence[IncludedUncertainty]
    unit: str | None
    """The unit of the ledger; None while the report has none."""
    liability: Decimal

    @property
    def amount(self) -> Decimal:
        """What the report states: what it takes, less what it owes."""
        return EXACT.subtract(exact_total(one.counted for one in self.amounts), self.liability)

    @property
    def unknown(self) -> list[int]:
        """The batches whose uncertainty is not known."""
        return list_unknown(self.amounts)

    def sum(self) -> ReportedUncertainty | None:
        """Sum it, which takes a while for thousands of batches; None where it is not known."""
        summed = sum_included(self.amounts)
        if summed is None:
            return None
        return ReportedUncertainty(summed, summed.uncertainty.combine(), self.liability)


async def read_included(tx: Read, report: identity.Key, *, is_accepted: bool = False) -> Included:
    """Read what a report takes of each batch, or what was accepted of it, with what is kept of its run."""
    [(liability, unit)] = await tx.tuples(
        """
        SELECT coalesce(r.liability, 0), l.unit
          FROM reports r LEFT JOIN ledgers l ON (l.project_id, l.id) = (r.project_id, r.ledger_id)
         WHERE r.project_id = %s AND r.id = %s
        """,
        (report.project, report.key),
    )
    rows = await tx.tuples(
        _INCLUDED, {"project": report.project, "report": report.key, "is_accepted": is_accepted}
    )
    units = {(output, of_ledger) for *_, output, of_ledger, _, written in rows if written is not None}
    slopes = {pair: find_slope(*map(parse_unit, pair)) for pair in units}
    amounts = [
        IncludedUncertainty(
            batch,
            amount,
            total,
            slopes.get((output_unit, of_ledger), ZERO),
            written,
            convert(value, parse_unit(output_unit), parse_unit(of_ledger))
            if written and "discount" in written
            else None,
            factor,
        )
        for batch, amount, total, value, output_unit, of_ledger, factor, written in rows
    ]
    return Included(amounts, unit, liability)


def describe_each(included: Included) -> list[AmountUncertainty | None]:
    """Describe how uncertain what is taken of each batch is, by itself; None where that is not known."""
    return [_describe_part(one) for one in included.amounts]


def _describe_part(one: IncludedUncertainty) -> AmountUncertainty | None:
    if not one.is_known or one.written is None:
        return None
    probability = Decimal(one.written["coverage_probability"])
    factor = Decimal(one.written["coverage_factor"])
    combined = read_sum([one.part]).combine()
    return describe_amount(one.amount, combined, probability, one.discount, factor=factor)


_INCLUDED: Final = f"""
    SELECT i.batch_id, CASE WHEN %(is_accepted)s THEN coalesce(i.accepted_amount, i.amount) ELSE i.amount END,
           basis.total, c.value, c.unit, l.unit, {FACTOR}, c.uncertainty
      FROM report_batches i
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
      JOIN batches basis ON (basis.project_id, basis.id) = (i.project_id, coalesce(i.basis, (
               SELECT max(newest.id) FROM batches newest
                WHERE (newest.project_id, newest.run_id, newest.ledger_id)
                    = (b.project_id, b.run_id, b.ledger_id) AND newest.deleted_at IS NULL), b.id))
      LEFT JOIN batch_calculations c
             ON (c.project_id, c.batch_id) = (basis.project_id, basis.id) AND c.is_primary
     WHERE i.project_id = %(project)s AND i.report_id = %(report)s
     ORDER BY b.start_time, b.end_time, b.tracking_id, b.id
"""
"""In the order of the inclusions of a report."""
