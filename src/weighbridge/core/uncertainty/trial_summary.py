"""A summary of trials: mean, standard uncertainty, coverage intervals, and whether first order holds.

From the values of an output in M trials (JCGM 101:2008):

    mean and standard uncertainty         7.6: the mean of the values, and their deviation by M - 1
    probabilistically symmetric interval  7.7.2: as many values below it as above it
    shortest interval                     7.7.4: of all that hold q = pM values, the one of least length
    comparison with first order           8.1: d_low = |y - U - y_low| and d_high = |y + U - y_high| are at
                                          most the numerical tolerance delta of 7.9.2
    sampling error of an end              half of the distance of the values a standard deviation of ranks,
                                          sqrt(M P (1 - P)), below and above it; P is the part below the end

A comparison is decided where twice that error (7.9.4) does not reach over the tolerance: M = 100,000 trials
of a normal distribution know an end to 0.9 % of the standard uncertainty, and 2 digits tolerate 0.5 to 5 %.

A trial without a result is counted. JCGM 101 knows none: the distributions are to be such that the model has
a value wherever they reach (5.10.1), and to leave such trials out would be another distribution. So where
there is one, the summary has its count, and no mean and no interval.

Here floats end: a summary is made of decimals, each the shortest that reads back as the float. Sums are
exact before their one rounding (`math.fsum`), so they do not depend on the order of trials.

Invariants: the same trials in any order have the same summary; what is stored and shown is decimal.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import chain, pairwise
from typing import Final

import numpy as np

from weighbridge.core.number import CONTEXT
from weighbridge.core.uncertainty.draws import Column

TRIALS_MIN: Final = 100
"""The fewest trials of which a summary is made."""

TRIALS_MAX: Final = 10_000_000
"""The most trials of one run; JCGM 101, 7.2.2, expects a million to give two digits at 95 %."""

PROBABILITY: Final = Decimal("0.95")
"""The coverage probability where nothing else is asked for."""

TOLERANCE_DIGITS: Final = 2
"""The significant digits of a standard uncertainty that are regarded as meaningful (7.9.2)."""

BINS: Final = 50
"""The columns of a histogram."""

_ADDED_AT_ONCE: Final = 100_000


@dataclass(frozen=True, slots=True)
class CoverageInterval:
    """Two values between which a quantity lies with a coverage probability."""

    low: Decimal
    high: Decimal


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many trials fell into each of some columns of equal width, from the least value to the greatest."""

    low: Decimal
    high: Decimal
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Distributed:
    """What an output came to over all trials."""

    mean: Decimal
    standard_uncertainty: Decimal
    symmetric: CoverageInterval
    shortest: CoverageInterval
    histogram: Histogram
    sampling_error: Decimal
    """The standard error of the ends of the symmetric interval, by the number of trials: the larger one."""


@dataclass(frozen=True, slots=True)
class TrialSummary:
    """The summary of one output."""

    trials: int
    without_result: int
    probability: Decimal
    distributed: Distributed | None
    """None where some trial has no result."""


@dataclass(frozen=True, slots=True)
class FirstOrderComparison:
    """How far the ends of a first-order interval are from those of trials, and what is tolerated."""

    tolerance: Decimal
    low_difference: Decimal
    high_difference: Decimal
    sampling_error: Decimal

    @property
    def is_passed(self) -> bool | None:
        """Whether first order may be used here, by clause 8.1; None where there are too few trials to say."""
        distance = CONTEXT.subtract(max(self.low_difference, self.high_difference), self.tolerance)
        if distance.copy_abs() < CONTEXT.multiply(2, self.sampling_error):
            return None
        return distance <= 0


def summarise(values: Column, probability: Decimal = PROBABILITY, bins: int = BINS) -> TrialSummary:
    """Summarise an output's values, one for each trial.

    Raises ValueError for too few trials, or a probability whose interval they cannot show.
    """
    count = len(values)
    held = count_held(count, probability)
    if not TRIALS_MIN <= count <= TRIALS_MAX or not 0 < held < count:
        raise ValueError(
            f"A summary needs {TRIALS_MIN} to {TRIALS_MAX} trials, and a coverage probability that leaves"
            f" some of them in and some out; here are {count} and {probability}."
        )
    without_result = count - int(np.count_nonzero(np.isfinite(values)))
    if without_result:
        return TrialSummary(count, without_result, probability, None)
    # A zero has no sign here.
    ordered = np.sort(values + 0.0)
    mean, deviation = compute_moments(ordered)
    return TrialSummary(
        count,
        0,
        probability,
        Distributed(
            end_float(mean),
            end_float(deviation),
            _find_interval(ordered, find_symmetric_start(count, held), held),
            _find_interval(ordered, find_shortest_start(ordered, held), held),
            _count_bins(ordered, bins),
            end_float(find_sampling_error(ordered, held)),
        ),
    )


