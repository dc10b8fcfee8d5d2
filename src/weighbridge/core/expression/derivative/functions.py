"""The derivatives of functions; of one array, what is said of several arguments holds for its elements."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

from weighbridge.core.expression.derivative.partial import (
    ALL,
    NONE,
    Partial,
    Row,
    as_they_stand,
    in_plain_numbers,
    in_result_unit,
    number_at,
    numbers_at,
)
from weighbridge.core.expression.functions.conversion import unit_named
from weighbridge.core.expression.functions.lookup import slope_at, table_named
from weighbridge.core.expression.operation import Computing
from weighbridge.core.expression.value import Fault
from weighbridge.core.quantity.number import CONTEXT
from weighbridge.core.quantity.unit import Unit

_TWO: Final = Decimal(2)
_MINUS: Final = Decimal(-1)
_LN_10: Final = CONTEXT.ln(Decimal(10))


def only(index: int, count: int, part: Decimal = ALL) -> list[Decimal]:
    """Nothing but at one index."""
    return [part if at == index else NONE for at in range(count)]


def middle(values: Sequence[Decimal]) -> list[Decimal]:
    """How fast the median changes with each value."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    half = len(order) // 2
    if len(order) % 2:
        return only(order[half], len(order))
    halves = CONTEXT.divide(ALL, _TWO)
    parts = only(order[half], len(order), halves)
    parts[order[half - 1]] = halves
    return parts


def _of_numbers(partial: Callable[[Sequence[Decimal]], Sequence[Decimal]]) -> Partial:
    return Partial(lambda _at, row: partial(numbers_at(row)), in_result_unit)


def _mean(values: Sequence[Decimal]) -> Sequence[Decimal]:
    return [CONTEXT.divide(ALL, Decimal(len(values)))] * len(values)


def _sign(values: Sequence[Decimal]) -> Sequence[Decimal]:
    return [ALL if value > 0 else _MINUS if value < 0 else NONE for value in values]


def _clamp(values: Sequence[Decimal]) -> Sequence[Decimal]:
    value, low, high = values
    return only(1 if value < low else 2 if value > high else 0, 3)


def _square_root(_at: Computing, row: Row) -> Sequence[Decimal]:
    root = CONTEXT.sqrt(number_at(row, 0))
    return [CONTEXT.divide(ALL, CONTEXT.multiply(_TWO, root)) if root else NONE]


def _of_square_root(at: Computing) -> list[Unit | None]:
    unit = at.values[0].type.unit
    return in_plain_numbers(at) if unit is not None and unit.is_dimensionless else as_they_stand(at)


def _of_plain(derivative: Callable[[Decimal], Decimal]) -> Partial:
    return Partial(lambda _at, row: [derivative(number_at(row, 0))], in_plain_numbers)


def _chosen(_at: Computing, row: Row) -> Sequence[Decimal]:
    return only(1 if row[0] is True else 2, 3)


def _first_given(_at: Computing, row: Row) -> Sequence[Decimal]:
    given = (at for at, one in enumerate(row) if not (isinstance(one, Fault) and one.is_missing))
    return only(next(given, 0), len(row))


def _slope(at: Computing, row: Row) -> Sequence[Decimal]:
    return [slope_at(at, number_at(row, 0))]


def _in_unit_of_key(at: Computing) -> list[Unit | None]:
    return [table_named(at).key.type.unit]


_SAME: Final = _of_numbers(lambda values: only(0, len(values)))

FUNCTIONS: Final = {
    "sum": _of_numbers(lambda values: [ALL] * len(values)),
    "average": _of_numbers(_mean),
    "min": _of_numbers(lambda values: only(values.index(min(values)), len(values))),
    "max": _of_numbers(lambda values: only(values.index(max(values)), len(values))),
    "median": _of_numbers(middle),
    "abs": _of_numbers(_sign),
    "round": _SAME,
    "floor": _SAME,
    "ceil": _SAME,
    "clamp": _of_numbers(_clamp),
    "sqrt": Partial(_square_root, _of_square_root),
    "exp": _of_plain(CONTEXT.exp),
    "ln": _of_plain(lambda value: CONTEXT.divide(ALL, value)),
    "log10": _of_plain(lambda value: CONTEXT.divide(ALL, CONTEXT.multiply(value, _LN_10))),
    "if": Partial(_chosen, in_result_unit),
    "coalesce": Partial(_first_given, in_result_unit),
    "interpolate": Partial(_slope, _in_unit_of_key),
    "to": _SAME,
    "value": Partial(lambda _at, _row: (ALL,), lambda at: [unit_named(at.node)]),
    "quantity": Partial(lambda _at, _row: (ALL,), in_plain_numbers),
}
"""By function."""
