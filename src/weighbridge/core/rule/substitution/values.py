"""A series is what one meter was to deliver, slot after slot, and what it did deliver.

A series is made of what its meter delivered: the empty slots between take their places, and are out where
they are not expected of the meter. Every slot of the cadence that starts in the period is in the series; a
slot with several readings is in it once for each; memory holds one reading.

An example: an hourly meter read at 00:05 and 03:00, with an outage declared from 02:00 to 03:00, from
midnight to 05:00: slots that start at 00:05, 01:00, 02:00 (out), 03:00 and 04:00.

Invariants: the slots of a series come in order of time, each once; a slot's value is as it was captured (or
as a calibration adjusted it), or a person's, and never what a rule put in for it: so nothing that was
substituted can feed a window or be a border.

The result of a method for one slot of a gap.

Invariants: a value follows from the slot, its borders and the members of its windows alone; arithmetic is
exact until one rounding to 34 digits (two with a square root); what has no result is absent with a reason,
and never guessed.

An example: 300 before the gap, 310 after it, and the values 1 to 720 in the window. The mean of before and
after is 305, the 90th percentile by nearest rank 648, and the greater of both 648, found from 720 members.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, NamedTuple

from weighbridge.core.expression.functions import compute_average, compute_median
from weighbridge.core.expression.value import Element, Fault, Scalar
from weighbridge.core.halt import proceeding
from weighbridge.core.number import CONTEXT, EXACT, exact_total
from weighbridge.core.rule.definition import PERIODS
from weighbridge.core.rule.functions import compute_percentile
from weighbridge.core.rule.substitution.definition import (
    BorderMethod,
    Computed,
    DeviationKind,
    ExtremeMethod,
    ExtremeOf,
    FixedValue,
    FromBorders,
    FromWindow,
    MissingBorderPolicy,
    SlotMethod,
    ValueRounding,
    WindowMethod,
    name_of,
)
from weighbridge.core.rule.substitution.sources import (
    SourceReading,
    Sources,
    name_source,
    weigh_by_deviation,
    weigh_equally,
    weigh_rank,
    weigh_two,
)
from weighbridge.core.rule.substitution.windows import LookBack, write_look_back
from weighbridge.core.time.calendar import MILLISECOND, Interval, find_slot
from weighbridge.core.time.expectation import ExpectedCadence
from weighbridge.core.uncertainty.quantiles import find_coverage_factor
from weighbridge.core.uncertainty.statement import UncertaintyStatement, list_fields


class SeriesSlot(NamedTuple):
    """One slot; a tuple because a million are made of rows."""

    start: datetime
    """When its event starts, or the slot itself when it is empty."""
    value: Decimal | None = None
    is_valid: bool = False
    """Whether a value was captured for it, and is what it should be."""
    is_manual: bool = False
    """Whether the value is a person's."""
    is_out: bool = False
    """Whether it is not expected of the meter."""
    row: tuple[Scalar | None, ...] | None = None
    """What conditions read, in the order of the program's names; None when the slot is empty."""
    about: Any = None
    """What the caller wants back with the outcome."""
    key: int | None = None
    """What its reading is named by, where it has one."""

    @property
    def has_own(self) -> bool:
        """Whether it has a value that is not a rule's."""
        return self.value is not None and (self.is_valid or self.is_manual)


class Border(NamedTuple):
    """A value before or after a gap."""

    start: datetime
    value: Decimal
    key: int | None = None
    """What its reading is named by."""

    @property
    def reading(self) -> SourceReading:
        """It, as the source of a value."""
        return SourceReading(self.key, self.value)


class Absence(StrEnum):
    """Why a slot has no value yet."""

    PENDING_AFTER = "pending_after"
    NO_BEFORE = "no_before"
    NO_MEMBERS = "no_members"
    NO_TIER = "no_tier"
    NO_RESULT = "no_result"


class FoundValue(NamedTuple):
    """A value, with what gave it."""

    value: Decimal
    method: str
    members: int = 0
    """How many values it was found from."""
    look_back: LookBack | None = None
    """The window that they are in; None where it was found from none."""
    sources: Sources | None = None
    """The readings that it came from; None where it came from none, or from too many."""


class NoValue(NamedTuple):
    """No value, and why."""

    reason: Absence
    explanation: str


