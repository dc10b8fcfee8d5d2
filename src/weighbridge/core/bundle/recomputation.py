"""Every batch computed again from the events of its lineage, by the same engine, to the last digit.

Batches are computed slot by slot, because what was shared over partitions can only be divided again with all
of them at hand. What differs is told node by node.

Invariant: a batch is found right only when every node, its unit, its name, what it serves for, what it rests
on and the run's total are what the engine comes to.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from weighbridge.core import identity
from weighbridge.core.bundle.archive import Faults, UnreadableError
from weighbridge.core.bundle.books import find_newest_batch, group_batches_by_run
from weighbridge.core.bundle.contents import BundleContents
from weighbridge.core.bundle.rows import BatchRow, NodeValueRow, StaticInputRow
from weighbridge.core.bundle.slot_inputs import group_events, list_measures, list_slot_sources
from weighbridge.core.bundle.stated import (
    list_drawn_faults,
    list_uncertainty_faults,
)
from weighbridge.core.bundle.tables import (
    BATCHES,
    LINEAGE,
    NODE_VALUES,
    SLOTS,
    BatchLineage,
    DrawRead,
    SlotLine,
    parse_ranges,
)
from weighbridge.core.bundle.uncertainty import (
    OF_STATIC_INPUT,
    UNCERTAINTIES,
    BundledUncertainty,
    read_drawn,
)
from weighbridge.core.engine import EngineSetting, NodeReading, PartitionRun, SlotData, SlotRun, run_slot
from weighbridge.core.engine.revisions import check_revision
from weighbridge.core.engine.run import compute_credit
from weighbridge.core.engine.slot_computation import (
    Drawing,
    Drawn,
    SourceLedgerView,
    StaticValue,
)
from weighbridge.core.ledger.allocation import (
    DOWN,
    HALF_EVEN,
    NO_CONTRIBUTIONS,
    Contributions,
    LedgerRounding,
    Partition,
    ValueSource,
    read_columns,
    write_columns,
)
from weighbridge.core.ledger.drawing import Drawer, SourceBatch
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.ledger.posting import EntryKind
from weighbridge.core.model import Available, Model, Node, PreparedModel, StaticInput, Upstream, prepare
from weighbridge.core.number import digits, plain
from weighbridge.core.time.calendar import EVENT, Interval, build_slot, find_slot, label_slot
from weighbridge.core.uncertainty.statement import UncertaintyStatement
from weighbridge.core.unit import ONE, Unit, UnitError, convert, parse_unit

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
            for other in _find_deviating_batches(contents, line):
                message = f"Batch {other.batch_id} was made of other data than its run on other ledgers."
                faults.add(LINEAGE, message)
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
            batch_ids = ", ".join(
                contents.batches[source_number].batch_id
                for source_number in line.batches
                if source_number in contents.batches
            )
            faults.add(SLOTS, f"Batches {batch_ids} cannot be computed again: {error}")
        advance(len(line.batches))
    return recomputed


def _find_deviating_batches(contents: BundleContents, line: SlotLine) -> Iterator[BatchRow]:
    """Batches of a slot made of other data than another of their run, which one generation made with them."""
    first: dict[int | None, BatchLineage] = {}
    for number in line.batches:
        lineage = replace(contents.lineage[number], batch=0)
        if first.setdefault(contents.batches[number].run, lineage) != lineage:
            yield contents.batches[number]


class ComputedAgain:
    """A slot, and the engine's results for the data of its batches."""

    def __init__(self, contents: BundleContents, line: SlotLine, prepared: PreparedModel) -> None:
        self.prepared = prepared
        self.model: Model = prepared.model
        self.slot = _read_slot(contents.batches[max(line.batches)])
        newest: dict[int | None, int] = {}
        for number in sorted((*line.batches, *line.alongside)):
            newest[contents.batches[number].run] = number
        newest_numbers = sorted(newest.values())
        sources = list_slot_sources(contents, self.model, newest_numbers)
        made_last = max(line.batches)
        measures = list_measures(contents, self.model, sources, made_last)
        corrections = _list_corrections_seen(contents, newest_numbers)
        data = SlotData(
            self.slot,
            tuple(group_events(contents, self.model, self.slot, sources, corrections, measures)),
            _read_static_values(contents, self.model, newest_numbers),
            frozenset(slug for number in newest_numbers for slug in contents.lineage[number].skipped),
            _read_drawing(contents, self.model, self.slot, newest_numbers),
        )
        zone = ZoneInfo(contents.manifest.time_zone)
        setting = EngineSetting(
            prepared,
            measures,
            contents.manifest.project_number,
            zone,
            says_contributions=True,
            says_uncertainty=contents.is_uncertain,
        )
        self.computed: SlotRun = run_slot(setting, data)
        self.runs = {run.partition: run for run in self.computed.runs}


