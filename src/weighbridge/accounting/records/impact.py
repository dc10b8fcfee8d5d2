"""Records of impacts: what batches, ledgers and reports would come to if generations were carried out."""

from decimal import Decimal
from typing import Annotated

import msgspec

from weighbridge.accounting.records.ledgers import PartitionDeficit
from weighbridge.core.report import ReportStatus
from weighbridge.core.time.calendar import Instant
from weighbridge.http.text import one_of


class ImpactOnBatch(msgspec.Struct, frozen=True):
    """What a run would come to on one ledger if the change were made and the slot generated."""

    batch_id: str | None
    """The friendly id of the first batch of the run on the ledger; null for a run that has none yet."""
    ledger_id: str
    partition: str | None
    """What the partition is called; null for a model without partitions."""
    start_time: Instant
    """The start of the slot, inclusive."""
    end_time: Instant
    """The end of the slot, exclusive."""
    primary_output_before: Decimal
    """What the run comes to without the change, in the unit of the ledger."""
    primary_output_after: Decimal
    """What it comes to with the change, in the unit of the ledger."""
    unit: str
    """The unit of the ledger."""


class ImpactOnLedger(msgspec.Struct, frozen=True):
    """What the changes of a ledger's batches would come to together."""

    ledger_id: str
    name: str
    """What the ledger is called."""
    batch_count: int
    """How many runs of it would come to something else."""
    change: Decimal
    """By how much its batches would rise together, in its unit; negative when they fall."""
    unit: str
    """The unit of the ledger."""
    primary_output_before: Decimal
    """What these runs come to together without the change."""
    primary_output_after: Decimal
    """What they come to together with the change."""


class ImpactOnReport(msgspec.Struct, frozen=True):
    """A report that includes amounts of runs which would come to something else."""

    report_id: str
    name: str
    """What the report is called."""
    status: Annotated[str, one_of(ReportStatus)]
    """Where the report stands; one that was superseded, rejected or withdrawn claims nothing, and is left
    out.
    """
    ledger_id: str
    batch_ids: list[str]
    """The batches of these runs that it includes, in the order in which they were made."""
    included: Decimal
    """What it includes of these batches, in the unit of the ledger."""
    primary_output_before: Decimal
    """What the runs come to together without the change."""
    primary_output_after: Decimal
    """What they come to together with the change."""
    uncovered: Decimal
    """How much of what it includes the runs would no longer come to, each by itself; 0 when they cover it.

    More may be missing where others draw from the same batches: that is among the `deficits`.
    """
    unit: str
    """The unit of the ledger."""
    role: str | None
    """What the ledger is for in a report of several, of which each has a row; null of a report of one."""
    sign: int
    """The sign: 1 where the ledger counts toward the claim, -1 where it is deducted."""


class GenerationImpact(msgspec.Struct, frozen=True):
    """What generations would change, ledger after ledger down to the last that draws from them."""

    batches: list[ImpactOnBatch]
    """The runs that would come to something else: ledgers before those that draw from them, then by slot and
    partition.
    """
    ledgers: list[ImpactOnLedger]
    """The ledgers of these runs in the same order, each with the sum of the changes."""
    reports: list[ImpactOnReport]
    """The reports that include amounts of these runs, the oldest first."""
    deficits: list[PartitionDeficit]
    """The deficits that would open, or be larger than without the change."""
    problems: list[str]
    """What would fail a generation, which then posts nothing, each in a sentence; empty for none."""
    not_followed: list[str]
    """Why some ledgers that draw from changed batches are not in these figures, each in a sentence; empty
    when all are.
    """
