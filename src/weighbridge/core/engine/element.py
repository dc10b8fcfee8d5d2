"""An element is one event as an input reads it by itself, where a sum over a group does not tell enough.

Arrays, medians, totalisers, averages over time, joins and what reaches over a slot's boundary are computed
from elements, in time order. A measure says where in its elements an input finds what it reads.

Invariants: elements of a source come in order of start, end, tracking id, client reference and values, which
is their rank; never by id or arrival.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core.model.definition import NO_COVERAGE
from weighbridge.core.quantity.unit import ONE, Unit
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.core.time.meter import ALWAYS, Meter, Service

Content = Decimal | str | bool | None
"""A value of an event as it stands, in the unit of its data point type."""


@dataclass(frozen=True, slots=True)
class Element:
    """One event of a source."""

    event: int
    rank: int
    time: Interval
    values: tuple[Content, ...]
    tracking_id: str | None = None
    feedstock: str | None = None
    asset: str | None = None
    location: str | None = None
    service: Service = ALWAYS
    """When its meter is in service."""
    digest: int = 0
    """A hash of the event, its time and its values."""
    is_of_slot: bool = True
    """Whether the slot has it; the reading that stands when a slot begins may be older."""
    sources: tuple[ValueSource, ...] = ()
    """Where each of its values comes from; empty when all were captured."""

    @property
    def meter(self) -> Meter:
        """Whose reading it is."""
        return Meter.of(self.asset, self.location)

    def number(self, index: int) -> Decimal | None:
        """The number at an index of its values."""
        value = self.values[index]
        return value if isinstance(value, Decimal) else None

    def source(self, index: int) -> ValueSource:
        """Where the value at an index of its values comes from."""
        return self.sources[index] if self.sources else ValueSource.CAPTURED


@dataclass(frozen=True, slots=True)
class EventCadence:
    """How often an event type is expected: every so many minutes, hours, days, weeks or months."""

    amount: int
    unit: str


@dataclass(frozen=True, slots=True)
class Measure:
    """How an input finds its values: the source, and the indexes of what it reads in each element."""

    unit: Unit = ONE
    source: int = 0
    is_of_elements: bool = False
    value: int = 0
    weight: int | None = None
    is_weight_of_target: bool = False
    """Whether the weight stands on the event that this one is joined to."""
    key: int | None = None
    """The text that is joined on, here and on the other side."""
    target_key: int | None = None
    coverage: Decimal = NO_COVERAGE
    """Percent of the slot that the data must cover."""
    cadence: EventCadence | None = None


@dataclass(frozen=True, slots=True)
class StaticValue:
    """A value of the project that holds from a moment on, for what its keys name."""

    number: int
    value: Decimal
    unit: Unit
    effective_from: Instant
    asset: str | None = None
    feedstock: str | None = None
    location: str | None = None


Measures = Mapping[str, Measure]
"""Measures by the slugs of the inputs."""
