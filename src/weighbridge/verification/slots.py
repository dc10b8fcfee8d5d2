"""The slots that are recomputed together, and the inputs that their batches had: events, static inputs,
partitions.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, LiteralString, Protocol

import msgspec
from psycopg.sql import SQL, Composable, Composed

from weighbridge.accounting.inputs.selection import STORED_EVENTS, ByLineage
from weighbridge.accounting.inputs.slot_data import Inputs, Statics, read_slots, read_statics
from weighbridge.accounting.inputs.streams import Catalogue, ResolvedStreams, resolve_streams
from weighbridge.core.engine import SlotData
from weighbridge.core.engine.run import find_partitions_of_data
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.model import Aggregate, Input, Model
from weighbridge.core.model.definition import NO_COVERAGE
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.statements import Literal, moments

# Portions: the slots of generations in pieces that are recomputed together, so that memory stays flat.
#
# A slot is computed whole, because amounts that were shared over partitions can only be divided again with
# all of them at hand; beyond that nothing binds slots together. Large generations are taken in several
# portions, and small ones of the same model version together, so that neither costs more than its batches.
#
# Invariant: a portion is of one model version in one project.


BATCHES_AT_ONCE: Final = 500
"""Batches that are held in memory at a time; a slot with more is held whole."""

EVENTS_AT_ONCE: Final = 50_000
"""Events of their lineages that are held at a time; a slot with more is held whole."""

UNITS_READ: Final = 1000
"""Slots that are asked for at a time, before it is known how many of them make a portion."""


class ComputedSlot(msgspec.Struct, frozen=True):
    """A slot as one generation computed it by one version of a model."""

    project: int
    family: int
    model: int
    task: int
    newest_batch: int
    """The last batch of the generation: what came later it did not see."""
    time_zone: str
    by_event: bool
    event: int | None
    tracking_id: str | None
    start_time: Instant | None
    end_time: Instant | None
    ledgers: list[int]
    """Those on which it made batches there."""
    batch_count: int
    event_count: int

    @property
    def frame(self) -> tuple[int, int, int]:
        """What all units of a portion share."""
        return self.project, self.family, self.model

    @property
    def slot(self) -> tuple[object, ...]:
        """The identity of the slot."""
        return self.event, self.tracking_id, self.start_time, self.end_time


async def portions(tx: Read, project: int | None, since: Instant | None) -> AsyncIterator[list[ComputedSlot]]:
    """Every slot of every generation, or of those of one project or since a moment, in portions."""
    portion: list[ComputedSlot] = []
    batches = events = 0
    async for rows in tx.portions(_units(project, since), UNITS_READ):
        for unit in (ComputedSlot(*row) for row in rows):
            is_full = (
                batches + unit.batch_count > BATCHES_AT_ONCE or events + unit.event_count > EVENTS_AT_ONCE
            )
            if portion and (is_full or portion[0].frame != unit.frame):
                yield portion
                portion, batches, events = [], 0, 0
            portion.append(unit)
            batches += unit.batch_count
            events += unit.event_count
    if portion:
        yield portion


def _units(project: int | None, since: Instant | None) -> Composed:
    conditions: list[Composable] = [SQL("true")]
    if project is not None:
        conditions.append(SQL("b.project_id = {}").format(Literal(project)))
    if since is not None:
        conditions.append(SQL("b.created_at >= {}").format(Literal(since)))
    return SQL(_UNITS).format(SQL(" AND ").join(conditions))


def columns_of(units: Sequence[ComputedSlot]) -> dict[str, list[object]]:
    """Units as the arrays that a statement takes; see the statement of `recomputation`."""
    return {
        "newest_batches": [unit.newest_batch for unit in units],
        "tasks": [unit.task for unit in units],
        "events": [unit.event for unit in units],
        "tracking_ids": [unit.tracking_id for unit in units],
        "starts": [unit.start_time for unit in units],
        "ends": [unit.end_time for unit in units],
        "ledgers": [f"{{{','.join(map(str, unit.ledgers))}}}" for unit in units],
    }


# A verification reads all of them once; PostgreSQL sorts, and returns a thousand at a time.
_UNITS: Final = """
    SELECT b.project_id, m.family_id, b.model_id, b.async_task_id,
           max(max(b.id)) OVER (PARTITION BY b.project_id, m.family_id, b.model_id, b.async_task_id),
           p.time_zone, r.by_event, r.event_id,
           CASE WHEN r.by_event AND r.event_id IS NULL THEN r.tracking_id END AS tracking_id,
           CASE WHEN NOT r.by_event THEN r.start_time END AS start_time,
           CASE WHEN NOT r.by_event THEN r.end_time END AS end_time,
           array_agg(DISTINCT b.ledger_id), count(*), coalesce(sum(used.event_count), 0)::bigint
      FROM batches b
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
      JOIN models m ON m.id = b.model_id
      JOIN projects p ON p.id = b.project_id
      LEFT JOIN (SELECT project_id, batch_id, sum(event_count) AS event_count FROM batch_input_sets
                  GROUP BY project_id, batch_id) AS used
        ON (used.project_id, used.batch_id) = (b.project_id, b.id)
     WHERE {}
     GROUP BY 1, 2, 3, 4, 6, 7, 8, 9, 10, 11
     ORDER BY 1, 2, 3, 4, 10, 11, 8, 9
