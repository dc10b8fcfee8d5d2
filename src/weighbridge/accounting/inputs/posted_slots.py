"""Slots as generations computed them, computed again from what their batches were made of.

A verification compares the results with what is kept; trials repeat them. A slot is computed whole, because
amounts that were shared over partitions can only be divided again with all of them at hand.

Invariant: a portion is of one model version in one project; the engine cannot tell that it computes again.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from operator import attrgetter
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from psycopg.sql import SQL, Composable, Composed

from weighbridge.accounting.books.runs import RunRow
from weighbridge.accounting.inputs.posted_data import (
    LineageReading,
    RunAsUsed,
    data_as_used,
    inputs_apart,
    read_drawing,
    with_named_partitions,
)
from weighbridge.accounting.inputs.posted_statements import (
    calibrate_at,
    read_catalogue_at,
    read_last_changes,
)
from weighbridge.accounting.inputs.selection import STORED_EVENTS, ByLineage
from weighbridge.accounting.inputs.streams import (
    Catalogue,
    ResolvedStreams,
    read_summed_elements,
    resolve_streams,
)
from weighbridge.core.engine import EngineSetting, PartitionRun, SlotData, SlotRun, run_slot
from weighbridge.core.ledger.allocation import LedgerRounding
from weighbridge.core.model import Available, Model, Upstream, prepare
from weighbridge.core.time.calendar import Instant, Interval, identify_slot
from weighbridge.db.engine import Read
from weighbridge.db.statements import Literal

# Which slots: those of generations, with the batches that these made there.


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


def select_units(
    project: int | None, since: Instant | None = None, batches: Collection[int] | None = None
) -> Composed:
    """Select the slots of every generation, or those of a project, since a moment, or with some batches."""
    conditions: list[Composable] = [SQL("true")]
    having: Composable = SQL("true")
    if project is not None:
        conditions.append(SQL("b.project_id = {}").format(Literal(project)))
    if since is not None:
        conditions.append(SQL("b.created_at >= {}").format(Literal(since)))
    if batches is not None:
        numbers = Literal(sorted(batches))
        conditions.append(SQL(_TASKS_OF_BATCHES).format(numbers))
        having = SQL("bool_or(b.id = ANY ({}))").format(numbers)
    return SQL(_UNITS).format(SQL(" AND ").join(conditions), having)


_TASKS_OF_BATCHES: Final = """
    (b.project_id, b.async_task_id) IN (
        SELECT made.project_id, made.async_task_id FROM batches made
         WHERE made.project_id = b.project_id AND made.id = ANY ({}))"""

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
    HAVING {}
     ORDER BY 1, 2, 3, 4, 10, 11, 8, 9
"""


class BatchAsPosted(RunRow, frozen=True):
    """The newest batch of a run and ledger by the end of a generation."""

    position: int
    """That of its slot, in the portion."""
    number: int
    name: str
    run: int
    is_of_generation: bool
    is_there: bool
    """Not deleted: once all batches are, the project's clock may be set anew."""
    output: str
    unit: str
    scale: int
    rounding: LedgerRounding
    share_places: int
    """Where the shares of its run were cut."""
    total: Decimal
    model_sha256: bytes
    fingerprint: bytes
    engine_revision: int
    uncertainty_sha256: bytes | None
    event_count: int

    @property
    def comes_to(self) -> bool:
        """Whether it was made of anything; a run that vanished was not."""
        return bool(self.event_count or self.total)


# What they come to, from what their batches were made of.


@dataclass(frozen=True, slots=True)
class PostedReading:
    """What slots are read with."""

    tx: Read
    catalogue: Catalogue
    events: Composable = field(default_factory=lambda: STORED_EVENTS)
    """Where the events themselves are read, such as of an archive."""
    pooled_from: int | None = None
    """Of so many readings only sums are read where sums suffice, and fewer are read one by one; then the
    runs say how uncertain they are and what they were read of. None where only results are asked for.
    """


@dataclass(frozen=True, slots=True)
class PostedSlots:
    """Slots whose inputs are in the same streams, with what they come to."""

    model: Model
    setting: EngineSetting
    streams: ResolvedStreams
    data: Sequence[SlotData]
    runs: Sequence[SlotRun]
    batches: Sequence[BatchAsPosted]
    _index_of: Mapping[tuple[int, int], int]

    def slot_run_of(self, batch: BatchAsPosted) -> SlotRun:
        """What the slot of a batch comes to."""
        return self.runs[self._index_of[batch.number, batch.position]]

    def run_of(self, batch: BatchAsPosted) -> PartitionRun | None:
        """The run of a batch; None if its events make none of its partition."""
        runs = self.slot_run_of(batch).runs
        return next((run for run in runs if run.partition == batch.partition), None)

    def data_of(self, batch: BatchAsPosted) -> SlotData:
        """The data of a batch's slot."""
        return self.data[self._index_of[batch.number, batch.position]]


