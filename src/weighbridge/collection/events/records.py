"""What an event looks like on the wire."""

from decimal import Decimal
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.collection.evidence.records import EventEvidence
from weighbridge.collection.locations.records import Location
from weighbridge.collection.measurements.findings import DataPointResult
from weighbridge.core.identity.link import Link
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Moment

EVENTS_MAX: Final = 10_000
"""Events in one request, at most."""

TEXT_LENGTH_MAX: Final = 10_000
"""Characters of notes, or of the value of a string data point."""

REFERENCE_LENGTH_MAX: Final = 255
"""Characters of a tracking id or a client reference."""

LOCATIONS_MAX: Final = 10
"""Locations of one event, at most."""


class LocationRef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A location by its id."""

    id: str


class NewDataPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One measured value."""

    slug: str
    value: Any


class NewEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends for each event; without end_time it is a reading at start_time."""

    event_type: str
    start_time: Moment
    end_time: Moment | None = None
    tracking_id: str | None = None
    feedstock_id: str | None = None
    asset_id: str | None = None
    client_reference: str | None = None
    notes: str | None = None
    locations: list[LocationRef] = []
    data_points: list[NewDataPoint] = []


class NewEventsBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/events: one event, or many of which all or none are stored."""

    event: NewEvent | UnsetType = UNSET
    events: list[NewEvent] | UnsetType = UNSET


class EventChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to complete or correct an event; what is left out stays as it is.

    `reason` stands with each correction that the request makes.
    """

    event_type: str | UnsetType = UNSET
    start_time: Moment | UnsetType = UNSET
    end_time: Moment | UnsetType | None = UNSET
    tracking_id: str | UnsetType | None = UNSET
    feedstock_id: str | UnsetType | None = UNSET
    asset_id: str | UnsetType | None = UNSET
    client_reference: str | UnsetType | None = UNSET
    notes: str | UnsetType | None = UNSET
    locations: list[LocationRef] | UnsetType = UNSET
    data_points: list[NewDataPoint] = []
    reason: str | None = None


class EventChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/events/{event_id}."""

    event: EventChange


class EventReceipt(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a bulk request gets back for each event, in the order sent."""

    id: str
    status: str
    missing: list[str] = []


class BulkInfo(msgspec.Struct, frozen=True):
    """How many events a bulk request stored."""

    items: int


class EventReceipts(msgspec.Struct, frozen=True):
    """The answer to a bulk request."""

    data: list[EventReceipt]
    info: BulkInfo


class Substitution(msgspec.Struct, frozen=True):
    """The correction that put another value in the place of a captured one."""

    id: int
    replaced_value: Any
    rule_id: str | None
    rule_version: int | None
    rule_run_id: int | None
    reason: str | None
    created_at: Instant


class EventDataPoint(msgspec.Struct, frozen=True):
    """A measured value inside its event; `raw_value` is as captured and never changes."""

    id: str
    slug: str
    data_point_type: str
    value: Decimal | str | bool
    raw_value: Decimal | str | bool | None
    unit: str | None
    status: str
    substituted: bool
    imputed: bool
    substitution: Substitution | None
    corrections_count: int
    rule_results: list[DataPointResult]


class EventFeedstock(msgspec.Struct, frozen=True):
    """The feedstock that an event is tagged with."""

    id: str
    name: str


class EventAsset(msgspec.Struct, frozen=True):
    """The asset that an event is tagged with."""

    id: str
    name: str


class Event(msgspec.Struct, frozen=True):
    """One event with its data points, locations and evidence."""

    id: str
    slug: str
    event_type: str
    event_type_id: str
    project_id: str
    tracking_id: str | None
    client_reference: str | None
    notes: str | None
    start_time: Instant
    end_time: Instant
    status: str
    missing: list[str]
    feedstock: EventFeedstock | None
    asset: EventAsset | None
    data_points: list[EventDataPoint]
    locations: list[Location]
    evidences: list[EventEvidence]
    has_rule_alerts: bool
    created_at: Instant
    updated_at: Instant
    ui_url: Link
