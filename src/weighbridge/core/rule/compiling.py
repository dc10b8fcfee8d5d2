"""Compiling turns an expression into functions of a row of values, a few steps for each record.

A row holds the values of the rule's names, then the facts that are used, then what the aggregates came to;
None stands for a missing value and a Fault for an operation without a result.

Invariants: a compiled expression never raises; it has the logic of three values that `definition` states,
and for rows without missing values it gives what the engine of formulas gives.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Overflow
from functools import reduce
from typing import Any, Final

from weighbridge.core.expression import PLAIN, TEXT, TRUTH, Expression, ExpressionError, Position, Type, Value
from weighbridge.core.expression import tree as t
from weighbridge.core.expression.arithmetic import quotient, raise_any
from weighbridge.core.expression.error import UndefinedResultError
from weighbridge.core.expression.functions import FUNCTIONS
from weighbridge.core.expression.operation import Computing, Environment
from weighbridge.core.expression.pattern import compile_pattern
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
def compiled(tree: Expression, indexes: RowIndexes) -> Computed:  # noqa: C901, PLR0911
    """The function that computes an expression from a row."""
    if tree in indexes:
        return operator.itemgetter(indexes[tree])
    match tree:
        case t.Number(value=constant) | t.Text(value=constant) | t.Boolean(value=constant):
            return lambda _row: constant
        case t.Unary(operator=Operator.NOT, operand=operand):
            return _negation(compiled(operand, indexes))
        case t.Unary(operand=operand):
            return _applied(CONTEXT.minus, [compiled(operand, indexes)], tree.position)
        case t.Binary(operator=Operator.AND, left=left, right=right):
            return _decided(compiled(left, indexes), compiled(right, indexes), by=False)
        case t.Binary(operator=Operator.OR, left=left, right=right):
            return _decided(compiled(left, indexes), compiled(right, indexes), by=True)
        case t.Binary(operator=Operator.MATCHES, left=left, right=t.Text(value=pattern)):
            return _applied(compile_pattern(pattern).search, [compiled(left, indexes)], tree.position)
        case t.Binary(operator=sign, left=left, right=right):
            return _pair(_DIRECT[sign], compiled(left, indexes), compiled(right, indexes), tree.position)
        case t.Between(value=value, low=low, high=high):
            least = t.Binary(Operator.GREATER_OR_EQUAL, value, low, tree.position)
            most = t.Binary(Operator.LESS_OR_EQUAL, value, high, tree.position)
            return _decided(compiled(least, indexes), compiled(most, indexes), by=False)
        case t.Membership(value=value, options=options):
            tests = [
                compiled(t.Binary(Operator.EQUAL, value, one, tree.position), indexes) for one in options
            ]
            return reduce(lambda left, right: _decided(left, right, by=True), tests)
        case t.NullTest(value=value):
            return _null_test(compiled(value, indexes))
        case t.FunctionCall():
            return _call(tree, indexes)
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


def _call(call: t.FunctionCall, indexes: RowIndexes) -> Computed:
    """A function of formulas, computed by its own operation."""
    arguments = [
        compiled(argument, indexes) for argument in call.arguments if not isinstance(argument, t.Word)
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
