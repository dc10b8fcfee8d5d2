"""Define the records of batches: their state, values, withdrawals, allocations to reports, input data and
provenance.

Read `Batch` first; `Lineage` is the same batch as a tree.
"""

from decimal import Decimal
from typing import Annotated, Final

import msgspec

from weighbridge.accounting.records.uncertainty import UncertaintyInterval
from weighbridge.collection.records.events import Substitution
from weighbridge.core.identity import Link, ResourceAddress
from weighbridge.core.ledger.conditions import BatchCondition
from weighbridge.core.model import Aggregate
from weighbridge.core.report import ReportStatus
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.listing import Info
from weighbridge.http.text import Line, one_of, several
from weighbridge.platform.records import REASONS


class AllocatedReport(msgspec.Struct, frozen=True):
    """A report that holds something of a batch."""

    id: str
    name: str
    """What people call the report, such as `First quarter of 2025`."""
    report_type: str
    """What kind of report it is, such as `quarterly`."""
    status: Annotated[str, one_of(ReportStatus)]
    """Where the report stands; it is `complete` once what it holds is posted, and reserved before."""


class AllocatedTotal(msgspec.Struct, frozen=True):
    """What a report holds of all its batches."""

    id: int
    """The number of the allocation."""
    amount: Decimal
    """How much the report holds in all, in `unit`."""
    unit: str
    """The unit of the ledger, such as `t`."""


class BatchReportAllocation(msgspec.Struct, frozen=True):
    """So much of a batch is held by a report, reserved or posted."""

    allocation: AllocatedTotal
    amount: Decimal
    """How much of the batch the report holds, in `unit`."""
    unit: str
    """The unit of the batch's ledger, such as `t`."""
    report: AllocatedReport


class ValueSourceShares(msgspec.Struct, frozen=True):
    """How much of what a run comes to rests on values of each source: parts of 1 that add up to it.

    A value counts by |x * df/dx|: its size times the rate at which the output changes with it.
    """

    captured: Decimal
    """On values that stand as they were measured."""
    manual: Decimal
    """On values that a person put in the place of others."""
    adjusted: Decimal
    """On values that a rule has calibrated."""
    substituted: Decimal
    """On values that a rule put in the place of captured ones that are not to count."""
    imputed: Decimal
    """On values that a rule put where nothing was captured."""


# How well what a run comes to is known, in the terms of the GUM (JCGM 100:2008) and the VIM.


class UncertaintyLine(msgspec.Struct, frozen=True):
    """What one input contributes to the uncertainty by one effect."""

    input: str
    """The node whose values are uncertain, or a table and its column."""
    effect: str
    """What the values share, or the node or the column that has it alone."""
    owner: str | None
    """The model, the value or the group of data that has it alone; null where values name the effect."""
    name: str
    """What the effect is called: the name of the calibration, the static input with its value and the
    day from which it counts, or else `effect`.
    """
    contribution: Decimal
    """What one standard uncertainty of the effect makes of the amount through the input, with its sign."""
    share: Decimal
    """Its part of the variance; below zero where it makes up for others."""


class BatchCredit(msgspec.Struct, frozen=True):
    """What the ledger is credited with: what was computed, less a discount for its uncertainty.

    In the ledger's unit; `credited_amount` is `run_total`.
    """

    computed_amount: Decimal
    """What the output came to."""
    discount: Decimal
    """What is taken off; zero where the computed amount is zero or below."""
    credited_amount: Decimal
    """The difference, never below zero of an amount above zero."""
    standard_deviations: Decimal | None
    """How many standard uncertainties the model takes off, if it says so."""
    percentile: Decimal | None
    """The lower percentile that the model credits, if it says so."""
    factor: Decimal
    """By what the standard uncertainty is multiplied."""


class BatchUncertainty(UncertaintyInterval, frozen=True):
    """How uncertain the computed amount is, to first order, in the ledger's unit.

    That is `run_total`, if the model has no discount.
    """

    budget: list[UncertaintyLine]
    """What it is made of, the largest share first; 50 lines at most."""
    budget_count: int
    """How many lines the whole budget has."""
    credit: BatchCredit | None
    """What a model with a discount credits; null without one."""


# What a batch looks like on the wire.


