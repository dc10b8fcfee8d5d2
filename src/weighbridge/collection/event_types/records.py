"""What an event type looks like on the wire."""

from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.identity.link import Link
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Description

VALUE_TYPES: Final = ("number", "string", "boolean")
EXPECTED_LOCATIONS: Final = {"none": 0, "one": 1, "two": 2}
"""How many locations an event of the type names at least."""

CADENCE_UNITS: Final = ("minute", "hour", "day", "week", "month")
DATA_POINT_TYPES_MAX: Final = 1000


class DataPointType(msgspec.Struct, frozen=True):
    """One kind of value that events of the type carry."""

    id: int
    slug: str
    name: str
    value_type: str
    unit: str | None
    required: bool
    is_static: bool
    nexus_event_type_id: int
    created_at: Instant
    updated_at: Instant


class EventType(msgspec.Struct, frozen=True):
    """One event type with its data point types, in their order."""

    id: str
    slug: str
    name: str
    description: str | None
    cadence_amount: int | None
    cadence_unit: str | None
    reusable_in_batches: bool
    expected_locations: str
    requires_tracking_id: bool
    is_static: bool
    data_point_types: list[DataPointType]
    created_at: Instant
    updated_at: Instant
    ui_url: Link


class NewDataPointType(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends for each data point type."""

    name: str
    value_type: str
    slug: str | None = None
    unit: str | None = None
    required: bool = True


class NewEventType(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make an event type."""

    name: str
    data_point_types: list[NewDataPointType] = []
    slug: str | None = None
    description: Description | None = None
    cadence_amount: int | None = None
    cadence_unit: str | None = None
    reusable_in_batches: bool = False
    expected_locations: str = "one"
    requires_tracking_id: bool = False


class NewEventTypeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/event_types."""

    event_type: NewEventType


class DataPointTypeChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A data point type that the event type is to have: one it has already, by its slug, or a new one."""

    slug: str | None = None
    name: str | UnsetType = UNSET
    value_type: str | UnsetType = UNSET
    unit: str | UnsetType | None = UNSET
    required: bool | UnsetType = UNSET


class EventTypeChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change an event type; what is left out stays as it is.

    `data_point_types` lists all that the event type is to have.
    """

    name: str | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    cadence_amount: int | UnsetType | None = UNSET
    cadence_unit: str | UnsetType | None = UNSET
    reusable_in_batches: bool | UnsetType = UNSET
    expected_locations: str | UnsetType = UNSET
    requires_tracking_id: bool | UnsetType = UNSET
    data_point_types: list[DataPointTypeChange] | UnsetType = UNSET


class EventTypeChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/event_types/{event_type_id}."""

    event_type: EventTypeChange
