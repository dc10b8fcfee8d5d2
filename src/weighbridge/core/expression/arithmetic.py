"""Operators and functions of numbers with units: `+ - * / ^`, the minus sign, and
`abs round floor ceil clamp sqrt exp ln log10`, element by element.

A sum is in the unit of its left operand, a product in the product of the units. A temperature in degC or
degF takes part as the absolute temperature, in kelvin. `round`, `floor`, `ceil`, `abs` and `clamp` take the
number in its own unit. `sqrt` needs a unit with even powers, `exp`, `ln` and `log10` a plain number. All are
rounded correctly to 34 digits, so they give the same digits on every machine.

Where a function is not smooth, a convention gives its derivative: of `round`, `floor` and `ceil` it is 1,
for rounding changes the digits of a value and not what it is made of; of `abs` and `clamp` that of the
branch that applies, of `abs`, `sqrt` and powers at zero 0.

Invariants: an operand is converted before it is used, never reinterpreted; a whole power is exact before its
one rounding; what is outside a function's domain has no result; it is never NaN.
"""

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import partial
from types import ModuleType
from typing import Any, Final, LiteralString

from weighbridge.core.expression.meaning import (
    ALL,
    NONE,
    Degree,
    Function,
    MeaningOverTrials,
    OperandRow,
    OperationMeaning,
    TypedNode,
    between,
    define_slopes,
    follow_first,
    grow_alike,
    grow_unknown,
    ignore_node,
    place_slope,
    read_numbers,
    take_as_they_are,
    take_first,
    take_in_absolute_units,
    take_in_result_unit,
    take_plain,
)
from weighbridge.core.expression.tree import (
    Binary,
    Expression,
    ExpressionError,
    FunctionCall,
    Number,
    Operator,
    Unary,
    UndefinedResultError,
    Word,
)
from weighbridge.core.expression.value import (
    PLAIN,
    Kind,
    ScalarFunction,
    Type,
    number,
    require,
    require_plain,
    require_same_measure,
)
from weighbridge.core.number import CONTEXT, EXACT, PLACES_MAX, ROUNDING_MODES, plain, round_to
from weighbridge.core.unit import Unit, UnitError, divide, find_absolute, multiply, power, square_root

EXPONENT_MAX: Final = 64
"""The largest exponent, either way."""

_GUARD: Final = Context(prec=CONTEXT.prec + 40, Emin=-10_000, Emax=10_000)
"""Enough further digits that a power by logarithms is right after its rounding to 34."""

_MINUS: Final = Decimal(-1)


def _sum_rule(at: TypedNode) -> Type:
    left, right = at.types
    action = "Adding" if _find_operator(at.node) is Operator.ADD else "Subtracting"
    require_same_measure(left, right, action, at.position)
    require(Kind.NUMBER, left, "An operand of + or -", at.position)
    unit = left.unit if left.unit is not None else right.unit
    return number(unit and find_absolute(unit), at.origin)


def _define_sum(
    function: ScalarFunction, over_trials: MeaningOverTrials, sql: LiteralString, sign: Decimal
) -> OperationMeaning:
    return OperationMeaning(
        rule=_sum_rule, function=ignore_node(function), over_trials=over_trials, units=take_in_result_unit,
        sql=sql,
        slopes=lambda _at, _row: (ALL, sign), degree=grow_alike,
    )  # fmt: skip


def _build_product_rule(combine: Callable[[Unit, Unit], Unit]) -> Callable[[TypedNode], Type]:
    def rule(at: TypedNode) -> Type:
        for operand in at.types:
            require(Kind.NUMBER, operand, f"An operand of {_find_operator(at.node)}", at.position)
        left, right = (operand.unit for operand in at.types)
        if left is None or right is None:
            return number(None, at.origin)
        try:
            return number(combine(left, right), at.origin)
        except UnitError as error:
            raise ExpressionError(str(error), at.position) from error

    return rule


def _grow_as_product(_node: Expression, degrees: Sequence[Degree]) -> Degree:
    left, right = degrees
    return None if left is None or right is None else left + right


def divide_numbers(dividend: Decimal, divisor: Decimal) -> Decimal:
    """Divide; a divisor of zero has no result."""
    if not divisor:
        raise UndefinedResultError("The divisor is zero.")
    return CONTEXT.divide(dividend, divisor)


def _differentiate_quotient(dividend: Decimal, divisor: Decimal) -> Sequence[Decimal]:
    inverse = CONTEXT.divide(ALL, divisor)
    return inverse, CONTEXT.minus(CONTEXT.divide(CONTEXT.divide(dividend, divisor), divisor))