INPUT_DATA_INLINE: Final = 100
"""Rows of input data that stand in a batch itself; the rest is paged."""


BATCH_STATES: Final = ("complete", "processing")
"""States of a batch; `processing` is one that is computed with other inputs just now."""

BEHIND_BATCHES: Final = ("complete",)
"""The state of every run that made a batch."""

DELETED_TOGETHER_MAX: Final = 10_000
"""Batches that one request deletes."""


class PrimaryOutput(msgspec.Struct, frozen=True):
    """What a batch adds to its run, in its ledger's unit.

    Of an adjusting batch it is the signed difference that it makes: those of a run's batches add up to what
    the run comes to, and those of a ledger to what it produced.
    """

    id: int
    """The number of the value."""
    name: str
    """The label of the node that gives it."""
    unit: str
    """The unit of its ledger, such as `t`."""
    value: Decimal
    """The amount, in `unit`; below zero where the batch takes something back."""


class InputDataPoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value that a batch was made of; of a type that was set aside, a zero without an id."""

    id: str | None
    """The friendly id of the data point; null for a type that was set aside."""
    slug: str
    """The slug of its data point type, such as `wet_mass`."""
    unit: str | None
    """The unit of a number, such as `kg`; null for a plain number, a text, or true or false."""
    value: Decimal | str | bool | None
    """The value in force now, in `unit`; zero for a type that was set aside."""
    raw_value: Decimal | str | bool | None
    """The value as it was captured, which never changes; null for one that was imputed or set aside."""
    substituted: bool
    imputed: bool
    substitution: Substitution | None
    """The correction that substitutes the value; null when none does."""
    skipped_input: bool = False
    """Whether its type was set aside for the slot; left out when it was not."""


class InputEvent(msgspec.Struct, frozen=True):
    """The event that carries it; its full record is read from its own path."""

    project_id: str
    id: str | None
    """The friendly id of the event; null for a type that was set aside."""


class InputRow(msgspec.Struct, frozen=True):
    """One row of a batch's input data."""

    data_point: InputDataPoint
    """The value that was read."""
    event: InputEvent
    """The event that carries it."""


class BatchModel(msgspec.Struct, frozen=True):
    """The model version that made a batch, by id and by the digest of its document."""

    id: str
    name: str
    """What the model is called, such as `Biochar storage`."""
    version: int
    """Which version of the model it is, counted from 1."""
    sha256: str
    """The SHA-256 of the model in its canonical form, as 64 hexadecimal digits: what it computes."""


class StaleReason(msgspec.Struct, frozen=True):
    """Why a batch no longer stands on the data as they are, and the id of what changed."""

    reason: Annotated[str, one_of(REASONS)]
    """Why the batch is stale."""
    record: str
    """The id of what changed: of a data point, an event, a static input, an asset, a location or a batch,
    or the engine's revision.
    """


class BatchModelRun(msgspec.Struct, frozen=True):
    """The run that made a batch; its own path gives the values of all nodes."""

    id: str
    state: Annotated[str, one_of(BEHIND_BATCHES)]
    """Always `complete`: a batch is made of a run that is."""


class BatchAllocation(msgspec.Struct, frozen=True):
    """So much of a batch was drawn for another, in the unit of the ledger that it was drawn from."""

    amount: Decimal
    """How much was drawn, in `unit`."""
    unit: str
    """The unit of the ledger that it was drawn from, such as `t`."""
    batch_id: str
    """The friendly id of the batch that it was drawn for."""
    ledger_id: str
    """The friendly id of the ledger of that batch."""
    tracking_id: str
    """The tracking id of that batch."""


