"""Inputs: data points of one type, aggregated into a value in each partition.

First how much the values of each source contribute to one input.

Then the inputs of which PostgreSQL made statistics, group by group: sums, averages, extremes and counts of
whole events. What belongs to no single partition is repeated or shared.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from weighbridge.core.engine.input_reads import InputReads, ReadGroup, SharedGroup
from weighbridge.core.engine.reading_families import PointRead
from weighbridge.core.engine.slot_computation import (
    CHANGING,
    MISSING,
    NOT_COMPUTABLE,
    UNMATCHED,
    Element,
    Group,
    Measure,
    NodeReading,
    SlotComputation,
    StaticValue,
    name_partition,
)
from weighbridge.core.engine.stated_values import (
    NO_BASIS,
    Basis,
    OwnErrorNames,
    add_bases,
    compute_aggregate_components,
    multiply_basis,
)
from weighbridge.core.engine.statistics import NOTHING, Statistics
from weighbridge.core.expression import ExpressionError
from weighbridge.core.expression.functions import differentiate_median
from weighbridge.core.expression.value import Content
from weighbridge.core.ledger.allocation import (
    NO_CONTRIBUTIONS,
    AllocationError,
    Contributions,
    Partition,
    ValueSource,
    add_contributions,
    divide,
    find_magnitude,
)
from weighbridge.core.model import (
    Aggregate,
    Amount,
    Dimension,
    Input,
    Node,
    Share,
    StaticInput,
)
from weighbridge.core.model.aggregates import Reading, list_stretches
from weighbridge.core.number import CONTEXT, EXACT, ZERO, exact_total, plain
from weighbridge.core.time.calendar import MILLISECOND, Instant, Interval
from weighbridge.core.unit import ONE, Unit, convert, convert_by, find_absolute, find_conversion

_RANKS: Final = {source: rank for rank, source in enumerate(ValueSource)}


# What the values of each source contribute to one input, in the unit of its data.
#
# The unit is an absolute one: degrees are counted in kelvin.


Term = tuple[Decimal, ValueSource]
"""What a value makes of an aggregate, and where it comes from."""


def contribute_statistics(body: Input, statistics: Statistics, unit: Unit) -> Contributions:
    """What contributes to an aggregate of whole events."""
    if not statistics.count:
        return NO_CONTRIBUTIONS
    parts = statistics.of_sources
    match body.aggregate:
        case Aggregate.COUNT:
            return {source: Decimal(part.count) for source, part in parts.items()}
        case Aggregate.MIN | Aggregate.MAX:
            return _contribute_extreme(body.aggregate, statistics, unit)
    divisor = Decimal(1)
    if body.aggregate is Aggregate.AVERAGE:
        divisor = find_magnitude(statistics.weight) if body.weight else Decimal(statistics.count)
    if not divisor:
        return NO_CONTRIBUTIONS
    is_weighted = body.aggregate is Aggregate.AVERAGE and body.weight is not None
    return {
        source: CONTEXT.divide(_add_magnitudes(part, unit, is_weighted=is_weighted), divisor)
        for source, part in parts.items()
    }


def contribute_terms(terms: Iterable[Term]) -> Contributions:
    """What contributes to a sum of terms."""
    return add_contributions({source: find_magnitude(term)} for term, source in terms)


def convert_to_absolute(value: Decimal, unit: Unit) -> Decimal:
    """A value in the absolute unit of its own unit."""
    return value if unit.is_absolute else convert(value, unit, find_absolute(unit))


def find_least_measured(sources: Iterable[ValueSource]) -> ValueSource:
    """Return the source of a value that is made of several: the one that is furthest from measured."""
    return max(sources, key=_RANKS.__getitem__, default=ValueSource.CAPTURED)


def _contribute_extreme(aggregate: Aggregate, statistics: Statistics, unit: Unit) -> Contributions:
    least = aggregate is Aggregate.MIN
    value = statistics.least if least else statistics.greatest
    held = [
        source
        for source, part in statistics.of_sources.items()
        if (part.least if least else part.greatest) == value
    ]
    return (
        {} if value is None else {find_least_measured(held): find_magnitude(convert_to_absolute(value, unit))}
    )


def _add_magnitudes(part: Statistics, unit: Unit, *, is_weighted: bool) -> Decimal:
    """The terms of a sum without their signs, added."""
    total, count = (part.weighted, part.weight) if is_weighted else (part.total, Decimal(part.count))
    if unit.is_absolute:
        return EXACT.subtract(total, EXACT.multiply(Decimal(2), part.negative))
    rise, shift, divisor = find_conversion(unit, find_absolute(unit))
    degrees = EXACT.add(EXACT.multiply(total, rise), EXACT.multiply(count, shift))
    return find_magnitude(CONTEXT.divide(degrees, divisor))


# What elements contribute to an aggregate that is defined by their order or by time.


ReadElement = tuple[Reading, Element]
"""What an element reads in the slot, and the element."""


def contribute_definition(
    aggregate: Aggregate, readings: Sequence[ReadElement], slot: Interval, measure: Measure
) -> Contributions:
    """What contributes to a first, last or middle value or to a mean over time, in the unit of the data."""
    return contribute_terms(
        (
            CONTEXT.multiply(rate, convert_to_absolute(readings[index][0].value, measure.unit)),
            readings[index][1].source(measure.value),
        )
        for index, rate in compute_rates(aggregate, readings, slot)
    )


def list_value_sources(elements: Sequence[Element], measure: Measure) -> list[ValueSource]:
    """Where the values of elements come from, with their weights; empty when all were captured."""
    if not any(element.sources for element in elements):
        return []
    point_indices = [measure.value] if measure.weight is None else [measure.value, measure.weight]
    return [find_least_measured([element.source(index) for index in point_indices]) for element in elements]


def compute_rates(
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
            rates = differentiate_median([reading.value for reading, _ in readings])
            yield from ((index, rate) for index, rate in enumerate(rates) if rate)
        case Aggregate.TIME_WEIGHTED:
            yield from _weigh_by_time(readings, slot)


def _weigh_by_time(readings: Sequence[ReadElement], slot: Interval) -> Iterator[tuple[int, Decimal]]:
    """Return the part of the time that each reading covers."""
    numbered_readings = [
        replace(reading, value=Decimal(index)) for index, (reading, _) in enumerate(readings)
    ]
    intervals = [
        (int(interval.value), slot.overlap(interval.time))
        for interval in list_stretches(numbered_readings, slot)
    ]
    lengths = [
        (index, Decimal((overlap.end - overlap.start) // MILLISECOND))
        for index, overlap in intervals
        if overlap is not None
    ]
    total_length = exact_total(length for _, length in lengths)
    for index, length in lengths if total_length else []:
        yield index, CONTEXT.divide(length, total_length)


@dataclass(slots=True)
class SharedAmount:
    """A partition's parts of the wholes that were shared, and those wholes, in the node's unit."""

    part: Decimal | None = None
    whole: Decimal | None = None
    bases: list[Basis] = field(default_factory=list)
    """What the parts rest on, in the unit of the data."""
    reads: list[SharedGroup] = field(default_factory=list)
    """The groups that the parts are of, where that is asked for."""

    def take(self, part: Decimal, whole: Decimal, basis: Basis, read: ReadGroup | None) -> None:
        self.part = EXACT.add(self.part or ZERO, part)
        self.whole = EXACT.add(self.whole or ZERO, whole)
        if not whole:
            return
        if basis is not NO_BASIS:
            self.bases.append(multiply_basis(basis, CONTEXT.divide(part, whole)))
        if read is not None:
            self.reads.append(SharedGroup(read, CONTEXT.divide(part, whole)))


def read_statistics(computation: SlotComputation, node: Node, body: Input) -> None:
    """Give an input its value in every partition, from the statistics of groups."""
    own_statistics = dict.fromkeys(computation.partitions, NOTHING)
    shared = {partition: SharedAmount() for partition in computation.partitions}
    for group in computation.data.groups:
        of_group = computation.own(group.by_input.get(node.slug), group.tags)
        partitions = computation.agreeing(group)
        if of_group is None or not of_group.count or not partitions:
            continue
        if is_own(computation, body, group):
            for agreeing in partitions:
                own_statistics[agreeing] = own_statistics[agreeing].plus(of_group)
        else:
            group_total = Decimal(of_group.count) if body.aggregate is Aggregate.COUNT else of_group.total
            share_whole(
                computation,
                node,
                group_total,
                partitions,
                shared,
                describe_basis(computation, node, of_group),
                _keep_sums(computation, body, of_group),
            )
    for agreeing, statistics in own_statistics.items():
        amount = aggregate_own_statistics(computation, node, agreeing, statistics)
        settle(
            computation,
            node,
            agreeing,
            amount,
            shared[agreeing],
            describe_basis(computation, node, statistics),
            () if (sums := _keep_sums(computation, body, statistics)) is None else (sums,),
        )


def _keep_sums(computation: SlotComputation, body: Input, statistics: Statistics) -> ReadGroup | None:
    """Sums over readings as a group that was read, where that is asked for."""
    if not computation.setting.keeps_reads or not statistics.count:
        return None
    amount = Decimal(statistics.count) if body.aggregate is Aggregate.COUNT else None
    return ReadGroup(
        amount=aggregate_statistics(body, statistics) if amount is None else amount,
        moments=statistics.moments,
    )


def describe_basis(computation: SlotComputation, node: Node, statistics: Statistics) -> Basis:
    """Return what the aggregate of statistics rests on, in the unit of the data; nothing if not requested."""
    setting = computation.setting
    if not setting.says_contributions and not setting.is_uncertain:
        return NO_BASIS
    assert isinstance(node.body, Input)  # noqa: S101 - only inputs gather data
    unit = find_read_unit(computation, node)
    contributions = contribute_statistics(node.body, statistics, unit)
    if not statistics.moments:
        return Basis(contributions)
    weight_unit, names = computation.measure(node).weight_unit, name_own_errors(computation, node)
    components = compute_aggregate_components(
        node.slug, node.body, statistics.moments, unit, weight_unit, names
    )
    return Basis(contributions, components)


def name_own_errors(computation: SlotComputation, node: Node) -> OwnErrorNames:
    """Say what names the own errors of an input, and which of them are found with those of others."""
    assert isinstance(node.body, Input)  # noqa: S101 - only inputs gather data
    return OwnErrorNames(
        computation.name_own(node),
        is_of_others=computation.is_shared(PointRead(node.slug)),
        are_weights_of_others=computation.is_shared(PointRead(node.slug, node.body.weight)),
    )


def is_own(computation: SlotComputation, body: Input, group: Group) -> bool:
    """Whether each partition that agrees with a group has all of it, rather than a part."""
    if computation.data.given is not None:
        return True
    return body.share is Share.REPEAT or group.tags.is_whole(computation.model.partition_type)


def share_whole(
    computation: SlotComputation,
    node: Node,
    whole: Decimal,
    partitions: Sequence[Partition],
    shared: dict[Partition, SharedAmount],
    basis: Basis = NO_BASIS,
    read: ReadGroup | None = None,
) -> None:
    """Convert a whole to the node's unit, and divide that over the partitions that it belongs to."""
    converted = convert(whole, find_read_unit(computation, node), node.unit)
    for partition, part in zip(partitions, _divide(computation, node, converted, partitions), strict=True):
        shared[partition].take(part, converted, basis, read)


