"""A plan says what generation will post: for each run its values, and for each ledger the difference.

Preview counts a plan and generation publishes one, so the two cannot disagree.

Invariants: a plan is made from one snapshot of the data; runs are ordered by slot and partition; no two
runs share a slot and a partition.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from weighbridge.accounting.batch_generations.records import LeftOut, NotCounted, PendingProposals
from weighbridge.accounting.inputs.selection import BySlot
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.core.engine import Reading
from weighbridge.core.engine.source_ledger import Drawn
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.ledger.posting import Entry
from weighbridge.core.time.instant import Interval


@dataclass(frozen=True, slots=True)
class Target:
    """A ledger that the generation credits."""

    number: int
    name: str
    unit: str
    scale: int
    output: str


@dataclass(frozen=True, slots=True)
class RunKey:
    """What tells a run from the others of its model."""

    slot: Interval
    partition: Partition

    @property
    def place(self) -> tuple[object, ...]:
        """By what runs are ordered."""
        return self.slot.start, self.slot.end, self.partition.label


def run_name(slot: str, partition: Partition) -> str:
    """The partition's own tracking id, or one made of slot and partition: `2025-03 Wood chips`."""
    return partition.tracking_id or " ".join(part for part in (slot, partition.label) if part)


@dataclass(frozen=True, slots=True)
class Run:
    """One slot and partition with every node's value."""

    slot: Interval
    label: str
    partition: Partition
    readings: Mapping[str, Reading]
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
    """The data point types of the inputs whose data were set aside."""
    draws: tuple[Drawn, ...] = ()
    """What its nodes hold of batches of other ledgers."""

    @property
    def key(self) -> RunKey:
        return RunKey(self.slot, self.partition)

    @property
    def name(self) -> str:
        """The tracking id of its batches."""
        return run_name(self.label, self.partition)


@dataclass(frozen=True, slots=True)
class NewBatch:
    """The name of a batch that a generation will make, as long as it has no number."""

    ledger: int
    run: RunKey


@dataclass(frozen=True, slots=True)
class Change:
    """What one run comes to on one ledger, where that or its inputs are not what they were."""

    run: Run
    target: Target
    total: Decimal
    run_number: int | None = None
    """The run's number, when it has batches."""
    adjusts: int | None = None
    """The first batch of the run on this ledger, when there is one."""

    @property
    def batch(self) -> NewBatch:
        """The batch that it makes."""
        return NewBatch(self.target.number, self.run.key)

    @property
    def run_name(self) -> int | RunKey:
        """How entries name the run."""
        return self.run.key if self.run_number is None else self.run_number


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that one version of a model will do in a generation."""

    model_id: int
    share_scale: int
    sources: tuple[InputStream, ...]
    place: BySlot
    slots: tuple[Interval, ...]
    slot_labels: tuple[str, ...]
    touched_labels: tuple[str, ...]
    changes: tuple[Change, ...]
    unchanged: int
    not_counted: tuple[NotCounted, ...]
    pending: tuple[PendingProposals, ...]
    """Corrections of its data that wait for approval."""
    problems: tuple[str, ...]
    """Why the generation would fail; empty when it would not."""
    left_out: tuple[LeftOut, ...] = ()
    """Runs that are not made because nobody named a source for them."""
    digests: Mapping[Interval, bytes] = field(default_factory=dict)
    """What each slot that was computed was computed from."""
    draws: tuple[Entry, ...] = ()
    """Draws and returns of the runs' nodes. They name batches by number, and a run that has no batches yet
    and the new batch that posts them as its change does."""
