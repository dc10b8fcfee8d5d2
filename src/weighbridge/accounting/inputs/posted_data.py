"""What posted batches were made of, as they saw it: events, static inputs, partitions and draws, by slot.

A verification reads them to compute batches anew, and trials to repeat them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, LiteralString

import msgspec

from weighbridge.accounting.inputs.selection import ByLineage
from weighbridge.accounting.inputs.slot_data import Inputs, read_slots
from weighbridge.accounting.inputs.static_values import Statics, read_statics
from weighbridge.accounting.inputs.streams import Catalogue, ResolvedStreams, resolve_streams
from weighbridge.core.engine import SlotData
from weighbridge.core.engine.run import find_partitions_of_data
from weighbridge.core.engine.slot_computation import Drawing, Drawn, SourceLedgerView
from weighbridge.core.ledger.allocation import (
    HALF_EVEN,
    Contributions,
    LedgerRounding,
    Partition,
    ValueSource,
    read_columns,
)
from weighbridge.core.ledger.drawing import Drawer, SourceBatch
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.model import Aggregate, Available, Input, Model, Upstream
from weighbridge.core.model.definition import NO_COVERAGE
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.uncertainty.effects import Uncertainty, read_uncertainty
from weighbridge.core.unit import ONE, Unit, parse_unit
from weighbridge.db.engine import Read
from weighbridge.db.statements import moments
from weighbridge.errors import Refusal

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


# What batches had drawn, and what they saw of other ledgers.


@dataclass(frozen=True, slots=True)
class RunAsUsed:
    """A run, and the batch whose lineage has its inputs."""

    slot: Interval
    partition: Partition
    batch: int


class _Draw(msgspec.Struct, frozen=True):
    batch: int
    node: str
    source: int
    start_time: Instant
    end_time: Instant
    tracking_id: str
    ledger: int
    unit: str
    scale: int
    rounding: LedgerRounding
    amount: Decimal
    attributes: list[Decimal]
    units: list[str]
    contributions: list[Decimal | None] | None
    uncertainties: list[dict[str, Any]] | None

    @property
    def drawn(self) -> Drawn:
        slot = Interval(self.start_time, self.end_time)
        return Drawn(
            self.node,
            SourceBatch(self.source, self.ledger, slot, self.tracking_id, Partition(), Decimal(0)),
            self.amount,
            tuple(self.attributes),
            tuple(map(parse_unit, self.units)),
            tuple(self._rests_on()),
            tuple(self._read_uncertainties()),
        )

    def _read_uncertainties(self) -> Iterator[Uncertainty]:
        """What the amount and each attribute brought along, in the units of the node."""
        try:
            yield from map(read_uncertainty, self.uncertainties or ())
        except ValueError as error:
            raise Refusal(f"of what was drawn of batch {self.source}, {error}") from error

    def _rests_on(self) -> Iterator[Contributions | None]:
        """What the batch knew of the sources of the amount and of each attribute."""
        width = len(ValueSource)
        for column in range(1 + len(self.attributes)):
            column_amounts = (self.contributions or [None] * width * (1 + len(self.attributes)))[
                width * column :
            ]
            known_amounts = [amount for amount in column_amounts[:width] if amount is not None]
            yield read_columns(known_amounts) if len(known_amounts) == width else None


async def read_drawing(
    tx: Read, project: int, model: Model, slots: Sequence[Interval], runs: Sequence[RunAsUsed]
) -> list[Drawing | None]:
    """What the nodes of each slot drew and saw; None for a model that looks at no other ledger."""
    nodes = {node.slug: node.body for node in model.nodes if isinstance(node.body, Upstream | Available)}
    if not nodes:
        return [None] * len(slots)
    by_batch = {run.batch: run for run in runs}
    draws = await tx.rows(_Draw, _DRAWS, (project, list(by_batch)))
    seen_rows = await tx.tuples(_SEEN, (project, list(by_batch), sorted(nodes)))
    recorded: dict[Drawer, tuple[Drawn, ...]] = {}
    for draw in draws:
        drawer = _build_drawer(by_batch[draw.batch], draw.node)
        recorded[drawer] = (*recorded.get(drawer, ()), draw.drawn)
    source_ledgers = await _read_source_ledgers(
        tx, project, nodes, {draw_row.node: draw_row for draw_row in draws}
    )
    values = {_build_drawer(by_batch[batch], slug): value for batch, slug, value in seen_rows}
    return [Drawing(slot, Pool((), {}), source_ledgers, recorded=recorded, seen=values) for slot in slots]


def _build_drawer(run: RunAsUsed, node: str) -> Drawer:
    return Drawer(run.slot, run.partition, node)


async def _read_source_ledgers(
    tx: Read, project: int, nodes: Mapping[str, Upstream | Available], draws: Mapping[str, _Draw]
) -> dict[str, SourceLedgerView]:
    """The ledgers as the nodes drew from them; of a node that drew nothing, by the name that it gives."""
    rows = await tx.tuples(
        "SELECT name, id, unit, scale, rounding FROM ledgers WHERE project_id = %s AND name = ANY (%s)",
        (project, sorted({body.ledger for body in nodes.values()})),
    )
    ledgers_by_name = {name: (number, unit, scale, how) for name, number, unit, scale, how in rows}
    unknown = (0, str(ONE), 0, HALF_EVEN)
    source_ledgers = {}
    for slug, body in nodes.items():
        draw = draws.get(slug)
        drawn_from = (draw.ledger, draw.unit, draw.scale, draw.rounding) if draw else None
        number, unit, scale, rounding = drawn_from or ledgers_by_name.get(body.ledger, unknown)
        source_ledgers[slug] = SourceLedgerView(
            number, body.ledger, parse_unit(unit), scale, _read_attributes(body, draw), rounding
        )
    return source_ledgers


def _read_attributes(body: Upstream | Available, draw: _Draw | None) -> dict[str, Unit]:
    """The units of what travelled along; where nothing did, nothing depends on them."""
    written_attributes = body.attributes if isinstance(body, Upstream) else {}
    units = (
        [parse_unit(unit) for unit in draw.units]
        if draw
        else [unit or ONE for unit in written_attributes.values()]
    )
    return dict(zip(written_attributes, units, strict=True))


_DRAWS = """
    SELECT d.batch_id, d.node, source.id, source.start_time, source.end_time, source.tracking_id, l.id,
           l.unit, l.scale, l.rounding, d.amount, d.attributes, d.units, d.contributions,
           d.uncertainties
      FROM batch_draws d
      JOIN batches source ON (source.project_id, source.id) = (d.project_id, d.source_batch_id)
      JOIN ledgers l ON (l.project_id, l.id) = (source.project_id, source.ledger_id)
     WHERE d.project_id = %s AND d.batch_id = ANY (%s) ORDER BY d.batch_id, d.node, d.place
"""
_SEEN = """
    SELECT batch_id, slug, value FROM batch_calculations
     WHERE project_id = %s AND batch_id = ANY (%s) AND slug = ANY (%s) AND value IS NOT NULL
"""
