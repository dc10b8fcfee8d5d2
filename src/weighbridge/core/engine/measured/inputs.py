"""What the values of each source contribute to one input, in the unit of its data.

The unit is an absolute one: degrees are counted in kelvin.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from weighbridge.core.engine.statistics import Statistics
from weighbridge.core.ledger.contributions import NO_CONTRIBUTIONS, Contributions, size_of, together
from weighbridge.core.model import Aggregate, Input
from weighbridge.core.quantity.number import CONTEXT, EXACT
from weighbridge.core.quantity.unit import Unit, absolute, conversion, convert
from weighbridge.core.quantity.value_source import ValueSource, least_measured

Term = tuple[Decimal, ValueSource]
"""What a value makes of an aggregate, and where it comes from."""


def of_statistics(body: Input, statistics: Statistics, unit: Unit) -> Contributions:
    """What contributes to an aggregate of whole events."""
    if not statistics.count:
        return NO_CONTRIBUTIONS
    parts = statistics.of_sources
    match body.aggregate:
        case Aggregate.COUNT:
            return {source: Decimal(part.count) for source, part in parts.items()}
        case Aggregate.MIN | Aggregate.MAX:
            return _of_extreme(body.aggregate, statistics, unit)
    divisor = Decimal(1)
    if body.aggregate is Aggregate.AVERAGE:
        divisor = size_of(statistics.weight) if body.weight else Decimal(statistics.count)
    if not divisor:
        return NO_CONTRIBUTIONS
    is_weighted = body.aggregate is Aggregate.AVERAGE and body.weight is not None
    return {
        source: CONTEXT.divide(_size(part, unit, is_weighted=is_weighted), divisor)
        for source, part in parts.items()
    }


def of_terms(terms: Iterable[Term]) -> Contributions:
    """What contributes to a sum of terms."""
    return together({source: size_of(term)} for term, source in terms)


def in_absolute_unit(value: Decimal, unit: Unit) -> Decimal:
    """A value in the absolute unit of its own unit."""
    return value if unit.is_absolute else convert(value, unit, absolute(unit))


def latest(sources: Sequence[ValueSource]) -> ValueSource:
    """The source of what several values make together."""
    last = ValueSource.CAPTURED
    for source in sources:
        last = least_measured(last, source)
    return last


def _of_extreme(aggregate: Aggregate, statistics: Statistics, unit: Unit) -> Contributions:
    least = aggregate is Aggregate.MIN
    value = statistics.least if least else statistics.greatest
    held = [
        source
        for source, part in statistics.of_sources.items()
        if (part.least if least else part.greatest) == value
    ]
    return {} if value is None else {latest(held): size_of(in_absolute_unit(value, unit))}


def _size(part: Statistics, unit: Unit, *, is_weighted: bool) -> Decimal:
    """The terms of a sum without their signs, added."""
    whole, count = (part.weighted, part.weight) if is_weighted else (part.total, Decimal(part.count))
    if unit.is_absolute:
        return EXACT.subtract(whole, EXACT.multiply(Decimal(2), part.negative))
    rise, shift, divisor = conversion(unit, absolute(unit))
    degrees = EXACT.add(EXACT.multiply(whole, rise), EXACT.multiply(count, shift))
    return size_of(CONTEXT.divide(degrees, divisor))
