"""How uncertain the outputs of a run are, to first order: their components, effect by effect.

An output is derived by every node that it depends on (`walk_back`). What a node states of its uncertainty,
times how fast the output changes with it, is a component (JCGM 100:2008, 5.1). Whose error it is decides what
it is correlated with:

    the values of an input      each for itself, unless they name an effect
    a constant, a column        one effect of the model, shared by all of its runs
    a static input              one effect of each of its values, shared by all runs that read it
    a draw                      the effects of its source batch

A reading of several elements at once is pooled by `stated_values`; what an array makes of an output is pooled
here, where each of its elements changes the output at a rate of its own.

Invariants: a component is in the unit of the output; what is not uncertain has none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from weighbridge.core.engine.contributions import DerivedNode, walk_back
from weighbridge.core.engine.element_rates import rate_element
from weighbridge.core.engine.shared_errors import SharedErrors
from weighbridge.core.engine.slot_computation import SlotComputation, StaticValue
from weighbridge.core.engine.stated_values import RatedValue, StatedClass, compute_rated_components
from weighbridge.core.expression.compiler import Gradient, TableRead, Traced
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.model import Aggregate, Constant, Input, Model, Node, StaticInput, Upstream
from weighbridge.core.number import CONTEXT, plain
from weighbridge.core.uncertainty.effects import (
    Component,
    Components,
    Correlations,
    Uncertainty,
    UncertaintyEffect,
    add_components,
    multiply_components,
    write_uncertainty,
)
from weighbridge.core.uncertainty.statement import UncertaintyStatement
from weighbridge.core.unit import Unit, find_slope

Rate = tuple[Decimal, Decimal]
"""How fast something changes with a value, and the value."""


def compute_uncertainties(computation: SlotComputation, partition: Partition) -> Mapping[str, Uncertainty]:
    """Compute the uncertainty of each output that has a value, or of the nodes asked for, in their units.

    The computation has no problems.
    """
    traced: dict[str, Traced] = {}
    errors = SharedErrors(computation.families, _find_counted(computation))
    own = _split_inputs(computation, partition, errors)
    model, asked = computation.model, computation.setting.uncertain_nodes
    nodes = model.outputs if asked is None else [model.node(slug) for slug in asked]
    readings = computation.by_partition[partition].readings
    return {
        node.slug: _compute_uncertainty(computation, partition, node, traced, (own, errors))
        for node in nodes
        if node.slug in readings and isinstance(readings[node.slug].amount, Decimal)
    }


def compute_discounts(
    computation: SlotComputation, partition: Partition, uncertainties: Mapping[str, Uncertainty]
) -> Mapping[str, Decimal]:
    """Compute how much less than each output with a discount is credited, in its unit."""
    return {
        node.slug: node.discount.compute(amount, uncertainties[node.slug].combine())
        for node in computation.model.outputs
        if node.discount is not None
        and node.slug in uncertainties
        and (amount := computation.number_of(partition, node.slug)) is not None
    }


def write_output_uncertainty(
    model: Model, node: Node, uncertainty: Uncertainty | None
) -> dict[str, Any] | None:
    """Write what a batch keeps of how uncertain a node is; None for no output, and if not asked for."""
    if uncertainty is None or model.uncertainty is None:
        return None
    written, combined = write_uncertainty(uncertainty), uncertainty.combine()
    probability = model.uncertainty.coverage_probability
    written["coverage_probability"] = plain(probability)
    # A quantile takes longer than all the rest, so it is found once and never where requests are answered.
    written["coverage_factor"] = plain(combined.compute_coverage_factor(probability))
    if node.discount is not None:
        written["discount"] = {key: plain(number) for key, number in node.discount.list_fields().items()}
        written["discount_factor"] = plain(node.discount.compute_factor(combined.degrees_of_freedom))
    return written


_Within = tuple[str, Mapping[str, Components], SharedErrors]
"""The output, what inputs of one number have of errors that they share, and these errors."""


def _find_counted(computation: SlotComputation) -> Mapping[int, str]:
    """By reading that a totaliser counts, and other inputs may read, what has its own error."""
    counting = {
        node.slug
        for node in computation.model.nodes
        if isinstance(node.body, Input) and node.body.aggregate is Aggregate.DELTA
    }
    return {
        value.reading: value.stated.owner
        for work in computation.by_partition.values()
        for slug in counting & work.rated.keys()
        for part in work.rated[slug]
        for value in part.values
        if value.reading is not None
    }


def _split_inputs(
    computation: SlotComputation, partition: Partition, errors: SharedErrors
) -> Mapping[str, Components]:
    """What inputs of one number have of the errors of readings that others read too, in their units."""
    rated = computation.by_partition[partition].rated
    return {
        node.slug: errors.split_parts(parts)
        for node in computation.model.nodes
        if (parts := rated.get(node.slug))
    }


def _compute_uncertainty(
    computation: SlotComputation,
    partition: Partition,
    output: Node,
    traced: dict[str, Traced],
    shared: tuple[Mapping[str, Components], SharedErrors],
) -> Uncertainty:
    components = add_components(
        components
        for derived in walk_back(computation, partition, output, traced, is_through_draws=True)
        for components in _list_components(computation, partition, derived, (output.slug, *shared))
    )
    correlations: dict[frozenset[UncertaintyEffect], Decimal] = {}
    for draw in computation.draws[partition]:
        for drawn in draw.uncertainties:
            correlations |= drawn.correlations
    return Uncertainty(components, {**correlations, **_list_correlations(computation.model, components)})


def name_static_effect(slug: str, number: int) -> UncertaintyEffect:
    """The effect of a value of a static input, whatever the nodes are called that read it."""
    return UncertaintyEffect(slug, f"{_STATIC_OWNER}{number}")


_STATIC_OWNER: Final = "static input "


def _list_correlations(model: Model, components: Components) -> Correlations:
    """The correlations that a model states, of those effects of a run that they name."""
    if model.uncertainty is None or not model.uncertainty.correlations:
        return {}
    named = _NamedEffects(model, components)
    return {
        frozenset((one, other)): coefficient
        for first, second, coefficient in model.uncertainty.correlations
        for one in named.find(first)
        for other in named.find(second)
    }


class _NamedEffects:
    """The effects of a result, by the names that the correlations of a model have for them."""

    def __init__(self, model: Model, effects: Iterable[UncertaintyEffect]) -> None:
        self._model = model
        self._by_name: dict[tuple[str, bool], list[UncertaintyEffect]] = {}
        for effect in effects:
            is_static = effect.owner.startswith(_STATIC_OWNER)
            self._by_name.setdefault((effect.name, is_static), []).append(effect)

    def find(self, name: str) -> list[UncertaintyEffect]:
        """The effects of a node of the model, or those that have a name themselves."""
        node, named = self._model.by_slug.get(name), self._by_name.get((name, False), [])
        if node is None:
            return named + self._by_name.get((name, True), [])
        if isinstance(node.body, StaticInput):
            return named + self._by_name.get((node.body.slug, True), [])
        return named


def _list_components(
    computation: SlotComputation,
    partition: Partition,
    derived: DerivedNode,
    within: "_Within",
) -> Iterator[Components]:
    """List what a node makes uncertain of an output, as far as it is uncertain by itself."""
    node, gradient = derived.node, derived.gradients.get(derived.node.slug)
    for read in derived.reads:
        yield _compute_read_components(computation.model, read)
    match node.body:
        case Constant(value=value) if node.uncertainty is not None and isinstance(gradient, Decimal):
            effect = UncertaintyEffect(node.slug, computation.model.name)
            yield _compute_shared(node.slug, node.uncertainty, [(gradient, value)], node.unit, effect)
        case Input() if gradient is not None:
            yield _compute_input_components(computation, partition, node, gradient, within)
        case StaticInput() as body if gradient is not None:
            yield from _list_static_components(computation, partition, node, body, gradient)
        case Upstream():
            yield from _list_draw_components(computation, partition, node, node.body, derived.gradients)


def _compute_read_components(model: Model, read: TableRead) -> Components:
    """What a column of a table makes uncertain: all that is read from it has one error."""
    statement = model.table_uncertainties.get((read.table, read.column))
    unit = read.value.type.unit
    if statement is None or unit is None:
        return {}
    name = f"{read.table}.{read.column}"
    rates = _pair(read.gradient, read.value.content)
    return _compute_shared(name, statement, rates, unit, UncertaintyEffect(name, model.name))


def _compute_shared(
    name: str, statement: UncertaintyStatement, rates: Sequence[Rate], unit: Unit, own: UncertaintyEffect
) -> Components:
    """What values make uncertain that all have one error: of the effect that they name, or of their own."""
    effect = own if statement.effect is None else UncertaintyEffect(statement.effect)
    change = Decimal(0)
    for rate, value in rates:
        # With its sign: a relative error moves a negative value the other way, here and in other runs.
        step = statement.compute_change(value, unit)
        change = CONTEXT.add(change, CONTEXT.multiply(rate, step))
    return {effect: Component({name: change}, statement.degrees_of_freedom)} if change else {}


def _compute_input_components(
    computation: SlotComputation,
    partition: Partition,
    node: Node,
    gradient: Gradient,
    within: "_Within",
) -> Components:
    """What the values of an input make uncertain of an output."""
    work = computation.by_partition[partition]
    output, own, errors = within
    if not isinstance(gradient, tuple):
        if node.slug in work.components:
            parts = [part for part in (work.components[node.slug], own.get(node.slug)) if part]
            return multiply_components(parts[0] if len(parts) == 1 else add_components(parts), gradient)
        return _compute_given_number(computation, partition, node, gradient)
    elements, measure = work.arrays.get(node.slug, ()), computation.measure(node)
    # The element's values are in the unit of the data, and so are rates.
    slope = find_slope(measure.unit, node.unit)
    rated = [
        rated_value
        for element, rate in zip(elements, gradient, strict=True)
        if rate and (value := element.number(measure.value)) is not None
        for rated_value in rate_element(computation, node, element, CONTEXT.multiply(rate, slope), value)
    ]
    # What a model correlates is one effect of the whole array.
    setting = computation.model.uncertainty
    if setting is not None and any(node.slug in pair for *pair, _ in setting.correlations):
        return compute_rated_components(node.slug, rated, measure.unit)
    return errors.split_array(node.slug, output, rated, measure.unit)


def _compute_given_number(
    computation: SlotComputation, partition: Partition, node: Node, gradient: Decimal
) -> Components:
    """What an input makes uncertain that was given as one number; a default is certain."""
    given, amount = computation.data.given, computation.number_of(partition, node.slug)
    if given is None or node.slug not in given.values or amount is None:
        return {}
    statement = given.statements.get(node.slug, node.uncertainty)
    if statement is None:
        return {}
    stated = StatedClass(computation.name_owner(partition), (statement,))
    return compute_rated_components(node.slug, [RatedValue(gradient, amount, stated)], node.unit)


def _list_static_components(
    computation: SlotComputation, partition: Partition, node: Node, body: StaticInput, gradient: Gradient
) -> Iterator[Components]:
    """List what each value of a static input makes uncertain, at all elements that read it together."""
    work = computation.by_partition[partition]
    rates = _pair(gradient, work.readings[node.slug].amount)
    values = {value.number: value for value in computation.data.statics.get(body.slug, ())}
    numbers: Sequence[int | None] = work.statics.get(node.slug) or (None,) * len(rates)
    by_number: dict[int | None, list[Rate]] = {}
    for number, rate in zip(numbers, rates, strict=True):
        by_number.setdefault(number, []).append(rate)
    for number, of_value in by_number.items():
        static = None if number is None else values.get(number)
        statement = _find_static_statement(computation, node, static)
        if statement is not None:
            effect = (
                UncertaintyEffect(node.slug, computation.model.name)
                if static is None
                else name_static_effect(body.slug, static.number)
            )
            yield _compute_shared(node.slug, statement, of_value, node.unit, effect)


def _find_static_statement(
    computation: SlotComputation, node: Node, static: StaticValue | None
) -> UncertaintyStatement | None:
    """What a value of a static input states; a default is certain."""
    given = computation.data.given
    if static is not None:
        return find_static_statement(node, static)
    if given is None or given.values.get(node.slug) is None:
        return None
    return given.statements.get(node.slug, node.uncertainty)


def find_static_statement(node: Node, static: StaticValue) -> UncertaintyStatement | None:
    """What a value of the project states, in its own unit where it names none; else what the node does."""
    own = static.statement
    if own is None or own.unit is not None or own.is_relative:
        return own or node.uncertainty
    return replace(own, unit=static.unit)


def _list_draw_components(
    computation: SlotComputation,
    partition: Partition,
    node: Node,
    body: Upstream,
    gradients: Mapping[str, Gradient],
) -> Iterator[Components]:
    """List what the draws of a node make uncertain: what their source batches carry, in proportion."""
    draws = [draw for draw in computation.draws[partition] if draw.node == node.slug]
    for column, name in enumerate([node.slug, *(f"{node.slug}.{slug}" for slug in body.attributes)]):
        rates = gradients.get(name, ())
        for draw, rate in zip(draws, rates if isinstance(rates, tuple) else (), strict=False):
            if rate and draw.uncertainties:
                yield multiply_components(draw.uncertainties[column].components, rate)


def _pair(gradient: Gradient, content: object) -> list[Rate]:
    """Pair rates with values: one, or one for each element."""
    rates = gradient if isinstance(gradient, tuple) else (gradient,)
    values = content if isinstance(content, tuple) else (content,) * len(rates)
    return [(rate, value) for rate, value in zip(rates, values, strict=True) if isinstance(value, Decimal)]
