"""Allocate withdrawals to the runs of a generation: from one pool, in order, and by hand where sources are
named.

A named amount is the total for the whole generation and is divided evenly over the runs that have the
node. What these runs held before counts as available, so repeating a request moves nothing.

Invariants: the parts of an amount add up to it. A run that is not made keeps nothing that was named for
it.

Check the batches that a caller names as sources for nodes with manual allocation.

Invariants: a source is a batch of the project on the ledger that such a node draws from, and serves at
most one node of a model version. An amount is positive and has no more decimals than its ledger.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.accounting.books.inventory import InventoryRequest, read_pool
from weighbridge.accounting.books.runs import RunIdentity
from weighbridge.accounting.records.model_runs import BATCH_AMOUNTS_MAX, BatchAmount, NewGeneration
from weighbridge.core import identity
from weighbridge.core.engine.slot_computation import Drawing, SourceLedgerView
from weighbridge.core.identity import Key, Owner
from weighbridge.core.ledger.allocation import AllocationError, Partition
from weighbridge.core.ledger.drawing import Drawer
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.model import Model, Node, Upstream
from weighbridge.core.number import NumberError, limit_number, plain, round_to
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Interval, label_slot
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid, NotFound

# A version of a model as it draws: its nodes, the ledgers that they draw from, and its slots.


@dataclass(frozen=True, slots=True)
class DrawingVersion:
    """What one version of a model draws for in a generation."""

    project: int
    family: int
    model_id: int
    model: Model
    source_ledgers: Mapping[str, SourceLedgerView]
    """The ledgers that its nodes draw from, by node."""
    zone: ZoneInfo
    slots: tuple[Interval, ...]
    """Those that it computes."""
    replaced: tuple[Interval, ...] = ()
    """Generated slots of other bounds that those replace: what their runs drew is given back."""
    included: frozenset[Interval] = frozenset()
    """Those of its slots that the request does not name: what was named for them before stays."""

    @property
    def manual_nodes(self) -> list[Node]:
        """The nodes that draw by hand."""
        return [node for node in self.model.nodes if node.allocation_group is not None]

    def label(self, slot: Interval) -> str:
        """What a slot is called."""
        return label_slot(self.model.cadence, slot, self.zone)


# Manual sources: the batches that a caller names for the nodes that draw by hand, and how much of each.
#
# Invariants: a manual source names a batch of the project whose ledger such a node draws from, and one node
# of a model version at most; an amount is positive and has no more decimals than its ledger.


class NamedBatch(msgspec.Struct, frozen=True):
    """A batch that a caller names, and the ledger that holds it."""

    number: int
    ledger: int
    ledger_name: str
    unit: str
    scale: int
    primary: int | None
    """The position of its primary output."""


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """What a request says of one source."""

    field: str
    """Where it says so."""
    batch: str
    key: Key | None
    amount: Decimal | None = None
    """None for all that it holds."""
    group: str | None = None


@dataclass(frozen=True, slots=True)
class ManualSource:
    """So much of a batch, or all that it holds."""

    request: SourceRequest
    batch: NamedBatch

    def nodes(self, version: DrawingVersion) -> list[Node]:
        """The nodes of a version that it is for."""
        drawing = [
            node
            for node in version.manual_nodes
            if version.source_ledgers[node.slug].ledger == self.batch.ledger
        ]
        return [node for node in drawing if self.request.group in {None, node.allocation_group}]


@dataclass(frozen=True, slots=True)
class ManualSources:
    """Everything that a request says of sources by hand."""

    named: tuple[ManualSource, ...] | None = None
    """None where it says nothing, and runs keep what they hold."""
    partition: Partition | None = None
    """The only partition that it speaks of; None when it speaks of all."""
    included: frozenset[Interval] = frozenset()
    """Slots of which it does not speak, and that come along."""

    def concern(self, drawer: Drawer) -> bool:
        """Whether a run's sources are what the request speaks of."""
        return drawer.slot not in self.included and self.partition in {None, drawer.partition}

    def touched(self, version: DrawingVersion) -> set[str]:
        """The nodes whose sources are replaced; an empty list replaces those of all."""
        if self.named is None:
            return set()
        if not self.named:
            return {node.slug for node in version.manual_nodes}
        return {node.slug for source in self.named for node in source.nodes(version)}


