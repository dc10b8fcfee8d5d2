"""A window says which members a rule's aggregates look at, seen from the record that is evaluated.

Members stand in one order: start, end, tracking id, client reference, values. A rolling window ends at the
record: its members stand before it in the order and start at most a duration earlier, or are the last so
many; the record itself is among them only with `include_current`. A calendar window is the period of the
project's calendar that holds the record's start, with as many periods before it as `value` says, up to the
record (`to_date`) or to the end of the period (`whole_period`); the record is always among them. A member
belongs where it starts. `where` leaves out members that it is not true for.

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

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Any, Final

from weighbridge.core.problem import Problem
from weighbridge.core.time.cadence import slot_at
from weighbridge.core.time.instant import MILLISECOND, Interval

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


@dataclass(frozen=True, slots=True)
class Calendar:
    """The members of consecutive periods of the calendar."""

    unit: str
    value: int = 1
    extent: Extent = Extent.TO_DATE
    where: str | None = None

    def period(self, moment: datetime, zone: tzinfo) -> Interval:
        """The period that holds the moment."""
        return slot_at(PERIODS[self.unit], moment, zone)

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


def affected(window: Window | None, changed: Interval, zone: tzinfo) -> Interval | None:
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


def read_window(
    given: Mapping[str, Any], *, allows_both: bool = False
) -> tuple[Window | None, list[Problem]]:
    """Read a window as it is written in JSON; None with everything that is wrong with it.

    `allows_both` says whether a rolling window may have a duration and a number of members at once.
    """
    reader = _WindowReader(dict(given), allows_both=allows_both)
    kind = KINDS.get(str(reader.take("kind")))
    if kind is None:
        return None, [Problem("window.kind is rolling, trailing or calendar.", "window.kind", "invalid")]
    window = reader.rolling() if kind == "rolling" else reader.calendar()
    for name in reader.given:
        reader.refuse(name, f"is no part of a {kind} window")
    return (None if reader.problems else window), reader.problems


def write_window(window: Window) -> dict[str, Any]:
    """Write a window in the one form that it is answered and stored in."""
    match window:
        case Rolling(duration=duration, members=members):
            size: dict[str, Any] = {} if members is None else {"members": members}
            if duration is not None:
                size["duration"] = _written(duration)
            form = {"kind": "rolling", **size, "include_current": window.includes_current}
        case Calendar():
            form = {
                "kind": "calendar",
                "unit": window.unit,
                "value": window.value,
                "extent": str(window.extent),
            }
    return form if window.where is None else {**form, "where": window.where}


def _written(duration: timedelta) -> dict[str, Any]:
    unit, length = next(
        (unit, length) for unit, length in reversed(CLOCK_UNITS.items()) if not duration % length
    )
    return {"value": duration // length, "unit": unit}


class _WindowReader:
    """Takes the fields of a window out of the object that was given, noting problems."""

    def __init__(self, given: dict[str, Any], *, allows_both: bool) -> None:
        self.given = given
        self._allows_both = allows_both
        self.problems: list[Problem] = []

    def take(self, name: str, default: Any = None) -> Any:
        return self.given.pop(name, default)

    def refuse(self, name: str, what: str) -> None:
        self.problems.append(Problem(f"window.{name} {what}.", f"window.{name}", "invalid"))

    def rolling(self) -> Rolling:
        members, duration = self.take("members"), self.take("duration")
        if duration is None and "value" in self.given:
            duration = {"value": self.take("value"), "unit": self.take("unit")}
        bounds = [bound for bound in (members, duration) if bound is not None]
        if not bounds or (len(bounds) == 2 and not self._allows_both):
            which = "or both" if self._allows_both else "one of them"
            self.refuse("duration", f"or window.members says how far a rolling window reaches back, {which}")
        includes_current = self.take("include_current", default=False)
        if not isinstance(includes_current, bool):
            self.refuse("include_current", "is true or false")
        return Rolling(
            None if duration is None else self._duration(duration),
            None if members is None else self._whole("members", members, MEMBERS_MAX),
            includes_current is True,
            self._where(),
        )

    def calendar(self) -> Calendar:
        unit, extent = self.take("unit"), self.take("extent", default=Extent.TO_DATE)
        if not isinstance(unit, str) or unit not in PERIODS:
            self.refuse("unit", f"of a calendar window is one of {', '.join(PERIODS)}")
        if extent not in list(Extent):
            self.refuse("extent", f"is {' or '.join(Extent)}")
            extent = Extent.TO_DATE
        value = self._whole("value", self.take("value", default=1), PERIODS_MAX)
        return Calendar(str(unit), value, Extent(extent), self._where())

    def _duration(self, given: Any) -> timedelta:
        fields = dict(given) if isinstance(given, Mapping) else {}
        if {"value", "unit"} != fields.keys():
            self.refuse("duration", f"has a value and a unit, one of {', '.join(CLOCK_UNITS)}")
            return timedelta()
        value, unit = fields["value"], CLOCK_UNITS.get(str(fields["unit"]))
        if unit is None:
            self.refuse("duration.unit", f"is one of {', '.join(CLOCK_UNITS)}")
            return timedelta()
        return unit * self._whole("duration.value", value, timedelta(days=DURATION_DAYS_MAX) // unit)

    def _whole(self, name: str, value: Any, most: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most:
            return value
        self.refuse(name, f"is a whole number from 1 to {most:,}")
        return 1

    def _where(self) -> str | None:
        where = self.take("where")
        if where is not None and (not isinstance(where, str) or not where.strip()):
            self.refuse("where", "is an expression, as a text")
            return None
        return where
