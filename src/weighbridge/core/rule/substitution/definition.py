"""A substitution defines how a rule fills gaps: ordered tiers of methods, and the conditions for the borders.

A slot of a meter's series needs a value if the meter was operating and there is neither a valid captured
value nor a value from a person. The slots between two borders that need a value are a gap, with any number of
slots between them in which the meter was not operating. A border is a slot with a value of its own for which
`border_where` is true.

For each slot of a gap, the first tier whose `when` is true gives the method. `when` reads

    availability()  the share of operating slots with a valid captured value, from 0 to 1, unrounded: of the
                    last `availability_slots` up to the slot and with it, or of all so far
    availability(year)  the same of the whole calendar year that holds the slot; so with the other periods
    gap_slots()     how many slots of the gap need a value; the same for each of them
    valid_slots()   how many slots before the gap had a valid captured value

A method says how the value of a gap's slot is found: fixed, from the borders, from a window, or computed.

    constant            a value that the rule names
    previous, next      the value of the border before or after the gap
    mean_before_after   the mean of both
    linear              on the straight line from one to the other, at the slot's start
    mean, median, minimum, maximum, percentile, mean_plus_sd
                        of the members of a window that ends at the slot, or around the gap (`windows`)
    confidence_limit    the upper limit of the confidence interval of the mean of such members
    greater_of, lesser_of
                        the largest or smallest of what several methods come to
    expression          computed from what else the slot's event holds

Invariants: a tier's number counts from 1; a condition that is undecided is not true, but a slot for which
`operating_where` is undecided, or that has no event to ask, was operating unless an outage was declared; a
slot during which all events of `operating_from` say that the meter was not, was not; a
percentile names its definition and a standard deviation its kind; a method never reads a value that a rule
put in; what `write_filling` writes reads to the same filling.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from weighbridge.core.expression import FUNCTIONS, Expression, Language
from weighbridge.core.expression.meaning import between
from weighbridge.core.expression.tree import FunctionCall, Word
from weighbridge.core.number import CONTEXT, round_to
from weighbridge.core.rule.definition import PERIODS
from weighbridge.core.rule.facts import make_leaf
from weighbridge.core.rule.functions import PLAIN_FUNCTIONS
from weighbridge.core.rule.substitution.windows import LookBack, write_look_back
from weighbridge.core.uncertainty.statement import UncertaintyStatement, list_fields

_HUNDRED: Final = Decimal(100)


class BorderMethod(StrEnum):
    """Methods that use the values before and after a gap."""

    PREVIOUS = "previous"
    NEXT = "next"
    MEAN_BEFORE_AFTER = "mean_before_after"
    LINEAR = "linear"


class WindowMethod(StrEnum):
    """What is found from the members of a window."""

    MEAN = "mean"
    MEDIAN = "median"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    PERCENTILE = "percentile"
    MEAN_PLUS_SD = "mean_plus_sd"
    CONFIDENCE_LIMIT = "confidence_limit"


class ExtremeMethod(StrEnum):
    """Which of several values is taken."""

    GREATER_OF = "greater_of"
    LESSER_OF = "lesser_of"


class MissingBorderPolicy(StrEnum):
    """What becomes of a slot whose gap has no border on one side."""

    WAIT = "wait"
    """It waits until there is one after."""
    BEFORE = "before"
    """It has the value of the border before."""
    FIRST_AFTER = "first_after"
    """It has the value of the border after."""


class DeviationKind(StrEnum):
    """Which standard deviation: divided by one less than there are values, or by as many."""

    SAMPLE = "sample"
    POPULATION = "population"


class Conservative(StrEnum):
    """On which side a substitute is to err."""

    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class FixedValue:
    """A value that the rule names."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class FromBorders:
    """A value that follows from the borders of the gap.

    Without a border before and no word for that there is no value.
    """

    method: BorderMethod
    without_after: "MissingBorderPolicy | SlotMethod" = MissingBorderPolicy.WAIT
    without_before: "MissingBorderPolicy | SlotMethod | None" = None
    after_within: str | None = None
    """The period of the calendar, that of the slot, in which a border after has to start to be one."""


@dataclass(frozen=True, slots=True)
class FromWindow:
    """A statistic of the members of a window."""

    method: WindowMethod
    look_back: LookBack
    p: Decimal | None = None
    """Of a percentile, from 0 to 100."""
    definition: str | None = None
    """Of a percentile."""
    factor: Decimal | None = None
    """How many standard deviations are added to the mean."""
    deviation: DeviationKind | None = None
    confidence: Decimal | None = None
    """Of a confidence limit: the share of its interval, in percent, above 0 and below 100."""
    is_lower: bool = False
    """Of a confidence limit: whether it is the lower one."""
    without_members: "SlotMethod | None" = None
    """What is taken where the window holds no value; without it there is none."""


@dataclass(frozen=True, slots=True)
class ExtremeOf:
    """The largest or smallest of what several methods come to."""

    method: ExtremeMethod
    methods: "tuple[SlotMethod, ...]"


@dataclass(frozen=True, slots=True)
class Computed:
    """A value computed from what else the slot's event holds."""

    expression: Expression
    text: str


