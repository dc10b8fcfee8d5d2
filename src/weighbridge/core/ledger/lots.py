"""The lots of a pool: what each source has left, who holds how much of it, and what can be had in total.

First what can be had of a ledger: what is free, and what those hold whose turn is still to come. Sources are
added up as slots go by, so that every slot adds only what it sees more; what changes meanwhile is carried in.
What can be had of an account is no more than the room that it has.

Then the lots themselves, and which sources match a need.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Final

from weighbridge.core.ledger.allocation import Account
from weighbridge.core.ledger.drawing import (
    NOW,
    Drawer,
    Lot,
    Match,
    Move,
    Released,
    RunKey,
    SourceBatch,
    SourceRun,
    Standing,
)
from weighbridge.core.ledger.posting import Timeline
from weighbridge.core.number import EXACT, ZERO, exact_total
from weighbridge.core.time.calendar import Interval

# Releases: what becomes free elsewhere when a batch is given back what its run no longer comes to.
#
# When a run's total falls while its batches are drawn, its falls take from other batches of its partition.
# What is given back to its own batches then does not stay there: the others are released instead.
# `posting.py` posts that; here it is worked out while a generation draws.
#
# What nothing was taken for is what the run is short of, and settles that.
#
# Invariant: no more is released than was taken.


_Owed = tuple[int | None, Decimal]
"""A batch of which was taken, or None for what the run is short of."""


class Releases:
    """What each run is overdrawn by, what it still has taken of others, and what it is short of."""

    def __init__(self, runs: Mapping[RunKey, SourceRun]) -> None:
        self._excess = {number: EXACT.subtract(run.drawn, run.total) for number, run in runs.items()}
        self._owed: dict[RunKey, list[_Owed]] = {
            number: [*run.taken, (None, run.short)] for number, run in runs.items()
        }
        self._repaid: dict[RunKey, list[_Owed]] = {}

    def excess(self, run: RunKey | None) -> Decimal:
        """What is drawn of a run's batches beyond what the run comes to."""
        return ZERO if run is None else max(ZERO, self._excess.get(run, ZERO))

    def draw(self, run: RunKey | None, amount: Decimal) -> None:
        """Note what is drawn of a run; a negative amount is given back, or not to be counted yet."""
        if run is not None and run in self._excess:
            self._excess[run] = EXACT.add(self._excess[run], amount)

    def owes(self, run: RunKey | None) -> bool:
        """Whether a run took of others' batches or is short of something."""
        return run in self._owed

    @property
    def released(self) -> Mapping[RunKey, Mapping[int, Decimal]]:
        """By run, what was repaid of others' batches and is not owed again."""
        released: dict[RunKey, dict[int, Decimal]] = {}
        for run, repaid in self._repaid.items():
            for batch, amount in repaid:
                if batch is not None and amount:
                    of_run = released.setdefault(run, {})
                    of_run[batch] = EXACT.add(of_run.get(batch, ZERO), amount)
        return released

    def repay(self, run: RunKey | None, amount: Decimal) -> list[_Owed]:
        """What becomes of an amount that is given back to a batch of a run: of others' first, then its own.

        What is said to go to no batch settles what the run is short of.
        """
        if run is None or run not in self._owed:
            return []
        owed_batches, repaid = self._owed[run], []
        for index, (batch, owed_amount) in enumerate(owed_batches):
            if part := min(amount, owed_amount):
                owed_batches[index] = batch, EXACT.subtract(owed_amount, part)
                amount = EXACT.subtract(amount, part)
                repaid.append((batch, part))
        self._repaid.setdefault(run, []).extend(repaid)
        return repaid

    def repaid(self, run: RunKey | None) -> list[_Owed]:
        """What a run repaid and may take again, the last first."""
        return [] if run is None else self._repaid.get(run, [])[::-1]

    def owe_again(self, run: RunKey | None, batch: int | None, amount: Decimal) -> None:
        """Note that a run takes of a batch again what it repaid last of it."""
        if run is None or not amount:
            return
        repaid = self._repaid[run]
        index = max(
            index
            for index, repayment in enumerate(repaid)
            if repayment[0] == batch and repayment[1] >= amount
        )
        repaid[index] = batch, EXACT.subtract(repaid[index][1], amount)
        self._owed[run].append((batch, amount))


# Room: how much may be drawn of each account, from which moment on, while a generation is worked out.
#
# A draw that counts from a moment on is granted only as far as what was produced, less what was drawn,
# stays at or above zero at that moment and at every later one. What runs hold whose turn is still to come
# counts as drawn, but can be had: it is lent.
#
# Invariant: drawing and giving back the same leaves everything as it was.


UNBOUNDED: Final = Decimal("Infinity")
"""The room of an account of which nothing is known."""


