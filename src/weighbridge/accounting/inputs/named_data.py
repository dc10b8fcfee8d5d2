"""The data of a model run as the engine takes them: a slot of its own, which only what was named fills.

All that generation knows of inputs holds here: how they find and match their events, and what they make of
them. Events are read one by one, so that a problem can name them.

Invariants: a value counts when its data point was named; the weight and the texts that it is joined by come
with its event; a run has one partition, of what all its events share.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from weighbridge.accounting.inputs.named_data_points import NamedDataPoint
from weighbridge.accounting.inputs.selection import ByName
from weighbridge.accounting.inputs.slot_data import Inputs, read_slots
from weighbridge.accounting.inputs.statics import statics_of
from weighbridge.accounting.inputs.streams import InputStream, Resolved, catalogue_of, streams_of
from weighbridge.core.engine import Alone, EngineSetting, SlotData
from weighbridge.core.engine.element import Content, Element
from weighbridge.core.engine.statistics import Group
from weighbridge.core.expression import Budget
from weighbridge.core.ledger.partition import DIMENSIONS, Partition
from weighbridge.core.model import Dimension, PreparedModel
from weighbridge.core.problem import Problem
from weighbridge.core.time.cadence import BEYOND_CALENDAR, reaches_over_calendar
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid

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
    tx: Read, project: int, program: PreparedModel, named: Sequence[NamedDataPoint], period: Interval
) -> NamedInputs:
    """What the inputs of a model find among the data points named; Invalid names inputs that find no type."""
    model = program.model
    resolved = _event_by_event(streams_of(model, await catalogue_of(tx, project)))
    points = {(one.event, one.position) for one in named if one.is_complete}
    selection = ByName(project, [period], {event for event, _ in points})
    statics = await statics_of(tx, project, model)
    [data] = await read_slots(tx, selection, Inputs(resolved, statics, model.partition_type))
    by_number = {stream.number: stream for stream in resolved.streams}
    groups = tuple(_only_named(group, by_number[group.source], points) for group in data.groups)
    zone = ZoneInfo(await tx.value("SELECT time_zone FROM projects WHERE id = %s", (project,)))
    if reaches_over_calendar(period, zone):
        raise Invalid([Problem(BEYOND_CALENDAR, "model_run.start_time", "invalid")])
    setting = EngineSetting(program, resolved.measures, project, zone, Budget(COST_MAX))
    data = replace(data, groups=groups, alone=_alone(model.partition_type, groups))
    return NamedInputs(resolved.streams, setting, data)


def _event_by_event(resolved: Resolved) -> Resolved:
    """The streams with every event by itself, and its values once more where they were named."""
    streams = tuple(replace(stream, is_of_elements=True) for stream in resolved.streams)
    width = {stream.number: len(stream.columns) for stream in streams}
    measures = {
        slug: replace(measure, is_of_elements=True, value=width[measure.source] + measure.value)
        for slug, measure in resolved.measures.items()
    }
    return Resolved(streams, measures)


def _only_named(group: Group, stream: InputStream, points: Points) -> Group:
    """The events of which a value that an input reads was named, with those values behind all others."""
    positions = [column.position for column in stream.columns]
    positions_read = {read.column.position for read in stream.reads}
    return replace(
        group,
        elements=tuple(
            replace(
                element,
                values=element.values + _named_values(element, positions, points),
                sources=element.sources * 2,
            )
            for element in group.elements
            if any((element.event, position) in points for position in positions_read)
        ),
    )


def _named_values(element: Element, positions: Sequence[int], points: Points) -> tuple[Content, ...]:
    return tuple(
        value if (element.event, position) in points else None
        for value, position in zip(element.values, positions, strict=True)
    )


def _alone(partition_type: str, groups: Sequence[Group]) -> Alone:
    elements = [element for group in groups for element in group.elements]
    return Alone(
        Partition(**_shared(DIMENSIONS[partition_type], elements)), _shared(tuple(Dimension), elements)
    )


def _shared(names: Sequence[str], elements: Sequence[Element]) -> Mapping[str, str]:
    """The tags by which all elements that have one agree."""
    values_of = {name: {getattr(element, name) for element in elements} - {None} for name in names}
    return {name: next(iter(values)) for name, values in values_of.items() if len(values) == 1}
