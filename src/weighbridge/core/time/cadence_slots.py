"""The slots of an event type's cadence, numbered in time, so that they are counted without being listed.

Minutes and hours are counted in UTC, so clocks that change leave none out and count none twice; days, weeks
from Monday and months begin on the project's wall. A slot is every so many of its unit, counted from 1970 or
from the first day of the calendar, whatever range is looked at. It belongs to the period in which it begins.

A worked example. Every 4 hours in Berlin, where 30 March 2025 lasts from 29 March 23:00Z to 30 March
22:00Z: the slots that begin in the day are those of 00:00Z, 04:00Z, ... 20:00Z, six of them. Every day: one
of 23 hours.

Invariants: slots follow one another without gap or overlap; a later moment never has a smaller number, also
where clocks go back over midnight; `holding(start(n)) == n`.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from weighbridge.core.time.instant import Instant, Interval

STEPS: Final = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
"""The units that last as long on every clock."""

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Where the slots of minutes and hours are counted from."""

_FIRST: Final = Instant.of(datetime.min.replace(tzinfo=UTC))
LAST: Final = Instant.of(datetime.max.replace(tzinfo=UTC))
"""The last moment of the calendar."""

_DAYS: Final = {"day": 1, "week": 7}
_DAYS_MAX: Final = {"day": 2, "week": 8, "month": 32}
"""How many days a slot may last at most, where clocks change in it."""


def slot_number(amount: int, unit: str, moment: datetime, zone: tzinfo) -> int:
    """The number of the slot that holds the moment, of slots that are so many units long."""
    return CadenceSlots(amount, unit, zone).holding(moment)


@dataclass(frozen=True, slots=True)
class CadenceSlots:
    """The slots of a cadence: every so many minutes, hours, days, weeks or months."""

    amount: int
    unit: str
    zone: tzinfo

    @property
    def step(self) -> timedelta | None:
        """How long each slot lasts; None of those that the calendar cuts."""
        return self.amount * STEPS[self.unit] if self.unit in STEPS else None

    @property
    def length_max(self) -> timedelta:
        """What no slot is longer than."""
        step = self.step
        return step if step is not None else timedelta(days=self.amount * _DAYS_MAX[self.unit])

    def holding(self, moment: datetime) -> int:
        """The slot that holds a moment."""
        if (step := self.step) is not None:
            return (moment - EPOCH) // step
        number = self._of_wall(self._on_wall(moment))
        # Where clocks go back over midnight, the wall shows a day again that has ended.
        return number + 1 if self.start(number + 1) <= moment else number

    def start(self, number: int) -> Instant:
        """When a slot begins, which is when the one before ends.

        Outside the calendar, where the calendar begins or ends.
        """
        try:
            return self._start(number)
        except (OverflowError, ValueError):
            return _FIRST if number <= self._of_epoch else LAST

    def from_on(self, moment: datetime) -> int:
        """The first slot that begins at a moment or after it."""
        number = self.holding(moment)
        return number if self.start(number) >= moment else number + 1

    def begun_in(self, stretch: Interval) -> range:
        """The slots that begin in a stretch of time."""
        return range(self.from_on(stretch.start), self.from_on(stretch.end))

    def inside(self, stretch: Interval) -> range:
        """The slots that lie in a stretch of time as a whole; they may end with it."""
        first, after = self.from_on(stretch.start), self.holding(stretch.end)
        return range(first, max(first, after))

    @property
    def _of_epoch(self) -> int:
        return 0 if self.step is not None else self._of_wall(EPOCH.astimezone(self.zone))

    def _start(self, number: int) -> Instant:
        if (step := self.step) is not None:
            return Instant.of(EPOCH + number * step)
        if self.unit == "month":
            year, month = divmod(number * self.amount, 12)
            return self._midnight(year, month + 1, 1)
        # Day 1 of the proleptic calendar is a Monday.
        day = datetime.fromordinal(number * self.amount * _DAYS[self.unit] + 1)
        return self._midnight(day.year, day.month, day.day)

    def _on_wall(self, moment: datetime) -> datetime:
        """What the wall shows at a moment; outside of the calendar its first or last moment."""
        try:
            return moment.astimezone(self.zone)
        except OverflowError:
            return datetime.min if moment < EPOCH else datetime.max  # noqa: DTZ901 - of the wall, which has no zone

    def _of_wall(self, local: datetime) -> int:
        if self.unit == "month":
            return (local.year * 12 + local.month - 1) // self.amount
        return (local.toordinal() - 1) // (self.amount * _DAYS[self.unit])

    def _midnight(self, year: int, month: int, day: int) -> Instant:
        """When a day begins: when the wall shows midnight first, or where it never does, goes past it."""
        return Instant.of(datetime(year, month, day, tzinfo=self.zone))
