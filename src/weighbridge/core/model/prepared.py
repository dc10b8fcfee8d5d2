"""A prepared model: put in order, its nodes typed and its formulas compiled, so that it can run many times.

Invariants: the same values give the same digits; a value is in its node's unit, and a formula's is rounded
once, as the node says.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

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
    print_tree,
    quantity,
)
from weighbridge.core.expression import evaluate as evaluate_expression
from weighbridge.core.expression.tree import FunctionCall, Name, print_name, walk
from weighbridge.core.expression.value import lift, numbers_in, require_content
from weighbridge.core.halt import proceed
from weighbridge.core.model.checking import surely_contributing
from weighbridge.core.model.definition import Amount, Constant, Formula, Model, Node
from weighbridge.core.model.node_types import (
    ALONE,
    Pairs,
    Surroundings,
    ancestors,
    needs,
    order,
    parallel_inputs,
    partition_types,
    types_of,
)
from weighbridge.core.quantity.number import plain, round_to
from weighbridge.core.quantity.unit import Unit


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
    content = require_content(numbers_in(value, node.unit, position))
    rounding = node.rounding
    if rounding is not None:
        content = lift(lambda amount: round_to(amount, rounding.places, rounding.mode), [content], position)
    return Value(number(node.unit, value.type.origin), content)


# Equations: a formula as it is written, with its values filled in, and what it comes to.
#
# Invariants: a number is written with all its digits and its unit; a long array is cut short and says so.


SHOWN_ELEMENTS_MAX: Final = 4
"""How many elements of an array are written out in an equation."""


@dataclass(frozen=True, slots=True)
class Equation:
    """A formula as it is written, with its values filled in, and its result."""

    slug: str
    written: str
    filled: str
    result: str


def equations(
    prepared: PreparedModel, amounts: Mapping[str, Amount], partition: Mapping[str, str]
) -> tuple[Equation, ...]:
    """The equations of every formula that was computed, in the order of computing."""
    return tuple(
        _equation(node, node.body, prepared, amounts, partition)
        for node in prepared.nodes
        if isinstance(node.body, Formula) and node.slug in amounts
    )


def show(amount: Amount, unit: Unit) -> str:
    """Write a result with its unit: `1.794 t{dry}`, `[1.2, 0.9] t{wet}`."""
    return f"{_digits(amount)} {unit}".strip() if unit.text else _digits(amount)


def _equation(
    node: Node,
    formula: Formula,
    prepared: PreparedModel,
    amounts: Mapping[str, Amount],
    partition: Mapping[str, str],
) -> Equation:
    def filled(name: Name) -> str:
        if name.path[0] == "partition":
            return repr(partition.get(name.path[-1], ""))
        name_type = prepared.types.get(name.text)
        unit = name_type.unit if name_type is not None else None
        if name.text not in amounts or unit is None:
            return print_name(name)
        return show(amounts[name.text], unit)

    return Equation(
        node.slug,
        f"{node.slug} = {print_tree(formula.tree)}",
        f"{node.slug} = {print_tree(formula.tree, filled)}",
        show(amounts[node.slug], node.unit),
    )


def _digits(amount: Amount) -> str:
    if amount is None:
        return "missing"
    if isinstance(amount, Decimal):
        return plain(amount)
    shown = [plain(element) for element in amount[:SHOWN_ELEMENTS_MAX]]
    more = [f"… {len(amount) - len(shown)} more"] if len(amount) > len(shown) else []
    return f"[{', '.join([*shown, *more])}]"
