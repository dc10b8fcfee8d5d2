"""Running a slot: which partitions run, and their nodes one after the other.

First draws: nodes that take from another ledger, or ask what it has, partition by partition. Then the run.

Invariants: a draw is in its ledger's unit, rounded once, as the ledger says, to the ledger's scale; the value
of the node is what was drawn, converted to the node's unit; its attributes are parallel to it. A draw of
nothing where something is needed is reported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from weighbridge.core.engine.contributions import compute_contributions
from weighbridge.core.engine.elements import read_elements, read_joined, read_totalisers
from weighbridge.core.engine.input_reads import TrialBasis
from weighbridge.core.engine.inputs import (
    compute,
    read_static,
    read_statistics,
    report_not_in_force,
    stand_in_static,
    substitute,
)
from weighbridge.core.engine.slot_computation import (
    MISSING,
    NOT_COMPUTABLE,
    NOT_DRAWN,
    UNMATCHED,
    UNTAGGED,
    Drawing,
    Drawn,
    Element,
    EngineSetting,
    GivenValues,
    Group,
    NodeReading,
    PartitionComputation,
    RoundedAway,
    SlotComputation,
    SlotData,
    SourceLedgerView,
    name_partition,
)
from weighbridge.core.engine.uncertainty import compute_discounts, compute_uncertainties
from weighbridge.core.expression import Value, text
from weighbridge.core.halt import proceed
from weighbridge.core.ledger.allocation import (
    DIMENSIONS,
    AllocationError,
    Contributions,
    LedgerRounding,
    Partition,
    round_draw,
    round_total,
)
from weighbridge.core.ledger.drawing import Drawer, Need, Shortfall, SourceBatch
from weighbridge.core.model import (
    Aggregate,
    Amount,
    Available,
    Input,
    Model,
    Node,
    Share,
    StaticInput,
    Upstream,
    is_listed,
)
from weighbridge.core.number import CONTEXT, ZERO, exact_total, plain
from weighbridge.core.problem import Problem
from weighbridge.core.uncertainty.effects import Uncertainty
from weighbridge.core.unit import Unit, convert


def begin(drawing: Drawing, model: Model, partitions: tuple[Partition, ...]) -> dict[str, Decimal]:
    """Give back what runs and nodes hold that are no more; give what each `available` node finds."""
    running = {
        Drawer(drawing.slot, partition, node.slug)
        for node in model.nodes
        if isinstance(node.body, Upstream)
        for partition in partitions
    }
    for drawer in drawing.pool.holders(drawing.slot):
        if drawer not in running and drawer.partition not in drawing.unchanged:
            drawing.pool.release(drawer)
    return {
        node.slug: drawing.pool.available(drawing.source_ledgers[node.slug].ledger, drawing.slot)
        for node in model.nodes
        if isinstance(node.body, Available)
    }


def look(computation: SlotComputation, drawing: Drawing, node: Node, available: Decimal) -> None:
    """Give an `available` node its value, which is the same for every partition of the slot."""
    inventory = convert(available, drawing.source_ledgers[node.slug].unit, node.unit)
    for partition in computation.partitions:
        inventory_then = drawing.seen.get(Drawer(drawing.slot, partition, node.slug), inventory)
        computation.keep(node, partition, NodeReading(inventory_then))


def go_without(computation: SlotComputation, node: Node, body: Upstream | Available) -> None:
    """Give a node its default if there are no sources to withdraw from."""
    for partition in computation.partitions:
        if not node.is_optional and node.default is None:
            sentence = (
                f"Node {node.slug!r}{name_partition(partition)} draws from the ledger {body.ledger!r}; "
                "a run by itself draws from none, so the node must be optional or have a default."
            )
            computation.fail(node, partition, sentence, NOT_DRAWN)
        computation.keep(node, partition, NodeReading(substitute(computation, node)))
        for slug in body.attributes if isinstance(body, Upstream) else ():
            name = f"{node.slug}.{slug}"
            computation.keep_value(name, computation.setting.program.types[name].unit, partition, ())


def draw(computation: SlotComputation, drawing: Drawing, node: Node, body: Upstream) -> None:
    """Draw for a node in every partition, and keep what it holds then."""
    source_ledger = drawing.source_ledgers[node.slug]
    for partition in computation.partitions:
        drawer = Drawer(drawing.slot, partition, node.slug)
        need = None if body.is_manual else _need(computation, drawing, node, body, partition)
        if drawing.recorded is None:
            draws = _draw(computation, drawing, drawer, need)
        else:
            draws = drawing.recorded.get(drawer, ())
            _compare(computation, drawer, need, draws)
        computation.keep(
            node,
            partition,
            NodeReading(tuple(convert(draw_.amount, source_ledger.unit, node.unit) for draw_ in draws)),
        )
        for index, (slug, unit) in enumerate(source_ledger.attributes.items()):
            column = tuple(draw_.attributes[index] for draw_ in draws)
            computation.keep_value(f"{node.slug}.{slug}", unit, partition, column)
        computation.draws[partition] += draws


def _need(
    computation: SlotComputation, drawing: Drawing, node: Node, body: Upstream, partition: Partition
) -> Need | None:
    """What a node needs of its ledger; None when the amount that it names is none."""
    source_ledger = drawing.source_ledgers[node.slug]
    amount_needed = find_amount_needed(computation, node, body, partition)
    if amount_needed is None:
        return None
    need = convert(amount_needed, computation.model.node(body.amount or "").unit, source_ledger.unit)
    amount = round_draw(need, source_ledger.scale, source_ledger.rounding)
    if need and not amount:
        drawer = Drawer(drawing.slot, partition, node.slug)
        computation.rounded_away.append(RoundedAway(drawer, source_ledger, need))
    return Need(
        ledger=source_ledger.ledger,
        scale=source_ledger.scale,
        amount=amount,
        until=drawing.slot.end,
        order=body.order,
        match=tuple((dimension, getattr(partition, dimension)) for dimension in body.match),
    )


def find_amount_needed(
    computation: SlotComputation, node: Node, body: Upstream, partition: Partition
) -> Decimal | None:
    """The value of the node whose amount is drawn, in its unit; None, and a problem, when it is no amount."""
    assert body.amount is not None, "the model was checked: a node names an amount or sources"  # noqa: S101
    amount = computation.number_of(partition, body.amount)
    if amount is None and node.is_optional:
        amount = ZERO
    if amount is not None and amount >= 0:
        return amount
    fault = "has no value" if amount is None else f"is {plain(amount)} and must not be negative"
    sentence = f"Node {node.slug!r}{name_partition(partition)} draws {body.amount!r}, which {fault}."
    computation.note(node, sentence, MISSING if amount is None else NOT_COMPUTABLE)
    return None


def _draw(
    computation: SlotComputation, drawing: Drawing, drawer: Drawer, need: Need | None
) -> tuple[Drawn, ...]:
    """Bring what a node holds to what it needs; what was named by hand stays as it is."""
    source_ledger = drawing.source_ledgers[drawer.node]
    if need is None:
        drawing.pool.settle(drawer, source_ledger.ledger)
    else:
        _bring_to(computation, drawing, drawer, need)
    return tuple(
        Drawn(
            drawer.node,
            source,
            amount,
            tuple(
                _read_attribute(computation, drawer, source_ledger, source, slug)
                for slug in source_ledger.attributes
            ),
            tuple(source_ledger.attributes.values()),
            tuple(source.contributions(name) for name in ("", *source_ledger.attributes)),
            _take_uncertainties(computation, drawer, source_ledger, source, amount),
        )
        for source, amount in drawing.pool.drawn(drawer)
    )


def _take_uncertainties(
    computation: SlotComputation,
    drawer: Drawer,
    source_ledger: SourceLedgerView,
    source: SourceBatch,
    amount: Decimal,
) -> tuple[Uncertainty, ...]:
    """Take the part that is drawn of a run of each of its effects, if that is asked for."""
    if not computation.setting.is_uncertain:
        return ()
    unit = computation.model.node(drawer.node).unit
    return source.take_uncertainties(amount, source_ledger.unit, unit, source_ledger.attributes)


def _bring_to(computation: SlotComputation, drawing: Drawing, drawer: Drawer, need: Need) -> None:
    """Bring what a node holds to its need, and note why it cannot be."""
    node = computation.model.node(drawer.node)
    try:
        shortfall = drawing.pool.draw(drawer, need)
    except AllocationError as error:
        sentence = (
            f"Node {drawer.node!r}{name_partition(drawer.partition)} cannot draw in proportion: {error}"
        )
        computation.note(node, sentence, NOT_COMPUTABLE)
        return
    if shortfall:
        computation.note(
            node, _explain_shortfall(drawer, drawing.source_ledgers[drawer.node], shortfall), NOT_DRAWN
        )


def _read_attribute(
    computation: SlotComputation,
    drawer: Drawer,
    source_ledger: SourceLedgerView,
    source: SourceBatch,
    slug: str,
) -> Decimal:
    """What a source came to, in the unit that all sources of the node have."""
    attribute = source.attributes.get(slug)
    if attribute is not None:
        return convert(*attribute, source_ledger.attributes[slug])
    sentence = (
        f"Node {drawer.node!r}{name_partition(drawer.partition)} draws from {source.tracking_id!r}"
        f" of {source_ledger.name!r}, which has no value of {slug!r}."
    )
    computation.note(computation.model.node(drawer.node), sentence, MISSING)
    return ZERO


def _compare(computation: SlotComputation, drawer: Drawer, need: Need | None, draws: Sequence[Drawn]) -> None:
    """Add a problem if recorded withdrawals do not add up to the need."""
    total = exact_total([draw_.amount for draw_ in draws])
    if need is not None and need.amount != total:
        place = name_partition(drawer.partition)
        sentence = f"Node {drawer.node!r}{place} needs {plain(need.amount)} and drew {plain(total)}."
        computation.note(computation.model.node(drawer.node), sentence, NOT_DRAWN)


def _explain_shortfall(drawer: Drawer, source_ledger: SourceLedgerView, shortfall: Shortfall) -> str:
    unit, missing = source_ledger.unit, plain(shortfall.needed - shortfall.there)
    return (
        f"Node {drawer.node!r}{name_partition(drawer.partition)} needs {plain(shortfall.needed)} {unit} of"
        f" {source_ledger.name!r}, and {plain(shortfall.there)} {unit} is there to draw: "
        f"{missing} {unit} too little."
    )


@dataclass(frozen=True, slots=True)
class PartitionRun:
    """The values of every node in one partition, and the data that they came from."""

    partition: Partition
    readings: Mapping[str, NodeReading]
    groups: tuple[Group, ...]
    """Groups of which statistics were read."""
    used: Mapping[int, tuple[Element, ...]] = field(default_factory=dict)
    """Elements that were read one by one, by source and in order."""
    statics: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Static inputs that were read, by node."""
    skipped: frozenset[str] = frozenset()
    """Inputs whose data were set aside."""
    draws: tuple[Drawn, ...] = ()
    """What its nodes hold of batches of other ledgers."""
    contributions: Mapping[str, Contributions | None] | None = None
    """What contributes to each output, None where nobody knows; none of them unless it is asked for, or where
    there are problems.
    """
    uncertainties: Mapping[str, Uncertainty] | None = None
    """How uncertain each output is, in its unit; None unless asked for, or where there are problems."""
    discounts: Mapping[str, Decimal] = field(default_factory=dict)
    """How much less than each output with a discount is credited, in its unit."""
    basis: TrialBasis | None = None
    """What it was computed of, where that is asked for."""