class Batch(msgspec.Struct, frozen=True):
    """One batch."""

    id: str
    numeric_id: int
    project_id: str
    ledger_id: str
    tracking_id: str
    """What people call the batch, after its slot and partition; for an instrument its external id."""
    start_time: Instant
    """The start of its slot, inclusive."""
    end_time: Instant
    """The end of its slot, exclusive."""
    state: Annotated[str, one_of(BATCH_STATES)]
    """Whether it is being computed with other inputs just now."""
    error_message: str | None
    """Why it could not be computed with the inputs that were asked for last; null when it could."""
    adjusts: str | None
    """The first batch of its run, when this one posts a difference to it; null for the first."""
    adjusted_by: list[str]
    """Of the first batch of a run, those that adjust it, in the order they were made."""
    feedstocks: list[str]
    """The friendly id of the feedstock of its partition; empty when it has none."""
    assets: list[str]
    """The friendly id of the asset of its partition; empty when it has none."""
    primary_output: PrimaryOutput
    ledger_balance: Decimal
    """What is left of it, in its ledger's unit: what it credited less what was drawn of it or fell."""
    run_total: Decimal
    """What the run comes to, in its ledger's unit: by the first batch as it is now, by an adjusting one as
    it was with that.
    """
    measured_share: Decimal | None
    """How much of `run_total` was measured, from 0 to 1: the first of `value_source_shares`."""
    value_source_shares: ValueSourceShares | None
    """What `run_total` rests on; null of an instrument, where it is zero or rests on no value, and where a
    batch of before shares were kept is part of it.
    """
    uncertainty: BatchUncertainty | None
    """How uncertain `run_total` is; null where the model did not ask for it."""
    model: BatchModel | None
    """The version that made it; null for an instrument."""
    engine_revision: int | None
    """The revision of the arithmetic that computed it; null for an instrument."""
    model_run: BatchModelRun | None
    """The run that made it; null for an instrument."""
    allocations: list[BatchAllocation]
    """What batches of other ledgers hold of it."""
    downstream_batch_allocations: list[BatchAllocation]
    """The same as `allocations`."""
    report_allocations: list[BatchReportAllocation]
    """What reports hold of it."""
    input_data: list[InputRow]
    """The values that it was made of, 100 rows at most; `input_data_next` leads to the rest."""
    input_data_count: int
    """How many rows of input data it has in all."""
    input_data_is_complete: bool
    """Whether all rows of its input data stand here; 100 do at most."""
    input_data_next: ResourceAddress | None
    """Where the rest of them is listed; null when there is none."""
    has_rule_alerts: bool
    has_rule_warnings: bool
    is_stale: bool
    """Whether what it was made of has changed since it was computed."""
    stale_reasons: list[StaleReason]
    """Why it is stale, each reason with what changed; empty when it is not."""
    waiting_event_count: int
    """How many events of its slot, stored or changed since, wait for a generation to look at them."""
    pending_proposal_count: int
    """How many corrections wait for approval that it would follow: of its data, and of what it draws from."""
    conditions: list[Annotated[str, one_of(BatchCondition)]]
    """What holds of it, the most urgent first; `up_to_date` when none of those before it does."""
    created_at: Instant
    updated_at: Instant
    ui_url: Link


class BatchDeletion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of batch_deletions."""

    batch_ids: Annotated[list[str], several(DELETED_TOGETHER_MAX)]
    """The friendly ids of the batches to delete, up to 10,000, such as `bat_…`."""
    reason: Line | None = None
    """Why they are deleted; it stands in the task and in the audit log."""


class EndedInput(msgspec.Struct, frozen=True):
    """What was named or skipped for a slot whose last batch is gone: from now on it discovers its data."""

    slot: str
    data_point_type_id: int
    """The number of the data point type."""
    data_point_type: str
    """What the data point type is called."""
    skipped: bool
    """Whether data of the type were set aside."""
    named: bool
    """Whether a complete set of them was named."""


class StandsAbove(msgspec.Struct, frozen=True):
    """So much more stands on a ledger for a run than it came to last: the batch of its fall is gone."""

    ledger_id: str
    batch_id: str
    """The deleted batch."""
    tracking_id: str
    """What the deleted batch was called."""
    computed: Decimal
    """What the run came to by the deleted batch."""
    stands: Decimal
    """What it comes to by the batches that remain."""
    above: Decimal
    """How much more that is, in the ledger's unit."""


class DeletionResult(msgspec.Struct, frozen=True):
    """The result of a finished deletion."""

    deleted: list[str]
    """The friendly ids of the batches that were deleted."""
    ended_inputs: list[EndedInput]
    """Skips and named sets that ended with the last batch of their slot."""
    stands_above: list[StandsAbove]
    """What stands above a run's last result, because the batch that let it fall was deleted."""


