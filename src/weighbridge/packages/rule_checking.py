"""Whether the rules of a package fit its event types and come to what their cases say.

A rule is read and checked as the interface checks it, with the event types of the package, and each of its
cases is computed for the event type that it names, or for the only one that the rule fits.

Invariant: a rule without flaws can be created in a project that has the package's event types.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weighbridge.core.expression import PLAIN, TEXT, TRUTH, Type
from weighbridge.core.expression.tree import Name
from weighbridge.core.model import DocumentFlaw
from weighbridge.core.problem import Problem
from weighbridge.core.rule import Rule, RuleTarget, Vocabulary, check_correction, check_rule, read_rule
from weighbridge.core.rule.definition import FILLS_GAPS, Purpose, find_expression, read_correction
from weighbridge.core.rule.substitution import GapFilling, check_filling, read_filling
from weighbridge.packages.reading import PlacedPart, place_problem
from weighbridge.packages.rule_cases import CheckedRule, RuleCaseResult, read_rule_cases, run_rule_case

_TYPES: Mapping[str, Type] = {"number": PLAIN, "string": TEXT, "boolean": TRUTH}


@dataclass(frozen=True, slots=True)
class CasedEventType:
    """An event type of a package as its rules read it."""

    slug: str
    vocabulary: Vocabulary
    cadence: tuple[int, str] | None


@dataclass(frozen=True, slots=True)
class RuleReport:
    """What a look at a rule found."""

    part: PlacedPart
    results: tuple[RuleCaseResult, ...]
    flaws: tuple[DocumentFlaw, ...]


def build_event_type(slug: str, record: Any, slugs: Sequence[tuple[str, str]]) -> CasedEventType:
    """An event type of a package; `slugs` are those of its data points with their value types."""
    cadence = None if record.cadence_unit is None else (record.cadence_amount or 1, record.cadence_unit)
    types = {name: _TYPES[kind] for name, kind in slugs if kind in _TYPES}
    label = f"an event of type {slug!r}"
    return CasedEventType(slug, Vocabulary(label, types, has_cadence=cadence is not None), cadence)


def check_package_rule(part: PlacedPart, event_types: Sequence[CasedEventType]) -> RuleReport:
    """Find all flaws of a rule and compute its cases; rules on model runs are read alone."""
    record, flaws = part.record, list[DocumentFlaw]()
    cases = [*read_rule_cases(part.source.get("cases"), flaws)]
    rule, filling, problems = _read(record)
    flaws += [place_problem(part.source, _wrap(problem)) for problem in problems]
    if rule is None or problems or rule.target is RuleTarget.MODEL_RUN:
        return RuleReport(part, (), tuple(flaws))
    fits = {one.slug: _list_problems(record, rule, filling, one, event_types) for one in event_types}
    fitting = [one for one in event_types if not fits[one.slug]]
    if not fitting:
        found = next(
            iter(fits.values()), [Problem("The package has no event type for the rule.", None, None)]
        )
        flaws += [place_problem(part.source, _wrap(problem)) for problem in found]
        return RuleReport(part, (), tuple(flaws))
    results = []
    for case in cases:
        chosen = [one for one in fitting if case.event_type in {None, one.slug}]
        if len(chosen) != 1:
            names = ", ".join(one.slug for one in fitting)
            message = f"The case {case.name!r} names an event type of the rule: one of {names}."
            flaws.append(DocumentFlaw(message, case.mark))
            continue
        data_point = _find_data_point(record, rule, chosen[0].vocabulary)
        checked = CheckedRule(rule, filling, data_point or "")
        results.append(run_rule_case(checked, case, chosen[0].vocabulary, chosen[0].cadence))
    flaws += [flaw for result in results for flaw in result.flaws]
    return RuleReport(part, tuple(results), tuple(flaws))


def _wrap(problem: Problem) -> Problem:
    """A problem with its field as a request names it, below the rule."""
    return Problem(problem.message, f"rule.{problem.field or ''}", problem.code)


def _read(record: Any) -> tuple[Rule | None, GapFilling | None, list[Problem]]:
    purpose = Purpose(record.purpose)
    filling, problems, correction = None, list[Problem](), record.correction
    if purpose in FILLS_GAPS:
        filling, problems = read_filling(correction or {})
    else:
        correction, problems = read_correction(purpose, correction)
    rule, wrong = read_rule(
        record.expression,
        record.window,
        record.window_member_scope,
        record.target,
        None if filling is not None else find_expression(purpose, correction),
        record.tables,
    )
    if rule is not None and purpose in FILLS_GAPS and not rule.is_about_itself:
        wrong = [Problem("The expression of a rule that fills gaps has no aggregates.", "expression", None)]
    return rule, filling, [*problems, *wrong]


def _list_problems(
    record: Any,
    rule: Rule,
    filling: GapFilling | None,
    event_type: CasedEventType,
    every: Sequence[CasedEventType],
) -> list[Problem]:
    """Why a rule does not fit an event type; empty when it does."""
    vocabulary = event_type.vocabulary
    problems = check_rule(rule, vocabulary, [one.vocabulary for one in every])
    if problems:
        return problems
    data_point = _find_data_point(record, rule, vocabulary)
    if data_point is None:
        return [Problem(f"{vocabulary.label} has no data point {record.data_point!r}.", "data_point", None)]
    if filling is None:
        return check_correction(rule, vocabulary, [one.vocabulary for one in every], data_point)
    if not vocabulary.has_cadence and record.purpose == Purpose.IMPUTE:
        message = f"A rule that imputes needs slots of a cadence, but {vocabulary.label} has none."
        return [Problem(message, "correction", None)]
    return check_filling(filling, vocabulary, data_point)


def _find_data_point(record: Any, rule: Rule, vocabulary: Vocabulary) -> str | None:
    """The slug of the data point that a rule is about: as it says, else the first that it reads."""
    if record.data_point is not None:
        return vocabulary.slug_of(Name((record.data_point,), is_verbatim=True))
    return next(_list_read(rule, vocabulary), None)


def _list_read(rule: Rule, vocabulary: Vocabulary) -> Iterator[str]:
    for name in rule.names:
        slug = None if rule.is_tag(name) else vocabulary.slug_of(name)
        if slug is not None:
            yield slug
