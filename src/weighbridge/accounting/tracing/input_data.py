"""Read the input data of batches page by page, including zeros for skipped inputs.

Events are stored in chunks in time order, so the rows of any page are located by arithmetic and read by
primary key. Every page costs the same.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Final

import msgspec
from psycopg.rows import TupleRow

from weighbridge.accounting.books.runs import CHUNK_SIZE
from weighbridge.accounting.records.batches import InputDataPoint, InputEvent, InputRow
from weighbridge.collection.measurements.annotations import substitutions_numbered
from weighbridge.collection.records.events import Substitution
from weighbridge.core import identity
from weighbridge.core.number import ZERO
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Command, Read

# Skipped inputs: data point types that the caller set aside when a batch was made.
#
# Each is listed in the batch's input data as a zero without an event, so that readers see what is missing.


async def read_skipped_nodes(tx: Read, project: int, batch: int) -> frozenset[str]:
    """The nodes of a batch whose data were set aside."""
    rows = await tx.tuples(
        "SELECT node FROM batch_skipped_inputs WHERE project_id = %s AND batch_id = %s", (project, batch)
    )
    return frozenset(node for (node,) in rows)


def ask_for_skipped(project: int, batches: Sequence[int]) -> Command:
    """The question for what was set aside of some batches."""
    return _OF_BATCHES, (project, list(batches))


def group_skipped(
    project: int, batches: Sequence[int], answers: Sequence[TupleRow]
) -> Mapping[int, list[InputRow]]:
    """Return the rows of excluded inputs, by batch."""
    rows: dict[int, list[InputRow]] = {batch: [] for batch in batches}
    for batch, slug, unit in answers:
        point = InputDataPoint(
            None, slug, unit, ZERO, None, substituted=False, imputed=False, substitution=None,
            skipped_input=True,
        )  # fmt: skip
        rows[batch].append(InputRow(point, InputEvent(identity.of("project", project), None)))
    return rows


_OF_BATCHES: Final = """
    SELECT DISTINCT s.batch_id, t.slug, t.unit
      FROM batch_skipped_inputs s
      JOIN data_point_types t ON (t.project_id, t.id) = (s.project_id, s.data_point_type_id)
     WHERE s.project_id = %s AND s.batch_id = ANY (%s) ORDER BY 1, 2
"""


# Input data: the rows of values that a batch was made of, read a slice at a time.
#
# Lineage is stored in chunks of events in time order, so the rows of any page are found by arithmetic and
# read by primary key; no page costs more than another.


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
    """Rows of the first event before the slice."""
    rows: int


class StoredEvent(msgspec.Struct, frozen=True):
    """An event of a slice with its values as the batch saw them, and as they were captured."""

    batch: int
    set_number: int
    number: int
    numbers: list[Decimal | None]
    texts: list[str | None]
    booleans: list[bool | None]
    captured_numbers: list[Decimal | None] | None
    captured_texts: list[str | None] | None
    captured_booleans: list[bool | None] | None
    """The captured values, if the event has corrections."""
    is_imputed: bool
    substituted: list[int]
    """The positions at which the batch saw another value in place of the captured one."""
    substitutions: list[int]
    """The numbers of the corrections that put it there, one for each position."""

    @property
    def is_as_captured(self) -> bool:
        """Whether the event never had a correction, and no rule created it."""
        return self.captured_numbers is None and not self.is_imputed

    def value_at(self, position: int) -> Content:
        """Return the value at a position; None if the event has none."""
        return _select_value(position, self.numbers, self.texts, self.booleans)

    def raw_value_at(self, position: int) -> Content:
        """The captured value; None when a rule made the event for a slot without a measurement."""
        if self.is_imputed:
            return None
        return _select_value(
            position,
            self.numbers if self.captured_numbers is None else self.captured_numbers,
            self.texts if self.captured_texts is None else self.captured_texts,
            self.booleans if self.captured_booleans is None else self.captured_booleans,
        )

    def number_at(self, position: int) -> Decimal | None:
        """Return the number at a position; an array ends with its last value."""
        return self.numbers[position - 1] if position <= len(self.numbers) else None


class PlacedEvent(StoredEvent, frozen=True):
    """An event of a slice with what lineage shows of it in addition to its values."""

    tracking_id: str | None
    start_time: Instant
    end_time: Instant


@dataclass(frozen=True, slots=True)
class RowRange:
    """Some consecutive rows of the input data of each of some batches."""

    project: int
    batches: Sequence[int]
    offset: int
    limit: int

    @property
    def questions(self) -> tuple[Command, ...]:
        """What is asked to read them; none waits for another."""
        of_batches = (self.project, list(self.batches))
        values = {
            "size": CHUNK_SIZE, "project": self.project, "batches": list(self.batches),
            "offset": self.offset, "limit": self.limit,
        }  # fmt: skip
        return (
            (_SETS, of_batches),
            (_SLUGS_AND_UNITS_OF_BATCHES, (self.project, *of_batches)),
            (_EVENTS_OF_ROWS, values),
            ask_for_skipped(*of_batches),
        )


async def read_input_data(tx: Read, row_range: RowRange) -> dict[int, tuple[list[InputRow], int]]:
    """Some consecutive rows of each batch's input data, and how many it has; what was set aside is last."""
    return await build_input_data(tx, row_range, await tx.several(*row_range.questions))


