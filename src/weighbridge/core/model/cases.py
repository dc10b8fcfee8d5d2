"""Running the cases of a document: each is the model computed once, and compared with what it expects.

A case that names places is compared at those: both sides are rounded to them. Without places every
digit must agree.

Invariants: a case that cannot be computed fails with the reason; only what is expected, and what that
needs, is computed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.expression import Budget, print_tree
from weighbridge.core.expression.printing import print_name
from weighbridge.core.expression.tree import Name
from weighbridge.core.model.definition import Case, Formula, Model, Node
from weighbridge.core.model.evaluation import EvaluationError, Facts, Program, Result, prepare
from weighbridge.core.quantity.number import plain, round_to
from weighbridge.core.quantity.unit import Unit

COST_MAX: Final = 2_000_000
"""How many operations all cases of a document may cost together."""

SHOWN_ELEMENTS_MAX: Final = 4
"""How many elements of an array are written out in an equation."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a case expects of one node, and what came of it."""

    slug: str
    expected: Result
    actual: Result
    unit: Unit

    @property
    def is_met(self) -> bool:
        return self.expected == self.actual


@dataclass(frozen=True, slots=True)
class Equation:
    """A formula as it is written, with its values filled in, and its result."""

    slug: str
    written: str
    filled: str
    result: str


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


def run_cases(model: Model, program: Program | None = None) -> list[CaseResult]:
    """Run every case of a model that was checked."""
    ready, budget = program or prepare(model), Budget(COST_MAX)
    return [_run(case, ready, budget) for case in model.cases]


def _run(case: Case, program: Program, budget: Budget) -> CaseResult:
    facts = Facts(case.inputs, case.partition, case.durations, case.period_days)
    try:
        results = program.run(facts, tuple(case.expect), budget)
    except EvaluationError as error:
        return CaseResult(case, error=str(error))
    model = program.model
    comparisons = tuple(
        Comparison(slug, _rounded(expected, case), _rounded(results[slug], case), model.node(slug).unit)
        for slug, expected in case.expect.items()
    )
    given = {name: _as_result(value) for name, value in case.inputs.items() if "." in name}
    return CaseResult(case, comparisons, equations(program, {**given, **results}, case.partition))


def equations(
    program: Program, results: Mapping[str, Result], partition: Mapping[str, str]
) -> tuple[Equation, ...]:
    """The equations of every formula that was computed, in the order of computing."""
    return tuple(
        _equation(node, node.body, program, results, partition)
        for node in program.nodes
        if isinstance(node.body, Formula) and node.slug in results
    )


def show(result: Result, unit: Unit) -> str:
    """Write a result with its unit: `1.794 t{dry}`, `[1.2, 0.9] t{wet}`."""
    return f"{_digits(result)} {unit}".strip() if unit.text else _digits(result)


def _equation(
    node: Node,
    formula: Formula,
    program: Program,
    results: Mapping[str, Result],
    partition: Mapping[str, str],
) -> Equation:
    def filled(name: Name) -> str:
        if name.path[0] == "partition":
            return repr(partition.get(name.path[-1], ""))
        found = program.types.get(name.text)
        unit = found.unit if found is not None else None
        if name.text not in results or unit is None:
            return print_name(name)
        return show(results[name.text], unit)

    return Equation(
        node.slug,
        f"{node.slug} = {print_tree(formula.tree)}",
        f"{node.slug} = {print_tree(formula.tree, filled)}",
        show(results[node.slug], node.unit),
    )


def _digits(result: Result) -> str:
    if result is None:
        return "missing"
    if isinstance(result, Decimal):
        return plain(result)
    shown = [plain(element) for element in result[:SHOWN_ELEMENTS_MAX]]
    more = [f"… {len(result) - len(shown)} more"] if len(result) > len(shown) else []
    return f"[{', '.join([*shown, *more])}]"


def _rounded(result: Result, case: Case) -> Result:
    if case.places is None or result is None:
        return result
    if isinstance(result, Decimal):
        return round_to(result, case.places, case.mode)
    return tuple(round_to(element, case.places, case.mode) for element in result)


def _as_result(given: Decimal | Sequence[Decimal]) -> Result:
    return given if isinstance(given, Decimal) else tuple(given)
