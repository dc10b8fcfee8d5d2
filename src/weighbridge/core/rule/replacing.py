"""Replacing puts other nodes in the place of some calls of an expression.

Invariants: what is not replaced keeps its place in the text.
"""

from collections.abc import Callable
from dataclasses import replace

from weighbridge.core.expression import Expression
from weighbridge.core.expression.tree import Between, Binary, FunctionCall, Membership, NullTest, Unary


def replaced(
    tree: Expression, is_replaced: Callable[[Expression], bool], by: Callable[[FunctionCall], Expression]
) -> Expression:
    """The expression with every call that the test finds replaced, the outer ones first."""
    if isinstance(tree, FunctionCall) and is_replaced(tree):
        return by(tree)

    def inner(child: Expression) -> Expression:
        return replaced(child, is_replaced, by)

    result: Expression = tree
    match tree:
        case Unary(operand=operand):
            result = replace(tree, operand=inner(operand))
        case Binary(left=left, right=right):
            result = replace(tree, left=inner(left), right=inner(right))
        case Between(value=value, low=low, high=high):
            result = replace(tree, value=inner(value), low=inner(low), high=inner(high))
        case Membership(value=value, options=options):
            result = replace(tree, value=inner(value), options=tuple(map(inner, options)))
        case NullTest(value=value):
            result = replace(tree, value=inner(value))
        case FunctionCall(arguments=arguments):
            result = replace(tree, arguments=tuple(map(inner, arguments)))
    return result