class ComputedRun(Protocol):
    """What a run came to."""

    @property
    def readings(self) -> Mapping[str, NodeReading]: ...

    @property
    def discounts(self) -> Mapping[str, Decimal]: ...


def compute_credit(
    model: Model, run: ComputedRun, output: str, unit: Unit, scale: int, rounding: LedgerRounding
) -> Decimal:
    """Return what a ledger is credited with: the output less its discount, in the ledger's unit, rounded."""
    reading = run.readings.get(output)
    if reading is None or not isinstance(reading.amount, Decimal):
        return ZERO  # an optional input had no data; a model's outputs are single numbers
    amount = CONTEXT.subtract(reading.amount, run.discounts.get(output, ZERO))
    return round_total(convert(amount, model.node(output).unit, unit), scale, rounding)


@dataclass(frozen=True, slots=True)
class SlotRun:
    """What a slot comes to: its runs, the data that met no partition, and why it cannot be run."""

    runs: tuple[PartitionRun, ...]
    not_counted: tuple[Group, ...]
    problems: tuple[Problem, ...]
    rounded_away: tuple[RoundedAway, ...] = ()
    """Withdrawals that are zero although an amount was needed."""


def run_slot(setting: EngineSetting, data: SlotData) -> SlotRun:
    """Run a model over the data of one slot.

    Problems are full sentences; when there are any, the runs are incomplete.
    """
    if data.alone is not None:
        return _run(setting, data, (data.alone.partition,), {})
    model = setting.program.model
    groups = [group for group in data.groups if group.is_of_slot]
    of_slot = find_partitions_of_data(model, data.groups, data.named)
    excluded = data.drawing.excluded if data.drawing else frozenset[Partition]()
    partitions = tuple(one for one in of_slot if one not in excluded)
    inventory = begin(data.drawing, model, partitions) if data.drawing else {}
    if (of_slot and not partitions) or (not groups and model.partitioning):
        return SlotRun((), tuple(groups), ())
    if not partitions:
        names = ", ".join(node.slug for node in model.partitioning)
        events = tuple(group.first_event for group in groups)
        example = f" {events[0]} for one," if events else ""
        message = f"There are data,{example} but none of {names} says which partition they belong to."
        return SlotRun((), (), (Problem(message, None, UNTAGGED, events),))
    return _run(setting, data, partitions, inventory, _check_untagged(model, groups))


