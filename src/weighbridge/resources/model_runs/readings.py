"""What each input of a model reads of the data points that a run is given.

An input takes those of its event type and data point type whose events pass its filter, in order of time;
the weight is taken from the same event. Invariants: elements come in an order that does not depend on ids or
arrival; a value is in the unit of its data point type, and is the current one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from psycopg.sql import SQL, Composable, Identifier

from weighbridge.core.instant import Interval
from weighbridge.core.model import Aggregate
from weighbridge.core.model.aggregates import Reading
from weighbridge.db.engine import Read
from weighbridge.resources.batch_generations.sources import ReadValue, Source
from weighbridge.resources.batch_generations.where import value_of

Point = tuple[int, int]
"""A data point by its event and position."""


@dataclass(frozen=True, slots=True)
class GivenEvent:
    """An event that carries data points of the run, with its tags by number and by name."""

    number: int
    time: Interval
    tracking_id: str | None
    tags: Mapping[str, int | None]
    """The numbers of its asset, feedstock and location."""
    names: Mapping[str, str | None]
    """What a formula calls its partition by: tracking_id, feedstock and asset."""


@dataclass(frozen=True, slots=True)
class Element:
    """One value that an input reads, and the event that carries it."""

    event: GivenEvent
    reading: Reading


Readings = Mapping[str, tuple[Element, ...]]
"""The elements of every input, by the slug of its node."""

_TAGS: Final = ("asset", "feedstock", "location")

_READ: Final = SQL("""
    SELECT e.id, e.start_time, e.end_time, e.tracking_id, e.asset_id, e.feedstock_id, e.location_ids[1],
           a.name, f.name, {columns}
      FROM events e
      LEFT JOIN assets a ON (a.project_id, a.id) = (e.project_id, e.asset_id)
      LEFT JOIN feedstocks f ON (f.project_id, f.id) = (e.project_id, e.feedstock_id)
     WHERE e.project_id = %(project)s AND e.id = ANY (%(events)s) AND e.event_type_id = %(event_type)s
       AND e.is_complete AND e.voided_at IS NULL AND {where}
     ORDER BY e.start_time, e.end_time, e.tracking_id COLLATE "C", e.client_reference COLLATE "C",
              {order}, e.id
""")


async def read_sources(
    tx: Read, project: int, sources: Sequence[Source], points: Collection[Point]
) -> dict[str, tuple[Element, ...]]:
    """The elements of every input among the data points given."""
    events = sorted({event for event, _ in points})
    found: dict[str, tuple[Element, ...]] = {}
    for source in sources:
        found |= await _read(tx, project, source, events, frozenset(points))
    return found


async def _read(
    tx: Read, project: int, source: Source, events: Sequence[int], points: frozenset[Point]
) -> dict[str, tuple[Element, ...]]:
    values = [column for read in source.reads for column in _columns(read)]
    names = [Identifier(f"v{index}") for index in range(len(values))]
    statement = _READ.format(
        columns=SQL(", ").join(
            SQL("{} AS {}").format(value, name) for value, name in zip(values, names, strict=True)
        ),
        where=source.where,
        order=SQL(", ").join(names),
    )
    given = {"project": project, "event_type": source.event_type, "events": list(events)}
    rows = [(_event(row), row[_FIRST_VALUE:]) for row in await tx.tuples(statement, given)]
    return {
        read.node: tuple(
            Element(event, _reading(read, event, cells[2 * index : 2 * index + 2]))
            for event, cells in rows
            if (event.number, read.column.position) in points
        )
        for index, read in enumerate(source.reads)
    }


def _columns(read: ReadValue) -> tuple[Composable, Composable]:
    return value_of(read.column), value_of(read.weight) if read.weight else SQL("NULL")


_FIRST_VALUE: Final = 9


def _event(row: Sequence[Any]) -> GivenEvent:
    number, start, end, tracking_id, asset, feedstock, location, asset_name, feedstock_name = row[
        :_FIRST_VALUE
    ]
    return GivenEvent(
        number,
        Interval(start, end),
        tracking_id,
        dict(zip(_TAGS, (asset, feedstock, location), strict=True)),
        {"tracking_id": tracking_id, "feedstock": feedstock_name, "asset": asset_name},
    )


def _reading(read: ReadValue, event: GivenEvent, cells: Sequence[Any]) -> Reading:
    """A value as an aggregate takes it; what is only counted may be no number."""
    value, weight = cells
    return Reading(event.time, Decimal(1) if read.aggregate is Aggregate.COUNT else value, weight)