def _grow_as_quotient(_node: Expression, degrees: Sequence[Degree]) -> Degree:
    left, right = degrees
    return None if left is None or right is None else left - right


def _type_power(at: TypedNode) -> Type:
    base, exponent = at.types
    require(Kind.NUMBER, base, "The base of a power", at.position)
    require_plain(exponent, "An exponent", at.position)
    whole_exponent = find_whole_exponent(at.node)
    if whole_exponent is not None and abs(whole_exponent) > EXPONENT_MAX:
        raise ExpressionError(f"The exponent {whole_exponent} is beyond {EXPONENT_MAX}.", at.position)
    if base.unit is None:
        return number(None, at.origin)
    if whole_exponent is not None:
        try:
            return number(power(base.unit, whole_exponent), at.origin)
        except UnitError as error:
            raise ExpressionError(str(error), at.position) from error
    if not base.unit.is_dimensionless:
        raise ExpressionError(
            f"A power of a number in {base.unit} needs a whole number as its exponent.", at.position
        )
    return PLAIN.of(at.origin)


def _build_power(at: TypedNode) -> ScalarFunction:
    whole_exponent = find_whole_exponent(at.node)
    if whole_exponent is None or abs(whole_exponent) > EXPONENT_MAX:
        return raise_any
    return lambda base, *_: raise_whole(base, whole_exponent)


def _build_power_over_trials(of: ModuleType, at: TypedNode) -> Callable[..., Any]:
    whole_exponent = find_whole_exponent(at.node)
    if whole_exponent is None or abs(whole_exponent) > EXPONENT_MAX:
        return partial(of.raise_to, largest=EXPONENT_MAX)
    return lambda base, *_: of.raise_whole(base, whole_exponent)


def _take_for_power(at: TypedNode, result: Type) -> Sequence[Unit | None]:
    """With an exponent that is written as a whole number the base keeps its unit."""
    if find_whole_exponent(at.node) is None:
        return take_plain(at, result)
    return take_in_absolute_units(at, result)[:1]


def raise_any(base: Decimal, exponent: Decimal) -> Decimal:
    """Raise to any power: exactly for a whole exponent, else by logarithms with guard digits."""
    if abs(exponent) > EXPONENT_MAX:
        raise UndefinedResultError(f"The exponent {exponent} is beyond {EXPONENT_MAX}.")
    if exponent == exponent.to_integral_value():
        return raise_whole(base, int(exponent))
    if base < 0:
        raise UndefinedResultError(f"{base} is below zero and has no power with a fraction as its exponent.")
    if base == 0:
        return raise_whole(base, 1 if exponent > 0 else -1)
    return CONTEXT.plus(_GUARD.exp(_GUARD.multiply(exponent, _GUARD.ln(base))))


def raise_whole(base: Decimal, exponent: int) -> Decimal:
    """Multiply the base with itself without rounding, then round once."""
    if base == 0 and exponent <= 0:
        raise UndefinedResultError(f"Zero has no power with the exponent {exponent}.")
    exact = Decimal(1)
    for _ in range(abs(exponent)):
        exact = EXACT.multiply(exact, base)
    return CONTEXT.plus(exact) if exponent >= 0 else CONTEXT.divide(Decimal(1), exact)


def _differentiate_power(at: TypedNode, row: OperandRow) -> Sequence[Decimal]:
    whole_exponent = find_whole_exponent(at.node)
    base, *exponents = read_numbers(row)
    exponent = exponents[0] if whole_exponent is None else Decimal(whole_exponent)
    if not base:
        return (ALL if exponent == 1 else NONE), NONE
    raised_base = raise_any(base, exponent)
    of_base = CONTEXT.divide(CONTEXT.multiply(exponent, raised_base), base)
    return of_base, CONTEXT.multiply(raised_base, CONTEXT.ln(base)) if base > 0 else NONE


def _grow_as_power(node: Expression, degrees: Sequence[Degree]) -> Degree:
    left, exponent = degrees[0], find_whole_exponent(node)
    return None if None in degrees or left is None or exponent is None else left * exponent


def find_whole_exponent(node: Expression) -> int | None:
    """Return the exponent when it is written as a whole number, so that the unit of the power is known."""
    match node:
        case Binary(right=Number(value=value)) if value == value.to_integral_value():
            return int(value)
        case Binary(right=Unary(operator=Operator.SUBTRACT, operand=Number(value=value))) if (
            value == value.to_integral_value()
        ):
            return -int(value)
    return None


