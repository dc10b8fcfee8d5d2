"""What a substituted or imputed value looks like on the wire."""

from decimal import Decimal
from typing import Annotated, Any

import msgspec

from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.core.rule.substitution.reading import METHOD_NAMES
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import one_of

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
    """The share of operating slots with a valid captured value up to here; null where no tier asks for it."""
    gap_slots: int
    """How many operating slots the gap has that it is in."""
    created_at: Instant
    """When it was put there."""
