"""A ledger is a list of entries that are only ever added; a balance is the sum of entries.

A credit makes a batch hold something. A fall takes back what a run turns out not to have made, a rise
gives back what the run's falls took; a draw takes for another run, a return gives a draw back. A reserve
holds something for a report under way, a release gives it back; a report takes what was accepted, and
restating gives back what an earlier report of the chain took beyond it.

A partition of a ledger is posted as a whole: what has been drawn and returned in the same generation first,
then releases, rises and credits, which settle open deficits at once, then falls. A fall takes from the run's
own batches, then from those of its partition, oldest first; what it cannot take is the run's deficit. A run
that rises closes its own deficit, then gives back what its falls took, and credits the rest. A batch that
holds something again, although its run has taken from others' batches in its place, is taken from and they
are released.

What a report takes is of the batch that it names. Where falls took of that, they give way: their runs take
from what else the partition holds, and are short of the rest, as long as the report holds it.

What is given back comes in the order of `taken`, so it does not show in which order things were posted.

An entry counts for the later of the ends of the two slots, a run's total for the end of its own. What falls
took of a later slot's batch is a deficit in between: it opens at the run's end and is settled at the later
one. So deficit entries follow from entries and totals, and need no rules of their own.

Invariants: no balance is below zero; for every run and instant, its entries less its deficit entries are
its total at the end of its slot, and zero at any other time; what a batch posts for other runs
than its own adds up to zero at every instant.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from itertools import product
from typing import Final

from weighbridge.core.ledger.drawing import Released
from weighbridge.core.number import EXACT, ZERO, exact_total

# What falls took from batches, and the order in which it is given back.
#
# What was taken for later moments than the end of the run's slot comes first, the latest first, then the
# rest, the last taken first. So it does not show in which order things were posted.
#
# Worked example, in tonnes. January fell by 9: it took 2 of its own, then 4 of March's and 3 of February's.
# What it rises by goes to March first, then to February, then to January.


Key = Hashable
"""What names a run or a batch: its number, or a plan's name for one that is not written yet."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What falls of a run took from a batch for one moment, and have not given back."""

    batch: Key
    amount: Decimal
    effective_at: datetime


def order_latest_first(takings: Sequence[Taken], end: datetime) -> list[Taken]:
    """What a run took, in the order in which it is given back; `end` is that of its slot.

    What was taken for later moments comes first, the latest first, then the rest, the last taken first.
    """
    last_first = list(reversed(takings))
    later_takings = [taking for taking in last_first if taking.effective_at > end]
    return [
        *sorted(later_takings, key=lambda taking: taking.effective_at, reverse=True),
        *(taking for taking in last_first if taking.effective_at <= end),
    ]


SCALE_DEFAULT: Final = 6
"""Decimals that a ledger keeps unless it is made with others."""

SCALE_MAX: Final = 20
"""Decimals that a ledger keeps at most."""


class EntryKind(StrEnum):
    """What an entry does."""

    CREDIT = "credit"
    FALL = "fall"
    RISE = "rise"
    DRAW = "draw"
    RETURN = "return"
    RESERVE = "reserve"
    RELEASE = "release"
    REPORT = "report"
    RESTATE = "restate"


GENERATED: Final = (EntryKind.CREDIT, EntryKind.FALL, EntryKind.RISE)
"""What a run posts for its own total; the rest is what others draw and reports take."""


OF_REPORTS: Final = (EntryKind.RESERVE, EntryKind.RELEASE, EntryKind.REPORT, EntryKind.RESTATE)
"""What reports take of batches and give back."""


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
class Total:
    """What a run comes to, and what it has posted."""

    run: Key
    batch: Key
    """The new batch, which posts the difference."""
    end: datetime
    total: Decimal
    posted: Mapping[datetime, Decimal]
    """For each moment, its entries less its deficit entries: all at its end, unless that was corrected."""

    @property
    def difference(self) -> Decimal:
        """What is to be posted, all in all."""
        return EXACT.subtract(self.total, exact_total(self.posted.values()))

    @property
    def difference_by_moment(self) -> Mapping[datetime, Decimal]:
        """What is to be posted for each moment."""
        differences = {moment: EXACT.minus(amount) for moment, amount in self.posted.items()}
        return differences | {self.end: EXACT.add(differences.get(self.end, ZERO), self.total)}


