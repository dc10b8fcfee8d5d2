"""What each output of a run rests on: from the output back over formulas and draws to inputs and elements.

`walk_back` derives an output: it gives, node by node, how fast the output changes with what the node comes
to, by exact derivatives (sensitivity coefficients, JCGM 100:2008, 5.1.3). What contributes to an output,
source by source, follows here; how uncertain it is, effect by effect, in `uncertainty`.

Invariants: a node is given once, after all that need it; a gradient is in the unit of the output for each
unit of the node.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core.engine.inputs import convert_to_absolute
from weighbridge.core.engine.slot_computation import Drawn, SlotComputation
from weighbridge.core.expression.compiler import (
    Gradient,
    TableRead,
    Traced,
    add_gradients,
    gradients_of,
    trace,
)
from weighbridge.core.expression.value import Content
from weighbridge.core.halt import proceed
from weighbridge.core.ledger import allocation
from weighbridge.core.ledger.allocation import Contributions, Partition, ValueSource
from weighbridge.core.model import Formula, Input, Node, Upstream
from weighbridge.core.number import CONTEXT, EXACT, ZERO, total
from weighbridge.core.unit import find_absolute, find_slope


@dataclass(frozen=True, slots=True)
class DerivedNode:
    """A node that an output depends on, and how fast the output changes with it."""

    node: Node
    gradients: Mapping[str, Gradient]
    """By what the node comes to: its slug, and of a draw also `slug.attribute`."""
    reads: Sequence[TableRead] = ()
    """What its formula reads from tables."""


def walk_back(
    computation: SlotComputation,
    partition: Partition,
    output: Node,
    traced: dict[str, Traced],
    *,
    is_through_draws: bool = False,
) -> Iterator[DerivedNode]:
    """Derive an output by every node that it depends on, the last to be computed first.

    `traced` are the formulas that were gone through for another output, and are added to. What a draw takes
    changes with the node that says how much, too, if `is_through_draws`; its sources keep their proportions.
    """
    gradients: dict[str, Gradient] = {output.slug: Decimal(1)}
    for node in reversed(computation.setting.program.nodes):
        proceed()
        if isinstance(node.body, Upstream):
            names = (node.slug, *(f"{node.slug}.{slug}" for slug in node.body.attributes))
            of_node = {name: gradients.pop(name) for name in names if name in gradients}
            amount, change = node.body.amount, of_node.get(node.slug)
            if is_through_draws and amount is not None and isinstance(change, tuple):
                of_amount = _derive_by_amount(computation, partition, node, amount, change)
                gradients[amount] = add_gradients(gradients.get(amount), of_amount)
        else:
            of_node = {node.slug: gradients.pop(node.slug)} if node.slug in gradients else {}
        if not of_node:
            continue
        reads: list[TableRead] = []
        if isinstance(node.body, Formula):
            if node.slug not in traced:
                traced[node.slug] = trace(node.body.tree, computation.environment(partition))
            inner = gradients_of(traced[node.slug], of_node[node.slug], node.unit, reads)
            for name, gradient in inner.items():
                gradients[name] = add_gradients(gradients.get(name), gradient)
        yield DerivedNode(node, of_node, reads)


def _derive_by_amount(
    computation: SlotComputation, partition: Partition, node: Node, amount: str, changes: Sequence[Decimal]
) -> Decimal:
    """How fast an output changes with the amount that a node draws, each source in proportion."""
    drawn = computation.by_partition[partition].readings[node.slug].amount
    assert isinstance(drawn, tuple), "a draw is an array"  # noqa: S101
    whole = total(drawn)
    if not whole:
        return ZERO
    weighted = total(EXACT.multiply(change, part) for change, part in zip(changes, drawn, strict=True))
    slope = find_slope(computation.model.node(amount).unit, node.unit)
    return CONTEXT.multiply(CONTEXT.divide(weighted, whole), slope)


Unknown = None
"""In place of contributions: a contributing value has unknown contributions."""


def compute_contributions(
    computation: SlotComputation, partition: Partition
) -> Mapping[str, Contributions | None]:
    """What contributes to each output that has a value, in its unit; None where that cannot be known.

    Only the proportions count: a result of captured values only is reported by its own size. The
    computation has no problems.
    """
    outputs = computation.model.outputs
    traced: dict[str, Traced] = {}
    contributions: dict[str, Contributions | None] = {}
    is_measured = computation.is_captured and all(map(_is_measured, computation.draws[partition]))
    for node in outputs:
        amount = computation.number_of(partition, node.slug)
        if amount and is_measured and node.slug in computation.setting.program.surely_contributing:
            contributions[node.slug] = {ValueSource.CAPTURED: allocation.find_magnitude(amount)}
        elif amount is not None:
            contributions[node.slug] = _contributing(computation, partition, node, traced)
    return contributions


def _is_measured(draw: Drawn) -> bool:
    """Whether all that a draw brings along rests on captured values."""
    return all(part is not None and part.keys() == {ValueSource.CAPTURED} for part in draw.rests_on)


def _contributing(
    computation: SlotComputation, partition: Partition, output: Node, traced: dict[str, Traced]
) -> Contributions | None:
    """What contributes to one output; `traced` are the formulas that another one went through."""
    all_contributions: list[Contributions | None] = []
    for derived in walk_back(computation, partition, output, traced):
        node = derived.node
        if isinstance(node.body, Upstream):
            all_contributions += _compute_draw_contributions(computation, partition, node, derived.gradients)
        elif isinstance(node.body, Input):
            gradient = derived.gradients[node.slug]
            all_contributions.append(_compute_input_contributions(computation, partition, node, gradient))
    known_contributions = [contributions for contributions in all_contributions if contributions is not None]
    return (
        allocation.add_contributions(known_contributions)
        if len(known_contributions) == len(all_contributions)
        else Unknown
    )


def _compute_input_contributions(
    computation: SlotComputation, partition: Partition, node: Node, gradient: Gradient
) -> Contributions:
    """Return an input's contributions by the sources of its data; a default contributes nothing."""
    work = computation.by_partition[partition]
    absolute_unit = find_absolute(node.unit)
    rate = find_slope(absolute_unit, node.unit)
    if not isinstance(gradient, tuple):
        contributions = work.contributions.get(node.slug, allocation.NO_CONTRIBUTIONS)
        return allocation.multiply_contributions(contributions, CONTEXT.multiply(gradient, rate))
    amounts, elements = work.readings[node.slug].amount, work.arrays.get(node.slug, ())
    assert isinstance(amounts, tuple), "an array has a gradient for each element"  # noqa: S101
    measure = computation.measure(node)
    return allocation.add_contributions(
        {
            element.source(measure.value): allocation.find_magnitude(
                CONTEXT.multiply(convert_to_absolute(amount, node.unit), CONTEXT.multiply(change, rate))
            )
        }
        for amount, element, change in zip(amounts, elements, gradient, strict=True)
        if change
    )


