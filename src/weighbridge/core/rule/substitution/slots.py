"""The slots of a meter's series, made of what it delivered: the empty ones between take their places.

Invariants: every slot of the cadence that starts in the period stands in the series, and is out where it is
not expected of the meter; a slot with several readings stands in it once for each; memory holds one reading.

An example: an hourly meter read at 00:05 and 03:00, with an outage declared from 02:00 to 03:00, from
midnight to 05:00: slots that start at 00:05, 01:00, 02:00 (out), 03:00 and 04:00.
"""

from collections.abc import Iterable, Iterator

from weighbridge.core.halt import proceeding
from weighbridge.core.rule.substitution.series import SeriesSlot
from weighbridge.core.time.expectation import ExpectedCadence
from weighbridge.core.time.instant import MILLISECOND, Interval


def series_slots(
    readings: Iterable[SeriesSlot], expected: ExpectedCadence, period: Interval
) -> Iterator[SeriesSlot]:
    """The series of a meter over a period, from its readings that start in it, in their order."""
    cadence = expected.cadence
    following = cadence.from_on(period.start)
    for reading in readings:
        number = cadence.holding(reading.start)
        yield from _empty(range(following, number), expected)
        following = max(following, number + 1)
        yield reading if expected.hold(number) else reading._replace(is_out=True)
    last = cadence.holding(period.end - MILLISECOND) + 1 if period.start < period.end else following
    yield from _empty(range(following, last), expected)


def _empty(numbers: Iterable[int], expected: ExpectedCadence) -> Iterator[SeriesSlot]:
    for number in proceeding(numbers):
        yield SeriesSlot(expected.cadence.start(number), is_out=not expected.hold(number))
