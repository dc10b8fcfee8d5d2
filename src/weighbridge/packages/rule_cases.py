"""Cases of a package's rules: slots of a series, and what the rule comes to there, as it is evaluated.

A case lists the slots of one meter, run by run, and what it expects of some of them:

    name: a gap of 24 hours takes the mean of before and after
    source: cfr-75-d, 75.33(b)(1)
    slots:
      - {count: 7696, values: {so2: 300, quality: good}}
      - {count: 24}
      - {values: {so2: 310, quality: good}}
    expect:
      - {from: 7697, to: 7720, value: 305, code: "06"}

A run of slots without values has no events. `add` is what each next slot of a run has more than the one
before.

Invariants: reading never raises for what a case says; what a case comes to follows from the rule, the event
type and the case alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from weighbridge.core.expression import ExpressionError, Kind
from weighbridge.core.expression.tree import Name
from weighbridge.core.expression.value import Fault, Scalar
from weighbridge.core.model import DocumentFlaw
from weighbridge.core.model.definition import Scalar as SourceScalar
from weighbridge.core.model.definition import Source, SourceMapping, SourceMark, describe
from weighbridge.core.model.reading import Reader
from weighbridge.core.rule import Evaluation, Record, Rule, Vocabulary, compile_rule
from weighbridge.core.rule.definition import apply_adjustment
from weighbridge.core.rule.substitution import (
    GapFilling,
    NoValue,
    SeriesSlot,
    SlotOutcome,
    compile_filling,
    fill,
)
from weighbridge.core.time.calendar import CadenceSlots
from weighbridge.core.time.expectation import Expectation, ExpectedCadence, MeterSlot

CASES_MAX: Final = 50
"""Cases of one rule of a package."""

CASE_SLOTS_MAX: Final = 50_000
"""Slots of one case of a rule: five years of hours."""

CASE_KEYS: Final = ("name", "source", "event_type", "start", "slots", "expect")
"""The keys of a case."""

RUN_KEYS: Final = ("count", "values", "add", "operating")
"""The keys of slots that follow one another."""

EXPECT_KEYS: Final = ("slot", "from", "to", "value", "code", "absent", "alert")
"""The keys of what a case expects."""

LACKING: Final = "lacking"
"""Why a slot has no value whose event came without it, where the rule does not say `fill_lacking`."""

_BEGIN: Final = "2025-01-01T00:00:00Z"

_KINDS: Final = {Kind.NUMBER: Decimal, Kind.TEXT: str, Kind.TRUTH: bool}


@dataclass(frozen=True, slots=True)
class GivenSlots:
    """Slots one after another: how many, what their events hold, and by how much these numbers grow."""

    count: int
    values: Mapping[str, Scalar] | None
    """None where no event came."""
    add: Mapping[str, Decimal]
    is_operating: bool = True
    """What events of another type say of the meter, where the rule asks one."""


@dataclass(frozen=True, slots=True)
class ExpectedOutcome:
    """What a case expects of slots that follow one another, counted from 1."""

    first: int
    last: int
    outcome: Mapping[str, Scalar]
    mark: SourceMark


@dataclass(frozen=True, slots=True)
class RuleCase:
    """A worked series of a rule's source."""

    name: str
    source: str | None
    event_type: str | None
    start: datetime
    runs: tuple[GivenSlots, ...]
    expected: tuple[ExpectedOutcome, ...]
    mark: SourceMark


@dataclass(frozen=True, slots=True)
class CheckedRule:
    """A rule of a package as it was read, with the data point that it is about."""

    rule: Rule
    filling: GapFilling | None
    data_point: str


@dataclass(frozen=True, slots=True)
class RuleCaseResult:
    """What a case came to."""

    case: RuleCase
    flaws: tuple[DocumentFlaw, ...]

    @property
    def is_passed(self) -> bool:
        """Whether it came to all that it expects."""
        return not self.flaws


def read_rule_cases(source: Source | None, flaws: list[DocumentFlaw]) -> Iterator[RuleCase]:
    """Read the cases of a rule, noting what is wrong with them."""
    if source is None:
        return
    items = getattr(source, "items", None)
    if items is None or isinstance(source, SourceMapping):
        flaws.append(DocumentFlaw(f"cases must be a list; here is {describe(source)}.", source.mark))
        return
    if len(items) > CASES_MAX:
        flaws.append(
            DocumentFlaw(f"A rule has at most {CASES_MAX} cases; here are {len(items)}.", source.mark)
        )
    for index, item in enumerate(items[:CASES_MAX], 1):
        if not isinstance(item, SourceMapping):
            flaws.append(
                DocumentFlaw(f"Case {index} must be a mapping; here is {describe(item)}.", item.mark)
            )
            continue
        count = len(flaws)
        case = _read_case(Reader(item, f"case {index}", flaws))
        if len(flaws) == count:
            yield case


