"""Every batch computed again from the events of its lineage, by the same engine, to the last digit.

Batches are computed slot by slot, because what was shared over partitions can only be divided again with all
of them at hand. What differs is told node by node.

Invariant: a batch is found right only when every node, its unit, its name, what it serves for, what it rests
on and the run's total are what the engine comes to.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from weighbridge.core.bundle.contents import BundleContents
from weighbridge.core.bundle.form.fault import Faults, UnreadableError
from weighbridge.core.bundle.form.lineage import LINEAGE, SLOTS, BatchLineage, DrawRead, SlotLine, numbers_of
from weighbridge.core.bundle.form.rows import BatchRow, NodeValueRow
from weighbridge.core.bundle.form.tables import BATCHES, NODE_VALUES
from weighbridge.core.bundle.slot_inputs import groups_of, measures_of, sources_of
from weighbridge.core.engine import (
    EngineSetting,
    NodeReading,
    PartitionRun,
    SlotData,
    SlotRun,
    run_slot,
)
from weighbridge.core.engine.element import StaticValue
from weighbridge.core.engine.revision import unreleased
from weighbridge.core.engine.source_ledger import Drawing, Drawn, SourceLedgerView
from weighbridge.core.identity import ids
from weighbridge.core.ledger.contributions import NO_CONTRIBUTIONS, Contributions, as_columns, of_columns
from weighbridge.core.ledger.drawing import Drawer, SourceBatch
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.ledger.pool.pool import Pool
from weighbridge.core.ledger.rounding import DOWN, HALF_EVEN, LedgerRounding, rounded_total
from weighbridge.core.model import Available, Model, Node, PreparedModel, StaticInput, Upstream, prepare
from weighbridge.core.quantity.digits import digits
from weighbridge.core.quantity.number import plain
from weighbridge.core.quantity.unit import ONE, Unit, UnitError, convert, parse_unit
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.core.time.cadence import EVENT, label, slot_at, slot_of
from weighbridge.core.time.instant import Interval

Advance = Callable[[int], None]
"""Is told of so many batches more."""


class RecomputedBatches:
    """How many batches were computed again."""

    def __init__(self) -> None:
        self.batches = 0


def recompute(
    contents: BundleContents, faults: Faults, advance: Advance = lambda _: None
) -> RecomputedBatches:
    """Compute every batch again; what differs is taken down."""
    recomputed = RecomputedBatches()
    prepared = {number: prepare(model) for number, model in contents.documents.items()}
    for line in contents.slots:
        if line.model not in prepared:
            faults.add(SLOTS, f"Model {line.model} made batches, and its document is not there.")
            continue
        try:
            slot = ComputedAgain(contents, line, prepared[line.model])
            for other in _made_otherwise(contents, line):
                said = f"Batch {other.batch_id} was made of other data than its run on other ledgers."
                faults.add(LINEAGE, said)
            for batch in line.batches:
                _compare(contents, slot, batch, faults, recomputed)
        except (
            UnreadableError,
            UnitError,
            ZoneInfoNotFoundError,
            ArithmeticError,
            KeyError,
            ValueError,
        ) as error:
            named = ", ".join(
                contents.batches[one].batch_id for one in line.batches if one in contents.batches
            )
            faults.add(SLOTS, f"Batches {named} cannot be computed again: {error}")
        advance(len(line.batches))
    return recomputed


def _made_otherwise(contents: BundleContents, line: SlotLine) -> Iterator[BatchRow]:
    """Batches of a slot made of other data than another of their run, which one generation made with them."""
    first: dict[int | None, BatchLineage] = {}
    for number in line.batches:
        own = replace(contents.lineage[number], batch=0)
        if first.setdefault(contents.batches[number].run, own) != own:
            yield contents.batches[number]


class ComputedAgain:
    """A slot, and what the engine comes to with the data of its batches."""

    def __init__(self, contents: BundleContents, line: SlotLine, prepared: PreparedModel) -> None:
        self.prepared = prepared
        self.model: Model = prepared.model
        self.slot = _slot_of(contents.batches[max(line.batches)])
        newest: dict[int | None, int] = {}
        for number in sorted((*line.batches, *line.alongside)):
            newest[contents.batches[number].run] = number
        chosen = sorted(newest.values())
        sources = sources_of(contents, self.model, chosen)
        measures = measures_of(contents, self.model, sources)
        corrections = _corrections_seen(contents, chosen)
        data = SlotData(
            self.slot,
            tuple(groups_of(contents, self.model, self.slot, sources, corrections)),
            _statics(contents, self.model, chosen),
            frozenset(slug for number in chosen for slug in contents.lineage[number].skipped),
            _drawing(contents, self.model, self.slot, chosen),
        )
        zone = ZoneInfo(contents.manifest.time_zone)
        setting = EngineSetting(
            prepared, measures, contents.manifest.project_number, zone, says_contributions=True
        )
        self.computed: SlotRun = run_slot(setting, data)
        self.runs = {run.partition: run for run in self.computed.runs}


def _corrections_seen(contents: BundleContents, batches: Sequence[int]) -> list[int]:
    """The corrections in force for the newest of some batches that was made of each event."""
    of_batch = {number: numbers_of(contents.lineage[number].corrections) for number in batches}
    corrected = {contents.corrections[one].event for numbers in of_batch.values() for one in numbers}
    if not corrected:
        return []
    newest: dict[int, int] = {}
    for number in batches:
        for read in contents.lineage[number].inputs:
            newest |= dict.fromkeys(corrected.intersection(numbers_of(read.events)), number)
    return [
        one
        for number, numbers in of_batch.items()
        for one in numbers
        if newest.get(contents.corrections[one].event) == number
    ]


def _slot_of(batch: BatchRow) -> Interval:
    return slot_of(
        batch.start_time,
        batch.end_time,
        by_event=batch.by_event,
        event=batch.event,
        tracking_id=batch.run_tracking_id if batch.by_event and not batch.event else None,
    )


def partition_of(batch: BatchRow) -> Partition:
    """The partition that a batch's run is of."""
    return Partition(batch.run_tracking_id, batch.feedstock, batch.asset)