@dataclass(frozen=True, slots=True)
class PartitionBooks:
    """The state of a ledger partition before a posting; everything oldest first."""

    ledger: int
    balances: Sequence[BatchBalance]
    """With those of the new batches, which have nothing yet."""
    deficits: Sequence[Deficit] = ()
    taken: Mapping[Key, Sequence[Taken]] = field(default_factory=dict)
    """By run, in the order in which it was taken."""
    released: Released = field(default_factory=dict)
    """By run, how much of which batches the draws of this generation count upon to be released first."""


@dataclass(frozen=True, slots=True)
class PartitionEntries:
    """What is posted to a partition, in order, and what its runs are short of afterwards."""

    entries: Sequence[Entry]
    deficit_entries: Sequence[DeficitEntry]
    deficits: Sequence[Deficit]


def post(books: PartitionBooks, totals: Sequence[Total], draws: Sequence[Entry] = ()) -> PartitionEntries:
    """Post the differences of runs of one partition of a ledger; everything comes oldest first.

    What draws and returns do to the partition in the same generation is given, and not posted again.
    """
    partition = _Partition(books, [*(total.batch for total in totals), *(draw.posted_by for draw in draws)])
    partition.draw(draws)
    partition.release()
    for total in totals:
        partition.rise(total)
    partition.release()
    partition.give_way(draws)
    partition.settle()
    partition.take_elsewhere()
    for total in totals:
        partition.fall(total)
    return partition.posted(totals)