def end_float(value: float) -> Decimal:
    """Return the shortest decimal that reads back as a float: from here on there are decimals alone."""
    return Decimal(repr(float(value)))


def compute_moments(values: Column) -> tuple[float, float]:
    """Return the mean and the standard deviation (7.6, equations 16 and 17)."""
    count = len(values)
    mean = _add_exactly(values) / count
    distances = values - mean
    return mean, math.sqrt(_add_exactly(distances * distances) / (count - 1))


def _add_exactly(values: Column) -> float:
    """Add numbers with one rounding, a part of them at a time as Python's."""
    parts = (
        values[first : first + _ADDED_AT_ONCE].tolist() for first in range(0, len(values), _ADDED_AT_ONCE)
    )
    return math.fsum(chain.from_iterable(parts))


def count_held(count: int, probability: Decimal) -> int:
    """Return how many values an interval holds: pM, or else the whole part of pM + 1/2 (7.7.1)."""
    return int(CONTEXT.multiply(probability, Decimal(count)).to_integral_value(ROUND_HALF_UP))


def find_symmetric_start(count: int, held: int) -> int:
    """Return the index of the interval's low end: (M - q) / 2, or else the whole part of that and 1/2."""
    return (count - held + 1) // 2 - 1


def find_sampling_error(ordered: Column, held: int) -> float:
    """Return the larger standard error of the ends of the symmetric interval that holds so many values."""
    last = len(ordered) - 1
    start = find_symmetric_start(len(ordered), held)

    def find_error(end: int) -> float:
        below = (end + 1) / len(ordered)
        ranks = math.ceil(math.sqrt(len(ordered) * below * (1 - below)))
        return float(ordered[min(end + ranks, last)] - ordered[max(end - ranks, 0)]) / 2

    return max(find_error(start), find_error(start + held))


def find_shortest_start(ordered: Column, held: int) -> int:
    """Return the index of the low end of the shortest interval, of several the first."""
    return int(np.argmin(ordered[held:] - ordered[:-held]))


def _find_interval(ordered: Column, start: int, held: int) -> CoverageInterval:
    return CoverageInterval(end_float(ordered[start]), end_float(ordered[start + held]))


def _count_bins(ordered: Column, bins: int) -> Histogram:
    low, high = float(ordered[0]), float(ordered[-1])
    edges = low + (high - low) * (np.arange(1, bins, dtype=np.float64) / bins)
    reached = [0, *map(int, np.searchsorted(ordered, edges)), len(ordered)]
    counts = tuple(end - start for start, end in pairwise(reached))
    return Histogram(end_float(low), end_float(high), counts)


def list_edges(histogram: Histogram) -> list[Decimal]:
    """Return the ends of the columns of a histogram: one more than there are columns."""
    width, bins = CONTEXT.subtract(histogram.high, histogram.low), Decimal(len(histogram.counts))
    steps = (
        CONTEXT.divide(CONTEXT.multiply(width, Decimal(index)), bins)
        for index in range(len(histogram.counts))
    )
    return [*(CONTEXT.add(histogram.low, step) for step in steps), histogram.high]


def find_numerical_tolerance(standard_uncertainty: Decimal, digits: int = TOLERANCE_DIGITS) -> Decimal:
    """Return half a unit of the last significant digit of a standard uncertainty (7.9.2).

    Written as c * 10^l with c of so many digits, the tolerance is 10^l / 2.
    """
    rounded = _round_to_digits(standard_uncertainty, digits)
    exponent = rounded.adjusted() - digits + 1 if rounded else 0
    return CONTEXT.divide(Decimal(1).scaleb(exponent), Decimal(2)) if rounded else Decimal(0)


def _round_to_digits(value: Decimal, digits: int) -> Decimal:
    if not value:
        return value
    return value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1))


def compare_with_first_order(
    estimate: Decimal,
    standard_uncertainty: Decimal,
    expanded_uncertainty: Decimal,
    distributed: Distributed,
    digits: int = TOLERANCE_DIGITS,
) -> FirstOrderComparison:
    """Compare a first-order interval, the estimate plus and minus U, with the symmetric one of trials (8.1).

    `standard_uncertainty` is that of first order, by which the tolerance goes. Clause 8.2 asks for so many
    trials that their own ends are known to a fifth of the tolerance; with fewer it may not be decided.
    """
    interval = distributed.symmetric
    low = CONTEXT.subtract(estimate, expanded_uncertainty)
    high = CONTEXT.add(estimate, expanded_uncertainty)
    return FirstOrderComparison(
        find_numerical_tolerance(standard_uncertainty, digits),
        CONTEXT.subtract(low, interval.low).copy_abs(),
        CONTEXT.subtract(high, interval.high).copy_abs(),
        distributed.sampling_error,
    )
