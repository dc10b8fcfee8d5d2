"""The compiler walks a tree once and asks the table of meanings at each node; a backend says what comes of
it.

`fold` is the walk: a backend gives it what a leaf comes to, and what an operation comes to of what its
operands came to. The backends of this file are

    check         the type of an expression, by the typing rules
    evaluate      its value, with the types of the values that it meets
    compiled      a closure over columns, of types that are known before
    compiled_row  a closure over a row of plain values, with the logic of SQL for missing ones

Others derive an expression (`derivative`), write it as SQL for events (`collection.measurements.values`),
or follow which arrays meet (`core.model.node_types`). What a language adds, such as an aggregate over the
window of a rule, is a leaf: `leaves` says for which nodes the backend has something of its own.

Invariants: `check` and `evaluate` raise ExpressionError and nothing else for any tree that was parsed; what
`evaluate` returns has the type that `check` found for the same names; for values of the types that it was
compiled for, `compiled` computes what `evaluate` does, at the same cost; a row is computed without raising
anything but what spending raises.
"""

import operator
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from weighbridge.core.expression.functions import meaning_of
from weighbridge.core.expression.kind import PLAIN, TEXT, TRUTH, Kind, Type
from weighbridge.core.expression.meaning import Budget, Environment, NameScope, OperationMeaning, TypedNode
from weighbridge.core.expression.null import RowStep
from weighbridge.core.expression.pattern import Spend, free
from weighbridge.core.expression.tree import (
    Boolean,
    Expression,
    ExpressionError,
    Name,
    Number,
    Text,
    Word,
    names,
    operands_of,
)
from weighbridge.core.expression.value import Content, Fault, Scalar, Value, require_content
from weighbridge.core.identity.suggestion import nearest

Part = TypeVar("Part")

_LEAVES: Final = (Name, Number, Text, Word, Boolean)
_NO_LEAVES: Final[Mapping[Expression, Type]] = {}


def fold(
    tree: Expression,
    leaf: Callable[[Expression], Part],
    operation: Callable[[Expression, OperationMeaning, Iterator[Part]], Part],
    leaves: Container[Expression] = (),
) -> Part:
    """Compile a tree: each leaf, and each operation of its operands, which come as they are asked for."""
    if isinstance(tree, _LEAVES) or (leaves and tree in leaves):
        return leaf(tree)
    operands = (fold(operand, leaf, operation, leaves) for operand in operands_of(tree))
    return operation(tree, meaning_of(tree), operands)


def check(tree: Expression, scope: NameScope, leaves: Mapping[Expression, Type] = _NO_LEAVES) -> Type:
    """Find the type of an expression, and refuse it when its parts do not fit together."""

    def leaf(node: Expression) -> Type:
        return leaves[node] if node in leaves else _type_of_leaf(node, scope)

    def operation(node: Expression, meaning: OperationMeaning, operands: Iterator[Type]) -> Type:
        return meaning.rule(TypedNode(node, list(operands), scope.tables))

    return fold(tree, leaf, operation, leaves)


def evaluate(tree: Expression, environment: Environment, budget: Budget | None = None) -> Value:
    """Compute an expression; a missing value or an operation without a result is an error."""
    allowed = budget or Budget()

    def operation(node: Expression, meaning: OperationMeaning, operands: Iterator[Value]) -> Value:
        return evaluate_node(node, meaning, list(operands), environment, allowed)[0]

    value = fold(tree, lambda node: evaluate_leaf(node, environment), operation)
    require_content(value.content)
    return value


def evaluate_node(
    node: Expression,
    meaning: OperationMeaning,
    values: Sequence[Value],
    environment: Environment,
    budget: Budget,
) -> tuple[Value, TypedNode]:
    """Compute a node of the values of its operands, and say of what types they were."""
    contents = [value.content for value in values]
    budget.spend(meaning.cost_over(contents), node.position)
    at = TypedNode(node, [value.type for value in values], environment.tables)
    result = meaning.rule(at)
    if meaning.reading is not None:
        budget.spend(meaning.reading(at, contents), node.position)
    return Value(result, meaning.over_columns(at, result)(contents, environment, budget)), at


