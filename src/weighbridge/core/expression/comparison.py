"""Tests and choices: comparisons, `between`, `in`, text tests, null tests, `and or not`, `if`, `coalesce`.

Numbers are compared in the unit of the left operand; texts only for being equal. `and` and `or` stop at the
first operand that decides, so what is to its right may have no value. Only what is chosen needs to have a
value: `if(days = 0, 0, mass / days)` never fails on the division. A test goes in steps and has no
derivative; what is chosen has its own.

Invariants: a test yields true, false or a fault, never a third truth value; all choices are of one kind and
measure, and the result is in the unit of the first.
"""

import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final, LiteralString

from weighbridge.core.expression.meaning import (
    Degree,
    Function,
    OperandRow,
    OperationMeaning,
    TypedNode,
    always,
    between,
    grow_alike,
    only,
    take_as_they_are,
    take_first,
    take_in_first_unit,
    take_in_result_unit,
)
from weighbridge.core.expression.pattern import PatternError, Spend, compile_pattern
from weighbridge.core.expression.tree import Binary, Expression, ExpressionError, Operator, Text
from weighbridge.core.expression.value import (
    AMONG,
    AND,
    CHOSEN,
    FIRST_GIVEN,
    IS_MISSING,
    OR,
    STRICT,
    TRUTH,
    WITHIN,
    Content,
    Kind,
    NullRule,
    ScalarFunction,
    Type,
    find_given,
    require,
    require_same_measure,
)

ARGUMENTS_MAX: Final = 100
"""The most arguments of a function that takes any number of them."""

CHARACTERS_OF_A_STEP: Final = 1_000
"""Characters of texts that are compared or searched at the cost of a simple operation."""


def _read_texts(at: TypedNode, contents: Sequence[Content]) -> int:
    """What reading texts costs: those that are long, by their length."""
    if at.types[0].kind is not Kind.TEXT:
        return 0
    return sum(map(_length, contents)) // CHARACTERS_OF_A_STEP


def _length(content: Content) -> int:
    """Count the characters of the texts of a content."""
    elements = content if isinstance(content, tuple) else (content,)
    return sum(len(element) for element in elements if isinstance(element, str))


def _membership_rule(at: TypedNode) -> Type:
    value, *others = at.types
    for other in others:
        require_same_measure(value, other, "Comparing", at.position)
    return TRUTH.of(at.origin)


def _order_rule(at: TypedNode) -> Type:
    require_same_measure(at.types[0], at.types[1], "Comparing", at.position)
    require(Kind.NUMBER, at.types[0], "What is compared by size", at.position)
    return TRUTH.of(at.origin)


def _range_rule(at: TypedNode) -> Type:
    require(Kind.NUMBER, at.types[0], "What lies between", at.position)
    return _membership_rule(at)


def _text_rule(at: TypedNode) -> Type:
    for operand in at.types:
        require(Kind.TEXT, operand, "An operand of a text test", at.position)
    return TRUTH.of(at.origin)


def _matches_rule(at: TypedNode) -> Type:
    match at.node:
        case Binary(right=Text(value=written, position=position)):
            try:
                compile_pattern(written)
            except PatternError as error:
                raise ExpressionError(str(error), position) from error
        case _:
            raise ExpressionError("The pattern of matches must be a text in quotes.", at.position)
    return _text_rule(at)


def _matches(at: TypedNode) -> ScalarFunction:
    assert isinstance(at.node, Binary), "matches is an operator"  # noqa: S101
    assert isinstance(at.node.right, Text), "its rule was applied"  # noqa: S101
    pattern = compile_pattern(at.node.right.value)

    def search(spend: Spend, text: str, *_: str) -> bool:
        return pattern.search(text, spend)

    return search


def _null_rule(at: TypedNode) -> Type:
    return TRUTH.of(at.types[0].origin)


def _logic_rule(at: TypedNode) -> Type:
    for operand in at.types:
        require(Kind.TRUTH, operand, "An operand of and, or and not", at.position)
    return TRUTH.of(at.origin)


def _comparison(
    rule: Callable[[TypedNode], Type], test: Callable[[Any, Any], bool], sql: LiteralString
) -> OperationMeaning:
    return OperationMeaning(
        rule=rule, function=always(test), units=take_in_first_unit, sql=sql, slopes=None, reading=_read_texts
    )


def _text_test(test: Callable[[str, str], bool], sql: LiteralString) -> OperationMeaning:
    return OperationMeaning(
        rule=_text_rule, function=always(test), units=take_as_they_are, sql=sql, slopes=None,
        reading=_read_texts,
    )  # fmt: skip


