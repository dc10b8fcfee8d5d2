"""Held lots: what drawers hold of sources, act by act, and what has moved since before.

Invariants: amounts are above zero; lots of a drawer stand in the order in which they were drawn.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

from weighbridge.core.ledger.drawing import NOW, Drawer, Lot, Move, SourceBatch
from weighbridge.core.quantity.number import EXACT, ZERO, exact_total
from weighbridge.core.time.instant import Interval

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
