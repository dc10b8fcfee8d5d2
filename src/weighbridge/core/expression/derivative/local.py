"""The derivative of each operation by itself, found by the node of the tree."""

from collections.abc import Mapping
from typing import Final

from weighbridge.core.expression.derivative.arithmetic import ARITHMETIC, NEGATIVE
from weighbridge.core.expression.derivative.functions import FUNCTIONS
from weighbridge.core.expression.derivative.partial import Partial
from weighbridge.core.expression.tree import Binary, Expression, FunctionCall, Operator, Unary

PARTIALS: Final[Mapping[str, Partial]] = {
    **{operator.value: partial for operator, partial in ARITHMETIC.items()},
    **FUNCTIONS,
}
"""By operator and by the name of a function."""

WITHOUT_DERIVATIVE: Final = frozenset({"lookup", "count", "duration_hours", "period_days", "period_hours"})
"""Functions whose result goes in steps, or does not depend on values: they have none."""


def partial_of(tree: Expression) -> Partial | None:
    """The derivative of a node that has operands; None when it has none."""
    match tree:
        case Unary(operator=Operator.SUBTRACT):
            return NEGATIVE
        case Binary(operator=operator):
            return ARITHMETIC.get(operator)
        case FunctionCall(function=function):
            return FUNCTIONS.get(function)
    return None
