"""The capture rate: of the slots in which a meter was expected to measure, how many hold a valid value.

What is counted are slots that are expected of a meter, as `core.time.expectation` defines them:

    received     an event was captured that begins in the slot
    valid        one of them is complete, meets `valid_when`, and none of its values is substituted
    substituted  none is valid, and one has a substituted value
    missing      nothing was captured
    imputed      nothing was captured, and a rule has filled the slot

A worked example. Of the 24 hours of a day a meter was out for the maintenance of 08:00 to 10:30: hours 08
and 09 are not expected, hour 10 is. 22 are expected; 20 came, one of them bad and replaced, and one of the
two that did not come was imputed: received 20, valid 19, substituted 1, missing 2, imputed 1. The rate is
19 / 22.

By time, of readings that have a length: the time that valid ones cover, once, of the time in service without
outages, to the millisecond.

Invariants: `valid + substituted <= received`, `received + missing == expected`, `imputed <= missing`; counts
of parts add up to those of the whole; a rate is null where nothing was expected, and never above 1.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Final

from weighbridge.core.model import Aggregate
from weighbridge.core.number import CONTEXT

PERIODS: Final[Mapping[str, str]] = {"day": "daily", "month": "monthly", "quarter": "quarterly"}
"""The periods for which rates are reported, with the cadence that divides them."""

PERIODS_MAX: Final = 1_000
"""The most periods in one response: two and a half years of days."""

SLOTS_OF_METER_MAX: Final = 1_100_000
"""Slots of the cadence that a range of a capture rate may hold: two years of minutes."""

FIGURES_MAX: Final = 20_000
"""Figures of one answer, meters times periods."""


@dataclass(frozen=True, slots=True)
class CaptureCounts:
    """How many slots of a meter, or of several, were expected, and what became of them."""

    expected: int = 0
    received: int = 0
    valid: int = 0
    substituted: int = 0
    imputed: int = 0

    @property
    def missing(self) -> int:
        """The expected slots in which nothing was captured, whether or not a rule has filled them."""
        return self.expected - self.received

    @property
    def rate(self) -> Decimal | None:
        """Valid of expected, between 0 and 1 to 34 digits; None where nothing was expected."""
        return divide_share(self.valid, self.expected)

    def plus(self, other: "CaptureCounts") -> "CaptureCounts":
        """Both together."""
        return CaptureCounts(
            self.expected + other.expected,
            self.received + other.received,
            self.valid + other.valid,
            self.substituted + other.substituted,
            self.imputed + other.imputed,
        )


@dataclass(frozen=True, slots=True)
class CaptureTime:
    """How many milliseconds were expected, and how many of them valid readings cover."""

    expected: int = 0
    valid: int = 0

    @property
    def rate(self) -> Decimal | None:
        """Valid of expected, between 0 and 1 to 34 digits; None where nothing was expected."""
        return divide_share(self.valid, self.expected)

    def plus(self, other: "CaptureTime") -> "CaptureTime":
        """Both together."""
        return CaptureTime(self.expected + other.expected, self.valid + other.valid)


def divide_share(part: int, whole: int) -> Decimal | None:
    """A part of a whole, to 34 digits; None where there is no whole."""
    return CONTEXT.divide(Decimal(part), Decimal(whole)) if whole else None


# A roll-up makes one event of the readings of a slot: minutes become hours, and hours become days.
#
# Each value of it is an aggregate over the valid readings of the slot, by the definitions of models
# (`core/model/aggregates.py`): sums are exact until their one rounding, an average is the exact sum divided
# by the count at 34 digits, half to even, and a median of an even number the average of the two in the
# middle. Where several readings begin at one moment the one that ends earlier is the earlier one, then the
# smaller.
#
# A slot counts as measured when the valid readings of its meter cover at least `valid_share_min` of the
# readings that the source's cadence expects in it. Below that the event is there and incomplete: counts
# stand, and every other value is missing.
#
# A worked example. Of the 60 minutes of an hour 48 are valid: 48 / 60 = 0.8, which meets a share of 0.8,
# and the hour is the average of the 48. With 47 the hour is incomplete and has no value.
#
# Invariants: the result of a slot depends on its readings alone, never on the order in which they came; a
# share is compared without rounding.


OF_NUMBERS: Final = (Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MIN, Aggregate.MAX, Aggregate.MEDIAN)
"""Aggregates that take numbers and keep their unit."""

OF_ANY: Final = (Aggregate.FIRST, Aggregate.LAST, Aggregate.COUNT)
"""Aggregates that take values of any type."""

AGGREGATES: Final = (*OF_NUMBERS, *OF_ANY)
"""What a value of a rolled-up event may be of the readings."""

Measure = tuple[str, str | None]
"""The type of a value, and the unit of a number."""


SPANS: Final = 64
"""So many stretches of slots at most are rolled up by themselves; what lies between costs less."""


def gather_ranges(ranges: Iterable[range]) -> list[range]:
    """Few stretches of slots that hold them all, cut where the longest gaps between them lie."""
    united: list[range] = []
    for part in sorted(filter(len, ranges), key=lambda range_: range_.start):
        if united and part.start <= united[-1].stop:
            united[-1] = range(united[-1].start, max(united[-1].stop, part.stop))
        else:
            united.append(part)
    gaps = sorted(range(1, len(united)), key=lambda index: united[index - 1].stop - united[index].start)
    cuts = [0, *sorted(gaps[: SPANS - 1]), len(united)]
    return [
        range(united[first].start, united[last - 1].stop) for first, last in pairwise(cuts) if first < last
    ]


def find_roll_up_measure(aggregate: str, source: Measure) -> Measure | None:
    """What an aggregate of values is; None of one that these values do not have."""
    if aggregate == Aggregate.COUNT:
        return "number", None
    if aggregate in OF_ANY or source[0] == "number":
        return source
    return None
