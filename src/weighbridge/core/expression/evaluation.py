"""Checking an expression finds its type, evaluating it finds its value; both walk the same operations.

Invariants: `check` and `evaluate` raise ExpressionError and nothing else for any tree that was
parsed; what `evaluate` returns has the type that `check` found for the same names.
"""

from collections.abc import Sequence
from typing import assert_never

from weighbridge.core.expression.arithmetic import ARITHMETIC, NEGATIVE
from weighbridge.core.expression.comparison import BETWEEN, MEMBERSHIP, NOT, NULL_TEST, TESTS
from weighbridge.core.expression.error import ExpressionError
from weighbridge.core.expression.functions import FUNCTIONS
from weighbridge.core.expression.kind import PLAIN, TEXT, TRUTH, Type
from weighbridge.core.expression.operation import (
    Budget,
    Computing,
    Environment,
    NameScope,
    TypedOperation,
    Typing,
)
from weighbridge.core.expression.tree import (
    Between,
    Binary,
    Boolean,
    Expression,
    FunctionCall,
    Membership,
    Name,
    NullTest,
    Number,
    Operator,
    Text,
    Unary,
    Word,
    children,
)
from weighbridge.core.expression.value import Content, Fault, Value, first_fault
from weighbridge.core.identity.suggestion import nearest


def check(tree: Expression, scope: NameScope) -> Type:
    """Find the type of an expression, and refuse it when its parts do not fit together."""
    match tree:
        case Name():
            if tree.text not in scope.names:
                raise ExpressionError(_unknown(tree, list(scope.names)), tree.position)
            return scope.names[tree.text]
        case Number():
            return PLAIN
        case Text() | Word():
            return TEXT
        case Boolean():
            return TRUTH
        case _:
            types = [check(operand, scope) for operand in operands_of(tree)]
            return operation(tree).rule(Typing(tree, types, scope.tables))


def evaluate(tree: Expression, environment: Environment, budget: Budget | None = None) -> Value:
    """Compute an expression; a missing value or an operation without a result is an error."""
    value = _value(tree, environment, budget or Budget())
    fault = first_fault(value.content)
    if fault is not None:
        raise fault.error
    return value


def operation(tree: Unary | Binary | Between | Membership | NullTest | FunctionCall) -> TypedOperation:
    """The meaning of a node that has operands."""
    match tree:
        case Unary(operator=operator):
            return NOT if operator is Operator.NOT else NEGATIVE
        case Binary(operator=operator):
            return ARITHMETIC[operator] if operator in ARITHMETIC else TESTS[operator]
        case Between():
            return BETWEEN
        case Membership():
            return MEMBERSHIP
        case NullTest():
            return NULL_TEST
        case FunctionCall(function=function):
            return FUNCTIONS[function].operation
    assert_never(tree)


def _value(tree: Expression, environment: Environment, budget: Budget) -> Value:
    if isinstance(tree, Name):
        return named(tree, environment)
    operands = [_value(operand, environment, budget) for operand in operands_of(tree)]
    return evaluate_node(tree, operands, environment, budget)[0]


def evaluate_node(
    tree: Expression, values: Sequence[Value], environment: Environment, budget: Budget
) -> tuple[Value, Computing | None]:
    """What a node that is no name comes to, of the values of its operands, and how; a constant is itself."""
    match tree:
        case Number(value=value):
            return Value(PLAIN, value), None
        case Text(value=value) | Word(text=value):
            return Value(TEXT, value), None
        case Boolean(value=value):
            return Value(TRUTH, value), None
        case Name():
            raise ValueError(f"{tree.text} is a name and has no operands")
    meaning = operation(tree)
    longest = max((_length(value.content) for value in values), default=1)
    budget.spend(meaning.cost * longest * max(len(values), 1), tree.position)
    result = meaning.rule(Typing(tree, [value.type for value in values], environment.tables))
    at = Computing(tree, values, result, environment, budget)
    return Value(result, meaning.computed(at)), at


def named(name: Name, environment: Environment) -> Value:
    """What a name stands for; a missing value is a fault, which whoever ends up with it raises."""
    value = environment.values.get(name.text)
    if value is None:
        raise ExpressionError(_unknown(name, list(environment.values)), name.position)
    content: Content = value.content
    if content is None:
        return Value(value.type, _missing(name))
    if isinstance(content, tuple) and None in content:
        missing = _missing(name)
        return Value(value.type, tuple(missing if element is None else element for element in content))
    return value


def _missing(name: Name) -> Fault:
    return Fault(ExpressionError(f"{name.text} has no value.", name.position), is_missing=True)


def operands_of(tree: Expression) -> list[Expression]:
    """The operands of a node, without words such as a rounding mode."""
    return [child for child in children(tree) if not isinstance(child, Word)]


def _length(content: Content) -> int:
    return len(content) if isinstance(content, tuple) else 1


def _unknown(name: Name, known: list[str]) -> str:
    close = nearest(name.text, known)
    hint = f"; did you mean {close!r}?" if close else "."
    return f"There is no {name.text!r} here{hint}"