class SlotOutcome(NamedTuple):
    """What becomes of a slot that needs a value."""

    slot: SeriesSlot
    result: FoundValue | NoValue
    method: str | None
    """The method of the tier; `result.method` is the one of its parts that gave the value."""
    tier: int | None
    """Which tier it was, counted from 1."""
    code: str | None
    availability: Decimal | None
    """As far as a tier asks for it; None where none does, so that nothing depends on it."""
    gap_slots: int
    """How many slots of the whole gap need a value."""
    is_settled: bool
    """Whether the gap has ended; values in an open gap may change as it grows."""
    statement: UncertaintyStatement | None = None
    """What the tier states of the uncertainty of its values."""

    @property
    def value(self) -> Decimal | None:
        """The value, if there is one."""
        return self.result.value if isinstance(self.result, FoundValue) else None

    @property
    def is_missing(self) -> bool:
        """Whether nothing was captured, so that the value is imputed rather than substituted."""
        return self.slot.value is None


def list_series_slots(
    readings: Iterable[SeriesSlot], expected: ExpectedCadence, period: Interval
) -> Iterator[SeriesSlot]:
    """The series of a meter over a period, from its readings that start in it, in their order."""
    cadence = expected.cadence
    following = cadence.from_on(period.start)
    for reading in readings:
        number = cadence.holding(reading.start)
        yield from _list_empty_slots(range(following, number), expected)
        following = max(following, number + 1)
        yield reading if expected.hold(number) else reading._replace(is_out=True)
    last = cadence.holding(period.end - MILLISECOND) + 1 if period.start < period.end else following
    yield from _list_empty_slots(range(following, last), expected)


def _list_empty_slots(numbers: Iterable[int], expected: ExpectedCadence) -> Iterator[SeriesSlot]:
    for number in proceeding(numbers):
        yield SeriesSlot(expected.cadence.start(number), is_out=not expected.hold(number))


def write_outcome(outcome: SlotOutcome) -> dict[str, Any] | None:
    """How the value of a slot was found, as JSON: what a report lists hours by; None while it has none.

    `found_by` is the part of the method that gave the value; `availability` is null where no tier asks.
    """
    result = outcome.result
    if isinstance(result, NoValue):
        return None
    rest: dict[str, Any] = {}
    if outcome.statement is not None:
        rest = {"uncertainty": list_fields(outcome.statement)}
    elif result.sources is not None:
        rest = {"sources": result.sources.write()}
    return rest | {
        "method": outcome.method,
        "found_by": str(result.method),
        "tier": outcome.tier,
        "code": outcome.code,
        "window": None if result.look_back is None else write_look_back(result.look_back),
        "members_used": result.members,
        "availability": outcome.availability,
        "gap_slots": outcome.gap_slots,
    }


_ONE: Final = Decimal(1)
_TWO: Final = Decimal(2)
_HALF: Final = Decimal("0.5")

PENDING: Final = NoValue(Absence.PENDING_AFTER, "The gap has not ended; the value after it is still to come.")
"""What is said of a slot that waits for values behind its gap."""

NOT_ALIKE: Final = NoValue(
    Absence.NO_RESULT, "The event of the slot lacks a value that `same` of the window reads."
)
"""What is said of a slot of which it is not known what the members of its window have in common with it."""

_NO_BEFORE: Final = NoValue(Absence.NO_BEFORE, "There is no value before the gap.")
_NO_MEMBERS: Final = NoValue(Absence.NO_MEMBERS, "The window of the method holds no value.")


@dataclass(frozen=True, slots=True)
class MethodInputs:
    """What a method may look at for one slot."""

    slot: SeriesSlot
    before: Border | None
    after: Border | None
    from_window: Callable[[FromWindow], FoundValue | NoValue]
    computed: Callable[[Computed], Element]
    zone: tzinfo
    """That of the project's calendar."""


def compute_value(
    method: SlotMethod, inputs: MethodInputs, rounding: ValueRounding | None = None
) -> FoundValue | NoValue:
    """Return the method's result for a slot, rounded if required."""
    try:
        result = _compute_unrounded(method, inputs)
        if rounding is None or isinstance(result, NoValue):
            return result
        return result._replace(value=CONTEXT.plus(rounding.of(result.value)))
    except ArithmeticError:
        message = f"The method {name_of(method)} has no result for these numbers."
        return NoValue(Absence.NO_RESULT, message)


