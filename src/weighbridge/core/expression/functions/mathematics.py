"""`abs round floor ceil clamp sqrt exp ln log10`: functions of one number, element by element.

`round`, `floor`, `ceil`, `abs` and `clamp` work on the number as it stands in its own unit. `sqrt`
needs a unit with even powers, `exp`, `ln` and `log10` a plain number. All are rounded correctly to 34
digits, so they give the same digits on every machine.

Invariants: what is outside a function's domain has no result; it is never NaN.
"""

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final

from weighbridge.core.expression.error import ExpressionError, UndefinedResultError
from weighbridge.core.expression.functions.function import Function, between
from weighbridge.core.expression.kind import (
    PLAIN,
    Kind,
    Type,
    number,
    require,
    require_plain,
    require_same_measure,
)
from weighbridge.core.expression.operation import Computing, TypedOperation, Typing
from weighbridge.core.expression.tree import Expression, FunctionCall, Number, Operator, Unary, Word
from weighbridge.core.expression.value import Content, lift
from weighbridge.core.quantity.number import CONTEXT, PLACES_MAX, ROUNDING_MODES, plain, round_to
from weighbridge.core.quantity.unit import ONE, UnitError, square_root

_SERIES_COST: Final = 20


def natural_logarithm(value: Decimal) -> Decimal:
    """The natural logarithm of a number above zero."""
    return CONTEXT.ln(_above_zero(value, "ln"))


def _above_zero(value: Decimal, name: str) -> Decimal:
    if value <= 0:
        raise UndefinedResultError(f"{name} needs a number above zero; this is {plain(value)}.")
    return value


def _square_root(value: Decimal) -> Decimal:
    if value < 0:
        raise UndefinedResultError(f"sqrt needs a number not below zero; this is {plain(value)}.")
    return CONTEXT.sqrt(value)


def _own_unit_rule(at: Typing) -> Type:
    first, *others = at.types
    name = getattr(at.node, "function", "")
    require(Kind.NUMBER, first, f"The argument of {name}", at.position)
    for other in others:
        require_same_measure(first, other, f"Taking {name}", at.position)
    return number(first.unit, at.origin)


def _own_unit(function: Callable[..., Decimal]) -> TypedOperation:
    return TypedOperation(
        _own_unit_rule, lambda at: lift(function, at.contents_in(at.result.unit), at.position)
    )


def _clamped(value: Decimal, low: Decimal, high: Decimal) -> Decimal:
    if low > high:
        raise UndefinedResultError(
            f"clamp needs low not above high; they are {plain(low)} and {plain(high)}."
        )
    return min(max(value, low), high)


def _plain_rule(at: Typing) -> Type:
    require_plain(at.types[0], f"The argument of {getattr(at.node, 'function', '')}", at.position)
    return PLAIN.of(at.origin)


def _of_plain(function: Callable[[Decimal], Decimal]) -> TypedOperation:
    return TypedOperation(
        _plain_rule, lambda at: lift(function, at.contents_in(ONE), at.position), cost=_SERIES_COST
    )


def _square_root_rule(at: Typing) -> Type:
    (operand,) = at.types
    require(Kind.NUMBER, operand, "The argument of sqrt", at.position)
    if operand.unit is None:
        return operand
    if operand.unit.is_dimensionless:
        return PLAIN.of(operand.origin)
    try:
        return number(square_root(operand.unit), operand.origin)
    except UnitError as error:
        raise ExpressionError(str(error), at.position) from error


def _square_root_of(at: Computing) -> Content:
    unit = at.values[0].type.unit
    contents = at.contents_in(ONE) if unit is not None and unit.is_dimensionless else at.contents
    return lift(_square_root, contents, at.position)


def _round_rule(at: Typing) -> Type:
    require(Kind.NUMBER, at.types[0], "What is rounded", at.position)
    _places(at.node)
    mode = _mode(at.node)
    if mode not in ROUNDING_MODES:
        raise ExpressionError(
            f"{mode!r} is no rounding mode; the modes are {', '.join(ROUNDING_MODES)}.", at.position
        )
    return at.types[0]


def _round(at: Computing) -> Content:
    places, mode = _places(at.node), _mode(at.node)
    return lift(lambda value: round_to(value, places, mode), [at.contents[0]], at.position)


def _places(node: Expression) -> int:
    """The places of a rounding, which are written as a whole number and nothing else."""
    written = (
        node.arguments[1]
        if isinstance(node, FunctionCall) and len(node.arguments) > 1
        else Number(Decimal(0))
    )
    sign = 1
    if isinstance(written, Unary) and written.operator is Operator.SUBTRACT:
        sign, written = -1, written.operand
    if isinstance(written, Number) and written.value == written.value.to_integral_value():
        places = sign * int(written.value)
        if abs(places) <= PLACES_MAX:
            return places
    raise ExpressionError(
        f"The places of round are written as a whole number from -{PLACES_MAX} to {PLACES_MAX}.",
        node.position,
    )


def _mode(node: Expression) -> str:
    match node:
        case FunctionCall(arguments=(_, _, Word(text=mode))):
            return mode
    return "half_even"


MATHEMATICS: Final = (
    Function("abs", "x", between(1, 1), _own_unit(CONTEXT.abs), "Without its sign.", "abs(change)"),
    Function(
        "round", "x, places, mode", between(1, 3), TypedOperation(_round_rule, _round),
        "Rounded to so many places after the point, 0 when not given, by a mode:"
        f" {', '.join(ROUNDING_MODES)}; half_even when not given.",
        "round(temperature, 1, half_up)", frozenset({2}),
    ),
    Function(
        "floor", "x", between(1, 1), _own_unit(lambda value: value.to_integral_value(ROUND_FLOOR)),
        "The largest whole number that is not above x, in the unit of x.", "floor(days)",
    ),
    Function(
        "ceil", "x", between(1, 1), _own_unit(lambda value: value.to_integral_value(ROUND_CEILING)),
        "The smallest whole number that is not below x, in the unit of x.", "ceil(days)",
    ),
    Function(
        "clamp", "x, low, high", between(3, 3), _own_unit(_clamped),
        "x, or the bound that it is beyond.", "clamp(fraction, 0, 1)",
    ),
    Function(
        "sqrt", "x", between(1, 1), TypedOperation(_square_root_rule, _square_root_of, _SERIES_COST),
        "The square root.", "sqrt(area)",
    ),
    Function("exp", "x", between(1, 1), _of_plain(CONTEXT.exp), "e to the power x.", "exp(-decay * years)"),
    Function("ln", "x", between(1, 1), _of_plain(natural_logarithm), "The natural logarithm.", "ln(ratio)"),
    Function(
        "log10", "x", between(1, 1), _of_plain(lambda value: CONTEXT.log10(_above_zero(value, "log10"))),
        "The logarithm to base 10.", "log10(ratio)",
    ),
)  # fmt: skip
"""The functions of this file."""
