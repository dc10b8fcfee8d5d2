"""The range of time of a chart: by name in the address, moved by its own width, or doubled.

A name is a number of days back from the newest event, or a period of the project's calendar, so that a
saved link moves with time. A range of whole months or days is moved on the wall, where a day may have 23
or 25 hours.

Invariant: a range ends after it begins.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from weighbridge.core.time.calendar import LAST, MILLISECOND, Instant, find_slot
from weighbridge.web.display.figures import TimeFormat

SPANS: Final = (("day", 1), ("week", 7), ("month", 31), ("quarter", 92), ("year", 366), ("all", 0))
"""Ranges that are offered by name, in days back from the newest event; 0 for all there is."""

SPAN_USUAL: Final = "month"

MINUTE: Final = timedelta(minutes=1)
"""The step of the fields in which a range is typed."""

HOURS_MIN: Final = timedelta(hours=1)
"""A range that is chosen by name is at least as long."""


class TimeRange(NamedTuple):
    """From when, and until when without that moment."""

    start: Instant
    end: Instant


# Ranges by the clock.


def _read_last_day(when: TimeFormat) -> TimeRange:
    end = Instant.of(when.now.replace(second=0, microsecond=0) + MINUTE)
    return TimeRange(Instant.of(end - timedelta(days=1)), end)


def _period(cadence: str, *, is_last: bool = False) -> Callable[[TimeFormat], TimeRange]:
    def read(when: TimeFormat) -> TimeRange:
        zone = ZoneInfo(when.zone)
        slot = find_slot(cadence, when.now, zone)
        if is_last:
            slot = find_slot(cadence, slot.start - MILLISECOND, zone)
        return TimeRange(Instant.of(slot.start), Instant.of(slot.end))

    return read


CLOCK_SPANS: Final = {
    "last_24_h": _read_last_day,
    "today": _period("daily"),
    "yesterday": _period("daily", is_last=True),
    "this_month": _period("monthly"),
    "last_month": _period("monthly", is_last=True),
    "this_year": _period("annual"),
}
"""Ranges that are offered by name, by the clock of the project."""


def read_clock_span(name: str, when: TimeFormat) -> TimeRange | None:
    """The range that a name means now; None for a name of none by the clock."""
    read = CLOCK_SPANS.get(name)
    return None if read is None else read(when)


def read_typed(when: TimeFormat, first: str, until: str) -> TimeRange | None:
    """The range between two moments as fields or addresses have them; None without two in order."""
    start, end = when.typed(first), when.typed(until)
    return TimeRange(start, end) if start is not None and end is not None and start < end else None


def span_back(days: int, end: Instant, begin: Instant) -> TimeRange:
    """So many days back from the end; with 0 days from the beginning, and an hour at least."""
    start = Instant.of(end - timedelta(days=days)) if days else begin
    return TimeRange(min(start, Instant.of(end - HOURS_MIN)), end)


# Ranges beside a range.


def shift_range(shown: TimeRange, times: int, zone: str) -> TimeRange | None:
    """The range moved by so many of its own widths; None beyond the calendar.

    Whole months move by months, and whole days by days on the wall.
    """
    try:
        return _shift(shown, times, ZoneInfo(zone))
    except (OverflowError, ValueError):
        return None


def _shift(shown: TimeRange, times: int, zone: ZoneInfo) -> TimeRange:
    first, last = (moment.astimezone(zone).replace(tzinfo=None) for moment in shown)
    if first.time() != last.time() or (last - first) % timedelta(days=1) or last == first:
        width = shown.end - shown.start
        return TimeRange(Instant.of(shown.start + times * width), Instant.of(shown.end + times * width))
    months = (last.year - first.year) * 12 + last.month - first.month
    is_months = first.day == last.day == 1 and months and first.time() == datetime.min.time()

    def moved(local: datetime) -> Instant:
        if not is_months:
            return Instant.of((local + times * (last - first)).replace(tzinfo=zone))
        year, month = divmod(local.year * 12 + local.month - 1 + times * months, 12)
        return Instant.of(datetime(year, month + 1, 1, tzinfo=zone))

    return TimeRange(moved(first), moved(last))


def double_range(shown: TimeRange) -> TimeRange:
    """Twice the range around its middle; at the ends of the calendar, as far as it reaches."""
    more = (shown.end - shown.start) / 2
    first = Instant.of(datetime.min.replace(tzinfo=shown.start.tzinfo))
    start = first if shown.start - first < more else Instant.of(shown.start - more)
    end = LAST if LAST - shown.end < more else Instant.of(shown.end + more)
    return TimeRange(start, end)


def write_moment(moment: Instant, when: TimeFormat) -> str:
    """A moment for the address: as fields have it, or in UTC where a field would mean another one."""
    text = when.field(moment)
    return text if when.typed(text) == moment else moment.isoformat(timespec="milliseconds")