def _statics(
    contents: BundleContents, model: Model, batches: Sequence[int]
) -> dict[str, tuple[StaticValue, ...]]:
    used = {
        one
        for number in batches
        for of_node in contents.lineage[number].static_inputs.values()
        for one in of_node
    }
    named = {node.body.slug for node in model.nodes if isinstance(node.body, StaticInput)}
    by_slug: dict[str, list[StaticValue]] = {}
    for number in sorted(used, key=lambda one: (contents.statics[one].effective_from, one)):
        row = contents.statics[number]
        if row.slug in named:
            unit = parse_unit(row.unit) if row.unit else ONE
            value = StaticValue(
                number, row.value, unit, row.effective_from, row.asset, row.feedstock, row.location
            )
            by_slug.setdefault(row.slug, []).append(value)
    return {slug: tuple(values) for slug, values in by_slug.items()}


def _drawing(
    contents: BundleContents, model: Model, slot: Interval, batches: Sequence[int]
) -> Drawing | None:
    """What the slot's nodes drew and saw; None for a model that looks at no other ledger."""
    bodies = {node.slug: node.body for node in model.nodes if isinstance(node.body, Upstream | Available)}
    if not bodies:
        return None
    recorded: dict[Drawer, tuple[Drawn, ...]] = {}
    seen: dict[Drawer, Decimal] = {}
    drawn_from: dict[str, DrawRead] = {}
    for number in batches:
        partition = partition_of(contents.batches[number])
        for read in contents.lineage[number].draws:
            drawer = Drawer(slot, partition, read.node)
            recorded[drawer] = (*recorded.get(drawer, ()), _drawn(contents, read))
            drawn_from[read.node] = read
        for slug in bodies:
            value = contents.values.get(number, {}).get(slug)
            if value is not None and value.value is not None:
                seen[Drawer(slot, partition, slug)] = value.value
    ledgers = {slug: _source_ledger(contents, body, drawn_from.get(slug)) for slug, body in bodies.items()}
    return Drawing(slot, Pool((), {}), ledgers, recorded=recorded, seen=seen)


