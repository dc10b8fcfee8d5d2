"""A rule is an expression that says what is wrong: where it is true of a record, there is an alert.

A name stands for a value of the record: a data point by its slug, in braces `{{wet-mass}}` or bare with
underscores, a tag (`tracking_id feedstock asset location`), or a node of a model, `net_removal`,
`node."Net removal".net_removal`. Numbers are compared unconverted, in the unit of their data point type or
node. In an aggregate a name stands for the value of each member of the window. A rule that corrects has a
second expression, which says what the value becomes.

Missing values follow SQL's logic of three values: arithmetic with and comparison to a missing value is
missing; `and`, `or`, `not`, `in` and `between` give what holds whatever the missing value would be; a rule
whose expression comes out missing gives no alert. `is null` tests for it, `coalesce` replaces it. `or`, `and`
and `if` stop where they are decided, so the operands after that may have no result.

A correction defines the replacement of a value that the rule finds wrong. An adjustment is a calibration: an
expression in the language of rules, computed from what was captured, as far as no person corrected it, and
never from what a rule has written. So it does not compound, however often it is computed. A value that a
person corrected is left to the person. A rule that substitutes or imputes has another form of correction,
which `substitution` reads: how gaps of a meter's series are filled.

A record is what a rule evaluates and what its windows are made of: an event, or a model run. Records come in
the order of their start, end, tracking id, client reference and values; the values are in the order of the
rule's names, None where one is missing.

Invariants: a rule that `check_rule` has no problem with can be evaluated for every record of that
vocabulary; what goes wrong with a record then is an error of that record alone; what `read_correction` takes
is written back in one form, and the same captured values adjust to the same value.

A window says which members a rule's aggregates look at, seen from the record that is evaluated.

Members are in one order: start, end, tracking id, client reference, values. A rolling window ends at the
record: its members are before it in the order and start at most a duration earlier, or are the last so
many; the record itself is among them only with `include_current`. A calendar window is the period of the
project's calendar that holds the record's start, with as many periods before it as `value` says, up to the
record (`to_date`) or to the end of the period (`whole_period`); the record is always among them. A member
belongs where it starts. `where` leaves out members that it is not true for, `same` those for which it gives
something else than for the record, so that a rule looks at each lorry, supplier or grade by itself.

Invariants: a rolling window of an expression has a duration or a number of members, never both; where gaps
are filled it may have both, and holds the last so many that are no older; what a record's window holds
depends on the members and their order alone, never on when they arrived.

An example: deliveries on Tuesday 28 January, Thursday 30 January, Saturday 1 February and Monday 3 February
2025, all at noon. The window of the one on 1 February holds:

    {"kind": "rolling", "duration": {"value": 2, "unit": "day"}}                            | 30 Jan
    {"kind": "rolling", "duration": {"value": 2, "unit": "day"}, "include_current": true}   | 30 Jan, 1 Feb
    {"kind": "rolling", "members": 2}                                                       | 28 Jan, 30 Jan
    {"kind": "calendar", "unit": "week"}                                          | 28 Jan, 30 Jan, 1 Feb
    {"kind": "calendar", "unit": "month"}                                                   | 1 Feb
    {"kind": "calendar", "unit": "month", "extent": "whole_period"}                         | 1 Feb, 3 Feb
    {"kind": "calendar", "unit": "month", "value": 2}                             | 28 Jan, 30 Jan, 1 Feb
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, NamedTuple

from weighbridge.core.expression import Expression, Type
from weighbridge.core.expression.tree import FunctionCall, Name
from weighbridge.core.expression.value import Element, Fault, Scalar
from weighbridge.core.number import ZERO, NumberError, limit_number
from weighbridge.core.problem import Problem
from weighbridge.core.rule.tables import LookupTable
from weighbridge.core.time.calendar import MILLISECOND, Interval, find_slot
from weighbridge.core.time.expectation import MeterSlot

MEMBERS_MAX: Final = 10_000
"""Members that a rolling window may count."""

DURATION_DAYS_MAX: Final = 3_660
"""Days that a rolling window may reach back: ten years."""

PERIODS_MAX: Final = 120
"""Consecutive periods that a calendar window may hold."""

CLOCK_UNITS: Final = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
"""Units of clock time; a day is always 24 hours."""

PERIODS: Final = {
    "day": "daily",
    "week": "weekly",
    "month": "monthly",
    "quarter": "quarterly",
    "year": "annual",
}
"""Periods of the calendar, with the cadence that cuts them; a week begins on Monday."""

KINDS: Final = {"rolling": "rolling", "trailing": "rolling", "calendar": "calendar"}
"""The kinds of window as they may be spelled."""


class Extent(StrEnum):
    """How far a calendar window goes."""

    TO_DATE = "to_date"
    WHOLE_PERIOD = "whole_period"


@dataclass(frozen=True, slots=True)
class Rolling:
    """The members of the last stretch of clock time, or the last so many; with both, what is in both."""

    duration: timedelta | None = None
    members: int | None = None
    includes_current: bool = False
    where: str | None = None
    same: str | None = None


@dataclass(frozen=True, slots=True)
class Calendar:
    """The members of consecutive periods of the calendar."""

    unit: str
    value: int = 1
    extent: Extent = Extent.TO_DATE
    where: str | None = None
    same: str | None = None

    def period(self, moment: datetime, zone: tzinfo) -> Interval:
        """The period that holds the moment."""
        return find_slot(PERIODS[self.unit], moment, zone)

    def opening(self, period: Interval, zone: tzinfo) -> datetime:
        """The start of the first period of the window whose last period this is."""
        for _ in range(self.value - 1):
            period = self.period(period.start - MILLISECOND, zone)
        return period.start

    def closing(self, period: Interval, zone: tzinfo) -> datetime:
        """The end of the last period whose window still holds this one."""
        for _ in range(self.value - 1):
            period = self.period(period.end, zone)
        return period.end


Window = Rolling | Calendar


def find_affected(window: Window | None, changed: Interval, zone: tzinfo) -> Interval | None:
    """Where the records start whose result may change with a change there; None: all from its start on."""
    match window:
        case None:
            return changed
        case Rolling(duration=None):
            return None
        case Rolling(duration=duration):
            assert duration is not None  # noqa: S101 - the case before took the others
            return replace(changed, end=changed.end + duration)
        case Calendar():
            end = window.closing(window.period(changed.end, zone), zone)
            start = changed.start
            if window.extent is Extent.WHOLE_PERIOD:
                start = window.period(start, zone).start
            return Interval(start, end)


def reach(window: Window | None, first: datetime, zone: tzinfo) -> datetime | None:
    """Where the earliest member starts that the window of a record at `first` may hold; None: unknown."""
    match window:
        case None:
            return first
        case Rolling(duration=None):
            return None
        case Rolling(duration=duration):
            assert duration is not None  # noqa: S101 - the case before took the others
            return first - duration
        case Calendar():
            return window.opening(window.period(first, zone), zone)


class FieldReader:
    """Takes the fields of an object out of it, noting problems by their paths.

    What is taken once is gone, so the rest at the end is unknown. A reader never raises,
    and gives something of the right type in place of what is wrong.
    """

    def __init__(self, mapping: Mapping[str, Any], path: str, problems: list[Problem] | None = None) -> None:
        self.path = path
        self.problems: list[Problem] = [] if problems is None else problems
        self.given = dict(mapping)

    def take(self, name: str, default: Any = None) -> Any:
        return self.given.pop(name, default)

    def refuse(self, name: str, requirement: str) -> None:
        field = f"{self.path}.{name}"
        self.problems.append(Problem(f"{field} {requirement}.", field, "invalid"))

    def refuse_the_rest(self, owner: str) -> None:
        for name in self.given:
            self.refuse(name, owner)
        self.given.clear()

    def at(self, name: str, mapping: Any) -> "FieldReader | None":
        """A reader of an object inside this one."""
        if isinstance(mapping, Mapping):
            return FieldReader(mapping, f"{self.path}.{name}", self.problems)
        self.refuse(name, "is an object")
        return None

    def inside(self, name: str) -> "FieldReader | None":
        mapping = self.take(name)
        return None if mapping is None else self.at(name, mapping)

    def choice(self, name: str, allowed: Sequence[str], default: str | None = None) -> str:
        value = self.take(name)
        if value is None and default is not None:
            return default
        if isinstance(value, str) and value in allowed:
            return value
        self.refuse(name, f"is one of {', '.join(allowed)}")
        return allowed[0]

    def whole(self, name: str, most: int, *, least: int = 1, is_required: bool = False) -> int | None:
        value = self.take(name)
        if value is None and not is_required:
            return None
        return self.check_whole(name, value, most, least)

    def check_whole(self, name: str, value: Any, most: int, least: int = 1) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self.refuse(name, f"is a whole number from {least:,} to {most:,}")
        return None

    def number(self, name: str, least: Decimal | None = None, most: Decimal | None = None) -> Decimal:
        field_value = self.take(name)
        if isinstance(field_value, Decimal | int) and not isinstance(field_value, bool):
            try:
                value = limit_number(Decimal(field_value))
            except NumberError as error:
                self.refuse(name, f"is out of limits: {error}".removesuffix("."))
                return ZERO
            if (least is None or value >= least) and (most is None or value <= most):
                return value
        from_ = "" if least is None else f" from {least}"
        self.refuse(name, f"is a number{from_}{'' if most is None else f' to {most}'}")
        return ZERO


def read_window(
    mapping: Mapping[str, Any], path: str = "window", *, allows_both: bool = False
) -> tuple[Window | None, list[Problem]]:
    """Read a window as it is written in JSON; None with everything that is wrong with it.

    `allows_both` says whether a rolling window may have a duration and a number of members at once.
    """
    reader = FieldReader(mapping, path)
    kind = KINDS.get(str(reader.take("kind")))
    if kind is None:
        reader.refuse("kind", "is rolling, trailing or calendar")
        return None, reader.problems
    window = _read_calendar(reader) if kind == "calendar" else _read_rolling(reader, allows_both=allows_both)
    reader.refuse_the_rest(f"is no part of a {kind} window")
    return (None if reader.problems else window), reader.problems


def _read_rolling(reader: FieldReader, *, allows_both: bool) -> Rolling:
    members, duration = reader.take("members"), reader.take("duration")
    if duration is None and "value" in reader.given:
        duration = {"value": reader.take("value"), "unit": reader.take("unit")}
    bounds = [bound for bound in (members, duration) if bound is not None]
    if not bounds or (len(bounds) == 2 and not allows_both):
        choices = "or both" if allows_both else "one of them"
        reader.refuse("duration", f"or window.members says how far a rolling window reaches back, {choices}")
    includes_current = reader.take("include_current", default=False)
    if not isinstance(includes_current, bool):
        reader.refuse("include_current", "is true or false")
    return Rolling(
        None if duration is None else read_duration(reader, duration),
        None if members is None else reader.check_whole("members", members, MEMBERS_MAX),
        includes_current is True,
        read_where(reader),
        read_where(reader, "same"),
    )


def _read_calendar(reader: FieldReader) -> Calendar:
    unit, extent = reader.take("unit"), reader.take("extent", default=Extent.TO_DATE)
    if not isinstance(unit, str) or unit not in PERIODS:
        reader.refuse("unit", f"of a calendar window is one of {', '.join(PERIODS)}")
    if extent not in list(Extent):
        reader.refuse("extent", f"is {' or '.join(Extent)}")
        extent = Extent.TO_DATE
    value = reader.check_whole("value", reader.take("value", default=1), PERIODS_MAX)
    return Calendar(str(unit), value or 1, Extent(extent), read_where(reader), read_where(reader, "same"))


def read_duration(reader: FieldReader, value: Any) -> timedelta:
    """Read a stretch of clock time as it is written in JSON, noting what is wrong with it."""
    fields = dict(value) if isinstance(value, Mapping) else {}
    if {"value", "unit"} != fields.keys():
        reader.refuse("duration", f"has a value and a unit, one of {', '.join(CLOCK_UNITS)}")
        return timedelta()
    unit = CLOCK_UNITS.get(str(fields["unit"]))
    if unit is None:
        reader.refuse("duration.unit", f"is one of {', '.join(CLOCK_UNITS)}")
        return timedelta()
    most = timedelta(days=DURATION_DAYS_MAX) // unit
    return unit * (reader.check_whole("duration.value", fields["value"], most) or 1)


def read_where(reader: FieldReader, name: str = "where") -> str | None:
    """Take the text of an expression on members of a window: a condition, or what they have in common."""
    text = reader.take(name)
    if text is not None and (not isinstance(text, str) or not text.strip()):
        reader.refuse(name, "is an expression, as a text")
        return None
    return text


def write_window(window: Window) -> dict[str, Any]:
    """Write a window in the one form that it is answered and stored in."""
    match window:
        case Rolling(duration=duration, members=members):
            size: dict[str, Any] = {} if members is None else {"members": members}
            if duration is not None:
                size["duration"] = write_duration(duration)
            form = {"kind": "rolling", **size, "include_current": window.includes_current}
        case Calendar():
            form = {
                "kind": "calendar",
                "unit": window.unit,
                "value": window.value,
                "extent": str(window.extent),
            }
    conditions = {"where": window.where, "same": window.same}
    return form | {name: text for name, text in conditions.items() if text is not None}


def write_duration(duration: timedelta) -> dict[str, Any]:
    """Write a stretch of clock time in the largest unit that measures it."""
    unit, length = next(
        (unit, length) for unit, length in reversed(CLOCK_UNITS.items()) if not duration % length
    )
    return {"value": duration // length, "unit": unit}


class RuleTarget(StrEnum):
    """What a rule evaluates."""

    DATA_POINT = "data_point"
    MODEL_RUN = "model_run"


class MemberScope(StrEnum):
    """Which other records may be members of a record's window."""

    EVENT = "event"
    """None: only the record's own data."""
    LOCATION = "location"
    """Events of its event type at the same location."""
    EVENT_TYPE = "event_type"
    """Events of its event type; runs of its model."""
    PROJECT = "project"
    """All events of its project."""