async def build_input_data(
    tx: Read, row_range: RowRange, answers: Sequence[Sequence[TupleRow]]
) -> dict[int, tuple[list[InputRow], int]]:
    """The rows by batch, and how many each batch has, of the answers to what was asked for them."""
    project, batches, offset, limit = row_range.project, row_range.batches, row_range.offset, row_range.limit
    sets = _group_by_batch(batches, answers[0])
    stored_events = [StoredEvent(*row) for row in answers[2]]
    rows = await _read_rows(tx, row_range, sets, _index_names(answers[1]), stored_events)
    skipped_rows = group_skipped(project, batches, answers[3])
    pages = {}
    for batch in batches:
        measured_count = sum(set_.row_count for set_ in sets[batch])
        first = max(0, offset - measured_count)
        skipped_of_page = skipped_rows[batch][first : first + limit - len(rows[batch])]
        pages[batch] = ([*rows[batch], *skipped_of_page], measured_count + len(skipped_rows[batch]))
    return pages


async def find_offset(tx: Read, project: int, batch: int, event: int) -> int | None:
    """How many rows of a batch's input data stand before the first of an event; None if it has none."""
    values = {"size": CHUNK_SIZE, "project": project, "batch": batch, "event": event}
    rows = await tx.tuples(_OFFSET, values)
    return int(rows[0][0]) if rows else None


async def read_input_sets(tx: Read, project: int, batches: Sequence[int]) -> dict[int, list[InputSet]]:
    """The input sets of several batches, in their order."""
    return _group_by_batch(batches, await tx.tuples(_SETS, (project, list(batches))))


def _group_by_batch(batches: Sequence[int], rows: Sequence[TupleRow]) -> dict[int, list[InputSet]]:
    sets: dict[int, list[InputSet]] = {batch: [] for batch in batches}
    for row in rows:
        input_set = InputSet(*row)
        sets[input_set.batch].append(input_set)
    return sets


async def _read_rows(
    tx: Read,
    row_range: RowRange,
    sets: Mapping[int, Sequence[InputSet]],
    names: Mapping[tuple[int, int], tuple[str, str | None]],
    stored_events: Sequence[StoredEvent],
) -> dict[int, list[InputRow]]:
    """Some consecutive rows of each batch's input data: by set, by time, by position."""
    numbers = {number for event in stored_events for number in event.substitutions}
    substitutions = await substitutions_numbered(tx, row_range.project, numbers)
    of_set: dict[tuple[int, int], list[StoredEvent]] = {}
    for event in stored_events:
        of_set.setdefault((event.batch, event.set_number), []).append(event)
    rows: dict[int, list[InputRow]] = {batch: [] for batch in sets}
    slices = (_cut_slices(of_batch, row_range.offset, row_range.limit) for of_batch in sets.values())
    for piece in chain.from_iterable(slices):
        events = of_set.get((piece.inputs.batch, piece.inputs.number), [])
        meanings = [
            (position, *names[piece.inputs.event_type, position]) for position in piece.inputs.positions
        ]
        of_slice = _build_rows(row_range.project, events, meanings, substitutions)
        rows[piece.inputs.batch] += of_slice[piece.skip : piece.skip + piece.rows]
        assert len(events) == piece.count, "lineage names an event that is not there"  # noqa: S101
    return rows


