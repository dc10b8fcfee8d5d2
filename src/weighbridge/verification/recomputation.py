"""Recomputation: every batch anew from its own lineage, through the same engine, to the last digit.

A generation is recomputed slot by slot, with the newest batch that each run of the slot had by then, in
portions, by the revision of the engine that it names; one that no release has is wrong.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from operator import itemgetter
from zoneinfo import ZoneInfo

from weighbridge.accounting.books.runs import compute_fingerprint, list_seen_nodes
from weighbridge.accounting.inputs.posted_slots import (
    BatchAsPosted,
    ComputedSlot,
    PostedReading,
    PostedSlots,
    compute_posted_slots,
    read_posted_batches,
)
from weighbridge.accounting.inputs.streams import Catalogue, read_catalogue
from weighbridge.accounting.planning.plan import run_name, total_of
from weighbridge.core import identity
from weighbridge.core.engine import NodeReading, PartitionRun
from weighbridge.core.engine.revisions import ENGINE_REVISION, check_revision
from weighbridge.core.model import Model, ModelError, hash_model
from weighbridge.core.time.calendar import Instant, find_slot, label_slot
from weighbridge.core.uncertainty.effects import hash_uncertainties
from weighbridge.db.engine import Read
from weighbridge.errors import Refusal
from weighbridge.modelling.documents import find_stored_model, read_model
from weighbridge.verification.drawn import list_drawn_complaints
from weighbridge.verification.draws import CalculatedNode, list_differences, read_calculations
from weighbridge.verification.slots import STORED, EventSource, MissingEvents, portions

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
    batches = await read_posted_batches(reading.tx, portion)
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
    reading: _PortionReading, portion: Sequence[ComputedSlot], batches: Sequence[BatchAsPosted]
) -> dict[int, list[str]]:
    """What is wrong with each batch that the generations of a portion made."""
    model = read_model((await find_stored_model(reading.tx, portion[0].model)).document)
    posted = PostedReading(reading.tx, reading.catalogue, reading.source.events)
    complaints: dict[int, list[str]] = {}
    for slots in await compute_posted_slots(posted, portion, model, batches):
        complaints |= await _complaints_of_slots(reading, portion, slots)
    return complaints


async def _complaints_of_slots(
    reading: _PortionReading, portion: Portion, slots: PostedSlots
) -> dict[int, list[str]]:
    """Check slots whose inputs are in the same streams."""
    model = slots.model
    names = {stream.number: stream.node_slugs for stream in slots.streams.streams}
    generated_batches = [batch for batch in slots.batches if batch.is_of_generation]
    calculated = await read_calculations(
        reading.tx, portion[0].project, [batch.number for batch in generated_batches]
    )
    drawn = await list_drawn_complaints(
        reading.tx, portion[0].project, model, [batch.number for batch in generated_batches]
    )
    complaints: dict[int, list[str]] = {}
    for batch in generated_batches:
        run, unit = slots.run_of(batch), portion[batch.position]
        misplaced = [] if run is None else list(_find_misplacement(batch, unit, model))
        if misplaced and not batch.is_there and "period_days" in slots.setting.program.functions:
            # The project's clock was set anew since, and with it the length of days.
            complaints[batch.number] = []
            continue
        complaints[batch.number] = [
            *_complaints(model, batch, run, calculated.get(batch.number, {}), names),
            *(misplaced if batch.is_there else ()),
            *(problem.message for problem in slots.slot_run_of(batch).problems),
            *_of_version(model, batch),
            *drawn.get(batch.number, ()),
        ]
    return complaints


def _find_misplacement(batch: BatchAsPosted, unit: ComputedSlot, model: Model) -> Iterator[str]:
    """Why its slot and its name are not those of its run, by the model and the project's clock."""
    zone = ZoneInfo(unit.time_zone)
    if not batch.by_event and find_slot(model.cadence, batch.start_time, zone) != batch.slot:
        yield f"its slot is none of {model.cadence} slots in {zone}"
    slot = (
        identity.of("event", unit.project, batch.event)
        if batch.event
        else label_slot(model.cadence, batch.slot, zone)
    )
    if batch.name != (expected := run_name(slot, batch.partition)):
        yield f"its tracking id is {batch.name!r}, and its slot and partition make {expected!r}"


def _of_version(model: Model, batch: BatchAsPosted) -> Iterator[str]:
    """How a batch differs from the model version that it names."""
    if batch.share_places != model.share_places:
        places = f"at {batch.share_places} places, and its model says {model.share_places}"
        yield f"its shares were cut {places}"
    if batch.model_sha256 != bytes.fromhex(hash_model(model)):
        yield "its model version is not the one that made it, by the digest"


def _complaints(
    model: Model,
    batch: BatchAsPosted,
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
    uncertainties = run.uncertainties if run and run.uncertainties else {}
    anew = {
        node.slug: CalculatedNode.of(node, reading, model, batch.output, contributions, uncertainties)
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
    total = total_of(model, run, batch)
    if total != batch.total:
        complaints.append(f"its run comes to {batch.total} in the batch and {total} computed anew")
    drawn = [draw.uncertainties for draw in run.draws]
    if has_contributions and hash_uncertainties(uncertainties, drawn) != batch.uncertainty_sha256:
        complaints.append("the digest of its uncertainties differs from that of its lineage")
    if compute_fingerprint(batch.model_sha256, run, names, list_seen_nodes(model)) != batch.fingerprint:
        complaints.append("the digest of its inputs differs from that of its lineage")
    return complaints
