"""Inputs over trials: what an aggregate makes of readings that differ from trial to trial.

Readings are rows of a column, in time order, one value for each trial. Which reading counts for how long, and
which follows which, depends on their times and meters alone and is found once, by the definitions of the
decimals (`core.model.aggregates`); only values are drawn. Weights may be drawn as well.

A totaliser that falls began again at zero: whether it did is seen in the readings as they were, not in each
trial, for noise around a standing meter is no new beginning.

Invariant: of readings that are the same in all trials, an aggregate is that of the decimals.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

import numpy as np

from weighbridge.core.expression import trial_values
from weighbridge.core.model import Aggregate, Amount
from weighbridge.core.model.aggregates import Reading, aggregate_readings, list_steps, list_stretches
from weighbridge.core.time.calendar import MILLISECOND, Interval
from weighbridge.core.uncertainty.draws import Column
from weighbridge.core.uncertainty.float_functions import NO_RESULT, sum_rows


@dataclass(frozen=True, slots=True)
class InputReadings:
    """The readings that an input of one number is aggregated of, in its unit and in time order."""

    readings: tuple[Reading, ...]
    slot: Interval

    def aggregate(self, kind: Aggregate) -> Amount:
        """What they come to in decimals."""
        return aggregate_readings(kind, self.readings, self.slot)


def aggregate_column(kind: Aggregate, values: Column) -> Column:
    """Aggregate values that need neither times nor weights, one row for each."""
    return _OF_VALUES[kind](values)


def aggregate_over_trials(
    kind: Aggregate, source: InputReadings, values: Column, weights: Column | None = None
) -> Column:
    """Aggregate readings over trials: `values` and, of a weighted average, `weights` have a row for each."""
    if kind is Aggregate.TIME_WEIGHTED:
        return _weigh_by_time(source, values)
    if kind is Aggregate.DELTA:
        return _count_steps(source, values)
    if kind is Aggregate.AVERAGE and weights is not None:
        return compute_weighted_average(values, weights)
    return aggregate_column(kind, values)


def compute_weighted_average(values: Column, weights: Column) -> Column:
    """The average by weights; no result where they sum to zero."""
    total_weight = sum_rows(weights)
    return trial_values.divide(sum_rows(values * weights), total_weight)


def _weigh_by_time(source: InputReadings, values: Column) -> Column:
    """The average over time: each reading weighs by the time that it covers in the slot."""
    numbered = [replace(reading, value=Decimal(index)) for index, reading in enumerate(source.readings)]
    lengths = np.zeros((len(numbered), 1))
    for stretch in list_stretches(numbered, source.slot):
        overlap = source.slot.overlap(stretch.time)
        if overlap is not None:
            lengths[int(stretch.value)] += (overlap.end - overlap.start) // MILLISECOND
    return compute_weighted_average(values, lengths)


def _count_steps(source: InputReadings, values: Column) -> Column:
    """What totalisers counted: the last readings less the first, and all of a reading after a fall."""
    steps = list_steps(source.readings, source.slot)
    if not steps:
        return np.full(values.shape[1:], NO_RESULT)
    rows = []
    for step in steps:
        is_fall = source.readings[step.late].value < source.readings[step.early].value
        rows.append(values[step.late] if is_fall else values[step.late] - values[step.early])
    return sum_rows(np.stack(rows))


def _take_row(index: int) -> Callable[[Column], Column]:
    return lambda values: values[index]


_OF_VALUES: Final[Mapping[Aggregate, Callable[[Column], Column]]] = {
    Aggregate.SUM: trial_values.total,
    Aggregate.AVERAGE: trial_values.average,
    Aggregate.MIN: trial_values.least,
    Aggregate.MAX: trial_values.greatest,
    Aggregate.COUNT: trial_values.count_elements,
    Aggregate.FIRST: _take_row(0),
    Aggregate.LAST: _take_row(-1),
    Aggregate.MEDIAN: trial_values.median,
    Aggregate.VALUES: lambda values: values,
}


def list_weights(readings: Sequence[Reading]) -> tuple[Decimal, ...] | None:
    """The weights of readings; None where they have none."""
    weights = tuple(reading.weight for reading in readings if reading.weight is not None)
    return weights if len(weights) == len(readings) and weights else None
