"""A ledger is a list of entries that are only ever added; a balance is the sum of entries.

A credit makes a batch hold something. A fall takes back what a run turns out not to have made, a rise
gives back what the run's falls took; a draw takes for another run, a return gives a draw back.

A partition of a ledger is posted as a whole: what has been drawn in the same generation first, then rises
and credits, which settle open deficits at once, then falls. A fall takes from the run's own batches, then
from those of its partition, oldest first; what it cannot take is the run's deficit. A run that rises
closes its own deficit, then gives back what its falls took, last taken first, and credits the rest.

Invariants: no balance is below zero at any step; credits, falls and rises of a run less its deficit are
its total; so what is drawn and what remains is what was made and the open deficit.
"""

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final

from weighbridge.core.quantity.number import EXACT, exact_total

SCALE_DEFAULT: Final = 6
"""Decimals that a ledger keeps unless it is made with others."""

SCALE_MAX: Final = 20
"""Decimals that a ledger keeps at most."""

Key = Hashable
"""What names a run or a batch: its number, or a plan's name for one that is not written yet."""


class EntryKind(StrEnum):
    """What an entry does."""

    CREDIT = "credit"
    FALL = "fall"
    RISE = "rise"
    DRAW = "draw"
    RETURN = "return"


GENERATED: Final = (EntryKind.CREDIT, EntryKind.FALL, EntryKind.RISE)
"""What a run posts for its own total; the rest is what others draw."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One change of a batch's balance."""

    ledger: int
    kind: EntryKind
    run: Key
    """Whose doing it is: the run that made, fell or drew."""
    batch: Key
    posted_by: Key
    amount: Decimal
    """Signed: what takes is negative."""
    effective_at: datetime
    node: str | None = None
    """The node that draws."""


@dataclass(frozen=True, slots=True)
class DeficitEntry:
    """One change of a run's deficit: what opens is positive, what settles is negative."""

    ledger: int
    run: Key
    posted_by: Key
    amount: Decimal
    effective_at: datetime


@dataclass(frozen=True, slots=True)
class BatchBalance:
    """What a batch of the partition has left."""

    batch: Key
    run: Key
    end: datetime
    """The end of its slot."""
    balance: Decimal


@dataclass(frozen=True, slots=True)
class Deficit:
    """What falls of a run could not take."""

    run: Key
    end: datetime
    """The end of its slot, or the last moment for which some of it opened: it is not settled before."""
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Taken:
    """What falls of a run took from a batch for one moment, and have not given back."""

    batch: Key
    amount: Decimal
    effective_at: datetime


@dataclass(frozen=True, slots=True)
class Total:
    """What a run comes to, and what it has posted."""

    run: Key
    batch: Key
    """The new batch, which posts the difference."""
    end: datetime
    total: Decimal
    posted: Decimal
    taken: Sequence[Taken] = ()
    """In the order in which it was taken."""


@dataclass(frozen=True, slots=True)
class PartitionEntries:
    """What is posted to a partition, in order, and what its runs are short of afterwards."""

    entries: Sequence[Entry]
    deficit_entries: Sequence[DeficitEntry]
    deficits: Sequence[Deficit]


def post(
    ledger: int,
    balances: Sequence[BatchBalance],
    deficits: Sequence[Deficit],
    totals: Sequence[Total],
    drawn: Sequence[Entry] = (),
) -> PartitionEntries:
    """Post the differences of runs of one partition of a ledger; everything comes oldest first.

    Balances include those of the new batches, which have nothing yet. What draws and returns do to the
    partition in the same generation is given, and not posted again.
    """
    partition = _Partition(ledger, balances, deficits)
    for entry in sorted(drawn, key=lambda one: one.kind is EntryKind.DRAW):
        partition.apply(entry)
    for total in totals:
        partition.rise(total, EXACT.subtract(total.total, total.posted))
    partition.settle()
    for total in totals:
        partition.fall(total, EXACT.subtract(total.posted, total.total))
    return partition.posted(totals)


