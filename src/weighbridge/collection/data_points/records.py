"""What a data point looks like on the wire, in a list of its project."""

from decimal import Decimal
from typing import Annotated, Any

import msgspec

from weighbridge.collection.event_types.records import VALUE_TYPES
from weighbridge.collection.events.records import (
    EVENT_STATUSES,
    REASON_LENGTH_MAX,
    VALUE_STATUSES,
    Substitution,
)
from weighbridge.collection.measurements.findings import DataPointResult
from weighbridge.core.collection.correction import ORIGINS_SHOWN, CorrectionState
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import at_most, one_of


class DataPointEvent(msgspec.Struct, frozen=True):
    """The event that carries a data point."""

    project_id: str
    id: str
    slug: str
    """The slug of its event type, such as `diesel-delivery`."""
    tracking_id: str | None
    """The tracking id of the event, such as `LOT-7`; null when it has none."""
    start_time: Instant
    """When what was measured began."""
    end_time: Instant
    """When it ended; the start for a reading."""


class DataPoint(msgspec.Struct, frozen=True):
    """One measured value; `raw_value` is as captured and never changes, `value` is as corrected."""

    id: str
    slug: str
    """The slug of its data point type, such as `wet_mass`."""
    data_point_type: str
    """What its data point type is called, such as `Wet mass`."""
    value_type: Annotated[str, one_of(VALUE_TYPES)]
    """What the value is."""
    value: Decimal | str | bool
    """The value in force, as corrected; a number in its `unit`, with every digit."""
    raw_value: Decimal | str | bool | None
    unit: str | None
    """The unit of a number, such as `kg`; null for a text, true or false, or a plain number."""
    status: Annotated[str, one_of(VALUE_STATUSES)]
    """Always `complete`: what has no value is no data point."""
    substituted: bool
    imputed: bool
    substitution: Substitution | None
    value_source: Annotated[str, one_of(ValueSource)]
    corrections_count: int
    corrections_total: int
    rule_results: list[DataPointResult]
    event: DataPointEvent
    created_at: Instant
    """When its event was stored."""
    updated_at: Instant
    """When its event was last changed or corrected."""


class OutputDataPointOfRun(msgspec.Struct, frozen=True):
    """What an output of a model run came to, with the fields of a measured value; it belongs to no event.

    `value` is a list where the node is an array, and null where an optional node had no data. It is computed:
    nothing was captured, and it is never corrected. `batch_id` is null for a run that stands alone.
    """

    id: str
    """The friendly id of the output: `odp_` and 24 hexadecimal digits."""
    slug: str
    """The slug of the node."""
    data_point_type: str
    """The label of the node."""
    value_type: Annotated[str, one_of(("number",))]
    """Always `number`, as the values of nodes are."""
    value: Decimal | list[Decimal] | None
    """What it came to, in `unit`: a number, a list for an array, or null for an optional node without data.
    """
    raw_value: None
    """Always null: nothing was captured."""
    unit: str
    """The unit of the node, such as `t{CO2e}`."""
    status: Annotated[str, one_of(EVENT_STATUSES)]
    """Whether the node came to something."""
    substituted: bool
    imputed: bool
    """Always false: it was computed."""
    substitution: None
    """Always null: nothing stands in its place."""
    value_source: None
    """Always null: it was computed."""
    corrections_count: int
    corrections_total: int
    rule_results: list[DataPointResult]
    event: None
    """Always null: it belongs to no event."""
    model_run_id: str
    """The friendly id of the run that it is an output of."""
    batch_id: str | None
    """The friendly id of the batch that the run made; null for a run that stands alone."""
    start_time: Instant
    """The start of the period that the run computes, inclusive."""
    end_time: Instant
    """The end of that period, exclusive."""
    created_at: Instant
    updated_at: Instant


class DataPointChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to correct a data point."""

    value: Any
    """The value that is to count: a number in the unit of its type, a text, or true or false, as its type
    says.
    """
    reason: Annotated[str, at_most(REASON_LENGTH_MAX)] | None = None
    """Why it is corrected, up to 1,000 characters; it stands with the correction."""


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
    """The number of the correction."""
    event_id: str
    data_point_id: str | None
    """The friendly id of the data point that was corrected; null for a field of the event itself."""
    field: str | None
    """The field of the event that was corrected, such as `start_time`; null for a data point."""
    from_value: Any
    """The value that was in force before."""
    to_value: Any
    """The value that it sets; null where it clears a field of the event."""
    source: Annotated[str, one_of(ORIGINS_SHOWN)]
    """Where it comes from: a person, or a rule."""
    state: Annotated[str, one_of(CorrectionState)]
    """Whether it is in force, waits beneath another, or was reverted."""
    reason: str | None
    """Why it was made; null when nobody said."""
    rule_id: str | None
    """The friendly id of the rule that made it; null when a person did."""
    rule_version: int | None
    """The version of that rule, counted from 1; null when a person made it."""
    rule_run_id: int | None
    """The number of the rule run that made it; null when a person did."""
    corrected_by: str
    """The name of the user in whose name it was made."""
    token: str | None
    """The name of the token that the request carried; null when there was none."""
    created_at: Instant
    reverted_at: Instant | None
    """When it was reverted; null while it was not."""
    reverted_by: str | None
    """The name of the user who reverted it; null while it was not."""
    reverted_by_rule_run_id: int | None
    """The number of the rule run that found it to apply no more; null unless one did."""
