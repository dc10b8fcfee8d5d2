"""Inputs: data points of one type, aggregated into a value in each partition.

Here are the inputs of which PostgreSQL made statistics, group by group: sums, averages, extremes and counts
of whole events. What belongs to no single partition is repeated or shared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core.engine.slot_computation import MISSING, NOT_COMPUTABLE, NodeReading, SlotComputation
from weighbridge.core.engine.statistics import NOTHING, ZERO, Group, Statistics
from weighbridge.core.ledger.allocation import AllocationError, divide
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Aggregate, Amount, Input, Node, Share
from weighbridge.core.quantity.number import CONTEXT, EXACT
from weighbridge.core.quantity.unit import ONE, conversion, convert, convert_by


@dataclass(slots=True)
class Shared:
    """A partition's parts of the wholes that were shared, and those wholes."""

    part: Decimal | None = None
    whole: Decimal | None = None

    def take(self, part: Decimal, whole: Decimal) -> None:
        self.part = EXACT.add(self.part or ZERO, part)
        self.whole = EXACT.add(self.whole or ZERO, whole)


def read_statistics(computation: SlotComputation, node: Node, body: Input) -> None:
    """Give an input its value in every partition, from the statistics of groups."""
    own = dict.fromkeys(computation.partitions, NOTHING)
    shared = {one: Shared() for one in computation.partitions}
    for group in computation.data.groups:
        found = group.by_input.get(node.slug)
        agreeing = computation.agreeing(group)
        if found is None or not found.count or not agreeing:
            continue
        if is_own(computation, body, group):
            for one in agreeing:
                own[one] = own[one].plus(found)
        else:
            whole = Decimal(found.count) if body.aggregate is Aggregate.COUNT else found.total
            share(computation, node, whole, agreeing, shared)
    for one, statistics in own.items():
        settle(
            computation, node, one, amount_of(computation, node, one, statistics, shared[one]), shared[one]
        )


def is_own(computation: SlotComputation, body: Input, group: Group) -> bool:
    """Whether each partition that agrees with a group has all of it, rather than a part."""
    if computation.data.given is not None:
        return True
    return body.share is Share.REPEAT or group.tags.is_whole(computation.model.partition_type)


def share(
    computation: SlotComputation,
    node: Node,
    whole: Decimal,
    agreeing: Sequence[Partition],
    shared: dict[Partition, Shared],
) -> None:
    """Divide a whole over the partitions that it belongs to."""
    for one, part in zip(agreeing, _divide(computation, node, whole, agreeing), strict=True):
        shared[one].take(part, whole)


def _divide(
    computation: SlotComputation, node: Node, whole: Decimal, agreeing: Sequence[Partition]
) -> list[Decimal]:
    body = node.body
    assert isinstance(body, Input)  # noqa: S101 - only inputs gather data
    weights = [Decimal(1)] * len(agreeing)
    if body.share is Share.BY and body.share_by:
        weights = [computation.number_of(one, body.share_by) or ZERO for one in agreeing]
    try:
        return divide(whole, weights, computation.setting.scale)
    except AllocationError as error:
        sentence = f"{whole} of {body.data_point_type!r} cannot be shared by {body.share_by!r}: {error}"
        computation.note(node, sentence, NOT_COMPUTABLE)
        return [ZERO] * len(agreeing)


def amount_of(
    computation: SlotComputation,
    node: Node,
    one: Partition,
    found: Statistics,
    shared: Shared,
    *,
    unweighted: Sequence[int] = (),
) -> Decimal | None:
    """The aggregate of a partition's statistics and its part; None when there are no data.

    `unweighted` are the events without a weight, where they are known.
    """
    assert isinstance(node.body, Input)  # noqa: S101 - only inputs gather data
    if node.body.weight is not None and found.unweighted:
        fact = f"has {found.unweighted} values without {node.body.weight!r}"
        computation.problem(node, fact, one, MISSING, unweighted)
    try:
        return aggregated(node.body, found, shared.part)
    except ArithmeticError:
        computation.problem(node, "has no weight to average by", one, NOT_COMPUTABLE)
        return ZERO


def settle(computation: SlotComputation, node: Node, one: Partition, amount: Amount, shared: Shared) -> None:
    """Convert to the node's unit, and keep; without a value, keep what stands in."""
    assert isinstance(node.body, Input)  # noqa: S101 - only inputs gather data
    if amount is None or amount == ():
        computation.keep(node, one, NodeReading(stand_in(computation, node, one)))
        return
    unit = ONE if node.body.aggregate is Aggregate.COUNT else computation.measure(node).unit
    whole = None if shared.whole is None else convert(shared.whole, unit, node.unit)
    if isinstance(amount, tuple):
        exact = conversion(unit, node.unit)
        computation.keep(
            node, one, NodeReading(tuple(convert_by(element, *exact) for element in amount), whole)
        )
    else:
        computation.keep(node, one, NodeReading(convert(amount, unit, node.unit), whole))


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


def aggregated(body: Input, found: Statistics, part: Decimal | None) -> Decimal | None:
    """The aggregate of an input's statistics and its part of what is shared; None when there are no data.

    Raises ArithmeticError when the weights of an average sum to zero.
    """
    count, shared = Decimal(found.count), part or ZERO
    if body.aggregate is Aggregate.COUNT:
        return EXACT.add(count, shared)
    if not found.count and part is None:
        return None
    if body.aggregate is Aggregate.AVERAGE:
        total, weight = (found.weighted, found.weight) if body.weight else (found.total, count)
        return CONTEXT.divide(total, weight)
    chosen = {
        Aggregate.SUM: CONTEXT.plus(EXACT.add(found.total, shared)),
        Aggregate.MIN: found.least,
        Aggregate.MAX: found.greatest,
    }
    return chosen[body.aggregate]
