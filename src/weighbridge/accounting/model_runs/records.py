"""What a model run looks like on the wire, and what callers send to have one made."""

from decimal import Decimal
from typing import Annotated, Final

import msgspec

from weighbridge.collection.events.records import EVENT_STATUSES
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Moment, one_of, several

DATA_POINTS_MAX: Final = 10_000
"""Data points that one model run may be given."""

STATES: Final = ("complete", "failed", "processing")
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
    state: Annotated[str, one_of(STATES)]
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