def _list_corrections_seen(contents: BundleContents, batches: Sequence[int]) -> dict[int, int]:
    """The corrections in force for the newest of some batches that was made of each event, with the batch."""
    of_batch = {number: parse_ranges(contents.lineage[number].corrections) for number in batches}
    corrected = {
        contents.corrections[correction].event for numbers in of_batch.values() for correction in numbers
    }
    if not corrected:
        return {}
    newest: dict[int, int] = {}
    for number in batches:
        for input_read in contents.lineage[number].inputs:
            newest |= dict.fromkeys(corrected.intersection(parse_ranges(input_read.events)), number)
    return {
        correction: number
        for number, numbers in of_batch.items()
        for correction in numbers
        if newest.get(contents.corrections[correction].event) == number
    }


def _read_slot(batch: BatchRow) -> Interval:
    return build_slot(
        batch.start_time,
        batch.end_time,
        by_event=batch.by_event,
        event=batch.event,
        tracking_id=batch.run_tracking_id if batch.by_event and not batch.event else None,
    )


def read_partition(batch: BatchRow) -> Partition:
    """The partition that a batch's run is of."""
    return Partition(batch.run_tracking_id, batch.feedstock, batch.asset)


def _read_static_values(
    contents: BundleContents, model: Model, batches: Sequence[int]
) -> dict[str, tuple[StaticValue, ...]]:
    value_numbers = {
        static
        for number in batches
        for of_node in contents.lineage[number].static_inputs.values()
        for static in of_node
    }
    slugs = {node.body.slug for node in model.nodes if isinstance(node.body, StaticInput)}
    by_slug: dict[str, list[StaticValue]] = {}
    for number in sorted(value_numbers, key=lambda number: (contents.statics[number].effective_from, number)):
        row = contents.statics[number]
        if row.slug in slugs:
            unit = parse_unit(row.unit) if row.unit else ONE
            value = StaticValue(
                number,
                row.value,
                unit,
                row.effective_from,
                row.asset,
                row.feedstock,
                row.location,
                _find_static_statement(contents, row),
            )
            by_slug.setdefault(row.slug, []).append(value)
    return {slug: tuple(values) for slug, values in by_slug.items()}


def _find_static_statement(contents: BundleContents, row: StaticInputRow) -> UncertaintyStatement | None:
    stated = contents.stated.find(OF_STATIC_INPUT, str(row.static_input), row.slug)
    return stated[0] if stated else None


