"""Drawing takes amounts from the batches of source ledgers for the nodes of the runs that need them.

Here are the values of drawing: who draws, what of, how much, and what came of it. `pool` draws.

Invariants: sources are ordered by slot, tracking id and partition, by number only where one run made several
batches; drawers are ordered by slot, partition and node.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final

from weighbridge.core.ledger.allocation import NO_CONTRIBUTIONS, Account, Contributions, Partition, divide
from weighbridge.core.number import EXACT, ZERO, exact_total
from weighbridge.core.time.calendar import EventSlot, Interval
from weighbridge.core.uncertainty.effects import CERTAIN, Uncertainty
from weighbridge.core.unit import Unit, find_slope

# The order in which a draw takes from the batches of its source: the first whole, or a part of all.


class DrawOrder(StrEnum):
    """Which batches of the source are drawn first."""

    FIFO = "fifo"
    PRO_RATA = "pro_rata"


def divide_offers(
    offers: Iterable[tuple[int, Decimal]], missing: Decimal, order: DrawOrder, scale: int
) -> Iterable[tuple[int, Decimal]]:
    """How much to take of each offer: all of each in turn, or a part of all."""
    if order is DrawOrder.FIFO:
        remaining = missing
        for source, amount in offers:
            taken_amount = min(remaining, amount)
            yield source, taken_amount
            remaining = EXACT.subtract(remaining, taken_amount)
            if not remaining:
                return
        return
    all_offers = list(offers)
    amounts = [amount for _, amount in all_offers]
    if exact_total(amounts) <= missing:
        yield from all_offers
        return
    # A part is cut below its offer and raised by one unit at most, so that none is above its offer.
    parts = divide(missing, amounts, scale)
    yield from ((source, part) for (source, _), part in zip(all_offers, parts, strict=True) if part)


Attributes = Mapping[str, tuple[Decimal, Unit]]
"""Values that travel along with what is drawn, by output."""

RunKey = tuple[int, int]
"""A ledger, and a run that is credited to it."""

Released = Mapping[int, Mapping[int, Decimal]]
"""By run of one account, how much becomes free of which batches."""

Match = tuple[tuple[str, str | None], ...]
"""Dimensions of a partition, and the value that a source must have there."""

NOW: Final = 2**63 - 1
"""The act of what is drawn in this generation, after all acts before it."""


@dataclass(frozen=True, slots=True)
class SourceBatch:
    """A batch of a source ledger: its position and its balance."""

    number: int
    ledger: int
    slot: Interval
    tracking_id: str
    partition: Partition
    balance: Decimal
    attributes: Attributes = field(default_factory=dict)
    """What its run came to, by output."""
    run: RunKey | None = None
    """The run that made it, on its ledger; None of an instrument."""
    rests_on: Mapping[str, Contributions | None] = field(default_factory=dict)
    """What contributes to what its run came to, by output; under no name what it is drawn of.

    None if unknown; an absent entry, as of an instrument, means no contributions.
    """
    run_total: Decimal = ZERO
    """What its run comes to, in the ledger's unit."""
    uncertainties: Mapping[str, tuple[Uncertainty, Unit]] = field(default_factory=dict)
    """How uncertain what its run came to is, by output as for `rests_on`, each in a unit."""

    def contributions(self, output: str = "") -> Contributions | None:
        """What contributes to an output, or to what it is drawn of."""
        return self.rests_on.get(output, NO_CONTRIBUTIONS)

    def take_uncertainties(
        self, amount: Decimal, ledger_unit: Unit, unit: Unit, attributes: Mapping[str, Unit]
    ) -> tuple[Uncertainty, ...]:
        """Take the part of each effect that goes with an amount, in a unit; attributes have all of theirs.

        The amount and the run's total are in the unit of the ledger.
        """
        drawn, of_unit = self.uncertainties.get("", (CERTAIN, ledger_unit))
        part = drawn.take(amount, self.run_total) if self.run_total else CERTAIN
        carried = [
            uncertainty.scale(find_slope(attribute_unit, unit_here))
            for slug, unit_here in attributes.items()
            for uncertainty, attribute_unit in [self.uncertainties.get(slug, (CERTAIN, unit_here))]
        ]
        return part.scale(find_slope(of_unit, unit)), *carried

    @property
    def account(self) -> Account:
        """Its ledger and partition: what was produced and drawn there bounds what may be drawn."""
        return Account(self.ledger, self.partition)

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

    def moment(self, source: SourceBatch) -> datetime:
        """The moment for which what it draws of a source counts: the later of the ends of the two slots."""
        return max(self.slot.end, source.slot.end)


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


@dataclass(frozen=True, slots=True)
class Move:
    """What a drawer took of a source (positive) or gave back (negative), for a moment."""

    source: SourceBatch
    effective_at: datetime
    amount: Decimal


@dataclass(frozen=True, slots=True)
class SourceRun:
    """A run that made sources: what it comes to, what is drawn of it, and what it took in their place."""

    total: Decimal
    drawn: Decimal
    """By all who drew of its batches."""
    taken: Sequence[tuple[int, Decimal]] = ()
    """What its falls took of other runs' batches, in the order in which these are released."""
    short: Decimal = ZERO
    """What its falls could not take."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What an account has produced less what was drawn of it: up to some moment, and each change after it."""

    opening: Decimal
    steps: Mapping[datetime, Decimal]


@dataclass(frozen=True, slots=True)
class SourceBooks:
    """Facts of sources in addition to their balances; withdrawals from other accounts have no bounds."""

    standings: Mapping[Account, Standing] = field(default_factory=dict)
    runs: Mapping[RunKey, SourceRun] = field(default_factory=dict)
    """Those of which more may be drawn than they come to, or that took of others."""
    attributes_then: Mapping[tuple[Drawer, int], Attributes] = field(default_factory=dict)
    """What travelled along when drawers drew of sources."""


NO_BOOKS: Final = SourceBooks()


# A circle of ledgers: each draws from the next and the last from the first, so that none comes first.


Draws = Mapping[str, Collection[str]]
"""The ledgers that each ledger draws from, by name."""


def find_circle(names: Iterable[str], draws: Draws) -> tuple[str, ...]:
    """A circle that goes through one of these ledgers, beginning with it; empty when there is none.

    Of several the shortest is named, and of those the first by name.
    """
    for name in sorted(names):
        paths: list[tuple[str, ...]] = [(name,)]
        reached: set[str] = set()
        while paths:
            following = []
            for path in paths:
                for source in sorted(draws.get(path[-1], ())):
                    if source == name:
                        return path
                    if source not in reached:
                        reached.add(source)
                        following.append((*path, source))
            paths = following
    return ()


def describe_circle(circle: tuple[str, ...]) -> str:
    """A circle in words: `'Char' draws from 'Wood' and 'Wood' from 'Char'`."""
    pairs = zip(circle, (*circle[1:], circle[0]), strict=True)
    first, *others = [(repr(ledger), repr(source)) for ledger, source in pairs]
    words = [f"{first[0]} draws from {first[1]}", *(f"{ledger} from {source}" for ledger, source in others)]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
