"""A compiled expression: its types are found once, so that computing it for many values asks no more of them.

It computes through the same operations as an evaluation, with the same costs and faults; only the rules are
not applied again, because the values have the types that they were applied to.

Invariant: for values of the types that it was compiled for, `compute` gives what `evaluate` gives.
"""

from collections.abc import Callable
from dataclasses import dataclass

from weighbridge.core.expression.evaluation import check, named, operands_of, operation
from weighbridge.core.expression.kind import Kind, Type
from weighbridge.core.expression.operation import Budget, Computing, Environment, NameScope, Typing
from weighbridge.core.expression.tree import Boolean, Expression, Name, Number, Text, Word, walk
from weighbridge.core.expression.value import Content, Value, first_fault

Step = Callable[[Environment, Budget], Content]


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression over names of known types."""

    type: Type
    step: Step

    def compute(self, environment: Environment, budget: Budget | None = None) -> Value:
        """Compute it; a missing value or an operation without a result is an ExpressionError."""
        content = self.step(environment, budget or Budget())
        fault = first_fault(content)
        if fault is not None:
            raise fault.error
        return Value(self.type, content)


def compiled(tree: Expression, scope: NameScope) -> Compiled | None:
    """Compile an expression; None when only a run can tell the unit of something it names.

    Raises ExpressionError when its parts do not fit together.
    """
    types = [scope.names[one.text] for one in walk(tree) if isinstance(one, Name) and one.text in scope.names]
    if any(one.kind is Kind.NUMBER and one.unit is None for one in types):
        return None
    return _compiled(tree, scope)


def _compiled(tree: Expression, scope: NameScope) -> Compiled:
    match tree:
        case Name():
            return Compiled(check(tree, scope), lambda environment, _: named(tree, environment).content)
        case Number(value=constant) | Text(value=constant) | Word(text=constant) | Boolean(value=constant):
            return Compiled(check(tree, scope), lambda _environment, _budget: constant)
    operands = [_compiled(operand, scope) for operand in operands_of(tree)]
    meaning = operation(tree)
    result = meaning.rule(Typing(tree, [operand.type for operand in operands], scope.tables))
    parts = [(operand.type, operand.step) for operand in operands]
    cost, position = meaning.cost * max(len(parts), 1), tree.position

    def step(environment: Environment, budget: Budget) -> Content:
        values = [Value(operand_type, part(environment, budget)) for operand_type, part in parts]
        longest = max((len(one.content) for one in values if isinstance(one.content, tuple)), default=1)
        budget.spend(cost * longest, position)
        return meaning.computed(Computing(tree, values, result, environment, budget))

    return Compiled(result, step)
