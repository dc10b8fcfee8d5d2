"""What the outputs of a run rest on: how much the values of each source contribute to them.

From an output back over formulas and draws to inputs, elements and constants, by exact derivatives
(sensitivity-weighted contributions, GUM 5.1.3).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from weighbridge.core.engine.slot_computation import Drawn, SlotComputation
from weighbridge.core.engine.statistics import Element, Measure, Statistics
from weighbridge.core.expression.derivative import Gradient, Traced, gradients_of, plus, trace
from weighbridge.core.expression.functions import slopes_of_median
from weighbridge.core.expression.value import Content
from weighbridge.core.halt import proceed
from weighbridge.core.ledger import allocation
from weighbridge.core.ledger.allocation import NO_CONTRIBUTIONS, Contributions, Partition, size_of, together
from weighbridge.core.model import Aggregate, Formula, Input, Node, Upstream
from weighbridge.core.model.aggregates import Reading, stretches_of
from weighbridge.core.quantity.number import CONTEXT, EXACT, exact_total
from weighbridge.core.quantity.unit import Unit, absolute, conversion, convert, slope
from weighbridge.core.quantity.value_source import ValueSource, least_measured
from weighbridge.core.time.instant import MILLISECOND, Interval

# What each output of a partition rests on: from the output back over formulas to inputs and draws.


Unknown = None
"""In place of contributions: something contributes of which nobody knows what it rests on."""


def contributions_of(computation: SlotComputation, one: Partition) -> Mapping[str, Contributions | None]:
    """What contributes to each output that has a value, in its unit; None where that cannot be known.

    Only the proportions count: what surely rests on nothing but captured values is told by its own size. The
    computation has no problems.
    """
    outputs = computation.model.outputs
    traced: dict[str, Traced] = {}
    contributions: dict[str, Contributions | None] = {}
    is_measured = computation.is_captured and all(map(_is_measured, computation.draws[one]))
    for node in outputs:
        amount = computation.number_of(one, node.slug)
        if amount and is_measured and node.slug in computation.setting.program.surely_contributing:
            contributions[node.slug] = {ValueSource.CAPTURED: allocation.size_of(amount)}
        elif amount is not None:
            contributions[node.slug] = _contributing(computation, one, node, traced)
    return contributions


def _is_measured(draw: Drawn) -> bool:
    """Whether all that a draw brings along rests on captured values."""
    return all(part is not None and part.keys() == {ValueSource.CAPTURED} for part in draw.rests_on)


def _contributing(
    computation: SlotComputation, one: Partition, output: Node, traced: dict[str, Traced]
) -> Contributions | None:
    """What contributes to one output; `traced` are the formulas that another one went through."""
    gradients: dict[str, Gradient] = {output.slug: Decimal(1)}
    found: list[Contributions | None] = []
    for node in reversed(computation.setting.program.nodes):
        proceed()
        if isinstance(node.body, Upstream):
            found += _of_draws(computation, one, node, gradients)
        elif node.slug in gradients:
            gradient = gradients.pop(node.slug)
            if isinstance(node.body, Formula):
                if node.slug not in traced:
                    traced[node.slug] = trace(node.body.tree, computation.environment(one))
                for name, inner in gradients_of(traced[node.slug], gradient, node.unit).items():
                    gradients[name] = plus(gradients.get(name), inner)
            elif isinstance(node.body, Input):
                found.append(_of_input(computation, one, node, gradient))
    known = [contributions for contributions in found if contributions is not None]
    return allocation.together(known) if len(known) == len(found) else Unknown


def _of_input(computation: SlotComputation, one: Partition, node: Node, gradient: Gradient) -> Contributions:
    """What an input contributes, by the sources of its data; what stands in for them contributes nothing."""
    work = computation.by_partition[one]
    own = absolute(node.unit)
    rate = slope(own, node.unit)
    if not isinstance(gradient, tuple):
        contributions = work.contributions.get(node.slug, allocation.NO_CONTRIBUTIONS)
        return allocation.times(contributions, CONTEXT.multiply(gradient, rate))
    amounts, elements = work.readings[node.slug].amount, work.arrays.get(node.slug, ())
    assert isinstance(amounts, tuple), "an array has a gradient for each element"  # noqa: S101
    measure = computation.measure(node)
    return allocation.together(
        {
            element.source(measure.value): allocation.size_of(
                CONTEXT.multiply(in_absolute_unit(amount, node.unit), CONTEXT.multiply(change, rate))
            )
        }
        for amount, element, change in zip(amounts, elements, gradient, strict=True)
        if change
    )


def _of_draws(
    computation: SlotComputation, one: Partition, node: Node, gradients: Mapping[str, Gradient]
) -> list[Contributions | None]:
    """What a node's draws contribute, and what travels along with them: what their source batches rest on."""
    draws = [draw for draw in computation.draws[one] if draw.node == node.slug]
    body = node.body
    assert isinstance(body, Upstream)  # noqa: S101 - the caller saw it
    found: list[Contributions | None] = []
    for column, name in enumerate([node.slug, *(f"{node.slug}.{slug}" for slug in body.attributes)]):
        changes = gradients.get(name, ())
        amounts = computation.by_partition[one].values[name].content
        assert isinstance(changes, tuple), "a draw is an array"  # noqa: S101
        if changes and isinstance(amounts, tuple):
            found += _of_column(draws, column, amounts, changes)
    return found


def _of_column(
    draws: Sequence[Drawn], column: int, amounts: Sequence[Content], changes: Sequence[Decimal]
) -> Iterator[Contributions | None]:
    """What one column of draws contributes: the amounts themselves, or one attribute of their sources."""
    for draw, amount, change in zip(draws, amounts, changes, strict=True):
        assert isinstance(amount, Decimal), "draws have values"  # noqa: S101
        if part := CONTEXT.multiply(amount, change):
            rests_on = draw.rests_on[column] if draw.rests_on else allocation.NO_CONTRIBUTIONS
            yield Unknown if rests_on is None else allocation.spread(part, rests_on)


# What the values of each source contribute to one input, in the unit of its data.
#
# The unit is an absolute one: degrees are counted in kelvin.


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


# What elements contribute to an aggregate that is defined by their order or by time.


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
            rates = slopes_of_median([reading.value for reading, _ in readings])
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