def _run(
    setting: EngineSetting,
    data: SlotData,
    partitions: Sequence[Partition],
    inventory: Mapping[str, Decimal],
    problems: Sequence[Problem] = (),
) -> SlotRun:
    """Run the nodes over partitions; `inventory` is what each `available` node finds."""
    model = setting.program.model
    computation = SlotComputation(
        setting,
        data,
        {
            partition: PartitionComputation(_list_partition_names(model, partition))
            for partition in partitions
        },
    )
    computation.problems += problems
    for node in setting.program.nodes:
        proceed()
        if data.given is not None and take(computation, node, data.given):
            continue
        if isinstance(node.body, Upstream | Available):
            _compute_draw(computation, node, node.body, inventory)
        else:
            _run_node(computation, node)
    not_counted = tuple(
        group for group in data.groups if group.is_of_slot and not computation.agreeing(group)
    )
    return SlotRun(
        tuple(_build_partition_run(computation, partition) for partition in partitions),
        not_counted,
        tuple(dict.fromkeys(computation.problems)),
        tuple(computation.rounded_away),
    )


def _run_node(computation: SlotComputation, node: Node) -> None:
    """Give a node its value in every partition, by the kind of its body."""
    match node.body:
        case Input() as body if node.slug in computation.data.skipped:
            _skip(computation, node, body)
        case Input() as body if body.join is not None:
            read_joined(computation, node, body)
        case Input(aggregate=Aggregate.DELTA) as body:
            read_totalisers(computation, node, body)
        case Input() as body if computation.measure(node).is_of_elements:
            read_elements(computation, node, body)
        case Input() as body:
            read_statistics(computation, node, body)
        case StaticInput() as static:
            read_static(computation, node, static)
        case _:
            compute(computation, node)


