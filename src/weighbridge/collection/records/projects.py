"""Define the records of projects, and of locations, feedstocks, assets, their custom fields, and outages."""

from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Final

import msgspec

from weighbridge.core.collection.custom_field import (
    LABEL_LENGTH_MAX,
    LATITUDE_MAX,
    LONGITUDE_MAX,
    TEXT_LENGTH_MAX,
    VALUE_TYPES,
    problems_of_degrees,
    problems_of_instant,
    problems_of_line,
    problems_of_text,
)
from weighbridge.core.collection.evidence import LINK_LENGTH_MAX
from weighbridge.core.identity import NAME_LENGTH_MAX, Link
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.db.lists.listing import BOUNDS, MOMENT, Filter, read_moment
from weighbridge.http.text import Description, Line, Moment, Name, Text, at_most, between, one_of

# What a project looks like on the wire.


STATUSES = ("active", "archived")
"""What a project may be; `archived` is a label, and keeps nobody from reading or writing."""


_Status = Annotated[str, one_of(STATUSES)]


class Project(msgspec.Struct, frozen=True):
    """One project."""

    id: str
    numeric_id: int
    """The number by which the `args` of tasks name it; paths and filters take it as well."""
    name: Annotated[str, Sent(Name, write=str.strip)]
    """What people call it, such as `Plant North`."""
    description: Annotated[str | None, Sent(Description)]
    time_zone: Annotated[str, Sent(Name, default="UTC")]
    """The time zone that slots are cut in, by its IANA name."""
    status: Annotated[_Status, Sent(_Status, is_later=True)]
    """Whether it goes on; `archived` is a label, and keeps nobody from reading or writing."""
    created_at: Instant
    updated_at: Instant
    ui_url: Link


PROJECT_BODIES: Final = RequestBodies(
    Project, "project", "/projects", about_new="What a caller sends to make a project."
)


# Named records of a project: each field is declared once, with its type, its checks and how it is stored.


class NamedRecord(msgspec.Struct, frozen=True):
    """A record whose name is unique in its project."""

    id: str
    project_id: str
    name: Annotated[
        str,
        Sent(
            Name,
            write=str.strip,
            filter=Filter("name", str, "a name"),
            is_sorted=True,
            label="Name",
            help="unique in the project",
        ),
    ]
    """What people call it, once in the project, such as `Plant North`."""


def _by_label(values: dict[str, Any]) -> dict[str, Any]:
    return dict(sorted(values.items()))


def _degrees(limit: int, words: str, direction: str) -> Sent:
    """Degrees as a number or a text; stored as a number, and given as a text so that no digit is lost."""
    meaning = f"The {words} in degrees from -{limit} to {limit}, as a number or a text."
    return Sent(
        Annotated[Decimal, between(-limit, limit), msgspec.Meta(description=meaning)],
        check=partial(problems_of_degrees, limit),
        read="{:f}".format,
        label=words.capitalize(),
        help=f"degrees, {direction} above zero",
    )


_IN_SERVICE: Final = Sent(
    Moment, check=problems_of_instant, write=Instant.of,
    label="In service from", help="measurements are expected from this time; empty: unknown",
)  # fmt: skip
_OUT_OF_SERVICE: Final = Sent(
    Moment,
    check=problems_of_instant,
    write=Instant.of,
    label="In service until",
    help="empty: still in service",
)
_problems_of_line: Final = partial(problems_of_line, NAME_LENGTH_MAX)


class Feedstock(NamedRecord, frozen=True):
    """One raw material of a project."""

    description: Annotated[str | None, Sent(Description, help="")]
    created_at: Instant
    updated_at: Instant


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


class Location(NamedRecord, frozen=True):
    """One place. Latitude and longitude are degrees, as text so that no digit is lost.

    As a meter, of events without an asset, it is expected to measure from `in_service_from` until
    `in_service_until`; null says nothing.
    """

    lat: Annotated[str | None, _degrees(LATITUDE_MAX, "latitude", "north")]
    """The latitude in degrees, north above zero, as text so that no digit is lost; null when not said."""
    long: Annotated[str | None, _degrees(LONGITUDE_MAX, "longitude", "east")]
    """The longitude in degrees, east above zero, as text so that no digit is lost; null when not said."""
    address: Annotated[
        Address | None, Sent(Address, read=partial(msgspec.convert, type=Address), is_json=True, help="")
    ]
    """Its postal address, which a change replaces as a whole; null when not said."""
    in_service_from: Annotated[Instant | None, _IN_SERVICE]
    """From when it is expected to measure, inclusive, as a meter of events without an asset; null says
    nothing.
    """
    in_service_until: Annotated[Instant | None, _OUT_OF_SERVICE]
    created_at: Instant
    updated_at: Instant


