"""A source ledger as a node of a model sees it: its unit, its scale, what travels along.

Invariants: every node that draws or looks has one; attributes stand in the order in which the node lists
them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from weighbridge.core.ledger.contributions import Contributions
from weighbridge.core.ledger.drawing import Drawer, SourceBatch
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.ledger.pool.pool import Pool
from weighbridge.core.ledger.rounding import HALF_EVEN, LedgerRounding
from weighbridge.core.quantity.unit import Unit
from weighbridge.core.time.instant import Interval


@dataclass(frozen=True, slots=True)
class SourceLedgerView:
    """The ledger that a node draws from or looks at, and the units of the attributes that travel along."""

    ledger: int
    name: str
    unit: Unit
    scale: int
    attributes: Mapping[str, Unit]
    rounding: LedgerRounding = HALF_EVEN


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a node of a run holds of one source, in the ledger's unit, and what travels along."""

    node: str
    source: SourceBatch
    amount: Decimal
    attributes: tuple[Decimal, ...] = ()
    units: tuple[Unit, ...] = ()
    rests_on: tuple[Contributions | None, ...] = ()
    """What contributes to what the source came to, and to each attribute; None where nobody knows."""


@dataclass(frozen=True, slots=True)
class RoundedAway:
    """A draw that came to nothing: what a run's node needs, in the ledger's unit, rounds to zero there."""

    drawer: Drawer
    ledger: SourceLedgerView
    needed: Decimal


@dataclass(frozen=True, slots=True)
class Drawing:
    """What the nodes of one slot draw with: the pool that all runs share, and the source ledger of each."""

    slot: Interval
    pool: Pool
    source_ledgers: Mapping[str, SourceLedgerView]
    excluded: frozenset[Partition] = frozenset()
    """Partitions that do not run, because nobody named a source for a node of theirs."""
    unchanged: frozenset[Partition] = frozenset()
    """Those of them that stay as they are; the others held something and fall to nothing."""
    recorded: Mapping[Drawer, tuple[Drawn, ...]] | None = None
    """What nodes drew before, where a run is computed again as it was; nothing is drawn then."""
    seen: Mapping[Drawer, Decimal] = field(default_factory=dict)
    """What `available` nodes saw then, in their own units."""