async def read_posted_batches(tx: Read, portion: Sequence[ComputedSlot]) -> list[BatchAsPosted]:
    """Of every run in the slots the newest batch that was there by then, on each ledger."""
    first = portion[0]
    key = {"project": first.project, "family": first.family, "model": first.model}
    return await tx.rows(BatchAsPosted, _BATCHES, {**key, **columns_of(portion)})


async def compute_posted_slots(
    reading: PostedReading,
    portion: Sequence[ComputedSlot],
    model: Model,
    batches: Sequence[BatchAsPosted],
) -> list[PostedSlots]:
    """Compute the slots of some batches from what these were made of."""
    tx, catalogue, first = reading.tx, reading.catalogue, portion[0]
    newest = {(batch.position, batch.run): batch for batch in sorted(batches, key=attrgetter("number"))}
    newest_batches = [(batch.position, batch.number) for batch in newest.values()]
    separate_inputs = await inputs_apart(tx, first.project, model, catalogue, newest_batches)
    summed = (
        {}
        if reading.pooled_from is None
        else await find_long_inputs(tx, first.project, newest_batches, reading.pooled_from)
    )
    rounds = (
        _rounds(portion) if any(isinstance(node.body, Upstream | Available) for node in model.nodes) else {}
    )
    tasks = sorted({unit.task for unit in portion})
    changes = await read_last_changes(tx, first.project, model, tasks)
    groups: dict[tuple[int, _GroupInputs], list[BatchAsPosted]] = {}
    for batch in batches:
        place, nothing = batch.position, frozenset[str]()
        inputs = _GroupInputs(
            separate_inputs.get(place, nothing), summed.get(place, nothing), changes[portion[place].task]
        )
        groups.setdefault((rounds.get(place, 0), inputs), []).append(batch)
    return [
        await _compute_group(reading, portion, model, inputs, of_group)
        for (_, inputs), of_group in groups.items()
    ]


class _GroupInputs(NamedTuple):
    """How the inputs of slots are read that are computed together."""

    separate: frozenset[str]
    """Those that are read apart from others of their event type."""
    long: frozenset[str]
    """Those of which sums are read, because they are long."""
    moment: int
    """When the statements of their uncertainty held, as `known_from` has it."""


async def _compute_group(
    reading: PostedReading,
    portion: Sequence[ComputedSlot],
    model: Model,
    inputs: _GroupInputs,
    batches: Sequence[BatchAsPosted],
) -> PostedSlots:
    """Compute slots whose inputs are in the same streams."""
    tx, first = reading.tx, portion[0]
    newest = {(batch.position, batch.run): batch for batch in sorted(batches, key=attrgetter("number"))}
    slot_of = _slots_of(batches)
    slots = sorted(set(slot_of.values()), key=lambda unit: (unit[0], unit[1].start, unit[1].end))
    index_of = {slot: index for index, slot in enumerate(slots)}
    placed_rows = [(index_of[slot_of[row.number, row.position]], row) for row in newest.values()]
    newest_batches = [(index, row.number) for index, row in placed_rows]
    times = [slot for _, slot in slots]
    lineage = ByLineage(first.project, times, newest_batches, reading.events)
    streams = await _resolve(reading, first.project, model, inputs)
    resolved_streams, data = await data_as_used(tx, model, lineage, streams)
    runs_as_used = [
        RunAsUsed(slot_of[row.number, row.position][1], row.partition, row.number) for row in newest.values()
    ]
    drawings = await read_drawing(tx, first.project, model, times, runs_as_used)
    data = [replace(of_slot, drawing=drawing) for of_slot, drawing in zip(data, drawings, strict=True)]
    placed = [(index, row.partition) for index, row in placed_rows if row.comes_to]
    lineage_reading = LineageReading(tx, first.project, model, resolved_streams)
    data = await with_named_partitions(lineage_reading, data, placed)
    for_trials = reading.pooled_from is not None
    setting = EngineSetting(
        prepare(model),
        resolved_streams.measures,
        first.project,
        ZoneInfo(first.time_zone),
        says_contributions=not for_trials,
        says_uncertainty=True,
        keeps_reads=for_trials,
    )
    runs = await tx.in_thread(_run, setting, data)
    places = {key: index_of[slot] for key, slot in slot_of.items()}
    return PostedSlots(model, setting, resolved_streams, data, runs, batches, places)


async def _resolve(
    reading: PostedReading,
    project: int,
    model: Model,
    inputs: _GroupInputs,
) -> ResolvedStreams:
    """The streams of a model, with what was stated of their values then, if the model asks for it."""
    if model.uncertainty is None:
        return resolve_streams(model, reading.catalogue, inputs.separate)
    catalogue = await read_catalogue_at(reading.tx, project, reading.catalogue, inputs.moment)
    streams = resolve_streams(model, catalogue, inputs.separate, with_uncertainty=True)
    if reading.pooled_from is not None:
        streams = read_summed_elements(streams, inputs.long)
    return await calibrate_at(reading.tx, project, streams, inputs.moment)


