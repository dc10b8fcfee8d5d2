"""Define the plan of one model version: the values of its runs, its exclusions, and the differences to
post.

Slots whose data did not change since the last computation are not computed again, unless the model
reads other ledgers or has slots of events.

Invariants: a plan is made from one snapshot. Runs are ordered by slot and partition and are unique in
both. A slot is unchanged only if every generated ledger stores the same digest for it.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final, Protocol

from psycopg.sql import SQL

from weighbridge.accounting.books.allocation import RunWithoutSource
from weighbridge.accounting.books.runs import (
    NO_DATA,
    RUN_COLUMNS,
    RUN_TAGS,
    RUNS_OF_SLOTS,
    Digests,
    RunIdentity,
    RunRow,
    build_slot_columns,
    read_digests,
)
from weighbridge.accounting.inputs.selection import BySlot
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.planning.scope import CreditedLedger, Scope
from weighbridge.accounting.records.model_runs import PendingEvaluations, PendingProposals, PendingRollUps
from weighbridge.core.engine import ENGINE_REVISION, NodeReading, SlotData
from weighbridge.core.engine.run import ComputedRun, compute_credit
from weighbridge.core.engine.slot_computation import (
    CalibrationPeriod,
    Drawn,
    Element,
    Measures,
    RoundedAway,
)
from weighbridge.core.ledger.allocation import Contributions, LedgerRounding, Partition
from weighbridge.core.model import Aggregate, Input, Model
from weighbridge.core.time.calendar import EVENT, Interval, label_slot
from weighbridge.core.time.expectation import Service
from weighbridge.core.uncertainty.effects import Uncertainty
from weighbridge.core.unit import parse_unit
from weighbridge.db.engine import Read


class Reason(StrEnum):
    """Why something is excluded, as a caller reads it."""

    NO_PARTITION = "no partition that runs agrees with their tags"
    STRADDLES = "they lie across a boundary between slots"
    INCOMPLETE = "they lack a required value"
    UNDECIDED = "without {missing} the condition of input {input} is neither true nor false for them"
    NO_SLOT = "no slot of an event or tracking id has them"
    OPEN_TIME = "no slot has them, or a part of them: batches of another cadence reach into the active one's"
    BETWEEN_VERSIONS = (
        "they lie across a boundary between slots of two versions, which take them by other ends, so that"
        " input {input} counts them less than once; generate all of these slots with model_version latest"
    )
    OTHERS_NAMED = "other data were named for input {input}"
    ALONE = "their meter has no reading before or after them, from or to which input {input} could count"
    NO_TIME = "they cover no time in the slot, by which input {input} weighs"
    TYPE_SKIPPED = "the type that input {input} reads was set aside"
    NO_SOURCE = "nobody named a source for nodes of it that draw by hand"
    MOSTLY_OUTSIDE = "less than half of it lies in the range"
    OTHER_CADENCE = "batches of another cadence are there"
    ROUNDED_AWAY = "what is needed rounds to nothing at the scale of the ledger that it is drawn from"


@dataclass(frozen=True, slots=True)
class ExcludedEvents:
    """Events of one type that no run uses."""

    event_type: str
    count: int
    examples: tuple[str, ...]
    """The ids of the first few."""
    input: str = ""
    """The input that would read them, where the reason is of one input."""
    missing: str = ""
    """What they lack, where the reason is that."""


@dataclass(frozen=True, slots=True)
class ExcludedSlot:
    """A slot that the range partly covers and that is not computed."""

    label: str
    has_data: bool = False
    """Whether the model reads events of its time, if other batches are there."""


@dataclass(frozen=True, slots=True)
class ExcludedDraw:
    """A withdrawal of a run that is zero although an amount was needed."""

    slot: str
    """What the slot is called."""
    draw: RoundedAway


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Something that a generation does without, and why."""

    reason: Reason
    what: ExcludedEvents | RunWithoutSource | ExcludedSlot | ExcludedDraw

    @property
    def sentence(self) -> str:
        """The reason in full."""
        excluded = self.what
        if not isinstance(excluded, ExcludedEvents):
            return self.reason.value
        return self.reason.format(input=excluded.input, missing=excluded.missing)


# A plan says what one version of a model comes to: for each run its values, for each ledger the difference.
#
# Invariants: a plan is made from one snapshot of the data; runs are ordered by slot and partition; no two
# runs share a slot and a partition.


def run_name(slot: str, partition: Partition) -> str:
    """The partition's own tracking id, or one made of slot and partition: `2025-03 Wood chips`."""
    return partition.tracking_id or " ".join(part for part in (slot, partition.label) if part)


