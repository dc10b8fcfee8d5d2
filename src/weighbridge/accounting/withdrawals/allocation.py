"""Allocate withdrawals to the runs of a generation: from one pool, in order, and by hand where sources are
named.

A named amount is the total for the whole generation and is divided evenly over the runs that have the
node. What these runs held before counts as available, so repeating a request moves nothing.

Invariants: the parts of an amount add up to it. A run that is not made keeps nothing that was named for
it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from weighbridge.accounting.books.runs import RunIdentity
from weighbridge.accounting.withdrawals.inventory import InventoryRequest, read_pool
from weighbridge.accounting.withdrawals.manual_sources import DrawingVersion, ManualSource, ManualSources
from weighbridge.core.engine.slot_computation import Drawing, SourceLedgerView
from weighbridge.core.ledger.allocation import AllocationError, Partition
from weighbridge.core.ledger.drawing import Drawer
from weighbridge.core.ledger.pool.pool import Pool
from weighbridge.core.model import Upstream
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import plain
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid

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
        return [Drawer(self.slot, one, node) for one in self.partitions]


@dataclass(frozen=True, slots=True)
class RunWithoutSource:
    """A run that is not made, and the nodes of it for which nobody named a source."""

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
    before = {drawer for one in slots for drawer in pool.holders(one.slot)}
    for one in slots:
        touched = sources.touched(one.version)
        for drawer in pool.holders(one.slot):
            if drawer.node in touched and sources.concern(drawer):
                pool.release(drawer)
    for source in sorted(sources.named or (), key=lambda one: pool.sources[one.batch.number].order):
        drawers = [
            drawer for one in slots for drawer in _drawers(pool, one, source) if sources.concern(drawer)
        ]
        drawers.sort(key=lambda drawer: drawer.order)
        allocation.problems += _divide(pool, source, drawers)
    for one in slots:
        _exclude(pool, one, before, allocation)
    return allocation


def beyond_balance(
    pool: Pool, versions: Sequence[DrawingVersion], sources: ManualSources
) -> Iterator[Problem]:
    """What is named beyond what its batch holds, with what the requested runs hold of it added."""
    free: dict[int, Decimal] = {}
    for source in sources.named or ():
        request, batch = source.request, source.batch
        if batch.number not in free:
            held = [
                amount
                for version in versions
                for slot in version.slots
                for drawer in pool.holders(slot)
                if drawer.node in sources.touched(version) and sources.concern(drawer)
                for drawn, amount in pool.drawn(drawer)
                if drawn.number == batch.number
            ]
            free[batch.number] = sum(held, pool.free(batch.number))
        there = free[batch.number]
        amount = there if request.amount is None else request.amount
        free[batch.number] = there - amount
        if amount > there or not amount:
            message = _too_much(source, amount, there)
            yield Problem(message, request.field, "balance", (request.batch,))


def _drawers(pool: Pool, one: SlotRuns, source: ManualSource) -> Iterator[Drawer]:
    """The runs of a slot that have the node of a manual source and match its batch."""
    partition = pool.sources[source.batch.number].partition
    for node in source.nodes(one.version):
        match = node.body.match if isinstance(node.body, Upstream) else ()
        for drawer in one.drawers(node.slug):
            if all(getattr(drawer.partition, name) == getattr(partition, name) for name in match):
                yield drawer


def _divide(pool: Pool, source: ManualSource, drawers: Sequence[Drawer]) -> Iterator[str]:
    request, batch = source.request, source.batch
    there = pool.free(batch.number)
    amount = there if request.amount is None else request.amount
    if not drawers:
        yield f"{request.batch} was named as a source, and no run of the range can draw from it."
        return
    try:
        if not amount or amount > there:
            yield _too_much(source, amount, there)
        elif not pool.divide(batch.number, amount, drawers, batch.scale):
            yield _no_room(source, amount, pool.room_for(batch.number, drawers))
    except AllocationError as error:
        yield f"{request.batch} was named as a source, and what is drawn of it cannot be divided: {error}"


def _no_room(source: ManualSource, amount: Decimal, room: Decimal) -> str:
    unit, batch = source.batch.unit, source.request.batch
    return (
        f"{plain(amount)} {unit} of {batch} were named, and no more than {plain(room)} {unit} may be drawn of"
        " its partition from then on: what was produced later does not cover what is drawn before."
    )


def _too_much(source: ManualSource, amount: Decimal, there: Decimal) -> str:
    unit, batch = source.batch.unit, source.request.batch
    if not amount:
        return f"{batch} was named as a source, and it holds nothing."
    return (
        f"{plain(amount)} {unit} of {batch} were named, and it holds {plain(there)} {unit}:"
        f" {plain(amount - there)} {unit} too much."
    )


def _exclude(pool: Pool, one: SlotRuns, before: set[Drawer], allocation: ManualAllocation) -> None:
    """Note the runs of a slot that hold nothing for a node that needs something."""
    nodes = one.version.manual_nodes
    lacking: dict[Partition, list[str]] = {}
    for node in nodes:
        for drawer in one.drawers(node.slug):
            if not node.is_optional and not pool.held(drawer):
                lacking.setdefault(drawer.partition, []).append(node.slug)
    name = one.version.label(one.slot)
    unchanged = set()
    for partition, slugs in sorted(lacking.items()):
        drawers = [Drawer(one.slot, partition, node.slug) for node in nodes]
        allocation.without_source.append(RunWithoutSource(name, partition, tuple(slugs)))
        if any(pool.held(drawer) for drawer in drawers if drawer not in before):
            of_run = f" {partition.label}" if partition.label else ""
            allocation.problems.append(
                f"{name}{of_run} was named for some of its nodes and not for {', '.join(slugs)}."
            )
        if not before.intersection(drawers):
            unchanged.add(partition)
            for drawer in pool.holders(one.slot):
                if drawer.partition == partition:
                    pool.pin(drawer)
    allocation.excluded[one.slot] = frozenset(lacking)
    allocation.unchanged[one.slot] = frozenset(unchanged)


def of_slot(sets: Mapping[Interval, frozenset[Partition]], slot: Interval) -> frozenset[Partition]:
    """The partitions noted for a slot."""
    return sets.get(slot, frozenset())


# Drawings: what all runs of a generation draw with.
#
# One pool serves all versions of a generation, in the order of slots, nodes and partitions, so that what
# one run takes the next does not find. Working it out moves amounts in the pool only; what it comes to is
# told by `Pool.moved`, and posted as draws and returns.


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
            excluded=of_slot(self.allocation.excluded, slot),
            unchanged=of_slot(self.allocation.unchanged, slot),
        )

    def unchanged(self, slots: Sequence[Interval]) -> set[RunIdentity]:
        """The runs that are not made for want of a source, and stay as they are."""
        return {
            RunIdentity(slot, partition)
            for slot in slots
            for partition in of_slot(self.allocation.unchanged, slot)
        }

    def allocated(self, slots: Sequence[SlotRuns], sources: ManualSources) -> "Drawings":
        """The same, once what was named by hand is divided over the runs."""
        if self.pool is None:
            return self
        return replace(self, allocation=allocate(self.pool, slots, sources))


async def drawings_of(tx: Read, versions: Sequence[DrawingVersion], sources: ManualSources) -> Drawings:
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
    replaced = [slot for version in versions for slot in version.replaced]
    for drawer in [drawer for slot in replaced for drawer in pool.holders(slot)]:
        pool.release(drawer)
    return Drawings(pool if request.source_ledgers or pool.sources else None, source_ledgers)


async def refuse_beyond_balance(tx: Read, versions: Sequence[DrawingVersion], sources: ManualSources) -> None:
    """Raise Invalid naming each source of which more is named than it holds; the task looks again."""
    if sources.named:
        pool = (await drawings_of(tx, versions, sources)).pool
        assert pool is not None, "what was named is in the pool"  # noqa: S101
        if problems := list(beyond_balance(pool, versions, sources)):
            raise Invalid(problems)