def _read_case(reader: Reader) -> RuleCase:
    reader.allow(CASE_KEYS)
    name = reader.text("name", is_required=True) or ""
    runs = tuple(_read_runs(reader))
    total = sum(run.count for run in runs)
    if total > CASE_SLOTS_MAX:
        reader.note(
            f"A case has at most {CASE_SLOTS_MAX:,} slots; here are {total:,}.", reader.mark_of("slots")
        )
    expected = tuple(_read_expected(reader, total))
    if reader.has("expect") and not expected:
        reader.note("a case expects something of at least one slot.", reader.mark_of("expect"))
    return RuleCase(
        name,
        reader.text("source"),
        reader.text("event_type"),
        _read_start(reader),
        runs,
        expected,
        reader.mark,
    )


def _read_start(reader: Reader) -> datetime:
    text = reader.text("start") or _BEGIN
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        reader.note(f"start is a moment such as {_BEGIN}; here is {text!r}.", reader.mark_of("start"))
        return datetime.fromisoformat(_BEGIN)


def _read_inner(reader: Reader, key: str) -> Iterator[Reader]:
    for index, item in enumerate(reader.items(key, is_required=True), 1):
        if isinstance(item, SourceMapping):
            yield Reader(item, f"entry {index} of {key}", reader.flaws)
        else:
            reader.note(f"Entry {index} of {key} must be a mapping; here is {describe(item)}.", item.mark)


def _read_runs(reader: Reader) -> Iterator[GivenSlots]:
    for inner in _read_inner(reader, "slots"):
        inner.allow(RUN_KEYS)
        count = inner.whole("count", least=1, most=CASE_SLOTS_MAX)
        values: dict[str, Scalar] | None = inner.each("values", _read_value) if inner.has("values") else None
        add = inner.each("add", inner.number_of)
        yield GivenSlots(count or 1, values, add, inner.truth("operating", default=True))


def _read_value(_key: str, source: Source) -> Scalar | None:
    return source.value if isinstance(source, SourceScalar) else None


def _read_expected(reader: Reader, total: int) -> Iterator[ExpectedOutcome]:
    for inner in _read_inner(reader, "expect"):
        inner.allow(EXPECT_KEYS)
        slot = inner.whole("slot", least=1, most=max(total, 1))
        first = slot or inner.whole("from", least=1, most=max(total, 1))
        last = slot or inner.whole("to", least=first or 1, most=max(total, 1)) or first
        outcome = {
            key: value
            for key in ("value", "code", "absent", "alert")
            if (source := inner.get(key)) is not None and (value := _read_value(key, source)) is not None
        }
        if first is None or last is None or not outcome:
            inner.note("an expectation has a slot, or from and to, and what is expected there", inner.mark)
            continue
        yield ExpectedOutcome(first, last, outcome, inner.mark)


def run_rule_case(
    checked: CheckedRule, case: RuleCase, vocabulary: Vocabulary, cadence: tuple[int, str] | None
) -> RuleCaseResult:
    """Compute a case, and say where it does not come to what it expects."""
    flaws = [*_check_values(case, vocabulary, checked)]
    if flaws:
        return RuleCaseResult(case, tuple(flaws))
    clock = CadenceSlots(*(cadence or (1, "hour")), UTC)
    try:
        found = _evaluate(checked, [*_list_slots(case, clock)], vocabulary, clock)
    except ExpressionError as error:
        message = f"The case {case.name!r} cannot be computed: {error.message}"
        return RuleCaseResult(case, (DocumentFlaw(message, case.mark),))
    return RuleCaseResult(case, tuple(_compare(case, found)))


def _check_values(case: RuleCase, vocabulary: Vocabulary, checked: CheckedRule) -> Iterator[DocumentFlaw]:
    tags = {name.text for name in checked.rule.names if checked.rule.is_tag(name)}
    for run in case.runs:
        for slug, value in (run.values or {}).items():
            kind = None if slug not in vocabulary.types else vocabulary.types[slug].kind
            if kind is None and slug not in tags:
                message = f"The case {case.name!r} gives {slug!r}, which {vocabulary.label} has not."
                yield DocumentFlaw(message, case.mark)
            elif kind is not None and not isinstance(value, _KINDS[kind]):
                message = f"The case {case.name!r} gives {slug!r} a value that is not {kind}."
                yield DocumentFlaw(message, case.mark)
        for slug in run.add:
            if not isinstance((run.values or {}).get(slug), Decimal):
                message = f"The case {case.name!r} adds to {slug!r}, which the run gives no number."
                yield DocumentFlaw(message, case.mark)


