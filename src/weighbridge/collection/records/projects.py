"""Define the records of projects, and of locations, feedstocks, assets, their custom fields, and outages."""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.collection.custom_field import LABEL_LENGTH_MAX, VALUE_TYPES
from weighbridge.core.collection.evidence import LINK_LENGTH_MAX
from weighbridge.core.identity.ids import Link
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Description, Line, Moment, Name, Text, at_most, between, one_of

# What a project looks like on the wire.


STATUSES = ("active", "archived")
"""What a project may be; `archived` is a label, and keeps nobody from reading or writing."""


class Project(msgspec.Struct, frozen=True):
    """One project."""

    id: str
    numeric_id: int
    """The number by which the `args` of tasks name it; paths and filters take it as well."""
    name: str
    """What people call it, such as `Plant North`."""
    description: str | None
    time_zone: str
    """The time zone that slots are cut in, by its IANA name."""
    status: Annotated[str, one_of(STATUSES)]
    """Whether it goes on; `archived` is a label, and keeps nobody from reading or writing."""
    created_at: Instant
    updated_at: Instant
    ui_url: Link


class NewProject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a project."""

    name: Name
    description: Description | None = None
    time_zone: Name = "UTC"


class NewProjectBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects."""

    project: NewProject


class ProjectChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change a project; what is left out stays as it is."""

    name: Name | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    time_zone: Name | UnsetType = UNSET
    status: Annotated[str, one_of(STATUSES)] | UnsetType = UNSET


class ProjectChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}."""

    project: ProjectChange


# What a location looks like on the wire.


LATITUDE_MAX: Final = 90
LONGITUDE_MAX: Final = 180


