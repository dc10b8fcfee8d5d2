"""What elements contribute to an aggregate that is defined by their order or by time."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from weighbridge.core.engine.element import Element, Measure
from weighbridge.core.engine.measured.inputs import in_absolute_unit, latest, of_terms
from weighbridge.core.expression.derivative.functions import middle
from weighbridge.core.ledger.contributions import Contributions
from weighbridge.core.model import Aggregate
from weighbridge.core.model.aggregates import Reading, stretches_of
from weighbridge.core.quantity.number import CONTEXT, exact_total
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.core.time.instant import MILLISECOND, Interval

ReadElement = tuple[Reading, Element]
"""What an element reads in the slot, and the element."""


def of_defined(
    aggregate: Aggregate, readings: Sequence[ReadElement], slot: Interval, measure: Measure
) -> Contributions:
    """What contributes to a first, last or middle value or to a mean over time, in the unit of the data."""
    return of_terms(
        (
            CONTEXT.multiply(rate, in_absolute_unit(readings[index][0].value, measure.unit)),
            readings[index][1].source(measure.value),
        )
        for index, rate in _rates(aggregate, readings, slot)
    )


def sources_of(elements: Sequence[Element], measure: Measure) -> list[ValueSource]:
    """Where the values of elements come from, with their weights; empty when all were captured."""
    if not any(element.sources for element in elements):
        return []
    read = [measure.value] if measure.weight is None else [measure.value, measure.weight]
    return [latest([element.source(index) for index in read]) for element in elements]


def _rates(
    aggregate: Aggregate, readings: Sequence[ReadElement], slot: Interval
) -> Iterator[tuple[int, Decimal]]:
    """How fast an aggregate changes with readings, by their indexes."""
    if not readings:
        return
    match aggregate:
        case Aggregate.FIRST:
            yield 0, Decimal(1)
        case Aggregate.LAST:
            yield len(readings) - 1, Decimal(1)
        case Aggregate.MEDIAN:
            rates = middle([reading.value for reading, _ in readings])
            yield from ((index, rate) for index, rate in enumerate(rates) if rate)
        case Aggregate.TIME_WEIGHTED:
            yield from _of_times(readings, slot)


def _of_times(readings: Sequence[ReadElement], slot: Interval) -> Iterator[tuple[int, Decimal]]:
    """The part of the time for which each reading stands."""
    numbered = [replace(reading, value=Decimal(index)) for index, (reading, _) in enumerate(readings)]
    stretches = [(int(one.value), slot.overlap(one.time)) for one in stretches_of(numbered, slot)]
    lengths = [
        (index, Decimal((overlap.end - overlap.start) // MILLISECOND))
        for index, overlap in stretches
        if overlap is not None
    ]
    whole = exact_total(length for _, length in lengths)
    for index, length in lengths if whole else []:
        yield index, CONTEXT.divide(length, whole)
