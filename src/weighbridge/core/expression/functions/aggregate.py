"""`sum average min max median count`: over the elements of one array, or over several arguments.

Sums and averages are exact until their one rounding, so they do not depend on the order of elements.

Invariants: an aggregate of one array is one number; of several arguments it is taken element by
element, and only when each is one number or they run in parallel.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

from weighbridge.core.expression.error import ExpressionError, UndefinedResultError
from weighbridge.core.expression.functions.function import Function, between
from weighbridge.core.expression.kind import (
    PLAIN,
    Kind,
    Type,
    number,
    require,
    require_same_measure,
)
from weighbridge.core.expression.operation import Computing, TypedOperation, Typing
from weighbridge.core.expression.value import Content, first_fault, guarded, lift
from weighbridge.core.quantity.number import CONTEXT, exact_total, total

ARGUMENTS_MAX: Final = 100
"""The most arguments of a function that takes any number of them."""


def average(values: Sequence[Decimal]) -> Decimal:
    """The arithmetic mean, rounded once."""
    return CONTEXT.divide(exact_total(values), Decimal(len(values)))


def median(values: Sequence[Decimal]) -> Decimal:
    """The middle value; of an even number of values, the mean of the two in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else average(ordered[middle - 1 : middle + 1])


def _rule(at: Typing) -> Type:
    first, *others = at.types
    name = _name(at)
    require(Kind.NUMBER, first, f"What {name} is taken of", at.position)
    if not others and not first.is_array:
        raise ExpressionError(f"{name} of one argument needs an array; this is {first}.", at.position)
    for other in others:
        require_same_measure(first, other, f"Taking {name}", at.position)
    if name == "sum" and first.unit is not None and not first.unit.is_absolute:
        raise ExpressionError(
            f'A sum of temperatures in {first.unit} has no meaning; convert them first, to(…, "K").',
            at.position,
        )
    return number(first.unit, at.origin if others else None)


def _by(function: Callable[[Sequence[Decimal]], Decimal]) -> TypedOperation:
    def of_some(values: Sequence[Decimal]) -> Decimal:
        if not values and function is not total:
            raise UndefinedResultError("There is no element to take this of.")
        return function(values)

    def compute(at: Computing) -> Content:
        contents = at.contents_in(at.result.unit)
        if len(contents) > 1:
            return lift(lambda *row: function(row), contents, at.position)
        return first_fault(contents[0]) or guarded(of_some, contents, at.position)

    return TypedOperation(_rule, compute)


def _count_rule(at: Typing) -> Type:
    if not at.types[0].is_array:
        raise ExpressionError(f"count needs an array; this is {at.types[0]}.", at.position)
    return PLAIN


def _count(at: Computing) -> Content:
    (elements,) = at.contents
    return Decimal(len(elements)) if isinstance(elements, tuple) else Decimal(1)


def _name(at: Typing) -> str:
    return getattr(at.node, "function", "")


def _row(name: str, function: Callable[[Sequence[Decimal]], Decimal], doc: str, example: str) -> Function:
    return Function(name, "array, or a, b, …", between(1, ARGUMENTS_MAX), _by(function), doc, example)


AGGREGATES: Final = (
    _row("sum", total, "All elements added exactly, then rounded once; 0 of no elements.", "sum(mass * ash)"),
    _row("average", average, "The arithmetic mean.", "average(ash)"),
    _row("min", min, "The smallest.", "min(0.95, fraction)"),
    _row("max", max, "The largest.", "max(temperature, coldest)"),
    _row("median", median, "The middle one by size, or the mean of the two in the middle.", "median(ash)"),
    Function(
        "count", "array", between(1, 1), TypedOperation(_count_rule, _count),
        "The number of elements.", "count(mass)",
    ),
)  # fmt: skip
"""The functions of this file."""
