"""A null rule says what an operation makes of operands that are missing, or that have no result.

An expression is computed in two ways. Over columns, as formulas of models are: the content of each operand is
computed before, and a missing value is a fault like any other, so the formula has no value. Over rows, as
rules are: an operand is computed when it is asked for, a missing value is None, and tests have the three
values of SQL. Each null rule states its meaning in both, one below the other. PostgreSQL has the same rules
over rows.

Invariants: what a null rule gives over rows raises nothing but what spending raises; for rows without missing
values both ways give the same.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.core.expression.tree import Position
from weighbridge.core.expression.value import (
    Content,
    Element,
    Fault,
    fault_of,
    first_fault,
    guarded,
    lift,
    spread,
)

Row = Sequence[Element]
"""What an expression over rows may name: None is missing, a Fault is an operation without a result."""

RowStep = Callable[[Row], Element]

ScalarFunction = Callable[..., Any]
"""The meaning of an operation in Python, of scalars that are all there; it may raise ArithmeticError."""


@dataclass(frozen=True, slots=True)
class NullRule:
    """How an operation with a function of scalars is applied to operands of which some have no value."""

    over_columns: Callable[[ScalarFunction, Sequence[Content], Position], Content]
    """Compute the operation for whole columns."""
    over_rows: Callable[[ScalarFunction, Sequence[RowStep], Position], RowStep]
    """Return what computes the operation for a row."""
    sees_missing: bool = False
    """Whether the result may tell a missing value from one that has no result."""


def _apply_strictly(function: ScalarFunction, operands: Sequence[RowStep], position: Position) -> RowStep:
    """Without one of its operands there is no result."""

    def step(row: Row) -> Element:
        values = [operand(row) for operand in operands]
        for value in values:
            if value is None or isinstance(value, Fault):
                return value
        try:
            return function(*values)  # type: ignore[no-any-return] # a scalar, as the type check promised
        except ArithmeticError as error:
            return fault_of(error, position)

    return _apply_to_few(function, operands, position) if len(operands) <= 2 else step


def _apply_to_few(function: ScalarFunction, operands: Sequence[RowStep], position: Position) -> RowStep:
    """Apply a function of one operand or two, as most are, without what a list costs."""
    left, right = operands[0], operands[-1]

    def step_of_one(row: Row) -> Element:
        value = left(row)
        if value is None or isinstance(value, Fault):
            return value
        try:
            return function(value)  # type: ignore[no-any-return] # a scalar, as the type check promised
        except ArithmeticError as error:
            return fault_of(error, position)

    def step_of_two(row: Row) -> Element:
        one, other = left(row), right(row)
        if one is None or isinstance(one, Fault):
            return one
        if other is None or isinstance(other, Fault):
            return other
        try:
            return function(one, other)  # type: ignore[no-any-return] # a scalar, as the type check promised
        except ArithmeticError as error:
            return fault_of(error, position)

    return step_of_one if len(operands) == 1 else step_of_two


def _aggregate_columns(function: ScalarFunction, contents: Sequence[Content], position: Position) -> Content:
    """All elements of a single array at once; several operands are taken element by element."""
    if len(contents) == 1:
        return first_fault(contents[0]) or guarded(function, contents, position)
    return lift(lambda *row: function(row), contents, position)


def _decided(*, by: bool) -> NullRule:
    """`or` is decided by a true operand and `and` by a false one, so what is to its right may have no
    result.
    """

    def decide_columns(_: ScalarFunction, contents: Sequence[Content], position: Position) -> Content:
        undecided = not by
        return spread(lambda left, right: right if left is undecided else left, contents, position)

    def decide_rows(_: ScalarFunction, operands: Sequence[RowStep], _position: Position) -> RowStep:
        left, right = operands

        def step(row: Row) -> Element:
            one = left(row)
            if one is by or isinstance(one, Fault):
                return one
            other = right(row)
            if one is None and other is not by and not isinstance(other, Fault):
                return None
            return other

        return step

    return NullRule(decide_columns, decide_rows)


def _compared(*tests: Callable[[Any, Any], bool], by: bool) -> NullRule:
    """One operand is compared with each of the others, and the tests are joined as by `and` or `or`.

    The last test is that of all further operands; `by` is what decides: false for `and`, true for `or`.
    """

    def compare_rows(_: ScalarFunction, operands: Sequence[RowStep], _position: Position) -> RowStep:
        value, *others = operands
        further = tests[-1:] * (len(others) - len(tests))
        pairs = tuple(zip((*tests, *further), others, strict=True))

        def step(row: Row) -> Element:
            one = value(row)
            if one is None or isinstance(one, Fault):
                return one
            result: Element = not by
            for test, other in pairs:
                against = other(row)
                if isinstance(against, Fault):
                    return against
                if against is None:
                    result = None
                elif test(one, against) is by:
                    return by
            return result

        return step

    return NullRule(lift, compare_rows)


def _test_columns(_: ScalarFunction, contents: Sequence[Content], position: Position) -> Content:
    """`is null` is true for a missing operand; one that has no result has none here."""

    def is_missing(element: Element) -> Element:
        return (True if element.is_missing else element) if isinstance(element, Fault) else False

    return spread(is_missing, contents, position)


def _test_rows(_: ScalarFunction, operands: Sequence[RowStep], _position: Position) -> RowStep:
    (operand,) = operands

    def step(row: Row) -> Element:
        value = operand(row)
        return value if isinstance(value, Fault) else value is None

    return step


def _choose_columns(_: ScalarFunction, contents: Sequence[Content], position: Position) -> Content:
    """`if` has a condition that chooses one of two operands, and the other one may have no value."""

    def chosen(condition: Element, when_true: Element, when_false: Element) -> Element:
        if isinstance(condition, Fault):
            return condition
        return when_true if condition else when_false

    return spread(chosen, contents, position)


def _choose_rows(_: ScalarFunction, operands: Sequence[RowStep], _position: Position) -> RowStep:
    condition, when_true, when_false = operands

    def step(row: Row) -> Element:
        value = condition(row)
        if value is None or isinstance(value, Fault):
            return value
        return when_true(row) if value else when_false(row)

    return step


def find_given(row: Sequence[Content]) -> int:
    """Find the first that is not missing; the last when all are.

    So `coalesce` chooses: one that has no result is not passed over.
    """
    given = (at for at, element in enumerate(row) if not (isinstance(element, Fault) and element.is_missing))
    return next(given, len(row) - 1)


def _give_first_rows(_: ScalarFunction, operands: Sequence[RowStep], _position: Position) -> RowStep:
    def step(row: Row) -> Element:
        for operand in operands:
            value = operand(row)
            if value is not None:
                return value
        return None

    return step


STRICT: Final = NullRule(lift, _apply_strictly)
AGGREGATED: Final = NullRule(
    _aggregate_columns,
    lambda function, operands, position: _apply_strictly(lambda *row: function(row), operands, position),
)
INDIFFERENT: Final = NullRule(
    lambda function, contents, _: function(*contents),
    lambda function, operands, _: lambda row: function(*(operand(row) for operand in operands)),
    sees_missing=True,
)
"""The operands are taken as they are, missing or not."""
AND: Final = _decided(by=False)
OR: Final = _decided(by=True)
BETWEEN: Final = _compared(operator.ge, operator.le, by=False)
AMONG: Final = _compared(operator.eq, by=True)
IS_MISSING: Final = NullRule(_test_columns, _test_rows, sees_missing=True)
CHOSEN: Final = NullRule(_choose_columns, _choose_rows)
FIRST_GIVEN: Final = NullRule(
    lambda _, contents, position: spread(lambda *row: row[find_given(row)], contents, position),
    _give_first_rows,
    sees_missing=True,
)
