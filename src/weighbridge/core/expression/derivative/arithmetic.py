"""The derivatives of `+ - * / ^` and of the minus sign."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from weighbridge.core.expression.arithmetic import raise_any, whole_exponent
from weighbridge.core.expression.derivative.partial import (
    ALL,
    NONE,
    Partial,
    Row,
    in_absolute_units,
    in_plain_numbers,
    in_result_unit,
    number_at,
)
from weighbridge.core.expression.operation import Computing
from weighbridge.core.expression.tree import Operator
from weighbridge.core.quantity.number import CONTEXT
from weighbridge.core.quantity.unit import Unit

_MINUS: Final = Decimal(-1)


def _product(_at: Computing, row: Row) -> Sequence[Decimal]:
    return number_at(row, 1), number_at(row, 0)


def _quotient(_at: Computing, row: Row) -> Sequence[Decimal]:
    dividend, divisor = number_at(row, 0), number_at(row, 1)
    inverse = CONTEXT.divide(ALL, divisor)
    return inverse, CONTEXT.minus(CONTEXT.divide(CONTEXT.divide(dividend, divisor), divisor))


def _power(_at: Computing, row: Row) -> Sequence[Decimal]:
    base, exponent = number_at(row, 0), number_at(row, 1)
    if not base:
        return (ALL if exponent == 1 else NONE), NONE
    raised = raise_any(base, exponent)
    of_base = CONTEXT.divide(CONTEXT.multiply(exponent, raised), base)
    return of_base, CONTEXT.multiply(raised, CONTEXT.ln(base)) if base > 0 else NONE


def _of_power(at: Computing) -> list[Unit | None]:
    """With an exponent that is written as a whole number the base keeps its unit."""
    return in_plain_numbers(at) if whole_exponent(at.node) is None else in_absolute_units(at)


ARITHMETIC: Final = {
    Operator.ADD: Partial(lambda _at, _row: (ALL, ALL), in_result_unit),
    Operator.SUBTRACT: Partial(lambda _at, _row: (ALL, _MINUS), in_result_unit),
    Operator.MULTIPLY: Partial(_product, in_absolute_units),
    Operator.DIVIDE: Partial(_quotient, in_absolute_units),
    Operator.POWER: Partial(_power, _of_power),
}
"""By operator."""

NEGATIVE: Final = Partial(lambda _at, _row: (_MINUS,), in_absolute_units)
