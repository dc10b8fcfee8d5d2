"""Data points that were named and cannot count, each with the reason.

Invariant: a data point that was named is read by an input, or refused; nothing is dropped silently.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from psycopg.sql import SQL

from weighbridge.accounting.inputs.named_data import NamedInputs
from weighbridge.accounting.inputs.named_data_points import FIELD, NamedDataPoint
from weighbridge.accounting.inputs.streams import InputStream, matching
from weighbridge.core.identity import ids
from weighbridge.core.model import Input, Node, Straddle
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read

_PASSING: Final = SQL("SELECT e.id FROM {stream} WHERE e.id = ANY (%(events)s::bigint[])")

_UNDECIDED: Final = SQL("""
    SELECT e.id, {missing} FROM events e
     WHERE e.project_id = %(project)s AND e.id = ANY (%(events)s::bigint[]) AND {truth} IS NULL
""")

_BY: Final = {Straddle.START: ", by its start", Straddle.END: ", by its end"}
"""What of an event lies in the period, where that is not all of it."""


@dataclass(frozen=True, slots=True)
class Unused:
    """What is wrong with data points that no input reads, and the inputs whose data are of another period."""

    problems: tuple[Problem, ...]
    inputs: frozenset[str]


async def unused_data_points(
    tx: Read, project: int, inputs: NamedInputs, named: Sequence[NamedDataPoint]
) -> Unused:
    """The named data points that no input reads."""
    columns = {stream.number: stream.columns for stream in inputs.streams}
    used = {
        (element.event, column.position)
        for group in inputs.data.groups
        for element in group.elements
        for column in columns[group.source]
    }
    unused = [one for one in named if one.is_complete and (one.event, one.position) not in used]
    passing = {stream.number: await _passing(tx, project, stream, unused) for stream in inputs.streams}
    undecided = {stream.number: await _undecided(tx, project, stream, unused) for stream in inputs.streams}
    problems: list[Problem] = []
    of_other_periods: set[str] = set()
    for one in unused:
        reading = list(_reading(inputs, one))
        outside = [node for stream, node in reading if one.event in passing[stream.number]]
        problems += [_outside(project, node, one) for node in outside]
        of_other_periods |= {node.slug for node in outside}
        if not outside:
            open_of = [undecided[stream.number] for stream, _ in reading]
            why = [by_event[one.event] for by_event in open_of if one.event in by_event]
            problems.append(_nowhere(inputs, one, is_read=bool(reading), undecided=why))
    return Unused(tuple(dict.fromkeys(problems)), frozenset(of_other_periods))


async def _passing(
    tx: Read, project: int, stream: InputStream, unused: Sequence[NamedDataPoint]
) -> frozenset[int]:
    """The events that pass the filter of a stream, whatever their time."""
    events = sorted({one.event for one in unused if one.event_type == stream.event_type})
    if not events:
        return frozenset()
    values = {"project": project, "event_type": stream.event_type, "events": events}
    rows = await tx.tuples(_PASSING.format(stream=matching(stream)), values)
    return frozenset(event for (event,) in rows)


async def _undecided(
    tx: Read, project: int, stream: InputStream, unused: Sequence[NamedDataPoint]
) -> dict[int, str]:
    """The events for which the filter of a stream is neither true nor false, and what that comes from."""
    events = sorted({one.event for one in unused if one.event_type == stream.event_type})
    if not events or stream.condition is None:
        return {}
    read = stream.condition
    rows = await tx.tuples(
        _UNDECIDED.format(missing=read.missing, truth=read.truth), {"project": project, "events": events}
    )
    return {event: _open(read.text, missing) for event, missing in rows}


def _open(condition: str, missing: Sequence[str]) -> str:
    if not missing:
        return f"the condition {condition} divides by zero for its event"
    lacks = " and ".join(map(repr, missing))
    return f"its event lacks {lacks}, without which the condition {condition} is neither true nor false"


def _reading(inputs: NamedInputs, one: NamedDataPoint) -> Iterator[tuple[InputStream, Node]]:
    """The inputs that read data points of its type, and their streams."""
    for stream in inputs.streams:
        for read in stream.reads:
            if (stream.event_type, read.column.position) == (one.event_type, one.position):
                yield stream, inputs.setting.program.model.node(read.node)


def _outside(project: int, node: Node, one: NamedDataPoint) -> Problem:
    event = ids.of("event", project, one.event)
    by = _BY.get(node.body.straddle, "") if isinstance(node.body, Input) else ""
    said = f"Input {node.slug!r}: {event} does not lie in the period from start_time to end_time{by}."
    return Problem(said, FIELD, "outside_period", (event,))


def _nowhere(inputs: NamedInputs, one: NamedDataPoint, *, is_read: bool, undecided: Sequence[str]) -> Problem:
    what = f"{one.slug!r} of {one.event_type_slug!r}"
    beside = {(stream.event_type, position) for stream in inputs.streams for position in stream.positions}
    why = f"no input of the model reads {what}"
    if undecided:
        why = undecided[0]
    elif is_read:
        why = f"the filter of every input that reads {what} leaves its event out"
    elif (one.event_type, one.position) in beside:
        why = f"the model reads {what} only beside other values of its event, of which none counts"
    return Problem(f"{one.field} cannot count: {why}.", one.field, "unused")
