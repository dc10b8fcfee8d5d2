"""Statistics are what an aggregate is computed from: exact sums over the values of a group of events.

A group is the events of one source in one slot that carry the same tags. Groups can be put together,
because every statistic of the whole follows from those of the parts.

Invariants: sums are exact, so neither the order of events nor the way they were grouped shows in them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.engine.element import Element
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.quantity.number import EXACT, ZERO, exact_total


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is known of one input's values in a group."""

    count: int = 0
    total: Decimal = ZERO
    least: Decimal | None = None
    greatest: Decimal | None = None
    weight: Decimal = ZERO
    weighted: Decimal = ZERO
    unweighted: int = 0
    """Values whose weight is missing."""

    def plus(self, other: "Statistics") -> "Statistics":
        """The statistics of both groups together."""
        lows = [low for low in (self.least, other.least) if low is not None]
        highs = [high for high in (self.greatest, other.greatest) if high is not None]
        return Statistics(
            self.count + other.count,
            EXACT.add(self.total, other.total),
            min(lows, default=None),
            max(highs, default=None),
            EXACT.add(self.weight, other.weight),
            EXACT.add(self.weighted, other.weighted),
            self.unweighted + other.unweighted,
        )


NOTHING: Final = Statistics()
"""The statistics of no values."""


def statistics_of(values: Iterable[tuple[Decimal, Decimal | None]]) -> Statistics:
    """The statistics of values with their weights; None where there is no weight."""
    pairs = list(values)
    weighed = [(value, weight) for value, weight in pairs if weight is not None]
    numbers = [value for value, _ in pairs]
    return Statistics(
        count=len(pairs),
        total=exact_total(numbers),
        least=min(numbers, default=None),
        greatest=max(numbers, default=None),
        weight=exact_total(weight for _, weight in weighed),
        weighted=exact_total(EXACT.multiply(value, weight) for value, weight in weighed),
        unweighted=len(pairs) - len(weighed),
    )


@dataclass(frozen=True, slots=True)
class Group:
    """The events of a source in one slot with the same tags, and the statistics of each input on them."""

    source: int
    tags: Partition
    event_count: int
    first_event: str
    """The id of one of them, for a sentence about the group."""
    digest: Decimal
    """Sum of hashes of the events, their times and values: the same for the same events in any order."""
    by_input: Mapping[str, Statistics]
    """By the slug of the input; of no values where the elements themselves were read."""
    elements: tuple[Element, ...] = ()
    is_of_elements: bool = False
    is_of_slot: bool = True
    """Whether the slot has any of them; what is matched whatever its date does not make a slot run."""
