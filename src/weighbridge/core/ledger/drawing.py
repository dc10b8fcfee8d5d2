"""Drawing takes amounts from the batches of source ledgers for the nodes of the runs that need them.

A pool is what a generation finds: the balance of every source, and what its own runs hold already. It is
threaded through the runs in the order of slot, node and partition, so a later run sees what an earlier one
took. A run keeps what it holds; it adds when it needs more and gives back what it drew last when it needs
less. A run that finds too little may take over what runs after it hold, which then draw anew.

Invariants: nothing is drawn that is not there; what a node draws sums to its amount to the last digit;
the same need again moves nothing; sources are ordered by slot, tracking id and partition, by number
only where one run made several batches.

Worked example, in tonnes. The batches of a source ledger have left: January 0, February 3, March 6. From
earlier generations the run of April holds 10 of January and the run of May 5 of February. Both are computed
again, so both are lenders until it is their turn.

1. April needs 14. It keeps its 10 and lacks 4: 3 of February and 1 of March are free, the oldest first.
   March has 5 left.
2. May needs 4 and holds 5. It gives back 1 of February, which it drew last.
3. What has moved is posted: April draws 3 of February and 1 of March, May returns 1 of February. The same
   needs over what is held then move nothing.

Had April needed 20, it would have taken all 9 that are free and 1 of February over from May, which is left
with 4, just what it needs. Had it drawn its 4 in proportion, 3 : 6 at whole tonnes would have been 1.33 and
2.67; cut to 1 and 2, the tonne left over goes to the larger remainder: 1 of February and 3 of March.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Final

from weighbridge.core.ledger.allocation import divide, divide_evenly
from weighbridge.core.ledger.draw_order import DrawOrder, parts_taken
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.quantity.number import EXACT, exact_total
from weighbridge.core.quantity.unit import Unit
from weighbridge.core.time.cadence import EventSlot
from weighbridge.core.time.instant import Interval

ZERO: Final = Decimal(0)

Match = tuple[tuple[str, str | None], ...]
"""Dimensions of a partition, and the value that a source must have there."""

_Shelf = tuple[int, Match]

NOW: Final = 2**63 - 1
"""The act of what is drawn in this generation, after all acts before it."""


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """A batch of a source ledger: where it stands, and what it has left."""

    number: int
    ledger: int
    slot: Interval
    tracking_id: str
    partition: Partition
    balance: Decimal
    attributes: Mapping[str, tuple[Decimal, Unit]] = field(default_factory=dict)
    """What its run came to, by output."""

    @property
    def order(self) -> tuple[object, ...]:
        """By what sources are ordered."""
        tags = (self.partition.tracking_id, self.partition.feedstock, self.partition.asset)
        return self.slot.start, self.slot.end, self.tracking_id, *(tag or "" for tag in tags), self.number


@dataclass(frozen=True, slots=True)
class Drawer:
    """A node of a run: who draws."""

    slot: Interval
    partition: Partition
    node: str

    @property
    def order(self) -> tuple[object, ...]:
        """By what drawers are ordered: slot, partition, node."""
        tags = (self.partition.tracking_id, self.partition.feedstock, self.partition.asset)
        identity = self.slot.identity if isinstance(self.slot, EventSlot) else (0, "")
        return self.slot.start, self.slot.end, *(tag or "" for tag in tags), self.node, *identity


@dataclass(frozen=True, slots=True)
class Lot:
    """What a drawer took from one source in one act; the numbers of acts grow with time."""

    source: int
    amount: Decimal
    act: int = NOW
    effective_at: datetime | None = None
    """The moment that it counts for; None of what is drawn in this generation."""


@dataclass(frozen=True, slots=True)
class Need:
    """What a drawer asks for: an amount in the ledger's unit, of sources of which it may draw."""

    ledger: int
    scale: int
    amount: Decimal
    until: datetime
    """The moment before which the slot of a source must start."""
    order: DrawOrder = DrawOrder.FIFO
    match: Match = ()


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Too little is there: what the drawer needs in all, and what it can have in all."""

    needed: Decimal
    there: Decimal


@dataclass(slots=True)
class _View:
    """The sum over the first sources of a ledger, kept so that every slot adds only what it sees more."""

    until: datetime
    count: int = 0
    total: Decimal = ZERO


class Pool:
    """What may be drawn while one generation is worked out; the one thing here that changes."""

    def __init__(
        self,
        sources: Iterable[SourceBatch],
        held: Mapping[Drawer, Sequence[Lot]],
        lenders: Collection[Drawer] = (),
    ) -> None:
        """Lenders are drawers whose turn is still to come; what was named by hand is never lent."""
        ordered = sorted(sources, key=lambda source: source.order)
        self.sources = {batch.number: batch for batch in ordered}
        self._rank = {batch.number: rank for rank, batch in enumerate(ordered)}
        self._free = {batch.number: batch.balance for batch in ordered}
        self.lots_before = held
        # By act and source, in the order in which they were drawn.
        self._held: dict[Drawer, dict[tuple[int, int], Decimal]] = {}
        self._of_slot: dict[Interval, set[Drawer]] = {}
        for drawer, lots in held.items():
            self._of_slot.setdefault(drawer.slot, set()).add(drawer)
            drawn = sorted(lots, key=lambda lot: (lot.act, self._rank[lot.source]))
            self._held[drawer] = {(lot.act, lot.source): lot.amount for lot in drawn}
        self._before = {drawer: self._by_source(drawer) for drawer in self._held}
        self._lenders = set(lenders) & self._held.keys()
        self._lent_by: dict[int, list[Drawer]] = {}
        for drawer in sorted(self._lenders, key=_order):
            for source in self._before[drawer]:
                self._lent_by.setdefault(source, []).append(drawer)
        self._shelves: dict[_Shelf, list[SourceBatch]] = {}
        self._sorted_by: set[tuple[int, tuple[str, ...]]] = set()
        self._first: dict[_Shelf, int] = {}
        self._views: dict[int, _View] = {}

    def draw(self, drawer: Drawer, need: Need) -> Shortfall | None:
        """Bring what a drawer holds to its need; when too little is there it takes what there is."""
        self.settle(drawer, need.ledger)
        have = self.held(drawer)
        if need.amount < have:
            self._give_back(drawer, EXACT.subtract(have, need.amount), need)
            return None
        missing = EXACT.subtract(need.amount, have)
        if missing > 0:
            missing = self._take_from(drawer, need, missing, self._free_offers(need), self._take)
        if missing > 0:
            missing = self._take_from(drawer, need, missing, self._lent_offers(need), self._take_over)
        return Shortfall(need.amount, EXACT.subtract(need.amount, missing)) if missing else None

    def available(self, ledger: int, slot: Interval) -> Decimal:
        """What the runs of a slot could draw before any of them does, what they hold added back."""
        own = [
            amount
            for drawer in self._of_slot.get(slot, set()) - self._lenders
            for source, amount in self._by_source(drawer).items()
            if self.sources[source].ledger == ledger and self.sources[source].slot.start < slot.end
        ]
        return exact_total([self._obtainable(ledger, slot.end), *own])

    def settle(self, drawer: Drawer, ledger: int) -> None:
        """Take a drawer's turn: it lends no more, and returns what it held of another ledger."""
        self.pin(drawer)
        held = self._held.get(drawer, {})
        for lot in [lot for lot in held if self.sources[lot[1]].ledger != ledger]:
            self._return(drawer, [lot], held[lot])

    def divide(self, source: int, amount: Decimal, drawers: Sequence[Drawer], scale: int) -> bool:
        """Divide an amount of a source that was named by hand evenly; False when that much is not there."""
        if amount > self._free[source]:
            return False
        for drawer, part in zip(drawers, divide_evenly(amount, len(drawers), scale), strict=True):
            if part:
                self._take(drawer, source, part)
        return True

    def free(self, source: int) -> Decimal:
        """What a source has left."""
        return self._free[source]

    def held(self, drawer: Drawer) -> Decimal:
        """What a drawer holds in all."""
        return exact_total(self._held.get(drawer, {}).values())

    def pin(self, drawer: Drawer) -> None:
        """Leave what a drawer holds with it, whatever other runs need: its own run is not made."""
        if drawer in self._lenders:
            self._lenders.remove(drawer)
            for source, amount in self._by_source(drawer).items():
                self._look_again(source, EXACT.minus(amount))

    def release(self, drawer: Drawer) -> None:
        """Give back everything that a drawer holds."""
        self.pin(drawer)
        for (_, source), amount in self._held.pop(drawer, {}).items():
            self._put_back(source, amount)

    def holders(self, slot: Interval) -> list[Drawer]:
        """The drawers of a slot that hold something, in order."""
        holders = [drawer for drawer in self._of_slot.get(slot, ()) if self._held.get(drawer)]
        return sorted(holders, key=_order)

    def drawn(self, drawer: Drawer) -> list[tuple[SourceBatch, Decimal]]:
        """What a drawer holds of each source, in the order of sources."""
        held = self._by_source(drawer)
        return [(self.sources[source], held[source]) for source in sorted(held, key=self._rank.__getitem__)]

    def moved(self) -> dict[Drawer, list[tuple[SourceBatch, Decimal]]]:
        """What each drawer took of a source (positive) or gave back (negative), in the order of sources."""
        return {
            drawer: moves
            for drawer in sorted(self._before.keys() | self._held.keys(), key=_order)
            if (moves := self._moves(drawer))
        }

    def _moves(self, drawer: Drawer) -> list[tuple[SourceBatch, Decimal]]:
        before, after = self._before.get(drawer, {}), self._by_source(drawer)
        moves = [
            (self.sources[source], EXACT.subtract(after.get(source, ZERO), before.get(source, ZERO)))
            for source in sorted(before.keys() | after.keys(), key=self._rank.__getitem__)
        ]
        return [(batch, amount) for batch, amount in moves if amount]

    def _take_from(
        self,
        drawer: Drawer,
        need: Need,
        missing: Decimal,
        offers: Iterable[tuple[int, Decimal]],
        take: Callable[[Drawer, int, Decimal], None],
    ) -> Decimal:
        """Take what is missing from what is offered, in the order of the need; give what is missing still."""
        for source, amount in parts_taken(offers, missing, need.order, need.scale):
            take(drawer, source, amount)
            missing = EXACT.subtract(missing, amount)
        return missing

    def _free_offers(self, need: Need) -> Iterator[tuple[int, Decimal]]:
        """What nobody holds of the sources of which a need may draw, in order."""
        shelf = self._shelf(need.ledger, need.match)
        first = self._first.get((need.ledger, need.match), 0)
        # What is used up at the head of a shelf is not looked at again until something returns.
        while first < len(shelf) and not self._free[shelf[first].number]:
            first += 1
        self._first[need.ledger, need.match] = first
        for batch in islice(shelf, first, None):
            if batch.slot.start >= need.until:
                return
            if amount := self._free[batch.number]:
                yield batch.number, amount

    def _lent_offers(self, need: Need) -> Iterator[tuple[int, Decimal]]:
        """What lenders hold of the sources of which a need may draw, in order."""
        for batch in self._shelf(need.ledger, need.match):
            if batch.slot.start >= need.until:
                return
            if amount := self._lent_of(batch.number):
                yield batch.number, amount

    def _shelf(self, ledger: int, match: Match) -> Sequence[SourceBatch]:
        """The sources of a ledger with these tags, in order."""
        dimensions = tuple(dimension for dimension, _ in match)
        if (ledger, dimensions) not in self._sorted_by:
            self._sorted_by.add((ledger, dimensions))
            for batch in self.sources.values():
                if batch.ledger == ledger:
                    tags = tuple((name, getattr(batch.partition, name)) for name in dimensions)
                    self._shelves.setdefault((ledger, tags), []).append(batch)
        return self._shelves.get((ledger, match), [])

    def _take(self, drawer: Drawer, source: int, amount: Decimal) -> None:
        """Move an amount from a source to a drawer."""
        self._free[source] = EXACT.subtract(self._free[source], amount)
        self._look_again(source, EXACT.minus(amount))
        self._of_slot.setdefault(drawer.slot, set()).add(drawer)
        lots = self._held.setdefault(drawer, {})
        lots[NOW, source] = EXACT.add(lots.get((NOW, source), ZERO), amount)

    def _take_over(self, drawer: Drawer, source: int, amount: Decimal) -> None:
        """Take an amount of a source from the drawers that come last."""
        left = amount
        for lender in reversed(self._lent_by[source]):
            if lender in self._lenders:
                lots = [lot for lot in self._held[lender] if lot[1] == source]
                left = self._return(lender, lots, left)
        self._take(drawer, source, amount)

    def _give_back(self, drawer: Drawer, amount: Decimal, need: Need) -> None:
        """Return what was drawn last: the last source first, or a part of everything in the last act."""
        while amount > 0:
            lots = self._held[drawer]
            if need.order is DrawOrder.FIFO:
                amount = self._return(drawer, list(lots), amount)
                continue
            act = next(reversed(lots))[0]
            last = [lot for lot in lots if lot[0] == act]
            held = [lots[lot] for lot in last]
            part = min(amount, exact_total(held))
            for lot, back in zip(last, divide(part, held, need.scale), strict=True):
                self._return(drawer, [lot], back)
            amount = EXACT.subtract(amount, part)

    def _return(self, drawer: Drawer, lots: Sequence[tuple[int, int]], amount: Decimal) -> Decimal:
        """Return an amount from lots, the last first; give what they could not cover."""
        held = self._held[drawer]
        for lot in reversed(lots):
            back = min(amount, held[lot])
            self._put_back(lot[1], back)
            if drawer in self._lenders:
                self._look_again(lot[1], EXACT.minus(back))
            amount = EXACT.subtract(amount, back)
            held[lot] = EXACT.subtract(held[lot], back)
            if not held[lot]:
                del held[lot]
            if not amount:
                break
        return amount

    def _put_back(self, source: int, amount: Decimal) -> None:
        self._free[source] = EXACT.add(self._free[source], amount)
        self._look_again(source, amount)
        self._first.clear()

    def _obtainable(self, ledger: int, until: datetime) -> Decimal:
        """What is free of the sources whose slot starts before a moment, and what lenders hold of them."""
        shelf = self._shelf(ledger, ())
        view = self._views.get(ledger)
        if view is None or view.until > until:
            view = self._views[ledger] = _View(until)
        added = []
        while view.count < len(shelf) and shelf[view.count].slot.start < until:
            source = shelf[view.count].number
            added += [self._free[source], self._lent_of(source)]
            view.count += 1
        view.until = until
        view.total = exact_total([view.total, *added])
        return view.total

    def _look_again(self, source: int, change: Decimal) -> None:
        """Carry a change of what can be had of a source into what was summed before."""
        batch = self.sources[source]
        view = self._views.get(batch.ledger)
        if view is not None and batch.slot.start < view.until:
            view.total = EXACT.add(view.total, change)

    def _lent_of(self, source: int) -> Decimal:
        lenders = self._lenders.intersection(self._lent_by.get(source, ()))
        return exact_total([self._by_source(lender).get(source, ZERO) for lender in lenders])

    def _by_source(self, drawer: Drawer) -> dict[int, Decimal]:
        held: dict[int, Decimal] = {}
        for (_, source), amount in self._held.get(drawer, {}).items():
            held[source] = EXACT.add(held.get(source, ZERO), amount)
        return held


def _order(drawer: Drawer) -> tuple[object, ...]:
    return drawer.order