class Asset(NamedRecord, frozen=True):
    """One piece of equipment; its custom fields by label, those without a value left out.

    As a meter it is expected to measure from `in_service_from` until `in_service_until`; null says nothing.
    """

    asset_type: Annotated[
        str | None,
        Sent(Name, check=_problems_of_line, label="Type of equipment", help="such as scale"),
    ]
    """What sort of equipment it is, in the project's own words, such as `scale`; null when not said."""
    serial_number: Annotated[str | None, Sent(Name, check=_problems_of_line)]
    """The maker's number on its plate; null when not said."""
    description: Annotated[str | None, Sent(Text, check=partial(problems_of_text, TEXT_LENGTH_MAX), help="")]
    custom_fields: Annotated[
        dict[str, Decimal | str | bool],
        Sent(
            dict[str, Any], default={}, is_merged=True, column="custom_values", read=_by_label, is_json=True,
            label="Custom fields",
        ),
    ]  # fmt: skip
    """Values by the label of the custom field, such as `{"Calibrated on": "2025-01-31"}`. A change keeps
    those that it leaves out; null takes one away.
    """
    in_service_from: Annotated[Instant | None, _IN_SERVICE]
    """From when it is expected to measure, inclusive; null says nothing."""
    in_service_until: Annotated[Instant | None, _OUT_OF_SERVICE]
    created_at: Instant
    updated_at: Instant


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


_Label = Annotated[str, at_most(LABEL_LENGTH_MAX)]
_ValueType = Annotated[str, one_of(VALUE_TYPES)]


class AssetCustomField(msgspec.Struct, frozen=True):
    """One column that a project adds to its assets."""

    id: int
    """The number of the custom field."""
    project_id: str
    label: Annotated[str, Sent(_Label, write=str.strip, is_sorted=True)]
    """What heads its column in the asset spreadsheet, such as `Calibrated on`, up to 100 characters."""
    value_type: Annotated[_ValueType, Sent(_ValueType)]
    """What its values are; a `date` is a text such as `2025-01-31`."""
    created_at: Instant


CUSTOM_FIELD_BODIES: Final = RequestBodies(
    AssetCustomField,
    "asset_custom_field",
    "/projects/{project_id}/asset_custom_fields",
    about_new=(
        "What a caller sends to make a custom field; its value type is text, number, boolean or date."
    ),
)


# What an outage looks like on the wire.


REASON_LENGTH_MAX: Final = 1_000
"""The longest reason of an outage, in characters."""

_Reason = Annotated[str, msgspec.Meta(max_length=REASON_LENGTH_MAX)]


class Outage(msgspec.Struct, frozen=True):
    """A stretch of time in which nothing is expected of a meter."""

    id: int
    """The number of the outage."""
    project_id: str
    reason: Annotated[str, Sent(_Reason, write=str.strip)]
    """Why nothing was measured, such as `Calibration of the analyser`."""
    asset_id: Annotated[str | None, Sent(str, of="asset")]
    """The friendly id of the asset that was out; null when it names none."""
    location_id: Annotated[str | None, Sent(str, of="location")]
    """The friendly id of the location that was out, as a meter of its own; null when it names none."""
    event_type_id: Annotated[str | None, Sent(str, of="event_type")]
    """The event type that it is about: alone, all meters of it; null when it is about all event types."""
    start_time: Annotated[
        Instant,
        Sent(
            Moment,
            write=Instant.of,
            filter=Filter("start_time", read_moment, MOMENT, BOUNDS),
            is_sorted=True,
        ),
    ]
    """From when nothing is expected, inclusive."""
    end_time: Annotated[
        Instant | None,
        Sent(Moment, write=Instant.of, filter=Filter("end_time", read_moment, MOMENT, BOUNDS)),
    ]
    """Until when nothing is expected, exclusive; null while it lasts."""
    evidence_url: Annotated[str | None, Sent(Annotated[str, at_most(LINK_LENGTH_MAX)])]
    """A link to what proves it, such as a page of the logbook; null without one."""
    created_at: Instant
    updated_at: Instant


OUTAGE_BODIES: Final = RequestBodies(
    Outage,
    "outage",
    "/projects/{project_id}/outages",
    leading=("reason", "start_time", "end_time"),
    about_new="What a caller sends to declare an outage; naming no meter, one of all meters.",
)
