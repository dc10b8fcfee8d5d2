"""What goes in and out of preview and generation."""

from decimal import Decimal
from typing import Annotated, Final, Literal

import msgspec

from weighbridge.accounting.batches.records import STATES, PrimaryOutput, StaleReason
from weighbridge.accounting.books.value_source_shares import ValueSourceShares
from weighbridge.accounting.ledgers.records import PartitionDeficit
from weighbridge.core.quantity.json_number import JsonNumber
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Line, Moment, one_of, several

BATCH_AMOUNTS_MAX: Final = 10_000
"""Amounts of batches that one generation may name."""

DATA_POINTS_NAMED_MAX: Final = 100_000
"""Data points that one generation may name."""


class BatchAmount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """So much of a batch, for a node whose sources the caller names."""

    batch_id: str
    """The friendly id of the batch to draw from."""
    primary_output_amount: JsonNumber
    """How much to draw, in the unit of that batch's ledger."""
    allocation_group: Line | None = None
    """Which node draws it: the group that its model names, or its slug; needed when several draw from the
    ledger.
    """


class NewGeneration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of generate_preview and batch_generations."""

    start_time: Moment
    """The start of the range, inclusive; slots of which at least half lies in it are computed."""
    end_time: Moment
    """The end of the range, exclusive."""
    generate_concurrent_ledgers: bool = False
    """Whether every ledger that the model credits in the project is credited, and not this one alone."""
    model_version: Literal["latest"] | None = None
    """With `latest` the active version replaces whole slots; without it a slot keeps the version it has."""
    batch_amounts: Annotated[list[BatchAmount], several(BATCH_AMOUNTS_MAX)] | None = None
    """What runs draw from batches by hand, for all runs together; without it they keep what they hold."""
    data_point_ids: Annotated[list[str], several(DATA_POINTS_NAMED_MAX)] | None = None
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

    data_point_ids: Annotated[list[str], several(DATA_POINTS_NAMED_MAX)] | None = None
    """The complete set of data of the batch, for the inputs that it touches."""
    batch_amounts: Annotated[list[BatchAmount], several(BATCH_AMOUNTS_MAX)] | None = None
    """What the batch's run draws from other batches by hand."""
    skipped_data_point_type_ids: list[int] | None = None
    """Types whose data are set aside in the batch's slot."""


class UpdatedBatch(msgspec.Struct, frozen=True):
    """A batch that is about to be computed with other inputs."""

    id: str
    tracking_id: str
    """What people call the batch, after its slot and partition."""
    start_time: Instant
    """The start of its slot, inclusive."""
    end_time: Instant
    """The end of its slot, exclusive."""
    state: Annotated[str, one_of(STATES)]
    """Whether it is being computed with other inputs just now."""
    error_message: str | None
    """Why it could not be computed with the inputs that were asked for last; null when it could."""
    primary_output: PrimaryOutput
    has_rule_alerts: bool
    created_at: Instant
    updated_at: Instant


class NotCounted(msgspec.Struct, frozen=True):
    """Data in the range that no run uses, and why."""

    reason: str
    """Why no run uses them, as the end of a sentence about the events."""
    event_type: str
    """The slug of their event type."""
    event_count: int
    """How many events these are."""
    events: list[str]
    """The friendly ids of the first few of them."""


class PendingProposals(msgspec.Struct, frozen=True):
    """Corrections of data in the range that wait for approval; until then runs use the values as they are."""

    rule_id: str
    rule: str
    """What the rule is called."""
    event_type: str
    """The slug of the event type of the data."""
    proposal_count: int
    """How many corrections it proposes."""
    data_points: list[str]
    """The friendly ids of the first few data points."""
    slots: list[Instant] = []
    """When the first few slots begin for which it proposes an event, as none came."""


class PendingEvaluations(msgspec.Struct, frozen=True):
    """Data in the range that changed, and that a rule which corrects has not looked at yet.

    A generation has such evaluations done before it begins.
    """

    rule_id: str
    rule: str
    """What the rule is called."""
    event_type: str
    """The slug of the event type of the data."""
    start_time: Instant | None
    """From when on data wait to be evaluated; null when all earlier ones do."""
    end_time: Instant | None
    """Until when data wait to be evaluated; null when all later ones do."""


class PendingRollUps(msgspec.Struct, frozen=True):
    """Rolled-up data in the range that do not follow their readings yet; a generation has that done first."""

    event_type: str
    """The slug of the event type of the data."""
    source: str
    """The slug of the event type whose readings changed."""
    start_time: Instant | None
    """From when on readings changed; null when all earlier ones are to be rolled up anew."""
    end_time: Instant | None
    """Until when readings changed; null when all later ones are to be rolled up anew."""