NO_MANUAL_SOURCES: Final = ManualSources()
"""A request that says nothing of sources."""


def _find_outputs(project: int, data_points: Sequence[str]) -> dict[str, str]:
    """Which of the data points that a request names are outputs of the project's batches, by field."""
    keys = {
        f"data_point_ids[{index}]": (text, identity.parse("data_point", text))
        for index, text in enumerate(data_points)
    }
    return {
        field: text
        for field, (text, key) in keys.items()
        if key is not None and key.project == project and key.owner is not Owner.EVENT
    }


def _parse_requests(
    amounts: Sequence[BatchAmount] | None, outputs: Mapping[str, str]
) -> list[SourceRequest] | None:
    """What a request says; `outputs` are the data points of batches, by the field that names each."""
    if amounts is None and not outputs:
        return None
    with_amounts = [
        SourceRequest(
            field=f"batch_amounts[{index}]",
            batch=request.batch_id,
            key=identity.parse("batch", request.batch_id),
            amount=request.primary_output_amount,
            group=request.allocation_group,
        )
        for index, request in enumerate(amounts or ())
    ]
    return with_amounts + [_request_whole_batch(field, text) for field, text in outputs.items()]


def _request_whole_batch(field: str, text: str) -> SourceRequest:
    key = identity.parse("data_point", text)
    if key is None or key.owner is not Owner.BATCH:
        return SourceRequest(field, text, None)
    return SourceRequest(field, identity.make("batch", Key(key.project, key.key)), key)


async def resolve_manual_sources(
    tx: Read, versions: Sequence[DrawingVersion], request: NewGeneration, partition: Partition | None = None
) -> ManualSources:
    """What a request says of sources; raise Invalid with everything that is wrong with it.

    A request for one partition names a batch; everything else that it names must exist as well.
    """
    count = len(request.batch_amounts or ())
    if count > BATCH_AMOUNTS_MAX:
        message = f"batch_amounts has {count} entries; at most {BATCH_AMOUNTS_MAX} can be named."
        raise Invalid([Problem(message, "batch_amounts", "too_many")])
    outputs = _find_outputs(versions[0].project, request.data_point_ids or ())
    requests = _parse_requests(request.batch_amounts, outputs)
    sources = await _find(tx, versions, requests, is_record=partition is not None)
    included = frozenset[Interval]().union(*(version.included for version in versions))
    return replace(sources, partition=partition, included=included)


async def _find(
    tx: Read,
    versions: Sequence[DrawingVersion],
    requests: Sequence[SourceRequest] | None,
    *,
    is_record: bool,
) -> ManualSources:
    """Find what a request names; raise Invalid with everything that is wrong with it.

    A batch that is not there is a wrong value, or raises NotFound where its amount is named as of a record.
    """
    if requests is None:
        return NO_MANUAL_SOURCES
    project = versions[0].project
    batches = await _read_batches(
        tx, project, [request.key.key for request in requests if request.key is not None]
    )
    sources: list[ManualSource] = []
    problems: list[Problem] = []
    for request in requests:
        batch = (
            batches.get(request.key.key)
            if request.key is not None and request.key.project == project
            else None
        )
        if batch is None and is_record and request.amount is not None:
            raise NotFound("batch", request.batch)
        if batch is None:
            message = f"{request.field} names {request.batch!r}, which is no batch of the project."
            field = request.field if request.amount is None else f"{request.field}.batch_id"
            problems.append(Problem(message, field, "unknown"))
            continue
        sources.append(ManualSource(request, batch))
        problems += _check_source(sources[-1], versions)
    problems += _check_repetition(sources, versions)
    if problems:
        raise Invalid(problems)
    return ManualSources(tuple(sources))


async def _read_batches(tx: Read, project: int, batches: Sequence[int]) -> dict[int, NamedBatch]:
    rows = await tx.rows(
        NamedBatch,
        """
        SELECT b.id, b.ledger_id, l.name, l.unit, l.scale, c.position
          FROM batches b
          JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
          LEFT JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary
         WHERE b.project_id = %s AND b.id = ANY (%s) AND b.deleted_at IS NULL
        """,
        (project, list(batches)),
    )
    return {row.number: row for row in rows}


