"""Read and compute the data points that a caller names for a model run.

Invariants: every named data point is a value of a complete event of the project, and is either read by
an input or rejected with a reason. A run has one partition: the tags that all its events share. Missing
data are rejected with the messages of a generation; a calculation without a result, such as a division
by zero, fails the run.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from zoneinfo import ZoneInfo

from psycopg.sql import SQL

from weighbridge.accounting.inputs.selection import ByName
from weighbridge.accounting.inputs.slot_data import Inputs, read_slots
from weighbridge.accounting.inputs.static_values import read_statics
from weighbridge.accounting.inputs.streams import (
    InputStream,
    ResolvedStreams,
    read_catalogue,
    resolve_streams,
    select_matching,
)
from weighbridge.collection.measurements.values import BOOLEANS, IS_FILLED, NUMBERS, TEXTS
from weighbridge.core import identity
from weighbridge.core.engine import (
    NOT_COMPUTABLE,
    Amount,
    EngineSetting,
    SlotData,
    StandaloneRunContext,
    run_slot,
)
from weighbridge.core.engine.meters import Unusable, list_unusable
from weighbridge.core.engine.slot_computation import Content, Element, Group
from weighbridge.core.expression import Budget
from weighbridge.core.identity import Owner
from weighbridge.core.ledger.allocation import DIMENSIONS, Partition
from weighbridge.core.model import BoundaryPolicy, Dimension, Input, Node, PreparedModel
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import BEYOND_CALENDAR, Interval, is_beyond_calendar
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid

# The data points that a model run is given, by the ids that a caller names them by.
#
# A data point that is named twice counts once. Invariant: what is named is a value of a complete event of
# the project, or a problem says why not.


FIELD = "model_run.data_point_ids"


@dataclass(frozen=True, slots=True)
class NamedDataPoint:
    """A data point that a caller named: its position in the request, and what it is."""

    index: int
    event: int
    position: int
    event_type: int
    event_type_slug: str
    slug: str
    is_complete: bool

    @property
    def field(self) -> str:
        return f"{FIELD}[{self.index}]"


async def find_named_data_points(
    tx: Read, project: int, friendly: Sequence[str]
) -> tuple[tuple[NamedDataPoint, ...], list[Problem]]:
    """Find the data points of a project that ids name, and what is wrong with the ids."""
    keys = [identity.parse("data_point", text) for text in friendly]
    indexes = {
        (key.key, key.position): index
        for index, key in reversed(list(enumerate(keys)))
        if key is not None and key.project == project and key.owner is Owner.EVENT
    }
    points = await tx.rows(
        NamedDataPoint,
        f"""
        SELECT w.index::integer, e.id, w.position, e.event_type_id, et.slug, t.slug,
               e.is_complete OR {IS_FILLED}
          FROM unnest(%(indexes)s::integer[], %(events)s::bigint[], %(positions)s::integer[])
                 AS w (index, event_id, position)
          JOIN events e ON (e.project_id, e.id) = (%(project)s, w.event_id)
          JOIN event_types et ON (et.project_id, et.id) = (e.project_id, e.event_type_id)
          JOIN data_point_types t
            ON (t.project_id, t.event_type_id, t.position) = (e.project_id, e.event_type_id, w.position)
         WHERE e.voided_at IS NULL
           AND num_nonnulls(({NUMBERS})[t.position], ({TEXTS})[t.position], ({BOOLEANS})[t.position]) > 0
         ORDER BY w.index
        """,
        {
            "project": project,
            "indexes": list(indexes.values()),
            "events": [event for event, _ in indexes],
            "positions": [position for _, position in indexes],
        },
    )
    existing_ids = {identity.of("data_point", project, point.event, point.position) for point in points}
    unknown = [
        _build_unknown_problem(index, text) for index, text in enumerate(friendly) if text not in existing_ids
    ]
    incomplete = [_build_incomplete_problem(project, point) for point in points if not point.is_complete]
    return tuple(points), unknown + incomplete


def _build_unknown_problem(index: int, text: str) -> Problem:
    field = f"{FIELD}[{index}]"
    message = f"{field} is {shorten(text)!r}, which is no data point of an event of the model's project."
    return Problem(message, field, "unknown")


def _build_incomplete_problem(project: int, point: NamedDataPoint) -> Problem:
    event = identity.of("event", project, point.event)
    message = f"{point.field} belongs to {event}, which is incomplete: a required data point is missing."
    return Problem(message, point.field, "incomplete", (event,))


# The data of a model run as the engine takes them: a slot of its own, which only what was named fills.
#
# All that generation knows of inputs holds here: how they find and match their events, and what they make
# of them. Events are read one by one, so that a problem can name them.
#
# Invariants: a value counts when its data point was named; the weight and the texts that it is joined by
# come with its event; a run has one partition, of what all its events share.


COST_MAX = 2_000_000
"""How many operations a model run may cost."""

Points = Collection[tuple[int, int]]
"""Data points by event and position."""


@dataclass(frozen=True, slots=True)
class NamedInputs:
    """What a run is computed from."""

    streams: Sequence[InputStream]
    setting: EngineSetting
    data: SlotData


async def read_named_inputs(
    tx: Read, project: int, program: PreparedModel, named_points: Sequence[NamedDataPoint], period: Interval
) -> NamedInputs:
    """What the inputs of a model find among the data points named; Invalid names inputs that find no type."""
    model = program.model
    resolved_streams = _separate_events(resolve_streams(model, await read_catalogue(tx, project)))
    points = {
        (named_point.event, named_point.position) for named_point in named_points if named_point.is_complete
    }
    selection = ByName(project, [period], {event for event, _ in points})
    statics = await read_statics(tx, project, model)
    [data] = await read_slots(tx, selection, Inputs(resolved_streams, statics, model.partition_type))
    by_number = {stream.number: stream for stream in resolved_streams.streams}
    groups = tuple(_select_named(group, by_number[group.source], points) for group in data.groups)
    zone = ZoneInfo(await tx.value("SELECT time_zone FROM projects WHERE id = %s", (project,)))
    if is_beyond_calendar(period, zone):
        raise Invalid([Problem(BEYOND_CALENDAR, "model_run.start_time", "invalid")])
    setting = EngineSetting(program, resolved_streams.measures, project, zone, Budget(COST_MAX))
    data = replace(data, groups=groups, alone=_build_standalone_context(model.partition_type, groups))
    return NamedInputs(resolved_streams.streams, setting, data)


def _separate_events(resolved_streams: ResolvedStreams) -> ResolvedStreams:
    """The streams with every event by itself, and its values once more where they were named."""
    streams = tuple(replace(stream, is_of_elements=True) for stream in resolved_streams.streams)
    width = {stream.number: len(stream.columns) for stream in streams}
    measures = {
        slug: replace(measure, is_of_elements=True, value=width[measure.source] + measure.value)
        for slug, measure in resolved_streams.measures.items()
    }
    return ResolvedStreams(streams, measures)


def _select_named(group: Group, stream: InputStream, points: Points) -> Group:
    """The events of which a value that an input reads was named, with those values behind all others."""
    positions = [column.position for column in stream.columns]
    positions_read = {read_value.column.position for read_value in stream.reads}
    return replace(
        group,
        elements=tuple(
            replace(
                element,
                values=element.values + _select_named_values(element, positions, points),
                sources=element.sources * 2,
            )
            for element in group.elements
            if any((element.event, position) in points for position in positions_read)
        ),
    )


def _select_named_values(element: Element, positions: Sequence[int], points: Points) -> tuple[Content, ...]:
    return tuple(
        value if (element.event, position) in points else None
        for value, position in zip(element.values, positions, strict=True)
    )


def _build_standalone_context(partition_type: str, groups: Sequence[Group]) -> StandaloneRunContext:
    elements = [element for group in groups for element in group.elements]
    return StandaloneRunContext(
        Partition(**_find_shared_tags(DIMENSIONS[partition_type], elements)),
        _find_shared_tags(tuple(Dimension), elements),
    )


def _find_shared_tags(names: Sequence[str], elements: Sequence[Element]) -> Mapping[str, str]:
    """The tags by which all elements that have one agree."""
    values_of = {name: {getattr(element, name) for element in elements} - {None} for name in names}
    return {name: next(iter(values)) for name, values in values_of.items() if len(values) == 1}


# Data points that were named and cannot count, each with the reason.
#
# Invariant: a data point that was named is read by an input, or refused; nothing is dropped silently.


_PASSING: Final = SQL("SELECT e.id FROM {stream} WHERE e.id = ANY (%(events)s::bigint[])")

_UNDECIDED: Final = SQL("""
    SELECT e.id, {missing} FROM events e
     WHERE e.project_id = %(project)s AND e.id = ANY (%(events)s::bigint[]) AND {truth} IS NULL
