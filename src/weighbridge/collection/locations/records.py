"""What a location looks like on the wire."""

from decimal import Decimal

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Line, Moment


class Address(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A postal address; every part is optional."""

    name: Line | None = None
    street_address_1: Line | None = None
    street_address_2: Line | None = None
    city: Line | None = None
    state: Line | None = None
    postal_code: Line | None = None
    country: Line | None = None


class Location(msgspec.Struct, frozen=True):
    """One place. Latitude and longitude are degrees, as text so that no digit is lost.

    As a meter, of events without an asset, it is expected to measure from `in_service_from` until
    `in_service_until`; null says nothing.
    """

    id: str
    project_id: str
    name: str
    lat: str | None
    long: str | None
    address: Address | None
    in_service_from: Instant | None
    in_service_until: Instant | None
    created_at: Instant
    updated_at: Instant


class NewLocation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a location; degrees as text or as a number."""

    name: str
    lat: Decimal | None = None
    long: Decimal | None = None
    address: Address | None = None
    in_service_from: Moment | None = None
    in_service_until: Moment | None = None


class NewLocationBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/locations."""

    location: NewLocation


class LocationChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change a location; what is left out stays as it is, an address is replaced."""

    name: str | UnsetType = UNSET
    lat: Decimal | UnsetType | None = UNSET
    long: Decimal | UnsetType | None = UNSET
    address: Address | UnsetType | None = UNSET
    in_service_from: Moment | UnsetType | None = UNSET
    in_service_until: Moment | UnsetType | None = UNSET


class LocationChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/locations/{location_id}."""

    location: LocationChange
