"""How fast an input changes with each of its readings, one by one, and what these state of their uncertainty.

A value that a rule put in changes an input by the readings that it rests on. Where inputs share readings, it
is by these rates that they find what they have in common: a sum changes with each value at 1, an average at
1 / n, a weighted average at w / W and with each weight at (v - A) / W, a least or greatest value with one
reading that has it.

Invariants: rates are exact; what all of them are divided by is kept beside them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from weighbridge.core.engine.reading_families import PointRead
from weighbridge.core.engine.slot_computation import Element, SlotComputation, prorate_value
from weighbridge.core.engine.stated_values import (
    LINEAR,
    RatedPart,
    RatedReading,
    RatedValue,
    StatedClass,
    find_least_known,
)
from weighbridge.core.model import Aggregate, BoundaryPolicy, Input, Node
from weighbridge.core.number import CONTEXT, EXACT, ZERO, exact_total

Pair = tuple[Element, Element]
"""What an element is joined to, or itself, and the element."""


def compute_slot_value(computation: SlotComputation, node: Node, body: Input, element: Element) -> Decimal:
    """What an element counts for in the slot."""
    index = computation.measure(node).value
    if body.aggregate is Aggregate.COUNT:
        return Decimal(1)
    value = element.number(index)
    assert value is not None, "elements without a value were left out"  # noqa: S101
    if body.straddle is BoundaryPolicy.PRORATE and body.aggregate is not Aggregate.TIME_WEIGHTED:
        return prorate_value(value, element.time, computation.data.slot)
    return value


def classify_element(
    computation: SlotComputation, node: Node, element: Element, weighing: Element | None = None
) -> StatedClass:
    """Say what the value of an element states of its uncertainty."""
    return computation.classify(node, element, computation.name_owner(computation.tag(element)), weighing)


def rate_element(
    computation: SlotComputation, node: Node, element: Element, rate: Decimal, value: Decimal
) -> Iterator[RatedValue]:
    """List what changes something at a rate by the value of an element: it, or what it rests on."""
    filled = element.filled.get(computation.measure(node).value)
    if filled is None or not filled.sources:
        stated = classify_element(computation, node, element)
        if filled is not None and filled.statements is not None:
            stated = replace(stated, statements=filled.statements)
        yield RatedValue(rate, value, stated, element.event)
        return
    for reading in rate_sources(computation, node, element, rate):
        yield RatedValue(reading.rate, reading.value, reading.stated, reading.key)


def rate_sources(
    computation: SlotComputation, node: Node, element: Element, rate: Decimal
) -> Iterator[RatedReading]:
    """List the readings that the value of an element rests on, where it changes something at a rate."""
    measure = computation.measure(node)
    filled = element.filled[measure.value]
    owner = computation.name_owner(computation.tag(element))
    for source, weight in filled.sources:
        value = source.number(measure.value)
        assert value is not None, "a source has a value"  # noqa: S101
        statements = source.list_statements(measure.value, measure.statements, measure.calibrations)
        stated = StatedClass(owner, statements)
        yield RatedReading(source.event, CONTEXT.multiply(rate, weight), value, stated)


def rate_readings(
    computation: SlotComputation, node: Node, body: Input, pairs: Sequence[Pair]
) -> tuple[RatedPart, ...]:
    """Rate an aggregate of sums by each of its readings, as far as other inputs may read them too."""
    reads = [read for read in (PointRead(node.slug), PointRead(node.slug, body.weight)) if pairs]
    shared = [read for read in dict.fromkeys(reads) if computation.is_shared(read)]
    return tuple(
        part
        for read in shared
        if (
            part := _rate_values(computation, node, body, pairs)
            if read.weight is None
            else _rate_weights(computation, node, body, pairs)
        )
        is not None
    )


def _rate_values(
    computation: SlotComputation, node: Node, body: Input, pairs: Sequence[Pair]
) -> RatedPart | None:
    read, unit = PointRead(node.slug), computation.measure(node).unit
    if body.aggregate not in LINEAR:
        return RatedPart(read, (_rate_extreme(computation, node, body, pairs),), unit)
    weights = _list_weights(computation, node, body, pairs)
    divisor = exact_total(weights) if body.aggregate is Aggregate.AVERAGE else Decimal(1)
    if not divisor:
        return None
    rated = (
        value
        for weight, (_, element) in zip(weights, pairs, strict=True)
        for value in _rate_value(computation, node, body, element, weight)
    )
    return RatedPart(read, tuple(rated), unit, CONTEXT.divide(Decimal(1), divisor))


def _rate_value(
    computation: SlotComputation, node: Node, body: Input, element: Element, rate: Decimal
) -> Iterator[RatedValue]:
    value = compute_slot_value(computation, node, body, element)
    for one in rate_element(computation, node, element, rate, value):
        yield replace(one, stated=StatedClass(one.stated.owner, one.stated.statements))


def _rate_extreme(computation: SlotComputation, node: Node, body: Input, pairs: Sequence[Pair]) -> RatedValue:
    """Rate a least or greatest value: of equal ones the least well known, the first of those."""
    values = [compute_slot_value(computation, node, body, element) for _, element in pairs]
    extreme = min(values) if body.aggregate is Aggregate.MIN else max(values)
    events: dict[StatedClass, int] = {}
    for value, (target, element) in zip(values, pairs, strict=True):
        if value == extreme:
            events.setdefault(classify_element(computation, node, element, target), element.event)
    stated = find_least_known(events, extreme, computation.measure(node).unit)
    return RatedValue(Decimal(1), extreme, StatedClass(stated.owner, stated.statements), events[stated])


def _rate_weights(
    computation: SlotComputation, node: Node, body: Input, pairs: Sequence[Pair]
) -> RatedPart | None:
    weights = _list_weights(computation, node, body, pairs)
    whole = exact_total(weights)
    if not whole:
        return None
    measure = computation.measure(node)
    values = [compute_slot_value(computation, node, body, element) for _, element in pairs]
    weighted = exact_total(
        EXACT.multiply(value, weight) for value, weight in zip(values, weights, strict=True)
    )
    average = CONTEXT.divide(weighted, whole)
    rated = []
    for value, weight, (target, element) in zip(values, weights, pairs, strict=True):
        weighing = target if measure.is_weight_of_target else element
        stated = classify_element(computation, node, element, weighing)
        own = StatedClass(stated.owner, stated.weight_statements)
        rated.append(RatedValue(EXACT.subtract(value, average), weight, own, weighing.event))
    read = PointRead(node.slug, body.weight)
    return RatedPart(read, tuple(rated), measure.weight_unit, CONTEXT.divide(Decimal(1), whole))


def _list_weights(
    computation: SlotComputation, node: Node, body: Input, pairs: Sequence[Pair]
) -> list[Decimal]:
    """The weights of values; 1 each without weights, 0 of one that is missing."""
    measure = computation.measure(node)
    if measure.weight is None or body.aggregate is not Aggregate.AVERAGE:
        return [Decimal(1)] * len(pairs)
    return [
        (target if measure.is_weight_of_target else element).number(measure.weight) or ZERO
        for target, element in pairs
    ]
