"""The capture rate: of the slots in which a meter was expected to measure, how many hold a valid value.

A slot of the event type's cadence is expected of a meter that is in service when the slot begins, unless
declared outages together cover all of it; an outage of five minutes excuses no hour. What is counted are
expected slots:

    received     an event was captured that begins in the slot
    valid        one of them is complete, meets `valid_when`, and no substitution stands in it
    substituted  none is valid, and a substitution stands in one
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

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import islice
from typing import Final

from weighbridge.core.quantity.number import CONTEXT
from weighbridge.core.time.cadence_slots import CadenceSlots
from weighbridge.core.time.instant import Interval
from weighbridge.core.time.meter import ALWAYS, Service

PERIODS: Final[Mapping[str, str]] = {"day": "daily", "month": "monthly", "quarter": "quarterly"}
"""The periods that rates are told for, with the cadence that cuts them."""

PERIODS_MAX: Final = 1_000
"""Periods that one answer may tell of: two years and a half of days."""

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
        return share(self.valid, self.expected)

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
        return share(self.valid, self.expected)

    def plus(self, other: "CaptureTime") -> "CaptureTime":
        """Both together."""
        return CaptureTime(self.expected + other.expected, self.valid + other.valid)


def share(part: int, whole: int) -> Decimal | None:
    """A part of a whole, to 34 digits; None where there is no whole."""
    return CONTEXT.divide(Decimal(part), Decimal(whole)) if whole else None


@dataclass(frozen=True, slots=True)
class Expectation:
    """When a meter is expected to measure: while it is in service, less its outages."""

    service: Service = ALWAYS
    outages: tuple[Interval, ...] = ()
    """Each of some length, in order and apart from one another, as `joined` gives them."""

    def unexpected(self, slots: CadenceSlots, counted: range) -> tuple[range, ...]:
        """Those of the counted slots in which nothing is expected, in order and apart from one another."""
        out = [slots.inside(outage) for outage in self.outages]
        if self.service.start is not None:
            out.append(range(counted.start, slots.from_on(self.service.start)))
        if self.service.end is not None:
            out.append(range(slots.from_on(self.service.end), counted.stop))
        return _united(_common(one, counted) for one in out)

    def stretches(self, time: Interval) -> tuple[Interval, ...]:
        """The stretches of a time in which the meter is expected to measure."""
        in_service = self.service.inside(time)
        return () if in_service is None else tuple(_without(in_service, self.outages))


def expected_of(counted: range, unexpected: Sequence[range]) -> int:
    """How many slots are expected, of which some, in order and apart from one another, are not."""
    expected = len(counted)
    for one in islice(unexpected, bisect_right(unexpected, counted.start, key=_stop), None):
        if one.start >= counted.stop:
            break
        expected -= len(_common(one, counted))
    return expected


def joined(outages: Iterable[tuple[datetime, datetime | None]], until: datetime) -> tuple[Interval, ...]:
    """Outages as stretches of time apart from one another; one without an end lasts until then at least."""
    stretches: list[Interval] = []
    for start, end in sorted((start, max(start, until) if end is None else end) for start, end in outages):
        if stretches and start <= stretches[-1].end:
            stretches[-1] = Interval(stretches[-1].start, max(end, stretches[-1].end))
        elif start < end:
            stretches.append(Interval(start, end))
    return tuple(stretches)


def _without(time: Interval, outages: Sequence[Interval]) -> Iterator[Interval]:
    begun = time.start
    for outage in islice(outages, bisect_right(outages, time.start, key=_end), None):
        if outage.start >= time.end:
            break
        if begun < outage.start:
            yield Interval(begun, outage.start)
        begun = outage.end
    if begun < time.end:
        yield Interval(begun, time.end)


def _stop(one: range) -> int:
    return one.stop


def _end(one: Interval) -> datetime:
    return one.end


def _common(one: range, other: range) -> range:
    start = max(one.start, other.start)
    return range(start, max(start, min(one.stop, other.stop)))


def _united(ranges: Iterable[range]) -> tuple[range, ...]:
    united: list[range] = []
    for one in sorted((one for one in ranges if one), key=lambda one: (one.start, one.stop)):
        if united and one.start <= united[-1].stop:
            united[-1] = range(united[-1].start, max(one.stop, united[-1].stop))
        else:
            united.append(one)
    return tuple(united)
