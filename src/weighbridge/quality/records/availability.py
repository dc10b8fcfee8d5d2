"""Define the records of data availability: capture rates, gaps, and substituted or imputed values."""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec

from weighbridge.collection.records.events import Substitution
from weighbridge.core.collection.capture import PERIODS
from weighbridge.core.ledger.allocation import ValueSource
from weighbridge.core.rule.substitution.definition import METHOD_NAMES
from weighbridge.core.time.calendar import Instant
from weighbridge.http.text import one_of

# What a capture rate looks like on the wire.


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


# What a gap looks like on the wire.


VALUE_SOURCES: Final = ("imputed", "substituted")
"""Where the values come from that fill slots of a gap."""


class GapBorder(msgspec.Struct, frozen=True):
    """The valid event that stands beside a gap."""

    event_id: str
    """The friendly id of the event."""
    start_time: Instant
    """When the event begins."""
    values: dict[str, Decimal | str | bool]
    """Its values as they are in force, by the slugs of their data point types."""


class FilledSlot(msgspec.Struct, frozen=True):
    """An event that a rule made for a slot of the gap, or a value of which a rule substituted."""

    event_id: str
    """The friendly id of the event."""
    start_time: Instant
    """When the event begins."""
    value_source: Annotated[str, one_of(VALUE_SOURCES)]
    """Whether the event was imputed where none was captured, or a captured value substituted."""
    values: dict[str, Decimal | str | bool]
    """Its values as they are in force, by the slugs of their data point types."""
    substitutions: dict[str, Substitution]
    """How those values were found that a rule put there, with tier and code, by the same slugs."""


class ProposedSlot(msgspec.Struct, frozen=True):
    """A value that a rule proposes for a slot of the gap, and that waits for approval."""

    rule_result_id: str
    """The friendly id of the rule result by which it is approved or rejected."""
    rule_id: str
    """The friendly id of the rule."""
    event_id: str | None
    """The friendly id of the captured event; null of a slot in which none came."""
    start_time: Instant
    """When the event begins, or the slot that has none."""
    data_point_slug: str
    """The slug of the data point type."""
    to_value: Decimal | str | bool
    """What the value would become."""


class Gap(msgspec.Struct, frozen=True):
    """Expected slots of one meter, one after another, without a valid value."""

    asset_id: str | None
    """The friendly id of the asset that the meter is; null when it is none."""
    location_id: str | None
    """The friendly id of the location that the meter is; null when it is none."""
    name: str | None
    """What the asset or the location is called; null for the event type itself."""
    start_time: Instant
    """When the first slot of the gap begins."""
    end_time: Instant
    """When the last slot of the gap ends."""
    slots: int
    """How many expected slots it has; those in which nothing is expected do not count and do not end it."""
    missing: int
    """In how many of them nothing was captured; in the others what came is not valid."""
    imputed: int
    """How many of the missing ones a rule has filled."""
    substituted: int
    """In how many of the others a substitution stands."""
    before: GapBorder | None
    """The last valid event before it; null where the range begins with the gap."""
    after: GapBorder | None
    """The first valid event after it; null where the range ends with the gap, which may go on."""
    filled: list[FilledSlot]
    """What stands in its slots, the first 20 of them; `imputed` and `substituted` count all."""
    pending_count: int
    """How many values that rules propose for its slots wait for approval; they fill nothing until then."""
    proposed: list[ProposedSlot]
    """The first 20 of them, in order of time."""


class Gaps(msgspec.Struct, frozen=True):
    """The gaps of an event type in a range of time."""

    event_type_id: str
    """The friendly id of the event type."""
    start_time: Instant
    """The start of the range: slots count that begin at it or later."""
    end_time: Instant
    """The end of the range: slots count that begin before it, and that have ended."""
    data: list[Gap]
    """One entry for each gap, in order of its start."""


# What a substituted or imputed value looks like on the wire.


FILLED_SOURCES = (ValueSource.SUBSTITUTED.value, ValueSource.IMPUTED.value)
"""The value sources of what a rule puts into a gap."""


class FilledValue(msgspec.Struct, frozen=True):
    """A value that a rule put into a gap, and how it was found."""

    id: int
    """The number of the correction that put it there."""
    event_id: str
    """The friendly id of the event; a rule made the event where the value is imputed."""
    data_point_id: str
    """The friendly id of the data point."""
    slug: str
    """The slug of its data point type."""
    asset_id: str | None
    """The friendly id of the asset that the meter is; null when it is none."""
    location_id: str | None
    """The friendly id of the location that the meter is; null when it is none."""
    name: str | None
    """What the asset or the location is called; null for the event type itself."""
    start_time: Instant
    """When the event begins."""
    slot_start_time: Instant
    """When the slot begins that the event is in."""
    slot_end_time: Instant
    """When that slot ends."""
    value_source: Annotated[str, one_of(FILLED_SOURCES)]
    """Whether it stands in the place of a captured value, or where no event was captured."""
    value: Decimal
    """The value in force, in the unit of its data point type."""
    captured_value: Decimal | None
    """The value that was captured, in the same unit; null where none was."""
    rule_id: str
    """The friendly id of the rule that put it there."""
    rule_version: int
    """The version of that rule, counted from 1."""
    rule_run_id: int | None
    """The number of the rule run that found it; null where a person approved a proposal."""
    method: Annotated[str, one_of(METHOD_NAMES)]
    """The method by which the gap was filled."""
    found_by: Annotated[str, one_of(METHOD_NAMES)]
    """The part of the method that gave the value."""
    tier: int
    """Which tier of the rule was taken, counted from 1."""
    code: str | None
    """The code by which a regime knows the tier; null where it has none."""
    window: dict[str, Any] | None
    """The window that the value was found from; null where none was asked."""
    members_used: int
    """How many values it was found from."""
    availability: Decimal | None
    """The share of operating slots with a valid captured value, up to here or in a period that a tier names;
    null where none asks.
    """
    gap_slots: int
    """How many operating slots the gap has that it is in."""
    created_at: Instant
    """When it was put there."""
