"""A plan says what generation will post: for each run its values, and for each ledger the difference.

Preview counts a plan and generation publishes one, so the two cannot disagree.

Invariants: a plan is made from one snapshot of the data; runs are ordered by slot and partition; no two
runs share a slot and a partition.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core.engine import Reading
from weighbridge.core.instant import Interval
from weighbridge.core.ledger import Posting
from weighbridge.core.partition import Partition
from weighbridge.resources.batch_generations.records import NotCounted
from weighbridge.resources.batch_generations.sources import Source


@dataclass(frozen=True, slots=True)
class Target:
    """A ledger that the generation credits."""

    number: int
    name: str
    unit: str
    scale: int
    output: str


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


@dataclass(frozen=True, slots=True)
class Change:
    """What one run posts to one ledger."""

    run: Run
    target: Target
    total: Decimal
    posting: Posting
    adjusts: int | None
    """The first batch of the run on this ledger, when there is one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a generation will do."""

    model_id: int
    share_scale: int
    sources: tuple[Source, ...]
    slots: tuple[Interval, ...]
    slot_labels: tuple[str, ...]
    touched_labels: tuple[str, ...]
    changes: tuple[Change, ...]
    unchanged: int
    not_counted: tuple[NotCounted, ...]
    problems: tuple[str, ...]
    """Why the generation would fail; empty when it would not."""
