"""What a chain of reports holds of batches: what it has posted, and what it has reserved."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final

from weighbridge.core.quantity.number import EXACT, ZERO
from weighbridge.core.report.restatement import Holdings
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class ChainHoldings:
    """By batch and the moment from which on it counts."""

    posted: Holdings = field(default_factory=dict)
    reserved: Holdings = field(default_factory=dict)
    posted_from: datetime | None = None
    """The moment from which on the report counts that states what is posted; None while there is none."""

    def by_batch(self) -> dict[int, Decimal]:
        """What is held of each batch in all."""
        held: dict[int, Decimal] = {}
        for holdings in (self.posted, self.reserved):
            for (number, _), amount in holdings.items():
                held[number] = EXACT.add(held.get(number, ZERO), amount)
        return held


NOTHING_HELD: Final = ChainHoldings()
"""What a report holds that restates none and is a draft."""


async def holdings_of_chain(tx: Read, project: int, chain: int | None) -> ChainHoldings:
    """What a chain holds, by the number of its first report; None for one that is not there yet."""
    if chain is None:
        return NOTHING_HELD
    posted: dict[tuple[int, datetime], Decimal] = {}
    reserved: dict[tuple[int, datetime], Decimal] = {}
    for is_reserve, batch, moment, amount in await tx.tuples(_HELD, (project, chain)):
        (reserved if is_reserve else posted)[batch, moment] = amount
    since = await tx.value(
        """
        SELECT effective_at FROM reports
         WHERE project_id = %s AND chain_id = %s AND status = 'complete'
        """,
        (project, chain),
    )
    return ChainHoldings(posted, reserved, since)


_HELD: Final = """
    SELECT e.kind IN ('reserve', 'release'), e.batch_id, e.effective_at, - sum(e.amount)
      FROM reports r JOIN ledger_entries e ON (e.project_id, e.report_id) = (r.project_id, r.id)
     WHERE r.project_id = %s AND r.chain_id = %s AND e.kind IN ('reserve', 'release', 'report', 'restate')
     GROUP BY e.kind IN ('reserve', 'release'), e.batch_id, e.effective_at HAVING sum(e.amount) <> 0
"""
