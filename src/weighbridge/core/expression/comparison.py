"""Tests: comparisons, `between`, `in`, text tests, null tests, and `and or not` between them.

Numbers are compared in the unit of the left operand; texts only for being equal. `and` and `or` stop
at the first operand that decides, so what stands behind it may have no value.

Invariants: a test yields true, false or a fault, never a third truth value.
"""

import operator
from collections.abc import Callable
from typing import Any, Final

from weighbridge.core.expression.error import ExpressionError
from weighbridge.core.expression.kind import (
    TRUTH,
    Kind,
    Type,
    require,
    require_same_measure,
)
from weighbridge.core.expression.operation import Computing, TypedOperation, Typing
from weighbridge.core.expression.pattern import PatternError, compile_pattern
from weighbridge.core.expression.tree import Binary, Operator, Text
from weighbridge.core.expression.value import Content, Element, Fault, lift, spread

CHARACTERS_OF_A_STEP: Final = 1_000
"""Characters of texts that are compared or searched at the cost of a simple operation."""


def _comparison_by(test: Callable[[Any, Any], bool], *, is_ordered: bool) -> TypedOperation:
    def rule(at: Typing) -> Type:
        require_same_measure(at.types[0], at.types[1], "Comparing", at.position)
        if is_ordered:
            require(Kind.NUMBER, at.types[0], "What is compared by size", at.position)
        return TRUTH.of(at.origin)

    def compute(at: Computing) -> Content:
        return lift(test, _alike(at), at.position)

    return TypedOperation(rule, compute, beside=_reading)


def _reading(at: Computing) -> int:
    """What reading texts costs: those that are long, by their length."""
    return sum(map(_length, at.contents)) // CHARACTERS_OF_A_STEP


def _length(content: Content) -> int:
    """The characters of the texts of a content."""
    elements = content if isinstance(content, tuple) else (content,)
    return sum(len(element) for element in elements if isinstance(element, str))


def _range_rule(at: Typing) -> Type:
    require(Kind.NUMBER, at.types[0], "What lies between", at.position)
    return _membership_rule(at)


def _range(at: Computing) -> Content:
    return lift(lambda value, low, high: low <= value <= high, _alike(at), at.position)


def _membership_rule(at: Typing) -> Type:
    value, *others = at.types
    for other in others:
        require_same_measure(value, other, "Comparing", at.position)
    return TRUTH.of(at.origin)


def _membership(at: Computing) -> Content:
    return lift(lambda value, *options: value in options, _alike(at), at.position)


def _text_test_by(test: Callable[[str, str], bool]) -> TypedOperation:
    def compute(at: Computing) -> Content:
        return lift(test, at.contents, at.position)

    return TypedOperation(_text_rule, compute, beside=_reading)


def _text_rule(at: Typing) -> Type:
    for operand in at.types:
        require(Kind.TEXT, operand, "An operand of a text test", at.position)
    return TRUTH.of(at.origin)


def _matches_rule(at: Typing) -> Type:
    match at.node:
        case Binary(right=Text(value=written, position=position)):
            try:
                compile_pattern(written)
            except PatternError as error:
                raise ExpressionError(str(error), position) from error
        case _:
            raise ExpressionError("The pattern of matches must be a text in quotes.", at.position)
    return _text_rule(at)


def _matches(at: Computing) -> Content:
    value, written = at.contents
    pattern = compile_pattern(str(written))

    def spend(states: int) -> None:
        at.budget.spend(states, at.position)

    return lift(lambda text: pattern.search(text, spend), [value], at.position)


def _null_rule(at: Typing) -> Type:
    return TRUTH.of(at.types[0].origin)


def _null_test(at: Computing) -> Content:
    return spread(_is_null, at.contents, at.position)


def _is_null(element: Element) -> Element:
    if isinstance(element, Fault):
        return True if element.is_missing else element
    return False


def _logic_rule(at: Typing) -> Type:
    for operand in at.types:
        require(Kind.TRUTH, operand, "An operand of and, or and not", at.position)
    return TRUTH.of(at.origin)


def _logic_by(function: Callable[..., Element]) -> TypedOperation:
    def compute(at: Computing) -> Content:
        return spread(function, at.contents, at.position)

    return TypedOperation(_logic_rule, compute)


def _and(left: Element, right: Element) -> Element:
    return right if left is True else left


def _or(left: Element, right: Element) -> Element:
    return right if left is False else left


def _not(operand: Element) -> Element:
    return operand if isinstance(operand, Fault) else not operand


def _alike(at: Computing) -> list[Content]:
    """The contents, numbers in the unit of the first."""
    first = at.values[0].type
    return at.contents_in(first.unit) if first.kind is Kind.NUMBER else at.contents


TESTS: Final = {
    Operator.EQUAL: _comparison_by(operator.eq, is_ordered=False),
    Operator.NOT_EQUAL: _comparison_by(operator.ne, is_ordered=False),
    Operator.LESS: _comparison_by(operator.lt, is_ordered=True),
    Operator.LESS_OR_EQUAL: _comparison_by(operator.le, is_ordered=True),
    Operator.GREATER: _comparison_by(operator.gt, is_ordered=True),
    Operator.GREATER_OR_EQUAL: _comparison_by(operator.ge, is_ordered=True),
    Operator.CONTAINS: _text_test_by(operator.contains),
    Operator.STARTS_WITH: _text_test_by(str.startswith),
    Operator.ENDS_WITH: _text_test_by(str.endswith),
    Operator.MATCHES: TypedOperation(_matches_rule, _matches, cost=5),
    Operator.AND: _logic_by(_and),
    Operator.OR: _logic_by(_or),
}
"""The meaning of each operator that yields true or false."""

NOT: Final = _logic_by(_not)
BETWEEN: Final = TypedOperation(_range_rule, _range)
MEMBERSHIP: Final = TypedOperation(_membership_rule, _membership, beside=_reading)
NULL_TEST: Final = TypedOperation(_null_rule, _null_test)
