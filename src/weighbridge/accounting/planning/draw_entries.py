"""Draw entries: what runs take of other ledgers' batches and give back, as a generation would post it.

A run that holds more or less than before posts the difference as draws and returns, by the first of its new
batches. Invariant: what a run draws or gives back is posted once, whatever the number of its batches.
"""

from collections.abc import Sequence
from decimal import Decimal

from weighbridge.accounting.books.runs import RunIdentity
from weighbridge.accounting.planning.plan import Plan, RunDifference
from weighbridge.core.ledger.drawing import Drawer, Move
from weighbridge.core.ledger.pool.pool import Pool
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
            # A run that stands as it was has no batch to post that what it holds counts for other moments.
            if not _only_redated(moves):
                problems.append(_unposted(drawer))
            continue
        number, difference = poster
        entries[number] += _entries(drawer, moves, difference)
    return [entry for of_plan in entries for entry in of_plan], problems


def _entries(drawer: Drawer, moves: Sequence[Move], difference: RunDifference) -> list[Entry]:
    """What is given back counts for the moment for which it was drawn: in between, others may draw it."""
    return [
        Entry(
            ledger=move.source.ledger,
            kind=EntryKind.DRAW if move.amount > 0 else EntryKind.RETURN,
            run=difference.run_key,
            batch=move.source.number,
            posted_by=difference.batch,
            amount=EXACT.minus(move.amount),
            effective_at=move.effective_at,
            node=drawer.node,
        )
        for move in moves
    ]


def _only_redated(moves: Sequence[Move]) -> bool:
    """Whether a drawer holds as much of every source as before."""
    sums: dict[int, Decimal] = {}
    for move in moves:
        sums[move.source.number] = EXACT.add(sums.get(move.source.number, Decimal(0)), move.amount)
    return not any(sums.values())


def _unposted(drawer: Drawer) -> str:
    of_run = f" for {drawer.partition.label}" if drawer.partition.label else ""
    return (
        f"Node {drawer.node!r}{of_run} gives back what it drew, and its run has batches on other ledgers of"
        " the model only; ask for generate_concurrent_ledgers."
    )
