"""Runs that draw come to rest: needs that were met once are met by the same draws ever after.

Here a ledger is posted to and drawn from as a generation does it, without a database: totals rise and fall,
other runs draw, and what moved is posted. What is drawn a second time for the same needs must be nothing.
"""

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as some

from weighbridge.core.ledger.allocation import Account, Partition
from weighbridge.core.ledger.drawing import (
    Drawer,
    DrawOrder,
    Lot,
    Need,
    SourceBatch,
    SourceBooks,
    SourceRun,
    Standing,
)
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.ledger.posting import (
    BatchBalance,
    Entry,
    EntryKind,
    PartitionBooks,
    Taken,
    Total,
    order_latest_first,
    post,
)
from weighbridge.core.time.calendar import Interval

LEDGER = 7
ACCOUNT = Account(LEDGER, Partition())


def day(number):
    start = datetime(2025, 1, 1, tzinfo=UTC) + number * timedelta(days=1)
    return Interval(start, start + timedelta(days=1))


def drawer(number):
    return Drawer(day(number), Partition(), "drawn")


class Works:
    """A ledger with one partition, whose runs are named by their days, and those who draw from it."""

    def __init__(self, order):
        self.order = order
        self.day_of_batch = []
        self.totals = {}
        self.entries = []
        self.acts = []
        self.deficits = {}

    def produce(self, totals):
        """Let runs come to what they come to by now."""
        posts = []
        for number, total in sorted(totals.items()):
            self.day_of_batch.append(number)
            posted = {day(number).end: self.totals[number]} if number in self.totals else {}
            batch = len(self.day_of_batch) - 1
            posts.append(Total(number, batch, day(number).end, Decimal(total), posted))
            self.totals[number] = Decimal(total)
        self._post(posts, [])

    def generate(self, needs):
        """Let the runs of days draw what they need; give what moved, or None when one finds too little."""
        pool = self._pool()
        while True:
            for number, amount in sorted(needs.items()):
                need = Need(LEDGER, 0, Decimal(amount), day(number).end, self.order)
                if pool.draw(drawer(number), need):
                    return None
            if not pool.begin_again():
                break
        moved = pool.moved()
        draws = [
            Entry(
                LEDGER, EntryKind.DRAW if move.amount > 0 else EntryKind.RETURN, who, move.source.number,
                "poster", -move.amount, move.effective_at, who.node,
            )
            for who, moves in moved.items() for move in moves
        ]  # fmt: skip
        self._post([], draws, pool.released.get(ACCOUNT))
        return {who: [(one.source.number, one.amount) for one in moves] for who, moves in moved.items()}

    def standing(self, until):
        """What is produced less drawn by the end of each day."""
        return [
            sum(total for number, total in self.totals.items() if number <= last)
            + sum(one.amount for one in self._draws() if one.effective_at <= day(last).end)
            for last in range(until)
        ]

    def _post(self, totals, draws, released=None):
        batches = [
            BatchBalance(batch, number, day(number).end, self._balance(batch))
            for batch, number in sorted(enumerate(self.day_of_batch), key=lambda item: (item[1], item[0]))
        ]
        books = PartitionBooks(LEDGER, batches, list(self.deficits.values()), self._taken(), released or {})
        posted = post(books, totals, draws)
        self.entries += [*draws, *posted.entries]
        self.acts += [len(self.acts)] * len(draws)
        self.deficits = {one.run: one for one in posted.deficits}

    def _pool(self):
        taken = self._taken()
        batches = [
            SourceBatch(
                batch, LEDGER, day(number), "", Partition(), self._balance(batch), run=(LEDGER, number)
            )
            for batch, number in enumerate(self.day_of_batch)
        ]
        fallen = {one.run for one in self.entries if one.kind is EntryKind.FALL} | self.deficits.keys()
        runs = {
            (LEDGER, number): SourceRun(
                self.totals[number],
                -sum(one.amount for one in self._draws() if self.day_of_batch[one.batch] == number),
                [
                    (one.batch, one.amount)
                    for one in order_latest_first(taken.get(number, ()), day(number).end)
                    if self.day_of_batch[one.batch] != number
                ],
                self.deficits[number].amount if number in self.deficits else Decimal(0),
            )
            for number in fallen
        }  # fmt: skip
        held = self._held()
        return Pool(batches, held, held, SourceBooks({ACCOUNT: self._standing()}, runs))

    def _standing(self):
        steps = defaultdict(Decimal)
        for number, total in self.totals.items():
            steps[day(number).end] += total
        for one in self._draws():
            steps[one.effective_at] += one.amount
        return Standing(Decimal(0), steps)

    def _held(self):
        held = defaultdict(list)
        for one, act in zip(self._draws(), self.acts, strict=True):
            lots, left = held[one.run], one.amount
            while left > 0:
                position = max(i for i, lot in enumerate(lots) if lot.source == one.batch)
                back = min(left, lots[position].amount)
                lot = lots.pop(position)
                if lot.amount > back:
                    lots.insert(position, Lot(lot.source, lot.amount - back, lot.act, lot.effective_at))
                left -= back
            if one.amount < 0:
                lots.append(Lot(one.batch, -one.amount, act, one.effective_at))
        return {who: lots for who, lots in held.items() if lots}

    def _taken(self):
        amounts = defaultdict(Decimal)
        for one in self.entries:
            if one.kind in (EntryKind.FALL, EntryKind.RISE):
                amounts[one.run, one.batch, one.effective_at] -= one.amount
        taken = defaultdict(list)
        for (run, batch, moment), amount in amounts.items():
            if amount > 0:
                taken[run].append(Taken(batch, amount, moment))
        return taken

    def _draws(self):
        return [one for one in self.entries if one.node]

    def _balance(self, batch):
        return sum((one.amount for one in self.entries if one.batch == batch), Decimal(0))


DAYS = 6
days = some.integers(0, DAYS - 1)
amounts = some.dictionaries(days, some.integers(-3, 8), min_size=1, max_size=DAYS)
needs = some.dictionaries(days, some.integers(0, 6), min_size=1, max_size=DAYS)


@given(some.sampled_from(DrawOrder), some.lists(some.tuples(amounts, needs), min_size=1, max_size=5))
def test_the_same_needs_again_move_nothing_whatever_fell_since(order, chapters):
    works = Works(order)
    needed = {}
    for totals, more in chapters:
        works.produce(totals)
        needed |= more
        if works.generate(needed) is not None:
            assert works.generate(needed) == {}
