"""Validate a rule before it is stored or previewed; all problems are reported at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weighbridge.core import identity
from weighbridge.core.expression import Kind
from weighbridge.core.expression.tree import Name
from weighbridge.core.identity import find_nearest, list_briefly, problem_of_name
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.rule import (
    MemberScope,
    Rule,
    RuleTarget,
    Vocabulary,
    WindowMeters,
    check_correction,
    check_rule,
    choose_default_meters,
    read_rule,
    write_window,
)
from weighbridge.core.rule.definition import FILLS_GAPS, Purpose, Severity, find_expression, read_correction
from weighbridge.core.rule.facts import asks_calibration
from weighbridge.core.rule.reading import find_type
from weighbridge.core.rule.substitution import (
    GapFilling,
    check_filling,
    check_operating_source,
    read_filling,
    write_filling,
)
from weighbridge.core.rule.tables import write_tables
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid, NotFound
from weighbridge.modelling.documents import find_owned_model
from weighbridge.quality.records.rules import EVALUATIONS, PRIORITY_MAX
from weighbridge.quality.records.rules import Rule as RuleRecord
from weighbridge.quality.rule_versions import StoredVersion, vocabularies_of_event_types, vocabulary_of_family


@dataclass(frozen=True, slots=True)
class _WatchedRecords:
    """The records that a rule watches: of an event type, of every event type, or of a model."""

    event_type: int | None
    asset: int | None
    family: int | None
    vocabularies: Mapping[int, Vocabulary]

    @property
    def event_types(self) -> Mapping[str, Vocabulary]:
        """The vocabularies of event types by slug."""
        return {one.event_type: one for one in self.vocabularies.values()}


async def validate_rule(tx: Read, actor: Actor, project: int, request: RuleRecord) -> StoredVersion:
    """The rule as it would be stored, with no number yet; Invalid with everything that is wrong with it."""
    problems = [*problems_of_frame(request), *_problems_of_kind(request)]
    if any(problem.field in _CHOICES for problem in problems):
        raise Invalid(problems)
    watched = await _watched_records(tx, actor, project, request, problems)
    correction, filling, wrong = _correction(request)
    problems += wrong
    rule, wrong = read_rule(
        request.expression,
        request.window,
        request.window_member_scope,
        request.target,
        find_expression(request.purpose, correction),
        request.tables,
    )
    problems += wrong
    data_point = request.data_point
    if rule is not None and watched is not None:
        data_point, wrong = _checked_data_point(rule, filling, watched, request)
        problems += wrong
    if problems:
        raise Invalid(problems)
    assert rule is not None and watched is not None  # noqa: S101, PT018 - their problems were raised
    window = None if rule.window is None else write_window(rule.window)
    return _draft(
        project, request, watched, data_point=data_point, window=window, correction=correction,
        tables=write_tables(rule.tables),
    )  # fmt: skip


def _correction(request: RuleRecord) -> tuple[dict[str, Any] | None, GapFilling | None, list[Problem]]:
    """The correction in its one form, and how gaps are filled by a rule that does so."""
    purpose = Purpose(request.purpose)
    if purpose not in FILLS_GAPS:
        correction, problems = read_correction(purpose, request.correction)
        return correction, None, problems
    if request.correction is None:
        message = f"correction is required when purpose is {purpose}, but is missing."
        return None, None, [Problem(message, "correction", "required")]
    filling, problems = read_filling(request.correction)
    return None if filling is None else write_filling(filling), filling, problems


def _draft(
    project: int, request: RuleRecord, watched: _WatchedRecords, *, data_point: str | None,
    window: dict[str, Any] | None, correction: dict[str, Any] | None,
    tables: dict[str, Any] | None,
) -> StoredVersion:  # fmt: skip
    return StoredVersion(
        project=project,
        rule=0,
        version=0,
        name=request.name.strip(),
        target=request.target,
        expression=request.expression.strip(),
        data_point=data_point,
        event_type=watched.event_type,
        asset=watched.asset,
        family=watched.family,
        window=window,
        window_member_scope=request.window_member_scope,
        window_meters=request.window_meters
        or choose_default_meters(request.target, request.window_member_scope),
        purpose=request.purpose,
        severity=request.severity,
        correction=correction,
        tables=tables,
        priority=request.priority,
        requires_approval=request.requires_approval,
        message=(request.message or "").strip() or None,
        evaluation=request.evaluation,
        effective_from=Instant.of(request.effective_from),
        effective_to=None if request.effective_to is None else Instant.of(request.effective_to),
    )


def problems_of_frame(request: RuleRecord) -> Iterator[Problem]:
    """The errors in the settings of a rule that do not affect its results."""
    if wrong := problem_of_name(request.name, "A rule", "name"):
        yield wrong
    yield from _choice("evaluation", request.evaluation, EVALUATIONS)
    start, end = request.effective_from, request.effective_to
    for name, moment in (("effective_from", start), ("effective_to", end)):
        try:
            if moment is not None:
                Instant.of(moment)
        except OverflowError:
            message = f"{name} is {moment}, which in UTC is outside the years 1 to 9999."
            yield Problem(message, name, "invalid")
            return
    if end is not None and Instant.of(end) <= Instant.of(start):
        message = "effective_to must be later than effective_from. Omit it for an open-ended rule."
        yield Problem(message, "effective_to", "invalid")


_CHOICES = frozenset({"target", "window_member_scope", "window_meters", "purpose", "severity"})
"""Fields without which nothing else can be checked."""


def _problems_of_kind(request: RuleRecord) -> Iterator[Problem]:
    yield from _choice("target", request.target, RuleTarget)
    yield from _choice("window_member_scope", request.window_member_scope, MemberScope)
    if request.window_meters is not None:
        yield from _choice("window_meters", request.window_meters, WindowMeters)
    yield from _choice("purpose", request.purpose, Purpose)
    yield from _choice("severity", request.severity, Severity)
    if request.severity == Severity.WARN and request.purpose != Purpose.ALERT:
        message = (
            f"severity is {request.severity!r}; what a rule corrects is no mere warning, so with the purpose "
            f"{request.purpose} it is {Severity.FAIL}."
        )
        yield Problem(message, "severity", "invalid")
    if not 1 <= request.priority <= PRIORITY_MAX:
        message = f"priority is {request.priority}; it takes a whole number from 1 to {PRIORITY_MAX:,}."
        yield Problem(message, "priority", "invalid")
    if request.requires_approval and request.purpose == Purpose.ALERT:
        message = "requires_approval is for a rule that corrects; this one alerts."
        yield Problem(message, "requires_approval", "invalid")
    if request.purpose in FILLS_GAPS and request.window is not None:
        message = "window belongs to no rule that fills gaps; each method of its correction has its own."
        yield Problem(message, "window", "invalid")
    yield from _wrong_meters_of_filling(request)
    if request.target == RuleTarget.MODEL_RUN:
        yield from _problems_of_model_rule(request)
    elif request.target == RuleTarget.DATA_POINT and request.model_id is not None:
        yield Problem("model_id is for a rule whose target is model_run.", "model_id", "invalid")


def _wrong_meters_of_filling(request: RuleRecord) -> Iterator[Problem]:
    """A rule of the scope project without a choice is stored with 'all', and 1.0.0 let one fill gaps."""
    is_usual = request.window_meters == choose_default_meters(request.target, request.window_member_scope)
    if request.purpose in FILLS_GAPS and request.window_meters == WindowMeters.ALL and not is_usual:
        message = (
            "window_meters is 'all'; a rule that fills gaps fills those of each meter from that meter's own "
            "values, so it takes 'own'."
        )
        yield Problem(message, "window_meters", "invalid")


def _problems_of_model_rule(request: RuleRecord) -> Iterator[Problem]:
    if request.model_id is None:
        message = "A rule whose target is model_run needs model_id: the model whose runs it watches."
        yield Problem(message, "model_id", "required")
    if request.window_meters == WindowMeters.OWN:
        message = "window_meters is 'own'; model runs are of no meter, so a rule on them takes 'all'."
        yield Problem(message, "window_meters", "invalid")
    for name in ("event_type_id", "asset_id", "data_point"):
        if getattr(request, name) is not None:
            yield Problem(f"{name} is for a rule whose target is data_point.", name, "invalid")
    if request.purpose != Purpose.ALERT:
        message = f"purpose is {request.purpose!r}; a rule whose target is model_run raises alerts only."
        yield Problem(message, "purpose", "invalid")


def _choice(name: str, value: str, allowed: tuple[str, ...] | type[str]) -> Iterator[Problem]:
    options = [str(option) for option in allowed]  # type: ignore[union-attr] # an enumeration lists its members
    if value not in options:
        yield Problem(f"{name} is {value!r}; allowed are {', '.join(options)}.", name, "invalid")


async def _watched_records(
    tx: Read, actor: Actor, project: int, request: RuleRecord, problems: list[Problem]
) -> _WatchedRecords | None:
    if request.target == RuleTarget.MODEL_RUN:
        family = await _read_family(tx, actor, project, request.model_id, problems)
        if family is None:
            return None
        return _WatchedRecords(None, None, family, {0: await vocabulary_of_family(tx, family)})
    vocabularies = await vocabularies_of_event_types(tx, project)
    asset = await _asset(tx, project, request.asset_id, problems)
    if request.event_type_id is None:
        return _WatchedRecords(None, asset, None, vocabularies)
    key = identity.parse("event_type", request.event_type_id)
    if key is None or key.project != project or key.key not in vocabularies:
        message = f"event_type_id is {request.event_type_id!r}, which is no event type of the project."
        problems.append(Problem(message, "event_type_id", "unknown"))
        return None
    return _WatchedRecords(key.key, asset, None, vocabularies)


async def _asset(tx: Read, project: int, asset_id: str | None, problems: list[Problem]) -> int | None:
    if asset_id is None:
        return None
    number = identity.number("asset", asset_id, project)
    if await tx.value("SELECT true FROM assets WHERE project_id = %s AND id = %s", (project, number)):
        return number
    message = f"asset_id is {asset_id!r}, which is no asset of the project."
    problems.append(Problem(message, "asset_id", "unknown"))
    return None


async def _read_family(
    tx: Read, actor: Actor, project: int, model_id: str | None, problems: list[Problem]
) -> int | None:
    if model_id is None:
        return None
    try:
        model = await find_owned_model(tx, actor, model_id)
    except NotFound:
        model = None
    if model is None or model.project not in {None, project}:
        message = f"model_id is {model_id!r}, which is no model that the project can run."
        problems.append(Problem(message, "model_id", "unknown"))
        return None
    return model.family


def _checked_data_point(
    rule: Rule, filling: GapFilling | None, watched: _WatchedRecords, request: RuleRecord
) -> tuple[str | None, list[Problem]]:
    """The data point that results are about, and what does not fit the records that the rule watches."""
    fitting, problems = _find_vocabularies(rule, watched)
    if not fitting or request.target != RuleTarget.DATA_POINT:
        return request.data_point, problems
    data_point, wrong = _data_point(rule, fitting, request.data_point)
    problems += wrong
    if data_point is not None:
        problems += _problems_of_calibration(rule, fitting, data_point)
    if data_point is not None:
        problems += _problems_of_correction(rule, watched, fitting, data_point)
    if data_point is not None and filling is not None:
        problems += _problems_of_filling(rule, filling, fitting, data_point, request.purpose)
        problems += check_operating_source(filling, watched.event_types)
    return data_point, problems


def _find_vocabularies(rule: Rule, watched: _WatchedRecords) -> tuple[list[Vocabulary], list[Problem]]:
    """The vocabularies that the rule can be evaluated with, or what keeps it from all of them."""
    every = list(watched.vocabularies.values())
    if watched.event_type is not None:
        own = watched.vocabularies[watched.event_type]
        problems = check_rule(rule, own, every)
        return ([] if problems else [own]), problems
    checks = [(vocabulary, check_rule(rule, vocabulary, every)) for vocabulary in every]
    fitting = [vocabulary for vocabulary, problems in checks if not problems]
    if fitting:
        return fitting, []
    if len(checks) == 1:
        return [], checks[0][1]
    if unknown := [name for name in rule.names if not rule.is_tag(name) and find_type(name, every) is None]:
        return [], [_known_nowhere(unknown, every)]
    message = (
        "The project has no event type whose data points satisfy the expression; "
        "name one with event_type_id to learn what does not fit."
    )
    return [], [Problem(message, "expression", "unknown")]


def _known_nowhere(unknown: Sequence[Name], every: Sequence[Vocabulary]) -> Problem:
    """The error for names that no event type of the project has: which they are, and which exist."""
    slugs = dict.fromkeys(slug for vocabulary in every for slug in vocabulary.types)
    has = f"they have {list_briefly(slugs)}" if slugs else "they have no data points yet"
    unknown_names = ", ".join(f"{{{{{text}}}}}" for text in dict.fromkeys(name.text for name in unknown))
    close = find_nearest(unknown[0].path[-1], slugs) if len(unknown) == 1 else None
    hint = f"; did you mean {{{{{close}}}}}?" if close else "."
    return Problem(f"No event type of the project has {unknown_names}; {has}{hint}", "expression", "unknown")


def _problems_of_calibration(rule: Rule, fitting: list[Vocabulary], data_point: str) -> Iterator[Problem]:
    """Why a rule cannot ask for the calibration of what measures its data point."""
    types = [vocabulary.types[data_point] for vocabulary in fitting if data_point in vocabulary.types]
    asks = asks_calibration(rule.tree, rule.where, rule.correction)
    if asks and all(type_.kind is not Kind.NUMBER for type_ in types):
        message = (
            f"data_point is {data_point!r}, which holds no numbers; the expression asks for the calibration "
            "of a meter, and a meter measures numbers."
        )
        yield Problem(message, "data_point", "invalid")


def _problems_of_correction(
    rule: Rule, watched: _WatchedRecords, fitting: list[Vocabulary], data_point: str
) -> list[Problem]:
    """Why the correction fits no event type that the rule watches; empty when it fits one."""
    every = list(watched.vocabularies.values())
    checks = [
        check_correction(rule, vocabulary, every, data_point)
        for vocabulary in fitting
        if data_point in vocabulary.types
    ]
    return [] if [] in checks else checks[0]


def _problems_of_filling(
    rule: Rule, filling: GapFilling, fitting: list[Vocabulary], data_point: str, purpose: str
) -> list[Problem]:
    """Why gaps can be filled in no event type that the rule watches; empty when it fits one."""
    if not rule.is_about_itself:
        message = (
            "The expression of a rule that fills gaps looks at one event by itself and has no aggregates; "
            f"it says which captured values do not count, such as {{{{{data_point}}}}} IS NULL, and slots "
            "without an event are gaps anyway."
        )
        return [Problem(message, "expression", "invalid")]
    checks = [
        _wrong_series(filling, vocabulary, data_point, purpose)
        for vocabulary in fitting
        if data_point in vocabulary.types
    ]
    return [] if [] in checks else checks[0]


def _wrong_series(
    filling: GapFilling, vocabulary: Vocabulary, data_point: str, purpose: str
) -> list[Problem]:
    if not vocabulary.has_cadence and purpose == Purpose.IMPUTE:
        message = f"A rule that imputes needs slots of a cadence, but {vocabulary.label} has none."
        return [Problem(message, "event_type_id", "invalid")]
    return check_filling(filling, vocabulary, data_point)


def _data_point(
    rule: Rule, fitting: list[Vocabulary], chosen_slug: str | None
) -> tuple[str | None, list[Problem]]:
    """The slug that a result points at: the first that the expression reads, unless one is named."""
    vocabulary = fitting[0]
    if chosen_slug is not None:
        if any(chosen_slug in fitting_vocabulary.types for fitting_vocabulary in fitting):
            return chosen_slug, []
        return None, [
            Problem(
                f"data_point is {chosen_slug!r}, which {vocabulary.label} has not.", "data_point", "unknown"
            )
        ]
    slugs = [vocabulary.slug_of(name) for name in rule.names if not rule.is_tag(name)]
    read = [slug for slug in slugs if slug is not None]
    if read:
        return read[0], []
    message = "The expression reads no data point; say with data_point which one the result is about."
    return None, [Problem(message, "data_point", "required")]