class Room:
    """The timelines of the accounts, with and without what is lent."""

    def __init__(
        self,
        standings: Mapping[Account, Standing],
        instants: Iterable[datetime],
    ) -> None:
        """Moments are those for which draws may count."""
        known_instants = list(instants)
        self._standing = {
            account: Timeline(standing.steps, known_instants, standing.opening)
            for account, standing in standings.items()
        }
        self._firm = {
            account: Timeline(standing.steps, known_instants, standing.opening)
            for account, standing in standings.items()
        }

    def of(self, account: Account, moment: datetime) -> Decimal:
        """Return the amount available from an instant on."""
        timeline = self._standing.get(account)
        return UNBOUNDED if timeline is None else max(ZERO, timeline.lowest_from(moment))

    def with_lent(self, account: Account, moment: datetime) -> Decimal:
        """What may be drawn from a moment on if all that is lent is taken over."""
        timeline = self._firm.get(account)
        return UNBOUNDED if timeline is None else max(ZERO, timeline.lowest_from(moment))

    def draw(self, account: Account, moment: datetime, amount: Decimal) -> None:
        """Let a draw count; a negative amount is given back."""
        if timeline := self._standing.get(account):
            timeline.add(moment, EXACT.minus(amount))

    def firm(self, account: Account, moment: datetime, amount: Decimal) -> None:
        """Add to what can be had with all that is lent; a negative amount is lent no more."""
        if timeline := self._firm.get(account):
            timeline.add(moment, amount)


class Obtainable:
    """The sums over the first sources of one ledger, account by account."""

    def __init__(
        self,
        shelf: Sequence[SourceBatch],
        until: datetime,
        free: Callable[[int], Decimal],
        lent: Callable[[int], Decimal],
    ) -> None:
        self._shelf, self._free, self._lent = shelf, free, lent
        self._count = 0
        self._sums: dict[Account, Decimal] = {}
        self._last: list[SourceBatch] = []
        self.until = until
        self.move_on(until)

    def move_on(self, until: datetime) -> None:
        """See the sources that start before a later moment, too."""
        while self._count < len(self._shelf) and self._shelf[self._count].slot.start < until:
            batch = self._shelf[self._count]
            self._add(batch.account, self._there(batch.number))
            self._last.append(batch)
            self._count += 1
        # Their draws count for later moments than the slot's own.
        self._last = [batch for batch in self._last if batch.slot.end > until]
        self.until = until

    def change(self, batch: SourceBatch, amount: Decimal) -> None:
        """Carry in a change of what can be had of a source."""
        if batch.slot.start < self.until:
            self._add(batch.account, amount)

    def total(self, room: Room) -> Decimal:
        """What can be had in all, from the moment on until which sources are seen."""
        return exact_total(
            self._of_account(room, account, amount) for account, amount in self._sums.items() if amount
        )

    def _of_account(self, room: Room, account: Account, amount: Decimal) -> Decimal:
        later_batches = [
            (batch, self._there(batch.number)) for batch in self._last if batch.account == account
        ]
        amount = EXACT.subtract(amount, exact_total(free_amount for _, free_amount in later_batches))
        had = min(amount, room.with_lent(account, self.until))
        for batch, free_amount in sorted(later_batches, key=lambda entry: entry[0].slot.end):
            remaining = EXACT.subtract(room.with_lent(account, batch.slot.end), had)
            had = EXACT.add(had, max(ZERO, min(free_amount, remaining)))
        return had

    def _there(self, source: int) -> Decimal:
        return EXACT.add(self._free(source), self._lent(source))

    def _add(self, account: Account, amount: Decimal) -> None:
        self._sums[account] = EXACT.add(self._sums.get(account, ZERO), amount)


# Free amounts: what each source has left while a generation draws.
#
# What is given back to a run that took of others' batches in its place becomes free there instead, which
# may be of a run that took of others itself; so it goes on until no run has something free that owes to
# others.
#
# Invariant: what is put back and reclaimed again leaves everything as it was, if no withdrawal took from it
# meanwhile.


