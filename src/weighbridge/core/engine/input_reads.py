"""What an input was read of, reading by reading, for who repeats a run over values that are drawn anew.

The engine keeps it where a setting asks for it (`keeps_reads`). Values are as they count in the slot, in the
unit of the data. A partition has groups of its own, and parts of groups that several partitions share.

Invariants: what a partition's own groups come to, and its parts of what is shared, is the value of the input;
the parts that all partitions have of a shared group add up to 1, to the digits of the whole.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from weighbridge.core.engine.stated_values import NO_MOMENTS, MomentsByClass, RatedReading, StatedClass
from weighbridge.core.expression import Environment
from weighbridge.core.time.calendar import Interval
from weighbridge.core.time.expectation import Meter


@dataclass(frozen=True, slots=True)
class KeptReading:
    """One reading, and what it states of its uncertainty."""

    value: Decimal
    event: int
    time: Interval
    meter: Meter
    stated: StatedClass
    weight: Decimal | None = None
    weighing_event: int | None = None
    """The event that has the weight."""
    rests_on: tuple[RatedReading, ...] = ()
    """The readings that a value which a rule put in came from, and how fast it changes with each."""


@dataclass(frozen=True, slots=True)
class ReadGroup:
    """Readings that are aggregated together: one by one, or as sums by what they state."""

    values: tuple[KeptReading, ...] = ()
    rates: tuple[int, ...] | None = None
    """How the readings of a totaliser count, each times its rate; None where the aggregate says it."""
    amount: Decimal | None = None
    """What sums come to, in the unit of the data."""
    moments: MomentsByClass = field(default_factory=lambda: NO_MOMENTS)
    """The sums over readings that were not read one by one."""


@dataclass(frozen=True, slots=True)
class SharedGroup:
    """A partition's part of what a group comes to."""

    group: ReadGroup
    part: Decimal
    """From 0 to 1."""


@dataclass(frozen=True, slots=True)
class InputReads:
    """What an input was read of in a partition."""

    own: tuple[ReadGroup, ...] = ()
    shared: tuple[SharedGroup, ...] = ()


NO_READS: Final = InputReads()


@dataclass(frozen=True, slots=True)
class TrialBasis:
    """What a run was computed of, as its formulas saw it."""

    environment: Environment
    reads: Mapping[str, InputReads]
    """By the slug of the input; none of an input that took its default."""
    statics: Mapping[str, tuple[int, ...]]
    """The numbers of the values of static inputs, by node: one, or one for each element."""