async def find_long_inputs(
    tx: Read, project: int, batches: Sequence[tuple[int, int]], length: int
) -> dict[int, frozenset[str]]:
    """The inputs of batches that have so many readings, by the index of their slot."""
    rows = await tx.tuples(
        _LONG, (project, [slot for slot, _ in batches], [batch for _, batch in batches], length)
    )
    long: dict[int, set[str]] = {}
    for slot, nodes in rows:
        long.setdefault(slot, set()).update(nodes)
    return {slot: frozenset(nodes) for slot, nodes in long.items()}


_LONG: Final = """
    SELECT chosen.slot, used.nodes
      FROM (SELECT %s::integer AS project_id) AS project,
           unnest(%s::integer[], %s::bigint[]) AS chosen (slot, batch_id)
      JOIN batch_input_sets used USING (batch_id)
     WHERE used.project_id = project.project_id
     GROUP BY chosen.slot, used.nodes HAVING sum(used.event_count) >= %s
"""


def _rounds(portion: Sequence[ComputedSlot]) -> dict[int, int]:
    """Count how often each slot of a portion occurred before it: withdrawals differ by slot, partition and
    node.
    """
    times: Counter[tuple[object, ...]] = Counter()
    rounds = {}
    for position, unit in enumerate(portion):
        rounds[position] = times[unit.slot]
        times[unit.slot] += 1
    return rounds


def _slots_of(batches: Sequence[BatchAsPosted]) -> dict[tuple[int, int], tuple[int, Interval]]:
    """The slot of each batch in each unit that it is seen in, and the unit; a slot of events is where the
    generation had it, whenever others were made.
    """
    sorted_batches = sorted(batches, key=lambda batch: batch.is_of_generation)
    newest = {(batch.position, identify_slot(batch.slot)): batch.slot for batch in sorted_batches}
    return {
        (batch.number, batch.position): (batch.position, newest[batch.position, identify_slot(batch.slot)])
        for batch in batches
    }


def _run(setting: EngineSetting, slots: Sequence[SlotData]) -> list[SlotRun]:
    return [run_slot(setting, data) for data in slots]


# Of every run in the slots that one version computed in a generation, the newest batch that was there by the
# generation's end, on each ledger that it touched there: a run may have other data on a ledger that was
# generated at another time.
_BATCHES: Final = """
    WITH unit AS MATERIALIZED (
        SELECT given.*, (SELECT min(made.posted_at) FROM ledger_entries made
                          WHERE made.project_id = %(project)s AND made.batch_id = given.newest_batch
                            AND made.kind = 'credit' AND made.reverses IS NULL) AS made_at
          FROM unnest(%(tasks)s::integer[], %(newest_batches)s::bigint[], %(events)s::bigint[],
                      %(tracking_ids)s::text[], %(starts)s::timestamptz[], %(ends)s::timestamptz[],
                      %(ledgers)s::text[])
               WITH ORDINALITY AS given (task, newest_batch, event_id, tracking_id, start_time, end_time,
                                         ledgers, position)
    ), of_slot AS (
        SELECT unit.position, r.id FROM unit
          JOIN runs r ON (r.start_time, r.end_time) = (unit.start_time, unit.end_time) AND NOT r.by_event
         WHERE r.project_id = %(project)s AND r.family_id = %(family)s
        UNION ALL
        SELECT unit.position, r.id FROM unit
          JOIN runs r ON r.event_id = unit.event_id AND r.by_event
         WHERE r.project_id = %(project)s AND r.family_id = %(family)s
        UNION ALL
        SELECT unit.position, r.id FROM unit
          JOIN runs r ON r.tracking_id = unit.tracking_id AND r.by_event AND r.event_id IS NULL
         WHERE r.project_id = %(project)s AND r.family_id = %(family)s
    )
    SELECT DISTINCT ON (unit.position, r.id, b.ledger_id)
           b.start_time, b.end_time, r.by_event, r.event_id, r.tracking_id, f.name, a.name,
           unit.position - 1, b.id, b.tracking_id, r.id,
           (b.async_task_id, b.model_id) = (unit.task, %(model)s), b.deleted_at IS NULL,
           l.output, l.unit, l.scale, l.rounding, b.share_scale,
           b.total, b.model_sha256, b.fingerprint, b.engine_revision, b.uncertainty_sha256,
           (SELECT coalesce(sum(s.event_count), 0)::bigint FROM batch_input_sets s
             WHERE (s.project_id, s.batch_id) = (b.project_id, b.id))
      FROM of_slot JOIN unit USING (position)
      JOIN runs r ON (r.project_id, r.id) = (%(project)s, of_slot.id)
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.id <= unit.newest_batch
       AND b.ledger_id = ANY (unit.ledgers::integer[])
       AND (b.deleted_at IS NULL OR b.deleted_at > unit.made_at)
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
      LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
      LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, r.asset_id)
     ORDER BY unit.position, r.id, b.ledger_id, b.id DESC
"""