def _check_source(source: ManualSource, versions: Sequence[DrawingVersion]) -> Iterator[Problem]:
    request, batch = source.request, source.batch
    yield from _check_amount(source)
    if request.key is not None and request.amount is None and request.key.position != batch.primary:
        yield Problem(
            f"{request.field} is an output of {request.batch} that {batch.ledger_name!r} does not hold; name"
            " its primary output.",
            request.field,
            "invalid",
        )
    drawing = [
        node
        for version in versions
        for node in version.manual_nodes
        if version.source_ledgers[node.slug].ledger == batch.ledger
    ]
    if not drawing:
        yield Problem(
            f"{request.field} names {request.batch} of {batch.ledger_name!r}, and no node of the model draws"
            " from that ledger by hand.",
            request.field,
            "not_drawn_by_hand",
        )
        return
    groups = ", ".join(sorted({node.allocation_group or "" for node in drawing}))
    if request.group is not None and not any(source.nodes(version) for version in versions):
        yield Problem(
            f"{request.field}.allocation_group is {request.group!r}; what draws from {batch.ledger_name!r} is"
            f" in {groups}.",
            f"{request.field}.allocation_group",
            "unknown",
        )
    if any(len(source.nodes(version)) > 1 for version in versions):
        yield Problem(
            f"{request.field} needs an allocation_group: {groups} draw from {batch.ledger_name!r}.",
            f"{request.field}.allocation_group",
            "required",
        )


def _check_amount(source: ManualSource) -> Iterator[Problem]:
    request, batch = source.request, source.batch
    if request.amount is None:
        return
    field = f"{request.field}.primary_output_amount"
    try:
        amount = limit_number(request.amount)
    except NumberError as error:
        yield Problem(f"{field}: {error}", field, "invalid")
        return
    if amount <= 0:
        yield Problem(f"{field} is {plain(amount)}; what is drawn is above zero.", field, "invalid")
    elif round_to(amount, batch.scale) != amount:
        yield Problem(
            f"{field} is {plain(amount)}; {batch.ledger_name!r} keeps {batch.scale} decimals.",
            field,
            "invalid",
        )


def _check_repetition(
    sources: Sequence[ManualSource], versions: Sequence[DrawingVersion]
) -> Iterator[Problem]:
    """A source may be named once for a node."""
    seen_keys: set[tuple[int, int, str]] = set()
    for source in sources:
        keys = {
            (source.batch.number, position, node.slug)
            for position, version in enumerate(versions)
            for node in source.nodes(version)
        }
        if seen_keys & keys:
            message = f"{source.request.field} names {source.request.batch} a second time for the same node."
            yield Problem(message, source.request.field, "taken")
        seen_keys |= keys


# Manual allocation: the sources that a caller named are divided over the runs that draw by hand.
#
# Each amount is the total of the whole generation and is divided evenly over the runs of the request that
# have the node. What those runs held of it before counts as free, so the same request again moves nothing.
# A run that holds nothing for such a node is not made, unless the node is optional.
#
# Invariants: the parts of an amount sum to it; a run that is not made holds nothing that was named for it.


@dataclass(frozen=True, slots=True)
class SlotRuns:
    """The runs that the data of one slot call for."""

    version: DrawingVersion
    slot: Interval
    partitions: tuple[Partition, ...]

    def drawers(self, node: str) -> list[Drawer]:
        """The runs as they draw for one node."""
        return [Drawer(self.slot, partition, node) for partition in self.partitions]


@dataclass(frozen=True, slots=True)
class RunWithoutSource:
    """A run that is not made, and its nodes for which the request names no source."""

    slot: str
    """What the slot is called."""
    partition: Partition
    nodes: tuple[str, ...]


