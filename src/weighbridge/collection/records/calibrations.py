"""Define the record of calibrations: certificates of meters, and from when until when they hold."""

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import Annotated, Final

import msgspec

from weighbridge.collection.records.events import EventEvidence
from weighbridge.collection.records.uncertainty import StatedUncertainty, read_stated, to_canonical
from weighbridge.core.collection.custom_field import (
    TEXT_LENGTH_MAX,
    problems_of_instant,
    problems_of_line,
    problems_of_text,
)
from weighbridge.core.identity import NAME_LENGTH_MAX, SLUG_RULE, is_slug
from weighbridge.core.number import NumberError, limit_number, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.core.unit import UnitError, parse_unit
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.db.lists.listing import BOUNDS, MOMENT, Filter, read_key, read_moment
from weighbridge.http.text import Moment, Name, Slug, Text, UnitText, between

NUMBER_MAX: Final = 2**31 - 1
"""The largest number of a record that has no friendly id."""


def _problems_of_slug(text: str, field: str) -> Iterator[Problem]:
    if not is_slug(text):
        yield Problem(f"{field} is {shorten(text)!r}; a slug is {SLUG_RULE}.", field, "invalid")


def _problems_of_unit(text: str, field: str) -> Iterator[Problem]:
    try:
        parse_unit(text.strip())
    except UnitError as error:
        yield Problem(f"{field} is {shorten(text)!r}: {error}", field, "invalid")


def _problems_of_number(value: Decimal, field: str) -> Iterator[Problem]:
    try:
        limit_number(value)
    except NumberError as error:
        yield Problem(f"{field}: {error}", field, "invalid")


class Calibration(msgspec.Struct, frozen=True):
    """How well the readings of a meter are known from one moment to another, as its certificate says."""

    id: str
    project_id: str
    name: Annotated[
        str,
        Sent(
            Name,
            check=partial(problems_of_line, NAME_LENGTH_MAX),
            write=str.strip,
            filter=Filter("name", str, "a name"),
            is_sorted=True,
        ),
    ]
    """What people call it, such as the number of the certificate: `D-K-15204-01`."""
    asset_id: Annotated[
        str | None,
        Sent(str, of="asset", filter=Filter("asset_id", read_key("asset"), "an id ast_…")),
    ]
    """The friendly id of the meter; null for readings of events that name no asset."""
    event_type_id: Annotated[
        str,
        Sent(
            str,
            of="event_type",
            filter=Filter("event_type_id", read_key("event_type"), "an id et_…"),
        ),
    ]
    """The friendly id of the event type of the readings."""
    data_point_type: Annotated[
        str,
        Sent(
            Slug,
            check=_problems_of_slug,
            filter=Filter("data_point_type", str, "the slug of a data point type"),
        ),
    ]
    """The slug of the data point type that the meter measures, such as `wet_mass`."""
    valid_from: Annotated[
        Instant,
        Sent(
            Moment,
            check=problems_of_instant,
            write=Instant.of,
            filter=Filter("valid_from", read_moment, MOMENT, BOUNDS),
            is_sorted=True,
        ),
    ]
    """From which start of a reading on it holds, inclusive."""
    valid_until: Annotated[
        Instant | None,
        Sent(
            Moment,
            check=problems_of_instant,
            write=Instant.of,
            filter=Filter("valid_until", read_moment, MOMENT, BOUNDS),
        ),
    ]
    """Until when it holds, exclusive; null where the certificate names no end."""
    uncertainty: Annotated[
        StatedUncertainty, Sent(StatedUncertainty, write=to_canonical, read=read_stated, is_json=True)
    ]
    """How well the readings are known. It is one effect: an error that all readings of the meter share while
    the calibration holds; where it names an `effect`, they share it with all that name it.
    """
    as_found: Annotated[Decimal | None, Sent(Decimal, check=_problems_of_number)]
    """The error that the calibration found before anything was adjusted, reading minus reference; null when
    not said. It says nothing of the uncertainty.
    """
    as_left: Annotated[Decimal | None, Sent(Decimal, check=_problems_of_number)]
    """The error that it left behind; null when not said."""
    error_unit: Annotated[str | None, Sent(UnitText, check=_problems_of_unit, write=str.strip)]
    """The unit of both errors, such as `%` of a span; null when it is that of the data point type."""
    evidence_id: Annotated[int | None, Sent(Annotated[int, between(1, NUMBER_MAX)])]
    """The number of the file or link that is the certificate, attached to an event of the project; null
    without one.
    """
    evidence: EventEvidence | None
    """That file or link; null without one."""
    notes: Annotated[
        str | None,
        Sent(Text, check=partial(problems_of_text, TEXT_LENGTH_MAX)),
    ]
    """What people write about it; null when there is nothing."""
    created_at: Instant
    updated_at: Instant


CALIBRATION_BODIES: Final = RequestBodies(
    Calibration,
    "calibration",
    "/projects/{project_id}/calibrations",
    leading=("name", "event_type_id", "data_point_type", "valid_from", "uncertainty"),
    about_new="What a caller sends to say how well a meter measures, from when until when.",
)
