"""The slots of an event type's cadence, numbered in time, so that empty ones between two can be counted.

Minutes and hours are counted in UTC, days, weeks from Monday and months on the project's calendar.

Invariants: a later moment never has a smaller number; two moments of one slot have the same; a slot starts at
its first moment.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

_STEPS: Final = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
_DAYS: Final = {"day": 1, "week": 7}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def slot_number(amount: int, unit: str, moment: datetime, zone: tzinfo) -> int:
    """The number of the slot that holds the moment, of slots that are so many units long."""
    if unit in _STEPS:
        return (moment - _EPOCH) // (amount * _STEPS[unit])
    local = moment.astimezone(zone)
    if unit == "month":
        return (local.year * 12 + local.month - 1) // amount
    # Day 1 of the proleptic calendar is a Monday.
    return (local.toordinal() - 1) // (amount * _DAYS[unit])


@dataclass(frozen=True, slots=True)
class SlotClock:
    """The slots of a cadence that is so many units long, in the zone of a project's calendar."""

    amount: int
    unit: str
    zone: tzinfo

    def number(self, moment: datetime) -> int:
        """The number of the slot that holds the moment."""
        return slot_number(self.amount, self.unit, moment, self.zone)

    def start(self, number: int) -> datetime:
        """The first moment of a slot."""
        if self.unit in _STEPS:
            return _EPOCH + number * self.amount * _STEPS[self.unit]
        if self.unit == "month":
            months = number * self.amount
            first = date(months // 12, months % 12 + 1, 1)
        else:
            first = date.fromordinal(number * self.amount * _DAYS[self.unit] + 1)
        return datetime.combine(first, time(), self.zone).astimezone(UTC)
