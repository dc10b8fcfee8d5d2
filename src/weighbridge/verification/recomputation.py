"""Recomputation: every batch anew from its own lineage, through the same engine, to the last digit.

A generation is recomputed slot by slot, with the newest batch that each run of the slot had by then, in
portions, by the revision of the engine that it names; one that no release has is wrong.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from operator import attrgetter, itemgetter
from typing import Final
from zoneinfo import ZoneInfo

from weighbridge.accounting.books.runs import RunRow, compute_fingerprint, list_seen_nodes
from weighbridge.accounting.inputs.selection import ByLineage
from weighbridge.accounting.inputs.streams import Catalogue, ResolvedStreams, read_catalogue, resolve_streams
from weighbridge.accounting.planning.plan import run_name, total_of
from weighbridge.core import identity
from weighbridge.core.engine import EngineSetting, NodeReading, PartitionRun, SlotData, SlotRun, run_slot
from weighbridge.core.engine.slot_computation import ENGINE_REVISION, check_revision
from weighbridge.core.ledger.allocation import LedgerRounding
from weighbridge.core.model import Available, Model, ModelError, Upstream, hash_model, prepare
from weighbridge.core.time.calendar import Instant, Interval, find_slot, identify_slot, label_slot
from weighbridge.db.engine import Read
from weighbridge.errors import Refusal
from weighbridge.modelling.documents import find_stored_model, read_model
from weighbridge.verification.draws import (
    CalculatedNode,
    RunAsUsed,
    list_differences,
    read_calculations,
    read_drawing,
)
from weighbridge.verification.slots import (
    STORED,
    ComputedSlot,
    EventSource,
    LineageReading,
    MissingEvents,
    columns_of,
    data_as_used,
    inputs_apart,
    portions,
    with_named_partitions,
)

# What came of a recomputation: how many batches, and a sentence for each that is not what it says.


@dataclass
class RecomputationResult:
    """What was found, sentence by sentence; the tasks of the generations keep the sentences in order."""

    batches: int = 0
    violations: list[tuple[int, str]] = field(default_factory=list)
    older: int = 0
    """Batches that an older released revision of the engine computed, each by that revision."""
    outside: int = 0
    """Batches none of whose events the source has; see `event_sources`."""
    uncovered: list[tuple[int, str]] = field(default_factory=list)
    """Those that it has in part, or in another state than they saw; none where the database is the source."""

    def leave_out(self, unit: ComputedSlot, batch: int, missing: MissingEvents | None) -> None:
        """Take down a batch that cannot be computed of what the source has of its slot."""
        if missing is not None and missing.missing == missing.events:
            self.outside += 1
            return
        missing_part = (
            "events of another batch of its slot are"
            if missing is None
            else (f"{missing.missing:,} of its {missing.events:,} events are")
        )
        name = identity.of("batch", unit.project, batch)
        self.uncovered.append((unit.task, f"batch {name}: {missing_part} not there"))

    def outdate(self, unit: ComputedSlot, batch: int) -> None:
        """Take down a batch that saw its events in a later state than the source has."""
        name = identity.of("batch", unit.project, batch)
        self.uncovered.append((unit.task, f"batch {name}: it saw events as they were changed later"))

    def add(self, unit: ComputedSlot, batch: int, revision: int, complaints: Sequence[str]) -> None:
        """Count a batch of a revision of the engine, and take down what was found of it."""
        self.batches += 1
        name = identity.of("batch", unit.project, batch)
        unknown = check_revision(revision)
        self.older += unknown is None and revision < ENGINE_REVISION
        messages = complaints if unknown is None else [unknown, *complaints]
        self.violations += [(unit.task, f"batch {name}: {complaint}") for complaint in messages]


def sentences(violations: Sequence[tuple[int, str]]) -> list[str]:
    """What was found, generation by generation."""
    return [sentence for _, sentence in sorted(violations, key=itemgetter(0))]


Portion = Sequence[ComputedSlot]
"""Slots that are recomputed together."""


class _Batch(RunRow, frozen=True):
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
    event_count: int

    @property
    def comes_to(self) -> bool:
        """Whether it was made of anything; a run that vanished was not."""
        return bool(self.event_count or self.total)

    def misplaced(self, unit: ComputedSlot, model: Model) -> Iterator[str]:
        """Why its slot and its name are not those of its run, by the model and the project's clock."""
        zone = ZoneInfo(unit.time_zone)
        if not self.by_event and find_slot(model.cadence, self.start_time, zone) != self.slot:
            yield f"its slot is none of {model.cadence} slots in {zone}"
        slot = (
            identity.of("event", unit.project, self.event)
            if self.event
            else label_slot(model.cadence, self.slot, zone)
        )
        if self.name != (expected := run_name(slot, self.partition)):
            yield f"its tracking id is {self.name!r}, and its slot and partition make {expected!r}"


