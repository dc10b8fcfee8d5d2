"""What better instruments would make of a batch: how uncertain it would be with each effect at zero.

It also says which few effects would have to be zero to halve the uncertainty. Permission: production
accounting.
"""

from decimal import Decimal
from typing import Any, Final

import msgspec

from weighbridge.accounting.batches_queries import find_batch_key
from weighbridge.accounting.books.effect_names import EffectNames, describe_effect, read_effect_names
from weighbridge.accounting.books.runs import RUN_TOTAL
from weighbridge.accounting.books.uncertainty import (
    LINES_MAX,
    UNCERTAINTY,
    KeptUncertainty,
    describe_amount,
    read_kept,
)
from weighbridge.accounting.records.uncertainty import (
    AmountUncertainty,
    UncertaintySaving,
    UncertaintySavings,
)
from weighbridge.core import identity
from weighbridge.core.ledger.allocation import LedgerRounding, round_total
from weighbridge.core.number import CONTEXT, EXACT
from weighbridge.core.uncertainty.effects import CombinedUncertainty
from weighbridge.core.uncertainty.importance import find_halving_effects, list_reductions
from weighbridge.db.engine import Read
from weighbridge.http.endpoints.endpoint import ReadCall, get


class _BatchRow(msgspec.Struct, frozen=True):
    """What is kept of how uncertain a batch is, in the unit of its output."""

    written: dict[str, Any] | None
    unit: str
    ledger_unit: str
    scale: int
    rounding: LedgerRounding
    total: Decimal


async def read_savings(tx: Read, batch: identity.Key) -> UncertaintySavings:
    """Read what better instruments would make of a batch that is there."""
    row = await tx.row(_BatchRow, _KEPT, (batch.project, batch.key))
    assert row is not None, "a batch that was found has its output"  # noqa: S101
    name = identity.make("batch", batch)
    if row.written is None:
        return UncertaintySavings(name, row.ledger_unit, None, [], 0, [], 0, None, is_fewest=True)
    kept = read_kept(row.written, row.unit, row.ledger_unit)
    names = await read_effect_names(tx, batch.project, kept.uncertainty.components)
    return await tx.in_thread(_build_savings, name, row, kept, names)


def _build_savings(
    batch: str, row: _BatchRow, kept: KeptUncertainty, names: EffectNames
) -> UncertaintySavings:
    uncertainty = kept.uncertainty
    current = uncertainty.combine()

    def describe(combined: CombinedUncertainty, credit: Decimal) -> AmountUncertainty:
        computed = round_total(kept.computed, row.scale, row.rounding) if kept.discount else credit
        return describe_amount(credit, combined, kept.probability, EXACT.subtract(computed, credit))

    def credit(combined: CombinedUncertainty) -> Decimal:
        return kept.compute_credit(combined, row.scale, row.rounding) if kept.discount else row.total

    savings = [
        UncertaintySaving(
            **msgspec.structs.asdict(describe_effect(names, uncertainty, effect)),
            without=describe(reduced, credit(reduced)),
            saving=CONTEXT.subtract(current.standard_uncertainty, reduced.standard_uncertainty),
            saved_credit=EXACT.subtract(credit(reduced), row.total) if kept.discount else None,
        )
        for effect, reduced in list_reductions(uncertainty, LINES_MAX)
    ]
    halving = find_halving_effects(uncertainty)
    chosen = halving.effects if halving else ()
    left = uncertainty.leave_out(frozenset(chosen)).combine()
    return UncertaintySavings(
        batch_id=batch,
        unit=row.ledger_unit,
        current=describe(current, row.total),
        savings=savings,
        effect_count=len(uncertainty.components),
        halving=[describe_effect(names, uncertainty, effect) for effect in chosen[:LINES_MAX]],
        halving_count=len(chosen),
        halved=describe(left, credit(left)) if halving else None,
        is_fewest=halving.is_fewest if halving else True,
    )


_KEPT: Final = f"""
    SELECT kept.uncertainty, c.unit, l.unit, l.scale, l.rounding, {RUN_TOTAL}
      FROM batches b
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
      JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary
     CROSS JOIN LATERAL (SELECT {UNCERTAINTY} AS uncertainty) AS kept
     WHERE (b.project_id, b.id) = (%s, %s)
"""


# Paths of savings.


@get(
    "/batches/{batch_id}/uncertainty_savings",
    permission="production_accounting:read",
    returns=UncertaintySavings,
    computes=True,
)
async def get_uncertainty_savings(call: ReadCall) -> UncertaintySavings:
    """Read how uncertain a batch would be with each effect at zero, and which few effects would halve that.

    A better instrument brings its effect towards zero. All of them are computed to first order from what the
    batch keeps; nothing is changed.
    """
    key = await find_batch_key(call.tx, call.actor, call.path["batch_id"])
    return await read_savings(call.tx, key)


ROUTES = [get_uncertainty_savings]