def _read_drawing(
    contents: BundleContents, model: Model, slot: Interval, batches: Sequence[int]
) -> Drawing | None:
    """What the slot's nodes drew and saw; None for a model that looks at no other ledger."""
    bodies = {node.slug: node.body for node in model.nodes if isinstance(node.body, Upstream | Available)}
    if not bodies:
        return None
    recorded: dict[Drawer, tuple[Drawn, ...]] = {}
    inventories: dict[Drawer, Decimal] = {}
    drawn_from: dict[str, DrawRead] = {}
    for number in batches:
        partition = read_partition(contents.batches[number])
        line = contents.uncertainties.get(number)
        for place, draw in enumerate(contents.lineage[number].draws):
            drawer = Drawer(slot, partition, draw.node)
            drawn = line.draws[place] if line is not None and place < len(line.draws) else []
            recorded[drawer] = (*recorded.get(drawer, ()), _read_drawn(contents, draw, drawn))
            drawn_from[draw.node] = draw
        for slug in bodies:
            value = contents.values.get(number, {}).get(slug)
            if value is not None and value.value is not None:
                inventories[Drawer(slot, partition, slug)] = value.value
    ledgers = {
        slug: _read_source_ledger(contents, body, drawn_from.get(slug)) for slug, body in bodies.items()
    }
    return Drawing(slot, Pool((), {}), ledgers, recorded=recorded, seen=inventories)


def _read_drawn(contents: BundleContents, draw: DrawRead, drawn: Sequence[BundledUncertainty]) -> Drawn:
    source = contents.batches[draw.source]
    place = Interval(source.start_time, source.end_time)
    return Drawn(
        draw.node,
        SourceBatch(draw.source, source.ledger, place, source.tracking_id, Partition(), Decimal(0)),
        Decimal(draw.amount),
        tuple(map(Decimal, draw.attributes)),
        tuple(map(parse_unit, draw.units)),
        tuple(_read_contributions(draw)),
        tuple(map(read_drawn, drawn)),
    )


def _read_contributions(draw: DrawRead) -> Iterator[Contributions | None]:
    width = len(ValueSource)
    for column in range(1 + len(draw.attributes)):
        column_texts = (draw.contributions or [])[width * column : width * (column + 1)]
        numbers = [Decimal(text) for text in column_texts if text is not None]
        yield read_columns(numbers) if len(numbers) == width else None


def _read_source_ledger(
    contents: BundleContents, body: Upstream | Available, draw: DrawRead | None
) -> SourceLedgerView:
    written_attributes = body.attributes if isinstance(body, Upstream) else {}
    if draw is None:
        source_ledger = next(
            (ledger for ledger in contents.ledgers.values() if ledger.name == body.ledger), None
        )
        units: list[Unit] = [unit or ONE for unit in written_attributes.values()]
    else:
        source_ledger = contents.ledgers[contents.batches[draw.source].ledger]
        units = [parse_unit(unit) for unit in draw.units]
    attributes = dict(zip(written_attributes, units, strict=True))
    if source_ledger is None:
        return SourceLedgerView(0, body.ledger, ONE, 0, attributes)
    return SourceLedgerView(
        source_ledger.ledger,
        body.ledger,
        parse_unit(source_ledger.unit),
        source_ledger.scale,
        attributes,
        _read_rounding(source_ledger.rounding),
    )


def _read_rounding(text: str) -> LedgerRounding:
    return DOWN if text == DOWN else HALF_EVEN


def _compare(
    contents: BundleContents, slot: ComputedAgain, number: int, faults: Faults, recomputed: RecomputedBatches
) -> None:
    """Compare a batch with its recomputation."""
    batch = contents.batches[number]
    recomputed.batches += 1
    run = slot.runs.get(read_partition(batch))
    message = list(_compare_batch(contents, slot.model, batch, run))
    message += [problem.message for problem in slot.computed.problems]
    for sentence in list_uncertainty_faults(contents, slot.model, batch, run):
        faults.add(UNCERTAINTIES, f"Batch {batch.batch_id}: {sentence}")
    message += _check_place(contents, slot, batch)
    if (unknown := check_revision(batch.engine_revision)) is not None:
        message.append(f"{unknown[0].upper()}{unknown[1:]}.")
    for sentence in message:
        faults.add(
            NODE_VALUES.part if sentence.startswith("Node") else BATCHES.part,
            f"Batch {batch.batch_id}: {sentence}",
        )