@dataclass(frozen=True, slots=True)
class Run:
    """One slot and partition with every node's value."""

    slot: Interval
    label: str
    partition: Partition
    readings: Mapping[str, NodeReading]
    event_counts: Mapping[int, int]
    """How many events each source gave, by the source's number."""
    fingerprint: bytes
    tags: Mapping[int, tuple[Partition, ...]] = field(default_factory=dict)
    """The tags of those that were summed, each once."""
    used: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """The events of each source that was read element by element, in order."""
    statics: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """The static inputs that each node read."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """The data point types of the inputs whose data were skipped."""
    draws: tuple[Drawn, ...] = ()
    """What its nodes hold of batches of other ledgers."""
    contributions: Mapping[str, Contributions | None] = field(default_factory=dict)
    """The contributions to each output; None if they are unknown."""
    uncertainties: Mapping[str, Uncertainty] = field(default_factory=dict)
    """How uncertain each output is, where the model asks for it."""
    discounts: Mapping[str, Decimal] = field(default_factory=dict)
    """How much less than each output with a discount is credited, in the unit of the output."""
    uncertainty_sha256: bytes | None = None
    """A digest of how uncertain its outputs are; None where the model does not ask."""

    @property
    def identity(self) -> RunIdentity:
        return RunIdentity(self.slot, self.partition)

    @property
    def name(self) -> str:
        """The tracking id of its batches."""
        return run_name(self.label, self.partition)


@dataclass(frozen=True, slots=True)
class NewBatch:
    """The name of a batch that a generation will make, as long as it has no number."""

    ledger: int
    run: RunIdentity


@dataclass(frozen=True, slots=True)
class RunDifference:
    """A new batch of one run on one ledger, because its total or its inputs changed."""

    run: Run
    ledger: CreditedLedger
    total: Decimal
    run_number: int | None = None
    """The run's number, when it has batches."""
    adjusts: int | None = None
    """The first batch of the run on this ledger, when there is one."""

    @property
    def batch(self) -> NewBatch:
        """The batch that it makes."""
        return NewBatch(self.ledger.number, self.run.identity)

    @property
    def run_key(self) -> int | RunIdentity:
        """How entries name the run."""
        return self.run.identity if self.run_number is None else self.run_number


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of one model version in a generation."""

    scope: Scope
    streams: tuple[InputStream, ...]
    discovery: BySlot
    """Which events its streams have, slot by slot."""
    differences: tuple[RunDifference, ...]
    unchanged: int
    """Runs that are what their newest batches say, ledger by ledger."""
    exclusions: tuple[Exclusion, ...]
    pending: tuple[PendingProposals, ...]
    """Corrections of its data that wait for approval."""
    unevaluated: tuple[PendingEvaluations, ...]
    lagging: tuple[PendingRollUps, ...]
    """Rules that correct and have not looked at all of its data yet."""
    problems: tuple[str, ...]
    """Why the generation would fail; empty when it would not."""
    runs: tuple[Run, ...]
    """Every run, where its scope keeps them; else none."""
    digests: Digests
    """What each slot that was computed was computed from."""


# Differences: the runs of a plan that are not what their newest batches say, ledger by ledger.
#
# Slots whose data are what they were last computed from are not computed again. Models that draw from other
# ledgers, or look at what those hold, have no such slots, for their result depends on more than their own
# data; nor have slots of events, which are computed quickly one by one.
#
# Invariant: a slot is unchanged only when every ledger that is generated has the same digest of it.


class PostedRun(RunRow, frozen=True):
    """A run of the slots that has batches on a ledger: the first, and what the newest was made of."""

    ledger: int
    slot_number: int
    """The position of its slot among those that are computed or replaced, from 1."""
    run: int
    first: int
    fingerprint: bytes
    uncertainty_sha256: bytes | None
    engine_revision: int
    cadence: str

    def is_what(self, run: Run) -> bool:
        """Whether its newest batch is what the run comes to, by today's arithmetic; nothing needs none."""
        is_of_today = self.engine_revision >= ENGINE_REVISION or run.fingerprint == NO_DATA
        is_same = (self.fingerprint, self.uncertainty_sha256) == (run.fingerprint, run.uncertainty_sha256)
        return is_same and is_of_today