async def check_batches(tx: Read, project: int | None = None) -> tuple[int, list[str]]:
    """Recompute every generation, or those of one project; gives the number of batches and the violations."""
    recomputed = await recompute(tx, project)
    return recomputed.batches, sentences(recomputed.violations)


async def recompute(
    tx: Read,
    project: int | None = None,
    since: Instant | None = None,
    advance: Callable[[int], None] = lambda _: None,
    source: EventSource = STORED,
) -> RecomputationResult:
    """Recompute every generation, or those of one project or since a moment; `advance` counts batches."""
    recomputed = RecomputationResult()
    catalogues: dict[int, Catalogue] = {}
    async for portion in portions(tx, project, since):
        number = portion[0].project
        if number not in catalogues:
            catalogues = {number: await read_catalogue(tx, number)}
        before = recomputed.batches
        await _check_portion(_PortionReading(tx, catalogues[number], source), portion, recomputed)
        advance(recomputed.batches - before)
    return recomputed


@dataclass(frozen=True, slots=True)
class _PortionReading:
    """What a project's portions are read with."""

    tx: Read
    catalogue: Catalogue
    source: EventSource


async def _check_portion(
    reading: _PortionReading, portion: Sequence[ComputedSlot], recomputed: RecomputationResult
) -> None:
    """Recompute a portion; where that fails, generation by generation, so that the rest is checked."""
    batches = await reading.tx.rows(_Batch, _BATCHES, {**_key(portion), **columns_of(portion)})
    project = portion[0].project
    missing = await reading.source.hold(project, [batch.number for batch in batches])
    torn = {batch.position for batch in batches if batch.number in missing}
    torn_batches = [batch for batch in batches if batch.position in torn and batch.is_of_generation]
    batches = [batch for batch in batches if batch.position not in torn]
    try:
        complaints = await _complaints_of(reading, portion, batches) if batches else {}
    except (Refusal, ModelError) as reason:
        tasks = sorted({unit.task for unit in portion})
        if len(tasks) > 1:
            for task in tasks:
                units = [unit for unit in portion if unit.task == task]
                await _check_portion(reading, units, recomputed)
            return
        complaints = {
            batch.number: [f"it cannot be computed anew: {reason}"]
            for batch in batches
            if batch.is_of_generation
        }
    for batch in torn_batches:
        recomputed.leave_out(portion[batch.position], batch.number, missing.get(batch.number))
    outdated = await reading.source.outdated(
        project, [number for number, sentences in complaints.items() if sentences]
    )
    for batch in batches:
        if batch.is_of_generation and batch.number in outdated:
            recomputed.outdate(portion[batch.position], batch.number)
        elif batch.is_of_generation:
            recomputed.add(
                portion[batch.position], batch.number, batch.engine_revision, complaints[batch.number]
            )


async def _complaints_of(
    reading: _PortionReading, portion: Sequence[ComputedSlot], batches: Sequence[_Batch]
) -> dict[int, list[str]]:
    """What is wrong with each batch that the generations of a portion made."""
    tx, catalogue, first = reading.tx, reading.catalogue, portion[0]
    model = read_model((await find_stored_model(tx, first.model)).document)
    newest = {(batch.position, batch.run): batch for batch in sorted(batches, key=attrgetter("number"))}
    newest_batches = [(batch.position, batch.number) for batch in newest.values()]
    separate_inputs = await inputs_apart(tx, first.project, model, catalogue, newest_batches)
    rounds = (
        _rounds(portion) if any(isinstance(node.body, Upstream | Available) for node in model.nodes) else {}
    )
    groups: dict[tuple[int, frozenset[str]], list[_Batch]] = {}
    for batch in batches:
        key = rounds.get(batch.position, 0), separate_inputs.get(batch.position, frozenset())
        groups.setdefault(key, []).append(batch)
    complaints: dict[int, list[str]] = {}
    for (_, nodes), batches_of_group in groups.items():
        streams = resolve_streams(model, catalogue, nodes)
        complaints |= await _complaints_of_slots(reading, portion, model, streams, batches_of_group)
    return complaints


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


