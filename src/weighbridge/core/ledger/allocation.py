"""An allocation divides a whole into parts that sum to it, to the last digit.

Parts are cut toward zero at a smallest unit: the finer of the run's largest ledger scale and the
whole's own places. The units left over go one each to the first parts with a non-zero weight, in the
order given, which is fixed by the caller and never by id or arrival.

Invariants: `sum(divide(whole, weights, scale)) == whole`; a part of weight zero is zero; equal weights
give parts that differ by at most one unit; parts have the sign of the whole.
"""

from collections.abc import Sequence
from decimal import Decimal

from weighbridge.core.quantity.number import EXACT, exact_total


class AllocationError(ValueError):
    """A whole cannot be divided by these weights; the message is a full sentence."""


def divide(whole: Decimal, weights: Sequence[Decimal], scale: int) -> list[Decimal]:
    """Divide a whole in proportion to weights; raise AllocationError when they are negative or all zero."""
    if any(weight < 0 for weight in weights):
        raise AllocationError("A weight is negative, so there is no proportion to divide by.")
    total = exact_total(weights)
    if not total:
        raise AllocationError("The weights sum to zero, so there is no proportion to divide by.")
    places = max(scale, _places(whole))
    units = int(whole.scaleb(places, context=EXACT))
    step = -1 if units < 0 else 1
    # Weights as whole numbers: a fraction for each is slow where a thousand sources are drawn in proportion.
    fineness = max(map(_places, weights))
    wholes = [int(weight.scaleb(fineness, context=EXACT)) for weight in weights]
    sum_of_wholes = sum(wholes)
    shares = [step * (abs(units) * weight // sum_of_wholes) for weight in wholes]
    left = units - sum(shares)
    for index, weight in enumerate(weights):
        if left and weight:
            shares[index] += step
            left -= step
    parts = [Decimal(share).scaleb(-places, context=EXACT) for share in shares]
    assert exact_total(parts) == whole, "parts sum to the whole"  # noqa: S101 - the promise itself
    return parts


def divide_evenly(whole: Decimal, count: int, scale: int) -> list[Decimal]:
    """Divide a whole into equal parts."""
    return divide(whole, [Decimal(1)] * count, scale)


def _places(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int), "numbers are finite"  # noqa: S101
    return max(0, -exponent)