class _CaseSlot(NamedTuple):
    """A slot of a case."""

    number: int
    """Counted from 1."""
    start: datetime
    values: Mapping[str, Scalar] | None
    """What its event holds; None where none came."""
    is_operating: bool


def _list_slots(case: RuleCase, clock: CadenceSlots) -> Iterator[_CaseSlot]:
    number, first = 0, clock.holding(case.start)
    for run in case.runs:
        for place in range(run.count):
            values = run.values
            if values is not None and run.add:
                values = {**values, **dict(_grow(values, run.add, place))}
            yield _CaseSlot(number + 1, clock.start(first + number), values, run.is_operating)
            number += 1


def _grow(
    values: Mapping[str, Scalar], add: Mapping[str, Decimal], place: int
) -> Iterator[tuple[str, Scalar]]:
    for slug, step in add.items():
        value = values[slug]
        assert isinstance(value, Decimal)  # noqa: S101 - it was checked
        yield slug, value + step * place


def _evaluate(
    checked: CheckedRule, slots: Sequence[_CaseSlot], vocabulary: Vocabulary, clock: CadenceSlots
) -> Mapping[int, Mapping[str, Any]]:
    """What becomes of the slots, by number: their alert, value, code, or why they have no value."""
    program = compile_rule(checked.rule)
    expected = ExpectedCadence(clock, Expectation())

    def read(names: Sequence[Name], values: Mapping[str, Scalar]) -> tuple[Scalar | None, ...]:
        return tuple(
            values.get(name.text if checked.rule.is_tag(name) else vocabulary.slug_of(name) or "")
            for name in names
        )

    def build_record(number: int, start: datetime, values: Mapping[str, Scalar]) -> Record:
        slot = MeterSlot(clock.holding(start), expected)
        captured = values.get(checked.data_point)
        return Record(number, start, start, start, 0, slot, True, read(program.names, values), captured)  # noqa: FBT003 - positions of a row

    records = [build_record(one.number, one.start, one.values) for one in slots if one.values is not None]
    if checked.filling is None:
        evaluation = Evaluation(program, UTC)
        findings = [*evaluation.take(records), *evaluation.finish()]
        return {
            one.record.key: {
                "alert": True,
                "value": apply_adjustment(one.record.about, one.correction).value,
            }
            for one in findings
        }
    verdicts = {record.key: program.verdict(program.row(record)) for record in records}
    gaps = compile_filling(checked.filling)
    series = [
        _build_series_slot(
            one, verdicts.get(one.number), checked.data_point, read(gaps.names, one.values or {})
        )
        for one in slots
        if one.values is not None or vocabulary.has_cadence
    ]
    outcomes = {outcome.slot.about: _describe_outcome(outcome) for outcome in fill(gaps, series, UTC)}
    if not checked.filling.fills_lacking:
        outcomes.update(_list_lacking(slots, checked.data_point))
    return outcomes


def _list_lacking(slots: Sequence[_CaseSlot], data_point: str) -> Mapping[int, Mapping[str, Any]]:
    """The slots whose events came without the value: a rule that does not fill these leaves them without."""
    return {
        one.number: {"absent": LACKING}
        for one in slots
        if one.values is not None and data_point not in one.values
    }


def _build_series_slot(
    slot: _CaseSlot, verdict: Any, data_point: str, row: tuple[Scalar | None, ...]
) -> SeriesSlot:
    is_out = not slot.is_operating
    if slot.values is None:
        return SeriesSlot(slot.start, is_out=is_out, about=slot.number)
    value = slot.values.get(data_point)
    is_wrong = verdict is True or isinstance(verdict, Fault)
    number_value = value if isinstance(value, Decimal) else None
    is_valid = number_value is not None and not is_wrong
    return SeriesSlot(slot.start, number_value, is_valid=is_valid, is_out=is_out, row=row, about=slot.number)


def _describe_outcome(outcome: SlotOutcome) -> Mapping[str, Any]:
    result = outcome.result
    if isinstance(result, NoValue):
        return {"absent": result.reason.value, "code": outcome.code}
    return {"value": result.value, "code": outcome.code}


def _compare(case: RuleCase, found: Mapping[int, Mapping[str, Any]]) -> Iterator[DocumentFlaw]:
    """Say of each expectation the first slot that comes to something else."""
    for expected in case.expected:
        for key, value in expected.outcome.items():
            for number in range(expected.first, expected.last + 1):
                actual = found.get(number, {}).get(key, False if key == "alert" else None)
                if actual != value:
                    message = (
                        f"The case {case.name!r} expects the {key} {value} of slot {number:,}, which comes to"
                        f" {'nothing' if actual is None else actual}."
                    )
                    yield DocumentFlaw(message, expected.mark)
                    break
