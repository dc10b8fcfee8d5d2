"""A plan says what one version of a model comes to: for each run its values, for each ledger the difference.

Invariants: a plan is made from one snapshot of the data; runs are ordered by slot and partition; no two
runs share a slot and a partition.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from weighbridge.accounting.batch_generations.records import (
    PendingEvaluations,
    PendingProposals,
    PendingRollUps,
)
from weighbridge.accounting.books.runs import RunIdentity
from weighbridge.accounting.books.slot_digests import Digests
from weighbridge.accounting.inputs.selection import BySlot
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.planning.exclusions import Exclusion
from weighbridge.accounting.planning.scope import CreditedLedger, Scope
from weighbridge.core.engine import NodeReading
from weighbridge.core.engine.source_ledger import Drawn
from weighbridge.core.ledger.contributions import Contributions
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.time.instant import Interval


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
    """What contributes to each output; None where nobody knows."""

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
    """What one run comes to on one ledger, where that or its inputs are not what they were: a new batch."""

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
    """What one version of a model comes to in a generation."""

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
