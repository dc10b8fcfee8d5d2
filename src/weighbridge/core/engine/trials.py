"""Compute a model once over given values: the cases of a document, and simulations.

The engine is the same that books tonnes; only the data come from the caller.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from weighbridge.core.engine.run import run_slot
from weighbridge.core.engine.slot_computation import (
    Element,
    EngineSetting,
    GivenValues,
    Group,
    Measure,
    SlotData,
    StandaloneRunContext,
)
from weighbridge.core.engine.statistics import NOTHING
from weighbridge.core.expression import Budget
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.model import (
    Amount,
    Case,
    Equation,
    Input,
    Model,
    PreparedModel,
    is_listed,
    list_equations,
    prepare,
)
from weighbridge.core.number import CONTEXT, ZERO, round_to
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.uncertainty.effects import CERTAIN, Uncertainty
from weighbridge.core.unit import ONE, Unit

# A trial computes a model once over values that a caller gives: the engine's run of a slot, and no other.
#
# The values of a list become events of a slot of their own, each known by its place: values of one place
# are of one event, so that arrays are parallel and are joined element by element.
#
# Invariants: a trial has the result of a generation over data with the same values, element
# for element, and missing values get the same defaults or errors.


_START: Final = datetime(2000, 1, 1, tzinfo=UTC)
_SLOT: Final = Interval(Instant.of(_START), Instant.of(_START + timedelta(days=1)))
"""A slot that only distinguishes events: its length for formulas comes with the values."""

_STEP: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Trial:
    """What the nodes came to, in the order of the document; or why they did not, in full sentences."""

    values: Mapping[str, Amount]
    problems: tuple[Problem, ...] = ()
    uncertainties: Mapping[str, Uncertainty] | None = None
    """How uncertain each output is, in its unit; None unless the model asks for it."""
    discounts: Mapping[str, Decimal] = field(default_factory=dict)
    """How much less than each output with a discount is credited, in its unit."""


def try_out(
    program: PreparedModel,
    given_values: GivenValues,
    targets: Collection[str] | None = None,
    budget: Budget | None = None,
) -> Trial:
    """Compute all nodes of a model, or the targets and what they need.

    What makes outputs, or the targets, uncertain is computed where the model asks for it.
    """
    part = program if targets is None else program.only(targets)
    inputs = {node.slug: node for node in part.nodes if isinstance(node.body, Input)}
    sources = {slug: number for number, slug in enumerate(inputs, 1)}
    measures = {
        slug: Measure(
            unit=inputs[slug].unit,
            source=number,
            is_of_elements=True,
            statements=() if (stated := inputs[slug].uncertainty) is None else (stated,),
        )
        for slug, number in sources.items()
    }
    partition = Partition(**given_values.partition)
    data = SlotData(
        _SLOT,
        tuple(_build_groups(part, given_values, sources, partition)),
        alone=StandaloneRunContext(partition),
        given=given_values,
    )
    setting = EngineSetting(
        part, measures, None, budget=budget, says_uncertainty=True, uncertain_nodes=targets
    )
    ran = run_slot(setting, data)
    if ran.problems:
        return Trial({}, tuple(_report_budget_once(ran.problems, budget)))
    [run] = ran.runs
    slugs = [slug for slug in program.model.slugs if slug in run.readings]
    values = {slug: run.readings[slug].amount for slug in slugs}
    return Trial(values, uncertainties=run.uncertainties, discounts=run.discounts)


def _report_budget_once(problems: Sequence[Problem], budget: Budget | None) -> Iterator[Problem]:
    """The problems; of an exhausted budget only the first is kept, not one for every formula after it."""
    is_told = False
    for problem in problems:
        is_excess = budget is not None and problem.message.endswith(budget.excess)
        if not (is_excess and is_told):
            yield problem
        is_told = is_told or is_excess


def _build_groups(
    program: PreparedModel, given_values: GivenValues, sources: Mapping[str, int], partition: Partition
) -> Iterator[Group]:
    """The lists that were given to inputs, as the events of a slot."""
    for node in program.nodes:
        value = given_values.values.get(node.slug)
        if not isinstance(node.body, Input) or value is None:
            continue
        if node.body.is_array or (isinstance(value, tuple) and is_listed(node.body)):
            values = (value,) if isinstance(value, Decimal) else value
            elements = tuple(
                _build_element(position, element_value) for position, element_value in enumerate(values, 1)
            )
            yield Group(
                source=sources[node.slug],
                tags=partition,
                event_count=len(elements),
                first_event="",
                digest=Decimal(0),
                by_input={node.slug: NOTHING},
                elements=elements,
                is_of_elements=True,
            )


def _build_element(position: int, value: Decimal) -> Element:
    """A value as an event; by its tracking id, and by its moment, it matches what has the same position."""
    moment = _START + position * _STEP
    return Element(position, position, Interval(moment, moment), (value,), tracking_id=str(position))


# Running the cases of a document: each is a trial of the model, compared with what the case expects.
#
# A case that names places is compared at those: both sides are rounded to them. Without places every digit
# must agree.
#
# Invariants: a case is computed by the engine that books; one that cannot be computed fails with the
# reasons; only what is expected, and what that needs, is computed.


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


def list_given(case: Case) -> GivenValues:
    """The values that a case gives to nodes, as the engine takes them."""
    return GivenValues(
        case.inputs, case.partition, case.durations, case.period_days, case.period_hours, case.uncertainties
    )


def _run(case: Case, prepared: PreparedModel, budget: Budget) -> CaseResult:
    given_values = list_given(case)
    targets = tuple(dict.fromkeys((*case.expect, *case.expect_uncertainty, *case.expect_credit)))
    trial = try_out(prepared, given_values, targets, budget)
    if trial.problems:
        return CaseResult(
            case, error=" ".join(problem.message for problem in limit_problems(trial.problems, REASONS_MAX))
        )
    comparisons = [
        Comparison(
            slug,
            _round_expected(expected, case),
            _round_expected(trial.values[slug], case),
            prepared.model.node(slug).unit,
        )
        for slug, expected in case.expect.items()
    ]
    comparisons += _compare_uncertainties(case, prepared.model, trial)
    comparisons += _compare_credits(case, prepared.model, trial)
    return CaseResult(
        case,
        tuple(comparisons),
        list_equations(prepared, add_attributes(trial.values, given_values), case.partition),
    )


def _compare_uncertainties(case: Case, model: Model, trial: Trial) -> Iterator[Comparison]:
    """Compare what a case expects of uncertainties with what came of them."""
    for slug, expected in case.expect_uncertainty.items():
        combined = (trial.uncertainties or {}).get(slug, CERTAIN).combine()
        rows = [
            (
                f"u({slug})",
                expected.standard_uncertainty,
                combined.standard_uncertainty,
                model.node(slug).unit,
            ),
            (f"degrees of freedom of {slug}", expected.degrees_of_freedom, combined.degrees_of_freedom, ONE),
        ]
        for name, wanted, actual, unit in rows:
            if wanted is not None:
                yield Comparison(name, _round_expected(wanted, case), _round_expected(actual, case), unit)


def _compare_credits(case: Case, model: Model, trial: Trial) -> Iterator[Comparison]:
    """Compare what a case expects as credits with the outputs less their discounts."""
    for slug, expected in case.expect_credit.items():
        value = trial.values[slug]
        assert not isinstance(value, tuple), "the model was checked: what is credited is one number"  # noqa: S101
        credited = None if value is None else CONTEXT.subtract(value, trial.discounts.get(slug, ZERO))
        yield Comparison(
            f"credit of {slug}",
            _round_expected(expected, case),
            _round_expected(credited, case),
            model.node(slug).unit,
        )


def add_attributes(values: Mapping[str, Amount], given_values: GivenValues) -> dict[str, Amount]:
    """The values of the nodes, and of what travels along with draws, as equations show them."""
    return {**{name: value for name, value in given_values.values.items() if "." in name}, **values}


def _round_expected(amount: Amount, case: Case) -> Amount:
    if case.places is None or amount is None:
        return amount
    if isinstance(amount, Decimal):
        return round_to(amount, case.places, case.mode)
    return tuple(round_to(element, case.places, case.mode) for element in amount)
