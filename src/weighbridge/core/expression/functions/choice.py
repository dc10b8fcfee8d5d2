"""`if` and `coalesce`: one of several values, chosen element by element.

Only what is chosen needs to have a value: `if(days = 0, 0, mass / days)` never fails on the division.

Invariants: all choices are of one kind and measure; the result is in the unit of the first.
"""

from collections.abc import Sequence
from typing import Final

from weighbridge.core.expression.functions.aggregate import ARGUMENTS_MAX
from weighbridge.core.expression.functions.function import Function, between
from weighbridge.core.expression.kind import Kind, Type, require, require_same_measure
from weighbridge.core.expression.operation import Computing, TypedOperation, Typing
from weighbridge.core.expression.value import Content, Element, Fault, numbers_in, spread


def _if_rule(at: Typing) -> Type:
    condition, *choices = at.types
    require(Kind.TRUTH, condition, "The condition of if", at.position)
    return _one_of(choices[0], choices[1:], at)


def _coalesce_rule(at: Typing) -> Type:
    return _one_of(at.types[0], at.types[1:], at)


def _one_of(first: Type, others: Sequence[Type], at: Typing) -> Type:
    for other in others:
        require_same_measure(first, other, "Choosing", at.position)
    units = [choice.unit for choice in (first, *others) if choice.unit is not None]
    return Type(first.kind, units[0] if units else None, at.origin)


def _if(at: Computing) -> Content:
    condition = at.values[0].content
    return spread(_chosen, [condition, *_choices(at, start=1)], at.position)


def _chosen(condition: Element, when_true: Element, when_false: Element) -> Element:
    if isinstance(condition, Fault):
        return condition
    return when_true if condition else when_false


def _coalesce(at: Computing) -> Content:
    return spread(_first_given, _choices(at, start=0), at.position)


def _first_given(*row: Element) -> Element:
    for element in row:
        if not (isinstance(element, Fault) and element.is_missing):
            return element
    return row[-1]


def _choices(at: Computing, start: int) -> list[Content]:
    values = at.values[start:]
    if at.result.kind is not Kind.NUMBER:
        return [value.content for value in values]
    return [numbers_in(value, at.result.unit, at.position) for value in values]


CHOICE: Final = (
    Function(
        "if", "condition, a, b", between(3, 3), TypedOperation(_if_rule, _if),
        "a where the condition is true, b where it is false.", "if(ratio > 20 and wet, load, 2 * load)",
    ),
    Function(
        "coalesce", "a, b, …", between(2, ARGUMENTS_MAX), TypedOperation(_coalesce_rule, _coalesce),
        "The first of the arguments that is not missing.", "coalesce(lab_moisture, default_moisture)",
    ),
)  # fmt: skip
"""The functions of this file."""
