"""What an impact looks like on the wire, whatever the change is that it is of.

Reports that a change would touch get a list of their own beside the ledgers.
"""

from decimal import Decimal
from typing import Annotated

import msgspec

from weighbridge.accounting.batches.records import StaleReason
from weighbridge.accounting.ledgers.records import PartitionDeficit
from weighbridge.core.rule.correction import Purpose
from weighbridge.core.time.instant import Instant
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


class BatchMadeStale(msgspec.Struct, frozen=True):
    """A batch that the change would leave stale until its slot is generated again."""

    batch_id: str
    """The friendly id of the batch: the newest of its run on the ledger."""
    ledger_id: str
    reasons: list[StaleReason]
    """Why it would be stale; reasons that it has already are not repeated."""


class FollowingRule(msgspec.Struct, frozen=True):
    """An automatic rule that corrects unasked, and that would evaluate what the change touches."""

    rule_id: str
    name: str
    """What the rule is called."""
    purpose: Annotated[str, one_of(Purpose)]
    """What the rule is for: adjust, substitute or impute."""


class Impact(msgspec.Struct, frozen=True):
    """What would change if a change were made and what it touches generated again."""

    batches: list[ImpactOnBatch]
    """The runs that would come to something else, by ledger, slot and partition."""
    ledgers: list[ImpactOnLedger]
    """The ledgers of these runs, each with the sum of the changes."""
    stale_batches: list[BatchMadeStale]
    """The batches that would be stale until they are generated again, and those that draw from them."""
    deficits: list[PartitionDeficit]
    """The deficits that would open, or be larger than without the change."""
    problems: list[str]
    """What would fail a generation, which then posts nothing, each in a sentence; empty for none."""
    following_rules: list[FollowingRule]
    """Automatic rules that correct unasked and would evaluate the changed events afterwards.

    What they would correct is in no figure here, so other figures may come of it.
    """


NO_IMPACT = Impact(batches=[], ledgers=[], stale_batches=[], deficits=[], problems=[], following_rules=[])
"""That of a change which touches nothing."""