def _divide(
    computation: SlotComputation, node: Node, whole: Decimal, partitions: Sequence[Partition]
) -> list[Decimal]:
    body = node.body
    assert isinstance(body, Input)  # noqa: S101 - only inputs gather data
    weights = [Decimal(1)] * len(partitions)
    if body.share is Share.BY and body.share_by:
        weights = [computation.number_of(partition, body.share_by) or ZERO for partition in partitions]
    try:
        return divide(whole, weights, computation.model.share_places)
    except AllocationError as error:
        how = f"by {body.share_by!r}" if body.share is Share.BY else "evenly"
        sentence = f"{plain(whole)} of {body.data_point_type!r} cannot be shared {how}: {error}"
        computation.note(node, sentence, NOT_COMPUTABLE)
        return [ZERO] * len(partitions)


def aggregate_own_statistics(
    computation: SlotComputation,
    node: Node,
    partition: Partition,
    statistics: Statistics,
    *,
    unweighted: Sequence[int] = (),
) -> Decimal | None:
    """The aggregate of a partition's own statistics, in the unit of its data; None when there are none.

    `unweighted` are the events without a weight, where they are known.
    """
    assert isinstance(node.body, Input)  # noqa: S101 - only inputs gather data
    if node.body.weight is not None and statistics.unweighted:
        fact = f"has {statistics.unweighted} values without {node.body.weight!r}"
        computation.problem(node, fact, partition, MISSING, unweighted)
    try:
        return aggregate_statistics(node.body, statistics)
    except ArithmeticError:
        computation.problem(node, "has no weight to average by", partition, NOT_COMPUTABLE)
        return ZERO