def _compute_unrounded(method: SlotMethod, inputs: MethodInputs) -> FoundValue | NoValue:
    match method:
        case FixedValue(value=value):
            return FoundValue(value, name_of(method))
        case FromBorders():
            return _compute_from_borders(method, inputs)
        case FromWindow(without_members=other):
            found = inputs.from_window(method)
            if other is None or found != _NO_MEMBERS:
                return found
            return _compute_unrounded(other, inputs)
        case ExtremeOf():
            return _compute_extreme(method, inputs)
        case Computed():
            return _compute_expression(method, inputs)


def _compute_from_borders(method: FromBorders, inputs: MethodInputs) -> FoundValue | NoValue:
    kind, before, after = method.method, inputs.before, _find_border_after(method, inputs)
    if before is None and kind is not BorderMethod.NEXT:
        return _replace_border_before(method, after, inputs)
    if after is None and kind is not BorderMethod.PREVIOUS:
        return _replace_border_after(method, inputs)
    match kind, before, after:
        case BorderMethod.PREVIOUS, Border(value=value) as before, _:
            return FoundValue(value, kind, 1, sources=name_source(before.reading))
        case BorderMethod.NEXT, _, Border(value=value) as after:
            return FoundValue(value, kind, 1, sources=name_source(after.reading))
        case BorderMethod.MEAN_BEFORE_AFTER, Border(), Border():
            sources = weigh_two(before.reading, after.reading, (_HALF, _HALF))
            return FoundValue(
                CONTEXT.divide(EXACT.add(before.value, after.value), _TWO), kind, 2, sources=sources
            )
        case BorderMethod.LINEAR, Border(), Border():
            return _interpolate(before, after, inputs.slot.start)
    raise AssertionError("a border that is not there was seen to before")


def _find_border_after(method: FromBorders, inputs: MethodInputs) -> Border | None:
    """The border after the gap, if it starts within the period that the method asks for."""
    if method.after_within is None or inputs.after is None:
        return inputs.after
    period = find_slot(PERIODS[method.after_within], inputs.slot.start, inputs.zone)
    return inputs.after if inputs.after.start < period.end else None


def _replace_border_before(
    method: FromBorders, after: Border | None, inputs: MethodInputs
) -> FoundValue | NoValue:
    match method.without_before:
        case None:
            return _NO_BEFORE
        case MissingBorderPolicy():
            if after is not None:
                sources = name_source(after.reading)
                return FoundValue(after.value, BorderMethod.NEXT, 1, sources=sources)
            return _replace_border_after(method, inputs)
        case other:
            return _compute_unrounded(other, inputs)


def _replace_border_after(method: FromBorders, inputs: MethodInputs) -> FoundValue | NoValue:
    match method.without_after:
        case MissingBorderPolicy.WAIT:
            return PENDING
        case MissingBorderPolicy():
            if inputs.before is None:
                return PENDING
            sources = name_source(inputs.before.reading)
            return FoundValue(inputs.before.value, BorderMethod.PREVIOUS, 1, sources=sources)
        case other:
            return _compute_unrounded(other, inputs)