class Address(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A postal address; every part is optional."""

    name: Line | None = None
    """Who or what is found there, such as `Gate 2`."""
    street_address_1: Line | None = None
    """The street with its number."""
    street_address_2: Line | None = None
    """What the street needs besides, such as a floor."""
    city: Line | None = None
    """The town, such as `Berlin`."""
    state: Line | None = None
    """The state, province or region, such as `Brandenburg`."""
    postal_code: Line | None = None
    """The postal code."""
    country: Line | None = None
    """The country, in whatever form the project writes it."""


class Location(msgspec.Struct, frozen=True):
    """One place. Latitude and longitude are degrees, as text so that no digit is lost.

    As a meter, of events without an asset, it is expected to measure from `in_service_from` until
    `in_service_until`; null says nothing.
    """

    id: str
    project_id: str
    name: str
    """What people call it, once in the project, such as `Plant North`."""
    lat: str | None
    """The latitude in degrees, north above zero, as text so that no digit is lost; null when not said."""
    long: str | None
    """The longitude in degrees, east above zero, as text so that no digit is lost; null when not said."""
    address: Address | None
    """Its postal address; null when not said."""
    in_service_from: Instant | None
    """From when it is expected to measure, inclusive, as a meter of events without an asset; null says
    nothing.
    """
    in_service_until: Instant | None
    created_at: Instant
    updated_at: Instant


class NewLocation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a location; degrees as text or as a number."""

    name: Name
    lat: Annotated[Decimal, between(-LATITUDE_MAX, LATITUDE_MAX)] | None = None
    """The latitude in degrees from -90 to 90, as a number or a text."""
    long: Annotated[Decimal, between(-LONGITUDE_MAX, LONGITUDE_MAX)] | None = None
    """The longitude in degrees from -180 to 180, as a number or a text."""
    address: Address | None = None
    in_service_from: Moment | None = None
    in_service_until: Moment | None = None


class NewLocationBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/locations."""

    location: NewLocation


class LocationChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change a location; what is left out stays as it is, an address is replaced."""

    name: Name | UnsetType = UNSET
    lat: Annotated[Decimal, between(-LATITUDE_MAX, LATITUDE_MAX)] | UnsetType | None = UNSET
    """The latitude in degrees from -90 to 90, as a number or a text; null takes it away."""
    long: Annotated[Decimal, between(-LONGITUDE_MAX, LONGITUDE_MAX)] | UnsetType | None = UNSET
    """The longitude in degrees from -180 to 180, as a number or a text; null takes it away."""
    address: Address | UnsetType | None = UNSET
    """Its postal address, in place of the one it has; null takes it away."""
    in_service_from: Moment | UnsetType | None = UNSET
    in_service_until: Moment | UnsetType | None = UNSET


class LocationChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/locations/{location_id}."""

    location: LocationChange


# What a feedstock looks like on the wire.


class Feedstock(msgspec.Struct, frozen=True):
    """One raw material of a project."""

    id: str
    project_id: str
    name: str
    """What people call it, once in the project, such as `Wood chips`."""
    description: str | None
    created_at: Instant
    updated_at: Instant


class NewFeedstock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a feedstock."""

    name: Name
    description: Description | None = None


class NewFeedstockBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/feedstocks."""

    feedstock: NewFeedstock


class FeedstockChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change a feedstock; what is left out stays as it is."""

    name: Name | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET


class FeedstockChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/feedstocks/{feedstock_id}."""

    feedstock: FeedstockChange


# What an asset looks like on the wire.


class Asset(msgspec.Struct, frozen=True):
    """One piece of equipment; its custom fields by label, those without a value left out.

    As a meter it is expected to measure from `in_service_from` until `in_service_until`; null says nothing.
    """

    id: str
    project_id: str
    name: str
    """What people call it, once in the project, such as `Truck scale 2`."""
    asset_type: str | None
    """What sort of equipment it is, in the project's own words, such as `scale`; null when not said."""
    serial_number: str | None
    """The maker's number on its plate; null when not said."""
    description: str | None
    custom_fields: dict[str, Decimal | str | bool]
    """Values by the label of the custom field, such as `{"Calibrated on": "2025-01-31"}`."""
    in_service_from: Instant | None
    """From when it is expected to measure, inclusive; null says nothing."""
    in_service_until: Instant | None
    created_at: Instant
    updated_at: Instant


class NewAsset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make an asset."""

    name: Name
    asset_type: Name | None = None
    serial_number: Name | None = None
    description: Text | None = None
    custom_fields: dict[str, Any] = {}
    in_service_from: Moment | None = None
    in_service_until: Moment | None = None


class NewAssetBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/assets."""

    asset: NewAsset


class AssetChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change an asset; what is left out stays as it is.

    Of the custom fields, too: one that is left out keeps its value, and null takes the value away.
    """

    name: Name | UnsetType = UNSET
    asset_type: Name | UnsetType | None = UNSET
    serial_number: Name | UnsetType | None = UNSET
    description: Text | UnsetType | None = UNSET
    custom_fields: dict[str, Any] = {}
    """Values by label; one that is left out keeps its value, and null takes the value away."""
    in_service_from: Moment | UnsetType | None = UNSET
    in_service_until: Moment | UnsetType | None = UNSET


class AssetChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/assets/{asset_id}."""

    asset: AssetChange


class AssetImport(msgspec.Struct, frozen=True):
    """What became of the lines of a spreadsheet."""

    created: int
    """How many lines made an asset."""
    updated: int
    """How many lines changed one."""
    unchanged: int
    """How many lines say what an asset is already."""


# What a custom field looks like on the wire.


CUSTOM_FIELDS_MAX: Final = 100
"""Custom fields of one project's assets, at most."""


class AssetCustomField(msgspec.Struct, frozen=True):
    """One column that a project adds to its assets."""

    id: int
    """The number of the custom field."""
    project_id: str
    label: str
    """What heads its column in the asset spreadsheet, such as `Calibrated on`, up to 100 characters."""
    value_type: Annotated[str, one_of(VALUE_TYPES)]
    """What its values are; a `date` is a text such as `2025-01-31`."""
    created_at: Instant


class NewAssetCustomField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a custom field; its value type is text, number, boolean or date."""

    label: Annotated[str, at_most(LABEL_LENGTH_MAX)]
    value_type: Annotated[str, one_of(VALUE_TYPES)]


class NewAssetCustomFieldBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/asset_custom_fields."""

    asset_custom_field: NewAssetCustomField


# What an outage looks like on the wire.


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
