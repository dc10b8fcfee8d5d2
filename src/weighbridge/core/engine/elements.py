"""Inputs that are computed from their elements, one by one: arrays, order, time, and what reaches over."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from datetime import timedelta
from decimal import Decimal

from weighbridge.core.engine.inputs import (
    SharedAmount,
    aggregate_own_statistics,
    contribute_definition,
    contributing,
    find_least_measured,
    is_own,
    list_value_sources,
    settle,
    share_whole,
)
from weighbridge.core.engine.meters import CountedAmount, compute_coverage, count_totalisers
from weighbridge.core.engine.slot_computation import (
    NOT_COMPUTABLE,
    NOTHING,
    UNCOVERED,
    UNMATCHED,
    Element,
    Measure,
    SlotComputation,
    Statistics,
    compute_statistics,
    measure_hours,
    measure_hours_inside,
    prorate_value,
)
from weighbridge.core.ledger.allocation import (
    NO_CONTRIBUTIONS,
    Contributions,
    Partition,
    ValueSource,
    add_contributions,
)
from weighbridge.core.model import Aggregate, Amount, BoundaryPolicy, Input, Node, aggregates
from weighbridge.core.number import ZERO, total
from weighbridge.core.time.calendar import Interval

_BY_STATISTICS = frozenset({Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MIN, Aggregate.MAX, Aggregate.COUNT})
_HELD = frozenset({Aggregate.TIME_WEIGHTED, Aggregate.DELTA})
"""Aggregates of readings that apply until the next one."""


def read_elements(computation: SlotComputation, node: Node, body: Input) -> None:
    """Give an input its value in every partition, from the elements of groups."""
    measure = computation.measure(node)
    own_elements: dict[Partition, list[Element]] = {partition: [] for partition in computation.partitions}
    all_elements: dict[Partition, list[Element]] = {partition: [] for partition in computation.partitions}
    shared = {partition: SharedAmount() for partition in computation.partitions}
    for group in computation.data.groups:
        if node.slug not in group.by_input:
            continue
        partitions = computation.agreeing(group)
        valued = [element for element in group.elements if element.values[measure.value] is not None]
        for agreeing in partitions:
            computation.use(agreeing, measure.source, group.elements)
            all_elements[agreeing] += valued
            if is_own(computation, body, group):
                own_elements[agreeing] += valued
        if partitions and valued and not is_own(computation, body, group):
            statistics = _compute_statistics(computation, node, body, valued)
            group_total = Decimal(len(valued)) if body.aggregate is Aggregate.COUNT else statistics.total
            share_whole(
                computation,
                node,
                group_total,
                partitions,
                shared,
                contributing(computation, node, statistics),
            )
    for agreeing in computation.partitions:
        own_elements[agreeing].sort(key=lambda element: element.rank)
        amount = _aggregate_own_elements(computation, node, agreeing, own_elements[agreeing])
        contributions = _compute_contributions(computation, node, body, own_elements[agreeing])
        _settle_checked(
            computation, node, agreeing, amount, all_elements[agreeing], shared[agreeing], contributions
        )
        if body.is_array:
            keep_elements(computation, node, body, agreeing, own_elements[agreeing])


def read_totalisers(computation: SlotComputation, node: Node, body: Input) -> None:
    """Give an input that counts from reading to reading its value in every partition."""
    measure = computation.measure(node)
    own_counted: dict[Partition, list[CountedAmount]] = {
        partition: [] for partition in computation.partitions
    }
    all_elements: dict[Partition, list[Element]] = {partition: [] for partition in computation.partitions}
    shared = {partition: SharedAmount() for partition in computation.partitions}
    groups = [group for group in computation.data.groups if node.slug in group.by_input]
    for group, metered in zip(groups, count_totalisers(groups, measure, computation.data.slot), strict=True):
        partitions = computation.agreeing(group)
        for agreeing in partitions:
            all_elements[agreeing] += [
                element for element in group.elements if element.values[measure.value] is not None
            ]
            computation.use(agreeing, measure.source, metered.elements)
            if metered.amount is not None and is_own(computation, body, group):
                own_counted[agreeing].append(metered)
        if partitions and metered.amount is not None and not is_own(computation, body, group):
            share_whole(computation, node, metered.amount, partitions, shared, metered.contributions)
    for agreeing in computation.partitions:
        if node in computation.model.partitioning and not computation.uses(agreeing, measure.source):
            # Readings that count for nothing still are why the partition runs.
            computation.use(
                agreeing,
                measure.source,
                [element for element in all_elements[agreeing] if element.is_of_slot],
            )
        amount = (
            total(metered.amount or ZERO for metered in own_counted[agreeing])
            if own_counted[agreeing]
            else None
        )
        contributions = add_contributions(metered.contributions for metered in own_counted[agreeing])
        _settle_checked(
            computation, node, agreeing, amount, all_elements[agreeing], shared[agreeing], contributions
        )


def _settle_checked(
    computation: SlotComputation,
    node: Node,
    partition: Partition,
    amount: Amount,
    elements: Sequence[Element],
    shared: SharedAmount,
    contributions: Contributions,
) -> None:
    """Store an amount; data without a result, or with gaps in the slot, are a problem."""
    body = node.body
    assert isinstance(body, Input)  # noqa: S101 - only inputs have elements
    has_none = amount is None and shared.part is None
    if has_none and elements and not node.is_optional and node.default is None:
        fact = f"has {len(elements)} values, but no {body.aggregate} over the slot"
        computation.problem(node, fact, partition, NOT_COMPUTABLE)
    _check_coverage(computation, node, body, partition, elements)
    settle(computation, node, partition, amount, shared, contributions)


def keep_elements(
    computation: SlotComputation, node: Node, body: Input, partition: Partition, elements: Sequence[Element]
) -> None:
    """Keep the elements of an array, and how long each of them lasts."""
    is_divided = body.straddle is BoundaryPolicy.PRORATE
    slot = computation.data.slot
    computation.keep_array(
        node.slug,
        partition,
        elements,
        (
            measure_hours_inside(element.time, slot) if is_divided else measure_hours(element.time)
            for element in elements
        ),
    )


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


def _compute_contributions(
    computation: SlotComputation, node: Node, body: Input, elements: Sequence[Element]
) -> Contributions:
    """Return the contributions to one number, in the unit of the data; empty if not requested."""
    if not computation.setting.says_contributions or body.is_array:
        return NO_CONTRIBUTIONS
    if body.aggregate in _BY_STATISTICS:
        return contributing(computation, node, _compute_statistics(computation, node, body, elements))
    readings = _list_readings(computation, node, body, elements)
    return contribute_definition(body.aggregate, readings, computation.data.slot, computation.measure(node))


def _aggregate_own_elements(
    computation: SlotComputation, node: Node, partition: Partition, elements: Sequence[Element]
) -> Amount:
    """What a partition's own elements come to, in the unit of their values; None when there are none."""
    body = node.body
    assert isinstance(body, Input)  # noqa: S101 - only inputs have elements
    if body.is_array:
        return tuple(compute_slot_value(computation, node, body, element) for element in elements)
    if body.aggregate in _BY_STATISTICS:
        statistics = _compute_statistics(computation, node, body, elements)
        return aggregate_own_statistics(
            computation,
            node,
            partition,
            statistics,
            unweighted=_list_unweighted_events(computation, node, elements),
        )
    return _compute_definition(computation, node, body, elements) if elements else None


