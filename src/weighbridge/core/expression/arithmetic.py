"""Arithmetic: `+ - * / ^` and the minus sign over numbers with units, rounded to 34 digits each.

A sum is in the unit of its left operand, a product in the product of the units. A temperature in degC or
degF takes part as the absolute temperature, in kelvin. A power at zero has the derivative 0 where there is
none.

Invariants: an operand is converted before it is used, never reinterpreted; a whole power is exact
before its one rounding.
"""

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from typing import Final, LiteralString

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
    OperandRow,
    OperationMeaning,
    TypedNode,
    always,
    grow_alike,
    numbers_at,
    sloping,
    take_in_absolute_units,
    take_in_result_unit,
    take_plain,
)
from weighbridge.core.expression.null import ScalarFunction
from weighbridge.core.expression.tree import (
    Binary,
    Expression,
    ExpressionError,
    Number,
    Operator,
    Unary,
    UndefinedResultError,
)
from weighbridge.core.quantity.number import CONTEXT, EXACT
from weighbridge.core.quantity.unit import Unit, UnitError, absolute, divide, multiply, power

EXPONENT_MAX: Final = 64
"""The largest exponent, either way."""

_GUARD: Final = Context(prec=CONTEXT.prec + 40, Emin=-10_000, Emax=10_000)
"""Enough further digits that a power by logarithms is right after its rounding to 34."""

_MINUS: Final = Decimal(-1)


def _sum_rule(at: TypedNode) -> Type:
    left, right = at.types
    action = "Adding" if _operator(at.node) is Operator.ADD else "Subtracting"
    require_same_measure(left, right, action, at.position)
    require(Kind.NUMBER, left, "An operand of + or -", at.position)
    unit = left.unit if left.unit is not None else right.unit
    return number(unit and absolute(unit), at.origin)


def _sum(function: ScalarFunction, sql: LiteralString, sign: Decimal) -> OperationMeaning:
    return OperationMeaning(
        rule=_sum_rule, function=always(function), units=take_in_result_unit, sql=sql,
        slopes=lambda _at, _row: (ALL, sign), degree=grow_alike,
    )  # fmt: skip


def _product_rule(combine: Callable[[Unit, Unit], Unit]) -> Callable[[TypedNode], Type]:
    def rule(at: TypedNode) -> Type:
        for operand in at.types:
            require(Kind.NUMBER, operand, f"An operand of {_operator(at.node)}", at.position)
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


def quotient(dividend: Decimal, divisor: Decimal) -> Decimal:
    """Divide; a divisor of zero has no result."""
    if not divisor:
        raise UndefinedResultError("The divisor is zero.")
    return CONTEXT.divide(dividend, divisor)


def _slopes_of_quotient(dividend: Decimal, divisor: Decimal) -> Sequence[Decimal]:
    inverse = CONTEXT.divide(ALL, divisor)
    return inverse, CONTEXT.minus(CONTEXT.divide(CONTEXT.divide(dividend, divisor), divisor))


def _grow_as_quotient(_node: Expression, degrees: Sequence[Degree]) -> Degree:
    left, right = degrees
    return None if left is None or right is None else left - right


def _power_rule(at: TypedNode) -> Type:
    base, exponent = at.types
    require(Kind.NUMBER, base, "The base of a power", at.position)
    require_plain(exponent, "An exponent", at.position)
    whole = whole_exponent(at.node)
    if whole is not None and abs(whole) > EXPONENT_MAX:
        raise ExpressionError(f"The exponent {whole} is beyond {EXPONENT_MAX}.", at.position)
    if base.unit is None:
        return number(None, at.origin)
    if whole is not None:
        try:
            return number(power(base.unit, whole), at.origin)
        except UnitError as error:
            raise ExpressionError(str(error), at.position) from error
    if not base.unit.is_dimensionless:
        raise ExpressionError(
            f"A power of a number in {base.unit} needs a whole number as its exponent.", at.position
        )
    return PLAIN.of(at.origin)


def _power(at: TypedNode) -> ScalarFunction:
    whole = whole_exponent(at.node)
    if whole is None or abs(whole) > EXPONENT_MAX:
        return raise_any
    return lambda base, *_: raise_whole(base, whole)


def _take_for_power(at: TypedNode, result: Type) -> Sequence[Unit | None]:
    """With an exponent that is written as a whole number the base keeps its unit."""
    if whole_exponent(at.node) is None:
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


def _slopes_of_power(at: TypedNode, row: OperandRow) -> Sequence[Decimal]:
    whole = whole_exponent(at.node)
    base, *written = numbers_at(row)
    exponent = written[0] if whole is None else Decimal(whole)
    if not base:
        return (ALL if exponent == 1 else NONE), NONE
    raised = raise_any(base, exponent)
    of_base = CONTEXT.divide(CONTEXT.multiply(exponent, raised), base)
    return of_base, CONTEXT.multiply(raised, CONTEXT.ln(base)) if base > 0 else NONE


def _grow_as_power(node: Expression, degrees: Sequence[Degree]) -> Degree:
    left, exponent = degrees[0], whole_exponent(node)
    return None if None in degrees or left is None or exponent is None else left * exponent


def whole_exponent(node: Expression) -> int | None:
    """Return the exponent when it is written as a whole number, so that the unit of the power is known."""
    match node:
        case Binary(right=Number(value=value)) if value == value.to_integral_value():
            return int(value)
        case Binary(right=Unary(operator=Operator.SUBTRACT, operand=Number(value=value))) if (
            value == value.to_integral_value()
        ):
            return -int(value)
    return None


def _negative_rule(at: TypedNode) -> Type:
    (operand,) = at.types
    require(Kind.NUMBER, operand, "What a minus sign stands before", at.position)
    return number(operand.unit and absolute(operand.unit), operand.origin)


def _operator(node: Expression) -> Operator:
    match node:
        case Binary(operator=operator) | Unary(operator=operator):
            return operator
    raise ValueError(f"{node} has no operator")


ARITHMETIC: Final = {
    Operator.ADD: _sum(CONTEXT.add, "({} + {})", ALL),
    Operator.SUBTRACT: _sum(CONTEXT.subtract, "({} - {})", _MINUS),
    Operator.MULTIPLY: OperationMeaning(
        rule=_product_rule(multiply), function=always(CONTEXT.multiply), units=take_in_absolute_units,
        sql="({} * {})", slopes=sloping(lambda left, right: (right, left)), degree=_grow_as_product,
    ),
    Operator.DIVIDE: OperationMeaning(
        rule=_product_rule(divide), function=always(quotient), units=take_in_absolute_units,
        sql="quotient({}, {})", lacks_result_in_sql=True,
        slopes=sloping(_slopes_of_quotient), degree=_grow_as_quotient,
    ),
    Operator.POWER: OperationMeaning(
        rule=_power_rule, function=_power, units=_take_for_power, sql=None, slopes=_slopes_of_power,
        degree=_grow_as_power, cost=50,
    ),
}  # fmt: skip
"""The meaning of each arithmetic operator."""

NEGATIVE: Final = OperationMeaning(
    rule=_negative_rule, function=always(CONTEXT.minus), units=take_in_absolute_units, sql="(- {})",
    slopes=lambda _at, _row: (_MINUS,), degree=grow_alike,
)  # fmt: skip
"""The meaning of the minus sign."""
