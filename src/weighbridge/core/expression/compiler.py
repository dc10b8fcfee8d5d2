"""The compiler walks a tree once and asks the table of meanings at each node; a backend says what comes of
it.

`fold` is the walk: a backend gives it the result of a leaf, and the result of an operation from those of its
operands. The backends of this file are

    check            the type of an expression, by the typing rules
    evaluate         its value, with the types of the values that it meets
    compile_columns  a closure over columns, of types that are known before
    compile_row      a closure over a row of plain values, with the logic of SQL for missing ones

The last part of this file derives an expression. Others write it as SQL for events
(`collection.measurements.values`), or follow which arrays meet (`core.model.prepared`). What a language adds,
such as an aggregate over the window of a rule, is a leaf: `leaves` says for which nodes the backend has
something of its own.

Invariants: `check` and `evaluate` raise ExpressionError and nothing else for any tree that was parsed; what
`evaluate` returns has the type that `check` found for the same names; for values of the types that it was
compiled for, `compile_columns` computes what `evaluate` does, at the same cost; a row is computed without
raising anything but what spending raises.

The derivative of an expression: how fast its result changes with each value that it names.

In come a tree, the values of what it names, and how fast something further on changes with the result; out
goes, by name, how fast that changes with what was named: one number, or one for each element of an array.
The tree is computed once more, forwards, by the same operations as an evaluation, and then walked backwards
from the result to the names, multiplying slopes on the way. The slopes of each operation are in its row of
the table.

A worked example: of `(gross - tare) * fraction` with gross 120 t, tare 20 t and fraction 0.5, and an outer
gradient of 1, gross has 0.5, tare -0.5 and fraction 100 t.

Exact rules in decimals of 34 digits, no differences. Where a function is not smooth a convention decides:

    round floor ceil               1: rounding changes the digits of a value, not what it rests on
    min max                        1 for the first of those that are least or greatest, else 0
    median                         1 for the one in the middle, or a half for each of two
    abs clamp                      of the branch that applies; of abs at zero 0
    if coalesce                    of what is chosen; a condition has none
    sqrt, a power at zero          0 where there is none
    lookup count, tests, texts     0: they go in steps
    interpolate                    that of the line to the right; at the last key, of the one to the left

`find_degree` finds without values how results grow: when some of the values grow by a factor, by which power
of it the result. Of a degree that is not zero, Euler's theorem says what all x * df/dx add up to: the degree
times the result. So a result that is not zero changes with some of these values, and it is not necessary to
find out with which.

Invariants: values that cannot change the result because of a choice are not looked at, so a fault among them
does no harm; where a degree is known, it holds for all values; None means unknown.
"""

import operator
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeVar

from weighbridge.core.expression.functions import FUNCTIONS, OPERATORS, TABLE_FUNCTIONS, find_meaning
from weighbridge.core.expression.meaning import (
    Budget,
    Degree,
    Environment,
    NameScope,
    OperandRow,
    OperationMeaning,
    TypedNode,
)
from weighbridge.core.expression.pattern import Spend, spend_nothing
from weighbridge.core.expression.tree import (
    Boolean,
    Expression,
    ExpressionError,
    FunctionCall,
    Name,
    Number,
    Text,
    Word,
    list_operands,
    names,
)
from weighbridge.core.expression.value import (
    PLAIN,
    TEXT,
    TRUTH,
    Content,
    Fault,
    Kind,
    RowStep,
    Scalar,
    Type,
    Value,
    convert_numbers,
    require_content,
)
from weighbridge.core.identity import find_nearest
from weighbridge.core.number import CONTEXT, ZERO, total
from weighbridge.core.unit import Unit, find_slope

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
    operands = (fold(operand, leaf, operation, leaves) for operand in list_operands(tree))
    return operation(tree, find_meaning(tree), operands)


