"""Compiling turns an expression into functions of a row of values, a few steps for each record.

A row holds the values of the rule's names, then the facts that are used, then what the aggregates came to;
None stands for a missing value and a Fault for an operation without a result.

Invariants: a compiled expression raises nothing but what spending raises, and computes each of its parts at
most once; it has the logic of three values that `definition` states, and for rows without missing values it
gives what the engine of formulas gives.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Overflow
from typing import Any, Final

from weighbridge.core.expression import PLAIN, TEXT, TRUTH, Expression, ExpressionError, Position, Type, Value
from weighbridge.core.expression import tree as t
from weighbridge.core.expression.arithmetic import quotient, raise_any
from weighbridge.core.expression.error import UndefinedResultError
from weighbridge.core.expression.functions import FUNCTIONS
from weighbridge.core.expression.operation import Computing, Environment
from weighbridge.core.expression.pattern import Spend, compile_pattern, free
from weighbridge.core.expression.tree import Operator
from weighbridge.core.expression.value import Element, Fault
from weighbridge.core.quantity.number import CONTEXT, EXPONENT_MAX

Row = Sequence[Element]
Computed = Callable[[Row], Element]
RowIndexes = Mapping[Expression, int]
"""Where a name, a fact or an aggregate stands in the row."""

_DIRECT: Final[Mapping[Operator, Callable[[Any, Any], Any]]] = {
    Operator.ADD: CONTEXT.add,
    Operator.SUBTRACT: CONTEXT.subtract,
    Operator.MULTIPLY: CONTEXT.multiply,
    Operator.DIVIDE: quotient,
    Operator.POWER: raise_any,
    Operator.EQUAL: operator.eq,
    Operator.NOT_EQUAL: operator.ne,
    Operator.LESS: operator.lt,
    Operator.LESS_OR_EQUAL: operator.le,
    Operator.GREATER: operator.gt,
    Operator.GREATER_OR_EQUAL: operator.ge,
    Operator.CONTAINS: operator.contains,
    Operator.STARTS_WITH: str.startswith,
    Operator.ENDS_WITH: str.endswith,
}


# One answer for each kind of node.
def compiled(tree: Expression, indexes: RowIndexes, spend: Spend = free) -> Computed:  # noqa: C901, PLR0911
    """The function that computes an expression from a row; what a match looks at is spent."""
    if tree in indexes:
        return operator.itemgetter(indexes[tree])
    match tree:
        case t.Number(value=constant) | t.Text(value=constant) | t.Boolean(value=constant):
            return lambda _row: constant
        case t.Unary(operator=Operator.NOT, operand=operand):
            return _negation(compiled(operand, indexes, spend))
        case t.Unary(operand=operand):
            return _applied(CONTEXT.minus, [compiled(operand, indexes, spend)], tree.position)
        case t.Binary(operator=Operator.AND, left=left, right=right):
            return _decided(compiled(left, indexes, spend), compiled(right, indexes, spend), by=False)
        case t.Binary(operator=Operator.OR, left=left, right=right):
            return _decided(compiled(left, indexes, spend), compiled(right, indexes, spend), by=True)
        case t.Binary(operator=Operator.MATCHES, left=left, right=t.Text(value=pattern)):
            matches = compile_pattern(pattern)
            return _applied(
                lambda text: matches.search(text, spend), [compiled(left, indexes, spend)], tree.position
            )
        case t.Binary(operator=sign, left=left, right=right):
            return _pair(
                _DIRECT[sign], compiled(left, indexes, spend), compiled(right, indexes, spend), tree.position
            )
        case t.Between(value=value, low=low, high=high):
            return _between(*(compiled(one, indexes, spend) for one in (value, low, high)))
        case t.Membership(value=value, options=options):
            return _among(compiled(value, indexes, spend), [compiled(one, indexes, spend) for one in options])
        case t.NullTest(value=value):
            return _null_test(compiled(value, indexes, spend))
        case t.FunctionCall():
            return _call(tree, indexes, spend)
    raise ValueError(f"{tree} does not stand in the row")


def _pair(
    function: Callable[[Any, Any], Any], left: Computed, right: Computed, position: Position
) -> Computed:
    """A function of two values, which is missing when one of them is."""

    def compute(row: Row) -> Element:
        one, other = left(row), right(row)
        if one is None or isinstance(one, Fault):
            return one
        if other is None or isinstance(other, Fault):
            return other
        try:
            return function(one, other)  # type: ignore[no-any-return] # a scalar, as the type check promised
        except ArithmeticError as error:
            return _fault(error, position)

    return compute


def _applied(function: Callable[..., Any], operands: Sequence[Computed], position: Position) -> Computed:
    """A function of values, which is missing when one of them is."""

    def compute(row: Row) -> Element:
        values = [operand(row) for operand in operands]
        for value in values:
            if value is None or isinstance(value, Fault):
                return value
        try:
            return function(*values)  # type: ignore[no-any-return] # a scalar, as the type check promised
        except ArithmeticError as error:
            return _fault(error, position)

    return compute


def _fault(error: ArithmeticError, position: Position) -> Fault:
    said = "The operation has no result for these numbers."
    if isinstance(error, UndefinedResultError):
        said = str(error)
    elif isinstance(error, Overflow):
        said = f"The result is beyond 1e{EXPONENT_MAX}."
    return Fault(ExpressionError(said, position))


def _decided(left: Computed, right: Computed, *, by: bool) -> Computed:
    """`or` is decided by a true operand, `and` by a false one; else a missing one leaves it missing."""

    def compute(row: Row) -> Element:
        one = left(row)
        if one is by or isinstance(one, Fault):
            return one
        other = right(row)
        if one is None and other is not by and not isinstance(other, Fault):
            return None
        return other

    return compute


def _between(value: Computed, low: Computed, high: Computed) -> Computed:
    """As `value >= low and value <= high`, with the value computed once."""

    def compute(row: Row) -> Element:
        one = value(row)
        least = _compared(operator.ge, one, low, row)
        if least is False or isinstance(least, Fault):
            return least
        most = _compared(operator.le, one, high, row)
        return None if least is None and most is True else most

    return compute


def _among(value: Computed, options: Sequence[Computed]) -> Computed:
    """As `value = first or value = second …`, with the value computed once."""

    def compute(row: Row) -> Element:
        one = value(row)
        found: Element = False
        for option in options:
            is_equal = _compared(operator.eq, one, option, row)
            if is_equal is True or isinstance(is_equal, Fault):
                return is_equal
            found = None if is_equal is None else found
        return found

    return compute


def _compared(test: Callable[[Any, Any], bool], one: Element, other: Computed, row: Row) -> Element:
    """A test of a value that is computed already, which is missing when one of both is."""
    if one is None or isinstance(one, Fault):
        return one
    against = other(row)
    return against if against is None or isinstance(against, Fault) else test(one, against)


def _negation(operand: Computed) -> Computed:
    def compute(row: Row) -> Element:
        value = operand(row)
        return value if value is None or isinstance(value, Fault) else not value

    return compute


def _null_test(operand: Computed) -> Computed:
    def compute(row: Row) -> Element:
        value = operand(row)
        return value if isinstance(value, Fault) else value is None

    return compute


def _call(call: t.FunctionCall, indexes: RowIndexes, spend: Spend) -> Computed:
    """A function of formulas, computed by its own operation."""
    arguments = [
        compiled(argument, indexes, spend) for argument in call.arguments if not isinstance(argument, t.Word)
    ]
    if call.function == "if":
        return _choice(*arguments)
    if call.function == "coalesce":
        return _first_given(arguments)
    meaning = FUNCTIONS[call.function].operation

    def function(*values: Any) -> Any:
        typed = [Value(_type(value), value) for value in values]
        content = meaning.compute(Computing(call, typed, PLAIN, Environment()))
        assert not isinstance(content, tuple)  # noqa: S101 - no operand is an array
        return content

    return _applied(function, arguments, call.position)


def _choice(condition: Computed, when_true: Computed, when_false: Computed) -> Computed:
    def compute(row: Row) -> Element:
        value = condition(row)
        if value is None or isinstance(value, Fault):
            return value
        return when_true(row) if value else when_false(row)

    return compute


def _first_given(choices: Sequence[Computed]) -> Computed:
    def compute(row: Row) -> Element:
        for choice in choices:
            value = choice(row)
            if value is not None:
                return value
        return None

    return compute


def _type(value: object) -> Type:
    if isinstance(value, bool):
        return TRUTH
    return TEXT if isinstance(value, str) else PLAIN