def settle(
    computation: SlotComputation,
    node: Node,
    partition: Partition,
    amount: Amount,
    shared: SharedAmount,
    basis: Basis = NO_BASIS,
    own: Sequence[ReadGroup] = (),
) -> None:
    """Convert what a partition has to the node's unit, add its part of what is shared, and keep that.

    Without a value, keep the default. `own` are the groups that the amount is of.
    """
    unit = find_read_unit(computation, node)
    if own or shared.reads:
        computation.by_partition[partition].reads[node.slug] = InputReads(tuple(own), tuple(shared.reads))
    if not isinstance(amount, tuple) and (basis is not NO_BASIS or shared.bases):
        computation.rest(node, partition, add_bases([basis, *shared.bases]), unit)
    if amount == () or (amount is None and shared.part is None):
        computation.keep(node, partition, NodeReading(stand_in(computation, node, partition)))
    elif isinstance(amount, tuple):
        exact = find_conversion(unit, node.unit)
        computation.keep(
            node, partition, NodeReading(tuple(convert_by(element, *exact) for element in amount))
        )
    else:
        converted = ZERO if amount is None else convert(amount, unit, node.unit)
        value = converted if shared.part is None else CONTEXT.plus(EXACT.add(converted, shared.part))
        computation.keep(node, partition, NodeReading(value, shared.whole))