def list_differences(
    scope: Scope,
    posted_runs: Sequence[PostedRun],
    runs: Sequence[Run],
    unchanged_runs: Collection[RunIdentity] = (),
    unchanged_slots: Collection[Interval] = (),
) -> tuple[list[RunDifference], int]:
    """The runs that differ from what they have posted, and how many do not.

    Unchanged runs were not computed and are not counted; those of unchanged slots are the same without
    looking.
    """
    slots = _list_posted_slots(scope)
    runs_by_ledger: dict[int, dict[RunIdentity, PostedRun]] = {}
    for row in posted_runs:
        runs_by_ledger.setdefault(row.ledger, {})[RunIdentity(slots[row.slot_number - 1], row.partition)] = (
            row
        )
    planned = {run.identity for run in runs}.union(unchanged_runs)
    replaced_slots = set(scope.replaced)
    differences: list[RunDifference] = []
    unchanged_count = 0
    for ledger in scope.ledgers:
        runs_of_ledger = runs_by_ledger.get(ledger.number, {})
        of_ledger = {
            key: posted_run for key, posted_run in runs_of_ledger.items() if key.slot not in unchanged_slots
        }
        unchanged_count += len(runs_of_ledger) - len(of_ledger)
        vanished_runs = sorted(of_ledger.keys() - planned, key=_order)
        vanished = [_build_vanished_run(scope, key, of_ledger[key].cadence, ledger) for key in vanished_runs]
        for run in [*runs, *vanished]:
            posted_run = of_ledger.get(run.identity)
            if posted_run and posted_run.is_what(run):
                # A replaced slot that is at zero already is not there any more.
                unchanged_count += run.slot not in replaced_slots
            else:
                differences.append(_build_difference(scope.model, run, ledger, posted_run))
    return differences, unchanged_count


class Keeping(Protocol):
    """How a ledger keeps what runs come to."""

    @property
    def output(self) -> str:
        """The output of the model that it keeps."""
        ...

    @property
    def unit(self) -> str: ...

    @property
    def scale(self) -> int: ...

    @property
    def rounding(self) -> LedgerRounding: ...


def total_of(model: Model, run: ComputedRun, ledger: Keeping) -> Decimal:
    """Return a run's total on a ledger: its output in the ledger's unit, less its discount, rounded once."""
    unit = parse_unit(ledger.unit)
    return compute_credit(model, run, ledger.output, unit, ledger.scale, ledger.rounding)


def _order(run: RunIdentity) -> tuple[object, ...]:
    return run.order


def _build_difference(
    model: Model, run: Run, ledger: CreditedLedger, posted_run: PostedRun | None
) -> RunDifference:
    total = total_of(model, run, ledger)
    if posted_run is None:
        return RunDifference(run, ledger, total)
    return RunDifference(run, ledger, total, posted_run.run, posted_run.first)


def _build_vanished_run(scope: Scope, identity: RunIdentity, cadence: str, ledger: CreditedLedger) -> Run:
    """A run that the data no longer have or that was replaced: zero, and no other node has a value.

    Where all of its data were skipped, it still says so.
    """
    positions = {slot: position for position, slot in enumerate(scope.slots)}
    skipped_nodes = scope.inputs.skipped_nodes.get(positions.get(identity.slot, -1), {})
    name = label_slot(cadence, identity.slot, scope.zone)
    readings = {ledger.output: NodeReading(Decimal(0))}
    return Run(identity.slot, name, identity.partition, readings, {}, NO_DATA, skipped=skipped_nodes)


def _list_posted_slots(scope: Scope) -> tuple[Interval, ...]:
    return (*scope.slots, *scope.replaced)


async def read_posted_runs(tx: Read, scope: Scope) -> list[PostedRun]:
    """The runs that the slots of a scope have on its ledgers by now, those that others replace too."""
    return await tx.rows(
        PostedRun,
        _POSTED_RUNS,
        {
            **build_slot_columns(_list_posted_slots(scope)),
            "project": scope.project,
            "family": scope.family,
            "ledgers": [ledger.number for ledger in scope.ledgers],
        },
    )


_POSTED_RUNS: Final = SQL("""
    SELECT {columns}, b.ledger_id, r.slot, r.id, min(b.id),
           (array_agg(b.fingerprint ORDER BY b.id DESC))[1],
           (array_agg(b.uncertainty_sha256 ORDER BY b.id DESC))[1],
           (array_agg(b.engine_revision ORDER BY b.id DESC))[1],
           (array_agg(m.cadence ORDER BY b.id DESC))[1]
      FROM {runs}
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
      JOIN models m ON m.id = b.model_id
      {tags}
     WHERE b.ledger_id = ANY (%(ledgers)s)
     GROUP BY b.ledger_id, r.slot, r.id, r.start_time, r.end_time, r.by_event, r.event_id, r.tracking_id,
              f.name, a.name
""").format(columns=SQL(RUN_COLUMNS), runs=RUNS_OF_SLOTS, tags=SQL(RUN_TAGS))


