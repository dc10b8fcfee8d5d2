"""What a capture rate looks like on the wire."""

from decimal import Decimal
from typing import Annotated

import msgspec

from weighbridge.core.collection.capture import PERIODS
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import one_of


class CaptureFigures(msgspec.Struct, frozen=True):
    """How many slots of the cadence were expected, and what became of them."""

    expected: int
    """Slots that have ended, begin in service, and are not covered by outages as a whole."""
    received: int
    """Expected slots in which an event was captured."""
    valid: int
    """Expected slots with a complete event that meets `valid_when` and in which no substitution stands."""
    substituted: int
    """Expected slots without a valid event, in which a substitution stands."""
    missing: int
    """Expected slots in which nothing was captured."""
    imputed: int
    """Those of the missing slots that a rule has filled; they never count as valid."""
    capture_rate: Decimal | None
    """How much of `expected` is `valid`, from 0 to 1; null where nothing was expected."""
    seconds_expected: Decimal | None
    """The time in service without outages; null where no event of the range has a length."""
    seconds_valid: Decimal | None
    """How much of that valid events cover, once each; null where no event of the range has a length."""
    capture_rate_by_time: Decimal | None
    """How much of `seconds_expected` is valid; null where there is none, or no event has a length."""


class MeterCapture(msgspec.Struct, frozen=True):
    """What was captured of one meter: an asset, else a location, else the event type itself."""

    asset_id: str | None
    """The friendly id of the asset that the meter is; null when it is none."""
    location_id: str | None
    """The friendly id of the location that the meter is; null when it is none."""
    name: str | None
    """What the asset or the location is called; null for the event type itself."""
    figures: CaptureFigures


class PeriodCapture(msgspec.Struct, frozen=True):
    """What was captured in one period, in total and by meter."""

    slot: str
    start_time: Instant
    """When the period begins, or the range inside it."""
    end_time: Instant
    """When the period ends, or the range inside it."""
    total: CaptureFigures
    """All meters together."""
    meters: list[MeterCapture]
    """Each meter of the event type, in the order of their names."""


class CaptureRate(msgspec.Struct, frozen=True):
    """The capture rate of an event type over a range of time, in total, by meter and by period."""

    event_type_id: str
    """The friendly id of the event type."""
    period: Annotated[str, one_of(PERIODS)]
    """How the range is cut, in the project's time zone."""
    start_time: Instant
    """The start of the range: slots count that begin at it or later."""
    end_time: Instant
    """The end of the range: slots count that begin before it, and that have ended."""
    total: CaptureFigures
    """All meters and periods together."""
    meters: list[MeterCapture]
    """Each meter over the whole range."""
    data: list[PeriodCapture]
    """One entry for each period, in order."""