def _check_place(contents: BundleContents, slot: ComputedAgain, batch: BatchRow) -> Iterator[str]:
    """Why its slot and its name are not those of its run, by the model and the project's clock."""
    cadence, zone = slot.model.cadence, ZoneInfo(contents.manifest.time_zone)
    if batch.deleted_at is not None:
        return
    # What brings a slot to zero may be made by a version of another cadence, which has no such slot.
    if not batch.total and not contents.lineage[batch.batch].inputs:
        return
    batch_slot = _read_slot(batch)
    is_of_time = not batch.by_event
    if is_of_time != (cadence != EVENT) or (
        is_of_time and (find_slot(cadence, batch.start_time, zone) != batch_slot or batch.event is not None)
    ):
        yield f"Its slot is none of {cadence} slots in {zone}."
        return
    place, partition = label_slot(cadence, batch_slot, zone), read_partition(batch)
    if batch.event:
        place = identity.of("event", contents.manifest.project_number, batch.event)
    name = partition.tracking_id or " ".join(part for part in (place, partition.label) if part)
    if batch.tracking_id != name:
        yield f"It is called {batch.tracking_id!r}, and its slot and partition make {name!r}."


def _compare_batch(
    contents: BundleContents, model: Model, batch: BatchRow, run: PartitionRun | None
) -> Iterator[str]:
    ledger = contents.ledgers[batch.ledger]
    output = ledger.output or model.primary_output
    if run is None and (batch.total or contents.lineage[batch.batch].inputs):
        yield "Its events make no run of its partition."
        return
    yield from _compare_nodes(model, contents.values.get(batch.batch, {}), output, run)
    if run is None:
        return
    rounding = _read_rounding(ledger.rounding)
    total = compute_credit(model, run, output, parse_unit(ledger.unit), ledger.scale, rounding)
    if total != batch.total:
        yield f"Its run comes to {plain(total)}, and the batch says {plain(batch.total)}."
    if batch.share_places != model.share_places:
        yield f"Shares were cut at {batch.share_places} places, and its model says {model.share_places}."


def _compare_nodes(
    model: Model, rows: Mapping[str, NodeValueRow], output: str, run: PartitionRun | None
) -> Iterator[str]:
    """Where the nodes of a batch are not what they are computed to be; without a run the output is zero."""
    readings: Mapping[str, NodeReading] = {output: NodeReading(Decimal(0))} if run is None else run.readings
    rests_on = None if run is None else run.contributions
    for node in model.nodes:
        reading = readings.get(node.slug)
        if reading is None or reading.amount is None:
            if node.slug in rows:
                stored_amount = _write_amount(rows[node.slug])
                yield f"Node {node.slug!r} is {stored_amount}, and nothing when computed again."
        elif node.slug not in rows:
            yield f"Node {node.slug!r} is missing; it comes to {digits(reading.amount)}."
        else:
            yield from _compare_node(model, node, rows[node.slug], reading, output, rests_on)
    if unknown := rows.keys() - {node.slug for node in model.nodes}:
        yield f"Node {min(unknown)!r} is none of its model."


def _compare_node(
    model: Model,
    node: Node,
    row: NodeValueRow,
    reading: NodeReading,
    output: str,
    contributions: Mapping[str, Contributions | None] | None,
) -> Iterator[str]:
    anew = digits(reading.amount)
    is_array = row.element_count is not None
    is_both = row.value is not None if is_array else bool(row.elements or row.elements_sha256)
    if _write_amount(row) != anew or row.whole != reading.whole or is_both:
        yield f"Node {node.slug!r} is {_write_amount(row)}, and {anew} when computed again."
        return
    is_output = node in model.outputs
    message = (row.name, row.unit or "", row.is_output, row.is_primary)
    if message != (node.label, str(node.unit), is_output, node.slug == output):
        yield f"Node {node.slug!r} has another name, unit or purpose than in its model."
    if not is_output and row.contributions is not None:
        yield f"Node {node.slug!r} is no output, and rests on {row.contributions}."
    if not is_output or contributions is None:
        return
    rests_on = contributions.get(node.slug, NO_CONTRIBUTIONS)
    columns = None if rests_on is None else [plain(column) for column in write_columns(rests_on)]
    if row.contributions != columns:
        yield f"Node {node.slug!r} rests on {row.contributions}, and on {columns} when computed again."


