"""Input data: the rows of values that a batch was made of, read a slice at a time.

Lineage stands in chunks of events in time order, so the rows of any page are found by arithmetic and
read by primary key; no page costs more than another.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.core import ids
from weighbridge.core.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.resources.batches.records import InputDataPoint, InputEvent, InputRow
from weighbridge.resources.events.queries import event_id
from weighbridge.resources.projects.queries import project_id as friendly_project

CHUNK_SIZE: Final = 1000
"""Events in one row of lineage."""


class InputSet(msgspec.Struct, frozen=True):
    """Events that some nodes of a batch read, and the positions that they read of each."""

    batch: int
    number: int
    event_type: int
    event_type_slug: str
    nodes: list[str]
    positions: list[int]
    event_count: int

    @property
    def row_count(self) -> int:
        return self.event_count * len(self.positions)


@dataclass(frozen=True, slots=True)
class Slice:
    """Some consecutive events of one set."""

    inputs: InputSet
    first: int
    count: int
    skip: int
    """Rows of the first event that stand before the slice."""
    rows: int


class StoredEvent(msgspec.Struct, frozen=True):
    """An event of a slice with its values."""

    slice: int
    number: int
    tracking_id: str | None
    start_time: Instant
    end_time: Instant
    numbers: list[Decimal | None]
    texts: list[str | None]
    booleans: list[bool | None]

    def value_at(self, position: int) -> Decimal | str | bool | None:
        """The value that stands at a position; None when the event carries none."""
        for values in (self.numbers, self.texts, self.booleans):
            if position <= len(values) and (value := values[position - 1]) is not None:
                return value
        return None

    def number_at(self, position: int) -> Decimal | None:
        """The number that stands at a position; an array ends with its last value."""
        return self.numbers[position - 1] if position <= len(self.numbers) else None


async def input_sets(tx: Read, project: int, batches: Sequence[int]) -> dict[int, list[InputSet]]:
    """The input sets of several batches, in their order."""
    found: dict[int, list[InputSet]] = {batch: [] for batch in batches}
    for one in await tx.rows(
        InputSet,
        """
        SELECT s.batch_id, s.set_number, s.event_type_id, t.slug, s.nodes, s.positions, s.event_count
          FROM batch_input_sets s
          JOIN event_types t ON (t.project_id, t.id) = (s.project_id, s.event_type_id)
         WHERE s.project_id = %s AND s.batch_id = ANY (%s)
         ORDER BY s.batch_id, s.set_number
        """,
        (project, list(batches)),
    ):
        found[one.batch].append(one)
    return found


async def rows_between(
    tx: Read, project: int, sets: Mapping[int, Sequence[InputSet]], offset: int, limit: int
) -> dict[int, list[InputRow]]:
    """Some consecutive rows of each batch's input data: by set, by time, by position."""
    slices = [piece for of_batch in sets.values() for piece in _slices(of_batch, offset, limit)]
    names = await measures(tx, project, {piece.inputs.event_type for piece in slices})
    rows: dict[int, list[InputRow]] = {batch: [] for batch in sets}
    stored = await _stored(tx, project, slices)
    for index, piece in enumerate(slices):
        width = len(piece.inputs.positions)
        of_slice = [
            _row(project, event, position, *names[piece.inputs.event_type, position])
            for event in stored[index]
            for position in piece.inputs.positions
        ]
        cut = piece.skip
        rows[piece.inputs.batch] += of_slice[cut : cut + piece.rows]
        assert len(of_slice) == piece.count * width, "lineage names an event that is not there"  # noqa: S101
    return rows


async def first_events(
    tx: Read, project: int, sets: Sequence[InputSet], limit: int
) -> list[list[StoredEvent]]:
    """The first events of each set."""
    slices = [Slice(one, 0, min(limit, one.event_count), 0, 0) for one in sets]
    return await _stored(tx, project, slices)


def _slices(sets: Sequence[InputSet], offset: int, limit: int) -> Iterator[Slice]:
    for one in sets:
        width = len(one.positions)
        start, stop = max(0, offset), min(one.row_count, offset + limit)
        if start < stop:
            first, last = start // width, -(-stop // width)
            yield Slice(one, first, last - first, start - first * width, stop - start)
        offset -= one.row_count


async def _stored(tx: Read, project: int, slices: Sequence[Slice]) -> list[list[StoredEvent]]:
    """The events of every slice, in one statement."""
    found: list[list[StoredEvent]] = [[] for _ in slices]
    for event in await tx.rows(
        StoredEvent,
        """
        WITH wanted AS (
            SELECT * FROM unnest(%(batches)s::bigint[], %(sets)s::smallint[], %(firsts)s::integer[],
                                 %(counts)s::integer[])
                     WITH ORDINALITY AS w (batch_id, set_number, first, count, slice)
        ), named AS (
            SELECT w.slice, c.chunk * %(size)s + part.place - 1 - w.first AS place, w.count, part.event_id
              FROM wanted w
              JOIN batch_inputs c ON c.project_id = %(project)s
               AND (c.batch_id, c.set_number) = (w.batch_id, w.set_number)
               AND c.chunk BETWEEN w.first / %(size)s AND (w.first + w.count - 1) / %(size)s,
                   unnest(c.event_ids) WITH ORDINALITY AS part (event_id, place)
        )
        SELECT named.slice, e.id, e.tracking_id, e.start_time, e.end_time, e.numbers, e.texts, e.booleans
          FROM named JOIN events e ON e.project_id = %(project)s AND e.id = named.event_id
         WHERE named.place >= 0 AND named.place < named.count
         ORDER BY named.slice, named.place
        """,
        {
            "size": CHUNK_SIZE,
            "project": project,
            "batches": [piece.inputs.batch for piece in slices],
            "sets": [piece.inputs.number for piece in slices],
            "firsts": [piece.first for piece in slices],
            "counts": [piece.count for piece in slices],
        },
    ):
        found[event.slice - 1].append(event)
    return found


async def measures(
    tx: Read, project: int, event_types: Collection[int]
) -> dict[tuple[int, int], tuple[str, str | None]]:
    """Slug and unit of every position of some event types."""
    rows = await tx.tuples(
        """
        SELECT event_type_id, position, slug, unit FROM data_point_types
         WHERE project_id = %s AND event_type_id = ANY (%s)
        """,
        (project, list(event_types)),
    )
    return {(event_type, position): (slug, unit) for event_type, position, slug, unit in rows}


def _row(project: int, event: StoredEvent, position: int, slug: str, unit: str | None) -> InputRow:
    value = event.value_at(position)
    point = ids.make(ids.PREFIXES["data_point"], ids.Key(project, event.number, position))
    return InputRow(
        InputDataPoint(point, slug, unit, value, value, substituted=False, imputed=False, substitution=None),
        InputEvent(friendly_project(project), event_id(project, event.number)),
    )