class WindowMeters(StrEnum):
    """Whose records of its scope may be members of a record's window."""

    OWN = "own"
    """Those of the record's own meter: its asset, else its first location, else its event type."""
    ALL = "all"
    """Those of all meters together."""


def choose_default_meters(target: str, scope: str) -> WindowMeters:
    """The meters of a window that does not say which: each by itself, unless the scope is a whole project.

    Model runs are of no meter.
    """
    is_of_all = target == RuleTarget.MODEL_RUN or scope == MemberScope.PROJECT
    return WindowMeters.ALL if is_of_all else WindowMeters.OWN


TAGS: Final[Mapping[RuleTarget, tuple[str, ...]]] = {
    RuleTarget.DATA_POINT: ("tracking_id", "feedstock", "asset", "location"),
    RuleTarget.MODEL_RUN: ("tracking_id", "feedstock", "asset"),
}
"""Texts that records have in addition to their values."""

NODE: Final = "node"
"""The first part of a name that says which node is meant: node."Net removal".net_removal."""


def is_tag(name: Name, target: RuleTarget) -> bool:
    """Whether a name means a tag; in braces it means a data point."""
    return not name.is_verbatim and name.text in TAGS[target]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the records of one event type or model have: the types of their values by slug."""

    label: str
    types: Mapping[str, Type]
    node_names: Mapping[str, str] = field(default_factory=dict)
    has_cadence: bool = False
    event_type: str = ""
    """The slug of the event type; empty for a model."""

    def slug_of(self, name: Name) -> str | None:
        """Return the slug of a name, with hyphens and underscores alike; None if there is none."""
        text = name.text
        if len(name.path) > 1:
            head, *between, text = name.path
            if head != NODE or len(between) != 1 or self.node_names.get(text) != between[0]:
                return None
        spellings = (text, text.replace("_", "-"), text.replace("-", "_"))
        return next((spelling for spelling in spellings if spelling in self.types), None)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as it was read."""

    tree: Expression
    target: RuleTarget
    scope: MemberScope
    window: Window | None = None
    where: Expression | None = None
    """The condition of the window."""
    correction: Expression | None = None
    """What the value becomes that the rule is about; a rule that only alerts has none."""
    own: tuple[Name, ...] = ()
    """What is read of the record itself."""
    of_members: tuple[Name, ...] = ()
    """What is read of the members of its window."""
    aggregates: tuple[FunctionCall, ...] = ()
    tables: Mapping[str, LookupTable] = field(default_factory=dict)
    """What its expressions may look up."""
    same: Expression | None = None
    """What members of its window have in common with the record; None where all are members."""

    @property
    def names(self) -> tuple[Name, ...]:
        """Everything that is read, each once, in the order of a record's values."""
        return tuple(dict.fromkeys((*self.own, *self.of_members)))

    @property
    def is_about_itself(self) -> bool:
        """Whether no other record can change the result."""
        return not self.aggregates

    def is_tag(self, name: Name) -> bool:
        """Whether a name means a tag."""
        return is_tag(name, self.target)


