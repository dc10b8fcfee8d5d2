"""Trials of a case: how the values that it gives, and those of its document, are known, as trials take it.

It is what first order takes, too: constants, static inputs and columns of tables have one error each, the
values of an input one for each, unless they name an effect.

Invariants: a case and a seed have the same trials on every machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from weighbridge.core.engine.trials import list_given
from weighbridge.core.engine.uncertainty_trials import TrialSetting, check_trials, prepare_trials, run_trials
from weighbridge.core.model import Case, Constant, Input, Model, Node, StaticInput, prepare
from weighbridge.core.number import ZERO
from weighbridge.core.problem import Problem
from weighbridge.core.uncertainty.correlation import CorrelatedEffects
from weighbridge.core.uncertainty.sampling import UncertainValue
from weighbridge.core.uncertainty.statement import UncertaintyStatement
from weighbridge.core.uncertainty.trial_summary import TrialSummary, summarise


@dataclass(frozen=True, slots=True)
class CaseTrials:
    """What trials of a case came to; or why they cannot be run, in full sentences."""

    summaries: Mapping[str, TrialSummary]
    """By node."""
    problems: tuple[Problem, ...] = ()


def run_case_trials(model: Model, case: Case, trials: int, seed: int = 0) -> CaseTrials:
    """Repeat the run of a case of a checked model so many times, and summarise what it names."""
    targets = tuple(dict.fromkeys((*case.expect, *case.expect_uncertainty, *case.expect_credit)))
    program, problems = prepare_trials(_build_setting(model, case, seed), targets)
    if program is None:
        return CaseTrials({}, problems)
    if excess := check_trials(program, trials):
        return CaseTrials({}, (excess,))
    probability = Decimal("0.95") if model.uncertainty is None else model.uncertainty.coverage_probability
    columns = run_trials(program, trials)
    return CaseTrials(
        {slug: summarise(column, probability) for slug, column in columns.items() if column.ndim == 1}
    )


def _build_setting(model: Model, case: Case, seed: int) -> TrialSetting:
    pairs = () if model.uncertainty is None else model.uncertainty.correlations
    named = {name for one, other, _ in pairs for name in (one, other)}
    stated = {
        node.slug: (UncertainValue((_name_effect(statement, node.slug, named),)),)
        for node in model.nodes
        if (statement := _find_statement(node, case)) is not None
    }
    cells = {
        (table, column): (
            UncertainValue((replace(statement, effect=statement.effect or f"{table}.{column}"),)),
        )
        for (table, column), statement in model.table_uncertainties.items()
    }
    correlated = _list_correlated(model)
    return TrialSetting(
        prepare(model), list_given(case), stated, stated_cells=cells, correlated=correlated, seed=seed
    )


def _find_statement(node: Node, case: Case) -> UncertaintyStatement | None:
    """What is stated of a node's values: by the case, else by the node; of what is not given, nothing."""
    if isinstance(node.body, Constant):
        return node.uncertainty
    if not isinstance(node.body, Input | StaticInput) or node.slug not in case.inputs:
        return None
    return case.uncertainties.get(node.slug, node.uncertainty)


def _name_effect(statement: UncertaintyStatement, slug: str, named: set[str]) -> UncertaintyStatement:
    """The statement; with its node as its effect, where a correlation names that."""
    is_named = statement.effect is None and slug in named
    return replace(statement, effect=slug) if is_named else statement


def _list_correlated(model: Model) -> tuple[CorrelatedEffects, ...]:
    """The correlations of the document as one matrix."""
    pairs = () if model.uncertainty is None else model.uncertainty.correlations
    if not pairs:
        return ()
    names = tuple(dict.fromkeys(name for one, other, _ in pairs for name in (one, other)))
    coefficients = {frozenset((one, other)): coefficient for one, other, coefficient in pairs}
    matrix = tuple(
        tuple(
            Decimal(1) if one == other else coefficients.get(frozenset((one, other)), ZERO) for other in names
        )
        for one in names
    )
    return (CorrelatedEffects(names, matrix),)