SlotMethod = FixedValue | FromBorders | FromWindow | ExtremeOf | Computed
"""How the value of a slot is found."""


def name_of(method: SlotMethod) -> str:
    """The word by which a method is written."""
    match method:
        case FixedValue():
            return "constant"
        case Computed():
            return "expression"
        case _:
            return method.method.value


def list_parts(method: SlotMethod) -> Iterator[SlotMethod]:
    """A method and all those inside it."""
    yield method
    inner: tuple[object, ...] = ()
    match method:
        case FromBorders(without_after=after, without_before=before):
            inner = after, before
        case FromWindow(without_members=other):
            inner = (other,)
        case ExtremeOf(methods=methods):
            inner = methods
    for part in inner:
        if isinstance(part, SlotMethod):
            yield from list_parts(part)


_TURNED: Final = {
    WindowMethod.MINIMUM: WindowMethod.MAXIMUM,
    WindowMethod.MAXIMUM: WindowMethod.MINIMUM,
}
_OTHER: Final = {
    ExtremeMethod.GREATER_OF: ExtremeMethod.LESSER_OF,
    ExtremeMethod.LESSER_OF: ExtremeMethod.GREATER_OF,
}


def mirror_method(method: SlotMethod) -> SlotMethod:
    """The method that errs as far low as this one errs high.

    A percentile p becomes 100 - p, a maximum a minimum, an upper limit a lower one, the greater of several
    the lesser, and what is added to a mean is taken from it; all else stays.
    """
    match method:
        case FromWindow(without_members=other):
            mirrored = _mirror_statistic(method)
            return mirrored if other is None else replace(mirrored, without_members=mirror_method(other))
        case ExtremeOf(method=extreme, methods=methods):
            return ExtremeOf(_OTHER[extreme], tuple(map(mirror_method, methods)))
        case FromBorders(without_after=after, without_before=before):
            return replace(
                method,
                without_after=mirror_method(after) if isinstance(after, SlotMethod) else after,
                without_before=mirror_method(before) if isinstance(before, SlotMethod) else before,
            )
    return method


def _mirror_statistic(method: FromWindow) -> FromWindow:
    match method:
        case FromWindow(method=WindowMethod.PERCENTILE, p=Decimal() as p):
            return replace(method, p=CONTEXT.subtract(_HUNDRED, p))
        case FromWindow(method=WindowMethod.MEAN_PLUS_SD, factor=Decimal() as factor):
            return replace(method, factor=CONTEXT.minus(factor))
        case FromWindow(method=WindowMethod.CONFIDENCE_LIMIT):
            return replace(method, is_lower=not method.is_lower)
    return replace(method, method=_TURNED.get(method.method, method.method))


ROUNDINGS: Final = ("half_up", "half_even")
"""How a value in the middle is rounded: away from zero, or to the even digit."""


@dataclass(frozen=True, slots=True)
class ValueRounding:
    """To how many places after the point values are rounded (before it when negative), and which way."""

    places: int
    mode: str

    def of(self, value: Decimal) -> Decimal:
        """The value, rounded."""
        return round_to(value, self.places, self.mode)


@dataclass(frozen=True, slots=True)
class Tier:
    """A method, when it is taken, and the code by which a regime knows it."""

    method: SlotMethod
    when: Expression | None = None
    """Without one it is always taken."""
    when_text: str | None = None
    code: str | None = None
    statement: UncertaintyStatement | None = None
    """How well its values are known; without it they are as well known as their sources."""


@dataclass(frozen=True, slots=True)
class OperatingSource:
    """Events of another type that say whether a meter was operating while they lasted."""

    event_type: str
    """The slug of their event type."""
    where: Expression
    """What is true of an event in whose time the meter was operating."""
    where_text: str


@dataclass(frozen=True, slots=True)
class GapFilling:
    """How a rule fills gaps, as it was read."""

    tiers: tuple[Tier, ...]
    border_where: Expression | None = None
    border_text: str | None = None
    operating_where: Expression | None = None
    operating_text: str | None = None
    availability_slots: int | None = None
    """Over how many operating slots availability is taken; None: over all so far."""
    rounding: ValueRounding | None = None
    conservative: Conservative = Conservative.HIGH
    is_tiered: bool = True
    """Whether it was written with tiers, and not as a single method."""
    operating_from: OperatingSource | None = None
    fills_to_end: bool = False
    """Whether the slots behind the last event of a meter are a gap, up to the end of the rule's time."""
    fills_lacking: bool = False
    """Whether values that received events lack are filled, too; those of rolled-up events always may be."""


TIER_FUNCTIONS: Final = (
    make_leaf(
        "availability", "period", between(0, 1),
        "The share of operating slots with a valid captured value, from 0 to 1: up to the slot, or of the"
        f" whole period of the calendar that holds it ({', '.join(PERIODS)}).",
        "availability() >= 0.95", 0,
    ),
    make_leaf(
        "gap_slots", "", between(0, 0), "How many slots of the whole gap need a value.", "gap_slots() <= 24"
    ),
    make_leaf(
        "valid_slots", "", between(0, 0), "How many slots before the gap had a valid captured value.",
        "valid_slots() > 720",
    ),
)  # fmt: skip
"""What a tier's `when` may look at."""

