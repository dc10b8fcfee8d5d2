"""Arithmetic: `+ - * / ^` and the minus sign over numbers with units, rounded to 34 digits each.

A sum is in the unit of its left operand, a product in the product of the units. A temperature in
degC or degF takes part as the absolute temperature, in kelvin.

Invariants: an operand is converted before it is used, never reinterpreted; a whole power is exact
before its one rounding.
"""

from collections.abc import Callable
from decimal import Context, Decimal
from typing import Final

from weighbridge.core.expression.error import ExpressionError, UndefinedResultError
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
from weighbridge.core.expression.tree import Binary, Expression, Number, Operator, Unary
from weighbridge.core.expression.value import Content, Value, lift, numbers_in
from weighbridge.core.quantity.number import CONTEXT, EXACT
from weighbridge.core.quantity.unit import ONE, Unit, UnitError, absolute, divide, multiply, power

EXPONENT_MAX: Final = 64
"""The largest exponent, either way."""

_GUARD: Final = Context(prec=CONTEXT.prec + 40, Emin=-10_000, Emax=10_000)
"""Enough further digits that a power by logarithms is right after its rounding to 34."""

_ACTIONS: Final = {Operator.ADD: "Adding", Operator.SUBTRACT: "Subtracting"}


def _sum_rule(at: Typing) -> Type:
    left, right = at.types
    require_same_measure(left, right, _ACTIONS[_operator(at.node)], at.position)
    require(Kind.NUMBER, left, "An operand of + or -", at.position)
    unit = left.unit if left.unit is not None else right.unit
    return number(unit and absolute(unit), at.origin)


def _sum_by(function: Callable[[Decimal, Decimal], Decimal]) -> TypedOperation:
    def compute(at: Computing) -> Content:
        return lift(function, at.contents_in(at.result.unit), at.position)

    return TypedOperation(_sum_rule, compute)


def _product_by(
    function: Callable[[Decimal, Decimal], Decimal], combine: Callable[[Unit, Unit], Unit]
) -> TypedOperation:
    def rule(at: Typing) -> Type:
        for operand in at.types:
            require(Kind.NUMBER, operand, f"An operand of {_operator(at.node)}", at.position)
        left, right = (operand.unit for operand in at.types)
        if left is None or right is None:
            return number(None, at.origin)
        try:
            return number(combine(left, right), at.origin)
        except UnitError as error:
            raise ExpressionError(str(error), at.position) from error

    def compute(at: Computing) -> Content:
        return lift(function, [_absolute(value, at) for value in at.values], at.position)

    return TypedOperation(rule, compute)


def _power_rule(at: Typing) -> Type:
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


def _power(at: Computing) -> Content:
    whole = whole_exponent(at.node)
    if whole is not None:
        return lift(lambda base: raise_whole(base, whole), [_absolute(at.values[0], at)], at.position)
    return lift(raise_any, at.contents_in(ONE), at.position)


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


def quotient(dividend: Decimal, divisor: Decimal) -> Decimal:
    """Divide; a divisor of zero has no result."""
    if not divisor:
        raise UndefinedResultError("The divisor is zero.")
    return CONTEXT.divide(dividend, divisor)


def _negative_rule(at: Typing) -> Type:
    (operand,) = at.types
    require(Kind.NUMBER, operand, "What a minus sign stands before", at.position)
    return number(operand.unit and absolute(operand.unit), operand.origin)


def _negative(at: Computing) -> Content:
    return lift(CONTEXT.minus, [_absolute(at.values[0], at)], at.position)


def _absolute(value: Value, at: Computing) -> Content:
    unit = value.type.unit
    return numbers_in(value, unit and absolute(unit), at.position)


def _operator(node: Expression) -> Operator:
    match node:
        case Binary(operator=operator) | Unary(operator=operator):
            return operator
    raise ValueError(f"{node} has no operator")


def whole_exponent(node: Expression) -> int | None:
    """The exponent when it is written as a whole number, so that the unit of the power is known."""
    match node:
        case Binary(right=Number(value=value)) if value == value.to_integral_value():
            return int(value)
        case Binary(right=Unary(operator=Operator.SUBTRACT, operand=Number(value=value))) if (
            value == value.to_integral_value()
        ):
            return -int(value)
    return None


ARITHMETIC: Final = {
    Operator.ADD: _sum_by(CONTEXT.add),
    Operator.SUBTRACT: _sum_by(CONTEXT.subtract),
    Operator.MULTIPLY: _product_by(CONTEXT.multiply, multiply),
    Operator.DIVIDE: _product_by(quotient, divide),
    Operator.POWER: TypedOperation(_power_rule, _power, cost=50),
}
"""The meaning of each arithmetic operator."""

NEGATIVE: Final = TypedOperation(_negative_rule, _negative)
"""The meaning of the minus sign."""
