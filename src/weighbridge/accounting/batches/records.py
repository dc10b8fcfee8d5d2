"""What a batch looks like on the wire."""

from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.collection.events.records import Substitution
from weighbridge.core.identity.link import Link, ResourceAddress
from weighbridge.core.time.instant import Instant
from weighbridge.db.listing import Info

INPUT_DATA_INLINE: Final = 100
"""Rows of input data that stand in a batch itself; the rest is paged."""


DELETED_TOGETHER_MAX: Final = 10_000
"""Batches that one request deletes."""


class PrimaryOutput(msgspec.Struct, frozen=True):
    """What a batch adds to its run, in its ledger's unit.

    Of an adjusting batch it is the signed difference that it makes: those of a run's batches add up to what
    the run comes to, and those of a ledger to what it produced.
    """

    id: int
    name: str
    unit: str
    value: Decimal


class InputDataPoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value that a batch was made of; of a type that was set aside, a zero without an id."""

    id: str | None
    slug: str
    unit: str | None
    value: Decimal | str | bool | None
    raw_value: Decimal | str | bool | None
    substituted: bool
    imputed: bool
    substitution: Substitution | None
    skipped_input: bool = False


class InputEvent(msgspec.Struct, frozen=True):
    """The event that carries it; its full record is read from its own path."""

    project_id: str
    id: str | None


class InputRow(msgspec.Struct, frozen=True):
    """One row of a batch's input data."""

    data_point: InputDataPoint
    event: InputEvent


class BatchModel(msgspec.Struct, frozen=True):
    """The model version that made a batch, by id and by the digest of its document."""

    id: str
    name: str
    version: int
    sha256: str


class StaleReason(msgspec.Struct, frozen=True):
    """Why a batch no longer stands on the data as they are, and the id of what changed."""

    reason: str
    record: str


class BatchModelRun(msgspec.Struct, frozen=True):
    """The run that made a batch; its own path gives the values of all nodes."""

    id: str
    state: str


class BatchAllocation(msgspec.Struct, frozen=True):
    """So much of a batch was drawn for another, in the unit of the ledger that it was drawn from."""

    amount: Decimal
    unit: str
    batch_id: str
    ledger_id: str
    tracking_id: str


class Batch(msgspec.Struct, frozen=True):
    """One batch."""

    id: str
    numeric_id: int
    """The number by which the `args` of tasks name it."""
    project_id: str
    ledger_id: str
    tracking_id: str
    start_time: Instant
    end_time: Instant
    state: str
    error_message: str | None
    adjusts: str | None
    """The first batch of its run, when this one posts a difference to it."""
    adjusted_by: list[str]
    """Of the first batch of a run, those that adjust it, in the order they were made."""
    feedstocks: list[str]
    assets: list[str]
    primary_output: PrimaryOutput
    ledger_balance: Decimal
    run_total: Decimal
    """What the run comes to: by the first batch as it is now, by an adjusting one as it was with that."""
    model: BatchModel | None
    """The version that made it; null for an instrument."""
    engine_revision: int | None
    """The revision of the arithmetic that computed it; null for an instrument."""
    model_run: BatchModelRun | None
    allocations: list[BatchAllocation]
    downstream_batch_allocations: list[BatchAllocation]
    input_data: list[InputRow]
    input_data_count: int
    input_data_is_complete: bool
    """Whether all rows of its input data stand here; 100 do at most."""
    input_data_next: ResourceAddress | None
    """Where the rest of them is listed; null when there is none."""
    has_rule_alerts: bool
    is_stale: bool
    stale_reasons: list[StaleReason]
    created_at: Instant
    updated_at: Instant
    ui_url: Link


class BatchDeletion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of batch_deletions."""

    batch_ids: list[str]


class EndedInput(msgspec.Struct, frozen=True):
    """What was named or skipped for a slot whose last batch is gone: from now on it discovers its data."""

    slot: str
    data_point_type_id: int
    data_point_type: str
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
    computed: Decimal
    """What the run came to by the deleted batch."""
    stands: Decimal
    """What it comes to by the batches that remain."""
    above: Decimal


class DeletionResult(msgspec.Struct, frozen=True):
    """The result of a finished deletion."""

    deleted: list[str]
    ended_inputs: list[EndedInput]
    stands_above: list[StandsAbove]


class InputDataPage(msgspec.Struct, frozen=True):
    """One page of a batch's input data."""

    data: list[InputRow]
    info: Info


class LineageRow(msgspec.Struct, frozen=True):
    """One measurement that a node read, and the event that carries it."""

    data_point_id: str
    value: Decimal | str | bool | None
    weight: Decimal | None
    event_id: str
    tracking_id: str | None
    start_time: Instant
    end_time: Instant


class LineageInput(msgspec.Struct, frozen=True):
    """What an input node read, how it was aggregated, and the first of its measurements."""

    event_type: str
    data_point: str
    unit: str | None
    aggregate: str
    weight: str | None
    event_count: int
    rows: list[LineageRow]


class LineageStaticInput(msgspec.Struct, frozen=True):
    """A value of the project that a node read."""

    id: int
    value: Decimal
    unit: str | None
    effective_from: Instant


class LineageAttribute(msgspec.Struct, frozen=True):
    """What a source came to, by one of its outputs."""

    slug: str
    value: Decimal
    unit: str


class LineageDraw(msgspec.Struct, frozen=True):
    """What a node drew from a batch of another ledger, and what travelled along."""

    batch_id: str
    ledger_id: str
    tracking_id: str
    amount: Decimal
    unit: str
    attributes: list[LineageAttribute]


class LineageNode(msgspec.Struct, frozen=True):
    """One node of the model with its value in the batch, and what it was computed from.

    A node that is an array has no value and a number of elements, and shows the elements while they are few.
    """

    slug: str
    name: str
    unit: str
    value: Decimal | None
    whole: Decimal | None
    element_count: int | None
    elements: list[Decimal] | None
    is_output: bool
    is_primary: bool
    equation: str | None
    reads: list[str]
    source: str | None
    input: LineageInput | None
    static_inputs: list[LineageStaticInput]
    draws: list[LineageDraw]
    skipped_input: bool


class Lineage(msgspec.Struct, frozen=True):
    """How a batch came about: its model, its nodes, and the measurements behind them."""

    batch: Batch
    nodes: list[LineageNode]