class FreeAmounts:
    """What each source has left, by its number."""

    def __init__(
        self,
        sources: Mapping[int, SourceBatch],
        releases: Releases,
        changed: Callable[[int, Decimal], None],
    ) -> None:
        """Report to `changed` by how much the amount of a source changed."""
        self._sources, self._releases, self._changed = sources, releases, changed
        self.amounts = {number: batch.balance for number, batch in sources.items()}
        """By source; it changes."""

    def settle(self) -> None:
        """Release what runs owe to others for what they have: a deletion gave back to them."""
        for number, batch in self._sources.items():
            if self._releases.owes(batch.run):
                free_amount, self.amounts[number] = self.amounts[number], ZERO
                self.put_back(number, free_amount)

    def of(self, source: int) -> Decimal:
        """What a source has left."""
        return self.amounts[source]

    def change(self, source: int, amount: Decimal) -> None:
        """Let a source have more, or less."""
        self.amounts[source] = EXACT.add(self.amounts[source], amount)
        self._changed(source, amount)

    def put_back(self, source: int, amount: Decimal) -> None:
        """Let an amount be free again: where the source's run took from others instead, of those."""
        for batch, repaid in self._releases.repay(self._sources[source].run, amount):
            amount = EXACT.subtract(amount, repaid)
            if batch is not None:
                self.put_back(batch, repaid)
        self.change(source, amount)

    def reclaim(self, source: int, needed: Decimal, waiting_sources: Iterable[int] = ()) -> None:
        """Let so much be free of a source, as far as its run can take of others again what it repaid them."""
        run, waiting_sources = self._sources[source].run, {*waiting_sources, source}
        for batch, repaid in self._releases.repaid(run):
            part = min(repaid, max(ZERO, EXACT.subtract(needed, self.amounts[source])))
            if batch is not None:
                if part and batch not in waiting_sources:
                    self.reclaim(batch, part, waiting_sources)
                part = min(part, self.amounts[batch])
                self.change(batch, EXACT.minus(part))
            self._releases.owe_again(run, batch, part)
            self.change(source, part)

    @property
    def released(self) -> Mapping[Account, Released]:
        """By account and run that took of others' batches, what became free of these instead of its own."""
        released: dict[Account, dict[int, Mapping[int, Decimal]]] = {}
        for (_, run), batches in self._releases.released.items():
            account = self._sources[next(iter(batches))].account
            released.setdefault(account, {})[run] = batches
        return released


# Held lots: what drawers hold of sources, act by act, and what has moved since before.
#
# Invariants: amounts are above zero; lots of a drawer are in the order in which they were drawn.


ACTS_MAX: Final = 20
"""How often the runs of one generation are gone through at most."""

LotKey = tuple[int, int, datetime]
"""Act, source, and the moment for which it counts."""