def find_read_unit(computation: SlotComputation, node: Node) -> Unit:
    """The unit in which an input's data are read: a count is always a plain number."""
    assert isinstance(node.body, Input)  # noqa: S101 - only inputs gather data
    return ONE if node.body.aggregate is Aggregate.COUNT else computation.measure(node).unit


def stand_in(computation: SlotComputation, node: Node, partition: Partition) -> Amount:
    """Return the default of a node without data; a problem if it is neither optional nor has a default."""
    if not node.is_optional and node.default is None and (partition, node.slug) not in computation.failed:
        computation.problem(node, "has no data", partition)
    return substitute(computation, node)


def substitute(computation: SlotComputation, node: Node) -> Amount:
    """The value of a node without data: its default, zero for a sum, an empty array, else nothing."""
    if node.default is not None:
        return node.default
    if computation.setting.program.types[node.slug].is_array:
        return ()
    return ZERO if isinstance(node.body, Input) and node.body.aggregate is Aggregate.SUM else None


def aggregate_statistics(body: Input, statistics: Statistics) -> Decimal | None:
    """The aggregate of an input's statistics; None when there are no data.

    Raises ArithmeticError when the weights of an average sum to zero.
    """
    count = Decimal(statistics.count)
    if body.aggregate is Aggregate.COUNT:
        return count
    if not statistics.count:
        return None
    if body.aggregate is Aggregate.AVERAGE:
        total, weight = (statistics.weighted, statistics.weight) if body.weight else (statistics.total, count)
        return CONTEXT.divide(total, weight)
    aggregates = {
        Aggregate.SUM: CONTEXT.plus(statistics.total),
        Aggregate.MIN: statistics.least,
        Aggregate.MAX: statistics.greatest,
    }
    return aggregates[body.aggregate]


