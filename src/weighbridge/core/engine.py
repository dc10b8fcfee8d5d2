"""The engine runs a model over the data of one slot: one run for each partition, node by node.

All partitions of a slot advance together, because an amount that belongs to no single partition (a power
bill) is shared over those that run, and the sharing may weigh by a node computed just before.

Invariants: the parts of a shared amount sum to it, to the last digit; every group of data is used by at
least one run, or named as not counted; a run either has a value for every node or the slot is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core.allocation import AllocationError, divide
from weighbridge.core.expression import ExpressionError, Value, number, text
from weighbridge.core.model import Aggregate, Input, Model, Node, Program, Share, evaluate_node
from weighbridge.core.number import CONTEXT, EXACT
from weighbridge.core.partition import Partition
from weighbridge.core.statistics import NOTHING, ZERO, Group, Statistics
from weighbridge.core.unit import ONE, Unit, convert


@dataclass(frozen=True, slots=True)
class Reading:
    """The value of one node, None when it is optional and had no data; of a shared input, also the whole."""

    amount: Decimal | None
    whole: Decimal | None = None


@dataclass(frozen=True, slots=True)
class PartitionRun:
    """The values of every node in one partition, and the groups of data that they came from."""

    partition: Partition
    readings: Mapping[str, Reading]
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class SlotRun:
    """What a slot comes to: its runs, the data that met no partition, and why it cannot be run."""

    runs: tuple[PartitionRun, ...]
    not_counted: tuple[Group, ...]
    problems: tuple[str, ...]


@dataclass(slots=True)
class _Bench:
    """The work in progress on one slot; it never leaves `run_slot`."""

    program: Program
    groups: Sequence[Group]
    units: Mapping[str, Unit]
    scale: int
    values: dict[Partition, dict[str, Value]]
    readings: dict[Partition, dict[str, Reading]]
    problems: list[str]

    @property
    def model(self) -> Model:
        return self.program.model


def run_slot(program: Program, groups: Sequence[Group], units: Mapping[str, Unit], scale: int) -> SlotRun:
    """Run a model over the groups of one slot.

    `units` are the units that the inputs' data points are measured in; `scale` is the largest of the
    model's ledgers. Problems are full sentences; when there are any, the runs are incomplete.
    """
    if not groups:
        return SlotRun((), (), ())
    model = program.model
    partitions = partitions_of(model, groups)
    if not partitions:
        names = ", ".join(node.slug for node in model.partitioning)
        return SlotRun((), (), (f"There are data, but none of {names} says which partition they belong to.",))
    bench = _Bench(
        program=program,
        groups=groups,
        units=units,
        scale=scale,
        values={
            one: {f"partition.{name}": text(value) for name, value in one.named.items()} for one in partitions
        },
        readings={one: {} for one in partitions},
        problems=[],
    )
    bench.problems += _untagged(model, groups)
    for node in program.nodes:
        if isinstance(node.body, Input):
            _read(bench, node, node.body)
        else:
            _compute(bench, node)
    runs = tuple(
        PartitionRun(
            one, bench.readings[one], tuple(group for group in groups if group.tags.agrees_with(one))
        )
        for one in partitions
    )
    lost = tuple(group for group in groups if not any(group.tags.agrees_with(one) for one in partitions))
    return SlotRun(runs, lost, tuple(dict.fromkeys(bench.problems)))


def partitions_of(model: Model, groups: Sequence[Group]) -> tuple[Partition, ...]:
    """The partitions that run: those that the partitioning inputs have data for, in order of name."""
    if model.partition_type == "time":
        return (Partition(),)
    defining = {node.slug for node in model.partitioning}
    found = {
        group.tags
        for group in groups
        if group.tags.is_whole(model.partition_type) and defining & group.by_input.keys()
    }
    return tuple(sorted(found))


def _untagged(model: Model, groups: Sequence[Group]) -> list[str]:
    """A partitioning input is never repeated, so an untagged event of it must be one that can be shared."""
    return [
        f"Input {node.slug!r} defines the partitions, and {group.event_count} of its events carry no tag, "
        f"{group.first_event} for one."
        for node in model.partitioning
        if isinstance(node.body, Input) and node.body.share is Share.REPEAT
        for group in groups
        if node.slug in group.by_input and not group.tags.is_whole(model.partition_type)
    ]


@dataclass(slots=True)
class _Gathered:
    """What an input has in one partition: its own data, and its part of the wholes that were shared."""

    own: Statistics = NOTHING
    part: Decimal | None = None
    whole: Decimal | None = None

    def take(self, part: Decimal, whole: Decimal) -> None:
        self.part = EXACT.add(self.part or ZERO, part)
        self.whole = EXACT.add(self.whole or ZERO, whole)


def _read(bench: _Bench, node: Node, body: Input) -> None:
    """Give an input its value in every partition."""
    gathered = {one: _Gathered() for one in bench.values}
    for group in bench.groups:
        found = group.by_input.get(node.slug)
        agreeing = [one for one in gathered if group.tags.agrees_with(one)]
        if found is None or not found.count or not agreeing:
            continue
        if body.share is Share.REPEAT or group.tags.is_whole(bench.model.partition_type):
            for one in agreeing:
                gathered[one].own = gathered[one].own.plus(found)
        else:
            whole = Decimal(found.count) if body.aggregate is Aggregate.COUNT else found.total
            for one, part in zip(agreeing, _divide(bench, body, whole, agreeing), strict=True):
                gathered[one].take(part, whole)
    for one, found_there in gathered.items():
        _settle(bench, node, one, found_there)


def _divide(bench: _Bench, body: Input, whole: Decimal, agreeing: Sequence[Partition]) -> list[Decimal]:
    weights = [Decimal(1)] * len(agreeing)
    if body.share is Share.BY and body.share_by:
        weights = [bench.readings[one][body.share_by].amount or ZERO for one in agreeing]
    try:
        return divide(whole, weights, bench.scale)
    except AllocationError as error:
        bench.problems.append(
            f"{whole} of {body.data_point_type!r} cannot be shared by {body.share_by!r}: {error}"
        )
        return [ZERO] * len(agreeing)


def _settle(bench: _Bench, node: Node, one: Partition, gathered: _Gathered) -> None:
    """Aggregate, convert to the node's unit, and keep."""
    assert isinstance(node.body, Input)  # noqa: S101 - only inputs gather data
    unit = ONE if node.body.aggregate is Aggregate.COUNT else bench.units[node.slug]
    if gathered.own.unweighted:
        bench.problems.append(
            f"Input {node.slug!r} has {gathered.own.unweighted} values without {node.body.weight!r}"
            f"{_of(one)}."
        )
    try:
        amount = aggregated(node.body, gathered.own, gathered.part)
    except ArithmeticError:
        bench.problems.append(f"Input {node.slug!r} has no weight to average by{_of(one)}.")
        amount = ZERO
    if amount is None:
        _keep(bench, node, one, Reading(_stand_in(bench, node, node.body, one)))
        return
    whole = None if gathered.whole is None else convert(gathered.whole, unit, node.unit)
    _keep(bench, node, one, Reading(convert(amount, unit, node.unit), whole))


