"""A method says how the value of a gap's slot is found: fixed, from the borders, from a window, or computed.

    constant            a value that the rule names
    previous, next      the value of the border before or after the gap
    mean_before_after   the mean of both
    linear              on the straight line from one to the other, at the slot's start
    mean, median, minimum, maximum, percentile, mean_plus_sd
                        of the members of a window that ends at the slot
    greater_of, lesser_of
                        the largest or smallest of what several methods come to
    expression          computed from what else the slot's event holds

Invariants: a percentile names its definition and a standard deviation its kind; a method never reads a value
that a rule put in.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Final

from weighbridge.core.expression import Expression
from weighbridge.core.quantity.number import CONTEXT
from weighbridge.core.rule.windows.window import Window

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
