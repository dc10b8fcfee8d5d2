"""Input data: the rows of values that a batch was made of, read a slice at a time.

Lineage stands in chunks of events in time order, so the rows of any page are found by arithmetic and
read by primary key; no page costs more than another.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import msgspec

from weighbridge.accounting.batches.records import InputDataPoint, InputEvent, InputRow
from weighbridge.accounting.books.chunks import CHUNK_SIZE
from weighbridge.accounting.tracing.skipped_inputs import skipped_rows
from weighbridge.collection.events.records import Substitution
from weighbridge.collection.measurements.corrected import substitutions_numbered
from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read

Content = Decimal | str | bool | None


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
    """An event of a slice with its values as the batch saw them, and as they were captured."""

    slice: int
    number: int
    tracking_id: str | None
    start_time: Instant
    end_time: Instant
    numbers: list[Decimal | None]
    texts: list[str | None]
    booleans: list[bool | None]
    raw_numbers: list[Decimal | None]
    raw_texts: list[str | None]
    raw_booleans: list[bool | None]
    is_imputed: bool
    substituted: list[int]
    """The positions at which the batch saw another value in place of the captured one."""
    substitutions: list[int]
    """The numbers of the corrections that put it there, one for each position."""

    def value_at(self, position: int) -> Content:
        """The value that stands at a position; None when the event carries none."""
        return _at(position, self.numbers, self.texts, self.booleans)

    def raw_value_at(self, position: int) -> Content:
        """The captured value; None when a rule made the event for a slot without a measurement."""
        if self.is_imputed:
            return None
        return _at(position, self.raw_numbers, self.raw_texts, self.raw_booleans)

    def number_at(self, position: int) -> Decimal | None:
        """The number that stands at a position; an array ends with its last value."""
        return self.numbers[position - 1] if position <= len(self.numbers) else None


async def input_data(
    tx: Read, project: int, batches: Sequence[int], offset: int, limit: int
) -> dict[int, tuple[list[InputRow], int]]:
    """Some consecutive rows of each batch's input data, and how many it has; what was set aside is last."""
    sets = await input_sets(tx, project, batches)
    rows = await rows_between(tx, project, sets, offset, limit)
    skipped = await skipped_rows(tx, project, batches)
    pages = {}
    for batch in batches:
        measured = sum(one.row_count for one in sets[batch])
        first = max(0, offset - measured)
        rest = skipped[batch][first : first + limit - len(rows[batch])]
        pages[batch] = ([*rows[batch], *rest], measured + len(skipped[batch]))
    return pages


async def input_sets(tx: Read, project: int, batches: Sequence[int]) -> dict[int, list[InputSet]]:
    """The input sets of several batches, in their order."""
    sets: dict[int, list[InputSet]] = {batch: [] for batch in batches}
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
        sets[one.batch].append(one)
    return sets


async def rows_between(
    tx: Read, project: int, sets: Mapping[int, Sequence[InputSet]], offset: int, limit: int
) -> dict[int, list[InputRow]]:
    """Some consecutive rows of each batch's input data: by set, by time, by position."""
    slices = [piece for of_batch in sets.values() for piece in _slices(of_batch, offset, limit)]
    names = await slugs_and_units(tx, project, {piece.inputs.event_type for piece in slices})
    rows: dict[int, list[InputRow]] = {batch: [] for batch in sets}
    stored = await _stored(tx, project, slices)
    numbers = {number for events in stored for event in events for number in event.substitutions}
    named = await substitutions_numbered(tx, project, numbers)
    for index, piece in enumerate(slices):
        width = len(piece.inputs.positions)
        of_slice = [
            _row(project, event, position, names[piece.inputs.event_type, position], named)
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
    by_slice: list[list[StoredEvent]] = [[] for _ in slices]
    for event in await tx.rows(
        StoredEvent,
        """
        WITH slices AS (
            SELECT * FROM unnest(%(batches)s::bigint[], %(sets)s::smallint[], %(firsts)s::integer[],
                                 %(counts)s::integer[])
                     WITH ORDINALITY AS w (batch_id, set_number, first, count, slice)
        ), named AS (
            SELECT w.slice, w.batch_id, c.chunk * %(size)s + part.rank - 1 - w.first AS position, w.count,
                   part.event_id
              FROM slices w
              JOIN batch_inputs c ON c.project_id = %(project)s
               AND (c.batch_id, c.set_number) = (w.batch_id, w.set_number)
               AND c.chunk BETWEEN w.first / %(size)s AND (w.first + w.count - 1) / %(size)s,
                   unnest(c.event_ids) WITH ORDINALITY AS part (event_id, rank)
        )
        SELECT named.slice, e.id, e.tracking_id, e.start_time, e.end_time,
               CASE WHEN e.is_revised THEN numbers_as_used(e, named.batch_id) ELSE e.numbers END,
               CASE WHEN e.is_revised THEN texts_as_used(e, named.batch_id) ELSE e.texts END,
               CASE WHEN e.is_revised THEN booleans_as_used(e, named.batch_id) ELSE e.booleans END,
               e.numbers, e.texts, e.booleans, e.is_imputed,
               coalesce(substituted.positions, '{}'), coalesce(substituted.numbers, '{}')
          FROM named JOIN events e ON e.project_id = %(project)s AND e.id = named.event_id
          LEFT JOIN LATERAL (
               SELECT array_agg(c.position::integer ORDER BY c.position) AS positions,
                      array_agg(c.id ORDER BY c.position) AS numbers
                 FROM batch_corrections used
                 JOIN corrections c ON (c.project_id, c.id) = (used.project_id, used.correction_id)
                WHERE used.project_id = %(project)s AND used.batch_id = named.batch_id
                  AND c.event_id = e.id AND c.source = 'substitution') AS substituted ON e.is_revised
         WHERE named.position >= 0 AND named.position < named.count
         ORDER BY named.slice, named.position
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
        by_slice[event.slice - 1].append(event)
    return by_slice


async def slugs_and_units(
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


def _row(
    project: int,
    event: StoredEvent,
    position: int,
    named_as: tuple[str, str | None],
    named: Mapping[int, Substitution],
) -> InputRow:
    slug, unit = named_as
    number = dict(zip(event.substituted, event.substitutions, strict=True)).get(position)
    point = ids.of("data_point", project, event.number, position)
    return InputRow(
        InputDataPoint(
            point,
            slug,
            unit,
            event.value_at(position),
            event.raw_value_at(position),
            substituted=number is not None,
            imputed=event.is_imputed,
            substitution=None if number is None else named[number],
        ),
        InputEvent(ids.of("project", project), ids.of("event", project, event.number)),
    )


def _at(position: int, *arrays: Sequence[Content]) -> Content:
    for values in arrays:
        if position <= len(values) and (value := values[position - 1]) is not None:
            return value
    return None
