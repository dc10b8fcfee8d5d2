"""What a model run looks like on the wire, and what callers send to have one made."""

from decimal import Decimal
from typing import Final

import msgspec

from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Moment

DATA_POINTS_MAX: Final = 10_000
"""Data points that one model run may be given."""

STATES: Final = ("complete", "failed", "processing")
"""States of a run; only that behind a batch is ever `processing`."""

NodeValue = Decimal | list[Decimal] | None


class Calculation(msgspec.Struct, frozen=True):
    """What a node came to: a number, a list for an array, or null for an optional node without data."""

    id: int
    name: str
    slug: str
    value: NodeValue
    unit: str
    ghg: str | None
    lca_role: str | None
    category: str | None


class OutputDataPoint(msgspec.Struct, frozen=True):
    """The value of an output node as a data point; `incomplete` when the node came to nothing."""

    id: str
    slug: str
    data_point_type: str
    value: NodeValue
    unit: str
    status: str


class DeletionBlocker(msgspec.Struct, frozen=True):
    """One reason why a run stays, and the records that are in the way."""

    code: str
    message: str
    records: list[str]


class ModelRun(msgspec.Struct, frozen=True):
    """One run of a version; `batch_id` is null for one that stands alone."""

    id: str
    project_id: str
    model_id: str
    batch_id: str | None
    start_time: Instant
    end_time: Instant
    state: str
    error_message: str | None
    calculations: list[Calculation]
    output_data_points: list[OutputDataPoint]
    is_deletable: bool
    deletion_blockers: list[DeletionBlocker]
    created_at: Instant
    updated_at: Instant


class NewModelRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to have a version evaluated: a period, and the data points to evaluate."""

    start_time: Moment
    end_time: Moment
    data_point_ids: list[str]


class NewModelRunBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /models/{model_id}/model_runs."""

    model_run: NewModelRun
