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
    MeaningOverTrials,
    OperandRow,
    OperationMeaning,
    TypedNode,
    between,
    grow_alike,
    ignore_node,
    place_slope,
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
    return sum(map(_count_characters, contents)) // CHARACTERS_OF_A_STEP


def _count_characters(content: Content) -> int:
    """Count the characters of the texts of a content."""
    elements = content if isinstance(content, tuple) else (content,)
    return sum(len(element) for element in elements if isinstance(element, str))


def _type_membership(at: TypedNode) -> Type:
    value, *others = at.types
    for other in others:
        require_same_measure(value, other, "Comparing", at.position)
    return TRUTH.of(at.origin)


def _order_rule(at: TypedNode) -> Type:
    require_same_measure(at.types[0], at.types[1], "Comparing", at.position)
    require(Kind.NUMBER, at.types[0], "What is compared by size", at.position)
    return TRUTH.of(at.origin)


def _type_range(at: TypedNode) -> Type:
    require(Kind.NUMBER, at.types[0], "What lies between", at.position)
    return _type_membership(at)


def _type_text_test(at: TypedNode) -> Type:
    for operand in at.types:
        require(Kind.TEXT, operand, "An operand of a text test", at.position)
    return TRUTH.of(at.origin)


def _type_matches(at: TypedNode) -> Type:
    match at.node:
        case Binary(right=Text(value=written, position=position)):
            try:
                compile_pattern(written)
            except PatternError as error:
                raise ExpressionError(str(error), position) from error
        case _:
            raise ExpressionError("The pattern of matches must be a text in quotes.", at.position)
    return _type_text_test(at)


def _build_matcher(at: TypedNode) -> ScalarFunction:
    assert isinstance(at.node, Binary), "matches is an operator"  # noqa: S101
    assert isinstance(at.node.right, Text), "its rule was applied"  # noqa: S101
    pattern = compile_pattern(at.node.right.value)

    def search(spend: Spend, text: str, *_: str) -> bool:
        return pattern.search(text, spend)

    return search


def _type_null_test(at: TypedNode) -> Type:
    return TRUTH.of(at.types[0].origin)


def _type_logic(at: TypedNode) -> Type:
    for operand in at.types:
        require(Kind.TRUTH, operand, "An operand of and, or and not", at.position)
    return TRUTH.of(at.origin)


def _define_comparison(
    rule: Callable[[TypedNode], Type],
    test: Callable[[Any, Any], bool],
    over_trials: MeaningOverTrials,
    sql: LiteralString,
) -> OperationMeaning:
    return OperationMeaning(
        rule=rule,
        function=ignore_node(test),
        over_trials=over_trials,
        units=take_in_first_unit,
        sql=sql,
        slopes=None,
        reading=_read_texts,
    )


def _define_text_test(test: Callable[[str, str], bool], sql: LiteralString) -> OperationMeaning:
    return OperationMeaning(
        rule=_type_text_test, function=ignore_node(test),
        over_trials=lambda of, _: of.build_text_test(test), units=take_as_they_are, sql=sql, slopes=None,
        reading=_read_texts,
    )  # fmt: skip


def _define_logic(
    nulls: NullRule, sql: LiteralString, function: ScalarFunction = operator.not_
) -> OperationMeaning:
    return OperationMeaning(
        rule=_type_logic,
        function=ignore_node(function),
        over_trials=lambda of, _: of.negate_truth,
        nulls=nulls,
        units=take_as_they_are,
        sql=sql,
        slopes=None,
    )


TESTS: Final = {
    Operator.EQUAL: _define_comparison(
        _type_membership, operator.eq, lambda of, _: of.are_equal, "({} = {})"
    ),
    Operator.NOT_EQUAL: _define_comparison(
        _type_membership, operator.ne, lambda of, _: of.differ, "({} <> {})"
    ),
    Operator.LESS: _define_comparison(_order_rule, operator.lt, lambda of, _: of.is_less, "({} < {})"),
    Operator.LESS_OR_EQUAL: _define_comparison(
        _order_rule, operator.le, lambda of, _: of.is_less_or_equal, "({} <= {})"
    ),
    Operator.GREATER: _define_comparison(_order_rule, operator.gt, lambda of, _: of.is_greater, "({} > {})"),
    Operator.GREATER_OR_EQUAL: _define_comparison(
        _order_rule, operator.ge, lambda of, _: of.is_greater_or_equal, "({} >= {})"
    ),
    Operator.CONTAINS: _define_text_test(operator.contains, "(position({1} IN {0}) > 0)"),
    Operator.STARTS_WITH: _define_text_test(str.startswith, "starts_with({}, {})"),
    Operator.ENDS_WITH: _define_text_test(str.endswith, "(right({0}, length({1})) = {1})"),
    Operator.MATCHES: OperationMeaning(
        rule=_type_matches,
        function=_build_matcher,
        over_trials=lambda of, at: of.build_text_search(_build_matcher(at)),
        units=take_first,
        sql=None,
        slopes=None,
        cost=5,
        is_metered=True,
    ),
    Operator.AND: _define_logic(AND, "({} AND {})"),
    Operator.OR: _define_logic(OR, "({} OR {})"),
}
"""The meaning of each operator that yields true or false."""

NOT: Final = _define_logic(STRICT, "(NOT {})")
BETWEEN: Final = OperationMeaning(
    rule=_type_range, function=ignore_node(lambda value, low, high: low <= value <= high),
    over_trials=lambda of, _: of.is_between, nulls=WITHIN, units=take_in_first_unit,
    sql="({} BETWEEN {} AND {})", slopes=None,
)  # fmt: skip
MEMBERSHIP: Final = OperationMeaning(
    rule=_type_membership, function=ignore_node(lambda value, *options: value in options),
    over_trials=lambda of, _: of.is_among, nulls=AMONG, units=take_in_first_unit,
    sql="({0} IN ({rest}))", slopes=None, reading=_read_texts,
)  # fmt: skip
NULL_TEST: Final = OperationMeaning(
    rule=_type_null_test, nulls=IS_MISSING, units=take_as_they_are, sql="({} IS NULL)", slopes=None
)


def _type_if(at: TypedNode) -> Type:
    condition, *choices = at.types
    require(Kind.TRUTH, condition, "The condition of if", at.position)
    return _type_choice(choices, at)


def _type_coalesce(at: TypedNode) -> Type:
    return _type_choice(at.types, at)


def _type_choice(choices: Sequence[Type], at: TypedNode) -> Type:
    first, *others = choices
    for other in others:
        require_same_measure(first, other, "Choosing", at.position)
    units = [choice.unit for choice in choices if choice.unit is not None]
    return Type(first.kind, units[0] if units else None, at.origin)


def _differentiate_if(_at: TypedNode, row: OperandRow) -> Sequence[Decimal]:
    return place_slope(1 if row[0] is True else 2, 3)


def _differentiate_coalesce(_at: TypedNode, row: OperandRow) -> Sequence[Decimal]:
    return place_slope(find_given(row), len(row))


def _grow_as_chosen(node: Expression, degrees: Sequence[Degree]) -> Degree:
    return grow_alike(node, degrees[1:])


_IF: Final = OperationMeaning(
    rule=_type_if, nulls=CHOSEN, units=take_in_result_unit, sql=None, slopes=_differentiate_if,
    degree=_grow_as_chosen,
)  # fmt: skip
_COALESCE: Final = OperationMeaning(
    rule=_type_coalesce, nulls=FIRST_GIVEN, units=take_in_result_unit, sql="coalesce({0}, {rest})",
    slopes=_differentiate_coalesce, degree=grow_alike,
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