""")

_BY: Final = {BoundaryPolicy.START: ", by its start", BoundaryPolicy.END: ", by its end"}
"""The part of an event in the period, if the event is only partly in it."""


@dataclass(frozen=True, slots=True)
class UnusedInputs:
    """What is wrong with data points that no input reads, and the inputs whose data are of another period."""

    problems: tuple[Problem, ...]
    inputs: frozenset[str]


async def find_unused_data_points(
    tx: Read, project: int, inputs: NamedInputs, named_points: Sequence[NamedDataPoint]
) -> UnusedInputs:
    """The named data points that no input reads."""
    columns = {stream.number: stream.columns for stream in inputs.streams}
    used_points = {
        (element.event, column.position)
        for group in inputs.data.groups
        for element in group.elements
        for column in columns[group.source]
    }
    unused = [
        named_point
        for named_point in named_points
        if named_point.is_complete and (named_point.event, named_point.position) not in used_points
    ]
    passing = {stream.number: await _read_passing(tx, project, stream, unused) for stream in inputs.streams}
    undecided = {
        stream.number: await _read_undecided(tx, project, stream, unused) for stream in inputs.streams
    }
    problems: list[Problem] = []
    of_other_periods: set[str] = set()
    for named_point in unused:
        reading = list(_list_readers(inputs, named_point))
        outside = [node for stream, node in reading if named_point.event in passing[stream.number]]
        problems += [_build_outside_problem(project, node, named_point) for node in outside]
        of_other_periods |= {node.slug for node in outside}
        if not outside:
            open_of = [undecided[stream.number] for stream, _ in reading]
            why = [by_event[named_point.event] for by_event in open_of if named_point.event in by_event]
            problems.append(_explain_unused(inputs, named_point, is_read=bool(reading), undecided=why))
    return UnusedInputs(tuple(dict.fromkeys(problems)), frozenset(of_other_periods))


async def _read_passing(
    tx: Read, project: int, stream: InputStream, unused: Sequence[NamedDataPoint]
) -> frozenset[int]:
    """The events that pass the filter of a stream, whatever their time."""
    events = sorted({point.event for point in unused if point.event_type == stream.event_type})
    if not events:
        return frozenset()
    values = {"project": project, "event_type": stream.event_type, "events": events}
    rows = await tx.tuples(_PASSING.format(stream=select_matching(stream)), values)
    return frozenset(event for (event,) in rows)


async def _read_undecided(
    tx: Read, project: int, stream: InputStream, unused: Sequence[NamedDataPoint]
) -> dict[int, str]:
    """The events for which the filter of a stream is neither true nor false, and what that comes from."""
    events = sorted({point.event for point in unused if point.event_type == stream.event_type})
    if not events or stream.condition is None:
        return {}
    condition = stream.condition
    rows = await tx.tuples(
        _UNDECIDED.format(missing=condition.missing, truth=condition.truth),
        {"project": project, "events": events},
    )
    return {event: _open(condition.text, missing) for event, missing in rows}


def _open(condition: str, missing: Sequence[str]) -> str:
    if not missing:
        return f"the condition {condition} divides by zero for its event"
    missing_names = " and ".join(map(repr, missing))
    return (
        f"its event lacks {missing_names}, without which the condition {condition} is neither true nor false"
    )


def _list_readers(inputs: NamedInputs, point: NamedDataPoint) -> Iterator[tuple[InputStream, Node]]:
    """The inputs that read data points of its type, and their streams."""
    for stream in inputs.streams:
        for read_value in stream.reads:
            if (stream.event_type, read_value.column.position) == (point.event_type, point.position):
                yield stream, inputs.setting.program.model.node(read_value.node)


def _build_outside_problem(project: int, node: Node, point: NamedDataPoint) -> Problem:
    event = identity.of("event", project, point.event)
    rule = _BY.get(node.body.straddle, "") if isinstance(node.body, Input) else ""
    message = f"Input {node.slug!r}: {event} does not lie in the period from start_time to end_time{rule}."
    return Problem(message, FIELD, "outside_period", (event,))


def _explain_unused(
    inputs: NamedInputs, point: NamedDataPoint, *, is_read: bool, undecided: Sequence[str]
) -> Problem:
    point_name = f"{point.slug!r} of {point.event_type_slug!r}"
    read_together = {
        (stream.event_type, position) for stream in inputs.streams for position in stream.positions
    }
    why = f"no input of the model reads {point_name}"
    if undecided:
        why = undecided[0]
    elif is_read:
        why = f"the filter of every input that reads {point_name} leaves its event out"
    elif (point.event_type, point.position) in read_together:
        why = f"the model reads {point_name} only with other values of its event, of which none counts"
    return Problem(f"{point.field} cannot count: {why}.", point.field, "unused")


# Computing a model run: the engine's run over the data that were named.
#
# Invariants: what is missing or does not fit is refused in the sentences of a generation; where all is
# there and has no result, as in a division by zero, the run has failed with the reason.


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to: the value of every node, or why it failed; and what keeps it from being made."""

    values: Mapping[str, Amount]
    error_message: str | None = None
    refusals: tuple[Problem, ...] = ()


def compute(inputs: NamedInputs) -> Outcome:
    """Run the nodes over what was named."""
    ran = run_slot(inputs.setting, inputs.data)
    refusals = tuple(
        _attribute_to_request(problem) for problem in ran.problems if problem.code != NOT_COMPUTABLE
    )
    if ran.problems:
        return Outcome({}, " ".join(problem.message for problem in ran.problems), refusals)
    [run] = ran.runs
    unusable_problems = tuple(
        _build_unusable_problem(inputs, unusable) for unusable in list_unusable(inputs.setting, inputs.data)
    )
    return Outcome(
        {slug: reading.amount for slug, reading in run.readings.items()}, refusals=unusable_problems
    )


def _build_unusable_problem(inputs: NamedInputs, unusable: Unusable) -> Problem:
    """Build the problem for named readings that an input cannot use."""
    events = [element.event for element in unusable.elements]
    message = f"Input {unusable.node!r} cannot use {inputs.setting.named(events)} with the other named data."
    return Problem(message, FIELD, "unused", inputs.setting.ids_of(events))


def _attribute_to_request(problem: Problem) -> Problem:
    """A problem of events is one of the data points that were named."""
    return replace(problem, field=FIELD) if problem.records else problem
