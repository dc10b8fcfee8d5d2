"""What a location looks like on the wire."""

from decimal import Decimal
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Line, Moment, Name, between

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
