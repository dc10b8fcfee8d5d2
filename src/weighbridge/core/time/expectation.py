"""Which slots of a cadence are expected of a meter: what rates, gaps, fillings and rules all go by.

A slot is expected of a meter that is in service when the slot begins, unless declared outages together cover
all of it. So an outage of five minutes excuses no hour, wherever in the hour it begins.

A worked example. A meter is read every hour, in service from 06:30 on, and out from 08:00 to 10:30 and from
12:00 to 12:05. Expected are 07:00, 10:00, 11:00 and all hours from 12:00 on.

Invariants: whether a slot is expected depends on its meter, on declared outages and on times in service
alone, never on what was captured; a slot is expected as a whole or is not.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, islice
from typing import Final, NamedTuple, TypeVar

from weighbridge.core.time.calendar import CadenceSlots, Interval

# A meter is what readings belong together by: an event's asset, else its first location, else its type.
#
# Totalisers, coverage, gaps, availability and capture rates take the readings of one meter one after another,
# by this definition and no other. An asset or location may say from when to when it is
# in service; outside of that nothing is expected of it.
#
# Invariants: an asset at several locations is one meter; a meter without a time in service is always in
# service.


Reading = TypeVar("Reading")


@dataclass(frozen=True, slots=True)
class Meter:
    """Whose readings belong together, among those of one event type; without a name it is the event type."""

    asset: str | None = None
    location: str | None = None
    """Of a meter that is no asset."""

    @classmethod
    def of(cls, asset: str | None, first_location: str | None) -> "Meter":
        """The meter of an event with these tags."""
        return cls(asset) if asset is not None else cls(None, first_location)

    @property
    def label(self) -> str:
        """` of asset 'East'`: the meter as the end of a phrase; empty where it is the event type itself."""
        if self.asset is not None:
            return f" of asset {self.asset!r}"
        return "" if self.location is None else f" of location {self.location!r}"


EVENT_TYPE: Final = Meter()
"""The meter of events that have neither an asset nor a location."""


@dataclass(frozen=True, slots=True)
class Service:
    """From when, and until when, a meter is in service; None where it does not say."""

    start: datetime | None = None
    end: datetime | None = None

    def inside(self, slot: Interval) -> Interval | None:
        """The time in service inside a slot; None when there is none."""
        start = slot.start if self.start is None else max(slot.start, self.start)
        end = slot.end if self.end is None else min(slot.end, self.end)
        return Interval(start, end) if start < end else None


ALWAYS: Final = Service()
"""The service of a meter that says nothing of it."""


def group_by_meter(
    readings: Iterable[Reading], meter_of: Callable[[Reading], Meter]
) -> dict[Meter, list[Reading]]:
    """Readings by their meters, each in the order in which they come."""
    groups: dict[Meter, list[Reading]] = {}
    for reading in readings:
        groups.setdefault(meter_of(reading), []).append(reading)
    return groups


EVERY_SLOT: Final = range(-(2**61), 2**61)
"""The numbers of all slots that there are of any cadence."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """When a meter is expected to measure: while it is in service, less its outages."""

    service: Service = ALWAYS
    outages: tuple[Interval, ...] = ()
    """Each of some length, in order and apart from one another, as `join_outages` gives them."""

    def unexpected(self, slots: CadenceSlots, slot_numbers: range) -> tuple[range, ...]:
        """Those of the counted slots in which nothing is expected, in order and apart from one another."""
        outage_slots = [slots.inside(outage) for outage in self.outages]
        if self.service.start is not None:
            outage_slots.append(range(slot_numbers.start, slots.from_on(self.service.start)))
        if self.service.end is not None:
            outage_slots.append(range(slots.from_on(self.service.end), slot_numbers.stop))
        return _unite(_intersect(outage_range, slot_numbers) for outage_range in outage_slots)

    def stretches(self, time: Interval) -> tuple[Interval, ...]:
        """The stretches of a time in which the meter is expected to measure."""
        in_service = self.service.inside(time)
        return () if in_service is None else tuple(_subtract_outages(in_service, self.outages))


class ExpectedCadence:
    """The slots of a cadence, each expected of a meter or not, and their number."""

    __slots__ = ("_passed", "_starts", "_stops", "cadence")

    def __init__(self, cadence: CadenceSlots, expectation: Expectation) -> None:
        self.cadence = cadence
        unexpected_ranges = expectation.unexpected(cadence, EVERY_SLOT)
        self._starts = [range_.start for range_ in unexpected_ranges]
        self._stops = [range_.stop for range_ in unexpected_ranges]
        self._passed = [0, *accumulate(map(len, unexpected_ranges))]

    def hold(self, number: int) -> bool:
        """Whether a slot is expected."""
        index = bisect_right(self._starts, number) - 1
        return index < 0 or number >= self._stops[index]

    def between(self, first: int, stop: int) -> int:
        """How many slots are expected from the first on and before the last; 0 when there is none."""
        return max(stop - first - (self._unexpected_before(stop) - self._unexpected_before(first)), 0)

    def _unexpected_before(self, number: int) -> int:
        index = bisect_right(self._starts, number) - 1
        if index < 0:
            return 0
        return self._passed[index] + min(number, self._stops[index]) - self._starts[index]


class MeterSlot(NamedTuple):
    """A slot among those that are expected of its meter."""

    number: int
    among: ExpectedCadence

    def missed_since(self, last: "MeterSlot") -> int:
        """How many expected slots lie between an earlier slot and this one."""
        return self.among.between(last.number + 1, self.number)


def count_expected(slot_numbers: range, unexpected_ranges: Sequence[range]) -> int:
    """How many slots are expected, of which some, in order and apart from one another, are not."""
    expected = len(slot_numbers)
    for unexpected_range in islice(
        unexpected_ranges, bisect_right(unexpected_ranges, slot_numbers.start, key=_get_stop), None
    ):
        if unexpected_range.start >= slot_numbers.stop:
            break
        expected -= len(_intersect(unexpected_range, slot_numbers))
    return expected


def join_outages(
    outages: Iterable[tuple[datetime, datetime | None]], until: datetime
) -> tuple[Interval, ...]:
    """Outages as stretches of time apart from one another; one without an end lasts until then at least."""
    intervals: list[Interval] = []
    for start, end in sorted((start, max(start, until) if end is None else end) for start, end in outages):
        if intervals and start <= intervals[-1].end:
            intervals[-1] = Interval(intervals[-1].start, max(end, intervals[-1].end))
        elif start < end:
            intervals.append(Interval(start, end))
    return tuple(intervals)


def _subtract_outages(time: Interval, outages: Sequence[Interval]) -> Iterator[Interval]:
    start = time.start
    for outage in islice(outages, bisect_right(outages, time.start, key=_end), None):
        if outage.start >= time.end:
            break
        if start < outage.start:
            yield Interval(start, outage.start)
        start = outage.end
    if start < time.end:
        yield Interval(start, time.end)


def _get_stop(part: range) -> int:
    return part.stop


def _end(interval: Interval) -> datetime:
    return interval.end


def _intersect(part: range, other: range) -> range:
    start = max(part.start, other.start)
    return range(start, max(start, min(part.stop, other.stop)))


def _unite(ranges: Iterable[range]) -> tuple[range, ...]:
    united: list[range] = []
    for range_ in sorted((part for part in ranges if part), key=lambda part: (part.start, part.stop)):
        if united and range_.start <= united[-1].stop:
            united[-1] = range(united[-1].start, max(range_.stop, united[-1].stop))
        else:
            united.append(range_)
    return tuple(united)