async def read_first_events(
    tx: Read, project: int, sets: Sequence[InputSet], limit: int
) -> list[list[PlacedEvent]]:
    """The first events of each set."""
    first_events: dict[tuple[int, int], list[PlacedEvent]] = {(set_.batch, set_.number): [] for set_ in sets}
    for event in await tx.rows(
        PlacedEvent,
        _FIRST_EVENTS,
        {
            "size": CHUNK_SIZE,
            "project": project,
            "batches": [set_.batch for set_ in sets],
            "sets": [set_.number for set_ in sets],
            "counts": [min(limit, set_.event_count) for set_ in sets],
        },
    ):
        first_events[event.batch, event.set_number].append(event)
    return [*first_events.values()]


def _cut_slices(sets: Sequence[InputSet], offset: int, limit: int) -> Iterator[Slice]:
    for set_ in sets:
        width = len(set_.positions)
        start, stop = max(0, offset), min(set_.row_count, offset + limit)
        if start < stop:
            first, last = start // width, -(-stop // width)
            yield Slice(set_, first, last - first, start - first * width, stop - start)
        offset -= set_.row_count


async def read_slugs_and_units(
    tx: Read, project: int, event_types: Collection[int]
) -> dict[tuple[int, int], tuple[str, str | None]]:
    """Slug and unit of every position of some event types."""
    return _index_names(await tx.tuples(_SLUGS_AND_UNITS, (project, list(event_types))))


def _index_names(rows: Sequence[TupleRow]) -> dict[tuple[int, int], tuple[str, str | None]]:
    return {(event_type, position): (slug, unit) for event_type, position, slug, unit in rows}


def _build_rows(
    project: int,
    events: Sequence[StoredEvent],
    meanings: Sequence[tuple[int, str, str | None]],
    substitutions: Mapping[int, Substitution],
) -> list[InputRow]:
    """A row for each position of events that was read; a page of batches has hundreds."""
    of_project = identity.of("project", project)
    rows = []
    for event in events:
        of_event = InputEvent(of_project, identity.of("event", project, event.number))
        substituted = dict(zip(event.substituted, event.substitutions, strict=True))
        for position, slug, unit in meanings:
            number = substituted.get(position)
            value = event.value_at(position)
            point = InputDataPoint(
                identity.of("data_point", project, event.number, position),
                slug,
                unit,
                value,
                value if event.is_as_captured else event.raw_value_at(position),
                substituted=number is not None and not event.is_imputed,
                imputed=event.is_imputed,
                substitution=None if number is None else substitutions[number],
            )
            rows.append(InputRow(point, of_event))
    return rows


def _select_value(position: int, *arrays: Sequence[Content]) -> Content:
    for values in arrays:
        if position <= len(values) and (value := values[position - 1]) is not None:
            return value
    return None


_SETS: Final = """
    SELECT s.batch_id, s.set_number, s.event_type_id, t.slug, s.nodes, s.positions, s.event_count
      FROM batch_input_sets s
      JOIN event_types t ON (t.project_id, t.id) = (s.project_id, s.event_type_id)
     WHERE s.project_id = %s AND s.batch_id = ANY (%s)
     ORDER BY s.batch_id, s.set_number
"""
_SLUGS_AND_UNITS: Final = """
    SELECT event_type_id, position, slug, unit FROM data_point_types
     WHERE project_id = %s AND event_type_id = ANY (%s)
"""
_SLUGS_AND_UNITS_OF_BATCHES: Final = """
    SELECT event_type_id, position, slug, unit FROM data_point_types
     WHERE project_id = %s AND event_type_id = ANY (ARRAY(
           SELECT event_type_id FROM batch_input_sets WHERE project_id = %s AND batch_id = ANY (%s)))
"""