def _compute_draw(
    computation: SlotComputation, node: Node, body: Upstream | Available, inventory: Mapping[str, Decimal]
) -> None:
    """Give a node of another ledger its value; `inventory` is what each `available` node finds there."""
    drawing = computation.data.drawing
    if drawing is None:
        go_without(computation, node, body)
    elif isinstance(body, Upstream):
        draw(computation, drawing, node, body)
    else:
        look(computation, drawing, node, inventory[node.slug])


def _skip(computation: SlotComputation, node: Node, body: Input) -> None:
    """Take the default of an input whose data were excluded."""
    for partition in computation.partitions:
        computation.keep(node, partition, NodeReading(substitute(computation, node)))
        if body.is_array:
            computation.keep_array(node.slug, partition, (), ())


def _build_partition_run(computation: SlotComputation, partition: Partition) -> PartitionRun:
    work = computation.by_partition[partition]
    _use_what_makes_it_run(computation, partition)
    is_said = computation.setting.says_contributions and not computation.problems
    is_uncertain = computation.setting.is_uncertain and not computation.problems
    uncertainties = compute_uncertainties(computation, partition) if is_uncertain else None
    return PartitionRun(
        partition,
        work.readings,
        tuple(
            group
            for group in computation.data.groups
            if not group.is_of_elements and group.tags.agrees_with(partition)
        ),
        {
            source: tuple(sorted(used_elements.values(), key=lambda element: element.rank))
            for source, used_elements in work.used.items()
            if used_elements
        },
        {slug: frozenset(numbers) for slug, numbers in work.statics.items() if numbers},
        computation.data.skipped,
        tuple(computation.draws[partition]),
        compute_contributions(computation, partition) if is_said else None,
        uncertainties,
        compute_discounts(computation, partition, uncertainties or {}),
        _build_basis(computation, partition) if computation.setting.keeps_reads else None,
    )


