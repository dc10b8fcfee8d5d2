"""What a data point looks like on the wire, in a list of its project."""

from decimal import Decimal

import msgspec

from weighbridge.core.instant import Instant


class DataPointEvent(msgspec.Struct, frozen=True):
    """The event that carries a data point."""

    project_id: str
    id: str
    slug: str
    tracking_id: str | None
    start_time: Instant
    end_time: Instant


class DataPoint(msgspec.Struct, frozen=True):
    """One measured value; `raw_value` is the value as captured and never changes."""

    id: str
    slug: str
    data_point_type: str
    value_type: str
    value: Decimal | str | bool
    raw_value: Decimal | str | bool
    unit: str | None
    status: str
    substituted: bool
    imputed: bool
    substitution: None
    rule_results: list[str]
    event: DataPointEvent
    created_at: Instant
    updated_at: Instant
