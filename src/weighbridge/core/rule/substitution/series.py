"""A series is what one meter was to deliver, slot after slot, and what it did deliver.

Invariants: the slots of a series come in order of time, each once; a slot's value is as it was captured (or
as a calibration adjusted it), or a person's, and never what a rule put in for it: so nothing that was
substituted can feed a window or stand at a border.
"""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

from weighbridge.core.expression.value import Scalar
from weighbridge.core.rule.windows.window import Window


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
