"""What keeps a model run from being computed, found before anything is: each as a problem by name.

Invariant: a data point that was named is read by an input, or refused; nothing is dropped silently.
"""

from collections.abc import Iterator, Sequence

from weighbridge.core.instant import Interval
from weighbridge.core.model import (
    Aggregate,
    Available,
    Input,
    Model,
    Node,
    Program,
    Straddle,
    Upstream,
)
from weighbridge.core.model.definition import JOINED_ON
from weighbridge.core.problem import Problem
from weighbridge.resources.batch_generations.sources import Source
from weighbridge.resources.events.queries import event_id
from weighbridge.resources.model_runs.named import FIELD, Named
from weighbridge.resources.model_runs.readings import GivenEvent, Readings


def problems_of_model(model: Model) -> Iterator[Problem]:
    """Nodes that a run cannot compute, and nodes that take what a run has none of."""
    for node in model.nodes:
        if isinstance(node.body, Upstream | Available) and not node.is_optional and node.default is None:
            yield Problem(
                f"Node {node.slug!r} draws from the ledger {node.body.ledger!r}; a run by itself draws from "
                "none, so the node must be optional or have a default.",
                node.slug,
                "draws",
            )
        if isinstance(node.body, Input) and (lacking := _beyond_a_run(node.body)):
            said = f"Input {node.slug!r} {lacking}; this version of the service cannot run that by itself."
            yield Problem(said, node.slug, "not_runnable")


def _beyond_a_run(body: Input) -> str:
    """What an input asks for that a run does not compute; empty when there is nothing."""
    if body.join is None:
        return ""
    if body.join.on not in JOINED_ON:
        return f"is joined on the text {body.join.on!r}"
    return "" if body.is_array else f"is joined and aggregated to its {body.aggregate}"


def problems_of_use(
    sources: Sequence[Source], named: Sequence[Named], readings: Readings
) -> Iterator[Problem]:
    """Data points that no input reads."""
    used = {
        (element.event.number, position)
        for source in sources
        for read in source.reads
        for element in readings[read.node]
        for position in (read.column.position, read.weight and read.weight.position)
    }
    known = {
        (source.event_type, column.position)
        for source in sources
        for read in source.reads
        for column in (read.column, read.weight)
        if column is not None
    }
    for one in named:
        if one.is_complete and (one.event, one.position) not in used:
            what = f"{one.slug!r} of {one.event_type_slug!r}"
            why = (
                f"the filter of every input that reads {what} leaves its event out"
                if (one.event_type, one.position) in known
                else f"no input of the model reads {what}"
            )
            yield Problem(f"{one.field} cannot count: {why}.", one.field, "unused")


def problems_of_inputs(
    project: int, program: Program, readings: Readings, period: Interval
) -> Iterator[Problem]:
    """Inputs without data that need them, data outside the period, weights and elements that are missing."""
    for node in program.model.nodes:
        if isinstance(node.body, Input):
            yield from _problems_of_input(project, node, node.body, readings, period)
    yield from _problems_of_arrays(project, program, readings)


def _problems_of_input(
    project: int, node: Node, body: Input, readings: Readings, period: Interval
) -> Iterator[Problem]:
    elements = readings[node.slug]
    if not elements and not node.is_optional and node.default is None:
        said = f"Input {node.slug!r} has no data: none of {FIELD} is {body.data_point_type!r} of "
        yield Problem(f"{said}{body.event_type!r}.", node.slug, "required")
    for element in elements:
        if not _belongs(body, element.event.time, period):
            event = event_id(project, element.event.number)
            said = f"Input {node.slug!r}: {event} does not lie in the period from start_time to end_time"
            yield Problem(f"{said}{_allowed(body)}.", FIELD, "outside_period", (event,))
        if body.weight is not None and element.reading.weight is None:
            event = event_id(project, element.event.number)
            said = f"Input {node.slug!r}: {event} has no {body.weight!r} to weigh by."
            yield Problem(said, FIELD, "required", (event,))


def _belongs(body: Input, time: Interval, period: Interval) -> bool:
    """Whether an event counts for a period: as in a slot, but an event that straddles is never cut."""
    if body.is_any_period:
        return True
    if body.aggregate is Aggregate.DELTA:
        return time.end <= period.end
    if body.aggregate is Aggregate.TIME_WEIGHTED and time.is_reading:
        return time.start < period.end
    if body.straddle is Straddle.START:
        return period.start <= time.start < period.end
    if body.straddle is Straddle.END and not time.is_reading:
        return period.start < time.end <= period.end
    return period.holds(time)


def _allowed(body: Input) -> str:
    if body.straddle is Straddle.PRORATE:
        return "; a run takes whole events and cuts none"
    if body.straddle is Straddle.REPORT:
        return ""
    return f", by its {body.straddle}"


def _problems_of_arrays(project: int, program: Program, readings: Readings) -> Iterator[Problem]:
    """Arrays of the same events are computed element by element, so they are given for the same events."""
    arrays: dict[str, tuple[str, tuple[GivenEvent, ...]]] = {}
    for node in program.model.nodes:
        elements = readings.get(node.slug, ())
        if not isinstance(node.body, Input) or not node.body.is_array or node.body.join or not elements:
            continue
        events = tuple(element.event for element in elements)
        first, others = arrays.setdefault(program.types[node.slug].origin or "", (node.slug, events))
        apart = {one.number for one in events} ^ {one.number for one in others}
        if apart:
            lone = event_id(project, min(apart))
            said = (
                f"Inputs {first!r} and {node.slug!r} are computed element by element and need the same events"
            )
            yield Problem(f"{said}; {lone} stands in one of them only.", FIELD, "unmatched", (lone,))