@dataclass(slots=True)
class ManualAllocation:
    """What came of the manual sources, slot by slot."""

    excluded: dict[Interval, frozenset[Partition]] = field(default_factory=dict)
    """The partitions that are not made, because a node of theirs has no source."""
    unchanged: dict[Interval, frozenset[Partition]] = field(default_factory=dict)
    """Those of them that held nothing before either, and stay as they are."""
    without_source: list[RunWithoutSource] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def allocate(pool: Pool, slots: Sequence[SlotRuns], sources: ManualSources) -> ManualAllocation:
    """Divide what was named, and say which runs are not made."""
    allocation = ManualAllocation()
    drawers_before = {drawer for slot in slots for drawer in pool.holders(slot.slot)}
    for slot in slots:
        touched_slots = sources.touched(slot.version)
        for drawer in pool.holders(slot.slot):
            if drawer.node in touched_slots and sources.concern(drawer):
                pool.release(drawer)
    for source in sorted(sources.named or (), key=lambda source_: pool.sources[source_.batch.number].order):
        drawers = [
            drawer
            for slot in slots
            for drawer in _find_drawers(pool, slot, source)
            if sources.concern(drawer)
        ]
        drawers.sort(key=lambda drawer: drawer.order)
        allocation.problems += _divide(pool, source, drawers)
    for slot in slots:
        _exclude(pool, slot, drawers_before, allocation)
    return allocation


def check_balances(
    pool: Pool, versions: Sequence[DrawingVersion], sources: ManualSources
) -> Iterator[Problem]:
    """What is named beyond what its batch holds, with what the requested runs hold of it added."""
    free: dict[int, Decimal] = {}
    for source in sources.named or ():
        request, batch = source.request, source.batch
        if batch.number not in free:
            held_sources = [
                amount
                for version in versions
                for slot in version.slots
                for drawer in pool.holders(slot)
                if drawer.node in sources.touched(version) and sources.concern(drawer)
                for drawn_number, amount in pool.drawn(drawer)
                if drawn_number.number == batch.number
            ]
            free[batch.number] = sum(held_sources, pool.free(batch.number))
        balance = free[batch.number]
        amount = balance if request.amount is None else request.amount
        free[batch.number] = balance - amount
        if amount > balance or not amount:
            message = _explain_excess(source, amount, balance)
            yield Problem(message, request.field, "balance", (request.batch,))


def _find_drawers(pool: Pool, slot_runs: SlotRuns, source: ManualSource) -> Iterator[Drawer]:
    """The runs of a slot that have the node of a manual source and match its batch."""
    partition = pool.sources[source.batch.number].partition
    for node in source.nodes(slot_runs.version):
        match = node.body.match if isinstance(node.body, Upstream) else ()
        for drawer in slot_runs.drawers(node.slug):
            if all(getattr(drawer.partition, name) == getattr(partition, name) for name in match):
                yield drawer


def _divide(pool: Pool, source: ManualSource, drawers: Sequence[Drawer]) -> Iterator[str]:
    request, batch = source.request, source.batch
    free_amount = pool.free(batch.number)
    amount = free_amount if request.amount is None else request.amount
    if not drawers:
        yield f"{request.batch} was named as a source, and no run of the range can draw from it."
        return
    try:
        if not amount or amount > free_amount:
            yield _explain_excess(source, amount, free_amount)
        elif not pool.divide(batch.number, amount, drawers, batch.scale):
            yield _explain_no_room(source, amount, pool.room_for(batch.number, drawers))
    except AllocationError as error:
        yield f"{request.batch} was named as a source, and what is drawn of it cannot be divided: {error}"


def _explain_no_room(source: ManualSource, amount: Decimal, room: Decimal) -> str:
    unit, batch = source.batch.unit, source.request.batch
    return (
        f"{plain(amount)} {unit} of {batch} were named, and no more than {plain(room)} {unit} may be drawn of"
        " its partition from then on: what was produced later does not cover what is drawn before."
    )


def _explain_excess(source: ManualSource, amount: Decimal, free_amount: Decimal) -> str:
    unit, batch = source.batch.unit, source.request.batch
    if not amount:
        return f"{batch} was named as a source, and it holds nothing."
    return (
        f"{plain(amount)} {unit} of {batch} were named, and it holds {plain(free_amount)} {unit}:"
        f" {plain(amount - free_amount)} {unit} too much."
    )


