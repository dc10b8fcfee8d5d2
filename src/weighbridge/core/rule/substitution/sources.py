"""Sources of a value that fills a gap: the readings that it came from, and how fast it changes with each.

A mean changes with each of n readings by 1/n, a value on a line by its distance from the other border, a
percentile with the one or two readings that it lies at. So what a meter's certificate makes uncertain of the
readings is in what stands for others, too (`core/uncertainty`).

A source is kept with the value that it had then, so what a value rests on stays what it was when a reading is
corrected later.

Invariant: the weights are the derivatives of the value, exact where the method is linear and to 34 digits
otherwise; a value with more sources than are kept names none.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from weighbridge.core.number import CONTEXT, EXACT, NumberError, limit_number
from weighbridge.core.rule.definition import FieldReader
from weighbridge.core.uncertainty.statement import UncertaintyStatement, build_statement

SOURCES_MAX: Final = 1_000
"""Readings that a value that fills a gap names as its sources."""

_ONE: Final = Decimal(1)


class Sources(NamedTuple):
    """Readings by their keys, their values, and the weight of each; without weights all have the same."""

    keys: Sequence[int]
    values: Sequence[Decimal]
    weights: Sequence[Decimal] | None = None

    def write(self) -> dict[str, Any]:
        """Write them as JSON."""
        weights = None if self.weights is None else list(self.weights)
        return {"events": list(self.keys), "values": list(self.values), "weights": weights}


class SourceReading(NamedTuple):
    """A reading that a value came from, with its key where it has one."""

    key: int | None
    value: Decimal


def name_source(reading: SourceReading) -> Sources | None:
    """The source of a value that is another one's; None where that has no key."""
    return _weigh((reading,), (_ONE,))


def weigh_two(one: SourceReading, other: SourceReading, weights: tuple[Decimal, Decimal]) -> Sources | None:
    """The sources of a value between two others."""
    return _weigh((one, other), weights)


def weigh_equally(readings: Sequence[SourceReading]) -> Sources | None:
    """The sources of a mean."""
    return _weigh(readings, None)


def _weigh(readings: Sequence[SourceReading], weights: Sequence[Decimal] | None) -> Sources | None:
    """The readings as sources; None where one has no key, or they are too many."""
    known = [reading.key for reading in readings if reading.key is not None]
    if len(known) != len(readings) or len(known) > SOURCES_MAX:
        return None
    return Sources(known, [reading.value for reading in readings], weights)


def weigh_rank(readings: Sequence[SourceReading], result: Decimal) -> Sources | None:
    """The sources of a value by rank: the reading that has it, or the two that it lies between."""
    ranked = sorted(readings, key=lambda reading: reading.value)
    for place, reading in enumerate(ranked):
        if reading.value == result:
            return name_source(reading)
        if reading.value > result and place:
            low = ranked[place - 1]
            part = CONTEXT.divide(EXACT.subtract(result, low.value), EXACT.subtract(reading.value, low.value))
            return weigh_two(low, reading, (CONTEXT.subtract(_ONE, part), part))
    return None


def weigh_by_deviation(readings: Sequence[SourceReading], mean: Decimal, rate: Decimal) -> Sources | None:
    """The sources of a mean and a multiple of the standard deviation.

    `rate` is the multiple, divided by the deviation and by what its squares were divided by.
    """
    part = CONTEXT.divide(_ONE, Decimal(len(readings)))
    weights = [
        CONTEXT.add(part, CONTEXT.multiply(rate, CONTEXT.subtract(reading.value, mean)))
        for reading in readings
    ]
    return _weigh(readings, weights)


def read_statement(reader: FieldReader) -> UncertaintyStatement | None:
    """Take what a method states of the uncertainty of its values, in the unit of the data point."""
    given = reader.take("uncertainty")
    if given is None:
        return None
    if not isinstance(given, Mapping):
        reader.refuse("uncertainty", "is an object")
        return None
    if given.get("unit") is not None:
        reader.refuse("uncertainty.unit", "is that of the data point; leave it out")
        return None
    try:
        statement, problems = build_statement({key: _as_decimals(value) for key, value in given.items()})
    except NumberError as error:
        reader.refuse("uncertainty", f"is out of limits: {error}".removesuffix("."))
        return None
    for problem in problems:
        reader.refuse(f"uncertainty.{problem.field}", f"is wrong: {problem.message}".removesuffix("."))
    return statement


def _as_decimals(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _as_decimals(inner) for key, inner in value.items()}
    is_number = isinstance(value, Decimal | int) and not isinstance(value, bool)
    return limit_number(Decimal(value)) if is_number else value
