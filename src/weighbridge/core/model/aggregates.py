"""An aggregate makes one number, or an array, of the readings that an input found for a slot.

A reading is a value and the time interval it covers; a reading of no length covers its
moment. What follows from one reading to the next follows meter by meter. The definitions here are what an
engine must agree with to the last digit, however it computes.

Invariants: sums and averages are exact until their one rounding; readings come in time order; what has
no readings has no value, except that a sum, a count and an array of nothing are 0, 0 and empty.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import Final

from weighbridge.core.expression.functions import compute_average, compute_median
from weighbridge.core.model.definition import Aggregate, Amount, Input
from weighbridge.core.number import CONTEXT, EXACT, exact_total, total
from weighbridge.core.time.calendar import MILLISECOND, Interval
from weighbridge.core.time.expectation import EVENT_TYPE, Meter, group_by_meter


@dataclass(frozen=True, slots=True)
class Reading:
    """One value, the time it covers, its weight in a weighted average, and its meter."""

    time: Interval
    value: Decimal
    weight: Decimal | None = None
    meter: Meter = EVENT_TYPE


@dataclass(frozen=True, slots=True)
class Definition:
    """One row of the table of aggregates; the reference documentation is made of it."""

    compute: Callable[[Sequence[Reading], Interval], Amount]
    doc: str


def aggregate_readings(kind: Aggregate, readings: Sequence[Reading], slot: Interval) -> Amount:
    """Aggregate readings in time order over a slot; None when that has no value."""
    return AGGREGATES[kind].compute(readings, slot)


def compute_weighted_average(readings: Sequence[Reading]) -> Decimal | None:
    """The average weighted by each reading's weight, rounded once; None when the weights sum to zero."""
    weights = [reading.weight for reading in readings if reading.weight is not None]
    if len(weights) < len(readings):
        raise ValueError("a weighted average needs the weight of every reading")
    return _compute_mean([reading.value for reading in readings], weights)


