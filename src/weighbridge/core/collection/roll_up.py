"""A roll-up makes one event of the readings of a slot: minutes become hours, and hours become days.

Each value of it is an aggregate over the valid readings of the slot, by the definitions of models
(`core/model/aggregates.py`): sums are exact until their one rounding, an average is the exact sum divided by
the count at 34 digits, half to even, and a median of an even number the average of the two in the middle.
Where several readings begin at one moment the one that ends earlier is the earlier one, then the smaller.

A slot counts as measured when the valid readings of its meter cover at least `valid_share_min` of the
readings that the source's cadence expects in it. Below that the event is there and incomplete: counts stand,
and every other value is missing.

A worked example. Of the 60 minutes of an hour 48 are valid: 48 / 60 = 0.8, which meets a share of 0.8, and
the hour is the average of the 48. With 47 the hour is incomplete and has no value.

Invariants: what a slot comes to depends on its readings alone, never on the order in which they came; a share
is compared without rounding.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from weighbridge.core.model import Aggregate

OF_NUMBERS: Final = (Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MIN, Aggregate.MAX, Aggregate.MEDIAN)
"""Aggregates that take numbers and keep their unit."""

OF_ANY: Final = (Aggregate.FIRST, Aggregate.LAST, Aggregate.COUNT)
"""Aggregates that take values of any type."""

AGGREGATES: Final = (*OF_NUMBERS, *OF_ANY)
"""What a value of a rolled-up event may be of the readings."""

Measure = tuple[str, str | None]
"""The type of a value, and the unit of a number."""


SPANS: Final = 64
"""So many stretches of slots at most are rolled up by themselves; what lies between costs less."""


def gathered(stretches: Iterable[range]) -> list[range]:
    """Few stretches of slots that hold them all, cut where the longest gaps between them lie."""
    merged: list[range] = []
    for one in sorted(filter(len, stretches), key=lambda stretch: stretch.start):
        if merged and one.start <= merged[-1].stop:
            merged[-1] = range(merged[-1].start, max(merged[-1].stop, one.stop))
        else:
            merged.append(one)
    gaps = sorted(range(1, len(merged)), key=lambda index: merged[index - 1].stop - merged[index].start)
    cuts = [0, *sorted(gaps[: SPANS - 1]), len(merged)]
    return [
        range(merged[first].start, merged[last - 1].stop) for first, last in pairwise(cuts) if first < last
    ]


def rolled_up_measure(aggregate: str, source: Measure) -> Measure | None:
    """What an aggregate of values is; None of one that these values do not have."""
    if aggregate == Aggregate.COUNT:
        return "number", None
    if aggregate in OF_ANY or source[0] == "number":
        return source
    return None