def _stand_in(bench: _Bench, node: Node, body: Input, one: Partition) -> Decimal | None:
    """What counts when an input has no data: its default, zero for an optional sum, else nothing."""
    if node.default is not None:
        return node.default
    if not node.is_optional:
        bench.problems.append(f"Input {node.slug!r} has no data{_of(one)}.")
    return ZERO if body.aggregate is Aggregate.SUM else None


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


def _compute(bench: _Bench, node: Node) -> None:
    for one, values in bench.values.items():
        amount: Decimal | None = ZERO
        try:
            value = evaluate_node(bench.model, node, values)
        except ExpressionError as error:
            place = f"Node {node.slug!r}{_of(one)}, at {error.position} of its formula"
            bench.problems.append(f"{place}: {error.message}")
        else:
            assert not isinstance(value.content, tuple), "models with arrays are refused before"  # noqa: S101
            amount = value.content if isinstance(value.content, Decimal) else None
        _keep(bench, node, one, Reading(amount))


def _keep(bench: _Bench, node: Node, one: Partition, reading: Reading) -> None:
    bench.readings[one][node.slug] = reading
    bench.values[one][node.slug] = Value(number(node.unit), reading.amount)


def _of(partition: Partition) -> str:
    return f" for {partition.label}" if partition.label else ""