# Static inputs: the value of the project that is in force when a slot begins, or at each of some elements.
#
# Invariants: a value with keys is never taken for what they do not name, nor one without keys for what they
# would; a value that changes inside the slot is refused where one number is asked for.


_NO_KEY = {"asset": None, "feedstock": None, "location": None}


def read_static(computation: SlotComputation, node: Node, body: StaticInput) -> None:
    """Give a static input its value in every partition."""
    values = sorted(
        computation.data.statics.get(body.slug, ()), key=lambda static_value: static_value.effective_from
    )
    for partition in computation.partitions:
        if body.at is not None:
            amount = _read_values_at_elements(computation, node, body, partition, values)
        else:
            amount = _read_value_at_start(computation, node, body, partition, values)
        computation.keep(node, partition, NodeReading(amount))


def _read_value_at_start(
    computation: SlotComputation,
    node: Node,
    body: StaticInput,
    partition: Partition,
    values: Sequence[StaticValue],
) -> Amount:
    key = None if body.by is None else _find_partition_key(computation, body.by, partition)
    if body.by is not None and key is None:
        return stand_in_static(
            computation, node, body, f"is a value for each {body.by}, and the partition has none", partition
        )
    keyed = _list_keyed_values(values, body.by, key)
    slot = computation.data.slot
    in_force = _find_value_in_force(keyed, Instant.of(slot.start))
    if in_force is None:
        fact = f"has no value in force at {Instant.of(slot.start).text}"
        amount = stand_in_static(computation, node, body, fact, partition)
    else:
        amount = convert(in_force.value, in_force.unit, node.unit)
        computation.by_partition[partition].statics[node.slug] = [in_force.number]
    later_values = [value for value in keyed if slot.start < value.effective_from < slot.end]
    # A value that is set again as it was does not change.
    changes = [value for value in later_values if convert(value.value, value.unit, node.unit) != amount]
    if changes and (partition, node.slug) not in computation.failed:
        moment = changes[0].effective_from.text
        _report_static_problem(
            computation, node, body, f"changes at {moment}, inside the slot", partition, code=CHANGING
        )
    return amount


def stand_in_static(
    computation: SlotComputation, node: Node, body: StaticInput, fact: str, partition: Partition
) -> Amount:
    """Return the default for a missing value; a problem without one."""
    if not node.is_optional and node.default is None:
        _report_static_problem(computation, node, body, fact, partition)
    return substitute(computation, node)


def _read_values_at_elements(
    computation: SlotComputation,
    node: Node,
    body: StaticInput,
    partition: Partition,
    values: Sequence[StaticValue],
) -> Amount:
    """The value in force at each element of an input."""
    assert body.at is not None  # noqa: S101 - the caller saw it
    amounts = []
    missing = []
    by_key: dict[str | None, list[StaticValue]] = {}
    used_values = computation.by_partition[partition].statics.setdefault(node.slug, [])
    for element in computation.by_partition[partition].arrays.get(body.at, ()):
        key = _find_element_key(body.by, element, partition)
        keyed = by_key.setdefault(
            key, _list_keyed_values(values, body.by, key) if key or body.by is None else []
        )
        in_force = _find_value_in_force(keyed, Instant.of(element.time.start))
        if in_force is None:
            missing.append(element.event)
            amounts.append(ZERO)
        else:
            used_values.append(in_force.number)
            amounts.append(convert(in_force.value, in_force.unit, node.unit))
    if missing:
        report_not_in_force(computation, node, body, partition, missing)
    return tuple(amounts)


