"""Computing a model run: what its inputs come to, and every node after them.

Invariants: the same data points give the same digits, in whatever order they are named; what stands in for
an input is what its node says, and only where there are no data at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Final

from weighbridge.core.cadence import days_of
from weighbridge.core.expression import Budget, ExpressionError
from weighbridge.core.instant import Interval
from weighbridge.core.model import (
    Aggregate,
    EvaluationError,
    Facts,
    Input,
    Model,
    Node,
    Program,
)
from weighbridge.core.model.aggregates import aggregate
from weighbridge.core.number import CONTEXT
from weighbridge.core.partition import DIMENSIONS
from weighbridge.core.unit import ONE, Unit, convert
from weighbridge.resources.batch_generations.sources import Source
from weighbridge.resources.model_runs.readings import Element, Readings

COST_MAX: Final = 2_000_000
"""How many operations a model run may cost."""

Result = Decimal | tuple[Decimal, ...] | None

_MILLISECOND: Final = timedelta(milliseconds=1)
_MILLISECONDS_OF_HOUR: Final = Decimal(3_600_000)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to: the value of every node, or why it failed."""

    values: Mapping[str, Result]
    error_message: str | None = None


def compute(
    program: Program,
    sources: Sequence[Source],
    readings: Readings,
    static: Mapping[str, Decimal | list[Decimal]],
    period: Interval,
) -> Outcome:
    """Evaluate the node tree; an error of the evaluation is an outcome too."""
    try:
        facts = _facts(program.model, sources, readings, static, period)
        return Outcome(program.run(facts, budget=Budget(COST_MAX)))
    except EvaluationError as error:
        return Outcome({}, str(error))
    except ExpressionError as error:
        return Outcome({}, error.message)


def _facts(
    model: Model,
    sources: Sequence[Source],
    readings: Readings,
    static: Mapping[str, Decimal | list[Decimal]],
    period: Interval,
) -> Facts:
    units = {read.node: read.unit for source in sources for read in source.reads}
    inputs = {
        node.slug: _value(node, node.body, readings[node.slug], units[node.slug], period)
        for node in model.nodes
        if isinstance(node.body, Input) and readings[node.slug]
    }
    durations = {
        node.slug: tuple(_hours(element.event.time) for element in readings[node.slug])
        for node in model.nodes
        if isinstance(node.body, Input) and node.body.is_array
    }
    return Facts({**inputs, **static}, _partition(model, readings), durations, days_of(period))


def _value(
    node: Node, body: Input, elements: Sequence[Element], unit: Unit, period: Interval
) -> Decimal | tuple[Decimal, ...]:
    """Aggregate and convert; data without a value, as weights that sum to zero, are an error."""
    found = aggregate(body.aggregate, [element.reading for element in elements], period)
    if found is None:
        message = f"its {len(elements)} data points have no {body.aggregate} over the period."
        raise EvaluationError(node.slug, message)
    if body.aggregate is Aggregate.COUNT:
        unit = ONE
    if isinstance(found, tuple):
        return tuple(convert(one, unit, node.unit) for one in found)
    return convert(found, unit, node.unit)


def _partition(model: Model, readings: Readings) -> dict[str, str]:
    """The values of the partition that all events with a tag share."""
    events = {element.event.number: element.event for elements in readings.values() for element in elements}
    shared = {
        dimension: {event.names[dimension] for event in events.values()} - {None}
        for dimension in DIMENSIONS[model.partition_type]
    }
    return {name: value for name, values in shared.items() if len(values) == 1 for value in values if value}


def _hours(time: Interval) -> Decimal:
    return CONTEXT.divide(Decimal((time.end - time.start) // _MILLISECOND), _MILLISECONDS_OF_HOUR)
