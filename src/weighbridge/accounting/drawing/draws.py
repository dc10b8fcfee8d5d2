"""Drawings: what all runs of a generation draw with.

One pool serves all versions of a generation, in the order of slots, nodes and partitions, so that what one
run takes the next does not find. Working it out moves amounts in the pool only; what it comes to is told by
`Pool.moved`, and posted as draws and returns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from weighbridge.accounting.books.runs import RunIdentity
from weighbridge.accounting.drawing.inventory import InventoryRequest, read_pool
from weighbridge.accounting.drawing.manual_allocation import (
    ManualAllocation,
    SlotRuns,
    allocate,
    beyond_balance,
    of_slot,
)
from weighbridge.accounting.drawing.manual_sources import ManualSources
from weighbridge.accounting.drawing.version import DrawingVersion
from weighbridge.core.engine.source_ledger import Drawing, SourceLedgerView
from weighbridge.core.ledger.pool.pool import Pool
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid


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