class _Partition:
    """The balances and deficits of a partition while it is posted to."""

    def __init__(self, books: PartitionBooks, posters: Sequence[Key]) -> None:
        self._ledger = books.ledger
        self._ends = {balance.batch: balance.end for balance in books.balances}
        self._balances = {balance.batch: balance.balance for balance in books.balances}
        self._run_of = {balance.batch: balance.run for balance in books.balances}
        self._own: dict[Key, list[Key]] = {}
        for balance in books.balances:
            self._own.setdefault(balance.run, []).append(balance.batch)
        self._taken = {run: list(taken) for run, taken in books.taken.items()}
        self._counted_upon: dict[Key, dict[Key, Decimal]] = {
            run: {batch: amount for batch, amount in batches.items()}  # noqa: C416
            for run, batches in books.released.items()
        }
        # Falls only take, so what was found empty once stays so: the partition is walked through once.
        self._oldest = deque(self._balances)
        self._deficits = {deficit.run: deficit for deficit in books.deficits}
        self._entries: list[Entry] = []
        self._given: deque[Entry] = deque()
        self._poster = posters[0] if posters else None
        self._returned_by: dict[Key, Key] = {}
        self._gave_way: list[Key] = []

    def draw(self, draws: Sequence[Entry]) -> None:
        """Let draws and returns change balances; a batch may seem overdrawn until others are released."""
        for entry in draws:
            self._apply(entry)
            if entry.amount > 0:
                self._returned_by.setdefault(entry.batch, entry.posted_by)

    def release(self) -> None:
        """Have runs take from their own batches what they took from others' while those held nothing.

        What draws of this generation count upon is released before anything else. What is released may be
        of a run that itself took from others, so it goes on until every run has taken its own first.
        """
        runs = [run for run in self._taken if run in self._own]
        for run in runs:
            counted_upon = self._counted_upon.pop(run, {})
            for batch in self._own[run] if counted_upon else ():
                self._release(run, batch, counted_upon)
        was_released = True
        while was_released:
            was_released = False
            for run in runs:
                for batch in self._own[run]:
                    was_released |= self._release(run, batch)

    def rise(self, total: Total) -> None:
        """Close the run's deficit, give back what its falls took, and credit the rest, even if it is zero."""
        remaining = max(total.difference, ZERO)
        if deficit := self._deficits.get(total.run):
            closed = min(remaining, deficit.amount)
            self._change_deficit(deficit, EXACT.minus(closed))
            remaining = EXACT.subtract(remaining, closed)
        for taking in order_latest_first(self._taken.get(total.run, ()), total.end):
            amount_back = min(remaining, taking.amount)
            self._give_back(total.run, taking, amount_back, total.batch)
            remaining = EXACT.subtract(remaining, amount_back)
        self._post(
            Entry(self._ledger, EntryKind.CREDIT, total.run, total.batch, total.batch, remaining, total.end)
        )

    def give_way(self, draws: Sequence[Entry]) -> None:
        """Have falls give back what reports take of a batch beyond what it holds; their runs are short."""
        for batch in dict.fromkeys(entry.batch for entry in draws if entry.kind in OF_REPORTS):
            for run, of_run in self._taken.items():
                for taking in reversed([one for one in of_run if one.batch == batch]):
                    amount = min(taking.amount, EXACT.minus(self._balances[batch]))
                    if amount > 0:
                        self._give_back(run, taking, amount, self._poster)
                        self._be_short(run, amount, taking.effective_at)

    def take_elsewhere(self) -> None:
        """Have runs that gave way take from what else the partition holds, oldest first."""
        for run, batch in product(self._gave_way, self._balances):
            deficit = self._deficits[run]
            amount = min(deficit.amount, max(ZERO, self._balances[batch]))
            at = max(deficit.end, self._ends[batch])
            self._take(run, Taken(batch, amount, at), self._poster)
            self._change_deficit(deficit, EXACT.minus(amount))

    def settle(self) -> None:
        """Take what was given for the open deficits, oldest first, in the name of who gave.

        What was given of a run's own batches settles its own deficit before any other.
        """
        own_credits: dict[Key, deque[Entry]] = {}
        for entry in self._given:
            own_credits.setdefault(self._run_of[entry.batch], deque()).append(entry)
        for deficit in list(self._deficits.values()):
            self._settle(deficit, own_credits.get(deficit.run, deque()))
        for deficit in list(self._deficits.values()):
            self._settle(deficit, self._given)

    def fall(self, total: Total) -> None:
        """Take from the run's own batches, then from the partition's; what is left is the run's deficit."""
        remaining = max(EXACT.minus(total.difference), ZERO)
        for batch in self._own[total.run]:
            remaining = self._fall(total, batch, remaining)
        while remaining and self._oldest:
            remaining = self._fall(total, self._oldest[0], remaining)
            if not self._balances[self._oldest[0]]:
                self._oldest.popleft()
        deficit = self._deficits.get(total.run, Deficit(total.run, total.end, ZERO))
        self._change_deficit(deficit, remaining)

    def posted(self, totals: Sequence[Total]) -> PartitionEntries:
        """What was posted; AssertionError when a balance is below zero or totals are not what was posted."""
        assert all(balance >= 0 for balance in self._balances.values()), "no batch is overdrawn"  # noqa: S101
        deficit_entries = self._deficit_entries(totals)
        difference = exact_total(total.difference for total in totals)
        credited = exact_total(entry.amount for entry in self._entries)
        deficit_amount = exact_total(entry.amount for entry in deficit_entries)
        net_amount = EXACT.subtract(credited, deficit_amount)
        assert net_amount == difference, "entries less deficits are the difference"  # noqa: S101
        still_open = tuple(deficit for deficit in self._deficits.values() if deficit.amount)
        return PartitionEntries(tuple(self._entries), deficit_entries, still_open)

    def _deficit_entries(self, totals: Sequence[Total]) -> tuple[DeficitEntry, ...]:
        """Return by poster, run and instant the sum of entries beyond the run's total."""
        beyond: dict[tuple[Key, Key, datetime], Decimal] = {}
        for total in totals:
            for moment, amount in total.difference_by_moment.items():
                beyond[total.batch, total.run, moment] = EXACT.minus(amount)
        for entry in self._entries:
            key = entry.posted_by, entry.run, entry.effective_at
            beyond[key] = EXACT.add(beyond.get(key, ZERO), entry.amount)
        return tuple(
            DeficitEntry(self._ledger, run, posted_by, amount, moment)
            for (posted_by, run, moment), amount in beyond.items()
            if amount
        )

    def _be_short(self, run: Key, amount: Decimal, since: datetime) -> None:
        deficit_before = self._deficits.get(run, Deficit(run, since, ZERO))
        self._change_deficit(replace(deficit_before, end=max(deficit_before.end, since)), amount)
        self._gave_way.append(run)

    def _settle(self, deficit: Deficit, run_credits: deque[Entry]) -> None:
        remaining = deficit.amount
        while remaining and run_credits:
            entry = run_credits.popleft()
            available = min(entry.amount, self._balances[entry.batch])
            amount = min(remaining, available)
            if amount < available:
                run_credits.appendleft(replace(entry, amount=EXACT.subtract(entry.amount, amount)))
            at = max(deficit.end, self._ends[entry.batch])
            self._take(deficit.run, Taken(entry.batch, amount, at), entry.posted_by)
            self._change_deficit(self._deficits[deficit.run], EXACT.minus(amount))
            remaining = EXACT.subtract(remaining, amount)

    def _release(self, run: Key, batch: Key, at_most: dict[Key, Decimal] | None = None) -> bool:
        """Release others for what a batch of a run holds; say whether any was."""
        end, was_released = self._ends[batch], False
        posted_by = self._returned_by.get(batch, self._poster)
        for taking in order_latest_first(self._taken[run], end):
            amount = min(self._balances[batch], taking.amount)
            if at_most is not None:
                amount = min(amount, at_most.get(taking.batch, ZERO))
                at_most[taking.batch] = EXACT.subtract(at_most.get(taking.batch, ZERO), amount)
            if self._run_of.get(taking.batch) != run and amount > 0:
                was_released = True
                self._give_back(run, taking, amount, posted_by)
                self._take(run, Taken(batch, amount, end), posted_by)
        return was_released

    def _fall(self, total: Total, batch: Key, remaining: Decimal) -> Decimal:
        part = min(remaining, self._balances[batch])
        at = max(total.end, self._ends[batch])
        self._take(total.run, Taken(batch, part, at), total.batch)
        return EXACT.subtract(remaining, part)

    def _take(self, run: Key, taking: Taken, posted_by: Key) -> None:
        if taking.amount:
            amount = EXACT.minus(taking.amount)
            self._taken.setdefault(run, []).append(taking)
            self._post(
                Entry(self._ledger, EntryKind.FALL, run, taking.batch, posted_by, amount, taking.effective_at)
            )

    def _give_back(self, run: Key, taking: Taken, amount: Decimal, posted_by: Key) -> None:
        """Give back a part of what was taken, for the moment for which it was."""
        remaining = replace(taking, amount=EXACT.subtract(taking.amount, amount))
        self._taken[run][self._taken[run].index(taking)] = remaining
        self._post(
            Entry(self._ledger, EntryKind.RISE, run, taking.batch, posted_by, amount, taking.effective_at)
        )

    def _post(self, entry: Entry) -> None:
        """Post what is not nothing; a batch is always credited."""
        if entry.amount or entry.kind is EntryKind.CREDIT:
            self._apply(entry)
            self._entries.append(entry)

    def _apply(self, entry: Entry) -> None:
        """Change a balance; what gives can settle deficits."""
        self._balances[entry.batch] = EXACT.add(self._balances[entry.batch], entry.amount)
        if entry.amount > 0:
            self._given.append(entry)

    def _change_deficit(self, deficit: Deficit, amount: Decimal) -> None:
        if amount:
            self._deficits[deficit.run] = replace(deficit, amount=EXACT.add(deficit.amount, amount))


