"""Define the records of calculations: model runs, batch generations and their previews, and version
comparisons.

Invariants: every batch has exactly one run, whose ID follows from the ID of the batch; no independent
run has such an ID.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Final, Literal

import msgspec

from weighbridge.accounting.records.batches import BATCH_STATES, PrimaryOutput, StaleReason, ValueSourceShares
from weighbridge.accounting.records.impact import GenerationImpact
from weighbridge.accounting.records.ledgers import PartitionDeficit
from weighbridge.collection.records.events import EVENT_STATUSES
from weighbridge.core import identity
from weighbridge.core.identity import Owner
from weighbridge.core.number import JsonNumber
from weighbridge.core.time.calendar import Instant
from weighbridge.http.text import Line, Moment, friendly_id, one_of, several
from weighbridge.modelling.records import ModelName

# The identity of a model run: `mr_` and what it was made for, a batch or itself.
#
# Invariants: a batch has exactly one run, whose id follows from the batch's; no run of its own has that id.


@dataclass(frozen=True, slots=True)
class ModelRunKey:
    """Where a run stands: its own row, or that of the batch that it is behind."""

    owner: Owner
    project: int
    number: int


def write_model_run_id(key: ModelRunKey) -> str:
    """The friendly id of a run."""
    return identity.of("model_run", key.project, key.number, owner=key.owner)


def run_behind(project: int, batch: int) -> str:
    """The friendly id of the run behind a batch."""
    return write_model_run_id(ModelRunKey(Owner.BATCH, project, batch))


def read_model_run_id(friendly: str) -> ModelRunKey | None:
    """The run that a friendly id names; None when no run can have it."""
    key = identity.parse("model_run", friendly)
    if key is None or key.owner is Owner.EVENT or key.position:
        return None
    return ModelRunKey(key.owner, key.project, key.key)


# What a model run looks like on the wire, and what callers send to have one made.


DATA_POINTS_MAX: Final = 10_000
"""Data points that one model run may be given."""

RUN_STATES: Final = ("complete", "failed", "processing")
"""States of a run; only that behind a batch is ever `processing`."""

BLOCKERS: Final = ("batch",)
"""Kinds of reasons why a run stays."""

NodeValue = Decimal | list[Decimal] | None


class Calculation(msgspec.Struct, frozen=True):
    """What a node came to: a number, a list for an array, or null for an optional node without data."""

    id: int
    """The number of the value."""
    name: str
    """The label of the node."""
    slug: str
    """The slug of the node."""
    value: NodeValue
    """What it came to, in `unit`: a number, a list for an array, or null for an optional node without data.
    """
    unit: str
    """The unit of the node, such as `t{CO2e}`."""
    ghg: str | None
    lca_role: str | None
    category: str | None
    """The category that the document tags the node with; null when it has no such tag."""


class OutputDataPoint(msgspec.Struct, frozen=True):
    """The value of an output node as a data point; `incomplete` when the node came to nothing."""

    id: str
    slug: str
    """The slug of the node."""
    data_point_type: str
    """The label of the node."""
    value: NodeValue
    """What it came to, in `unit`: a number, a list for an array, or null for an optional node without data.
    """
    unit: str
    """The unit of the node, such as `t{CO2e}`."""
    status: Annotated[str, one_of(EVENT_STATUSES)]
    """Whether the node came to something."""


class DeletionBlocker(msgspec.Struct, frozen=True):
    """One reason why a run stays, and the records that are in the way."""

    code: Annotated[str, one_of(BLOCKERS)]
    """The kind of reason."""
    message: str
    """The reason, in a sentence."""
    records: list[str]
    """The ids of the records that are in the way, such as `bat_…`."""


class ModelRun(msgspec.Struct, frozen=True):
    """One run of a version; `batch_id` is null for one that stands alone."""

    id: str
    project_id: str
    model_id: str
    batch_id: str | None
    """The friendly id of the batch that it made; null for a run that stands alone."""
    start_time: Instant
    """The start of the period that it computes, inclusive."""
    end_time: Instant
    """The end of that period, exclusive."""
    state: Annotated[str, one_of(RUN_STATES)]
    """Where the run stands."""
    error_message: str | None
    calculations: list[Calculation]
    """What each node came to, in the order of the model."""
    output_data_points: list[OutputDataPoint]
    """What the outputs of the model came to, as data points."""
    is_deletable: bool
    """Whether the run can be deleted by itself."""
    deletion_blockers: list[DeletionBlocker]
    """What keeps it from being deleted; empty when nothing does."""
    created_at: Instant
    updated_at: Instant


class NewModelRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to have a version evaluated: a period, and the data points to evaluate."""

    start_time: Moment
    end_time: Moment
    data_point_ids: Annotated[list[str], several(DATA_POINTS_MAX)]
    """The friendly ids of the data points to evaluate, up to 10,000, such as `in_…`."""


class NewModelRunBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /models/{model_id}/model_runs."""

    model_run: NewModelRun


# What goes in and out of preview and generation.


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
    state: Annotated[str, one_of(BATCH_STATES)]
    """Whether it is being computed with other inputs just now."""
    error_message: str | None
    """Why it could not be computed with the inputs that were asked for last; null when it could."""
    primary_output: PrimaryOutput
    has_rule_alerts: bool
    has_rule_warnings: bool
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
    pending_evaluations: list[PendingEvaluations]
    pending_roll_ups: list[PendingRollUps]
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
    pending_evaluations: list[PendingEvaluations]
    pending_roll_ups: list[PendingRollUps]
    left_out: list[LeftOut]
    """Runs that draw by hand and have no source."""
    rounded_away: list[RoundedAwayDraw]
    """Draws of nothing where something is needed, for it rounds to zero."""
    deficits: list[PartitionDeficit]
    """Every deficit of these ledgers and of those that they draw from."""
    stale_sources: list[StaleSource]
    """Batches that are drawn from although they are stale."""
    passed_over_with_data: list[str] = []


# What goes in and out of a comparison of two versions over a period.


_MODEL_ID: Final = msgspec.Meta(
    description="The friendly id of another version of the model; without it, the active one.",
    extra_json_schema={key: friendly_id("model")[key] for key in ("pattern", "examples")},
)


class ComparedPeriod(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a comparison: the period, and the version that is compared with."""

    start_time: Moment
    """The start of the period, inclusive; slots of which at least half lies in it are compared."""
    end_time: Moment
    """The end of the period, exclusive."""
    against: Annotated[str, _MODEL_ID] | None = None


class ComparedNode(msgspec.Struct, frozen=True):
    """A node of a run that comes to something else, has another unit, or is in one version only."""

    slug: str
    """The slug of the node."""
    name: str
    """The label of the node, in the version that is asked about where that has it."""
    value_before: Decimal | list[Decimal] | None
    """What it comes to by the version compared with, in `unit_before`; null where there is no value."""
    value_after: Decimal | list[Decimal] | None
    """What it comes to by the version that is asked about, in `unit_after`; null where there is no value."""
    unit_before: str | None
    """Its unit in the version compared with; null where that has no such node."""
    unit_after: str | None
    """Its unit in the version that is asked about; null where that has no such node."""


class ComparedBatch(msgspec.Struct, frozen=True):
    """What a run comes to on one ledger by either version."""

    ledger_id: str
    primary_output_before: Decimal | None
    """What it comes to by the version compared with; null where that makes no such batch."""
    primary_output_after: Decimal | None
    """What it comes to by the version that is asked about; null where that makes no such batch."""
    unit: str
    """The unit of the ledger."""


class ComparedRun(msgspec.Struct, frozen=True):
    """A slot and partition that the versions do not agree on."""

    project_id: str
    partition: str | None
    """What the partition is called; null for a model without partitions."""
    start_time: Instant
    """The start of the slot, inclusive."""
    end_time: Instant
    """The end of the slot, exclusive."""
    batches: list[ComparedBatch]
    """The ledgers on which it comes to something else, in their order."""
    nodes: list[ComparedNode]
    """The nodes that differ, in the order of the version that is asked about, then those it does not have."""


class ComparedLedger(msgspec.Struct, frozen=True):
    """What all runs of the period come to on one ledger by either version."""

    ledger_id: str
    name: str
    """What the ledger is called."""
    batch_count: int
    """How many of its batches would come to something else, appear or vanish."""
    primary_output_before: Decimal | None
    """The sum by the version compared with; null where that cannot credit the ledger."""
    primary_output_after: Decimal
    """The sum by the version that is asked about."""
    unit: str
    """The unit of the ledger."""


class ComparedVersions(msgspec.Struct, frozen=True):
    """What a version would have come to over a period, against another one, on the data as they are now."""

    model: ModelName
    """The version that is asked about."""
    against: ModelName
    """The version that it is compared with."""
    start_time: Instant
    """The start of the period, inclusive."""
    end_time: Instant
    """The end of the period, exclusive."""
    ledgers: list[ComparedLedger]
    """Every ledger that runs the model."""
    runs: list[ComparedRun]
    """The runs that differ, by project, slot and partition."""
    problems_before: list[str]
    """What would fail a generation by the version compared with, each in a sentence."""
    problems_after: list[str]
    """What would fail a generation by the version that is asked about, each in a sentence."""
    impact: GenerationImpact
    """What the runs of both versions come to on every ledger, with all that draws from them, and the reports
    that include amounts of these."""