class InputDataPage(msgspec.Struct, frozen=True):
    """One page of a batch's input data."""

    data: list[InputRow]
    """The rows of the page, in the order in which the model reads them."""
    info: Info


class LineageRow(msgspec.Struct, frozen=True):
    """One measurement that a node read, and the event that carries it."""

    data_point_id: str
    value: Decimal | str | bool | None
    """The value in force, in the input's unit."""
    weight: Decimal | None
    """What it weighs in an average that is weighted by a data point; null in any other."""
    event_id: str
    tracking_id: str | None
    """The tracking id of the event, such as `LOT-7`; null when it has none."""
    start_time: Instant
    """When what was measured began."""
    end_time: Instant
    """When it ended; the start for a reading."""


class LineageInput(msgspec.Struct, frozen=True):
    """What an input node read, how it was aggregated, and the first of its measurements."""

    event_type: str
    """The slug of the event type that it read."""
    data_point: str
    """The slug of the data point type that it read."""
    unit: str | None
    """The unit of the data point type, such as `kg`; null for plain numbers."""
    aggregate: Annotated[str, one_of(Aggregate)]
    """How the measurements became one value."""
    weight: str | None
    """The slug of the data point type that an average is weighted by; null when none is."""
    event_count: int
    """How many events it read."""
    rows: list[LineageRow]
    """The first 20 of its measurements; the batch's input data has all of them."""


class LineageStaticInput(msgspec.Struct, frozen=True):
    """A value of the project that a node read."""

    id: int
    """The number of the value."""
    value: Decimal
    """The value, in its `unit`."""
    unit: str | None
    """The unit of the value, such as `kg{CO2e}/kWh`; null for a plain number."""
    effective_from: Instant
    """From when it holds, inclusive."""


class LineageAttribute(msgspec.Struct, frozen=True):
    """What a source came to, by one of its outputs."""

    slug: str
    """The slug of the output."""
    value: Decimal
    """What the source batch's run came to by it, in `unit`."""
    unit: str
    """The unit of the output, such as `g{CO2e}/MJ`."""


class LineageDraw(msgspec.Struct, frozen=True):
    """What a node drew from a batch of another ledger, and what travelled along."""

    batch_id: str
    """The friendly id of the batch that was drawn from."""
    ledger_id: str
    """The friendly id of the ledger of that batch."""
    tracking_id: str
    """The tracking id of that batch."""
    amount: Decimal
    """How much was drawn, in `unit`."""
    unit: str
    """The unit of that ledger, such as `t`."""
    attributes: list[LineageAttribute]
    """What travelled along with the amount, output by output."""


class LineageNode(msgspec.Struct, frozen=True):
    """One node of the model with its value in the batch, and what it was computed from.

    A node that is an array has no value and a number of elements, and shows the elements while they are few.
    """

    slug: str
    """The slug of the node."""
    name: str
    """The label of the node."""
    unit: str
    """The unit of the node, such as `t{CO2e}`."""
    value: Decimal | None
    """What it came to in the batch, in `unit`; null for an array, and for an optional node without data."""
    whole: Decimal | None
    """What was shared over the partitions of the slot, of which `value` is this one's share; null when
    nothing was.
    """
    element_count: int | None
    """How many elements an array has; null for a node that is none."""
    elements: list[Decimal] | None
    """The elements of an array, in `unit`, while they are 1,000 at most; null otherwise."""
    is_output: bool
    is_primary: bool
    """Whether it is the output that the ledger keeps."""
    equation: str | None
    """The formula as it is written, such as `gross - tare`; null for a node without a formula."""
    reads: list[str]
    """The slugs of the nodes that it is computed from."""
    source: str | None
    """Where the methodology says so, in the words of the document; null when it says nothing."""
    input: LineageInput | None
    """What it read of events; null when it read none."""
    static_inputs: list[LineageStaticInput]
    """The values of static inputs that it read."""
    draws: list[LineageDraw]
    """What it drew from batches of other ledgers."""
    skipped_input: bool
    """Whether the type that it reads was set aside for the slot."""


class Lineage(msgspec.Struct, frozen=True):
    """How a batch came about: its model, its nodes, and the measurements behind them."""

    batch: Batch
    """The batch itself."""
    nodes: list[LineageNode]
    """Every node of the model, in the order in which they were computed."""
