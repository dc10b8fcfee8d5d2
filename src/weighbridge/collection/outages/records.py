"""What an outage looks like on the wire."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.collection.evidence import LINK_LENGTH_MAX
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Moment, at_most

REASON_LENGTH_MAX: Final = 1_000
"""The longest reason of an outage, in characters."""

_Reason = Annotated[str, msgspec.Meta(max_length=REASON_LENGTH_MAX)]


class Outage(msgspec.Struct, frozen=True):
    """A stretch of time in which nothing is expected of a meter."""

    id: int
    """The number of the outage."""
    project_id: str
    reason: str
    """Why nothing was measured, such as `Calibration of the analyser`."""
    asset_id: str | None
    """The friendly id of the asset that was out; null when it names none."""
    location_id: str | None
    """The friendly id of the location that was out, as a meter of its own; null when it names none."""
    event_type_id: str | None
    """The event type that it is about: alone, all meters of it; null when it is about all event types."""
    start_time: Instant
    """From when nothing is expected, inclusive."""
    end_time: Instant | None
    """Until when nothing is expected, exclusive; null while it lasts."""
    evidence_url: str | None
    """A link to what proves it, such as a page of the logbook; null without one."""
    created_at: Instant
    updated_at: Instant


class NewOutage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to declare an outage; naming no meter, one of all meters."""

    reason: _Reason
    start_time: Moment
    end_time: Moment | None = None
    asset_id: str | None = None
    location_id: str | None = None
    event_type_id: str | None = None
    evidence_url: Annotated[str, at_most(LINK_LENGTH_MAX)] | None = None


class NewOutageBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/outages."""

    outage: NewOutage


class OutageChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change an outage; what is left out stays as it is."""

    reason: _Reason | UnsetType = UNSET
    start_time: Moment | UnsetType = UNSET
    end_time: Moment | UnsetType | None = UNSET
    asset_id: str | UnsetType | None = UNSET
    location_id: str | UnsetType | None = UNSET
    event_type_id: str | UnsetType | None = UNSET
    evidence_url: Annotated[str, at_most(LINK_LENGTH_MAX)] | UnsetType | None = UNSET


class OutageChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/outages/{outage_id}."""

    outage: OutageChange