"""


# What batches were made of, as they saw it: events, static inputs and inputs set aside, by slot.


Chosen = Sequence[tuple[int, int]]
"""Pairs of a slot's index and a batch whose lineage has the data of that slot."""


async def inputs_apart(
    tx: Read, project: int, model: Model, catalogue: Catalogue, chosen_batches: Chosen
) -> dict[int, frozenset[str]]:
    """Return by slot the inputs that its batches read separately: their data were named or excluded."""
    known_slugs = {stream.node_slugs for stream in resolve_streams(model, catalogue).streams}
    separate_nodes = {
        slot: {str(node) for node in nodes}
        for slot, nodes in (await _by_slot(tx, project, _SKIPPED, chosen_batches)).items()
    }
    for slot, sets in (await _by_slot(tx, project, _NODES, chosen_batches)).items():
        separate_nodes.setdefault(slot, set()).update(
            node for nodes in sets if nodes not in known_slugs for node in nodes
        )
    return {slot: frozenset(nodes) for slot, nodes in separate_nodes.items()}


async def data_as_used(
    tx: Read, model: Model, lineage: ByLineage, as_used: ResolvedStreams
) -> tuple[ResolvedStreams, list[SlotData]]:
    """The data of slots as batches saw them, and what the model's inputs read of it."""
    project, chosen_batches = lineage.project, lineage.batches
    # What is expected of an event type may have changed since; the data covered the slot when they were used.
    resolved_streams = ResolvedStreams(
        as_used.streams,
        {slug: replace(measure, coverage=NO_COVERAGE) for slug, measure in as_used.measures.items()},
    )
    used_statics = await _by_slot(tx, project, _STATICS, chosen_batches)
    statics = await read_statics(
        tx, project, model, {number for slot in used_statics.values() for number in slot}
    )
    skipped_nodes = await _by_slot(tx, project, _SKIPPED, chosen_batches)
    data = await read_slots(
        tx,
        lineage,
        Inputs(resolved_streams, statics, model.partition_type),
        [frozenset(map(str, skipped_nodes.get(index, ()))) for index in range(len(lineage.slots))],
    )
    return resolved_streams, [
        replace(slot_data, statics=_only(statics, used_statics.get(index, set())))
        for index, slot_data in enumerate(data)
    ]


def _only(statics: Statics, numbers: set[Any]) -> Statics:
    """The values that the batches of one slot read; later ones may have been added before its time since."""
    return {
        slug: tuple(value for value in values if value.number in numbers) for slug, values in statics.items()
    }


async def _by_slot(
    tx: Read, project: int, statement: LiteralString, chosen_batches: Chosen
) -> dict[int, set[Any]]:
    by_slot: dict[int, set[Any]] = {}
    for slot, value in await tx.tuples(
        statement, (project, [slot for slot, _ in chosen_batches], [batch for _, batch in chosen_batches])
    ):
        by_slot.setdefault(slot, set()).add(tuple(value) if isinstance(value, list) else value)
    return by_slot


_STATICS: Final = """
    SELECT chosen.slot, used.static_input_id
      FROM (SELECT %s::integer AS project_id) AS project,
           unnest(%s::integer[], %s::bigint[]) AS chosen (slot, batch_id)
      JOIN batch_static_inputs used USING (batch_id)
     WHERE used.project_id = project.project_id
"""
_SKIPPED: Final = """
    SELECT chosen.slot, used.node
      FROM (SELECT %s::integer AS project_id) AS project,
           unnest(%s::integer[], %s::bigint[]) AS chosen (slot, batch_id)
      JOIN batch_skipped_inputs used USING (batch_id)
     WHERE used.project_id = project.project_id
"""
_NODES: Final = """
    SELECT DISTINCT chosen.slot, used.nodes
      FROM (SELECT %s::integer AS project_id) AS project,
           unnest(%s::integer[], %s::bigint[]) AS chosen (slot, batch_id)
      JOIN batch_input_sets used USING (batch_id)
     WHERE used.project_id = project.project_id
"""


