"""The slots of a meter's series, made of what it delivered: the empty ones between take their places.

Invariants: every slot of the cadence that starts in the period stands in the series, and is out where the
meter was not in service or an outage was declared; a slot with several readings stands in it once for each;
memory holds the outages and one reading.

An example: an hourly meter read at 00:05 and 03:00, with an outage declared from 02:00 to 03:00, from
midnight to 05:00: slots that start at 00:05, 01:00, 02:00 (out), 03:00 and 04:00.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from weighbridge.core.halt import proceeding
from weighbridge.core.rule.substitution.series import SeriesSlot
from weighbridge.core.time.cadence_slots import CadenceSlots
from weighbridge.core.time.instant import MILLISECOND, Interval
from weighbridge.core.time.meter import ALWAYS, Service


def series_slots(
    readings: Iterable[SeriesSlot],
    clock: CadenceSlots,
    period: Interval,
    outages: Sequence[Interval] = (),
    service: Service = ALWAYS,
) -> Iterator[SeriesSlot]:
    """The series of a meter over a period, from its readings that start in it, in their order."""
    declared = _Declared(outages, service)
    following = clock.holding(period.start)
    if clock.start(following) < period.start:
        following += 1
    for reading in readings:
        number = clock.holding(reading.start)
        yield from _empty(range(following, number), clock, declared)
        following = max(following, number + 1)
        yield reading._replace(is_out=True) if declared.hold(reading.start) else reading
    last = clock.holding(period.end - MILLISECOND) + 1 if period.start < period.end else following
    yield from _empty(range(following, last), clock, declared)


def _empty(numbers: Iterable[int], clock: CadenceSlots, declared: "_Declared") -> Iterator[SeriesSlot]:
    for number in proceeding(numbers):
        start = clock.start(number)
        yield SeriesSlot(start, is_out=declared.hold(start))


class _Declared:
    """When a meter was not to deliver: outside its service, and in outages, which may overlap."""

    def __init__(self, outages: Sequence[Interval], service: Service) -> None:
        self._service = service
        self._starts: list[datetime] = []
        self._ends: list[datetime] = []
        for outage in sorted(outages):
            if self._ends and outage.start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], outage.end)
            else:
                self._starts.append(outage.start)
                self._ends.append(outage.end)

    def hold(self, moment: datetime) -> bool:
        """Whether a slot that starts then is out."""
        service = self._service
        if service.start is not None and moment < service.start:
            return True
        if service.end is not None and moment >= service.end:
            return True
        index = bisect_right(self._starts, moment) - 1
        return index >= 0 and moment < self._ends[index]
