"""The derivative of an expression: how fast its result changes with each value that it names.

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

`degree_of` tells without values how results grow: when some of the values grow by a factor, by which power
of it the result. Of a degree that is not zero, Euler's theorem says what all x * df/dx add up to: the degree
times the result. So a result that is not zero changes with some of these values, and nobody has to find out
with which.

Invariants: values that cannot change the result because of a choice are not looked at, so a fault among them
does no harm; where a degree is known, it holds for all values; None says that nobody knows.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.expression.compiler import evaluate_leaf, evaluate_node, fold
from weighbridge.core.expression.functions import FUNCTIONS, OPERATORS
from weighbridge.core.expression.kind import Kind
from weighbridge.core.expression.meaning import (
    Budget,
    Degree,
    Environment,
    OperandRow,
    OperationMeaning,
    TypedNode,
)
from weighbridge.core.expression.tree import Expression, Name
from weighbridge.core.expression.value import Content, Value, numbers_in
from weighbridge.core.quantity.number import CONTEXT, ZERO, total
from weighbridge.core.quantity.unit import Unit, slope

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
    """Whether it names anything."""


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
        return Traced(node, value, meaning, at, steps, any(step.is_varying for step in steps))

    return fold(tree, leaf, operation)


def gradients_of(traced: Traced, outer: Gradient, unit: Unit) -> dict[str, Gradient]:
    """Say how fast something changes with each number that the tree names, each in its own unit.

    `outer` says how fast it changes with the result, in a unit.
    """
    gradients: dict[str, Gradient] = {}
    result = traced.value.type.unit
    _descend(traced, outer if result is None else times(outer, slope(result, unit)), gradients)
    return gradients


def plus(one: Gradient | None, other: Gradient) -> Gradient:
    """Add two gradients of the same value."""
    if one is None:
        return other
    if isinstance(one, tuple) and isinstance(other, tuple):
        return tuple(map(CONTEXT.add, one, other))
    assert isinstance(one, Decimal), "they are of one value"  # noqa: S101
    assert isinstance(other, Decimal), "they are of one value"  # noqa: S101
    return CONTEXT.add(one, other)


def times(gradient: Gradient, factor: Decimal) -> Gradient:
    """Multiply a gradient: that of something that changes with the former by a factor."""
    if factor == 1:
        return gradient
    if isinstance(gradient, tuple):
        return tuple(CONTEXT.multiply(part, factor) for part in gradient)
    return CONTEXT.multiply(gradient, factor)


def _descend(step: Traced, outer: Gradient, gradients: dict[str, Gradient]) -> None:
    if step.value.type.kind is not Kind.NUMBER or not _is_any(outer):
        return
    if isinstance(step.tree, Name):
        name = step.tree.text
        gradients[name] = plus(gradients.get(name), outer)
    elif step.meaning is not None and step.meaning.slopes is not None:
        for operand, gradient in zip(step.operands, _inner(step, outer), strict=False):
            if operand.is_varying:
                _descend(operand, gradient, gradients)


def _is_any(gradient: Gradient) -> bool:
    return any(gradient) if isinstance(gradient, tuple) else bool(gradient)


def _inner(step: Traced, outer: Gradient) -> list[Gradient]:
    """Return the gradient of each operand that the operation takes."""
    assert step.meaning is not None, "only an operation is derived"  # noqa: S101
    assert step.at is not None, "only an operation is derived"  # noqa: S101
    units = step.meaning.units(step.at, step.value.type)
    taken = [(operand.value, unit) for operand, unit in zip(step.operands, units, strict=False)]
    contents = [
        value.content if unit is None else numbers_in(value, unit, step.at.position) for value, unit in taken
    ]
    inner: list[Gradient]
    if isinstance(outer, tuple):
        inner = _by_element(step, contents, outer)
    elif len(contents) == 1 and isinstance(contents[0], tuple):
        inner = [tuple(CONTEXT.multiply(outer, part) for part in _slopes(step, contents[0]))]
    else:
        inner = [CONTEXT.multiply(outer, part) for part in _slopes(step, contents)]
    return [
        gradient if unit is None or value.type.unit is None else times(gradient, slope(value.type.unit, unit))
        for gradient, (value, unit) in zip(inner, taken, strict=False)
    ]


def _by_element(step: Traced, contents: Sequence[Content], outer: tuple[Decimal, ...]) -> list[Gradient]:
    """Go element by element; what stands for all elements at once changes the result by the sum."""
    columns: list[list[Decimal]] = [[] for _ in contents]
    for index, gradient in enumerate(outer):
        row = [content[index] if isinstance(content, tuple) else content for content in contents]
        parts = _slopes(step, row) if gradient else [ZERO] * len(row)
        for column, part in zip(columns, parts, strict=False):
            column.append(CONTEXT.multiply(gradient, part))
    return [
        tuple(column) if isinstance(content, tuple) else total(column)
        for column, content in zip(columns, contents, strict=True)
    ]


def _slopes(step: Traced, row: OperandRow) -> Sequence[Decimal]:
    """Return the slopes of one element; nothing where there are none."""
    assert step.meaning is not None and step.at is not None and step.meaning.slopes is not None  # noqa: S101, PT018
    try:
        return step.meaning.slopes(step.at, row)
    except ArithmeticError:
        return [ZERO] * len(row)


def degree_of(tree: Expression, of_name: Callable[[str], Degree]) -> Degree:
    """Return the degree of an expression, by those of the names in it."""

    def leaf(node: Expression) -> Degree:
        return of_name(node.text) if isinstance(node, Name) else ZERO

    def operation(node: Expression, meaning: OperationMeaning, operands: Iterator[Degree]) -> Degree:
        degrees = list(operands)
        return ZERO if all(degree == 0 for degree in degrees) else meaning.degree(node, degrees)

    return fold(tree, leaf, operation)