def _compute_draw_contributions(
    computation: SlotComputation, partition: Partition, node: Node, gradients: Mapping[str, Gradient]
) -> list[Contributions | None]:
    """What a node's draws contribute, and what travels along with them: what their source batches rest on."""
    draws = [draw for draw in computation.draws[partition] if draw.node == node.slug]
    body = node.body
    assert isinstance(body, Upstream)  # noqa: S101 - the caller saw it
    contributions: list[Contributions | None] = []
    for column, name in enumerate([node.slug, *(f"{node.slug}.{slug}" for slug in body.attributes)]):
        changes = gradients.get(name, ())
        amounts = computation.by_partition[partition].values[name].content
        assert isinstance(changes, tuple), "a draw is an array"  # noqa: S101
        if changes and isinstance(amounts, tuple):
            contributions += _compute_column_contributions(draws, column, amounts, changes)
    return contributions


def _compute_column_contributions(
    draws: Sequence[Drawn], column: int, amounts: Sequence[Content], changes: Sequence[Decimal]
) -> Iterator[Contributions | None]:
    """What one column of draws contributes: the amounts themselves, or one attribute of their sources."""
    for draw, amount, change in zip(draws, amounts, changes, strict=True):
        assert isinstance(amount, Decimal), "draws have values"  # noqa: S101
        if part := CONTEXT.multiply(amount, change):
            rests_on = draw.rests_on[column] if draw.rests_on else allocation.NO_CONTRIBUTIONS
            yield Unknown if rests_on is None else allocation.spread(part, rests_on)