def _type_negative(at: TypedNode) -> Type:
    (operand,) = at.types
    require(Kind.NUMBER, operand, "The operand of a minus sign", at.position)
    return number(operand.unit and find_absolute(operand.unit), operand.origin)


def _find_operator(node: Expression) -> Operator:
    match node:
        case Binary(operator=operator) | Unary(operator=operator):
            return operator
    raise ValueError(f"{node} has no operator")


ARITHMETIC: Final = {
    Operator.ADD: _define_sum(CONTEXT.add, lambda of, _: of.add, "({} + {})", ALL),
    Operator.SUBTRACT: _define_sum(CONTEXT.subtract, lambda of, _: of.subtract, "({} - {})", _MINUS),
    Operator.MULTIPLY: OperationMeaning(
        rule=_build_product_rule(multiply), function=ignore_node(CONTEXT.multiply),
        over_trials=lambda of, _: of.multiply, units=take_in_absolute_units,
        sql="({} * {})", slopes=define_slopes(lambda left, right: (right, left)), degree=_grow_as_product,
    ),
    Operator.DIVIDE: OperationMeaning(
        rule=_build_product_rule(divide), function=ignore_node(divide_numbers),
        over_trials=lambda of, _: of.divide, units=take_in_absolute_units,
        sql="quotient({}, {})", lacks_result_in_sql=True,
        slopes=define_slopes(_differentiate_quotient), degree=_grow_as_quotient,
    ),
    Operator.POWER: OperationMeaning(
        rule=_type_power, function=_build_power,
        over_trials=_build_power_over_trials, units=_take_for_power, sql=None,
        slopes=_differentiate_power, degree=_grow_as_power, cost=50,
    ),
}  # fmt: skip
"""The meaning of each arithmetic operator."""

NEGATIVE: Final = OperationMeaning(
    rule=_type_negative, function=ignore_node(CONTEXT.minus), over_trials=lambda of, _: of.negate,
    units=take_in_absolute_units, sql="(- {})",
    slopes=lambda _at, _row: (_MINUS,), degree=grow_alike,
)  # fmt: skip
"""The meaning of the minus sign."""


_SERIES_COST: Final = 20
_TWO: Final = Decimal(2)
_LN_10: Final = CONTEXT.ln(Decimal(10))


def _type_own_unit(at: TypedNode) -> Type:
    first, *others = at.types
    require(Kind.NUMBER, first, f"The argument of {at.name}", at.position)
    for other in others:
        require_same_measure(first, other, f"Taking {at.name}", at.position)
    return number(first.unit, at.origin)


def _type_plain(at: TypedNode) -> Type:
    require_plain(at.types[0], f"The argument of {at.name}", at.position)
    return PLAIN.of(at.origin)


def _type_square_root(at: TypedNode) -> Type:
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


def _compute_square_root(value: Decimal) -> Decimal:
    if value < 0:
        raise UndefinedResultError(f"sqrt needs a number not below zero; this is {plain(value)}.")
    return CONTEXT.sqrt(value)


def _differentiate_root(value: Decimal) -> Sequence[Decimal]:
    root = CONTEXT.sqrt(value)
    return [CONTEXT.divide(ALL, CONTEXT.multiply(_TWO, root)) if root else NONE]


def _require_above_zero(value: Decimal, name: str) -> Decimal:
    if value <= 0:
        raise UndefinedResultError(f"{name} needs a number above zero; this is {plain(value)}.")
    return value


def _clamp(value: Decimal, low: Decimal, high: Decimal) -> Decimal:
    if low > high:
        raise UndefinedResultError(
            f"clamp needs low not above high; they are {plain(low)} and {plain(high)}."
        )
    return min(max(value, low), high)


def _round_rule(at: TypedNode) -> Type:
    require(Kind.NUMBER, at.types[0], "What is rounded", at.position)
    _read_places(at.node)
    mode = _read_mode(at.node)
    if mode not in ROUNDING_MODES:
        raise ExpressionError(
            f"{mode!r} is no rounding mode; the modes are {', '.join(ROUNDING_MODES)}.", at.position
        )
    return at.types[0]


def _round(at: TypedNode) -> ScalarFunction:
    places, mode = _read_places(at.node), _read_mode(at.node)
    return lambda value, *_: round_to(value, places, mode)