def check(tree: Expression, scope: NameScope, leaves: Mapping[Expression, Type] = _NO_LEAVES) -> Type:
    """Find the type of an expression, and refuse it when its parts do not fit together."""

    def leaf(node: Expression) -> Type:
        return leaves[node] if node in leaves else _type_leaf(node, scope)

    def operation(node: Expression, meaning: OperationMeaning, operands: Iterator[Type]) -> Type:
        return meaning.rule(TypedNode(node, list(operands), scope.tables))

    return fold(tree, leaf, operation, leaves)


def evaluate(tree: Expression, environment: Environment, budget: Budget | None = None) -> Value:
    """Compute an expression; a missing value or an operation without a result is an error."""
    budget_left = budget or Budget()

    def operation(node: Expression, meaning: OperationMeaning, operands: Iterator[Value]) -> Value:
        return evaluate_node(node, meaning, list(operands), environment, budget_left)[0]

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
    """Return the value of a name or a constant; a missing value is a fault, raised where it ends up."""
    if not isinstance(node, Name):
        return Value(_type_constant(node), read_constant(node))
    value = environment.values.get(node.text)
    if value is None:
        raise _build_unknown_error(node, list(environment.values))
    content: Content = value.content
    if content is None:
        return Value(value.type, _build_missing_fault(node))
    if isinstance(content, tuple) and None in content:
        missing = _build_missing_fault(node)
        return Value(value.type, tuple(missing if element is None else element for element in content))
    return value


@dataclass(frozen=True, slots=True)
class CompiledExpression:
    """An expression over names of known types, so that computing it asks no more of them."""

    type: Type
    step: Callable[[Environment, Budget], Content]

    def compute(self, environment: Environment, budget: Budget | None = None) -> Value:
        """Compute it; a missing value or an operation without a result is an ExpressionError."""
        return Value(self.type, require_content(self.step(environment, budget or Budget())))


def compile_columns(tree: Expression, scope: NameScope) -> CompiledExpression | None:
    """Compile an expression; None if only a run can determine the unit of a name in it.

    Raises ExpressionError when its parts do not fit together.
    """
    types = [scope.names[name.text] for name in names(tree) if name.text in scope.names]
    if any(type_.kind is Kind.NUMBER and type_.unit is None for type_ in types):
        return None

    def leaf(node: Expression) -> CompiledExpression:
        if isinstance(node, Name):
            return CompiledExpression(
                _type_leaf(node, scope), lambda environment, _: evaluate_leaf(node, environment).content
            )
        constant = read_constant(node)
        return CompiledExpression(_type_constant(node), lambda _environment, _budget: constant)

    def operation(
        node: Expression, meaning: OperationMeaning, operands: Iterator[CompiledExpression]
    ) -> CompiledExpression:
        return _compile_over_columns(node, meaning, list(operands), scope)

    return fold(tree, leaf, operation)


def _compile_over_columns(
    node: Expression, meaning: OperationMeaning, operands: Sequence[CompiledExpression], scope: NameScope
) -> CompiledExpression:
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

    return CompiledExpression(result, step)


def compile_row(tree: Expression, indexes: Mapping[Expression, int], spend: Spend = spend_nothing) -> RowStep:
    """Compile an expression over rows that hold what `indexes` says; what a match looks at is spent.

    Numbers are plain, operands are computed only when they are needed, and None means a missing
    value.
    """

    def leaf(node: Expression) -> RowStep:
        if node in indexes:
            return operator.itemgetter(indexes[node])
        constant = read_constant(node)
        return lambda _row: constant

    def operation(node: Expression, meaning: OperationMeaning, operands: Iterator[RowStep]) -> RowStep:
        return meaning.over_rows(node, list(operands), spend)

    return fold(tree, leaf, operation, indexes)


def read_constant(node: Expression) -> Scalar:
    """Return the value of a leaf that is no name."""
    match node:
        case Number(value=value) | Text(value=value) | Boolean(value=value) | Word(text=value):
            return value
    raise ValueError(f"{node} is no constant")


def _type_leaf(node: Expression, scope: NameScope) -> Type:
    if not isinstance(node, Name):
        return _type_constant(node)
    if node.text not in scope.names:
        raise _build_unknown_error(node, list(scope.names))
    return scope.names[node.text]


