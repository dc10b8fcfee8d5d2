"""Running the cases of a document: each is a trial of the model, compared with what the case expects.

A case that names places is compared at those: both sides are rounded to them. Without places every
digit must agree.

Invariants: a case is computed by the engine that books; one that cannot be computed fails with the reasons;
only what is expected, and what that needs, is computed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.engine.setting import GivenValues
from weighbridge.core.engine.trials.trial import try_out
from weighbridge.core.expression import Budget
from weighbridge.core.model import Amount, Case, Equation, Model, PreparedModel, equations, prepare
from weighbridge.core.problem import bounded
from weighbridge.core.quantity.number import round_to
from weighbridge.core.quantity.unit import Unit

COST_MAX: Final = 2_000_000
"""How many operations all cases of a document may cost together."""

REASONS_MAX: Final = 5
"""How many reasons are named why a case cannot be computed."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a case expects of one node, and what came of it."""

    slug: str
    expected: Amount
    actual: Amount
    unit: Unit

    @property
    def is_met(self) -> bool:
        return self.expected == self.actual


@dataclass(frozen=True, slots=True)
class CaseResult:
    """How one case came out."""

    case: Case
    comparisons: tuple[Comparison, ...] = ()
    equations: tuple[Equation, ...] = ()
    error: str | None = None

    @property
    def is_passed(self) -> bool:
        return self.error is None and all(comparison.is_met for comparison in self.comparisons)


def run_cases(model: Model) -> list[CaseResult]:
    """Run every case of a model that was checked."""
    prepared, budget = prepare(model), Budget(COST_MAX)
    return [_run(case, prepared, budget) for case in model.cases]


def _run(case: Case, prepared: PreparedModel, budget: Budget) -> CaseResult:
    given = GivenValues(case.inputs, case.partition, case.durations, case.period_days, case.period_hours)
    trial = try_out(prepared, given, tuple(case.expect), budget)
    if trial.problems:
        return CaseResult(case, error=" ".join(one.message for one in bounded(trial.problems, REASONS_MAX)))
    comparisons = tuple(
        Comparison(
            slug,
            _rounded(expected, case),
            _rounded(trial.values[slug], case),
            prepared.model.node(slug).unit,
        )
        for slug, expected in case.expect.items()
    )
    return CaseResult(
        case, comparisons, equations(prepared, with_attributes(trial.values, given), case.partition)
    )


def with_attributes(values: Mapping[str, Amount], given: GivenValues) -> dict[str, Amount]:
    """The values of the nodes, and of what travels along with draws, as equations show them."""
    return {**{name: value for name, value in given.values.items() if "." in name}, **values}


def _rounded(amount: Amount, case: Case) -> Amount:
    if case.places is None or amount is None:
        return amount
    if isinstance(amount, Decimal):
        return round_to(amount, case.places, case.mode)
    return tuple(round_to(element, case.places, case.mode) for element in amount)
