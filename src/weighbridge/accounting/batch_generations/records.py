"""What goes in and out of preview and generation."""

from decimal import Decimal
from typing import Literal

import msgspec

from weighbridge.accounting.batches.records import PrimaryOutput, StaleReason
from weighbridge.accounting.ledgers.records import PartitionDeficit
from weighbridge.core.quantity.json_number import JsonNumber
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Line, Moment


class BatchAmount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """So much of a batch, for a node whose sources the caller names."""

    batch_id: str
    primary_output_amount: JsonNumber
    allocation_group: Line | None = None


class NewGeneration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of generate_preview and batch_generations."""

    start_time: Moment
    end_time: Moment
    generate_concurrent_ledgers: bool = False
    model_version: Literal["latest"] | None = None
    """`latest` has the active version replace whole slots; without it a slot keeps the version it has."""
    batch_amounts: list[BatchAmount] | None = None
    """What runs draw from batches by hand, for all runs together; without it they keep what they hold."""
    data_point_ids: list[str] | None = None
    """The complete set of data for the inputs that it touches, slot by slot; empty, all discover again."""
    skipped_data_point_type_ids: list[int] | None = None
    """Types whose data are set aside: their inputs take their defaults, a sum takes zero."""

    @property
    def names_inputs(self) -> bool:
        """Whether it says anything of what runs are made of."""
        lists = (self.batch_amounts, self.data_point_ids, self.skipped_data_point_type_ids)
        return any(one is not None for one in lists)


class UpdatedInputs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of update_inputs; a list that is left out stays as it is, an empty one clears."""

    data_point_ids: list[str] | None = None
    """The complete set of data of the batch, for the inputs that it touches."""
    batch_amounts: list[BatchAmount] | None = None
    """What the batch's run draws from other batches by hand."""
    skipped_data_point_type_ids: list[int] | None = None
    """Types whose data are set aside in the batch's slot."""


class UpdatedBatch(msgspec.Struct, frozen=True):
    """A batch that is about to be computed with other inputs."""

    id: str
    tracking_id: str
    start_time: Instant
    end_time: Instant
    state: str
    error_message: str | None
    primary_output: PrimaryOutput
    has_rule_alerts: bool
    created_at: Instant
    updated_at: Instant


class NotCounted(msgspec.Struct, frozen=True):
    """Data in the range that no run uses, and why."""

    reason: str
    event_type: str
    event_count: int
    events: list[str]


class PendingProposals(msgspec.Struct, frozen=True):
    """Corrections of data in the range that wait for approval; until then runs use the values as they are."""

    rule_id: str
    rule: str
    event_type: str
    proposal_count: int
    data_points: list[str]


class LeftOut(msgspec.Struct, frozen=True):
    """A run that is not made because nobody named a source for nodes of it that draw by hand."""

    slot: str
    partition: str | None
    nodes: list[str]


class RoundedAwayDraw(msgspec.Struct, frozen=True):
    """A draw of nothing where something was needed: it rounds to zero at the scale of the ledger."""

    slot: str
    partition: str | None
    node: str
    ledger: str
    """The ledger that it would be drawn from."""
    needed: Decimal
    """In the unit of that ledger, before it is rounded."""


class StaleSource(msgspec.Struct, frozen=True):
    """A batch that runs draw from, though its run no longer stands on the data as they are."""

    batch_id: str
    ledger_id: str
    tracking_id: str
    reasons: list[StaleReason]


class PreviewEntry(msgspec.Struct, frozen=True):
    """What generation would do on one ledger."""

    id: str
    name: str
    count: int
    """Batches that would be made; 0 while `problems` would fail the generation."""
    adjustments: int
    """Those of them that adjust another."""
    slots: list[str]
    touched_slots: list[str]
    passed_over_slots: list[str]
    not_counted: list[NotCounted]
    pending_proposals: list[PendingProposals]
    left_out: list[LeftOut]
    rounded_away: list[RoundedAwayDraw]
    deficits: list[PartitionDeficit]
    warnings: list[str]
    """What rounding may cost on this ledger, where that is more than its model's shares."""
    stale_sources: list[StaleSource]
    problems: list[str]


class Preview(msgspec.Struct, frozen=True):
    """One entry for each ledger that the model runs on."""

    data: list[PreviewEntry]


class GenerationResult(msgspec.Struct, frozen=True):
    """The result of a finished generation task."""

    batches: list[str]
    created: int
    adjusted: int
    unchanged: int
    passed_over_slots: list[str]
    """Slots of the range that nobody computes, because batches of another cadence stand there."""
    not_counted: list[NotCounted]
    pending_proposals: list[PendingProposals]
    left_out: list[LeftOut]
    rounded_away: list[RoundedAwayDraw]
    deficits: list[PartitionDeficit]
    stale_sources: list[StaleSource]