def _read_places(node: Expression) -> int:
    """Return the places of a rounding, which are written as a whole number and nothing else."""
    places_node: Expression = Number(Decimal(0))
    if isinstance(node, FunctionCall) and len(node.arguments) > 1:
        places_node = node.arguments[1]
    sign = 1
    if isinstance(places_node, Unary) and places_node.operator is Operator.SUBTRACT:
        sign, places_node = -1, places_node.operand
    if isinstance(places_node, Number) and places_node.value == places_node.value.to_integral_value():
        places = sign * int(places_node.value)
        if abs(places) <= PLACES_MAX:
            return places
    raise ExpressionError(
        f"The places of round are written as a whole number from -{PLACES_MAX} to {PLACES_MAX}.",
        node.position,
    )


def _read_mode(node: Expression) -> str:
    match node:
        case FunctionCall(arguments=(_, _, Word(text=mode))):
            return mode
    return "half_even"


def _round_over_trials(of: ModuleType, at: TypedNode) -> Callable[..., Any]:
    places, mode = _read_places(at.node), _read_mode(at.node)
    return lambda value, *_: of.round_to(value, places, mode)


def _define_in_own_unit(
    function: ScalarFunction,
    over_trials: MeaningOverTrials,
    slopes: Callable[..., Sequence[Decimal]],
    degree: Callable[[Expression, Sequence[Degree]], Degree] = grow_unknown,
) -> OperationMeaning:
    return OperationMeaning(
        rule=_type_own_unit, function=ignore_node(function), over_trials=over_trials,
        units=take_in_result_unit, sql=None, slopes=define_slopes(slopes), degree=degree,
    )  # fmt: skip


def _define_of_plain(
    function: ScalarFunction, over_trials: MeaningOverTrials, slope: Callable[[Decimal], Decimal]
) -> OperationMeaning:
    return OperationMeaning(
        rule=_type_plain, function=ignore_node(function), over_trials=over_trials, units=take_plain, sql=None,
        slopes=define_slopes(lambda value: (slope(value),)), cost=_SERIES_COST,
    )  # fmt: skip


_ABS: Final = _define_in_own_unit(
    CONTEXT.abs,
    lambda of, _: of.absolute,
    lambda value: (ALL if value > 0 else _MINUS if value < 0 else NONE,),
    grow_alike,
)
_CLAMP: Final = _define_in_own_unit(
    _clamp,
    lambda of, _: of.clamp,
    lambda value, low, high: place_slope(1 if value < low else 2 if value > high else 0, 3),
    grow_alike,
)
_ROUND: Final = OperationMeaning(
    rule=_round_rule, function=_round, over_trials=_round_over_trials, units=take_first, sql=None,
    slopes=define_slopes(follow_first),
)  # fmt: skip
_SQUARE_ROOT: Final = OperationMeaning(
    rule=_type_square_root, function=ignore_node(_compute_square_root),
    over_trials=lambda of, _: of.square_root, units=_take_for_root, sql=None,
    slopes=define_slopes(_differentiate_root), cost=_SERIES_COST,
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
        _define_in_own_unit(
            lambda value: value.to_integral_value(ROUND_FLOOR), lambda of, _: of.floor, follow_first
        ),
        "The largest whole number that is not above x, in the unit of x.", "floor(days)",
    ),
    Function(
        "ceil", "x", between(1, 1),
        _define_in_own_unit(
            lambda value: value.to_integral_value(ROUND_CEILING), lambda of, _: of.ceil, follow_first
        ),
        "The smallest whole number that is not below x, in the unit of x.", "ceil(days)",
    ),
    Function(
        "clamp", "x, low, high", between(3, 3), _CLAMP, "x, or the bound that it is beyond.",
        "clamp(fraction, 0, 1)",
    ),
    Function("sqrt", "x", between(1, 1), _SQUARE_ROOT, "The square root.", "sqrt(area)"),
    Function(
        "exp", "x", between(1, 1), _define_of_plain(CONTEXT.exp, lambda of, _: of.exp, CONTEXT.exp),
        "e to the power x.",
        "exp(-decay * years)",
    ),
    Function(
        "ln", "x", between(1, 1),
        _define_of_plain(
            lambda value: CONTEXT.ln(_require_above_zero(value, "ln")),
            lambda of, _: of.ln,
            lambda value: CONTEXT.divide(ALL, value),
        ),
        "The natural logarithm.", "ln(ratio)",
    ),
    Function(
        "log10", "x", between(1, 1),
        _define_of_plain(
            lambda value: CONTEXT.log10(_require_above_zero(value, "log10")),
            lambda of, _: of.log10,
            lambda value: CONTEXT.divide(ALL, CONTEXT.multiply(value, _LN_10)),
        ),
        "The logarithm to base 10.", "log10(ratio)",
    ),
)  # fmt: skip
"""Functions of numbers, element by element."""