# Partitions that batches are of although nothing that they were made of says so.
#
# Version 1.0.0 left the only reading of a partition out of what its batch was made of when other readings
# counted in it. Such a batch is computed with its partition named, where the project has a reading that
# makes it run; generating its slot again keeps the reading.


@dataclass(frozen=True, slots=True)
class LineageReading:
    """What a project's batches of one model version are read with."""

    tx: Read
    project: int
    model: Model
    streams: ResolvedStreams


Placed = tuple[int, Partition]
"""The index of a slot, and the partition of a batch of it that has a total."""


async def with_named_partitions(
    reading: LineageReading, data: Sequence[SlotData], batches: Collection[Placed]
) -> list[SlotData]:
    """The same data, with the partitions named that batches are of and that only readings they lack make."""
    model = reading.model
    partitions_of_data = [set(find_partitions_of_data(model, slot_data.groups)) for slot_data in data]
    missing_partitions = sorted(
        {(index, partition) for index, partition in batches if partition not in partitions_of_data[index]}
    )
    counted_slots = {
        node.slug
        for node in model.partitioning
        if isinstance(node.body, Input) and node.body.aggregate is Aggregate.DELTA
    }
    types = sorted(
        {stream.event_type for stream in reading.streams.streams if counted_slots & set(stream.node_slugs)}
    )
    if not missing_partitions or not types:
        return list(data)
    rows = await reading.tx.tuples(
        _HAVE_READINGS,
        {
            "project": reading.project,
            "types": types,
            "starts": moments(data[index].slot.start for index, _ in missing_partitions),
            "ends": moments(data[index].slot.end for index, _ in missing_partitions),
            "tracking_ids": [partition.tracking_id for _, partition in missing_partitions],
            "feedstocks": [partition.feedstock for _, partition in missing_partitions],
            "assets": [partition.asset for _, partition in missing_partitions],
        },
    )
    named_partitions: dict[int, set[Partition]] = {}
    for (number,) in rows:
        index, partition = missing_partitions[number - 1]
        named_partitions.setdefault(index, set()).add(partition)
    return [
        replace(slot_data, named=frozenset(named_partitions.get(index, ())))
        for index, slot_data in enumerate(data)
    ]


_HAVE_READINGS: Final = """
    SELECT lacking.number
      FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(tracking_ids)s::text[],
                  %(feedstocks)s::text[], %(assets)s::text[])
           WITH ORDINALITY AS lacking (start_time, end_time, tracking_id, feedstock, asset, number)
     WHERE EXISTS (
        SELECT FROM events e
          LEFT JOIN feedstocks f ON (f.project_id, f.id) = (e.project_id, e.feedstock_id)
          LEFT JOIN assets a ON (a.project_id, a.id) = (e.project_id, e.asset_id)
         WHERE e.project_id = %(project)s AND e.event_type_id = ANY (%(types)s)
           AND e.start_time <= lacking.end_time AND e.end_time >= lacking.start_time
           AND (lacking.tracking_id IS NULL OR e.tracking_id = lacking.tracking_id)
           AND (lacking.feedstock IS NULL OR f.name = lacking.feedstock)
           AND (lacking.asset IS NULL OR a.name = lacking.asset))
"""


# Event sources: where recomputation reads the events that batches were made of.
#
# The inputs of a batch are in its lineage, which names events; their rows come from the database, or from
# whatever else holds them, such as an archive. Corrections, models and postings are the database's.


@dataclass(frozen=True, slots=True)
class MissingEvents:
    """How many of the events that a batch names a source does not have."""

    missing: int
    events: int


class EventSource(Protocol):
    """Holds events ready, portion by portion."""

    @property
    def events(self) -> Composable:
        """Return the source of an event's columns: `FROM …` with the row `e` of `slot.event_id`."""

    async def hold(self, project: int, batches: Sequence[int]) -> Mapping[int, MissingEvents]:
        """Have the events of some batches ready; gives the batches some of whose events are not there."""

    async def outdated(self, project: int, batches: Collection[int]) -> Collection[int]:
        """Those of some batches that saw their events in a later state than this source has."""


class DatabaseEvents:
    """The events of the database itself."""

    events: Composable = STORED_EVENTS

    async def hold(self, _project: int, _batches: Sequence[int]) -> Mapping[int, MissingEvents]:
        return {}

    async def outdated(self, _project: int, _batches: Collection[int]) -> Collection[int]:
        return ()


STORED: Final = DatabaseEvents()