# The events of slices: so many of a set from its first on, which are stored in chunks of the same size.
_NAMED_EVENTS: Final = """
    named AS (
        SELECT w.batch_id, w.set_number, c.chunk * %(size)s + part.rank - 1 - w.first AS position, w.count,
               part.event_id
          FROM slices w
          JOIN batch_inputs c ON c.project_id = %(project)s
           AND (c.batch_id, c.set_number) = (w.batch_id, w.set_number)
           AND c.chunk BETWEEN w.first / %(size)s AND (w.first + w.count - 1) / %(size)s,
               unnest(c.event_ids) WITH ORDINALITY AS part (event_id, rank)
    )
"""
_VALUES: Final = """
    named.batch_id, named.set_number, e.id,
    CASE WHEN e.is_revised THEN numbers_as_used(ROW(e.*)::events, named.batch_id) ELSE e.numbers END,
    CASE WHEN e.is_revised THEN texts_as_used(ROW(e.*)::events, named.batch_id) ELSE e.texts END,
    CASE WHEN e.is_revised THEN booleans_as_used(ROW(e.*)::events, named.batch_id) ELSE e.booleans END,
    CASE WHEN e.is_revised THEN captured_numbers_as_used(ROW(e.*)::events, named.batch_id) END,
    CASE WHEN e.is_revised THEN captured_texts_as_used(ROW(e.*)::events, named.batch_id) END,
    CASE WHEN e.is_revised THEN captured_booleans_as_used(ROW(e.*)::events, named.batch_id) END, e.is_imputed,
    coalesce(substituted.positions, '{}'), coalesce(substituted.numbers, '{}')
"""
_WITH_EVENTS: Final = """
      FROM named JOIN events e ON e.project_id = %(project)s AND e.id = named.event_id
      LEFT JOIN LATERAL (
           SELECT array_agg(c.position::integer ORDER BY c.position) AS positions,
                  array_agg(c.id ORDER BY c.position) AS numbers
             FROM batch_corrections used
             JOIN corrections c ON (c.project_id, c.id) = (used.project_id, used.correction_id)
            WHERE used.project_id = %(project)s AND used.batch_id = named.batch_id
              AND c.event_id = e.id
              AND c.source IN ('substitution', 'adjustment')) AS substituted ON e.is_revised
     WHERE named.position >= 0 AND named.position < named.count
     ORDER BY named.batch_id, named.set_number, named.position
"""
_FIRST_EVENTS: Final = f"""
    WITH slices AS (
        SELECT w.batch_id, w.set_number, 0 AS first, w.count
          FROM unnest(%(batches)s::bigint[], %(sets)s::smallint[], %(counts)s::integer[])
               AS w (batch_id, set_number, count)
    ), {_NAMED_EVENTS}
    SELECT {_VALUES}, e.tracking_id, e.start_time, e.end_time {_WITH_EVENTS}
"""

# What `_cut_slices` does, for the rows of all sets of each batch one behind the other.
_EVENTS_OF_ROWS: Final = f"""
    WITH behind AS (
        SELECT batch_id, set_number, cardinality(positions) AS width,
               event_count * cardinality(positions) AS rows,
               %(offset)s - coalesce(sum(event_count * cardinality(positions)) OVER (
                    PARTITION BY batch_id ORDER BY set_number
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::bigint AS skipped
          FROM batch_input_sets WHERE project_id = %(project)s AND batch_id = ANY (%(batches)s)
    ), bounded AS (
        SELECT batch_id, set_number, width, greatest(0, skipped) AS start,
               least(rows, skipped + %(limit)s) AS stop
          FROM behind
    ), slices AS (
        SELECT batch_id, set_number, start / width AS first,
               (stop + width - 1) / width - start / width AS count
          FROM bounded WHERE start < stop
    ), {_NAMED_EVENTS}
    SELECT {_VALUES} {_WITH_EVENTS}
"""

_OFFSET: Final = """
    WITH placed AS (
        SELECT set_number, cardinality(positions) AS width,
               coalesce(sum(event_count * cardinality(positions)) OVER (
                    ORDER BY set_number
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::bigint AS before
          FROM batch_input_sets WHERE project_id = %(project)s AND batch_id = %(batch)s
    )
    SELECT placed.before + (c.chunk * %(size)s + array_position(c.event_ids, %(event)s::bigint) - 1) * width
      FROM placed JOIN batch_inputs c USING (set_number)
     WHERE c.project_id = %(project)s AND c.batch_id = %(batch)s
       AND %(event)s BETWEEN c.first_event AND c.last_event AND %(event)s = ANY (c.event_ids)
     ORDER BY set_number LIMIT 1
"""
