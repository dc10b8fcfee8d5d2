"""Statistics are what an aggregate is computed from: exact sums over the values of a group of events.

A group is the events of one source in one slot that carry the same tags. Groups can be put together,
because every statistic of the whole follows from those of the parts.

Invariants: sums are exact, so neither the order of events nor the way they were grouped shows in them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from weighbridge.core.engine.element import Element
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.quantity.number import EXACT, ZERO, exact_total
from weighbridge.core.quantity.value_source import ValueSource


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
    negative: Decimal = ZERO
    """What of the total, with weights of the weighted total, is made of terms below zero."""
    by_source: tuple[tuple[ValueSource, "Statistics"], ...] = ()
    """Those of the values of each source, where not all were captured."""

    @property
    def of_sources(self) -> "Mapping[ValueSource, Statistics]":
        """The statistics of the values of each source."""
        return dict(self.by_source) if self.by_source else {ValueSource.CAPTURED: self}

    def of(self, source: ValueSource) -> "Statistics":
        """The same, of values that all come from one source."""
        return self if source is ValueSource.CAPTURED else replace(self, by_source=((source, self),))

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
            EXACT.add(self.negative, other.negative),
            self._sources_with(other) if self.by_source or other.by_source else (),
        )

    def _sources_with(self, other: "Statistics") -> tuple[tuple[ValueSource, "Statistics"], ...]:
        mine, theirs = self.of_sources, other.of_sources
        both = [(one, mine.get(one, NOTHING), theirs.get(one, NOTHING)) for one in ValueSource]
        return tuple((one, a.plus(b)) for one, a, b in both if a.count or b.count)


NOTHING: Final = Statistics()
"""The statistics of no values."""


def statistics_of(
    values: Iterable[tuple[Decimal, Decimal | None]], sources: Sequence[ValueSource] = ()
) -> Statistics:
    """The statistics of values with their weights; None where there is no weight.

    `sources` say where they come from; without, all were captured.
    """
    pairs = list(values)
    kinds = set(sources) - {ValueSource.CAPTURED}
    if not kinds:
        return _alike(pairs)
    whole = NOTHING
    for kind in (ValueSource.CAPTURED, *kinds):
        alike = [pair for pair, source in zip(pairs, sources, strict=True) if source is kind]
        whole = whole.plus(_alike(alike).of(kind)) if alike else whole
    return whole


def _alike(pairs: Sequence[tuple[Decimal, Decimal | None]]) -> Statistics:
    """The statistics of captured values."""
    weighed = [(value, weight) for value, weight in pairs if weight is not None]
    numbers = [value for value, _ in pairs]
    products = [EXACT.multiply(value, weight) for value, weight in weighed]
    return Statistics(
        count=len(pairs),
        total=exact_total(numbers),
        least=min(numbers, default=None),
        greatest=max(numbers, default=None),
        weight=exact_total(weight for _, weight in weighed),
        weighted=exact_total(products),
        unweighted=len(pairs) - len(weighed),
        negative=exact_total(one for one in (products or numbers) if one < 0),
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

    @property
    def is_captured(self) -> bool:
        """Whether all of its values were captured."""
        return not any(element.sources for element in self.elements) and not any(
            statistics.by_source for statistics in self.by_input.values()
        )

    def plus(self, other: "Group") -> "Group":
        """Both groups as one, where summed events of the same tags came in two."""
        return replace(
            self,
            event_count=self.event_count + other.event_count,
            first_event=min(self.first_event, other.first_event),
            digest=EXACT.add(self.digest, other.digest),
            by_input={node: each.plus(other.by_input[node]) for node, each in self.by_input.items()},
        )
