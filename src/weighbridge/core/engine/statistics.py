"""Statistics are what an aggregate is computed from: exact sums over the values of a group of events.

A group is the events of one source in one slot that carry the same tags. Groups can be put together,
because every statistic of the whole follows from those of the parts.

Invariants: sums are exact, so neither the order of events nor the way they were grouped shows in them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Final

from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.model.definition import NO_COVERAGE
from weighbridge.core.quantity.number import CONTEXT, DIGITS_MAX, EXACT, ZERO, exact_total
from weighbridge.core.quantity.unit import ONE, Unit
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.core.time.expectation import ALWAYS, Meter, Service
from weighbridge.core.time.instant import MILLISECOND, Instant, Interval

# What lies across a slot's boundary and is divided: the part of a value that belongs to the slot.
#
# The part is in proportion to time, in the 34 digits of the whole. It is cut as the difference of two
# running amounts, the one up to the slot's end and the one up to its start.
#
# Invariant: the parts of a value in slots that cover its time without gap or overlap sum to the value, to
# the last digit.


_HOUR: Final = Decimal(3_600_000)


def part_inside(value: Decimal, time: Interval, slot: Interval) -> Decimal:
    """The part of a value that falls to the slot; all of it when its time is a moment or lies inside."""
    length = (time.end - time.start) // MILLISECOND
    if not value or not length or slot.holds(time):
        return value
    quantum = value.adjusted() - DIGITS_MAX + 1
    units = int(value.scaleb(-quantum, context=EXACT))

    def up_to(milliseconds: int) -> int:
        return round(Fraction(units * min(max(milliseconds, 0), length), length))

    count = up_to((slot.end - time.start) // MILLISECOND) - up_to((slot.start - time.start) // MILLISECOND)
    return _brief(Decimal(count).scaleb(quantum, context=EXACT), value)


def hours_inside(time: Interval, slot: Interval) -> Decimal:
    """How long a stretch lasts inside the slot, in hours."""
    common = slot.overlap(time)
    return Decimal(0) if common is None else hours(common)


def hours(time: Interval) -> Decimal:
    """How long a stretch lasts, in hours."""
    return CONTEXT.divide(Decimal((time.end - time.start) // MILLISECOND), _HOUR)


def _brief(part: Decimal, whole: Decimal) -> Decimal:
    """The part without zeros that the whole does not have either."""
    if not part:
        return Decimal(0)
    short = part.normalize(EXACT)
    exponent, whole_exponent = short.as_tuple().exponent, whole.as_tuple().exponent
    assert isinstance(exponent, int)  # noqa: S101 - numbers are finite
    assert isinstance(whole_exponent, int)  # noqa: S101
    return (
        short.quantize(Decimal(1).scaleb(whole_exponent), context=EXACT)
        if exponent > whole_exponent
        else short
    )


# An element is one event as an input reads it by itself, where a sum over a group does not tell enough.
#
# Arrays, medians, totalisers, averages over time, joins and what reaches over a slot's boundary are
# computed from elements, in time order. A measure says where in its elements an input finds what it reads.
#
# Invariants: elements of a source come in order of start, end, tracking id, client reference and values,
# which is their rank; never by id or arrival.


Content = Decimal | str | bool | None
"""A value of an event as it stands, in the unit of its data point type."""


@dataclass(frozen=True, slots=True)
class Element:
    """One event of a source."""

    event: int
    rank: int
    time: Interval
    values: tuple[Content, ...]
    tracking_id: str | None = None
    feedstock: str | None = None
    asset: str | None = None
    location: str | None = None
    service: Service = ALWAYS
    """When its meter is in service."""
    digest: int = 0
    """A hash of the event, its time and its values."""
    is_of_slot: bool = True
    """Whether the slot has it; the reading that stands when a slot begins may be older."""
    sources: tuple[ValueSource, ...] = ()
    """Where each of its values comes from; empty when all were captured."""

    @property
    def meter(self) -> Meter:
        """Whose reading it is."""
        return Meter.of(self.asset, self.location)

    def number(self, index: int) -> Decimal | None:
        """The number at an index of its values."""
        value = self.values[index]
        return value if isinstance(value, Decimal) else None

    def source(self, index: int) -> ValueSource:
        """Where the value at an index of its values comes from."""
        return self.sources[index] if self.sources else ValueSource.CAPTURED


@dataclass(frozen=True, slots=True)
class EventCadence:
    """How often an event type is expected: every so many minutes, hours, days, weeks or months."""

    amount: int
    unit: str


@dataclass(frozen=True, slots=True)
class Measure:
    """How an input finds its values: the source, and the indexes of what it reads in each element."""

    unit: Unit = ONE
    source: int = 0
    is_of_elements: bool = False
    value: int = 0
    weight: int | None = None
    is_weight_of_target: bool = False
    """Whether the weight stands on the event that this one is joined to."""
    key: int | None = None
    """The text that is joined on, here and on the other side."""
    target_key: int | None = None
    coverage: Decimal = NO_COVERAGE
    """Percent of the slot that the data must cover."""
    cadence: EventCadence | None = None


@dataclass(frozen=True, slots=True)
class StaticValue:
    """A value of the project that holds from a moment on, for what its keys name."""

    number: int
    value: Decimal
    unit: Unit
    effective_from: Instant
    asset: str | None = None
    feedstock: str | None = None
    location: str | None = None


Measures = Mapping[str, Measure]
"""Measures by the slugs of the inputs."""


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
