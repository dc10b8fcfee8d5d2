"""What each output of a partition rests on: from the output back over formulas to inputs and draws."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from weighbridge.core.engine.measured.inputs import in_absolute_unit
from weighbridge.core.engine.slot_computation import SlotComputation
from weighbridge.core.engine.source_ledger import Drawn
from weighbridge.core.expression.derivative import Gradient, Traced, gradients_of, plus, trace
from weighbridge.core.expression.value import Content
from weighbridge.core.halt import proceed
from weighbridge.core.ledger import contributions as of
from weighbridge.core.ledger.contributions import Contributions
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Formula, Input, Node, Upstream
from weighbridge.core.quantity.number import CONTEXT
from weighbridge.core.quantity.unit import absolute, slope
from weighbridge.core.quantity.value_source import ValueSource

Unknown = None
"""In place of contributions: something contributes of which nobody knows what it rests on."""


def contributions_of(computation: SlotComputation, one: Partition) -> Mapping[str, Contributions | None]:
    """What contributes to each output that has a value, in its unit; None where that cannot be known.

    Only the proportions count: what surely rests on nothing but captured values is told by its own size. The
    computation has no problems.
    """
    outputs = computation.model.outputs
    traced: dict[str, Traced] = {}
    contributions: dict[str, Contributions | None] = {}
    is_measured = computation.is_captured and all(map(_is_measured, computation.draws[one]))
    for node in outputs:
        amount = computation.number_of(one, node.slug)
        if amount and is_measured and node.slug in computation.setting.program.surely_contributing:
            contributions[node.slug] = {ValueSource.CAPTURED: of.size_of(amount)}
        elif amount is not None:
            contributions[node.slug] = _contributing(computation, one, node, traced)
    return contributions


def _is_measured(draw: Drawn) -> bool:
    """Whether all that a draw brings along rests on captured values."""
    return all(part is not None and part.keys() == {ValueSource.CAPTURED} for part in draw.rests_on)


def _contributing(
    computation: SlotComputation, one: Partition, output: Node, traced: dict[str, Traced]
) -> Contributions | None:
    """What contributes to one output; `traced` are the formulas that another one went through."""
    gradients: dict[str, Gradient] = {output.slug: Decimal(1)}
    found: list[Contributions | None] = []
    for node in reversed(computation.setting.program.nodes):
        proceed()
        if isinstance(node.body, Upstream):
            found += _of_draws(computation, one, node, gradients)
        elif node.slug in gradients:
            gradient = gradients.pop(node.slug)
            if isinstance(node.body, Formula):
                if node.slug not in traced:
                    traced[node.slug] = trace(node.body.tree, computation.environment(one))
                for name, inner in gradients_of(traced[node.slug], gradient, node.unit).items():
                    gradients[name] = plus(gradients.get(name), inner)
            elif isinstance(node.body, Input):
                found.append(_of_input(computation, one, node, gradient))
    known = [contributions for contributions in found if contributions is not None]
    return of.together(known) if len(known) == len(found) else Unknown


def _of_input(computation: SlotComputation, one: Partition, node: Node, gradient: Gradient) -> Contributions:
    """What an input contributes, by the sources of its data; what stands in for them contributes nothing."""
    work = computation.by_partition[one]
    own = absolute(node.unit)
    rate = slope(own, node.unit)
    if not isinstance(gradient, tuple):
        contributions = work.contributions.get(node.slug, of.NO_CONTRIBUTIONS)
        return of.times(contributions, CONTEXT.multiply(gradient, rate))
    amounts, elements = work.readings[node.slug].amount, work.arrays.get(node.slug, ())
    assert isinstance(amounts, tuple), "an array has a gradient for each element"  # noqa: S101
    measure = computation.measure(node)
    return of.together(
        {
            element.source(measure.value): of.size_of(
                CONTEXT.multiply(in_absolute_unit(amount, node.unit), CONTEXT.multiply(change, rate))
            )
        }
        for amount, element, change in zip(amounts, elements, gradient, strict=True)
        if change
    )


def _of_draws(
    computation: SlotComputation, one: Partition, node: Node, gradients: Mapping[str, Gradient]
) -> list[Contributions | None]:
    """What a node's draws contribute, and what travels along with them: what their source batches rest on."""
    draws = [draw for draw in computation.draws[one] if draw.node == node.slug]
    body = node.body
    assert isinstance(body, Upstream)  # noqa: S101 - the caller saw it
    found: list[Contributions | None] = []
    for column, name in enumerate([node.slug, *(f"{node.slug}.{slug}" for slug in body.attributes)]):
        changes = gradients.get(name, ())
        amounts = computation.by_partition[one].values[name].content
        assert isinstance(changes, tuple), "a draw is an array"  # noqa: S101
        if changes and isinstance(amounts, tuple):
            found += _of_column(draws, column, amounts, changes)
    return found


def _of_column(
    draws: Sequence[Drawn], column: int, amounts: Sequence[Content], changes: Sequence[Decimal]
) -> Iterator[Contributions | None]:
    """What one column of draws contributes: the amounts themselves, or one attribute of their sources."""
    for draw, amount, change in zip(draws, amounts, changes, strict=True):
        assert isinstance(amount, Decimal), "draws have values"  # noqa: S101
        if part := CONTEXT.multiply(amount, change):
            rests_on = draw.rests_on[column] if draw.rests_on else of.NO_CONTRIBUTIONS
            yield Unknown if rests_on is None else of.spread(part, rests_on)
