"""A substitution is what a rule fills gaps by: ordered tiers of methods, and what may be at a gap's borders.

A slot of a meter's series needs a value when the meter was operating and neither a valid value was captured
nor a person gave one. The slots that need one between two borders are a gap, however many slots stand
between in which the meter was not operating. A border is a slot with a value of its own that `border_where`
holds for.

For each slot of a gap the first tier whose `when` is true says the method. `when` reads

    availability()  the share of operating slots with a valid captured value, from 0 to 1, unrounded: of the
                    last `availability_slots` up to the slot and with it, or of all so far
    gap_slots()     how many slots of the gap need a value; the same for each of them
    valid_slots()   how many slots before the gap had a valid captured value

A method says how the value of a gap's slot is found: fixed, from the borders, from a window, or computed.

    constant            a value that the rule names
    previous, next      the value of the border before or after the gap
    mean_before_after   the mean of both
    linear              on the straight line from one to the other, at the slot's start
    mean, median, minimum, maximum, percentile, mean_plus_sd
                        of the members of a window that ends at the slot
    greater_of, lesser_of
                        the largest or smallest of what several methods come to
    expression          computed from what else the slot's event holds

Invariants: a tier's number counts from 1; a condition that is undecided is not true, but a slot for which
`operating_where` is undecided, or that has no event to ask, was operating unless an outage was declared; a
percentile names its definition and a standard deviation its kind; a method never reads a value that a rule
put in; what `write_filling` writes reads to the same filling.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from weighbridge.core.expression import FUNCTIONS, Expression, Language
from weighbridge.core.expression.meaning import between
from weighbridge.core.expression.tree import FunctionCall
from weighbridge.core.quantity.number import CONTEXT, round_to
from weighbridge.core.rule.functions import PLAIN_FUNCTIONS, make_leaf
from weighbridge.core.rule.window import Window, write_window

_HUNDRED: Final = Decimal(100)


class BorderMethod(StrEnum):
    """What is found from the values that stand before and after a gap."""

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


class ExtremeMethod(StrEnum):
    """Which of several values is taken."""

    GREATER_OF = "greater_of"
    LESSER_OF = "lesser_of"


class Without(StrEnum):
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
    """A value that follows from what stands before and after the gap.

    Without a border before and no word for that there is no value.
    """

    method: BorderMethod
    without_after: "Without | SlotMethod" = Without.WAIT
    without_before: "Without | SlotMethod | None" = None


@dataclass(frozen=True, slots=True)
class LookBack:
    """The members that a statistic is taken of: those of a window that a condition holds for."""

    window: Window
    where: Expression | None = None


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


def parts_of(method: SlotMethod) -> Iterator[SlotMethod]:
    """A method and all those inside it."""
    yield method
    inner: tuple[object, ...] = ()
    match method:
        case FromBorders(without_after=after, without_before=before):
            inner = after, before
        case ExtremeOf(methods=methods):
            inner = methods
    for part in inner:
        if isinstance(part, SlotMethod):
            yield from parts_of(part)


_TURNED: Final = {
    WindowMethod.MINIMUM: WindowMethod.MAXIMUM,
    WindowMethod.MAXIMUM: WindowMethod.MINIMUM,
}
_OTHER: Final = {
    ExtremeMethod.GREATER_OF: ExtremeMethod.LESSER_OF,
    ExtremeMethod.LESSER_OF: ExtremeMethod.GREATER_OF,
}


def turned(method: SlotMethod) -> SlotMethod:
    """The method that errs as far low as this one errs high.

    A percentile p becomes 100 - p, a maximum a minimum, the greater of several the lesser, and what is added
    to a mean is taken from it; all else stays.
    """
    match method:
        case FromWindow(method=WindowMethod.PERCENTILE, p=Decimal() as p):
            return replace(method, p=CONTEXT.subtract(_HUNDRED, p))
        case FromWindow(method=WindowMethod.MEAN_PLUS_SD, factor=Decimal() as factor):
            return replace(method, factor=CONTEXT.minus(factor))
        case FromWindow(method=statistic):
            return replace(method, method=_TURNED.get(statistic, statistic))
        case ExtremeOf(method=extreme, methods=methods):
            return ExtremeOf(_OTHER[extreme], tuple(map(turned, methods)))
        case FromBorders(without_after=after, without_before=before):
            return replace(
                method,
                without_after=turned(after) if isinstance(after, SlotMethod) else after,
                without_before=turned(before) if isinstance(before, SlotMethod) else before,
            )
    return method


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


TIER_FUNCTIONS: Final = (
    make_leaf(
        "availability", "", between(0, 0),
        "The share of operating slots with a valid captured value, from 0 to 1.", "availability() >= 0.95",
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

_PLAIN: Final = {name: FUNCTIONS[name] for name in PLAIN_FUNCTIONS}

SLOT_LANGUAGE: Final = Language(_PLAIN)
"""The language of conditions on one slot, and of computed values."""

TIER_LANGUAGE: Final = Language({**_PLAIN, **{function.name: function for function in TIER_FUNCTIONS}})
"""The language of a tier's `when`."""


def write_filling(filling: GapFilling) -> dict[str, Any]:
    """How a rule fills gaps, as JSON; numbers are decimals."""
    written: dict[str, Any] = {}
    if filling.is_tiered:
        written["tiers"] = [_tier(tier) for tier in filling.tiers]
    else:
        written.update(_tier(filling.tiers[0]))
    rounding = filling.rounding
    rest = {
        "border_where": filling.border_text,
        "operating_where": filling.operating_text,
        "availability_slots": filling.availability_slots,
        "round": None if rounding is None else {"places": rounding.places, "mode": rounding.mode},
        "conservative": filling.conservative.value,
    }
    return written | {name: value for name, value in rest.items() if value is not None}


def _tier(tier: Tier) -> dict[str, Any]:
    head = {"when": tier.when_text, "code": tier.code}
    return {name: value for name, value in head.items() if value is not None} | write_method(tier.method)


def write_method(method: SlotMethod) -> dict[str, Any]:
    """A method as JSON, with all it takes."""
    written: dict[str, Any] = {"method": name_of(method)}
    match method:
        case FixedValue(value=value):
            written["value"] = value
        case Computed(text=text):
            written["expression"] = text
        case ExtremeOf(methods=methods):
            written["methods"] = [write_method(part) for part in methods]
        case FromBorders(method=kind, without_after=after, without_before=before):
            if kind is not BorderMethod.PREVIOUS:
                written["without_after"] = _without(after)
            if before is not None:
                written["without_before"] = _without(before)
        case FromWindow():
            written |= _from_window(method)
    return written


def _without(without: Without | SlotMethod) -> Any:
    return without.value if isinstance(without, Without) else write_method(without)


def _from_window(method: FromWindow) -> dict[str, Any]:
    fields = {
        "p": method.p,
        "definition": method.definition,
        "factor": method.factor,
        "deviation": None if method.deviation is None else method.deviation.value,
        "window": write_window(method.look_back.window),
    }
    return {name: value for name, value in fields.items() if value is not None}