class LeftOut(msgspec.Struct, frozen=True):
    """A run that is not made because nobody named a source for nodes of it that draw by hand."""

    slot: str
    partition: str | None
    nodes: list[str]
    """The slugs of the nodes that draw by hand and have no source."""


class RoundedAwayDraw(msgspec.Struct, frozen=True):
    """A draw of nothing where something was needed: it rounds to zero at the scale of the ledger."""

    slot: str
    partition: str | None
    node: str
    """The slug of the node that draws."""
    ledger: str
    """The friendly id of the ledger that it would be drawn from."""
    needed: Decimal
    """How much is needed, in the unit of that ledger, before it is rounded."""


class StaleSource(msgspec.Struct, frozen=True):
    """A batch that runs draw from, though its run no longer stands on the data as they are."""

    batch_id: str
    ledger_id: str
    tracking_id: str
    """The tracking id of the batch."""
    reasons: list[StaleReason]
    """Why it is stale, each reason with what changed."""


class PreviewEntry(msgspec.Struct, frozen=True):
    """What generation would do on one ledger."""

    id: str
    """The friendly id of the ledger: lgr_ and 24 hexadecimal digits."""
    name: str
    """What the ledger is called."""
    count: int
    """Batches that would be made; 0 while `problems` would fail the generation."""
    adjustments: int
    """Those of them that adjust another."""
    slots: list[str]
    """What the slots are called that would be computed, such as `2025-03`."""
    touched_slots: list[str]
    """What the slots are called that the range reaches into by less than half, so that nobody computes
    them.
    """
    passed_over_slots: list[str]
    """What the slots are called that nobody computes, because batches of another cadence stand there."""
    not_counted: list[NotCounted]
    """Data in the range that no run would use."""
    pending_proposals: list[PendingProposals]
    """Corrections of data in the range that wait for approval."""
    pending_evaluations: list[PendingEvaluations]
    """Rules that correct and have not looked yet at data in the range that changed."""
    pending_roll_ups: list[PendingRollUps]
    """Rolled-up data in the range that do not follow their readings yet."""
    left_out: list[LeftOut]
    """Runs that draw by hand and have no source."""
    rounded_away: list[RoundedAwayDraw]
    """Draws of nothing where something is needed."""
    measured_share: Decimal | None
    """How much of what the runs of these batches come to was measured, from 0 to 1."""
    value_source_shares: ValueSourceShares | None
    """What these runs rest on, all together; null where they come to zero or rest on no value, and where a
    batch of before shares were kept is part of it.
    """
    deficits: list[PartitionDeficit]
    """Every deficit of this ledger and of those that are drawn from, as it would be afterwards."""
    warnings: list[str]
    """What rounding may cost on this ledger, where that is more than its model's shares."""
    stale_sources: list[StaleSource]
    """Batches that would be drawn from although they are stale."""
    problems: list[str]
    """What would fail the generation, each in a sentence; empty when nothing would."""
    passed_over_with_data: list[str] = []
    """Those of `passed_over_slots` in which events lie that the model reads, counted elsewhere or not."""


class Preview(msgspec.Struct, frozen=True):
    """One entry for each ledger that the model runs on."""

    data: list[PreviewEntry]
    """One entry for each ledger that would be credited."""


class GenerationResult(msgspec.Struct, frozen=True):
    """The result of a finished generation task."""

    batches: list[str]
    """The ids of the batches that were made, also those of adjustments."""
    created: int
    """How many of them are the first of their run."""
    adjusted: int
    """How many post a difference to a run that had batches."""
    unchanged: int
    """Runs that stay as they were, so that nothing was posted."""
    passed_over_slots: list[str]
    """Slots of the range that nobody computes, because batches of another cadence stand there."""
    not_counted: list[NotCounted]
    """Data in the range that no run uses, with the reason."""
    pending_proposals: list[PendingProposals]
    """Corrections of data in the range that wait for approval."""
    pending_evaluations: list[PendingEvaluations]
    """Rules that correct and have not looked yet at data in the range that changed."""
    pending_roll_ups: list[PendingRollUps]
    """Rolled-up data in the range that do not follow their readings yet."""
    left_out: list[LeftOut]
    """Runs that draw by hand and have no source."""
    rounded_away: list[RoundedAwayDraw]
    """Draws of nothing where something is needed, for it rounds to zero."""
    deficits: list[PartitionDeficit]
    """Every deficit of these ledgers and of those that they draw from."""
    stale_sources: list[StaleSource]
    """Batches that are drawn from although they are stale."""
    passed_over_with_data: list[str] = []
    """Those of `passed_over_slots` in which events lie that the model reads, counted elsewhere or not."""