def report_not_in_force(
    computation: SlotComputation, node: Node, body: StaticInput, partition: Partition, events: Sequence[int]
) -> None:
    """Note the elements at which no value is in force."""
    _report_static_problem(
        computation, node, body, f"has no value in force for {computation.setting.named(events)}", partition
    )


def _find_partition_key(
    computation: SlotComputation, dimension: Dimension, partition: Partition
) -> str | None:
    """The asset, feedstock or location of a partition as a whole."""
    alone = computation.data.alone
    key: str | None = getattr(partition, dimension, None) if alone is None else alone.keys.get(dimension)
    return key


def _find_element_key(dimension: Dimension | None, element: Element, partition: Partition) -> str | None:
    match dimension:
        case Dimension.ASSET:
            return element.asset or partition.asset
        case Dimension.FEEDSTOCK:
            return element.feedstock or partition.feedstock
        case Dimension.LOCATION:
            return element.location
    return None


def _list_keyed_values(
    values: Sequence[StaticValue], dimension: Dimension | None, key: str | None
) -> list[StaticValue]:
    """The values whose keys are exactly the one that is asked for."""
    keys = _NO_KEY if dimension is None else _NO_KEY | {str(dimension): key}
    return [
        value
        for value in values
        if (value.asset, value.feedstock, value.location)
        == (keys["asset"], keys["feedstock"], keys["location"])
    ]


def _find_value_in_force(values: Sequence[StaticValue], moment: Instant) -> StaticValue | None:
    """The newest value that holds at a moment."""
    return next((value for value in reversed(values) if value.effective_from <= moment), None)


def _report_static_problem(
    computation: SlotComputation,
    node: Node,
    body: StaticInput,
    fact: str,
    partition: Partition,
    *,
    code: str = MISSING,
) -> None:
    computation.problem(node, f"reads the static input {body.slug!r}, which {fact}", partition, code)


# Constants and formulas: nodes that are computed from the nodes they name, each partition by itself.


def compute(computation: SlotComputation, node: Node) -> None:
    """Compute a constant or a formula in every partition."""
    program = computation.setting.program
    for partition in computation.partitions:
        amount: Amount = () if program.types[node.slug].is_array else ZERO
        if any((partition, slug) in computation.failed for slug in program.needs[node.slug]):
            computation.failed.add((partition, node.slug))
        elif _are_parallel(computation, node, partition):
            amount = _compute_formula(computation, node, partition, amount)
        computation.keep(node, partition, NodeReading(amount))


def _compute_formula(
    computation: SlotComputation, node: Node, partition: Partition, instead: Amount
) -> Amount:
    """The value of a formula; `instead` goes on in its place when it has none."""
    program, budget = computation.setting.program, computation.setting.budget
    try:
        return _to_amount(program.compute(node, computation.environment(partition), budget).content)
    except ExpressionError as error:
        at = f"Node {node.slug!r}{name_partition(partition)}, at {error.position} of its formula"
        computation.fail(node, partition, f"{at}: {error.message}", NOT_COMPUTABLE)
        return instead


def _are_parallel(computation: SlotComputation, node: Node, partition: Partition) -> bool:
    """Whether arrays that meet in the formula are of the same events; a problem when they are not."""
    arrays = computation.by_partition[partition].arrays
    for first, second in computation.setting.program.parallel.get(node.slug, ()):
        events, others = ([element.event for element in arrays[slug]] for slug in (first, second))
        if events != others:
            lone = sorted({*events} ^ {*others})
            verb = "is" if len(lone) == 1 else "are"
            sentence = (
                f"Inputs {first!r} and {second!r} are computed element by element and need the same events"
                f"{name_partition(partition)}; {computation.setting.named(lone)} {verb} in one of them only."
            )
            computation.fail(node, partition, sentence, UNMATCHED, lone)
            return False
    return True


def _to_amount(content: Content) -> Amount:
    if isinstance(content, tuple):
        return tuple(element for element in content if isinstance(element, Decimal))
    return content if isinstance(content, Decimal) else None
