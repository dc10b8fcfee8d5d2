"""Statistics are what an aggregate is computed from: exact sums over the values of a group of events.

Groups can be put together, because every statistic of the whole follows from those of the parts.

Invariants: sums are exact, so neither the order of events nor the way they were grouped shows in them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from weighbridge.core.engine.stated_values import MomentsByClass, StatedClass, add_moments, compute_moments
from weighbridge.core.ledger.allocation import ValueSource
from weighbridge.core.number import EXACT, ZERO, exact_total


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
    moments: MomentsByClass = field(default_factory=dict, hash=False)
    """Further sums, by what the values state of their uncertainty, where that is asked for."""

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
            add_moments(self.moments, other.moments),
        )

    def _sources_with(self, other: "Statistics") -> tuple[tuple[ValueSource, "Statistics"], ...]:
        own_sources, other_sources = self.of_sources, other.of_sources
        pairs = [
            (source, own_sources.get(source, NOTHING), other_sources.get(source, NOTHING))
            for source in ValueSource
        ]
        return tuple((source, a.plus(b)) for source, a, b in pairs if a.count or b.count)


NOTHING: Final = Statistics()
"""The statistics of no values."""


def compute_statistics(
    values: Iterable[tuple[Decimal, Decimal | None]],
    sources: Sequence[ValueSource] = (),
    classes: Sequence[StatedClass] = (),
) -> Statistics:
    """The statistics of values with their weights; None where there is no weight.

    `sources` say where they come from; without, all were captured. `classes` are what they state of their
    uncertainty, where that is asked for.
    """
    pairs = list(values)
    if classes:
        by_class: dict[StatedClass, list[tuple[Decimal, Decimal | None]]] = {}
        for pair, stated in zip(pairs, classes, strict=True):
            by_class.setdefault(stated, []).append(pair)
        moments = {stated: compute_moments(of_class) for stated, of_class in by_class.items()}
        return replace(compute_statistics(pairs, sources), moments=moments)
    kinds = set(sources) - {ValueSource.CAPTURED}
    if not kinds:
        return _compute_captured_statistics(pairs)
    statistics = NOTHING
    for kind in (ValueSource.CAPTURED, *kinds):
        pairs_of_source = [pair for pair, source in zip(pairs, sources, strict=True) if source is kind]
        statistics = (
            statistics.plus(_compute_captured_statistics(pairs_of_source).of(kind))
            if pairs_of_source
            else statistics
        )
    return statistics


def _compute_captured_statistics(pairs: Sequence[tuple[Decimal, Decimal | None]]) -> Statistics:
    """The statistics of captured values."""
    weighted_pairs = [(value, weight) for value, weight in pairs if weight is not None]
    numbers = [value for value, _ in pairs]
    products = [EXACT.multiply(value, weight) for value, weight in weighted_pairs]
    return Statistics(
        count=len(pairs),
        total=exact_total(numbers),
        least=min(numbers, default=None),
        greatest=max(numbers, default=None),
        weight=exact_total(weight for _, weight in weighted_pairs),
        weighted=exact_total(products),
        unweighted=len(pairs) - len(weighted_pairs),
        negative=exact_total(product for product in (products or numbers) if product < 0),
    )