def compute_time_average(readings: Sequence[Reading], slot: Interval) -> Decimal | None:
    """The average over time: each value weighs by the time it covers inside the slot.

    When no reading of a meter has a length, each covers the time until the meter's next one or the slot's
    end, and the last one at or before the slot's start for the time from there.
    """
    intervals = list_stretches(readings, slot)
    overlaps = [(reading.value, slot.overlap(reading.time)) for reading in intervals]
    inside = [(value, overlap) for value, overlap in overlaps if overlap is not None]
    lengths = [Decimal((overlap.end - overlap.start) // MILLISECOND) for _, overlap in inside]
    return _compute_mean([value for value, _ in inside], lengths)


def list_stretches(readings: Sequence[Reading], slot: Interval) -> list[Reading]:
    """Return readings with the time that each covers; without a length, until the meter's next reading."""
    lasting: list[Reading] = []
    for of_meter in group_by_meter(readings, lambda reading: reading.meter).values():
        is_held = all(reading.time.is_reading for reading in of_meter)
        lasting += _extend_readings(of_meter, slot) if is_held else of_meter
    return lasting


@dataclass(frozen=True, slots=True)
class Step:
    """What a totaliser counted from one of its readings to the next: the amount, and their indices."""

    early: int
    late: int
    amount: Decimal


def list_steps(readings: Sequence[Reading], slot: Interval) -> list[Step]:
    """What totalisers counted in a slot, reading by reading; each meter by itself.

    A meter counts from its last reading at or before the slot's start or, where it has none, from its first
    one. A reading below the one before it means that the meter began again at zero in between.
    """
    steps: list[Step] = []
    for indices in group_by_meter(range(len(readings)), lambda index: readings[index].meter).values():
        ends = [(index, readings[index].time.end) for index in indices]
        indices_before = [index for index, end in ends if end <= slot.start]
        during = [index for index, end in ends if slot.start < end <= slot.end]
        for early, late in pairwise([*indices_before[-1:], *during]):
            was, now = readings[early].value, readings[late].value
            steps.append(Step(early, late, EXACT.subtract(now, was) if now >= was else now))
    return steps


def compute_delta(readings: Sequence[Reading], slot: Interval) -> Decimal | None:
    """What totalisers counted in the slot, all meters together; None when none has two readings."""
    amounts = [step.amount for step in list_steps(readings, slot)]
    return total(amounts) if amounts else None


def _extend_readings(readings: Sequence[Reading], slot: Interval) -> list[Reading]:
    """Readings of no length, each drawn out until the next."""
    start_times: list[datetime] = [reading.time.start for reading in readings]
    ends = [*start_times[1:], max([slot.end, *start_times[-1:]])]
    return [
        Reading(Interval(start, end), reading.value)
        for reading, start, end in zip(readings, start_times, ends, strict=True)
    ]


def _compute_mean(values: Sequence[Decimal], weights: Sequence[Decimal]) -> Decimal | None:
    total_weight = exact_total(weights)
    if not total_weight:
        return None
    weighted = exact_total(
        EXACT.multiply(value, weight) for value, weight in zip(values, weights, strict=True)
    )
    return CONTEXT.divide(weighted, total_weight)


OF_VALUES: Final[Mapping[Aggregate, Callable[[Sequence[Decimal]], Decimal]]] = {
    Aggregate.SUM: total,
    Aggregate.AVERAGE: compute_average,
    Aggregate.MIN: min,
    Aggregate.MAX: max,
    Aggregate.COUNT: lambda values: Decimal(len(values)),
    Aggregate.FIRST: lambda values: values[0],
    Aggregate.LAST: lambda values: values[-1],
    Aggregate.MEDIAN: compute_median,
}
"""Aggregates that need nothing but the values, in time order, without weights."""


def is_listed(body: Input) -> bool:
    """Whether a list of values is enough for an input of one number."""
    return body.aggregate in OF_VALUES and body.weight is None


_OF_NOTHING: Final = {Aggregate.SUM: Decimal(0), Aggregate.COUNT: Decimal(0)}


def _build_values_aggregate(kind: Aggregate) -> Callable[[Sequence[Reading], Interval], Amount]:
    def compute(readings: Sequence[Reading], _slot: Interval) -> Amount:
        values = [reading.value for reading in readings]
        return OF_VALUES[kind](values) if values else _OF_NOTHING.get(kind)

    return compute


def _compute_average(readings: Sequence[Reading], slot: Interval) -> Amount:
    if any(reading.weight is not None for reading in readings):
        return compute_weighted_average(readings)
    return _build_values_aggregate(Aggregate.AVERAGE)(readings, slot)


AGGREGATES: Final = {
    Aggregate.SUM: Definition(
        _build_values_aggregate(Aggregate.SUM),
        "All values added; of none 0 where the node is optional, else none.",
    ),
    Aggregate.AVERAGE: Definition(
        _compute_average, "The mean, weighted by another data point of the event when `weight` names one."
    ),
    Aggregate.TIME_WEIGHTED: Definition(
        compute_time_average,
        "The mean over time. An event weighs as long as it lasts inside the slot; when none of a meter has a"
        " length, each value applies until the meter's next one.",
    ),
    Aggregate.MIN: Definition(_build_values_aggregate(Aggregate.MIN), "The smallest value."),
    Aggregate.MAX: Definition(_build_values_aggregate(Aggregate.MAX), "The largest value."),
    Aggregate.COUNT: Definition(_build_values_aggregate(Aggregate.COUNT), "How many there are."),
    Aggregate.FIRST: Definition(_build_values_aggregate(Aggregate.FIRST), "The earliest value."),
    Aggregate.LAST: Definition(_build_values_aggregate(Aggregate.LAST), "The latest value."),
    Aggregate.MEDIAN: Definition(
        _build_values_aggregate(Aggregate.MEDIAN),
        "The middle value by size, or the mean of the two in the middle.",
    ),
    Aggregate.DELTA: Definition(
        compute_delta,
        "Of a totaliser: the last reading at or before the slot's end less the last at or before its start,"
        " or less the first in the slot where none is before; a fall means that it began again at zero."
        " Several meters count each for itself, and are added.",
    ),
    Aggregate.VALUES: Definition(
        lambda readings, _: tuple(reading.value for reading in readings),
        "An array with one element for each data point, in time order.",
    ),
}
"""Every aggregate by its name."""