class _Partition:
    """The balances and deficits of a partition while it is posted to."""

    def __init__(self, ledger: int, balances: Sequence[BatchBalance], deficits: Sequence[Deficit]) -> None:
        self._ledger = ledger
        self._ends = {one.batch: one.end for one in balances}
        self._balances = {one.batch: one.balance for one in balances}
        self._own: dict[Key, list[Key]] = {}
        for one in balances:
            self._own.setdefault(one.run, []).append(one.batch)
        # Falls only take, so what was found empty once stays so: the partition is walked through once.
        self._oldest = deque(self._balances)
        self._deficits = {deficit.run: deficit for deficit in deficits}
        self._entries: list[Entry] = []
        self._deficit_entries: list[DeficitEntry] = []
        self._given: deque[Entry] = deque()

    def apply(self, entry: Entry) -> None:
        """Change a balance; what gives can settle deficits."""
        balance = EXACT.add(self._balances[entry.batch], entry.amount)
        assert balance >= 0, f"batch {entry.batch} would hold {balance}"  # noqa: S101 - an invariant
        self._balances[entry.batch] = balance
        if entry.amount > 0:
            self._given.append(entry)

    def rise(self, total: Total, more: Decimal) -> None:
        """Close the run's deficit, give back what its falls took, and credit the rest, even if it is zero."""
        left = max(more, Decimal(0))
        if deficit := self._deficits.get(total.run):
            closed = min(left, deficit.amount)
            self._change_deficit(deficit, EXACT.minus(closed), total.batch, deficit.end)
            left = EXACT.subtract(left, closed)
        for taken in reversed(total.taken):
            given = min(left, taken.amount)
            self._post(EntryKind.RISE, total, taken.batch, given, taken.effective_at)
            left = EXACT.subtract(left, given)
        self._post(EntryKind.CREDIT, total, total.batch, left)

    def settle(self) -> None:
        """Take what was given for the open deficits, oldest first."""
        for deficit in list(self._deficits.values()):
            left = deficit.amount
            while left and self._given:
                given = self._given.popleft()
                taken = min(left, given.amount, self._balances[given.batch])
                if taken < min(given.amount, self._balances[given.batch]):
                    self._given.appendleft(replace(given, amount=EXACT.subtract(given.amount, taken)))
                if taken:
                    self._settle(deficit, given, taken)
                left = EXACT.subtract(left, taken)

    def fall(self, total: Total, less: Decimal) -> None:
        """Take from the run's own batches, then from the partition's; what is left is the run's deficit."""
        left = max(less, Decimal(0))
        for batch in self._own[total.run]:
            left = self._take(total, batch, left)
        while left and self._oldest:
            left = self._take(total, self._oldest[0], left)
            if not self._balances[self._oldest[0]]:
                self._oldest.popleft()
        deficit = self._deficits.get(total.run, Deficit(total.run, total.end, Decimal(0)))
        self._change_deficit(deficit, left, total.batch, total.end)

    def posted(self, totals: Sequence[Total]) -> PartitionEntries:
        """What was posted, which is the difference of the totals to the last digit."""
        difference = exact_total(EXACT.subtract(total.total, total.posted) for total in totals)
        made = exact_total(entry.amount for entry in self._entries)
        short = exact_total(entry.amount for entry in self._deficit_entries)
        assert EXACT.subtract(made, short) == difference, "entries less deficits are the difference"  # noqa: S101
        still_open = tuple(deficit for deficit in self._deficits.values() if deficit.amount)
        return PartitionEntries(tuple(self._entries), tuple(self._deficit_entries), still_open)

    def _take(self, total: Total, batch: Key, left: Decimal) -> Decimal:
        taken = min(left, self._balances[batch])
        self._post(EntryKind.FALL, total, batch, EXACT.minus(taken))
        return EXACT.subtract(left, taken)

    def _settle(self, deficit: Deficit, given: Entry, taken: Decimal) -> None:
        """The run that is short takes from the batch that was given to, in the name of who gave."""
        at = max(deficit.end, self._ends[given.batch])
        amount = EXACT.minus(taken)
        fall = Entry(self._ledger, EntryKind.FALL, deficit.run, given.batch, given.posted_by, amount, at)
        self.apply(fall)
        self._entries.append(fall)
        self._change_deficit(self._deficits[deficit.run], amount, given.posted_by, at)

    def _post(
        self, kind: EntryKind, total: Total, batch: Key, amount: Decimal, taken_at: datetime | None = None
    ) -> None:
        """Post what is not nothing; a batch is always credited.

        It counts for the later of the two slots' ends, or for the moment at which it was taken.
        """
        if amount or kind is EntryKind.CREDIT:
            at = taken_at or max(total.end, self._ends[batch])
            entry = Entry(self._ledger, kind, total.run, batch, total.batch, amount, at)
            self.apply(entry)
            self._entries.append(entry)

    def _change_deficit(self, held: Deficit, amount: Decimal, posted_by: Key, effective_at: datetime) -> None:
        if amount:
            self._deficits[held.run] = replace(held, amount=EXACT.add(held.amount, amount))
            self._deficit_entries.append(
                DeficitEntry(self._ledger, held.run, posted_by, amount, effective_at)
            )
