"""Joins: each element of one input matched to an element of another, one to one or many to one.

Elements are matched by the same tracking id, by the same text, or by time: one's stretch holds the other's.
Only what agrees with the partition is matched.

Invariants: a joined array has one element for each of the other input; an element that is matched by none
or by two is a problem that names the events.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal

from weighbridge.core.engine.element import Element, Measure
from weighbridge.core.engine.elements import keep_elements, value_in
from weighbridge.core.engine.inputs import Shared, amount_of, contributing, settle
from weighbridge.core.engine.measured.inputs import latest
from weighbridge.core.engine.slot_computation import UNMATCHED, SlotComputation
from weighbridge.core.engine.statistics import statistics_of
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Input, Node
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.core.time.instant import Interval

Finder = Callable[[Element], Sequence[Element]]


def read_joined(computation: SlotComputation, node: Node, body: Input) -> None:
    """Give an input that is joined to another its value in every partition."""
    assert body.join is not None  # noqa: S101 - the caller saw it
    measure = computation.measure(node)
    waiting: dict[int, Element] = {}
    matched: set[int] = set()
    for one in computation.partitions:
        candidates = [
            element
            for group in computation.data.groups
            if node.slug in group.by_input and group.tags.agrees_with(one)
            for element in group.elements
            if element.values[measure.value] is not None
        ]
        waiting |= {element.event: element for element in candidates}
        # An optional input that has no data at all takes what stands in for it.
        is_absent = not candidates and (node.is_optional or node.default is not None)
        targets = () if is_absent else computation.by_partition[one].arrays.get(body.join.to, ())
        pairs = _pairs(computation, node, one, targets, _finder(body.join.on, candidates, computation, node))
        matched |= {element.event for _, element in pairs}
        _settle(computation, node, body, one, pairs)
    alone = [event for event in waiting if event not in matched]
    # What matches nothing is left alone whatever its date, unless somebody named it.
    if alone and (not body.is_any_period or computation.data.alone is not None):
        names = computation.setting.named(alone)
        sentence = f"Input {node.slug!r} has events that match nothing of {body.join.to!r}: {names}."
        computation.note(node, sentence, UNMATCHED, alone)


def _pairs(
    computation: SlotComputation, node: Node, one: Partition, targets: Sequence[Element], find: Finder
) -> list[tuple[Element, Element]]:
    """Each target with the one element that matches it; problems name the others."""
    matched = [(target, find(target)) for target in targets]
    if nothing := [target.event for target, matches in matched if not matches]:
        fact = f"has nothing that matches {computation.setting.named(nothing)}"
        computation.problem(node, fact, one, UNMATCHED, nothing)
    for target, matches in matched:
        if len(matches) > 1:
            several = [element.event for element in matches]
            named = computation.setting.named
            fact = f"matches {named([target.event])} more than once: {named(several)}"
            computation.problem(node, fact, one, UNMATCHED, (target.event, *several))
    return [(target, matches[0]) for target, matches in matched if matches]


def _settle(
    computation: SlotComputation,
    node: Node,
    body: Input,
    one: Partition,
    pairs: Sequence[tuple[Element, Element]],
) -> None:
    measure = computation.measure(node)
    elements = [element for _, element in pairs]
    computation.use(one, measure.source, elements)
    if body.is_array:
        amounts = tuple(value_in(computation, node, body, element) for element in elements)
        settle(computation, node, one, amounts, Shared())
        keep_elements(computation, node, body, one, elements)
        return
    weights = [_weight(measure, target, element) for target, element in pairs]
    values = (value_in(computation, node, body, element) for element in elements)
    sources = [_source(measure, target, element) for target, element in pairs]
    statistics = statistics_of(zip(values, weights, strict=True), sources)
    unweighted = [element.event for element, weight in zip(elements, weights, strict=True) if weight is None]
    amount = amount_of(computation, node, one, statistics, unweighted=unweighted)
    settle(computation, node, one, amount, Shared(), contributing(computation, node, statistics))


def _source(measure: Measure, target: Element, element: Element) -> ValueSource:
    """Where a value and its weight come from."""
    if measure.weight is None:
        return element.source(measure.value)
    weighed = target if measure.is_weight_of_target else element
    return latest([element.source(measure.value), weighed.source(measure.weight)])


def _weight(measure: Measure, target: Element, element: Element) -> Decimal | None:
    """What an element weighs by itself, or by what it is joined to."""
    if measure.weight is None:
        return None
    return (target if measure.is_weight_of_target else element).number(measure.weight)


def _finder(on: str, candidates: Sequence[Element], computation: SlotComputation, node: Node) -> Finder:
    if on == "interval":
        return _by_interval(candidates)
    measure = computation.measure(node)
    by_key: dict[object, list[Element]] = {}
    for element in candidates:
        key = element.tracking_id if measure.key is None else element.values[measure.key]
        if key is not None:
            by_key.setdefault(key, []).append(element)

    def find(target: Element) -> Sequence[Element]:
        key = target.tracking_id if measure.target_key is None else target.values[measure.target_key]
        return by_key.get(key, ())

    return find


def _by_interval(candidates: Sequence[Element]) -> Finder:
    """Find by bisection: what meets a stretch begins before its end, and not too long before its start."""
    ordered = sorted(candidates, key=lambda element: (element.time, element.rank))
    starts = [element.time.start for element in ordered]
    longest = max((element.time.end - element.time.start for element in ordered), default=timedelta())

    def find(target: Element) -> Sequence[Element]:
        first = bisect_left(starts, target.time.start - longest)
        last = bisect_right(starts, target.time.end)
        return [element for element in ordered[first:last] if _fits(element.time, target.time)]

    return find


def _fits(one: Interval, other: Interval) -> bool:
    return one == other or one.holds(other) or other.holds(one)