def _type_constant(node: Expression) -> Type:
    match node:
        case Number():
            return PLAIN
        case Boolean():
            return TRUTH
    return TEXT


def _build_missing_fault(name: Name) -> Fault:
    return Fault(ExpressionError(f"{name.text} has no value.", name.position), is_missing=True)


def _build_unknown_error(name: Name, known_names: list[str]) -> ExpressionError:
    close = find_nearest(name.text, known_names)
    hint = f"; did you mean {close!r}?" if close else "."
    return ExpressionError(f"There is no {name.text!r} here{hint}", name.position)


Gradient = Decimal | tuple[Decimal, ...]
"""How fast something changes with a value; one for each element of an array."""

PARTIALS: Final = frozenset(
    {
        *(operator.value for operator, meaning in OPERATORS.items() if meaning.slopes is not None),
        *(name for name, function in FUNCTIONS.items() if function.meaning.slopes is not None),
    }
)
"""The operators and functions that have a derivative."""

WITHOUT_DERIVATIVE: Final = FUNCTIONS.keys() - PARTIALS
"""Functions whose result goes in steps, or does not depend on values: they have none."""


@dataclass(frozen=True, slots=True)
class Traced:
    """A node of the tree with what it came to."""

    tree: Expression
    value: Value
    meaning: OperationMeaning | None = None
    at: TypedNode | None = None
    operands: tuple["Traced", ...] = ()
    is_varying: bool = False
    """Whether it names anything, or reads a table."""


@dataclass(frozen=True, slots=True)
class TableRead:
    """What is read from a column of a table, and how fast something further on changes with it."""

    table: str
    column: str
    gradient: "Gradient"
    value: Value


def trace(tree: Expression, environment: Environment) -> Traced:
    """Compute a tree that has a value, so that it can be walked backwards, as often as there are results.

    Raises ExpressionError where it names what is not there.
    """
    budget = Budget()

    def leaf(node: Expression) -> Traced:
        return Traced(node, evaluate_leaf(node, environment), is_varying=isinstance(node, Name))

    def operation(node: Expression, meaning: OperationMeaning, operands: Iterator[Traced]) -> Traced:
        steps = tuple(operands)
        value, at = evaluate_node(node, meaning, [step.value for step in steps], environment, budget)
        is_varying = _is_table_read(node) or any(step.is_varying for step in steps)
        return Traced(node, value, meaning, at, steps, is_varying)

    return fold(tree, leaf, operation)


def gradients_of(
    traced: Traced, outer: Gradient, unit: Unit, reads: list[TableRead] | None = None
) -> dict[str, Gradient]:
    """Say how fast something changes with each number that the tree names, each in its own unit.

    `outer` says how fast it changes with the result, in a unit. What the tree reads from tables is added to
    `reads`.
    """
    gradients: dict[str, Gradient] = {}
    result = traced.value.type.unit
    of_result = outer if result is None else multiply_gradient(outer, find_slope(result, unit))
    _descend(traced, of_result, gradients, reads)
    return gradients


def add_gradients(gradient: Gradient | None, other: Gradient) -> Gradient:
    """Add two gradients of the same value."""
    if gradient is None:
        return other
    if isinstance(gradient, tuple) and isinstance(other, tuple):
        return tuple(map(CONTEXT.add, gradient, other))
    assert isinstance(gradient, Decimal), "they are of one value"  # noqa: S101
    assert isinstance(other, Decimal), "they are of one value"  # noqa: S101
    return CONTEXT.add(gradient, other)


def multiply_gradient(gradient: Gradient, factor: Decimal) -> Gradient:
    """Multiply a gradient: that of something that changes with the former by a factor."""
    if factor == 1:
        return gradient
    if isinstance(gradient, tuple):
        return tuple(CONTEXT.multiply(part, factor) for part in gradient)
    return CONTEXT.multiply(gradient, factor)


