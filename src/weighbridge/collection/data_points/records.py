"""What a data point looks like on the wire, in a list of its project."""

from decimal import Decimal
from typing import Any, Final

import msgspec

from weighbridge.collection.events.records import Substitution
from weighbridge.collection.measurements.findings import DataPointResult
from weighbridge.core.time.instant import Instant

REASON_LENGTH_MAX: Final = 1000
"""Characters of the reason of a correction."""


class DataPointEvent(msgspec.Struct, frozen=True):
    """The event that carries a data point."""

    project_id: str
    id: str
    slug: str
    tracking_id: str | None
    start_time: Instant
    end_time: Instant


class DataPoint(msgspec.Struct, frozen=True):
    """One measured value; `raw_value` is as captured and never changes, `value` is as corrected."""

    id: str
    slug: str
    data_point_type: str
    value_type: str
    value: Decimal | str | bool
    raw_value: Decimal | str | bool | None
    unit: str | None
    status: str
    substituted: bool
    imputed: bool
    substitution: Substitution | None
    corrections_count: int
    rule_results: list[DataPointResult]
    event: DataPointEvent
    created_at: Instant
    updated_at: Instant


class OutputDataPointOfRun(msgspec.Struct, frozen=True):
    """What an output of a model run came to, with the fields of a measured value; it belongs to no event.

    `value` is a list where the node is an array, and null where an optional node had no data. It is computed:
    nothing was captured, and it is never corrected. `batch_id` is null for a run that stands alone.
    """

    id: str
    slug: str
    data_point_type: str
    value_type: str
    value: Decimal | list[Decimal] | None
    raw_value: None
    unit: str
    status: str
    substituted: bool
    imputed: bool
    substitution: None
    corrections_count: int
    rule_results: list[DataPointResult]
    event: None
    model_run_id: str
    batch_id: str | None
    start_time: Instant
    end_time: Instant
    created_at: Instant
    updated_at: Instant


class DataPointChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to correct a data point."""

    value: Any
    reason: str | None = None


class DataPointChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/data_points/{data_point_id}."""

    data_point: DataPointChange


class NoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a revert, which may be left out."""


class Correction(msgspec.Struct, frozen=True):
    """One correction: of a data point, or of a field of the event itself.

    `source` is manual, adjustment or substitution; `state` is in_force, superseded or reverted. Either a
    person reverted it, or the run of its rule that found it to apply no more.
    """

    id: int
    event_id: str
    data_point_id: str | None
    field: str | None
    from_value: Any
    to_value: Any
    source: str
    state: str
    reason: str | None
    rule_id: str | None
    rule_version: int | None
    rule_run_id: int | None
    corrected_by: str
    token: str | None
    created_at: Instant
    reverted_at: Instant | None
    reverted_by: str | None
    reverted_by_rule_run_id: int | None