def _interpolate(before: Border, after: Border, moment: datetime) -> FoundValue:
    """The value at a moment on the straight line between two borders, rounded once."""
    passed = Decimal((moment - before.start) // MILLISECOND)
    ahead = Decimal((after.start - moment) // MILLISECOND)
    weighted = EXACT.add(EXACT.multiply(before.value, ahead), EXACT.multiply(after.value, passed))
    whole = EXACT.add(passed, ahead)
    parts = CONTEXT.divide(ahead, whole), CONTEXT.divide(passed, whole)
    sources = weigh_two(before.reading, after.reading, parts)
    return FoundValue(CONTEXT.divide(weighted, whole), BorderMethod.LINEAR, 2, sources=sources)


def compute_window_statistic(
    method: FromWindow, values: Sequence[Decimal], keys: Sequence[int | None] = ()
) -> FoundValue | NoValue:
    """Return a method's result over the members of its window; raises ArithmeticError beyond the numbers.

    `keys` name the readings of the members, in their order.
    """
    if not values:
        return _NO_MEMBERS
    if _is_of_sample(method) and len(values) < 2:
        message = "A sample standard deviation takes two values; the window of the method holds one."
        return NoValue(Absence.NO_MEMBERS, message)
    value = _compute_statistic(method, values)
    sources = _weigh_members(method, value, values, keys) if keys else None
    return FoundValue(value, method.method, len(values), method.look_back, sources)


def _weigh_members(
    method: FromWindow, result: Decimal, values: Sequence[Decimal], keys: Sequence[int | None]
) -> Sources | None:
    """The readings that a statistic came from, with how fast it changes with each."""
    readings = list(map(SourceReading, keys, values))
    if method.method is WindowMethod.MEAN:
        return weigh_equally(readings)
    if method.method not in {WindowMethod.MEAN_PLUS_SD, WindowMethod.CONFIDENCE_LIMIT}:
        return weigh_rank(readings, result)
    is_sample = _is_of_sample(method)
    deviation = compute_standard_deviation(values, is_sample=is_sample)
    if not deviation:
        return weigh_equally(readings)
    divisor = EXACT.multiply(deviation, Decimal(len(values) - is_sample))
    rate = CONTEXT.divide(_find_factor(method, len(values)), CONTEXT.plus(divisor))
    return weigh_by_deviation(readings, compute_average(values), rate)


def _compute_statistic(method: FromWindow, values: Sequence[Decimal]) -> Decimal:
    match method:
        case FromWindow(method=WindowMethod.PERCENTILE, p=Decimal() as p, definition=str(definition)):
            return compute_percentile(sorted(values), p.scaleb(-2, EXACT), definition)
        case FromWindow(method=WindowMethod.MEAN_PLUS_SD | WindowMethod.CONFIDENCE_LIMIT):
            deviation = compute_standard_deviation(values, is_sample=_is_of_sample(method))
            factor = _find_factor(method, len(values))
            return CONTEXT.add(compute_average(values), EXACT.multiply(factor, deviation))
        case FromWindow(method=WindowMethod.MEAN):
            return compute_average(values)
        case FromWindow(method=WindowMethod.MEDIAN):
            return compute_median(values)
    return min(values) if method.method is WindowMethod.MINIMUM else max(values)


def _is_of_sample(method: FromWindow) -> bool:
    """Whether a method adds sample standard deviations to a mean."""
    return method.deviation is DeviationKind.SAMPLE or method.method is WindowMethod.CONFIDENCE_LIMIT


def _find_factor(method: FromWindow, count: int) -> Decimal:
    """How many standard deviations of so many values a method adds to their mean.

    A confidence limit of the mean lies t / sqrt(n) sample deviations from it, where t is that of Student's
    distribution with n - 1 degrees of freedom for a two-sided interval.
    """
    if method.confidence is None:
        assert method.factor is not None  # noqa: S101 - it was read
        return method.factor
    quantile = find_coverage_factor(method.confidence.scaleb(-2, EXACT), Decimal(count - 1))
    factor = CONTEXT.divide(quantile, CONTEXT.sqrt(Decimal(count)))
    return CONTEXT.minus(factor) if method.is_lower else factor


def compute_standard_deviation(values: Sequence[Decimal], *, is_sample: bool) -> Decimal:
    """The standard deviation of at least one value, of a sample at least two, from exact sums."""
    count = Decimal(len(values))
    total = exact_total(values)
    squares = exact_total(EXACT.multiply(value, value) for value in values)
    spread = EXACT.subtract(EXACT.multiply(count, squares), EXACT.multiply(total, total))
    divisor = EXACT.subtract(count, _ONE) if is_sample else count
    return CONTEXT.sqrt(CONTEXT.divide(spread, EXACT.multiply(count, divisor)))


def _compute_extreme(method: ExtremeOf, inputs: MethodInputs) -> FoundValue | NoValue:
    """The extreme of all of them; while one is absent there is none."""
    values: list[FoundValue] = []
    for part in method.methods:
        result = _compute_unrounded(part, inputs)
        if isinstance(result, NoValue):
            return result
        values.append(result)
    choose = max if method.method is ExtremeMethod.GREATER_OF else min
    return choose(values, key=lambda candidate: candidate.value)


def _compute_expression(method: Computed, inputs: MethodInputs) -> FoundValue | NoValue:
    match inputs.computed(method):
        case Decimal() as value:
            return FoundValue(value, name_of(method))
        case Fault(error=error):
            return NoValue(Absence.NO_RESULT, str(error))
    message = "The expression of the method has no result. A value that it reads is missing."
    return NoValue(Absence.NO_RESULT, message)
