"""What lies across a slot's boundary and is divided: the part of a value that belongs to the slot.

The part is in proportion to time, in the 34 digits of the whole. It is cut as the difference of two running
amounts, the one up to the slot's end and the one up to its start.

Invariant: the parts of a value in slots that cover its time without gap or overlap sum to the value, to the
last digit.
"""

from decimal import Decimal
from fractions import Fraction
from typing import Final

from weighbridge.core.quantity.number import CONTEXT, DIGITS_MAX, EXACT
from weighbridge.core.time.instant import MILLISECOND, Interval

_HOUR: Final = Decimal(3_600_000)


def part_inside(value: Decimal, time: Interval, slot: Interval) -> Decimal:
    """The part of a value that falls to the slot; all of it when its time is a moment or lies inside."""
    length = (time.end - time.start) // MILLISECOND
    if not value or not length or slot.holds(time):
        return value
    quantum = value.adjusted() - DIGITS_MAX + 1
    units = int(value.scaleb(-quantum, context=EXACT))

    def up_to(milliseconds: int) -> int:
        return round(Fraction(units * min(max(milliseconds, 0), length), length))

    count = up_to((slot.end - time.start) // MILLISECOND) - up_to((slot.start - time.start) // MILLISECOND)
    return _brief(Decimal(count).scaleb(quantum, context=EXACT), value)


def hours_inside(time: Interval, slot: Interval) -> Decimal:
    """How long a stretch lasts inside the slot, in hours."""
    common = slot.overlap(time)
    return Decimal(0) if common is None else hours(common)


def hours(time: Interval) -> Decimal:
    """How long a stretch lasts, in hours."""
    return CONTEXT.divide(Decimal((time.end - time.start) // MILLISECOND), _HOUR)


def _brief(part: Decimal, whole: Decimal) -> Decimal:
    """The part without zeros that the whole does not have either."""
    if not part:
        return Decimal(0)
    short = part.normalize(EXACT)
    exponent, whole_exponent = short.as_tuple().exponent, whole.as_tuple().exponent
    assert isinstance(exponent, int)  # noqa: S101 - numbers are finite
    assert isinstance(whole_exponent, int)  # noqa: S101
    return (
        short.quantize(Decimal(1).scaleb(whole_exponent), context=EXACT)
        if exponent > whole_exponent
        else short
    )