def _drawn(contents: BundleContents, read: DrawRead) -> Drawn:
    source = contents.batches[read.source]
    place = Interval(source.start_time, source.end_time)
    return Drawn(
        read.node,
        SourceBatch(read.source, source.ledger, place, source.tracking_id, Partition(), Decimal(0)),
        Decimal(read.amount),
        tuple(map(Decimal, read.attributes)),
        tuple(map(parse_unit, read.units)),
        tuple(_rests_on(read)),
    )


def _rests_on(read: DrawRead) -> Iterator[Contributions | None]:
    width = len(ValueSource)
    for column in range(1 + len(read.attributes)):
        kept = (read.contributions or [])[width * column : width * (column + 1)]
        known = [Decimal(one) for one in kept if one is not None]
        yield of_columns(known) if len(known) == width else None


def _source_ledger(
    contents: BundleContents, body: Upstream | Available, read: DrawRead | None
) -> SourceLedgerView:
    written = body.attributes if isinstance(body, Upstream) else {}
    if read is None:
        named = next((one for one in contents.ledgers.values() if one.name == body.ledger), None)
        units: list[Unit] = [unit or ONE for unit in written.values()]
    else:
        named = contents.ledgers[contents.batches[read.source].ledger]
        units = [parse_unit(unit) for unit in read.units]
    attributes = dict(zip(written, units, strict=True))
    if named is None:
        return SourceLedgerView(0, body.ledger, ONE, 0, attributes)
    return SourceLedgerView(
        named.ledger, body.ledger, parse_unit(named.unit), named.scale, attributes, _rounding(named.rounding)
    )


def _rounding(text: str) -> LedgerRounding:
    return DOWN if text == DOWN else HALF_EVEN


def _compare(
    contents: BundleContents, slot: ComputedAgain, number: int, faults: Faults, recomputed: RecomputedBatches
) -> None:
    """Hold what a batch says against what it is computed to be."""
    batch = contents.batches[number]
    recomputed.batches += 1
    run = slot.runs.get(partition_of(batch))
    said = list(_differences(contents, slot.model, batch, run))
    said += [problem.message for problem in slot.computed.problems]
    said += _misplaced(contents, slot, batch)
    if (unknown := unreleased(batch.engine_revision)) is not None:
        said.append(f"{unknown[0].upper()}{unknown[1:]}.")
    for sentence in said:
        faults.add(
            NODE_VALUES.part if sentence.startswith("Node") else BATCHES.part,
            f"Batch {batch.batch_id}: {sentence}",
        )


def _misplaced(contents: BundleContents, slot: ComputedAgain, batch: BatchRow) -> Iterator[str]:
    """Why its slot and its name are not those of its run, by the model and the project's clock."""
    cadence, zone = slot.model.cadence, ZoneInfo(contents.manifest.time_zone)
    if batch.deleted_at is not None:
        return
    own = _slot_of(batch)
    is_of_time = not batch.by_event
    if is_of_time != (cadence != EVENT) or (
        is_of_time and (slot_at(cadence, batch.start_time, zone) != own or batch.event is not None)
    ):
        yield f"Its slot is none of {cadence} slots in {zone}."
        return
    place, partition = label(cadence, own, zone), partition_of(batch)
    if batch.event:
        place = ids.of("event", contents.manifest.project_number, batch.event)
    name = partition.tracking_id or " ".join(part for part in (place, partition.label) if part)
    if batch.tracking_id != name:
        yield f"It is called {batch.tracking_id!r}, and its slot and partition make {name!r}."