# A timeline: production of a ledger partition less withdrawals from it, at every instant.
#
# A step is an amount that counts from an instant on: a run's total from the end of its slot, a withdrawal,
# negative, from its effective time. The amount available from an instant on is the lowest
# balance of the timeline from there on: a later credit never hides an earlier deficit.
#
# Worked example, in tonnes. January produced 5, of which 5 were drawn in February; then January turned out
# to be 0 and March produced 8:
#
#     steps: 0 at the end of January, -5 at the end of February, 8 at the end of March
#     at the end of February it is -5, at the end of March 3; its lowest from the end of January on is -5
#
# Invariant: `lowest_from(t)` is the minimum of `at` over t and every later moment. Both, and a new step,
# take a time that grows with the logarithm of the number of moments.


class Timeline:
    """The sum of all steps up to each moment, with its lowest point from any moment on."""

    def __init__(
        self,
        steps: Mapping[datetime, Decimal],
        instants: Iterable[datetime] = (),
        opening: Decimal = ZERO,
    ) -> None:
        """Opening is the balance before the first step; naming instants that will have steps saves time."""
        self._opening = opening
        self._moments = sorted({*steps, *instants})
        self._build([steps.get(moment, ZERO) for moment in self._moments])

    def at(self, moment: datetime) -> Decimal:
        """Return the balance at an instant; a step counts at its own."""
        index = bisect_right(self._moments, moment) - 1
        if index < 0:
            return self._opening
        node = self._leaves + index
        total = self._sums[node]
        while node > 1:
            if node % 2:
                total = EXACT.add(total, self._sums[node - 1])
            node //= 2
        return EXACT.add(self._opening, total)

    def lowest_from(self, moment: datetime) -> Decimal:
        """Return the lowest balance at an instant or at any later one."""
        index = bisect_right(self._moments, moment) - 1
        if index < 0:
            lowest = EXACT.add(self._opening, self._lows[1]) if self._moments else self._opening
            return min(self._opening, lowest)
        node = self._leaves + index
        sum_before, total, low = self._opening, self._sums[node], self._lows[node]
        while node > 1:
            if node % 2:
                sum_before = EXACT.add(sum_before, self._sums[node - 1])
            else:
                low = min(low, EXACT.add(total, self._lows[node + 1]))
                total = EXACT.add(total, self._sums[node + 1])
            node //= 2
        return EXACT.add(sum_before, low)

    def add(self, moment: datetime, amount: Decimal) -> None:
        """Let an amount count from a moment on."""
        index = bisect_right(self._moments, moment) - 1
        if index < 0 or self._moments[index] != moment:
            self._moments.insert(index + 1, moment)
            steps = self._sums[self._leaves : self._leaves + len(self._moments) - 1]
            self._build([*steps[: index + 1], ZERO, *steps[index + 1 :]])
            index += 1
        node = self._leaves + index
        self._sums[node] = self._lows[node] = EXACT.add(self._sums[node], amount)
        while node > 1:
            node //= 2
            self._join(node)

    def steps(self) -> list[tuple[datetime, Decimal]]:
        """Return each instant of a change, and the balance from it on."""
        balance = self._opening
        changes = []
        for index, moment in enumerate(self._moments):
            if step := self._sums[self._leaves + index]:
                balance = EXACT.add(balance, step)
                changes.append((moment, balance))
        return changes

    def _build(self, steps: list[Decimal]) -> None:
        """Make the tree: of each node the sum of its steps, and the lowest of their running sums."""
        self._leaves = 1 << max(0, len(steps) - 1).bit_length()
        padded = [*steps, *[ZERO] * (self._leaves - len(steps))]
        self._sums = [ZERO] * self._leaves + padded
        self._lows = list(self._sums)
        for node in range(self._leaves - 1, 0, -1):
            self._join(node)

    def _join(self, node: int) -> None:
        left, right = 2 * node, 2 * node + 1
        self._sums[node] = EXACT.add(self._sums[left], self._sums[right])
        self._lows[node] = min(self._lows[left], EXACT.add(self._sums[left], self._lows[right]))
