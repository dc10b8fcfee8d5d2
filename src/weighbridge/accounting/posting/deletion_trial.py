"""What a deletion would come to: it is carried out, compared with what was before, and undone by its caller.

Invariant: ledgers and batches that are not named stay as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple

from weighbridge.accounting.batches.records import EndedInput, StandsAbove
from weighbridge.accounting.books.stale_reasons import made_stale
from weighbridge.accounting.posting.deletion import undo
from weighbridge.accounting.posting.deletion_effects import end_inputs, stands_above
from weighbridge.db.engine import Write


class LedgerMoves(NamedTuple):
    """What a ledger holds and is short of, before and after, in its unit."""

    ledger: int
    name: str
    unit: str
    balance_before: Decimal
    balance_after: Decimal
    deficit_before: Decimal
    deficit_after: Decimal


class BatchMoves(NamedTuple):
    """What is left of a batch that stays, before and after, in its ledger's unit."""

    batch: int
    ledger: int
    tracking_id: str
    before: Decimal
    after: Decimal


@dataclass(frozen=True, slots=True)
class DeletionTrial:
    """What a deletion would come to."""

    ledgers: Sequence[LedgerMoves]
    batches: Sequence[BatchMoves]
    """Batches that stay and of which more or less is left: those that were drawn from, as a rule."""
    stale: Sequence[int]
    """Batches that stay and become stale."""
    ended: Sequence[EndedInput]
    above: Sequence[StandsAbove]


async def try_deletion(tx: Write, project: int, batches: Sequence[int], task: int) -> DeletionTrial:
    """Carry out a deletion, for the task that asks for it; the transaction must be undone afterwards."""
    values = {"project": project, "batches": list(batches)}
    ledgers = await tx.tuples(_LEDGERS, values)
    touched = await tx.tuples(_TOUCHED, values)
    above = await stands_above(tx, project, batches)
    await undo(tx, project, batches, task)
    ended = await end_inputs(tx, project, batches)
    stale = await made_stale(tx, project)
    after = {
        number: (balance, deficit) for number, _, _, balance, deficit in await tx.tuples(_LEDGERS, values)
    }
    left: dict[int, Decimal] = {number: balance for number, *_, balance in await tx.tuples(_TOUCHED, values)}
    return DeletionTrial(
        [
            LedgerMoves(number, name, unit, balance, after[number][0], deficit, after[number][1])
            for number, name, unit, balance, deficit in ledgers
        ],
        [
            BatchMoves(number, ledger, name, balance, left[number])
            for number, ledger, name, balance in touched
            if left[number] != balance
        ],
        [batch for batch in stale if batch not in batches],
        ended,
        above,
    )


_LEDGERS: Final = """
    SELECT l.id, l.name, l.unit,
           (SELECT trim_scale(coalesce(sum(b.balance), 0)) FROM batches b
             WHERE (b.project_id, b.ledger_id) = (l.project_id, l.id)),
           (SELECT coalesce(sum(d.amount), 0) FROM deficits d
             WHERE (d.project_id, d.ledger_id) = (l.project_id, l.id))
      FROM ledgers l
     WHERE l.project_id = %(project)s
       AND l.id IN (SELECT ledger_id FROM batches WHERE project_id = %(project)s AND id = ANY (%(batches)s)
                    UNION SELECT ledger_id FROM ledger_entries
                     WHERE project_id = %(project)s AND posted_by = ANY (%(batches)s))
     ORDER BY l.name, l.id
"""

_TOUCHED: Final = """
    SELECT b.id, b.ledger_id, b.tracking_id, trim_scale(b.balance) FROM batches b
     WHERE b.project_id = %(project)s AND b.id <> ALL (%(batches)s)
       AND b.id IN (SELECT batch_id FROM ledger_entries
                     WHERE project_id = %(project)s AND posted_by = ANY (%(batches)s))
     ORDER BY b.start_time, b.tracking_id, b.id
"""
