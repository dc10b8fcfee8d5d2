"""A series is what one meter was to deliver, slot after slot, and what it did deliver.

A series is made of what its meter delivered: the empty slots between take their places, and are out where
they are not expected of the meter. Every slot of the cadence that starts in the period is in the series; a
slot with several readings is in it once for each; memory holds one reading.

An example: an hourly meter read at 00:05 and 03:00, with an outage declared from 02:00 to 03:00, from
midnight to 05:00: slots that start at 00:05, 01:00, 02:00 (out), 03:00 and 04:00.

Invariants: the slots of a series come in order of time, each once; a slot's value is as it was captured (or
as a calibration adjusted it), or a person's, and never what a rule put in for it: so nothing that was
substituted can feed a window or stand at a border.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

from weighbridge.core.expression.value import Scalar
from weighbridge.core.halt import proceeding
from weighbridge.core.rule.window import Window, write_window
from weighbridge.core.time.expectation import ExpectedCadence
from weighbridge.core.time.instant import MILLISECOND, Interval


class SeriesSlot(NamedTuple):
    """One slot; a tuple because a million are made of rows."""

    start: datetime
    """When its event starts, or the slot itself when it is empty."""
    value: Decimal | None = None
    is_valid: bool = False
    """Whether a value was captured for it, and is what it should be."""
    is_manual: bool = False
    """Whether the value is a person's."""
    is_out: bool = False
    """Whether it is not expected of the meter."""
    row: tuple[Scalar | None, ...] | None = None
    """What conditions read, in the order of the program's names; None when the slot is empty."""
    about: Any = None
    """What the caller wants back with the outcome."""

    @property
    def has_own(self) -> bool:
        """Whether it has a value that is not a rule's."""
        return self.value is not None and (self.is_valid or self.is_manual)


class Border(NamedTuple):
    """A value that stands before or after a gap."""

    start: datetime
    value: Decimal


class Absence(StrEnum):
    """Why a slot has no value yet."""

    PENDING_AFTER = "pending_after"
    NO_BEFORE = "no_before"
    NO_MEMBERS = "no_members"
    NO_TIER = "no_tier"
    NO_RESULT = "no_result"


class Given(NamedTuple):
    """A value, with what gave it."""

    value: Decimal
    method: str
    members: int = 0
    """How many values it was found from."""
    window: Window | None = None


class Absent(NamedTuple):
    """No value, and why."""

    reason: Absence
    says: str


class SlotOutcome(NamedTuple):
    """What becomes of a slot that needs a value."""

    slot: SeriesSlot
    found: Given | Absent
    method: str | None
    """The method of the tier; `found.method` is the one of its parts that gave the value."""
    tier: int | None
    """Which tier it was, counted from 1."""
    code: str | None
    availability: Decimal | None
    """As far as a tier asks for it; None where none does, so that nothing depends on it."""
    gap_slots: int
    """How many slots of the whole gap need a value."""
    is_settled: bool
    """Whether the gap has ended; what stands in one that has not may change as it grows."""

    @property
    def value(self) -> Decimal | None:
        """The value, if there is one."""
        return self.found.value if isinstance(self.found, Given) else None

    @property
    def is_missing(self) -> bool:
        """Whether nothing was captured, so that the value is imputed rather than substituted."""
        return self.slot.value is None


def series_slots(
    readings: Iterable[SeriesSlot], expected: ExpectedCadence, period: Interval
) -> Iterator[SeriesSlot]:
    """The series of a meter over a period, from its readings that start in it, in their order."""
    cadence = expected.cadence
    following = cadence.from_on(period.start)
    for reading in readings:
        number = cadence.holding(reading.start)
        yield from _empty(range(following, number), expected)
        following = max(following, number + 1)
        yield reading if expected.hold(number) else reading._replace(is_out=True)
    last = cadence.holding(period.end - MILLISECOND) + 1 if period.start < period.end else following
    yield from _empty(range(following, last), expected)


def _empty(numbers: Iterable[int], expected: ExpectedCadence) -> Iterator[SeriesSlot]:
    for number in proceeding(numbers):
        yield SeriesSlot(expected.cadence.start(number), is_out=not expected.hold(number))


def write_outcome(outcome: SlotOutcome) -> dict[str, Any] | None:
    """How the value of a slot was found, as JSON: what a report lists hours by; None while it has none.

    `found_by` is the part of the method that gave the value; `availability` is null where no tier asks.
    """
    found = outcome.found
    if isinstance(found, Absent):
        return None
    return {
        "method": outcome.method,
        "found_by": str(found.method),
        "tier": outcome.tier,
        "code": outcome.code,
        "window": None if found.window is None else write_window(found.window),
        "members_used": found.members,
        "availability": outcome.availability,
        "gap_slots": outcome.gap_slots,
    }