def _build_basis(computation: SlotComputation, partition: Partition) -> TrialBasis:
    work = computation.by_partition[partition]
    return TrialBasis(
        computation.environment(partition),
        work.reads,
        {slug: tuple(numbers) for slug, numbers in work.statics.items()},
    )


def _use_what_makes_it_run(computation: SlotComputation, partition: Partition) -> None:
    """Note the readings that make a partition run where they count for nothing and others count in it.

    Without them, the inputs of a batch would not show that its partition runs.
    """
    data, model = computation.data, computation.model
    if data.alone is not None or data.given is not None:
        return
    nodes = {node.slug for node in model.partitioning}
    making = [
        group
        for group in data.groups
        if group.tags == partition and group.is_of_slot and nodes & group.by_input.keys()
    ]
    used_elements = computation.by_partition[partition].used
    for group in making:
        if not group.is_of_elements or any(
            element.event in used_elements.get(group.source, ()) for element in group.elements
        ):
            return
    for group in making:
        computation.use(
            partition, group.source, [element for element in group.elements if element.is_of_slot]
        )


def _list_partition_names(model: Model, partition: Partition) -> dict[str, Value]:
    return {f"partition.{name}": text(getattr(partition, name)) for name in DIMENSIONS[model.partition_type]}


def find_partitions_of_data(
    model: Model, groups: Sequence[Group], required: frozenset[Partition] = frozenset()
) -> tuple[Partition, ...]:
    """The partitions that the data of a slot call for, and `named` ones; without inputs it needs no data."""
    of_slot = [group for group in groups if group.is_of_slot]
    partitions = find_partitions(model, of_slot) if of_slot or not model.partitioning else ()
    return tuple(sorted({*partitions, *required})) if required else partitions


def list_unmet_groups(model: Model, data: SlotData) -> tuple[Group, ...]:
    """The data of a slot that meet none of its partitions."""
    partitions = find_partitions_of_data(model, data.groups)
    return tuple(
        group
        for group in data.groups
        if group.is_of_slot and not any(group.tags.agrees_with(partition) for partition in partitions)
    )


def find_partitions(model: Model, groups: Sequence[Group]) -> tuple[Partition, ...]:
    """The partitions that run: those that the partitioning inputs have data for, in order of name."""
    if model.partition_type == "time":
        return (Partition(),)
    defining = {node.slug for node in model.partitioning}
    partitions = {
        group.tags
        for group in groups
        if group.tags.is_whole(model.partition_type) and defining & group.by_input.keys()
    }
    return tuple(sorted(partitions))


def _check_untagged(model: Model, groups: Sequence[Group]) -> list[Problem]:
    """A partitioning input is never repeated, so an untagged event of it must be one that can be shared."""
    return [
        Problem(
            f"Input {node.slug!r} defines the partitions, and {group.event_count} of its events carry no "
            f"tag, {group.first_event} for one.",
            node.slug,
            UNTAGGED,
            (group.first_event,),
        )
        for node in model.partitioning
        if isinstance(node.body, Input) and node.body.share is Share.REPEAT
        for group in groups
        if node.slug in group.by_input and not group.tags.is_whole(model.partition_type)
    ]


