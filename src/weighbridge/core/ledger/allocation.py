"""An allocation divides a whole into parts that sum to it, to the last digit.

The whole is cut toward zero at so many places, and so is each part of that. The units left over go one each
to the parts of the largest remainders, of equal ones to the first in the order given, which is fixed by the
caller and never by id or arrival. What the whole has beyond the places goes with the first part of a weight.

So 10 over three at 2 places is 3.34, 3.33, 3.33; 0.00001 over two at 2 places is 0.00001 and 0; and 4 in the
proportion 3 : 6 at whole units is 1 and 3, for 1.33 loses less than 2.67 would.

Invariants: `sum(divide(whole, weights, places)) == whole`; a part of weight zero is zero; neither zeros at
the end of the whole nor the unit of the weights changes a part; equal weights give parts that differ by at
most one unit, but for what the first has beyond the places; parts have the sign of the whole, and no more
digits than a number has.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from weighbridge.core.quantity.number import DIGITS_MAX, EXACT, exact_total, significant_digits

SHARE_PLACES_DEFAULT: Final = 6
"""Places at which a model cuts shares that names none: those that ledgers keep by default."""

SHARE_PLACES_MAX: Final = 12
"""The most places at which a model may cut shares: far below what any meter tells."""


class AllocationError(ValueError):
    """A whole cannot be divided by these weights; the message is a full sentence."""


def divide(whole: Decimal, weights: Sequence[Decimal], places: int) -> list[Decimal]:
    """Divide a whole in proportion to weights, at so many places.

    Raises AllocationError when a weight is negative, all are zero, or a part has more digits than a number.
    """
    shares, total = _whole_weights(weights)
    units = int(whole.scaleb(places, context=EXACT))
    cut = [divmod(abs(units) * share, total) for share in shares]
    counts = [count for count, _ in cut]
    # The remainders sum to the units left over times the total, so a part without one never gets a unit.
    by_remainder = sorted(range(len(cut)), key=lambda index: -cut[index][1])
    for index in by_remainder[: abs(units) - sum(counts)]:
        counts[index] += 1
    step = -1 if units < 0 else 1
    parts = [Decimal(step * count).scaleb(-places, context=EXACT) for count in counts]
    beyond = EXACT.subtract(whole, Decimal(units).scaleb(-places, context=EXACT))
    if beyond:
        first = next(index for index, share in enumerate(shares) if share)
        parts[first] = EXACT.add(parts[first], beyond.normalize(EXACT))
    assert exact_total(parts) == whole, "parts sum to the whole"  # noqa: S101 - the promise itself
    _refuse_too_long(parts, places)
    return parts


def divide_evenly(whole: Decimal, count: int, places: int) -> list[Decimal]:
    """Divide a whole into equal parts."""
    return divide(whole, [Decimal(1)] * count, places)


def _whole_weights(weights: Sequence[Decimal]) -> tuple[list[int], int]:
    """The weights as whole numbers, and their sum: fractions are slow where a thousand sources are drawn."""
    if any(weight < 0 for weight in weights):
        raise AllocationError("A weight is negative, so there is no proportion to divide by.")
    fineness = max(map(_places, weights), default=0)
    shares = [int(weight.scaleb(fineness, context=EXACT)) for weight in weights]
    total = sum(shares)
    if not total:
        raise AllocationError("The weights sum to zero, so there is no proportion to divide by.")
    return shares, total


def _refuse_too_long(parts: Sequence[Decimal], places: int) -> None:
    """Raise AllocationError when a part would lose digits wherever it is computed with."""
    long = [part for part in parts if len(part.as_tuple().digits) > DIGITS_MAX]
    longest = max(map(significant_digits, long), default=0)
    if longest > DIGITS_MAX:
        raise AllocationError(
            f"A part cut at {places} places has {longest} digits, and a number holds {DIGITS_MAX}."
        )


def _places(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int), "numbers are finite"  # noqa: S101
    return max(0, -exponent)
