"""A prepared model: put in order, its nodes typed and its formulas compiled, so that it can run many times.

Invariants: the same values give the same digits; a value is in its node's unit, and a formula's is rounded
once, as the node says.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from weighbridge.core.expression import (
    Budget,
    Compiled,
    Environment,
    NameScope,
    Position,
    Type,
    Value,
    compiled,
    number,
    quantity,
)
from weighbridge.core.expression import (
    evaluate as evaluate_expression,
)
from weighbridge.core.expression.tree import FunctionCall, walk
from weighbridge.core.expression.value import first_fault, lift, numbers_in
from weighbridge.core.halt import proceed
from weighbridge.core.model.contributing import surely_contributing
from weighbridge.core.model.definition import Constant, Formula, Model, Node
from weighbridge.core.model.node_types import ALONE, Surroundings, partition_types, types_of
from weighbridge.core.model.order import ancestors, needs, order
from weighbridge.core.model.parallel import Pairs, parallel_inputs
from weighbridge.core.quantity.number import round_to


@dataclass(frozen=True, slots=True)
class PreparedModel:
    """A model without flaws, ready to run."""

    model: Model
    nodes: tuple[Node, ...]
    """The nodes that run, each after all that it needs."""
    types: Mapping[str, Type]
    formulas: Mapping[str, Compiled] = field(default_factory=dict)
    """Formulas that could be compiled, by node."""
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The nodes that each node reads."""
    parallel: Pairs = field(default_factory=dict)
    """The inputs that each formula takes side by side."""
    functions: frozenset[str] = frozenset()
    """The functions that its formulas call."""
    surely_contributing: frozenset[str] = frozenset()
    """The outputs that change with the data, unless they are zero."""

    def compute(self, node: Node, environment: Environment, budget: Budget | None = None) -> Value:
        """Compute one constant or formula; ExpressionError, with the place in it, when it has none."""
        match node.body:
            case Constant(value=constant):
                return quantity(constant, node.unit)
            case Formula(tree=tree):
                formula = self.formulas.get(node.slug)
                if formula is None:
                    value = evaluate_expression(tree, environment, budget or Budget())
                else:
                    value = formula.compute(environment, budget)
                return _rounded(node, value, tree.position)
        raise ValueError(f"{node.slug} is given its value and does not compute it")

    def only(self, targets: Collection[str]) -> "PreparedModel":
        """The part that computes the targets: they and what they need."""
        chosen = ancestors(self.model, tuple(targets))
        return replace(self, nodes=tuple(node for node in self.nodes if node.slug in chosen))


def prepare(model: Model, surroundings: Surroundings = ALONE) -> PreparedModel:
    """Make a model that was checked ready to run; ExpressionError when a formula does not fit after all."""
    types: dict[str, Type] = partition_types(model)
    slugs = order(model)
    for slug in slugs:
        proceed()
        types |= types_of(model.node(slug), types, model, surroundings)
    nodes = tuple(model.node(slug) for slug in slugs)
    scope = NameScope(types, model.tables)
    formulas = {
        node.slug: formula
        for node in nodes
        if isinstance(node.body, Formula) and (formula := compiled(node.body.tree, scope)) is not None
    }
    needed = {node.slug: tuple(needs(node)) for node in nodes}
    called = frozenset(
        part.function
        for node in nodes
        if isinstance(node.body, Formula)
        for part in walk(node.body.tree)
        if isinstance(part, FunctionCall)
    )
    return PreparedModel(
        model,
        nodes,
        types,
        formulas,
        needed,
        parallel_inputs(model, types),
        called,
        surely_contributing(model),
    )


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