def _compute_statistics(
    computation: SlotComputation, node: Node, body: Input, elements: Sequence[Element]
) -> Statistics:
    weight = computation.measure(node).weight
    return (
        compute_statistics(
            (
                (
                    compute_slot_value(computation, node, body, element),
                    None if weight is None else element.number(weight),
                )
                for element in elements
            ),
            list_value_sources(elements, computation.measure(node)),
        )
        if elements
        else NOTHING
    )


def _list_unweighted_events(
    computation: SlotComputation, node: Node, elements: Sequence[Element]
) -> list[int]:
    """The events that have no weight."""
    weight = computation.measure(node).weight
    return [] if weight is None else [element.event for element in elements if element.number(weight) is None]


def _compute_definition(
    computation: SlotComputation, node: Node, body: Input, elements: Sequence[Element]
) -> Decimal | None:
    """The aggregate as its definition computes it."""
    readings = [reading for reading, _ in _list_readings(computation, node, body, elements)]
    value = aggregates.aggregate_readings(body.aggregate, readings, computation.data.slot)
    assert not isinstance(value, tuple), "arrays are read before"  # noqa: S101
    return value


def _list_readings(
    computation: SlotComputation, node: Node, body: Input, elements: Sequence[Element]
) -> list[tuple[aggregates.Reading, Element]]:
    """Elements with what they read in the slot."""
    return [
        (aggregates.Reading(element.time, value, meter=element.meter), element)
        for element in elements
        for value in [compute_slot_value(computation, node, body, element)]
    ]


def _check_coverage(
    computation: SlotComputation, node: Node, body: Input, partition: Partition, elements: Sequence[Element]
) -> None:
    """Time that the data leave uncovered or cover twice is a missing input."""
    measure = computation.measure(node)
    if not measure.coverage or not elements or computation.data.slot.is_reading:
        return
    covered = compute_coverage(
        elements,
        computation.data.slot,
        measure.cadence,
        computation.setting.zone,
        is_held=body.aggregate in _HELD,
    )
    if not covered.reaches(measure.coverage):
        computation.problem(node, f"does not cover the slot: {covered.fault}", partition, UNCOVERED)


# Joins: each element of one input matched to an element of another, one to one or many to one.
#
# Elements are matched by the same tracking id, by the same text, or by time: one's stretch holds the
# other's. Only what agrees with the partition is matched.
#
# Invariants: a joined array has one element for each of the other input; an element that is matched by none
# or by two is a problem that names the events.


