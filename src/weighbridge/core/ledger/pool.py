"""A pool is what a generation may draw from: the balance of every source, and what its own runs hold already.

It is threaded through the runs in the order of slot, node and partition, so a later run sees what an earlier
one took. A run keeps what it holds; it adds when it needs more and gives back what it drew last when it needs
less. A run that finds too little may take over what later runs hold, which then withdraw again. What it holds
of a source run beyond the run's current total, it returns and withdraws again; what nothing covers stays.

Invariants: nothing is drawn that is not there, nor beyond the room of its account; what a node draws sums to
its amount to the last digit; the same need again moves nothing.

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

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from weighbridge.core.ledger.allocation import Account, divide, divide_evenly
from weighbridge.core.ledger.drawing import (
    NO_BOOKS,
    Drawer,
    DrawOrder,
    Lot,
    Move,
    Need,
    Released,
    Shortfall,
    SourceBatch,
    SourceBooks,
    divide_offers,
)
from weighbridge.core.ledger.lots import (
    FreeAmounts,
    HeldLots,
    LotKey,
    Obtainable,
    Releases,
    Room,
    Shelves,
    order,
)
from weighbridge.core.number import EXACT, ZERO, exact_total
from weighbridge.core.time.calendar import Interval


class Pool:
    """What may be drawn while one generation is worked out; the one thing of drawing that changes."""

    def __init__(
        self,
        sources: Iterable[SourceBatch],
        held_lots: Mapping[Drawer, Sequence[Lot]],
        lenders: Collection[Drawer] = (),
        books: SourceBooks = NO_BOOKS,
    ) -> None:
        """Lenders are drawers whose turn is still to come; what was named by hand is never lent."""
        sorted_sources = sorted(sources, key=lambda source: source.order)
        self.sources = {batch.number: batch for batch in sorted_sources}
        self._shelves = Shelves(sorted_sources)
        self._held = HeldLots(self.sources, held_lots)
        self._settled = held_lots.keys() - set(lenders)
        self._lenders: set[Drawer] = set()
        self._lent_by: dict[int, list[Drawer]] = {}
        self._releases = Releases(books.runs)
        self._free = FreeAmounts(self.sources, self._releases, self._look_again)
        self._kept: dict[tuple[Drawer, int], Decimal] = {}
        self._attributes_then = books.attributes_then
        ends = {drawer.slot.end for drawer in held_lots} | {batch.slot.end for batch in sorted_sources}
        self._room = Room(books.standings, ends)
        self._views: dict[int, Obtainable] = {}
        self._lend()
        self._free.settle()

    def draw(self, drawer: Drawer, need: Need) -> Shortfall | None:
        """Bring what a drawer holds to its need; when too little is there it takes what there is."""
        self.settle(drawer, need.ledger)
        given_up = self._give_up(drawer)
        have = self.held(drawer)
        if need.amount < have:
            self._give_back(drawer, EXACT.subtract(have, need.amount), need)
            return None
        missing = self._take_free(drawer, need, EXACT.subtract(need.amount, have))
        # Only what is needed more than before is taken over: others keep what they drew, as this run does.
        missing = self._keep(drawer, given_up, missing)
        missing = self._take_over(drawer, need, missing)
        return Shortfall(need.amount, EXACT.subtract(need.amount, missing)) if missing else None

    def begin_again(self) -> bool:
        """Let all draw once more, if what a run keeps that nothing covered may be covered by now.

        Later runs may have given back what an earlier one would have found. A generation that goes on until
        nothing moves posts nothing when it is asked for again.
        """
        ledgers = {self.sources[source].ledger for _, source in self._kept}
        has_free = any(
            self._free.of(batch.number) for batch in self.sources.values() if batch.ledger in ledgers
        )
        if not has_free or not self._held.begin_again():
            return False
        self._kept.clear()
        self._views.clear()
        self._lend()
        return True

    @property
    def released(self) -> Mapping[Account, Released]:
        """By account and run that took of others' batches, what became free of these instead of its own."""
        return self._free.released

    def available(self, ledger: int, slot: Interval) -> Decimal:
        """What the runs of a slot could draw before any of them does, what they hold added back."""
        own_amounts = [
            (self.sources[source], moment, amount)
            for drawer in self._held.of_slot(slot)
            if drawer not in self._lenders
            for (_, source, moment), amount in self._held.lots(drawer).items()
            if self.sources[source].ledger == ledger and self.sources[source].slot.start < slot.end
        ]
        view = self._views.get(ledger)
        if view is None or view.until > slot.end:
            shelf = self._shelves.of(ledger, ())
            view = self._views[ledger] = Obtainable(shelf, slot.end, self._free.of, self._lent_of)
        view.move_on(slot.end)
        for batch, moment, amount in own_amounts:
            view.change(batch, amount)
            self._room.firm(batch.account, moment, amount)
        total = view.total(self._room)
        for batch, moment, amount in own_amounts:
            view.change(batch, EXACT.minus(amount))
            self._room.firm(batch.account, moment, EXACT.minus(amount))
        return total

    def settle(self, drawer: Drawer, ledger: int) -> None:
        """Take a drawer's turn: it lends no more, and returns what it held of another ledger.

        What it holds counts for other moments where a slot's times were corrected since.
        """
        self._take_turn(drawer)
        for lot, amount in list(self._held.lots(drawer).items()):
            if self.sources[lot[1]].ledger != ledger:
                self._return(drawer, [lot], amount)
        self._held.redate(drawer, self._redated)

    def divide(self, source: int, amount: Decimal, drawers: Sequence[Drawer], scale: int) -> bool:
        """Divide an amount of a source that was named by hand evenly; False when that much is not there."""
        if amount > self._free.of(source):
            return False
        for drawer, part in zip(drawers, divide_evenly(amount, len(drawers), scale), strict=True):
            if part > self._room_for(drawer, self.sources[source]):
                return False
            self._settled.add(drawer)
            if part:
                self._take(drawer, source, part)
        return True

    def free(self, source: int) -> Decimal:
        """What a source has left."""
        return self._free.of(source)

    def room_for(self, source: int, drawers: Iterable[Drawer]) -> Decimal:
        """What the account of a source has left for any of these drawers: the least of what each may have."""
        batch = self.sources[source]
        return min((self._room_for(drawer, batch) for drawer in drawers), default=self._free.of(source))

    def held(self, drawer: Drawer) -> Decimal:
        """What a drawer holds in all."""
        return self._held.total(drawer)

    def pin(self, drawer: Drawer) -> None:
        """Keep a drawer's lots even if other runs need them, because its own run is not made."""
        self._settled.add(drawer)
        self._take_turn(drawer)

    def _take_turn(self, drawer: Drawer) -> None:
        """Let a drawer lend no more."""
        if drawer in self._lenders:
            self._lenders.remove(drawer)
            for (_, source, moment), amount in self._held.lots(drawer).items():
                batch = self.sources[source]
                self._look_again(source, EXACT.minus(amount))
                self._room.firm(batch.account, moment, EXACT.minus(amount))
                self._releases.draw(batch.run, amount)

    def release(self, drawer: Drawer) -> None:
        """Give back everything that a drawer holds."""
        self._take_turn(drawer)
        self._return(drawer, list(self._held.lots(drawer)), self.held(drawer))

    def holders(self, slot: Interval) -> list[Drawer]:
        """The drawers of a slot that hold something, in order."""
        return self._held.of_slot(slot)

    def drawn(self, drawer: Drawer) -> list[tuple[SourceBatch, Decimal]]:
        """What a drawer holds of each source, in the order of sources.

        What its run no longer covers, and sources of which nothing else is known, have the attributes of
        when they were drawn.
        """
        rows = []
        for number, amount in self._held.by_source(drawer).items():
            source = self.sources[number]
            source_then = replace(
                source, attributes=self._attributes_then.get((drawer, number), source.attributes)
            )
            kept_amount = min(amount, self._kept.get((drawer, number), ZERO))
            if not source.attributes or source_then.attributes == source.attributes:
                rows.append((source_then, amount))
            else:
                covered = EXACT.subtract(amount, kept_amount)
                rows += [row for row in ((source, covered), (source_then, kept_amount)) if row[1]]
        return rows

    def moved(self) -> dict[Drawer, list[Move]]:
        """What each drawer took of a source or gave back, for each moment, in the order of sources."""
        return self._held.moved()

    def _take_free(self, drawer: Drawer, need: Need, missing: Decimal) -> Decimal:
        """Take a missing amount from free balances, in the need's order; return what is still missing."""
        if missing > 0:
            offers = self._free_offers(drawer, need)
            if need.order is DrawOrder.PRO_RATA:
                offers = self._jointly(drawer, list(offers))
            for source, amount in divide_offers(offers, missing, need.order, need.scale):
                self._take(drawer, source, amount)
                missing = EXACT.subtract(missing, amount)
        return missing

    def _free_offers(self, drawer: Drawer, need: Need) -> Iterable[tuple[int, Decimal]]:
        """Return the available amount of each source of a need, in order, at the end of its slot."""
        for batch in self._shelves.holding(need.ledger, need.match, need.until, self._free.amounts):
            if amount := min(self._free.of(batch.number), self._room_for(drawer, batch)):
                yield batch.number, amount

    def _jointly(
        self, drawer: Drawer, offers: Sequence[tuple[int, Decimal]]
    ) -> Iterable[tuple[int, Decimal]]:
        """What may be drawn of all sources together, when each is drawn in turn as far as it goes."""
        together = []
        for source, amount in offers:
            batch = self.sources[source]
            part = min(amount, self._room_for(drawer, batch))
            together.append((batch, part))
            self._room.draw(batch.account, drawer.moment(batch), part)
        for batch, part in together:
            self._room.draw(batch.account, drawer.moment(batch), EXACT.minus(part))
        return [(batch.number, part) for batch, part in together if part]

    def _lend(self) -> None:
        """Let everyone lend whose turn is still to come; what was named by hand stays where it is."""
        self._lenders = {drawer for drawer in self._held.drawers() if drawer not in self._settled}
        self._lent_by.clear()
        for drawer in sorted(self._lenders, key=order):
            for source in self._held.by_source(drawer):
                self._lent_by.setdefault(source, []).append(drawer)
            for (_, source, moment), amount in self._held.lots(drawer).items():
                self._releases.draw(self.sources[source].run, EXACT.minus(amount))
                self._room.firm(self.sources[source].account, moment, amount)

    def _take_over(self, drawer: Drawer, need: Need, missing: Decimal) -> Decimal:
        """Have lenders give back what helps, and take it, until nothing does; give what is missing."""
        missing_before = None
        while missing and missing != missing_before:
            missing_before = missing
            missing = self._take_lent(drawer, need, missing)
            missing = self._take_free(drawer, need, missing)
            missing = self._recall(drawer, need, missing)
        return missing

    def _take_lent(self, drawer: Drawer, need: Need, missing: Decimal) -> Decimal:
        """Take what is missing over from lenders that hold it of the sources of the need, the last first."""
        if missing <= 0:
            return missing
        offers = (
            (batch.number, amount)
            for batch in self._shelves.of(need.ledger, need.match)
            if batch.slot.start < need.until and (amount := self._lent_of(batch.number))
        )
        for source, amount in list(divide_offers(offers, missing, need.order, need.scale)):
            remaining = amount
            for lender in reversed(self._lent_by[source]):
                if lender in self._lenders:
                    remaining = self._return(lender, self._held.lots_of(lender, source), remaining)
            batch = self.sources[source]
            part = min(amount, self._free.of(source), self._room_for(drawer, batch))
            if part:
                self._take(drawer, source, part)
                missing = EXACT.subtract(missing, part)
        return missing

    def _recall(self, drawer: Drawer, need: Need, missing: Decimal) -> Decimal:
        """Have lenders give back where that makes room for what is free, the last of them first."""
        if missing <= 0:
            return missing
        cramped = {
            batch.account
            for batch in self._shelves.holding(need.ledger, need.match, need.until, self._free.amounts)
            if self._room.with_lent(batch.account, drawer.moment(batch)) > self._room_for(drawer, batch)
        }
        for lender in sorted(self._lenders, key=order, reverse=True) if cramped else ():
            lots = [lot for lot in self._held.lots(lender) if self.sources[lot[1]].account in cramped]
            if lots:
                self._return(lender, lots, missing)
                missing = self._take_free(drawer, need, missing)
            if not missing:
                break
        return missing

    def _give_up(self, drawer: Drawer) -> list[tuple[int, Decimal]]:
        """Return what a drawer holds of runs beyond their current totals, its last withdrawals first."""
        given_up = []
        for lot, amount in reversed(list(self._held.lots(drawer).items())):
            if part := min(amount, self._releases.excess(self.sources[lot[1]].run)):
                self._return(drawer, [lot], part)
                given_up.append((lot[1], part))
        return given_up

    def _keep(self, drawer: Drawer, given_up: Sequence[tuple[int, Decimal]], missing: Decimal) -> Decimal:
        """An amount without another source stays as it was withdrawn, although its run's total is lower."""
        for source, amount in reversed(given_up):
            part = min(amount, missing)
            if part:
                self._free.reclaim(source, part)
                own_part = min(part, self._free.of(source))
                self._take(drawer, source, own_part)
                self._kept[drawer, source] = EXACT.add(self._kept.get((drawer, source), ZERO), own_part)
                missing = EXACT.subtract(missing, own_part)
        return missing

    def _give_back(self, drawer: Drawer, amount: Decimal, need: Need) -> None:
        """Return what was drawn last: the last source first, or a part of everything in the last act."""
        while amount > 0:
            lots = self._held.lots(drawer)
            if need.order is DrawOrder.FIFO:
                amount = self._return(drawer, list(lots), amount)
                continue
            act = next(reversed(list(lots)))[0]
            last = [lot for lot in lots if lot[0] == act]
            held_amounts = [lots[lot] for lot in last]
            part = min(amount, exact_total(held_amounts))
            for lot, back in zip(last, divide(part, held_amounts, need.scale), strict=True):
                self._return(drawer, [lot], back)
            amount = EXACT.subtract(amount, part)

    def _take(self, drawer: Drawer, source: int, amount: Decimal) -> None:
        """Move an amount from a source to a drawer."""
        batch = self.sources[source]
        moment = self._held.take(drawer, source, amount)
        self._free.change(source, EXACT.minus(amount))
        self._room.draw(batch.account, moment, amount)
        self._room.firm(batch.account, moment, EXACT.minus(amount))
        self._releases.draw(batch.run, amount)

    def _return(self, drawer: Drawer, lots: Sequence[LotKey], amount: Decimal) -> Decimal:
        """Return an amount from lots, the last first; give what they could not cover."""
        for lot in reversed(lots):
            back = min(amount, self._held.lots(drawer)[lot])
            batch = self.sources[lot[1]]
            self._held.give_back(drawer, lot, back)
            self._room.draw(batch.account, lot[2], EXACT.minus(back))
            if drawer in self._lenders:
                self._look_again(batch.number, EXACT.minus(back))
            else:
                self._room.firm(batch.account, lot[2], back)
                self._releases.draw(batch.run, EXACT.minus(back))
            self._free.put_back(batch.number, back)
            self._shelves.something_returned()
            amount = EXACT.subtract(amount, back)
            if not amount:
                break
        return amount

    def _look_again(self, source: int, change: Decimal) -> None:
        """Carry a change of what can be had of a source into what was summed before."""
        batch = self.sources[source]
        if view := self._views.get(batch.ledger):
            view.change(batch, change)

    def _redated(self, lot: LotKey, amount: Decimal, moment: datetime) -> bool:
        """Let what is held count for another moment, if there is room for it then."""
        account = self.sources[lot[1]].account
        self._room.draw(account, lot[2], EXACT.minus(amount))
        is_covered = self._room.of(account, moment) >= amount or moment > lot[2]
        now = moment if is_covered else lot[2]
        self._room.draw(account, now, amount)
        self._room.firm(account, lot[2], amount)
        self._room.firm(account, now, EXACT.minus(amount))
        return is_covered

    def _room_for(self, drawer: Drawer, batch: SourceBatch) -> Decimal:
        return self._room.of(batch.account, drawer.moment(batch))

    def _lent_of(self, source: int) -> Decimal:
        lenders = self._lenders.intersection(self._lent_by.get(source, ()))
        return exact_total(self._held.by_source(lender).get(source, ZERO) for lender in lenders)
