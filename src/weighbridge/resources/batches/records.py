"""What a batch looks like on the wire."""

from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.core.instant import Instant
from weighbridge.core.link import Link
from weighbridge.db.listing import Info

INPUT_DATA_INLINE: Final = 100
"""Rows of input data that stand in a batch itself; the rest is paged."""


class PrimaryOutput(msgspec.Struct, frozen=True):
    """What a batch credits, in its ledger's unit."""

    id: int
    name: str
    unit: str
    value: Decimal


class InputDataPoint(msgspec.Struct, frozen=True):
    """A value that a batch was made of."""

    id: str
    slug: str
    unit: str | None
    value: Decimal | str | bool | None
    raw_value: Decimal | str | bool | None
    substituted: bool
    imputed: bool
    substitution: None


class InputEvent(msgspec.Struct, frozen=True):
    """The event that carries it; its full record is read from its own path."""

    project_id: str
    id: str


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


class Batch(msgspec.Struct, frozen=True):
    """One batch."""

    id: str
    project_id: str
    ledger_id: str
    tracking_id: str
    start_time: Instant
    end_time: Instant
    state: str
    error_message: str | None
    adjusts: str | None
    feedstocks: list[str]
    assets: list[str]
    primary_output: PrimaryOutput
    ledger_balance: Decimal
    run_total: Decimal
    model: BatchModel
    input_data: list[InputRow]
    input_data_count: int
    has_rule_alerts: bool
    is_stale: bool
    created_at: Instant
    updated_at: Instant
    ui_url: Link


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


class LineageNode(msgspec.Struct, frozen=True):
    """One node of the model with its value in the batch, and what it was computed from."""

    slug: str
    name: str
    unit: str
    value: Decimal
    whole: Decimal | None
    is_output: bool
    is_primary: bool
    equation: str | None
    reads: list[str]
    source: str | None
    input: LineageInput | None


class Lineage(msgspec.Struct, frozen=True):
    """How a batch came about: its model, its nodes, and the measurements behind them."""

    batch: Batch
    nodes: list[LineageNode]
