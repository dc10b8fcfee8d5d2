"""Mathematics: `abs round floor ceil clamp sqrt exp ln log10`, functions of one number, element by element.

`round`, `floor`, `ceil`, `abs` and `clamp` take the number in its own unit. `sqrt` needs a unit with even
powers, `exp`, `ln` and `log10` a plain number. All are rounded correctly to 34 digits, so they give the same
digits on every machine.

Where a function is not smooth, a convention gives its derivative: of `round`, `floor` and `ceil` it is 1,
for rounding changes the digits of a value and not what it is made of; of `abs` and `clamp` that of the
branch that applies, of `abs` and `sqrt` at zero 0.

Invariants: what is outside a function's domain has no result; it is never NaN.
"""

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final

from weighbridge.core.expression.kind import (
    PLAIN,
    Kind,
    Type,
    number,
    require,
    require_plain,
    require_same_measure,
)
from weighbridge.core.expression.meaning import (
    ALL,
    NONE,
    Degree,
    Function,
    OperationMeaning,
    TypedNode,
    always,
    as_the_first,
    between,
    grow_alike,
    grow_unknown,
    only,
    sloping,
    take_as_they_are,
    take_first,
    take_in_result_unit,
    take_plain,
)
from weighbridge.core.expression.null import ScalarFunction
from weighbridge.core.expression.tree import (
    Expression,
    ExpressionError,
    FunctionCall,
    Number,
    Operator,
    Unary,
    UndefinedResultError,
    Word,
)
from weighbridge.core.quantity.number import CONTEXT, PLACES_MAX, ROUNDING_MODES, plain, round_to
from weighbridge.core.quantity.unit import Unit, UnitError, square_root

_SERIES_COST: Final = 20
_MINUS: Final = Decimal(-1)
_TWO: Final = Decimal(2)
_LN_10: Final = CONTEXT.ln(Decimal(10))


def _own_unit_rule(at: TypedNode) -> Type:
    first, *others = at.types
    require(Kind.NUMBER, first, f"The argument of {at.name}", at.position)
    for other in others:
        require_same_measure(first, other, f"Taking {at.name}", at.position)
    return number(first.unit, at.origin)


def _plain_rule(at: TypedNode) -> Type:
    require_plain(at.types[0], f"The argument of {at.name}", at.position)
    return PLAIN.of(at.origin)


def _square_root_rule(at: TypedNode) -> Type:
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


def _take_for_root(at: TypedNode, result: Type) -> list[Unit | None]:
    unit = at.types[0].unit
    take = take_plain if unit is not None and unit.is_dimensionless else take_as_they_are
    return take(at, result)


def _square_root(value: Decimal) -> Decimal:
    if value < 0:
        raise UndefinedResultError(f"sqrt needs a number not below zero; this is {plain(value)}.")
    return CONTEXT.sqrt(value)


def _slopes_of_root(value: Decimal) -> Sequence[Decimal]:
    root = CONTEXT.sqrt(value)
    return [CONTEXT.divide(ALL, CONTEXT.multiply(_TWO, root)) if root else NONE]


def _above_zero(value: Decimal, name: str) -> Decimal:
    if value <= 0:
        raise UndefinedResultError(f"{name} needs a number above zero; this is {plain(value)}.")
    return value


def _clamped(value: Decimal, low: Decimal, high: Decimal) -> Decimal:
    if low > high:
        raise UndefinedResultError(
            f"clamp needs low not above high; they are {plain(low)} and {plain(high)}."
        )
    return min(max(value, low), high)


def _round_rule(at: TypedNode) -> Type:
    require(Kind.NUMBER, at.types[0], "What is rounded", at.position)
    _places(at.node)
    mode = _mode(at.node)
    if mode not in ROUNDING_MODES:
        raise ExpressionError(
            f"{mode!r} is no rounding mode; the modes are {', '.join(ROUNDING_MODES)}.", at.position
        )
    return at.types[0]