def _write_amount(row: NodeValueRow) -> str:
    """What is kept of a node, as `digits` writes it."""
    if row.element_count is None:
        return digits(row.value)
    if row.elements is not None:
        by_elements = digits(tuple(map(Decimal, row.elements)))
        if by_elements != f"[{row.element_count} {row.elements_sha256}]":
            return f"{by_elements} by its elements"
    return f"[{row.element_count} {row.elements_sha256}]"


# What travelled along with what was drawn, made again from the source batches.
#
# A batch that draws says of each source what its run came to: attributes with their units, and what these
# rest on. They are what the newest batch of the source's run said when the drawing batch was made. Of a
# source whose run fell, what it no longer covers keeps the attributes of when it was drawn, so those that
# the drawer's own earlier batch had are right too.
#
# Invariants: a node draws of slots that began before its own ended, and of the partitions that it matches;
# nothing that travelled along is believed.


_NOTHING: Final = ["0"] * len(ValueSource)
"""What an output rests on that rests on no value."""


def check_drawn(contents: BundleContents, faults: Faults) -> None:
    """Make again what travelled along with each draw; format 1 lacks the newest batches of sources."""
    if not contents.has_whole_stories:
        return
    sources = _Sources(contents)
    for number, line in contents.lineage.items():
        batch = contents.batches[number]
        for place, draw in enumerate(line.draws):
            for sentence in sources.wrong(batch, draw):
                faults.add(LINEAGE, f"Batch {batch.batch_id} drew of batch {draw.source}: {sentence}")
            for sentence in sources.wrong_uncertainty(batch, draw, place):
                faults.add(UNCERTAINTIES, f"Batch {batch.batch_id} drew of batch {draw.source}: {sentence}")


