"""The degree of an expression: when some of its values grow by a factor, by which power of it the result.

Of a degree that is not zero, Euler's theorem says what all x * df/dx add up to: the degree times the result.
So a result that is not zero changes with some of these values, and nobody has to find out with which.

Invariant: where a degree is told, it holds for all values; None says that nobody knows.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

from weighbridge.core.expression.arithmetic import whole_exponent
from weighbridge.core.expression.evaluation import operands_of
from weighbridge.core.expression.tree import Binary, Expression, FunctionCall, Name, Operator, Unary, Word
from weighbridge.core.quantity.unit import parse_unit

Degree = Decimal | None

_ALIKE: Final = {
    "sum", "average", "min", "max", "median", "abs", "clamp", "coalesce", "to", "value", "quantity",
}  # fmt: skip
"""Functions of which the result grows as their arguments do, where all grow alike."""

_CONSTANT: Final = {"count", "duration_hours"}
"""Functions that values do not change."""

_NOTHING: Final = Decimal(0)


def degree_of(tree: Expression, of_name: Callable[[str], Degree]) -> Degree:
    """The degree of an expression, by those of the names in it."""
    if isinstance(tree, Name):
        return of_name(tree.text)
    degrees = [degree_of(operand, of_name) for operand in operands_of(tree)]
    if all(degree == 0 for degree in degrees):
        return _NOTHING
    degree: Degree = None
    match tree:
        case Unary(operator=Operator.SUBTRACT):
            degree = degrees[0]
        case Binary(operator=Operator.ADD | Operator.SUBTRACT):
            degree = _same(degrees)
        case Binary(operator=Operator.MULTIPLY | Operator.DIVIDE | Operator.POWER as operator):
            degree = _of_product(tree, operator, degrees)
        case FunctionCall():
            degree = _of_function(tree, degrees)
    return degree


def _same(degrees: Sequence[Degree]) -> Degree:
    return degrees[0] if all(degree == degrees[0] for degree in degrees) else None


def _of_product(tree: Expression, operator: Operator, degrees: Sequence[Degree]) -> Degree:
    left, right = degrees
    if left is None or right is None:
        return None
    if operator is Operator.POWER:
        exponent = whole_exponent(tree)
        return None if exponent is None else left * exponent
    return left + right if operator is Operator.MULTIPLY else left - right


def _of_function(tree: FunctionCall, degrees: Sequence[Degree]) -> Degree:
    name = tree.function
    if name in _CONSTANT:
        return _NOTHING
    if name == "if":
        return _same(degrees[1:])
    words = [argument.text for argument in tree.arguments if isinstance(argument, Word)]
    if name not in _ALIKE or not all(parse_unit(word).is_absolute for word in words):
        return None
    return _same(degrees)
