"""Evaluating a model computes its nodes from what the data gave its inputs: one function, no state.

A program is a model made ready to run many times: its nodes in order, with the types of their values.

Invariants: the same inputs give the same digits; every value is in its node's unit, and a formula's is
rounded once, as the node says; an error names the node and the place in its formula.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from weighbridge.core.expression import (
    Budget,
    Compiled,
    Environment,
    ExpressionError,
    Position,
    Scope,
    Type,
    Value,
    compiled,
    number,
    quantity,
    text,
)
from weighbridge.core.expression import (
    evaluate as evaluate_expression,
)
from weighbridge.core.expression.value import first_fault, lift, numbers_in
from weighbridge.core.model.aggregates import OF_VALUES
from weighbridge.core.model.definition import Aggregate, Constant, Formula, Input, Model, Node
from weighbridge.core.model.node_types import ALONE, Surroundings, partition_types, types_of
from weighbridge.core.model.order import ancestors, needs, order
from weighbridge.core.model.parallel import Pairs, parallel_inputs
from weighbridge.core.quantity.number import round_to
from weighbridge.core.quantity.unit import parse_unit

Given = Decimal | Sequence[Decimal] | None
"""What the data gave an input: a number, a list of numbers for `values`, or nothing."""

Result = Decimal | tuple[Decimal, ...] | None
"""What a node came to; None when it is optional and had no data."""


class EvaluationError(ValueError):
    """A node has no value; the message names the node, and the place in its formula."""

    def __init__(self, node: str, message: str, position: Position | None = None) -> None:
        self.node = node
        self.position = position
        place = f", at {position} of the formula" if position is not None else ""
        super().__init__(f"In {node}{place}: {message}")


@dataclass(frozen=True, slots=True)
class Facts:
    """What one run is given: inputs in the units of their nodes, and what else a formula may ask."""

    inputs: Mapping[str, Given] = field(default_factory=dict)
    partition: Mapping[str, str] = field(default_factory=dict)
    durations: Mapping[str, Sequence[Decimal]] = field(default_factory=dict)
    """How long each event of an input lasted, in hours."""
    period_days: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A model without flaws, ready to run."""

    model: Model
    nodes: tuple[Node, ...]
    types: Mapping[str, Type]
    formulas: Mapping[str, Compiled] = field(default_factory=dict)
    """Formulas that could be compiled, by node."""
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The nodes that each node reads."""
    parallel: Pairs = field(default_factory=dict)
    """The inputs that each formula takes side by side."""

    def compute(self, node: Node, environment: Environment, budget: Budget | None = None) -> Value:
        """Compute one constant or formula; ExpressionError, with the place in it, when it has none."""
        formula = self.formulas.get(node.slug)
        if formula is None:
            return _computed(node, environment, budget or Budget())
        assert isinstance(node.body, Formula)  # noqa: S101 - only formulas are compiled
        return _rounded(node, formula.compute(environment, budget), node.body.tree.position)

    def run(
        self, facts: Facts, targets: Collection[str] | None = None, budget: Budget | None = None
    ) -> dict[str, Result]:
        """Compute all nodes, or the targets and what they need; EvaluationError when one has no value."""
        budget = budget or Budget()
        wanted = self.model.slugs if targets is None else ancestors(self.model, tuple(targets))
        values = _partition_values(self.model, facts)
        for node in self.nodes:
            if node.slug in wanted:
                values |= self._values(node, facts, values, budget)
        return {slug: _result(values[slug]) for slug in self.model.slugs if slug in wanted}

    def _values(
        self, node: Node, facts: Facts, values: Mapping[str, Value], budget: Budget
    ) -> dict[str, Value]:
        match node.body:
            case Constant() | Formula():
                try:
                    return {node.slug: self.compute(node, self._environment(facts, values), budget)}
                except ExpressionError as error:
                    raise EvaluationError(node.slug, error.message, error.position) from error
            case _:
                names = [name for name in self.types if name == node.slug or name.startswith(node.slug + ".")]
                return {name: _given(node, name, self.types[name], facts) for name in names}

    def _environment(self, facts: Facts, values: Mapping[str, Value]) -> Environment:
        hours, days = parse_unit("h"), parse_unit("d")
        durations = {
            slug: Value(number(hours, self.types[slug].origin), tuple(given))
            for slug, given in facts.durations.items()
        }
        period = None if facts.period_days is None else quantity(facts.period_days, days)
        return Environment(values, self.model.tables, durations, period)


def prepare(model: Model, surroundings: Surroundings = ALONE) -> Program:
    """Make a model that was checked ready to run; ExpressionError when a formula does not fit after all."""
    types: dict[str, Type] = partition_types(model)
    slugs = order(model)
    for slug in slugs:
        types |= types_of(model.node(slug), types, model, surroundings)
    nodes = tuple(model.node(slug) for slug in slugs)
    scope = Scope(types, model.tables)
    formulas = {
        node.slug: formula
        for node in nodes
        if isinstance(node.body, Formula) and (formula := compiled(node.body.tree, scope)) is not None
    }
    needed = {node.slug: tuple(needs(node)) for node in nodes}
    return Program(model, nodes, types, formulas, needed, parallel_inputs(model, types))


def evaluate(
    model: Model, inputs: Mapping[str, Given], targets: Collection[str] | None = None
) -> dict[str, Result]:
    """Compute a model once, from its inputs alone."""
    return prepare(model).run(Facts(inputs), targets)


def evaluate_node(
    model: Model,
    node: Node,
    values: Mapping[str, Value],
    budget: Budget | None = None,
    *,
    durations: Mapping[str, Value] | None = None,
    period: Value | None = None,
) -> Value:
    """Compute one constant or formula from the values of the nodes it names, and of the partition.

    Raises ExpressionError, with the place in the formula.
    """
    environment = Environment(values, model.tables, durations or {}, period)
    return _computed(node, environment, budget or Budget())


def _partition_values(model: Model, facts: Facts) -> dict[str, Value]:
    return {name: text(facts.partition.get(name.partition(".")[2])) for name in partition_types(model)}


def _given(node: Node, name: str, found: Type, facts: Facts) -> Value:
    """The value that the data gave an input, or what stands in for it when there are none."""
    given = facts.inputs.get(name)
    if given is None:
        given = _stand_in(node, found)
        if given is None and not node.is_optional:
            raise EvaluationError(node.slug, f"{name} was given no value.")
    if found.is_array:
        return Value(found, (given,) if isinstance(given, Decimal) else tuple(given or ()))
    if given is None or isinstance(given, Decimal):
        return Value(found, given)
    if isinstance(node.body, Input) and node.body.aggregate in OF_VALUES and given:
        return Value(found, OF_VALUES[node.body.aggregate](given))
    raise EvaluationError(node.slug, f"{name} is one number and was given a list of {len(given)}.")


def _stand_in(node: Node, found: Type) -> Given:
    """What counts when there are no data: the default, zero for an optional sum, an empty array."""
    if node.default is not None:
        return node.default
    if not node.is_optional:
        return None
    if found.is_array:
        return ()
    is_sum = isinstance(node.body, Input) and node.body.aggregate is Aggregate.SUM
    return Decimal(0) if is_sum else None


def _computed(node: Node, environment: Environment, budget: Budget) -> Value:
    match node.body:
        case Constant(value=constant):
            return quantity(constant, node.unit)
        case Formula(tree=tree):
            value = evaluate_expression(tree, environment, budget)
            return _rounded(node, value, tree.position)
    raise ValueError(f"{node.slug} is given its value and does not compute it")


def _rounded(node: Node, value: Value, position: Position) -> Value:
    """The value in the unit of its node, rounded as the node says."""
    content = numbers_in(value, node.unit, position)
    fault = first_fault(content)
    if fault is not None:
        raise fault.error
    rounding = node.rounding
    if rounding is not None:
        content = lift(lambda amount: round_to(amount, rounding.places, rounding.mode), [content], position)
    return Value(number(node.unit, value.type.origin), content)


def _result(value: Value) -> Result:
    content = value.content
    if isinstance(content, tuple):
        return tuple(_number(element) for element in content)
    return None if content is None else _number(content)


def _number(element: object) -> Decimal:
    if not isinstance(element, Decimal):
        raise TypeError(f"a node came to {element!r} instead of a decimal")
    return element