def _logic(nulls: NullRule, sql: LiteralString, function: ScalarFunction = operator.not_) -> OperationMeaning:
    return OperationMeaning(
        rule=_logic_rule, function=always(function), nulls=nulls, units=take_as_they_are, sql=sql, slopes=None
    )


TESTS: Final = {
    Operator.EQUAL: _comparison(_membership_rule, operator.eq, "({} = {})"),
    Operator.NOT_EQUAL: _comparison(_membership_rule, operator.ne, "({} <> {})"),
    Operator.LESS: _comparison(_order_rule, operator.lt, "({} < {})"),
    Operator.LESS_OR_EQUAL: _comparison(_order_rule, operator.le, "({} <= {})"),
    Operator.GREATER: _comparison(_order_rule, operator.gt, "({} > {})"),
    Operator.GREATER_OR_EQUAL: _comparison(_order_rule, operator.ge, "({} >= {})"),
    Operator.CONTAINS: _text_test(operator.contains, "(position({1} IN {0}) > 0)"),
    Operator.STARTS_WITH: _text_test(str.startswith, "starts_with({}, {})"),
    Operator.ENDS_WITH: _text_test(str.endswith, "(right({0}, length({1})) = {1})"),
    Operator.MATCHES: OperationMeaning(
        rule=_matches_rule,
        function=_matches,
        units=take_first,
        sql=None,
        slopes=None,
        cost=5,
        is_metered=True,
    ),
    Operator.AND: _logic(AND, "({} AND {})"),
    Operator.OR: _logic(OR, "({} OR {})"),
}
"""The meaning of each operator that yields true or false."""

NOT: Final = _logic(STRICT, "(NOT {})")
BETWEEN: Final = OperationMeaning(
    rule=_range_rule, function=always(lambda value, low, high: low <= value <= high), nulls=WITHIN,
    units=take_in_first_unit, sql="({} BETWEEN {} AND {})", slopes=None,
)  # fmt: skip
MEMBERSHIP: Final = OperationMeaning(
    rule=_membership_rule, function=always(lambda value, *options: value in options), nulls=AMONG,
    units=take_in_first_unit, sql="({0} IN ({rest}))", slopes=None, reading=_read_texts,
)  # fmt: skip
NULL_TEST: Final = OperationMeaning(
    rule=_null_rule, nulls=IS_MISSING, units=take_as_they_are, sql="({} IS NULL)", slopes=None
)


def _if_rule(at: TypedNode) -> Type:
    condition, *choices = at.types
    require(Kind.TRUTH, condition, "The condition of if", at.position)
    return _choice_of(choices, at)


def _coalesce_rule(at: TypedNode) -> Type:
    return _choice_of(at.types, at)


def _choice_of(choices: Sequence[Type], at: TypedNode) -> Type:
    first, *others = choices
    for other in others:
        require_same_measure(first, other, "Choosing", at.position)
    units = [choice.unit for choice in choices if choice.unit is not None]
    return Type(first.kind, units[0] if units else None, at.origin)


def _slopes_of_if(_at: TypedNode, row: OperandRow) -> Sequence[Decimal]:
    return only(1 if row[0] is True else 2, 3)


def _slopes_of_coalesce(_at: TypedNode, row: OperandRow) -> Sequence[Decimal]:
    return only(find_given(row), len(row))


def _grow_as_chosen(node: Expression, degrees: Sequence[Degree]) -> Degree:
    return grow_alike(node, degrees[1:])


_IF: Final = OperationMeaning(
    rule=_if_rule, nulls=CHOSEN, units=take_in_result_unit, sql=None, slopes=_slopes_of_if,
    degree=_grow_as_chosen,
)  # fmt: skip
_COALESCE: Final = OperationMeaning(
    rule=_coalesce_rule, nulls=FIRST_GIVEN, units=take_in_result_unit, sql="coalesce({0}, {rest})",
    slopes=_slopes_of_coalesce, degree=grow_alike,
)  # fmt: skip

CHOICE: Final = (
    Function(
        "if", "condition, a, b", between(3, 3), _IF,
        "a where the condition is true, b where it is false.", "if(ratio > 20 and wet, load, 2 * load)",
    ),
    Function(
        "coalesce", "a, b, …", between(2, ARGUMENTS_MAX), _COALESCE,
        "The first of the arguments that is not missing.", "coalesce(lab_moisture, default_moisture)",
    ),
)  # fmt: skip
"""Functions that choose one of several values."""