# Taking the values that a caller gave to a node instead of data: its result, or its withdrawals.
#
# A list of an input is not taken here: its values are elements of the slot, and the engine reads, joins and
# aggregates them as it reads the events of a project. Missing values get the same
# defaults, or the same errors, as in a project without data.
#
# Invariants: a given value is in the unit of its node; a list that is paired with elements has one
# value for each of them; a value that no data could produce is a problem.


ListOrNumber = Decimal | tuple[Decimal, ...] | None


def take(computation: SlotComputation, node: Node, given_values: GivenValues) -> bool:
    """Give a node what was given to it; False when the engine has to read or compute it."""
    value = given_values.values.get(node.slug)
    match node.body:
        case Input() as body if value is not None and not body.is_array:
            return _take_input(computation, node, body, value)
        case StaticInput() as static:
            for partition in computation.partitions:
                computation.keep(
                    node, partition, NodeReading(_align_static(computation, node, static, partition, value))
                )
            return True
        case Upstream() as upstream if value is not None:
            for partition in computation.partitions:
                _take_draws(computation, node, upstream, partition, given_values)
            return True
        case Available() if value is not None:
            for partition in computation.partitions:
                computation.keep(
                    node, partition, NodeReading(_require_one_number(computation, node, partition, value))
                )
            return True
    return False


def _take_input(
    computation: SlotComputation, node: Node, body: Input, value: Decimal | tuple[Decimal, ...]
) -> bool:
    """Take what an input comes to; a list is left to its aggregate, where that needs nothing else."""
    if isinstance(value, tuple) and is_listed(body):
        return False
    for partition in computation.partitions:
        computation.keep(
            node, partition, NodeReading(_require_one_number(computation, node, partition, value))
        )
    return True


def _require_one_number(
    computation: SlotComputation, node: Node, partition: Partition, value: Decimal | tuple[Decimal, ...]
) -> Amount:
    if isinstance(value, Decimal):
        return value
    computation.problem(
        node, f"is one number and was given a list of {len(value)}", partition, NOT_COMPUTABLE
    )
    return Decimal(0)


def _align_static(
    computation: SlotComputation, node: Node, body: StaticInput, partition: Partition, value: ListOrNumber
) -> Amount:
    if body.at is None:
        if value is None:
            return stand_in_static(computation, node, body, "has no value in force", partition)
        return _require_one_number(computation, node, partition, value)
    elements = computation.by_partition[partition].arrays.get(body.at, ())
    amounts = (value,) if isinstance(value, Decimal) else value or ()
    if uncovered_events := [element.event for element in elements[len(amounts) :]]:
        report_not_in_force(computation, node, body, partition, uncovered_events)
    if elements and len(amounts) > len(elements):
        fact = f"is looked up at the {len(elements)} values of {body.at!r} and was given {len(amounts)}"
        computation.problem(node, fact, partition, UNMATCHED)
    missing = (Decimal(0),) * (len(elements) - len(amounts))
    return (*amounts[: len(elements)], *missing)


def _take_draws(
    computation: SlotComputation, node: Node, body: Upstream, partition: Partition, given_values: GivenValues
) -> None:
    """Take the amounts that a node draws, and what travels along; what it needs must be an amount."""
    if not body.is_manual:
        find_amount_needed(computation, node, body, partition)
    amounts, place = _to_list(given_values, node.slug), name_partition(partition)
    computation.keep(node, partition, NodeReading(amounts))
    for slug in body.attributes:
        name = f"{node.slug}.{slug}"
        column = _to_list(given_values, name)
        if name not in given_values.values:
            sentence = (
                f"Node {node.slug!r}{place} draws from {body.ledger!r}, which has no value of {slug!r}."
            )
            computation.fail(node, partition, sentence, MISSING)
        elif len(column) != len(amounts):
            sentence = (
                f"Node {node.slug!r}{place} has {len(amounts)} draws and {len(column)} values of {slug!r}."
            )
            computation.fail(node, partition, sentence, UNMATCHED)
        computation.keep_value(name, computation.setting.program.types[name].unit, partition, column)


def _to_list(given_values: GivenValues, name: str) -> tuple[Decimal, ...]:
    value = given_values.values.get(name, ())
    return (value,) if isinstance(value, Decimal) else value
