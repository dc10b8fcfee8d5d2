"""Walking an expression backwards: from the result to the names, multiplying derivatives on the way.

The tree is computed once more, forwards, by the same operations as an evaluation, so that every derivative is
taken at the values that were computed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core.expression.derivative.local import partial_of
from weighbridge.core.expression.derivative.partial import Partial
from weighbridge.core.expression.evaluation import evaluate_node, named, operands_of
from weighbridge.core.expression.kind import Kind
from weighbridge.core.expression.operation import Budget, Computing, Environment
from weighbridge.core.expression.tree import Boolean, Expression, Name, Number, Text, Word
from weighbridge.core.expression.value import Content, Value, numbers_in
from weighbridge.core.quantity.number import CONTEXT, ZERO, total
from weighbridge.core.quantity.unit import Unit, slope

Gradient = Decimal | tuple[Decimal, ...]
"""How fast something changes with a value; one for each element of an array."""


@dataclass(frozen=True, slots=True)
class Traced:
    """A node of the tree with what it came to."""

    tree: Expression
    value: Value
    at: Computing | None = None
    operands: tuple["Traced", ...] = ()
    is_varying: bool = False
    """Whether it names anything."""


def trace(tree: Expression, environment: Environment) -> Traced:
    """Compute a tree that has a value, so that it can be walked backwards, as often as there are results.

    Raises ExpressionError where it names what is not there.
    """
    return _computed(tree, environment, Budget())


def gradients_of(traced: Traced, outer: Gradient, unit: Unit) -> dict[str, Gradient]:
    """How fast something changes with each number that the tree names, each in its own unit.

    `outer` says how fast it changes with the result, in a unit.
    """
    gradients: dict[str, Gradient] = {}
    result = traced.value.type.unit
    _descend(traced, outer if result is None else times(outer, slope(result, unit)), gradients)
    return gradients


def plus(one: Gradient | None, other: Gradient) -> Gradient:
    """Two gradients of the same value together."""
    if one is None:
        return other
    if isinstance(one, tuple) and isinstance(other, tuple):
        return tuple(map(CONTEXT.add, one, other))
    assert isinstance(one, Decimal), "they are of one value"  # noqa: S101
    assert isinstance(other, Decimal), "they are of one value"  # noqa: S101
    return CONTEXT.add(one, other)


def times(gradient: Gradient, factor: Decimal) -> Gradient:
    """A gradient of something that changes with the former by a factor."""
    if factor == 1:
        return gradient
    if isinstance(gradient, tuple):
        return tuple(CONTEXT.multiply(one, factor) for one in gradient)
    return CONTEXT.multiply(gradient, factor)


def _computed(tree: Expression, environment: Environment, budget: Budget) -> Traced:
    match tree:
        case Name():
            return Traced(tree, named(tree, environment), is_varying=True)
        case Number() | Text() | Word() | Boolean():
            return Traced(tree, evaluate_node(tree, [], environment, budget)[0])
    operands = tuple(_computed(operand, environment, budget) for operand in operands_of(tree))
    value, at = evaluate_node(tree, [one.value for one in operands], environment, budget)
    return Traced(tree, value, at, operands, any(one.is_varying for one in operands))


def _descend(step: Traced, outer: Gradient, gradients: dict[str, Gradient]) -> None:
    if step.value.type.kind is not Kind.NUMBER or not _is_any(outer):
        return
    if isinstance(step.tree, Name):
        name = step.tree.text
        gradients[name] = plus(gradients.get(name), outer)
        return
    partial = partial_of(step.tree)
    if partial is None or step.at is None:
        return
    for operand, gradient in zip(step.operands, _inner(step.at, partial, outer), strict=True):
        if operand.is_varying:
            _descend(operand, gradient, gradients)


def _is_any(gradient: Gradient) -> bool:
    return any(gradient) if isinstance(gradient, tuple) else bool(gradient)


def _inner(at: Computing, partial: Partial, outer: Gradient) -> list[Gradient]:
    """The gradient of each operand."""
    units = partial.units(at)
    contents = [
        value.content if unit is None else numbers_in(value, unit, at.position)
        for value, unit in zip(at.values, units, strict=True)
    ]
    if isinstance(outer, tuple):
        inner = _by_element(at, partial, contents, outer)
    elif len(contents) == 1 and isinstance(contents[0], tuple):
        inner = [tuple(CONTEXT.multiply(outer, one) for one in _row(at, partial, contents[0]))]
    else:
        inner = [CONTEXT.multiply(outer, one) for one in _row(at, partial, contents)]
    return [
        gradient if unit is None or value.type.unit is None else times(gradient, slope(value.type.unit, unit))
        for gradient, value, unit in zip(inner, at.values, units, strict=True)
    ]


def _by_element(
    at: Computing, partial: Partial, contents: Sequence[Content], outer: tuple[Decimal, ...]
) -> list[Gradient]:
    """Element by element; what stands for all elements at once changes the result by the sum."""
    columns: list[list[Decimal]] = [[] for _ in contents]
    for index, gradient in enumerate(outer):
        row = [content[index] if isinstance(content, tuple) else content for content in contents]
        parts = _row(at, partial, row) if gradient else [ZERO] * len(row)
        for column, part in zip(columns, parts, strict=True):
            column.append(CONTEXT.multiply(gradient, part))
    return [
        tuple(column) if isinstance(content, tuple) else total(column)
        for column, content in zip(columns, contents, strict=True)
    ]


def _row(at: Computing, partial: Partial, row: Sequence[Content]) -> Sequence[Decimal]:
    """The derivatives of one element; nothing where there are none."""
    try:
        return partial.of_row(at, row)
    except ArithmeticError:
        return [ZERO] * len(row)