Finder = Callable[[Element], Sequence[Element]]


def read_joined(computation: SlotComputation, node: Node, body: Input) -> None:
    """Give an input that is joined to another its value in every partition."""
    assert body.join is not None  # noqa: S101 - the caller saw it
    measure = computation.measure(node)
    unmatched: dict[int, Element] = {}
    matched: set[int] = set()
    for partition in computation.partitions:
        candidates = [
            element
            for group in computation.data.groups
            if node.slug in group.by_input and group.tags.agrees_with(partition)
            for element in group.elements
            if element.values[measure.value] is not None
        ]
        unmatched |= {element.event: element for element in candidates}
        # An optional input that has no data at all takes its default.
        is_absent = not candidates and (node.is_optional or node.default is not None)
        targets = () if is_absent else computation.by_partition[partition].arrays.get(body.join.to, ())
        pairs = _match_pairs(
            computation, node, partition, targets, _build_finder(body.join.on, candidates, computation, node)
        )
        matched |= {element.event for _, element in pairs}
        _settle(computation, node, body, partition, pairs)
    alone = [event for event in unmatched if event not in matched]
    # An event without a match is ignored, unless a caller named it.
    if alone and (not body.is_any_period or computation.data.alone is not None):
        names = computation.setting.named(alone)
        sentence = f"Input {node.slug!r} has events that match nothing of {body.join.to!r}: {names}."
        computation.note(node, sentence, UNMATCHED, alone)


def _match_pairs(
    computation: SlotComputation, node: Node, partition: Partition, targets: Sequence[Element], find: Finder
) -> list[tuple[Element, Element]]:
    """Each target with the one element that matches it; problems name the others."""
    matched = [(target, find(target)) for target in targets]
    if unmatched := [target.event for target, matches in matched if not matches]:
        fact = f"has nothing that matches {computation.setting.named(unmatched)}"
        computation.problem(node, fact, partition, UNMATCHED, unmatched)
    for target, matches in matched:
        if len(matches) > 1:
            several = [element.event for element in matches]
            named = computation.setting.named
            fact = f"matches {named([target.event])} more than once: {named(several)}"
            computation.problem(node, fact, partition, UNMATCHED, (target.event, *several))
    return [(target, matches[0]) for target, matches in matched if matches]


def _settle(
    computation: SlotComputation,
    node: Node,
    body: Input,
    partition: Partition,
    pairs: Sequence[tuple[Element, Element]],
) -> None:
    measure = computation.measure(node)
    elements = [element for _, element in pairs]
    computation.use(partition, measure.source, elements)
    if body.is_array:
        amounts = tuple(compute_slot_value(computation, node, body, element) for element in elements)
        settle(computation, node, partition, amounts, SharedAmount())
        keep_elements(computation, node, body, partition, elements)
        return
    weights = [_read_weight(measure, target, element) for target, element in pairs]
    values = (compute_slot_value(computation, node, body, element) for element in elements)
    sources = [_determine_source(measure, target, element) for target, element in pairs]
    statistics = compute_statistics(zip(values, weights, strict=True), sources)
    unweighted = [element.event for element, weight in zip(elements, weights, strict=True) if weight is None]
    amount = aggregate_own_statistics(computation, node, partition, statistics, unweighted=unweighted)
    settle(computation, node, partition, amount, SharedAmount(), contributing(computation, node, statistics))


def _determine_source(measure: Measure, target: Element, element: Element) -> ValueSource:
    """Where a value and its weight come from."""
    if measure.weight is None:
        return element.source(measure.value)
    weighing_element = target if measure.is_weight_of_target else element
    return find_least_measured([element.source(measure.value), weighing_element.source(measure.weight)])


def _read_weight(measure: Measure, target: Element, element: Element) -> Decimal | None:
    """What an element weighs by itself, or by what it is joined to."""
    if measure.weight is None:
        return None
    return (target if measure.is_weight_of_target else element).number(measure.weight)


def _build_finder(on: str, candidates: Sequence[Element], computation: SlotComputation, node: Node) -> Finder:
    if on == "interval":
        return _build_interval_finder(candidates)
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


def _build_interval_finder(candidates: Sequence[Element]) -> Finder:
    """Find by bisection: what meets a stretch begins before its end, and not too long before its start."""
    sorted_candidates = sorted(candidates, key=lambda element: (element.time, element.rank))
    starts = [element.time.start for element in sorted_candidates]
    longest = max(
        (element.time.end - element.time.start for element in sorted_candidates), default=timedelta()
    )

    def find(target: Element) -> Sequence[Element]:
        first = bisect_left(starts, target.time.start - longest)
        last = bisect_right(starts, target.time.end)
        return [
            element
            for element in sorted_candidates[first:last]
            if _are_overlapping_or_equal(element.time, target.time)
        ]

    return find


def _are_overlapping_or_equal(interval: Interval, other: Interval) -> bool:
    return interval == other or interval.holds(other) or other.holds(interval)
