"""What a gap looks like on the wire."""

from decimal import Decimal
from typing import Annotated, Final

import msgspec

from weighbridge.collection.events.records import Substitution
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import one_of

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