def _differences(
    contents: BundleContents, model: Model, batch: BatchRow, run: PartitionRun | None
) -> Iterator[str]:
    ledger = contents.ledgers[batch.ledger]
    output = ledger.output or model.primary_output
    if run is None and (batch.total or contents.lineage[batch.batch].inputs):
        yield "Its events make no run of its partition."
        return
    yield from _of_nodes(model, contents.values.get(batch.batch, {}), output, run)
    if run is None:
        return
    value = run.readings.get(output)
    total = Decimal(0)
    if value is not None and isinstance(value.amount, Decimal):
        amount = convert(value.amount, model.node(output).unit, parse_unit(ledger.unit))
        total = rounded_total(amount, ledger.scale, _rounding(ledger.rounding))
    if total != batch.total:
        yield f"Its run comes to {plain(total)}, and the batch says {plain(batch.total)}."
    if batch.share_places != model.share_places:
        yield f"Shares were cut at {batch.share_places} places, and its model says {model.share_places}."


def _of_nodes(
    model: Model, kept: Mapping[str, NodeValueRow], output: str, run: PartitionRun | None
) -> Iterator[str]:
    """Where the nodes of a batch are not what they are computed to be; without a run the output is zero."""
    readings: Mapping[str, NodeReading] = {output: NodeReading(Decimal(0))} if run is None else run.readings
    rests_on = None if run is None else run.contributions
    for node in model.nodes:
        reading = readings.get(node.slug)
        if reading is None or reading.amount is None:
            if node.slug in kept:
                yield f"Node {node.slug!r} is {_amount(kept[node.slug])}, and nothing when computed again."
        elif node.slug not in kept:
            yield f"Node {node.slug!r} is missing; it comes to {digits(reading.amount)}."
        else:
            yield from _of_node(model, node, kept[node.slug], reading, output, rests_on)
    if unknown := kept.keys() - {node.slug for node in model.nodes}:
        yield f"Node {min(unknown)!r} is none of its model."


def _of_node(  # noqa: PLR0917 - a node as it is kept, and as it is computed
    model: Model,
    node: Node,
    kept: NodeValueRow,
    reading: NodeReading,
    output: str,
    contributions: Mapping[str, Contributions | None] | None,
) -> Iterator[str]:
    anew = digits(reading.amount)
    is_array = kept.element_count is not None
    is_both = kept.value is not None if is_array else bool(kept.elements or kept.elements_sha256)
    if _amount(kept) != anew or kept.whole != reading.whole or is_both:
        yield f"Node {node.slug!r} is {_amount(kept)}, and {anew} when computed again."
        return
    is_output = node in model.outputs
    said = (kept.name, kept.unit or "", kept.is_output, kept.is_primary)
    if said != (node.label, str(node.unit), is_output, node.slug == output):
        yield f"Node {node.slug!r} has another name, unit or purpose than in its model."
    if not is_output and kept.contributions is not None:
        yield f"Node {node.slug!r} is no output, and rests on {kept.contributions}."
    if not is_output or contributions is None:
        return
    rests_on = contributions.get(node.slug, NO_CONTRIBUTIONS)
    columns = None if rests_on is None else [plain(one) for one in as_columns(rests_on)]
    if kept.contributions != columns:
        yield f"Node {node.slug!r} rests on {kept.contributions}, and on {columns} when computed again."


def _amount(kept: NodeValueRow) -> str:
    """What is kept of a node, as `digits` writes it."""
    if kept.element_count is None:
        return digits(kept.value)
    if kept.elements is not None:
        by_elements = digits(tuple(map(Decimal, kept.elements)))
        if by_elements != f"[{kept.element_count} {kept.elements_sha256}]":
            return f"{by_elements} by its elements"
    return f"[{kept.element_count} {kept.elements_sha256}]"