def compute_digests(
    scope: Scope, measures: Measures, streams: Sequence[InputStream], slots: Sequence[SlotData]
) -> Digests:
    """Digest everything that each slot is computed from; empty for a model that draws or looks."""
    if not has_digests(scope):
        return {}
    common_hash = hashlib.sha256(scope.model_sha256)
    common_hash.update(f"{ENGINE_REVISION} {scope.zone}\n".encode())
    if any(
        isinstance(node.body, Input) and node.body.aggregate is Aggregate.DELTA
        for node in scope.model.partitioning
    ):
        # 1.0.0 left the only reading of a partition out of what its batch was made of.
        common_hash.update(b"readings that count for nothing are kept\n")
    for slug, measure in sorted(measures.items()):
        common_hash.update(f"{slug} {measure.unit} {measure.coverage} {measure.cadence}\n".encode())
        if scope.model.uncertainty is not None:
            common_hash.update(f"{measure.statements} {measure.weight_statements}\n".encode())
    names = {stream.number: ",".join(stream.node_slugs) for stream in streams}
    digests = {}
    for data in slots:
        digest = common_hash.copy()
        for line in sorted((*_list_lines(data, names), *_list_certificates(data, measures))):
            digest.update(f"{line}\n".encode())
        digests[data.slot] = digest.digest()
    return digests


def _list_lines(data: SlotData, names: Mapping[int, str]) -> Iterator[str]:
    for group in data.groups:
        numbers = sum(element.digest for element in group.elements)
        yield f"{names[group.source]} {group.tags.named} {group.event_count} {group.digest} {numbers}"
        # A digest covers neither an event's location nor its meter's time in service, and both change.
        by_meter: dict[tuple[str | None, str | None, Service], int] = {}
        for element in group.elements:
            meter = element.asset, element.location, element.service
            by_meter[meter] = by_meter.get(meter, 0) + element.digest
        stated: list[object] = [element.stated for element in group.elements if element.stated]
        stated += [element.filled for element in group.elements if element.filled]
        # Where a certificate ends within a slot shows in how its sums are divided.
        stated += [
            sorted(map(repr, statistics.moments.items()))
            for statistics in group.by_input.values()
            if statistics.moments
        ]
        if stated:
            yield f"{names[group.source]} {group.tags.named} states {stated}"
        for meter, digest in by_meter.items():
            yield f"{names[group.source]} {group.tags.named} {meter} {digest}"
    for slug, values in data.statics.items():
        # A static input never changes, but what its keys are called may.
        keys = [
            (value.number, value.asset, value.feedstock, value.location)
            + (() if value.statement is None else (value.statement,))
            for value in values
        ]
        yield f"static {slug} {keys}"
    yield f"skipped {sorted(data.skipped)}"


def _list_certificates(data: SlotData, measures: Measures) -> Iterator[str]:
    """What meters share by their certificates that may hold for readings which the slot has one by one.

    Sums state it themselves. A certificate of other times, or of another meter, leaves the slot as it is.
    """
    if not any(measure.calibrations or measure.weight_calibrations for measure in measures.values()):
        return
    spans: dict[str | None, tuple[datetime, datetime]] = {}
    for element in _list_readings(data):
        start = element.time.start
        first, last = spans.get(element.asset, (start, start))
        spans[element.asset] = min(first, start), max(last, start)
    for slug, measure in sorted(measures.items()):
        for role, periods in (("values", measure.calibrations), ("weights", measure.weight_calibrations)):
            held = [period for period in periods if _may_hold(period, spans.get(period.asset))]
            if held:
                yield f"certified {role} of {slug} {held}"


def _list_readings(data: SlotData) -> Iterator[Element]:
    """The readings of a slot, and those on which the values rest that rules put in."""
    for group in data.groups:
        for element in group.elements:
            yield element
            for basis in element.filled.values():
                yield from (source for source, _ in basis.sources)


def _may_hold(period: CalibrationPeriod, span: tuple[datetime, datetime] | None) -> bool:
    """Whether a certificate may hold for a reading of its meter between two starts."""
    if span is None:
        return False
    first, last = span
    return period.valid_from <= last and (period.valid_until is None or first < period.valid_until)


def has_digests(scope: Scope) -> bool:
    """Whether the data alone show that slots of the scope are unchanged."""
    return not scope.source_ledgers and scope.model.cadence != EVENT


async def read_kept_digests(tx: Read, scope: Scope) -> Mapping[Interval, Sequence[bytes]]:
    """What the slots of a scope were last computed from, on each of its ledgers."""
    if not has_digests(scope) or scope.keeps_runs:
        return {}
    return await read_digests(tx, scope.project, [ledger.number for ledger in scope.ledgers], scope.slots)


def find_unchanged_slots(
    scope: Scope, kept_digests: Mapping[Interval, Sequence[bytes]], digests: Digests
) -> set[Interval]:
    """The slots that every ledger of the generation has at these digests."""
    count = len(scope.ledgers)
    return {slot for slot, digest in digests.items() if kept_digests.get(slot) == [digest] * count}