class HeldLots:
    """Who holds what."""

    def __init__(
        self,
        sources: Mapping[int, SourceBatch],
        held_lots: Mapping[Drawer, Sequence[Lot]],
    ) -> None:
        """Sources come in their order."""
        self._sources = sources
        self._rank = rank = {source: position for position, source in enumerate(sources)}
        self._held: dict[Drawer, dict[LotKey, Decimal]] = {}
        self._of_slot: dict[Interval, set[Drawer]] = {}
        self._act = NOW
        for drawer, lots in held_lots.items():
            self._of_slot.setdefault(drawer.slot, set()).add(drawer)
            sorted_lots = sorted(lots, key=lambda lot: (lot.act, rank[lot.source]))
            self._held[drawer] = {
                (lot.act, lot.source, lot.effective_at or self._moment(drawer, lot.source)): lot.amount
                for lot in sorted_lots
            }
        self._before = self._last = self._by_drawer()

    def drawers(self) -> list[Drawer]:
        """Everyone who holds something."""
        return [drawer for drawer, lots in self._held.items() if lots]

    def begin_again(self) -> bool:
        """Begin a new act, as a further generation would; say whether the last moved anything.

        After `ACTS_MAX` it is never true, because needs may depend on each other without end.
        """
        last, self._last = self._last, self._by_drawer()
        self._act += 1
        for drawer, lots in self._held.items():
            sorted_lots = sorted(lots.items(), key=lambda lot: (lot[0][0], self._rank[lot[0][1]]))
            self._held[drawer] = dict(sorted_lots)
        return self._last != last and self._act < NOW + ACTS_MAX

    def of_slot(self, slot: Interval) -> list[Drawer]:
        """The drawers of a slot that hold something, in order."""
        return sorted((drawer for drawer in self._of_slot.get(slot, ()) if self._held.get(drawer)), key=order)

    def lots(self, drawer: Drawer) -> Mapping[LotKey, Decimal]:
        """What a drawer holds, in the order in which it was drawn."""
        return self._held.get(drawer, {})

    def lots_of(self, drawer: Drawer, source: int) -> list[LotKey]:
        """What a drawer holds of one source, in the order in which it was drawn."""
        return [lot for lot in self.lots(drawer) if lot[1] == source]

    def total(self, drawer: Drawer) -> Decimal:
        """What a drawer holds in all."""
        return exact_total(self.lots(drawer).values())

    def by_source(self, drawer: Drawer) -> dict[int, Decimal]:
        """What a drawer holds of each source, in the order of sources."""
        amounts: dict[int, Decimal] = {}
        for (_, source, _), amount in self.lots(drawer).items():
            amounts[source] = EXACT.add(amounts.get(source, ZERO), amount)
        return {source: amounts[source] for source in sorted(amounts, key=self._rank.__getitem__)}

    def take(self, drawer: Drawer, source: int, amount: Decimal) -> datetime:
        """Let a drawer hold more of a source from now on; give the moment for which that counts."""
        moment = self._moment(drawer, source)
        self._of_slot.setdefault(drawer.slot, set()).add(drawer)
        lots = self._held.setdefault(drawer, {})
        lot = self._act, source, moment
        lots[lot] = EXACT.add(lots.get(lot, ZERO), amount)
        return moment

    def give_back(self, drawer: Drawer, lot: LotKey, amount: Decimal) -> None:
        """Let a drawer hold less of a lot."""
        lots = self._held[drawer]
        lots[lot] = EXACT.subtract(lots[lot], amount)
        if not lots[lot]:
            del lots[lot]

    def redate(self, drawer: Drawer, can_count: Callable[[LotKey, Decimal, datetime], bool]) -> None:
        """Let what a drawer holds count for the moments that the two slots' ends give now, where it can."""
        lots = self.lots(drawer)
        self._held[drawer] = {}
        for lot, amount in lots.items():
            act, source, moment = lot
            now = self._moment(drawer, source)
            moves = now != moment and can_count(lot, amount, now)
            dated = (act, source, now if moves else moment)
            self._held[drawer][dated] = EXACT.add(self._held[drawer].get(dated, ZERO), amount)

    def moved(self) -> dict[Drawer, list[Move]]:
        """What each drawer took of a source or gave back, for each moment, in the order of sources."""
        return {
            drawer: moves
            for drawer in sorted(self._before.keys() | self._held.keys(), key=order)
            if (moves := self._moves(drawer))
        }

    def _moves(self, drawer: Drawer) -> list[Move]:
        before, after = self._before.get(drawer, {}), self._by_move(drawer)
        return [
            Move(self._sources[source], moment, amount)
            for source, moment in sorted(
                before.keys() | after.keys(), key=lambda key: (self._rank[key[0]], key[1])
            )
            if (
                amount := EXACT.subtract(
                    after.get((source, moment), ZERO), before.get((source, moment), ZERO)
                )
            )
        ]

    def _by_drawer(self) -> dict[Drawer, dict[tuple[int, datetime], Decimal]]:
        return {drawer: self._by_move(drawer) for drawer in self.drawers()}

    def _by_move(self, drawer: Drawer) -> dict[tuple[int, datetime], Decimal]:
        amounts: dict[tuple[int, datetime], Decimal] = {}
        for (_, source, moment), amount in self.lots(drawer).items():
            amounts[source, moment] = EXACT.add(amounts.get((source, moment), ZERO), amount)
        return amounts

    def _moment(self, drawer: Drawer, source: int) -> datetime:
        return drawer.moment(self._sources[source])


def order(drawer: Drawer) -> tuple[object, ...]:
    """By what drawers are ordered."""
    return drawer.order


# Shelves: the sources of a ledger that have the tags that a need matches, in the order of drawing.
#
# Invariant: a shelf has every source of its ledger and tags once, in the order of sources.


class Shelves:
    """Sources by ledger and tags; sorted once, and walked through from the first that is not used up."""

    def __init__(self, sorted_sources: Sequence[SourceBatch]) -> None:
        self._ordered = sorted_sources
        self._shelves: dict[tuple[int, Match], list[SourceBatch]] = {}
        self._cut_by: set[tuple[int, tuple[str, ...]]] = set()
        self._first: dict[tuple[int, Match], int] = {}

    def of(self, ledger: int, match: Match) -> Sequence[SourceBatch]:
        """The sources of a ledger with these tags, in order."""
        dimensions = tuple(dimension for dimension, _ in match)
        if (ledger, dimensions) not in self._cut_by:
            self._cut_by.add((ledger, dimensions))
            for batch in self._ordered:
                if batch.ledger == ledger:
                    tags = tuple((name, getattr(batch.partition, name)) for name in dimensions)
                    self._shelves.setdefault((ledger, tags), []).append(batch)
        return self._shelves.get((ledger, match), [])

    def holding(
        self, ledger: int, match: Match, until: datetime, free: Mapping[int, Decimal]
    ) -> Iterator[SourceBatch]:
        """Those that start before a moment and have something free, in order."""
        shelf = self.of(ledger, match)
        first = self._first.get((ledger, match), 0)
        # What is used up at the head of a shelf is not looked at again until something returns.
        while first < len(shelf) and not free[shelf[first].number]:
            first += 1
        self._first[ledger, match] = first
        for batch in islice(shelf, first, None):
            if batch.slot.start >= until:
                return
            if free[batch.number]:
                yield batch

    def something_returned(self) -> None:
        """What was used up may not be."""
        self._first.clear()