async def _complaints_of_slots(
    reading: _PortionReading,
    portion: Portion,
    model: Model,
    streams: ResolvedStreams,
    batches: Sequence[_Batch],
) -> dict[int, list[str]]:
    """Check slots whose inputs are in the same streams."""
    tx, first = reading.tx, portion[0]
    newest = {(batch.position, batch.run): batch for batch in sorted(batches, key=attrgetter("number"))}
    slot_of = _slots_of(batches)
    slots = sorted(set(slot_of.values()), key=lambda unit: (unit[0], unit[1].start, unit[1].end))
    index_of = {slot: index for index, slot in enumerate(slots)}
    placed_rows = [(index_of[slot_of[row.number, row.position]], row) for row in newest.values()]
    newest_batches = [(index, row.number) for index, row in placed_rows]
    times = [slot for _, slot in slots]
    lineage = ByLineage(first.project, times, newest_batches, reading.source.events)
    resolved_streams, data = await data_as_used(tx, model, lineage, streams)
    runs_as_used = [
        RunAsUsed(slot_of[row.number, row.position][1], row.partition, row.number) for row in newest.values()
    ]
    drawings = await read_drawing(tx, first.project, model, times, runs_as_used)
    data = [replace(of_slot, drawing=drawing) for of_slot, drawing in zip(data, drawings, strict=True)]
    placed = [(index, row.partition) for index, row in placed_rows if row.comes_to]
    lineage_reading = LineageReading(tx, first.project, model, resolved_streams)
    data = await with_named_partitions(lineage_reading, data, placed)
    measures, zone = resolved_streams.measures, ZoneInfo(first.time_zone)
    setting = EngineSetting(prepare(model), measures, first.project, zone, says_contributions=True)
    runs = await tx.in_thread(_run, setting, data)
    run_of = [{run.partition: run for run in slot_run.runs} for slot_run in runs]
    names = {stream.number: stream.node_slugs for stream in resolved_streams.streams}
    generated_batches = [batch for batch in batches if batch.is_of_generation]
    calculated = await read_calculations(tx, first.project, [batch.number for batch in generated_batches])
    complaints: dict[int, list[str]] = {}
    for batch in generated_batches:
        index = index_of[slot_of[batch.number, batch.position]]
        run = run_of[index].get(batch.partition)
        misplaced = [] if run is None else list(batch.misplaced(portion[batch.position], model))
        if misplaced and not batch.is_there and "period_days" in setting.program.functions:
            # The project's clock was set anew since, and with it the length of days.
            complaints[batch.number] = []
            continue
        complaints[batch.number] = [
            *_complaints(model, batch, run, calculated.get(batch.number, {}), names),
            *(misplaced if batch.is_there else ()),
            *(problem.message for problem in runs[index].problems),
            *_of_version(model, batch),
        ]
    return complaints


def _of_version(model: Model, batch: _Batch) -> Iterator[str]:
    """How a batch differs from the model version that it names."""
    if batch.share_places != model.share_places:
        places = f"at {batch.share_places} places, and its model says {model.share_places}"
        yield f"its shares were cut {places}"
    if batch.model_sha256 != bytes.fromhex(hash_model(model)):
        yield "its model version is not the one that made it, by the digest"


def _slots_of(batches: Sequence[_Batch]) -> dict[tuple[int, int], tuple[int, Interval]]:
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


def _complaints(
    model: Model,
    batch: _Batch,
    run: PartitionRun | None,
    calculated: Mapping[str, CalculatedNode],
    names: Mapping[int, Sequence[str]],
) -> list[str]:
    if run is None and batch.comes_to:
        return ["its events make no run of its partition"]
    readings = {batch.output: NodeReading(Decimal(0))} if run is None else run.readings
    # A run with problems has no contributions; its problems are reported instead.
    has_contributions = run is None or run.contributions is not None
    contributions = run.contributions if run and run.contributions else {}
    anew = {
        node.slug: CalculatedNode.of(node, reading, model, batch.output, contributions)
        for node in model.nodes
        if (reading := readings.get(node.slug)) is not None and reading.amount is not None
    }
    complaints = [
        sentence
        for slug in model.slugs
        for sentence in list_differences(
            slug, calculated.get(slug), anew.get(slug), has_contributions=has_contributions
        )
    ]
    if run is None:
        return complaints
    total = total_of(model, run.readings, batch)
    if total != batch.total:
        complaints.append(f"its run comes to {batch.total} in the batch and {total} computed anew")
    if compute_fingerprint(batch.model_sha256, run, names, list_seen_nodes(model)) != batch.fingerprint:
        complaints.append("the digest of its inputs differs from that of its lineage")
    return complaints


def _key(portion: Sequence[ComputedSlot]) -> dict[str, int]:
    first = portion[0]
    return {"project": first.project, "family": first.family, "model": first.model}


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
           b.total, b.model_sha256, b.fingerprint, b.engine_revision,
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
