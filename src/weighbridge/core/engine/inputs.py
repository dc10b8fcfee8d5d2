"""Inputs: data points of one type, aggregated into a value in each partition.

Here are the inputs of which PostgreSQL made statistics, group by group: sums, averages, extremes and counts
of whole events. What belongs to no single partition is repeated or shared.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from weighbridge.core.engine.measured.inputs import of_statistics
from weighbridge.core.engine.slot_computation import MISSING, NOT_COMPUTABLE, NodeReading, SlotComputation
from weighbridge.core.engine.statistics import NOTHING, Group, Statistics
from weighbridge.core.ledger.allocation import AllocationError, divide
from weighbridge.core.ledger.contributions import NO_CONTRIBUTIONS, Contributions, times, together
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Aggregate, Amount, Input, Node, Share
from weighbridge.core.quantity.number import CONTEXT, EXACT, ZERO, plain
from weighbridge.core.quantity.unit import ONE, Unit, conversion, convert, convert_by


@dataclass(slots=True)
class Shared:
    """A partition's parts of the wholes that were shared, and those wholes, in the node's unit."""

    part: Decimal | None = None
    whole: Decimal | None = None
    contributions: list[Contributions] = field(default_factory=list)
    """What contributes to the parts, in the unit of the data."""

    def take(self, part: Decimal, whole: Decimal, contributions: Contributions) -> None:
        self.part = EXACT.add(self.part or ZERO, part)
        self.whole = EXACT.add(self.whole or ZERO, whole)
        if contributions and whole:
            self.contributions.append(times(contributions, CONTEXT.divide(part, whole)))


def read_statistics(computation: SlotComputation, node: Node, body: Input) -> None:
    """Give an input its value in every partition, from the statistics of groups."""
    own = dict.fromkeys(computation.partitions, NOTHING)
    shared = {one: Shared() for one in computation.partitions}
    for group in computation.data.groups:
        of_group = group.by_input.get(node.slug)
        agreeing = computation.agreeing(group)
        if of_group is None or not of_group.count or not agreeing:
            continue
        if is_own(computation, body, group):
            for one in agreeing:
                own[one] = own[one].plus(of_group)
        else:
            whole = Decimal(of_group.count) if body.aggregate is Aggregate.COUNT else of_group.total
            share(computation, node, whole, agreeing, shared, contributing(computation, node, of_group))
    for one, statistics in own.items():
        amount = amount_of(computation, node, one, statistics)
        settle(computation, node, one, amount, shared[one], contributing(computation, node, statistics))


def contributing(computation: SlotComputation, node: Node, statistics: Statistics) -> Contributions:
    """What contributes to the aggregate of statistics, in the unit of the data; nothing where nobody asks."""
    if not computation.setting.says_contributions:
        return NO_CONTRIBUTIONS
    assert isinstance(node.body, Input)  # noqa: S101 - only inputs gather data
    return of_statistics(node.body, statistics, unit_read(computation, node))


def is_own(computation: SlotComputation, body: Input, group: Group) -> bool:
    """Whether each partition that agrees with a group has all of it, rather than a part."""
    if computation.data.given is not None:
        return True
    return body.share is Share.REPEAT or group.tags.is_whole(computation.model.partition_type)


def share(  # noqa: PLR0917 - what is shared, over whom, and what it rests on
    computation: SlotComputation,
    node: Node,
    whole: Decimal,
    agreeing: Sequence[Partition],
    shared: dict[Partition, Shared],
    contributions: Contributions = NO_CONTRIBUTIONS,
) -> None:
    """Convert a whole to the node's unit, and divide that over the partitions that it belongs to."""
    converted = convert(whole, unit_read(computation, node), node.unit)
    for one, part in zip(agreeing, _divide(computation, node, converted, agreeing), strict=True):
        shared[one].take(part, converted, contributions)


def _divide(
    computation: SlotComputation, node: Node, whole: Decimal, agreeing: Sequence[Partition]
) -> list[Decimal]:
    body = node.body
    assert isinstance(body, Input)  # noqa: S101 - only inputs gather data
    weights = [Decimal(1)] * len(agreeing)
    if body.share is Share.BY and body.share_by:
        weights = [computation.number_of(one, body.share_by) or ZERO for one in agreeing]
    try:
        return divide(whole, weights, computation.model.share_places)
    except AllocationError as error:
        how = f"by {body.share_by!r}" if body.share is Share.BY else "evenly"
        sentence = f"{plain(whole)} of {body.data_point_type!r} cannot be shared {how}: {error}"
        computation.note(node, sentence, NOT_COMPUTABLE)
        return [ZERO] * len(agreeing)


def amount_of(
    computation: SlotComputation,
    node: Node,
    one: Partition,
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
        computation.problem(node, fact, one, MISSING, unweighted)
    try:
        return aggregated(node.body, statistics)
    except ArithmeticError:
        computation.problem(node, "has no weight to average by", one, NOT_COMPUTABLE)
        return ZERO


def settle(  # noqa: PLR0917 - what a partition has, and what it rests on
    computation: SlotComputation,
    node: Node,
    one: Partition,
    amount: Amount,
    shared: Shared,
    contributions: Contributions = NO_CONTRIBUTIONS,
) -> None:
    """Convert what a partition has to the node's unit, add its part of what is shared, and keep that.

    Without a value, keep what stands in.
    """
    unit = unit_read(computation, node)
    if computation.setting.says_contributions and not isinstance(amount, tuple):
        computation.contribute(node, one, together([contributions, *shared.contributions]), unit)
    if amount == () or (amount is None and shared.part is None):
        computation.keep(node, one, NodeReading(stand_in(computation, node, one)))
    elif isinstance(amount, tuple):
        exact = conversion(unit, node.unit)
        computation.keep(node, one, NodeReading(tuple(convert_by(element, *exact) for element in amount)))
    else:
        own = ZERO if amount is None else convert(amount, unit, node.unit)
        value = own if shared.part is None else CONTEXT.plus(EXACT.add(own, shared.part))
        computation.keep(node, one, NodeReading(value, shared.whole))


def unit_read(computation: SlotComputation, node: Node) -> Unit:
    """The unit in which an input's data are read: a count is a plain number, whatever is counted."""
    assert isinstance(node.body, Input)  # noqa: S101 - only inputs gather data
    return ONE if node.body.aggregate is Aggregate.COUNT else computation.measure(node).unit


def stand_in(computation: SlotComputation, node: Node, one: Partition) -> Amount:
    """What stands in for a node without data; a problem when it is neither optional nor has a default."""
    if not node.is_optional and node.default is None and (one, node.slug) not in computation.failed:
        computation.problem(node, "has no data", one)
    return substitute(computation, node)


def substitute(computation: SlotComputation, node: Node) -> Amount:
    """The value of a node without data: its default, zero for a sum, an empty array, else nothing."""
    if node.default is not None:
        return node.default
    if computation.setting.program.types[node.slug].is_array:
        return ()
    return ZERO if isinstance(node.body, Input) and node.body.aggregate is Aggregate.SUM else None


def aggregated(body: Input, statistics: Statistics) -> Decimal | None:
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
    chosen = {
        Aggregate.SUM: CONTEXT.plus(statistics.total),
        Aggregate.MIN: statistics.least,
        Aggregate.MAX: statistics.greatest,
    }
    return chosen[body.aggregate]
