"""The slots of an event type's cadence, numbered in time, so that empty ones between two can be counted.

Minutes and hours are counted in UTC, days, weeks from Monday and months on the project's calendar.

Invariants: a later moment never has a smaller number; two moments of one slot have the same.
"""

from datetime import UTC, datetime, timedelta, tzinfo
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
