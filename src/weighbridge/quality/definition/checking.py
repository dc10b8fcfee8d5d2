"""What a rule must be like to be stored or tried: everything that is wrong with one is found at once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from weighbridge.core.identity import ids
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.rule import (
    MemberScope,
    Rule,
    Target,
    Vocabulary,
    check_correction,
    check_rule,
    read_rule,
    write_window,
)
from weighbridge.core.rule.correction import Purpose, expression_of, read_correction
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid, NotFound
from weighbridge.modelling.versions.stored import owned_model
from weighbridge.quality.definition.vocabulary import vocabularies_of_event_types, vocabulary_of_family
from weighbridge.quality.rules.queries import StoredVersion
from weighbridge.quality.rules.records import EVALUATIONS, PRIORITY_MAX, NewRule


@dataclass(frozen=True, slots=True)
class _Scope:
    """What a rule watches: an event type, every event type, or a model."""

    event_type: int | None
    family: int | None
    vocabularies: Mapping[int, Vocabulary]


async def checked(
    tx: Read, actor: Actor, project: int, asked: NewRule, usual: str | None = None
) -> StoredVersion:
    """The rule as it would be stored, with no number yet; Invalid with everything that is wrong with it.

    Without a data point of its own it is about the usual one, when the expression reads it.
    """
    problems = [*problems_of_frame(asked), *_problems_of_kind(asked)]
    if any(problem.field in _CHOICES for problem in problems):
        raise Invalid(problems)
    scope = await _scope(tx, actor, project, asked, problems)
    correction, found = read_correction(Purpose(asked.purpose), asked.correction)
    problems += found
    rule, found = read_rule(
        asked.expression, asked.window, asked.window_member_scope, asked.target, expression_of(correction)
    )
    problems += found
    data_point = asked.data_point
    if rule is not None and scope is not None:
        fitting, found = _fitting(rule, scope)
        problems += found
        if fitting and asked.target == Target.DATA_POINT:
            data_point, found = _data_point(rule, fitting[0], asked.data_point, usual)
            problems += found
            if data_point is not None:
                problems += _problems_of_correction(rule, scope, fitting, data_point)
    if problems:
        raise Invalid(problems)
    assert rule is not None and scope is not None  # noqa: S101, PT018 - their problems were raised
    return StoredVersion(
        project=project,
        rule=0,
        version=0,
        name=asked.name.strip(),
        target=asked.target,
        expression=asked.expression.strip(),
        data_point=data_point,
        event_type=scope.event_type,
        family=scope.family,
        window=None if rule.window is None else write_window(rule.window),
        window_member_scope=asked.window_member_scope,
        purpose=asked.purpose,
        correction=correction,
        priority=asked.priority,
        requires_approval=asked.requires_approval,
        message=(asked.message or "").strip() or None,
        evaluation=asked.evaluation,
        effective_from=Instant.of(asked.effective_from),
        effective_to=None if asked.effective_to is None else Instant.of(asked.effective_to),
    )


def problems_of_frame(asked: NewRule) -> Iterator[Problem]:
    """What is wrong with what surrounds a rule and decides no result."""
    if wrong := problem_of_name(asked.name, "A rule", "name"):
        yield wrong
    yield from _choice("evaluation", asked.evaluation, EVALUATIONS)
    start, end = asked.effective_from, asked.effective_to
    for name, moment in (("effective_from", start), ("effective_to", end)):
        try:
            if moment is not None:
                Instant.of(moment)
        except OverflowError:
            said = f"{name} is {moment}, which in UTC is outside the years 1 to 9999."
            yield Problem(said, name, "invalid")
            return
    if end is not None and Instant.of(end) <= Instant.of(start):
        said = "effective_to is not behind effective_from; leave it out when the rule goes on."
        yield Problem(said, "effective_to", "invalid")


_CHOICES = frozenset({"target", "window_member_scope", "purpose"})
"""Fields without which nothing else can be checked."""


def _problems_of_kind(asked: NewRule) -> Iterator[Problem]:
    yield from _choice("target", asked.target, Target)
    yield from _choice("window_member_scope", asked.window_member_scope, MemberScope)
    yield from _choice("purpose", asked.purpose, Purpose)
    if not 1 <= asked.priority <= PRIORITY_MAX:
        said = f"priority is {asked.priority}; it takes a whole number from 1 to {PRIORITY_MAX:,}."
        yield Problem(said, "priority", "invalid")
    if asked.requires_approval and asked.purpose == Purpose.ALERT:
        said = "requires_approval is for a rule that corrects; this one alerts."
        yield Problem(said, "requires_approval", "invalid")
    if asked.target == Target.MODEL_RUN:
        yield from _problems_of_model_rule(asked)
    elif asked.target == Target.DATA_POINT and asked.model_id is not None:
        yield Problem("model_id is for a rule whose target is model_run.", "model_id", "invalid")


def _problems_of_model_rule(asked: NewRule) -> Iterator[Problem]:
    if asked.model_id is None:
        said = "A rule whose target is model_run needs model_id: the model whose runs it watches."
        yield Problem(said, "model_id", "required")
    for name in ("event_type_id", "data_point"):
        if getattr(asked, name) is not None:
            yield Problem(f"{name} is for a rule whose target is data_point.", name, "invalid")
    if asked.purpose != Purpose.ALERT:
        said = f"purpose is {asked.purpose!r}; a rule whose target is model_run raises alerts only."
        yield Problem(said, "purpose", "invalid")


def _choice(name: str, value: str, allowed: tuple[str, ...] | type[str]) -> Iterator[Problem]:
    options = [str(option) for option in allowed]  # type: ignore[union-attr] # an enumeration lists its members
    if value not in options:
        yield Problem(f"{name} is {value!r}; allowed are {', '.join(options)}.", name, "invalid")


async def _scope(
    tx: Read, actor: Actor, project: int, asked: NewRule, problems: list[Problem]
) -> _Scope | None:
    if asked.target == Target.MODEL_RUN:
        family = await _family(tx, actor, project, asked.model_id, problems)
        if family is None:
            return None
        return _Scope(None, family, {0: await vocabulary_of_family(tx, family)})
    vocabularies = await vocabularies_of_event_types(tx, project)
    if asked.event_type_id is None:
        return _Scope(None, None, vocabularies)
    key = ids.parse("event_type", asked.event_type_id)
    if key is None or key.project != project or key.key not in vocabularies:
        said = f"event_type_id is {asked.event_type_id!r}, which is no event type of the project."
        problems.append(Problem(said, "event_type_id", "unknown"))
        return None
    return _Scope(key.key, None, vocabularies)


async def _family(
    tx: Read, actor: Actor, project: int, named: str | None, problems: list[Problem]
) -> int | None:
    if named is None:
        return None
    try:
        kept = await owned_model(tx, actor, named)
    except NotFound:
        kept = None
    if kept is None or kept.project not in {None, project}:
        said = f"model_id is {named!r}, which is no model that the project can run."
        problems.append(Problem(said, "model_id", "unknown"))
        return None
    return kept.family


def _fitting(rule: Rule, scope: _Scope) -> tuple[list[Vocabulary], list[Problem]]:
    """The vocabularies that the rule can be evaluated with, or what keeps it from all of them."""
    every = list(scope.vocabularies.values())
    if scope.event_type is not None:
        own = scope.vocabularies[scope.event_type]
        problems = check_rule(rule, own, every)
        return ([] if problems else [own]), problems
    found = [(one, check_rule(rule, one, every)) for one in every]
    fitting = [one for one, problems in found if not problems]
    if fitting:
        return fitting, []
    if len(found) == 1:
        return [], found[0][1]
    said = (
        "The project has no event type whose data points satisfy the expression; "
        "name one with event_type_id to learn what does not fit."
    )
    return [], [Problem(said, "expression", "unknown")]


def _problems_of_correction(
    rule: Rule, scope: _Scope, fitting: list[Vocabulary], data_point: str
) -> list[Problem]:
    """What keeps the correction from every event type that the rule watches; none when it fits one."""
    every = list(scope.vocabularies.values())
    found = [check_correction(rule, one, every, data_point) for one in fitting if data_point in one.types]
    return [] if [] in found else found[0]


def _data_point(
    rule: Rule, vocabulary: Vocabulary, named: str | None, usual: str | None
) -> tuple[str | None, list[Problem]]:
    """The slug that a result points at: the first that the expression reads, unless it is said."""
    if named is not None:
        if named in vocabulary.types:
            return named, []
        return None, [
            Problem(f"data_point is {named!r}, which {vocabulary.label} has not.", "data_point", "unknown")
        ]
    found = [vocabulary.slug_of(name) for name in rule.names if not rule.is_tag(name)]
    read = [slug for slug in found if slug is not None]
    if usual in read:
        return usual, []
    if read:
        return read[0], []
    said = "The expression reads no data point; say with data_point which one the result is about."
    return None, [Problem(said, "data_point", "required")]
