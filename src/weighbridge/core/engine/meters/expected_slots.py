"""Expected slots: where an event type's cadence cuts a slot, found by arithmetic and not by listing them.

Minutes and hours are counted from the start of the slot, days, weeks from Monday and months on the wall. A
cell of the cadence that began before the slot is not expected in it; the last one is cut off at its end.

Invariants: expected slots follow one another without gap or overlap; finding the one that holds a moment
takes the same few steps, however long the slot and however short the cadence.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from typing import Final

from weighbridge.core.engine.element import EventCadence
from weighbridge.core.time.instant import Instant, Interval

_STEPS: Final = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
_DAYS: Final = {"day": 1, "week": 7}


class ExpectedSlots:
    """The expected slots of a cadence inside a slot."""

    def __init__(self, slot: Interval, cadence: EventCadence, zone: tzinfo) -> None:
        self._slot, self._cadence, self._zone = slot, cadence, zone
        local = slot.start.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
        if cadence.unit == "week":
            local -= timedelta(days=local.weekday())
        if cadence.unit == "month":
            local = local.replace(day=1)
        self._first = local

    def holding(self, moment: datetime) -> Interval | None:
        """The expected slot that holds a moment, if one does."""
        if not self._slot.start <= moment < self._slot.end:
            return None
        number = self._number(moment)
        # Where clocks are changed at midnight, the arithmetic of the wall is one off.
        while self._start(number) > moment:
            number -= 1
        while self._start(number + 1) <= moment:
            number += 1
        return self._at(number)

    def from_on(self, moment: datetime) -> Iterator[Interval]:
        """The expected slots that begin at a moment of the slot or after it, in order."""
        number = self._number(moment) - 1
        while (start := self._start(number)) < self._slot.end:
            if start >= moment and (found := self._at(number)) is not None:
                yield found
            number += 1

    def _at(self, number: int) -> Interval | None:
        start, end = self._start(number), self._start(number + 1)
        return Interval(start, min(end, self._slot.end)) if self._slot.start <= start else None

    def _number(self, moment: datetime) -> int:
        """Which cell of the cadence holds a moment, counted from the one in which the slot begins."""
        amount, unit = self._cadence.amount, self._cadence.unit
        if unit in _STEPS:
            return (moment - self._slot.start) // _STEPS[unit] // amount
        local, first = moment.astimezone(self._zone), self._first
        if unit == "month":
            return ((local.year - first.year) * 12 + local.month - first.month) // amount
        return (local.toordinal() - first.toordinal()) // (_DAYS[unit] * amount)

    def _start(self, number: int) -> datetime:
        """Where a cell begins; past the end of the calendar, where the slot ends."""
        count, unit = number * self._cadence.amount, self._cadence.unit
        try:
            if unit in _STEPS:
                return self._slot.start + count * _STEPS[unit]
            if unit == "month":
                months = self._first.month - 1 + count
                year = self._first.year + months // 12
                return Instant.of(self._first.replace(year=year, month=months % 12 + 1))
            return Instant.of(self._first + timedelta(days=_DAYS[unit] * count))
        except (OverflowError, ValueError):
            return self._slot.end if number > 0 else self._slot.start