class _Sources:
    """The batches that are drawn from, by their runs."""

    def __init__(self, contents: BundleContents) -> None:
        self._contents = contents
        self._stories = group_batches_by_run(contents)
        self._of_run: dict[int, list[BatchRow]] = {}
        for (_, run), history in self._stories.items():
            self._of_run.setdefault(run, []).extend(history)
        self._fell = {
            (entry.ledger, entry.run) for entry in contents.entries if entry.kind == EntryKind.FALL
        } | {(deficit.ledger, deficit.run) for deficit in contents.deficits}

    def wrong(self, batch: BatchRow, draw: DrawRead) -> Iterator[str]:
        """What a batch says otherwise of a draw than its source."""
        model = self._contents.documents.get(batch.model or 0)
        node = None if model is None else model.by_slug.get(draw.node)
        body = None if node is None else node.body
        if not isinstance(body, Upstream):
            yield f"{draw.node!r} is no node that draws."
            return
        source = self._contents.batches[draw.source]
        yield from self._of_place(batch, source, body)
        if len(draw.attributes) != len(body.attributes) or len(draw.units) != len(body.attributes):
            yield f"{len(draw.attributes)} values travelled along, and its node names {len(body.attributes)}."
            return
        source_batch = self._standing(source, batch)
        now = self._attributes(source_batch, draw, list(body.attributes))
        if draw.attributes != now and not self._were_so(batch, draw, source):
            yield f"{', '.join(draw.attributes)} travelled along, and the source has {', '.join(now)}."
        expected = self._rests_on(source_batch, source, list(body.attributes))
        if (draw.contributions or []) != expected:
            yield "what it rests on is not what the source rests on."

    def wrong_uncertainty(self, batch: BatchRow, draw: DrawRead, place: int) -> Iterator[str]:
        """What a batch says otherwise of how uncertain a draw is than its source."""
        model = self._contents.documents.get(batch.model or 0)
        source = self._standing(self._contents.batches[draw.source], batch)
        if model is not None and model.uncertainty is not None and self._contents.is_uncertain:
            yield from list_drawn_faults(self._contents, model, batch, (place, draw), source)

    def _of_place(self, batch: BatchRow, source: BatchRow, body: Upstream) -> Iterator[str]:
        if source.batch >= batch.batch:
            yield "the source was made after it."
        if body.is_manual:
            return
        if source.start_time >= batch.end_time and not batch.by_event:
            yield "the source's slot begins after its own has ended."
        drawer_tags = {
            "tracking_id": batch.run_tracking_id,
            "feedstock": batch.feedstock,
            "asset": batch.asset,
        }
        source_tags = {
            "tracking_id": source.run_tracking_id,
            "feedstock": source.feedstock,
            "asset": source.asset,
        }
        for dimension in body.match:
            if drawer_tags[dimension] != source_tags[dimension]:
                own, of_source = drawer_tags[dimension], source_tags[dimension]
                yield f"its {dimension} is {own!r}, and that of the source {of_source!r}."

    def _standing(self, source: BatchRow, batch: BatchRow) -> BatchRow:
        """Return the batch with the total of the source's run at the time of another batch."""
        if source.run is None:
            return source
        history = [story for story in self._stories[source.ledger, source.run] if story.batch < batch.batch]
        return find_newest_batch(_list_batches_at(history, batch)) or source

    def _attributes(self, source_batch: BatchRow, draw: DrawRead, slugs: Sequence[str]) -> list[str]:
        """What the source came to, in the units that travelled along; empty where it has no such output."""
        values = self._contents.values.get(source_batch.batch, {})
        return [_show_in_unit(values.get(slug), unit) for slug, unit in zip(slugs, draw.units, strict=True)]

    def _were_so(self, batch: BatchRow, draw: DrawRead, source: BatchRow) -> bool:
        """Whether an earlier batch of the run drew with the same, and the source's run has fallen since."""
        if (source.ledger, source.run) not in self._fell:
            return False
        earlier_batches = [one for one in self._of_run.get(batch.run or 0, ()) if one.batch < batch.batch]
        for earlier_batch in sorted(_list_batches_at(earlier_batches, batch), key=lambda row: -row.batch):
            draws = [
                earlier_draw
                for earlier_draw in self._contents.lineage[earlier_batch.batch].draws
                if (earlier_draw.node, earlier_draw.source) == (draw.node, draw.source)
            ]
            if draws:
                return (draws[-1].attributes, draws[-1].units) == (draw.attributes, draw.units)
        return False

    def _rests_on(self, source_batch: BatchRow, source: BatchRow, slugs: Sequence[str]) -> list[str | None]:
        """What the amount drawn rests on, then each attribute; an instrument rests on no value."""
        values = {} if source.run is None else self._contents.values.get(source_batch.batch, {})
        primary = next((one for one in values.values() if one.is_primary), None)
        columns: list[str | None] = []
        for value in (primary, *(values.get(slug) for slug in slugs)):
            is_known = value is None or not value.is_output or value.contributions is not None
            rests_on = value.contributions if value is not None and value.is_output else None
            columns += (rests_on or _NOTHING) if is_known else [None] * len(ValueSource)
        return columns


def _list_batches_at(history: Sequence[BatchRow], batch: BatchRow) -> list[BatchRow]:
    """Those batches that were not deleted yet when another was made, as they stood then."""
    return [
        row._replace(deleted_at=None)
        for row in history
        if row.deleted_at is None or row.deleted_at > batch.created_at
    ]


def _show_in_unit(value: NodeValueRow | None, unit: str) -> str:
    if value is None or not value.is_output or value.value is None:
        return ""
    try:
        return plain(convert(Decimal(value.value), parse_unit(value.unit or "1"), parse_unit(unit)))
    except UnitError:
        return ""
