"""The backend over trials: an expression becomes a closure over columns of floats, one value for each trial.

It asks the same rows of the table of meanings as the other backends: the types of operands by their rules,
their units, and, in place of the meaning in decimals, that over columns. What reads the surroundings of a
run is the same in all trials, and is computed in decimals.

Invariants: what is compiled has the type that `check` finds; a node of which no operand differs between
trials is computed once for all of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weighbridge.core.expression import trial_values
from weighbridge.core.expression.compiler import check as check_type
from weighbridge.core.expression.compiler import evaluate_leaf, fold, read_constant
from weighbridge.core.expression.meaning import (
    Environment,
    NameScope,
    OperationMeaning,
    TypedNode,
    take_identity,
)
from weighbridge.core.expression.tree import Expression, ExpressionError, Name
from weighbridge.core.expression.trial_values import CellFunction, FloatFunction, TrialValues, hold_content
from weighbridge.core.expression.value import Table, Tables, Type
from weighbridge.core.halt import proceed

Cells = Mapping[tuple[str, str], Any]
"""The cells of columns of tables that differ between trials, by table and column, of shape (rows, trials)."""


@dataclass(frozen=True, slots=True)
class TrialEnvironment:
    """What an expression may name over trials; what is not here is that of the surroundings."""

    surroundings: Environment
    values: Mapping[str, TrialValues] = field(default_factory=dict)
    cells: Cells = field(default_factory=dict)


Step = Callable[[TrialEnvironment], TrialValues]


@dataclass(frozen=True, slots=True)
class TrialExpression:
    """An expression over trials."""

    type: Type
    step: Step

    def compute(self, environment: TrialEnvironment) -> TrialValues:
        """Compute it; trials without a result are NaN, and nothing is raised or warned of."""
        with np.errstate(all="ignore"):
            return self.step(environment)


def compile_trials(tree: Expression, scope: NameScope) -> TrialExpression:
    """Compile an expression over trials; ExpressionError when its parts do not fit together."""

    def leaf(node: Expression) -> TrialExpression:
        type_ = check_type(node, scope)
        if isinstance(node, Name):
            return TrialExpression(type_, lambda environment: _read_name(node, environment))
        constant = hold_content(read_constant(node))
        return TrialExpression(type_, lambda _environment: constant)

    def operation(
        node: Expression, meaning: OperationMeaning, operands: Iterator[TrialExpression]
    ) -> TrialExpression:
        parts = list(operands)
        at = TypedNode(node, [part.type for part in parts], scope.tables)
        result = meaning.rule(at)
        return TrialExpression(result, _compile_operation(at, meaning, result, [part.step for part in parts]))

    return fold(tree, leaf, operation)


def _read_name(node: Name, environment: TrialEnvironment) -> TrialValues:
    held = environment.values.get(node.text)
    return hold_content(evaluate_leaf(node, environment.surroundings).content) if held is None else held


def _compile_operation(at: TypedNode, meaning: OperationMeaning, result: Type, steps: Sequence[Step]) -> Step:
    if (read_surroundings := meaning.of_surroundings) is not None:
        return lambda environment: hold_content(read_surroundings(at, environment.surroundings))
    units = list(meaning.units(at, result))
    taken = steps if all(unit is None for unit in units) and len(units) == len(steps) else steps[: len(units)]
    conversions = [(operand.unit, unit) for operand, unit in zip(at.types, units, strict=False)]
    function, apply = _find_function(at, meaning), meaning.nulls.over_trials(trial_values)
    cells = at.tables[function.table] if isinstance(function, CellFunction) else None

    def step(environment: TrialEnvironment) -> TrialValues:
        proceed()
        contents = [step(environment) for step in taken]
        converted = [
            content if unit is None or source is None else trial_values.convert_values(content, source, unit)
            for content, (source, unit) in zip(contents, conversions, strict=True)
        ]
        applied = function if cells is None else _bind_cells(function, cells, environment.cells)
        return apply(applied, converted)  # type: ignore[no-any-return] # the rules are of that module

    return step


def _find_function(at: TypedNode, meaning: OperationMeaning) -> Any:
    """The meaning over columns; an operation that has none is an error that names it."""
    if meaning.over_trials is not None:
        return meaning.over_trials(trial_values, at)
    if meaning.function is take_identity:
        return trial_values.return_first
    name = at.name or type(at.node).__name__
    raise ExpressionError(f"{name} has no meaning over trials.", at.position)


def _bind_cells(function: CellFunction, table: Table, cells: Cells) -> FloatFunction:
    """Give a lookup the cells of this block of trials, or those of the table."""
    drawn = cells.get((function.table, function.column))
    if drawn is None:
        index = table.column(function.column)
        assert index is not None, "its rule was applied"  # noqa: S101
        drawn = hold_content(tuple(row[index] for row in table.rows)).values
    return lambda key, *_: function.compute(drawn, key)


def list_cells(tables: Tables, table: str, column: str) -> tuple[Any, ...]:
    """The cells of a column of a table, row by row; KeyError when there is none."""
    index = tables[table].column(column)
    if index is None:
        raise KeyError(column)
    return tuple(row[index] for row in tables[table].rows)