def evaluate_leaf(node: Expression, environment: Environment) -> Value:
    """Say what a name or a constant stands for; a missing value is a fault, raised where it ends up."""
    if not isinstance(node, Name):
        return Value(_type_of_constant(node), constant_of(node))
    value = environment.values.get(node.text)
    if value is None:
        raise _unknown(node, list(environment.values))
    content: Content = value.content
    if content is None:
        return Value(value.type, _missing(node))
    if isinstance(content, tuple) and None in content:
        missing = _missing(node)
        return Value(value.type, tuple(missing if element is None else element for element in content))
    return value


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression over names of known types, so that computing it asks no more of them."""

    type: Type
    step: Callable[[Environment, Budget], Content]

    def compute(self, environment: Environment, budget: Budget | None = None) -> Value:
        """Compute it; a missing value or an operation without a result is an ExpressionError."""
        return Value(self.type, require_content(self.step(environment, budget or Budget())))


def compiled(tree: Expression, scope: NameScope) -> Compiled | None:
    """Compile an expression; None when only a run can tell the unit of something it names.

    Raises ExpressionError when its parts do not fit together.
    """
    types = [scope.names[name.text] for name in names(tree) if name.text in scope.names]
    if any(named.kind is Kind.NUMBER and named.unit is None for named in types):
        return None

    def leaf(node: Expression) -> Compiled:
        if isinstance(node, Name):
            return Compiled(
                _type_of_leaf(node, scope), lambda environment, _: evaluate_leaf(node, environment).content
            )
        constant = constant_of(node)
        return Compiled(_type_of_constant(node), lambda _environment, _budget: constant)

    def operation(node: Expression, meaning: OperationMeaning, operands: Iterator[Compiled]) -> Compiled:
        return _over_columns(node, meaning, list(operands), scope)

    return fold(tree, leaf, operation)


def _over_columns(
    node: Expression, meaning: OperationMeaning, operands: Sequence[Compiled], scope: NameScope
) -> Compiled:
    at = TypedNode(node, [operand.type for operand in operands], scope.tables)
    result = meaning.rule(at)
    combine, steps = meaning.over_columns(at, result), [operand.step for operand in operands]
    cost_over, reading, position = meaning.cost_over, meaning.reading, node.position

    def step(environment: Environment, budget: Budget) -> Content:
        contents = [step(environment, budget) for step in steps]
        budget.spend(cost_over(contents), position)
        if reading is not None:
            budget.spend(reading(at, contents), position)
        return combine(contents, environment, budget)

    return Compiled(result, step)


def compiled_row(tree: Expression, indexes: Mapping[Expression, int], spend: Spend = free) -> RowStep:
    """Compile an expression over rows that hold what `indexes` says; what a match looks at is spent.

    Numbers are plain, operands are computed only when they are asked for, and None stands for a missing
    value.
    """

    def leaf(node: Expression) -> RowStep:
        if node in indexes:
            return operator.itemgetter(indexes[node])
        constant = constant_of(node)
        return lambda _row: constant

    def operation(node: Expression, meaning: OperationMeaning, operands: Iterator[RowStep]) -> RowStep:
        return meaning.over_rows(node, list(operands), spend)

    return fold(tree, leaf, operation, indexes)


def constant_of(node: Expression) -> Scalar:
    """Return the value of a leaf that is no name."""
    match node:
        case Number(value=value) | Text(value=value) | Boolean(value=value) | Word(text=value):
            return value
    raise ValueError(f"{node} is no constant")


def _type_of_leaf(node: Expression, scope: NameScope) -> Type:
    if not isinstance(node, Name):
        return _type_of_constant(node)
    if node.text not in scope.names:
        raise _unknown(node, list(scope.names))
    return scope.names[node.text]


def _type_of_constant(node: Expression) -> Type:
    match node:
        case Number():
            return PLAIN
        case Boolean():
            return TRUTH
    return TEXT


def _missing(name: Name) -> Fault:
    return Fault(ExpressionError(f"{name.text} has no value.", name.position), is_missing=True)


def _unknown(name: Name, known: list[str]) -> ExpressionError:
    close = nearest(name.text, known)
    hint = f"; did you mean {close!r}?" if close else "."
    return ExpressionError(f"There is no {name.text!r} here{hint}", name.position)
