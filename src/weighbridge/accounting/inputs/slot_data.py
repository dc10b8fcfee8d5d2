"""The data of slots: statistics and elements of every stream, and static inputs, as the engine takes them.

A selection by slot finds them anew; one by lineage takes those that batches were made of. The engine cannot
tell which it was, so what is recomputed is what was computed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weighbridge.accounting.inputs.elements import read_elements
from weighbridge.accounting.inputs.selection import EventSelection, Partners, select_events
from weighbridge.accounting.inputs.statics import Statics
from weighbridge.accounting.inputs.streams import InputStream, Resolved
from weighbridge.accounting.inputs.sums import aggregate
from weighbridge.core.engine import SlotData
from weighbridge.core.engine.element import Element, Measure
from weighbridge.core.engine.statistics import Group
from weighbridge.core.ledger.partition import DIMENSIONS
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read

EVERY_SLOT = -1
"""The index that stands for every slot: data that are matched whatever their date."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a model reads in a project, and how it cuts what it reads."""

    resolved: Resolved
    statics: Statics
    partition_type: str


async def read_slots(
    tx: Read, selection: EventSelection, inputs: Inputs, skipped: Sequence[frozenset[str]] = ()
) -> list[SlotData]:
    """The data of every slot of a selection, in its order; `skipped` are the nodes set aside there."""
    resolved, partition_type = inputs.resolved, inputs.partition_type
    by_slot: list[list[Group]] = [[] for _ in selection.slots]
    by_stream: dict[int, list[Element]] = {}
    for stream in _targets_first(resolved.streams):
        partners = _partners(stream, resolved, by_stream)
        events = select_events(selection, stream, DIMENSIONS[partition_type], partners)
        read = read_elements if stream.is_of_elements else aggregate
        groups = await read(tx, selection.project, stream, events, partition_type)
        for index, group in groups:
            for slot in by_slot if index == EVERY_SLOT else [by_slot[index]]:
                slot.append(group)
        by_stream[stream.number] = [element for _, group in groups for element in group.elements]
    return [
        SlotData(slot, tuple(groups), inputs.statics, skipped[index] if skipped else frozenset())
        for index, (slot, groups) in enumerate(zip(selection.slots, by_slot, strict=True))
    ]


def _targets_first(streams: Sequence[InputStream]) -> list[InputStream]:
    """Sources that are found by what they are joined to come last."""
    return sorted(streams, key=lambda stream: stream.join is not None)


def _partners(
    stream: InputStream, resolved: Resolved, by_stream: Mapping[int, Sequence[Element]]
) -> Partners | None:
    """What the events of a joined stream must match."""
    if stream.join is None:
        return None
    target = resolved.measures[stream.join.to]
    own = resolved.measures[stream.reads[0].node]
    elements = by_stream.get(target.source, ())
    keys = {_key(own, element) for element in elements}
    starts = [element.time.start for element in elements]
    ends = [element.time.end for element in elements]
    if not starts:
        return None
    return Partners(frozenset(key for key in keys if key is not None), Interval(min(starts), max(ends)))


def _key(own: Measure, target: Element) -> str | None:
    if own.target_key is None:
        return target.tracking_id
    key = target.values[own.target_key]
    return key if isinstance(key, str) else None