def _descend(
    step: Traced, outer: Gradient, gradients: dict[str, Gradient], reads: list[TableRead] | None
) -> None:
    if step.value.type.kind is not Kind.NUMBER or not _is_any(outer):
        return
    if reads is not None and _is_table_read(step.tree):
        assert isinstance(step.tree, FunctionCall)  # noqa: S101 - reading a table is a call
        table, column = (str(read_constant(word)) for word in step.tree.arguments[:2])
        reads.append(TableRead(table, column, outer, step.value))
    if isinstance(step.tree, Name):
        name = step.tree.text
        gradients[name] = add_gradients(gradients.get(name), outer)
    elif step.meaning is not None and step.meaning.slopes is not None:
        for operand, gradient in zip(step.operands, _compute_operand_gradients(step, outer), strict=False):
            if operand.is_varying:
                _descend(operand, gradient, gradients, reads)


def _is_table_read(node: Expression) -> bool:
    return isinstance(node, FunctionCall) and node.function in TABLE_FUNCTIONS


def _is_any(gradient: Gradient) -> bool:
    return any(gradient) if isinstance(gradient, tuple) else bool(gradient)


def _compute_operand_gradients(step: Traced, outer: Gradient) -> list[Gradient]:
    """Return the gradient of each operand that the operation takes."""
    assert step.meaning is not None, "only an operation is derived"  # noqa: S101
    assert step.at is not None, "only an operation is derived"  # noqa: S101
    units = step.meaning.units(step.at, step.value.type)
    operand_values = [(operand.value, unit) for operand, unit in zip(step.operands, units, strict=False)]
    contents = [
        value.content if unit is None else convert_numbers(value, unit, step.at.position)
        for value, unit in operand_values
    ]
    inner: list[Gradient]
    if isinstance(outer, tuple):
        inner = _compute_element_gradients(step, contents, outer)
    elif len(contents) == 1 and isinstance(contents[0], tuple):
        inner = [tuple(CONTEXT.multiply(outer, part) for part in _compute_slopes(step, contents[0]))]
    else:
        inner = [CONTEXT.multiply(outer, part) for part in _compute_slopes(step, contents)]
    return [
        gradient
        if unit is None or value.type.unit is None
        else multiply_gradient(gradient, find_slope(value.type.unit, unit))
        for gradient, (value, unit) in zip(inner, operand_values, strict=False)
    ]


def _compute_element_gradients(
    step: Traced, contents: Sequence[Content], outer: tuple[Decimal, ...]
) -> list[Gradient]:
    """Go element by element; a single value for all elements changes the result by the sum."""
    columns: list[list[Decimal]] = [[] for _ in contents]
    for index, gradient in enumerate(outer):
        row = [content[index] if isinstance(content, tuple) else content for content in contents]
        parts = _compute_slopes(step, row) if gradient else [ZERO] * len(row)
        for column, part in zip(columns, parts, strict=False):
            column.append(CONTEXT.multiply(gradient, part))
    return [
        tuple(column) if isinstance(content, tuple) else total(column)
        for column, content in zip(columns, contents, strict=True)
    ]


def _compute_slopes(step: Traced, row: OperandRow) -> Sequence[Decimal]:
    """Return the slopes of one element; nothing where there are none."""
    assert step.meaning is not None and step.at is not None and step.meaning.slopes is not None  # noqa: S101, PT018
    try:
        return step.meaning.slopes(step.at, row)
    except ArithmeticError:
        return [ZERO] * len(row)


def find_degree(tree: Expression, of_name: Callable[[str], Degree]) -> Degree:
    """Return the degree of an expression, by those of the names in it."""

    def leaf(node: Expression) -> Degree:
        return of_name(node.text) if isinstance(node, Name) else ZERO

    def operation(node: Expression, meaning: OperationMeaning, operands: Iterator[Degree]) -> Degree:
        degrees = list(operands)
        return ZERO if all(degree == 0 for degree in degrees) else meaning.degree(node, degrees)

    return fold(tree, leaf, operation)