class CalibrationSpan(NamedTuple):
    """The time for which a calibration of a meter holds."""

    start: datetime
    end: datetime | None
    """It holds before this moment; None where the certificate names no end."""
    as_found: Element = None
    """The error that it found; None where it says none."""
    drift: Element = None
    """By how much the meter has moved since the one before: what it found less what that one left."""
    next_drift: Element = None
    """The same of the next one; None as long as there is none."""


class Record(NamedTuple):
    """One event or model run; a tuple because hundreds of thousands are made of rows."""

    key: int
    start: datetime
    end: datetime
    created: datetime
    group: Hashable
    """Records of the same group are members of one another's windows."""
    slot: MeterSlot | None
    """The slot of its event type's cadence that it starts in, among those expected of its meter."""
    is_target: bool
    """Whether it is evaluated; else it is only a member."""
    values: tuple[Scalar | None, ...]
    about: Any = None
    """What the caller wants back with what is found."""
    calibration: CalibrationSpan | None = None
    """The latest calibration of its meter that had begun by its start, for the data point of the rule."""


class Purpose(StrEnum):
    """What a rule is for."""

    ALERT = "alert"
    ADJUST = "adjust"
    SUBSTITUTE = "substitute"
    """It puts other values in the place of captured ones that are not to count."""
    IMPUTE = "impute"
    """It makes events for slots of a cadence in which none came."""


