"""The lots of a pool: what each source has left, who holds how much of it, and which sources match a need."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Final

from weighbridge.core.ledger.allocation import Account
from weighbridge.core.ledger.drawing import NOW, Drawer, Lot, Match, Move, Released, SourceBatch
from weighbridge.core.ledger.pool.obtainable import Releases
from weighbridge.core.quantity.number import EXACT, ZERO, exact_total
from weighbridge.core.time.instant import Interval

# Free amounts: what each source has left while a generation draws.
#
# What is given back to a run that took of others' batches in its place becomes free there instead, which
# may be of a run that took of others itself; so it goes on until no run has something free that owes to
# others.
#
# Invariant: what is put back and reclaimed again leaves everything as it was, if nobody took of it
# meanwhile.


class FreeAmounts:
    """What each source has left, by its number."""

    def __init__(
        self,
        sources: Mapping[int, SourceBatch],
        releases: Releases,
        changed: Callable[[int, Decimal], None],
    ) -> None:
        """Tell `changed` by how much the amount of a source changed."""
        self._sources, self._releases, self._changed = sources, releases, changed
        self.amounts = {number: batch.balance for number, batch in sources.items()}
        """By source; it changes."""

    def settle(self) -> None:
        """Release what runs owe to others for what they have: a deletion gave back to them."""
        for number, batch in self._sources.items():
            if self._releases.owes(batch.run):
                there, self.amounts[number] = self.amounts[number], ZERO
                self.put_back(number, there)

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

    def reclaim(self, source: int, needed: Decimal, waiting: Iterable[int] = ()) -> None:
        """Let so much be free of a source, as far as its run can take of others again what it repaid them."""
        run, waiting = self._sources[source].run, {*waiting, source}
        for batch, repaid in self._releases.repaid(run):
            part = min(repaid, max(ZERO, EXACT.subtract(needed, self.amounts[source])))
            if batch is not None:
                if part and batch not in waiting:
                    self.reclaim(batch, part, waiting)
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
# Invariants: amounts are above zero; lots of a drawer stand in the order in which they were drawn.


ACTS_MAX: Final = 20
"""How often the runs of one generation are gone through at most."""

LotKey = tuple[int, int, datetime]
"""Act, source, and the moment for which it counts."""


class HeldLots:
    """Who holds what."""

    def __init__(
        self,
        sources: Mapping[int, SourceBatch],
        held: Mapping[Drawer, Sequence[Lot]],
    ) -> None:
        """Sources come in their order."""
        self._sources = sources
        self._rank = rank = {source: position for position, source in enumerate(sources)}
        self._held: dict[Drawer, dict[LotKey, Decimal]] = {}
        self._of_slot: dict[Interval, set[Drawer]] = {}
        self._act = NOW
        for drawer, lots in held.items():
            self._of_slot.setdefault(drawer.slot, set()).add(drawer)
            drawn = sorted(lots, key=lambda lot: (lot.act, rank[lot.source]))
            self._held[drawer] = {
                (lot.act, lot.source, lot.effective_at or self._moment(drawer, lot.source)): lot.amount
                for lot in drawn
            }
        self._before = self._last = self._by_drawer()

    def drawers(self) -> list[Drawer]:
        """Everyone who holds something."""
        return [drawer for drawer, lots in self._held.items() if lots]

    def begin_again(self) -> bool:
        """Begin a new act, as a further generation would; say whether the last moved anything.

        After `ACTS_MAX` it never says so: what somebody needs may depend on what others hold without end.
        """
        last, self._last = self._last, self._by_drawer()
        self._act += 1
        for drawer, lots in self._held.items():
            drawn = sorted(lots.items(), key=lambda lot: (lot[0][0], self._rank[lot[0][1]]))
            self._held[drawer] = dict(drawn)
        return self._last != last and self._act < NOW + ACTS_MAX

    def of_slot(self, slot: Interval) -> list[Drawer]:
        """The drawers of a slot that hold something, in order."""
        return sorted((one for one in self._of_slot.get(slot, ()) if self._held.get(one)), key=order)

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
        held: dict[int, Decimal] = {}
        for (_, source, _), amount in self.lots(drawer).items():
            held[source] = EXACT.add(held.get(source, ZERO), amount)
        return {source: held[source] for source in sorted(held, key=self._rank.__getitem__)}

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
        held: dict[tuple[int, datetime], Decimal] = {}
        for (_, source, moment), amount in self.lots(drawer).items():
            held[source, moment] = EXACT.add(held.get((source, moment), ZERO), amount)
        return held

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

    def __init__(self, ordered: Sequence[SourceBatch]) -> None:
        self._ordered = ordered
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