def _round(at: TypedNode) -> ScalarFunction:
    places, mode = _places(at.node), _mode(at.node)
    return lambda value, *_: round_to(value, places, mode)


def _places(node: Expression) -> int:
    """Return the places of a rounding, which are written as a whole number and nothing else."""
    written: Expression = Number(Decimal(0))
    if isinstance(node, FunctionCall) and len(node.arguments) > 1:
        written = node.arguments[1]
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


def _own_unit(
    function: ScalarFunction,
    slopes: Callable[..., Sequence[Decimal]],
    degree: Callable[[Expression, Sequence[Degree]], Degree] = grow_unknown,
) -> OperationMeaning:
    return OperationMeaning(
        rule=_own_unit_rule, function=always(function), units=take_in_result_unit, sql=None,
        slopes=sloping(slopes), degree=degree,
    )  # fmt: skip


def _of_plain(function: ScalarFunction, slope: Callable[[Decimal], Decimal]) -> OperationMeaning:
    return OperationMeaning(
        rule=_plain_rule, function=always(function), units=take_plain, sql=None,
        slopes=sloping(lambda value: (slope(value),)), cost=_SERIES_COST,
    )  # fmt: skip


_ABS: Final = _own_unit(
    CONTEXT.abs, lambda value: (ALL if value > 0 else _MINUS if value < 0 else NONE,), grow_alike
)
_CLAMP: Final = _own_unit(
    _clamped, lambda value, low, high: only(1 if value < low else 2 if value > high else 0, 3), grow_alike
)
_ROUND: Final = OperationMeaning(
    rule=_round_rule, function=_round, units=take_first, sql=None, slopes=sloping(as_the_first)
)
_SQUARE_ROOT: Final = OperationMeaning(
    rule=_square_root_rule, function=always(_square_root), units=_take_for_root, sql=None,
    slopes=sloping(_slopes_of_root), cost=_SERIES_COST,
)  # fmt: skip

MATHEMATICS: Final = (
    Function("abs", "x", between(1, 1), _ABS, "Without its sign.", "abs(change)"),
    Function(
        "round", "x, places, mode", between(1, 3), _ROUND,
        "Rounded to so many places after the point, 0 when not given, by a mode:"
        f" {', '.join(ROUNDING_MODES)}; half_even when not given.",
        "round(temperature, 1, half_up)", frozenset({2}),
    ),
    Function(
        "floor", "x", between(1, 1),
        _own_unit(lambda value: value.to_integral_value(ROUND_FLOOR), as_the_first),
        "The largest whole number that is not above x, in the unit of x.", "floor(days)",
    ),
    Function(
        "ceil", "x", between(1, 1),
        _own_unit(lambda value: value.to_integral_value(ROUND_CEILING), as_the_first),
        "The smallest whole number that is not below x, in the unit of x.", "ceil(days)",
    ),
    Function(
        "clamp", "x, low, high", between(3, 3), _CLAMP, "x, or the bound that it is beyond.",
        "clamp(fraction, 0, 1)",
    ),
    Function("sqrt", "x", between(1, 1), _SQUARE_ROOT, "The square root.", "sqrt(area)"),
    Function(
        "exp", "x", between(1, 1), _of_plain(CONTEXT.exp, CONTEXT.exp), "e to the power x.",
        "exp(-decay * years)",
    ),
    Function(
        "ln", "x", between(1, 1),
        _of_plain(
            lambda value: CONTEXT.ln(_above_zero(value, "ln")), lambda value: CONTEXT.divide(ALL, value)
        ),
        "The natural logarithm.", "ln(ratio)",
    ),
    Function(
        "log10", "x", between(1, 1),
        _of_plain(
            lambda value: CONTEXT.log10(_above_zero(value, "log10")),
            lambda value: CONTEXT.divide(ALL, CONTEXT.multiply(value, _LN_10)),
        ),
        "The logarithm to base 10.", "log10(ratio)",
    ),
)  # fmt: skip
"""Functions of numbers, element by element."""