class Severity(StrEnum):
    """How grave it is when a rule that alerts is true."""

    WARN = "warn"
    """A warning: it is shown and counted apart, and nothing waits for it."""
    FAIL = "fail"
    """An alert, which reports may be refused for."""


FILLS_GAPS: Final = frozenset({Purpose.SUBSTITUTE, Purpose.IMPUTE})
"""The purposes of rules that fill gaps of a meter's series."""


class Method(StrEnum):
    """How the value of a correction is found."""

    EXPRESSION = "expression"


FIELDS: Final[Mapping[Method, tuple[str, ...]]] = {Method.EXPRESSION: ("expression",)}
"""What each method takes, all of it required."""

METHODS: Final[Mapping[Purpose, tuple[Method, ...]]] = {
    Purpose.ALERT: (),
    Purpose.ADJUST: (Method.EXPRESSION,),
}
"""The methods of each purpose that fills no gaps."""

FIELD: Final = "correction"
CORRECTION_EXPRESSION: Final = f"{FIELD}.expression"


class AdjustedValue(NamedTuple):
    """What an adjustment comes to: another value, or why there is none; neither when nothing changes."""

    value: Scalar | None = None
    error: str | None = None


def read_correction(
    purpose: Purpose, mapping: Mapping[str, Any] | None
) -> tuple[dict[str, Any] | None, list[Problem]]:
    """Read the correction of a rule for a purpose: in its one form, with everything that is wrong with it."""
    if purpose is Purpose.ALERT:
        wrong = _build_problem("", "belongs to a rule that corrects; this one alerts")
        return None, [] if mapping is None else [wrong]
    if mapping is None:
        return None, [
            _build_problem("", f"says how a rule corrects whose purpose is {purpose}; it is missing")
        ]
    method = next((candidate for candidate in METHODS[purpose] if candidate == mapping.get("method")), None)
    if method is None:
        method_names = ", ".join(METHODS[purpose])
        return None, [
            _build_problem("method", f"of a rule whose purpose is {purpose} is one of {method_names}")
        ]
    problems = [
        _build_problem(name, f"is nothing that the method {method} takes")
        for name in mapping
        if name != "method" and name not in FIELDS[method]
    ]
    expression = mapping.get("expression")
    if not isinstance(expression, str) or not expression.strip():
        problems.append(_build_problem("expression", "is an expression, as a text"))
        return None, problems
    return {"method": method.value, "expression": expression.strip()}, problems


def find_expression(purpose: str, correction: Mapping[str, Any] | None) -> str | None:
    """The expression of an adjustment that was read; a rule of another purpose has none."""
    return correction["expression"] if correction is not None and purpose == Purpose.ADJUST else None


def apply_adjustment(captured: Scalar | None, computed: Element) -> AdjustedValue:
    """Return the adjusted value; a captured value of None is missing, or a person corrected it."""
    if captured is None:
        return AdjustedValue()
    if isinstance(computed, Fault):
        return AdjustedValue(error=f"The correction has no result. {computed.error}")
    if computed is None:
        return AdjustedValue(error="The correction has no result. A value that it reads is missing.")
    return AdjustedValue() if computed == captured else AdjustedValue(computed)


def _build_problem(name: str, requirement: str) -> Problem:
    field = f"{FIELD}.{name}" if name else FIELD
    return Problem(f"{field} {requirement}.", field, "invalid")