TIER_CALLS: Final = tuple(FunctionCall(function.name, ()) for function in TIER_FUNCTIONS)
AVAILABILITY, GAP_SLOTS, VALID_SLOTS = TIER_CALLS

PERIOD_CALLS: Final = {unit: FunctionCall(AVAILABILITY.function, (Word(unit),)) for unit in PERIODS}
"""Availability of the whole period that holds a slot."""

_PLAIN: Final = {name: FUNCTIONS[name] for name in PLAIN_FUNCTIONS}

SLOT_LANGUAGE: Final = Language(_PLAIN)
"""The language of conditions on one slot, and of computed values."""

TIER_LANGUAGE: Final = Language({**_PLAIN, **{function.name: function for function in TIER_FUNCTIONS}})
"""The language of a tier's `when`."""


def write_filling(filling: GapFilling) -> dict[str, Any]:
    """How a rule fills gaps, as JSON; numbers are decimals."""
    document: dict[str, Any] = {}
    if filling.is_tiered:
        document["tiers"] = [_write_tier(tier) for tier in filling.tiers]
    else:
        document.update(_write_tier(filling.tiers[0]))
    rounding = filling.rounding
    options = {
        "border_where": filling.border_text,
        "operating_where": filling.operating_text,
        "operating_from": None
        if filling.operating_from is None
        else {
            "event_type": filling.operating_from.event_type,
            "where": filling.operating_from.where_text,
        },
        "availability_slots": filling.availability_slots,
        "round": None if rounding is None else {"places": rounding.places, "mode": rounding.mode},
        "conservative": filling.conservative.value,
        "fill_to_end": True if filling.fills_to_end else None,
        "fill_lacking": True if filling.fills_lacking else None,
    }
    return document | {name: value for name, value in options.items() if value is not None}


def _write_tier(tier: Tier) -> dict[str, Any]:
    stated = None if tier.statement is None else list_fields(tier.statement)
    head = {"when": tier.when_text, "code": tier.code, "uncertainty": stated}
    return {name: value for name, value in head.items() if value is not None} | write_method(tier.method)


def write_method(method: SlotMethod) -> dict[str, Any]:
    """A method as JSON, with all it takes."""
    document: dict[str, Any] = {"method": name_of(method)}
    match method:
        case FixedValue(value=value):
            document["value"] = value
        case Computed(text=text):
            document["expression"] = text
        case ExtremeOf(methods=methods):
            document["methods"] = [write_method(part) for part in methods]
        case FromBorders(method=kind, without_after=after, without_before=before):
            if kind is not BorderMethod.PREVIOUS:
                document["without_after"] = _write_without(after)
            if before is not None:
                document["without_before"] = _write_without(before)
            if method.after_within is not None:
                document["after_within"] = method.after_within
        case FromWindow():
            document |= _write_from_window(method)
    return document


def _write_without(policy: MissingBorderPolicy | SlotMethod) -> Any:
    return policy.value if isinstance(policy, MissingBorderPolicy) else write_method(policy)


def _write_from_window(method: FromWindow) -> dict[str, Any]:
    fields = {
        "p": method.p,
        "definition": method.definition,
        "factor": method.factor,
        "deviation": None if method.deviation is None else method.deviation.value,
        "confidence": method.confidence,
        "window": write_look_back(method.look_back),
        "without_members": None if method.without_members is None else write_method(method.without_members),
    }
    return {name: value for name, value in fields.items() if value is not None}


TIERS_MAX: Final = 20
"""Tiers that a rule may carry."""

METHODS_MAX: Final = 5
"""Methods that `greater_of` and `lesser_of` may choose from."""

DEPTH_MAX: Final = 3
"""How deeply methods may be nested."""

AVAILABILITY_SLOTS_MAX: Final = 1_000_000
"""Slots that availability may be taken over: more than a year of minutes."""

CODE_LENGTH_MAX: Final = 40
"""Characters of the code by which a regime knows a tier."""

METHOD_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "constant": ("value",),
    BorderMethod.PREVIOUS.value: ("without_before",),
    BorderMethod.NEXT.value: ("without_after", "after_within"),
    BorderMethod.MEAN_BEFORE_AFTER.value: ("without_after", "without_before", "after_within"),
    BorderMethod.LINEAR.value: ("without_after", "without_before", "after_within"),
    **{method.value: ("window", "without_members") for method in WindowMethod},
    WindowMethod.PERCENTILE.value: ("window", "p", "definition", "without_members"),
    WindowMethod.MEAN_PLUS_SD.value: ("window", "factor", "deviation", "without_members"),
    WindowMethod.CONFIDENCE_LIMIT.value: ("window", "confidence", "without_members"),
    **{method.value: ("methods",) for method in ExtremeMethod},
    "expression": ("expression",),
}
"""The fields that each method may have, in addition to its name."""

METHOD_NAMES: Final = tuple(METHOD_FIELDS)
"""Every method, as it is written."""