def _exclude(
    pool: Pool, slot_runs: SlotRuns, drawers_before: set[Drawer], allocation: ManualAllocation
) -> None:
    """Note the runs of a slot that hold nothing for a node that needs something."""
    nodes = slot_runs.version.manual_nodes
    missing_sources: dict[Partition, list[str]] = {}
    for node in nodes:
        for drawer in slot_runs.drawers(node.slug):
            if not node.is_optional and not pool.held(drawer):
                missing_sources.setdefault(drawer.partition, []).append(node.slug)
    name = slot_runs.version.label(slot_runs.slot)
    unchanged_partitions = set()
    for partition, slugs in sorted(missing_sources.items()):
        drawers = [Drawer(slot_runs.slot, partition, node.slug) for node in nodes]
        allocation.without_source.append(RunWithoutSource(name, partition, tuple(slugs)))
        if any(pool.held(drawer) for drawer in drawers if drawer not in drawers_before):
            of_run = f" {partition.label}" if partition.label else ""
            allocation.problems.append(
                f"{name}{of_run} was named for some of its nodes and not for {', '.join(slugs)}."
            )
        if not drawers_before.intersection(drawers):
            unchanged_partitions.add(partition)
            for drawer in pool.holders(slot_runs.slot):
                if drawer.partition == partition:
                    pool.pin(drawer)
    allocation.excluded[slot_runs.slot] = frozenset(missing_sources)
    allocation.unchanged[slot_runs.slot] = frozenset(unchanged_partitions)


def find_partitions_of_slot(
    sets: Mapping[Interval, frozenset[Partition]], slot: Interval
) -> frozenset[Partition]:
    """The partitions noted for a slot."""
    return sets.get(slot, frozenset())


# Drawings: what all runs of a generation draw with.
#
# One pool serves all versions of a generation, in the order of slots, nodes and partitions, so that what
# one run takes the next does not find. The calculation moves amounts in the pool only; its result is
# reported by `Pool.moved`, and posted as withdrawals and returns.


@dataclass(frozen=True, slots=True)
class Drawings:
    """What all versions of a generation draw with; without a pool none of them draws."""

    pool: Pool | None
    source_ledgers: Mapping[int, Mapping[str, SourceLedgerView]]
    """By model version and node."""
    allocation: ManualAllocation = field(default_factory=ManualAllocation)

    def of(self, model: int, slot: Interval) -> Drawing | None:
        """What the nodes of one slot draw with."""
        if self.pool is None:
            return None
        return Drawing(
            slot=slot,
            pool=self.pool,
            source_ledgers=self.source_ledgers[model],
            excluded=find_partitions_of_slot(self.allocation.excluded, slot),
            unchanged=find_partitions_of_slot(self.allocation.unchanged, slot),
        )

    def unchanged(self, slots: Sequence[Interval]) -> set[RunIdentity]:
        """The runs that are not made for want of a source, and stay as they are."""
        return {
            RunIdentity(slot, partition)
            for slot in slots
            for partition in find_partitions_of_slot(self.allocation.unchanged, slot)
        }

    def allocated(self, slots: Sequence[SlotRuns], sources: ManualSources) -> "Drawings":
        """The same, once what was named by hand is divided over the runs."""
        if self.pool is None:
            return self
        return replace(self, allocation=allocate(self.pool, slots, sources))


async def read_drawings(tx: Read, versions: Sequence[DrawingVersion], sources: ManualSources) -> Drawings:
    """Read what the runs of one generation may draw from and hold."""
    source_ledgers = {version.model_id: version.source_ledgers for version in versions}
    request = InventoryRequest(
        project=versions[0].project,
        family=versions[0].family,
        slots=[slot for version in versions for slot in (*version.slots, *version.replaced)],
        source_ledgers=[ledger for of_model in source_ledgers.values() for ledger in of_model.values()],
        attributes_of={
            node: tuple(ledger.attributes)
            for of_model in source_ledgers.values()
            for node, ledger in of_model.items()
        },
        manual_nodes={node.slug for version in versions for node in version.manual_nodes},
        named={source.batch.number for source in sources.named or ()},
    )
    pool = await read_pool(tx, request)
    replaced_slots = [slot for version in versions for slot in version.replaced]
    for drawer in [drawer for slot in replaced_slots for drawer in pool.holders(slot)]:
        pool.release(drawer)
    return Drawings(pool if request.source_ledgers or pool.sources else None, source_ledgers)


async def require_balances(tx: Read, versions: Sequence[DrawingVersion], sources: ManualSources) -> None:
    """Raise Invalid naming each source of which more is named than it holds; the task looks again."""
    if sources.named:
        pool = (await read_drawings(tx, versions, sources)).pool
        assert pool is not None, "what was named is in the pool"  # noqa: S101
        if problems := list(check_balances(pool, versions, sources)):
            raise Invalid(problems)
