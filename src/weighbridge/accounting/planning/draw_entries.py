"""Draw entries: what runs take of other ledgers' batches and give back, as a generation would post it.

A run that holds more or less than before posts the difference as draws and returns, by the first of its new
batches. Invariant: what a run draws or gives back is posted once, whatever the number of its batches.
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from weighbridge.accounting.books.runs import RunIdentity
from weighbridge.accounting.planning.plan import Plan, RunDifference
from weighbridge.core.ledger.drawing import Drawer, Pool, SourceBatch
from weighbridge.core.ledger.posting import Entry, EntryKind
from weighbridge.core.quantity.number import EXACT


def draw_entries(plans: Sequence[Plan], pool: Pool) -> tuple[list[Entry], list[str]]:
    """The draws and returns of all plans, and why some cannot be posted.

    Entries name batches by number, and a run that has no batches yet and the new batch that posts them as
    its difference does.
    """
    posting: dict[RunIdentity, tuple[int, RunDifference]] = {}
    for number, plan in enumerate(plans):
        for difference in plan.differences:
            posting.setdefault(difference.run.identity, (number, difference))
    entries: list[list[Entry]] = [[] for _ in plans]
    problems = []
    for drawer, moves in pool.moved().items():
        if (poster := posting.get(RunIdentity(drawer.slot, drawer.partition))) is None:
            problems.append(_unposted(drawer))
            continue
        number, difference = poster
        entries[number] += _entries(pool, drawer, moves, difference)
    return [entry for of_plan in entries for entry in of_plan], problems


def _entries(
    pool: Pool, drawer: Drawer, moves: Sequence[tuple[SourceBatch, Decimal]], difference: RunDifference
) -> list[Entry]:
    return [
        Entry(
            ledger=source.ledger,
            kind=EntryKind.DRAW if amount > 0 else EntryKind.RETURN,
            run=difference.run_key,
            batch=source.number,
            posted_by=difference.batch,
            amount=-part,
            effective_at=at,
            node=drawer.node,
        )
        for source, amount in moves
        for at, part in _moments(pool, drawer, source, amount)
    ]


def _moments(
    pool: Pool, drawer: Drawer, source: SourceBatch, amount: Decimal
) -> list[tuple[datetime, Decimal]]:
    """The moments that a draw or a return counts for, and how much for each.

    What is given back counts for the moment for which it was drawn, the last drawn first: in between, others
    may draw what is there.
    """
    if amount > 0:
        return [(max(drawer.slot.end, source.slot.end), amount)]
    given: dict[datetime, Decimal] = {}
    left = EXACT.minus(amount)
    for lot in sorted(pool.lots_before[drawer], key=lambda lot: lot.act, reverse=True):
        if lot.source == source.number and lot.effective_at is not None and left:
            part = min(left, lot.amount)
            given[lot.effective_at] = EXACT.subtract(given.get(lot.effective_at, Decimal(0)), part)
            left = EXACT.subtract(left, part)
    assert not left, "nothing is given back that was not drawn"  # noqa: S101 - an invariant
    return list(given.items())


def _unposted(drawer: Drawer) -> str:
    of_run = f" for {drawer.partition.label}" if drawer.partition.label else ""
    return (
        f"Node {drawer.node!r}{of_run} gives back what it drew, and its run has batches on other ledgers of"
        " the model only; ask for generate_concurrent_ledgers."
    )
