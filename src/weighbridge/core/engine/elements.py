"""Inputs that are computed from their elements, one by one: arrays, order, time, and what reaches over."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import partial

from weighbridge.core.engine.element_rates import (
    Pair,
    classify_element,
    compute_slot_value,
    rate_element,
    rate_readings,
    rate_sources,
)
from weighbridge.core.engine.input_reads import KeptReading, ReadGroup
from weighbridge.core.engine.inputs import (
    SharedAmount,
    aggregate_own_statistics,
    compute_rates,
    contribute_definition,
    describe_basis,
    find_least_measured,
    is_own,
    list_value_sources,
    settle,
    share_whole,
)
from weighbridge.core.engine.meters import CountedAmount, compute_coverage, count_totalisers
from weighbridge.core.engine.reading_families import PointRead
from weighbridge.core.engine.slot_computation import (
    NOT_COMPUTABLE,
    UNCOVERED,
    UNMATCHED,
    Element,
    FilledBasis,
    Measure,
    SlotComputation,
    measure_hours,
    measure_hours_inside,
)
from weighbridge.core.engine.stated_values import (
    LINEAR,
    NO_BASIS,
    Basis,
    RatedPart,
    RatedReading,
    StatedClass,
    add_bases,
    add_moments,
    compute_filled_moments,
    compute_rated_components,
)
from weighbridge.core.engine.statistics import NOTHING, Statistics, compute_statistics
from weighbridge.core.ledger.allocation import Partition, ValueSource
from weighbridge.core.model import Aggregate, Amount, BoundaryPolicy, Input, Node, aggregates
from weighbridge.core.number import EXACT, ZERO, total
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
                _describe_statistics(computation, node, body, statistics, [(one, one) for one in valued]),
                _keep_reads(computation, node, body, [(element, element) for element in valued]),
            )
    for agreeing in computation.partitions:
        own_elements[agreeing].sort(key=lambda element: element.rank)
        amount = _aggregate_own_elements(computation, node, agreeing, own_elements[agreeing])
        basis = _describe_elements(computation, node, body, own_elements[agreeing])
        read = _keep_reads(computation, node, body, [(one, one) for one in own_elements[agreeing]])
        own = () if read is None else (read,)
        _settle_checked(
            computation, node, agreeing, amount, all_elements[agreeing], shared[agreeing], basis, own
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
    # A reading ends what is counted in one slot and begins the next: what it has alone belongs to both.
    classify = None
    if computation.setting.is_uncertain:
        classify = partial(_classify_reading, computation, node)
    is_shared = computation.is_shared(PointRead(node.slug))
    counted = count_totalisers(
        node.slug, groups, measure, computation.data.slot, classify, is_shared=is_shared
    )
    for group, metered in zip(groups, counted, strict=True):
        partitions = computation.agreeing(group)
        for agreeing in partitions:
            all_elements[agreeing] += [
                element for element in group.elements if element.values[measure.value] is not None
            ]
            computation.use(agreeing, measure.source, metered.elements)
            if metered.amount is not None and is_own(computation, body, group):
                own_counted[agreeing].append(metered)
        if partitions and metered.amount is not None and not is_own(computation, body, group):
            read = _keep_counted(computation, node, metered)
            share_whole(computation, node, metered.amount, partitions, shared, metered.basis, read)
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
        basis = add_bases([metered.basis for metered in own_counted[agreeing]])
        reads = (_keep_counted(computation, node, metered) for metered in own_counted[agreeing])
        own = tuple(read for read in reads if read is not None)
        _settle_checked(
            computation, node, agreeing, amount, all_elements[agreeing], shared[agreeing], basis, own
        )


def _keep_counted(computation: SlotComputation, node: Node, metered: CountedAmount) -> ReadGroup | None:
    """What a totaliser counted as a group that was read, where that is asked for."""
    if not computation.setting.keeps_reads:
        return None
    index = computation.measure(node).value
    values = tuple(
        KeptReading(
            element.number(index) or ZERO,
            element.event,
            element.time,
            element.meter,
            _classify_reading(computation, node, element),
        )
        for element in metered.elements
    )
    return ReadGroup(values, metered.rates)


def _keep_reads(
    computation: SlotComputation, node: Node, body: Input, pairs: Sequence[tuple[Element, Element]]
) -> ReadGroup | None:
    """Elements as a group that was read, where that is asked for; each after what it is joined to."""
    if not computation.setting.keeps_reads or not pairs:
        return None
    measure = computation.measure(node)
    values = []
    for target, element in pairs:
        weighing = target if measure.is_weight_of_target else element
        stated = classify_element(computation, node, element, weighing)
        filled = element.filled.get(measure.value, FilledBasis())
        if filled.sources or filled.statements is not None:
            stated = replace(stated, statements=filled.statements or ())
        values.append(
            KeptReading(
                compute_slot_value(computation, node, body, element),
                element.event,
                element.time,
                element.meter,
                stated,
                None if measure.weight is None else weighing.number(measure.weight),
                weighing.event,
                tuple(rate_sources(computation, node, element, Decimal(1))) if filled.sources else (),
            )
        )
    return ReadGroup(tuple(values))


def _classify_reading(computation: SlotComputation, node: Node, element: Element) -> StatedClass:
    """Say what a reading of a totaliser states of its uncertainty."""
    return computation.classify(node, element, computation.setting.named([element.event]))


def _settle_checked(
    computation: SlotComputation,
    node: Node,
    partition: Partition,
    amount: Amount,
    elements: Sequence[Element],
    shared: SharedAmount,
    basis: Basis,
    own: Sequence[ReadGroup] = (),
) -> None:
    """Store an amount; data without a result, or with gaps in the slot, are a problem."""
    body = node.body
    assert isinstance(body, Input)  # noqa: S101 - only inputs have elements
    has_none = amount is None and shared.part is None
    if has_none and elements and not node.is_optional and node.default is None:
        fact = f"has {len(elements)} values, but no {body.aggregate} over the slot"
        computation.problem(node, fact, partition, NOT_COMPUTABLE)
    _check_coverage(computation, node, body, partition, elements)
    settle(computation, node, partition, amount, shared, basis, own)


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


def _describe_elements(
    computation: SlotComputation, node: Node, body: Input, elements: Sequence[Element]
) -> Basis:
    """Return what one number rests on, in the unit of the data; nothing if not requested."""
    setting = computation.setting
    if body.is_array or not (setting.says_contributions or setting.is_uncertain):
        return NO_BASIS
    if body.aggregate in _BY_STATISTICS:
        statistics = _compute_statistics(computation, node, body, elements)
        pairs = [(element, element) for element in elements]
        return _describe_statistics(computation, node, body, statistics, pairs)
    readings = _list_readings(computation, node, body, elements)
    slot, measure = computation.data.slot, computation.measure(node)
    contributions = contribute_definition(body.aggregate, readings, slot, measure)
    if not setting.is_uncertain:
        return Basis(contributions)
    rated = [
        value
        for index, rate in compute_rates(body.aggregate, readings, slot)
        for value in rate_element(computation, node, readings[index][1], rate, readings[index][0].value)
    ]
    components = compute_rated_components(node.slug, rated, measure.unit)
    read = PointRead(node.slug)
    if not computation.is_shared(read):
        return Basis(contributions, components)
    part = RatedPart(read, tuple(rated), measure.unit)
    return Basis(
        contributions, {effect: one for effect, one in components.items() if not effect.owner}, (part,)
    )


def _describe_statistics(
    computation: SlotComputation, node: Node, body: Input, statistics: Statistics, pairs: Sequence[Pair]
) -> Basis:
    """Return what an aggregate of sums rests on, with the readings that other inputs may read, too."""
    basis = describe_basis(computation, node, statistics)
    rated = rate_readings(computation, node, body, pairs) if computation.setting.is_uncertain else ()
    return replace(basis, rated=rated) if rated else basis


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
    if not elements:
        return NOTHING
    statistics = compute_statistics(
        (
            (
                compute_slot_value(computation, node, body, element),
                None if weight is None else element.number(weight),
            )
            for element in elements
        ),
        list_value_sources(elements, computation.measure(node)),
        [_classify_summed(computation, node, body, element) for element in elements]
        if computation.setting.is_uncertain
        else (),
    )
    return _add_filled(computation, node, body, [(element, element) for element in elements], statistics)


def _classify_summed(
    computation: SlotComputation, node: Node, body: Input, element: Element, weighing: Element | None = None
) -> StatedClass:
    """Say what an element states where it is summed; one that rests on others states nothing by itself."""
    stated = classify_element(computation, node, element, weighing)
    filled = element.filled.get(computation.measure(node).value)
    if filled is None or body.aggregate not in LINEAR:
        return stated
    return replace(stated, statements=filled.statements or ())


def _add_filled(
    computation: SlotComputation, node: Node, body: Input, pairs: Sequence[Pair], statistics: Statistics
) -> Statistics:
    """The statistics, with what the readings add that values rest on which rules put in."""
    measure = computation.measure(node)
    is_filled = any(measure.value in element.filled for _, element in pairs)
    if not is_filled or not computation.setting.is_uncertain or body.aggregate not in LINEAR:
        return statistics
    readings: list[RatedReading] = []
    own_rates: dict[int, Decimal] = {}
    for target, element in pairs:
        weight = _read_weight(measure, target, element)
        rate = Decimal(1) if measure.weight is None else weight or ZERO
        if measure.value in element.filled:
            readings += rate_sources(computation, node, element, rate)
        else:
            own_rates[element.event] = EXACT.add(own_rates.get(element.event, ZERO), rate)
    moments = add_moments(statistics.moments, compute_filled_moments(readings, own_rates))
    return replace(statistics, moments=moments)


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
    read = _keep_reads(computation, node, body, pairs)
    own = () if read is None else (read,)
    if body.is_array:
        amounts = tuple(compute_slot_value(computation, node, body, element) for element in elements)
        settle(computation, node, partition, amounts, SharedAmount(), own=own)
        keep_elements(computation, node, body, partition, elements)
        return
    weights = [_read_weight(measure, target, element) for target, element in pairs]
    values = (compute_slot_value(computation, node, body, element) for element in elements)
    sources = [_determine_source(measure, target, element) for target, element in pairs]
    classes = [
        _classify_summed(computation, node, body, element, target if measure.is_weight_of_target else None)
        for target, element in (pairs if computation.setting.is_uncertain else ())
    ]
    statistics = compute_statistics(zip(values, weights, strict=True), sources, classes)
    statistics = _add_filled(computation, node, body, pairs, statistics)
    unweighted = [element.event for element, weight in zip(elements, weights, strict=True) if weight is None]
    amount = aggregate_own_statistics(computation, node, partition, statistics, unweighted=unweighted)
    basis = _describe_statistics(computation, node, body, statistics, pairs)
    settle(computation, node, partition, amount, SharedAmount(), basis, own)


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
