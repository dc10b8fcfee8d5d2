"""A meter is what readings belong together by: an event's asset, else its first location, else its type.

Whoever takes one reading after another (totalisers, coverage, gaps, availability, capture rates) takes those
of one meter, by this definition and no other. An asset or location may say from when to when it is in
service; outside of that nothing is expected of it.

Invariants: an asset that stands at several locations is one meter; a meter that says nothing of its service
is in service at all times.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from weighbridge.core.time.instant import Interval

Reading = TypeVar("Reading")


@dataclass(frozen=True, slots=True)
class Meter:
    """Whose readings belong together, among those of one event type; without a name it is the event type."""

    asset: str | None = None
    location: str | None = None
    """Of a meter that is no asset."""

    @classmethod
    def of(cls, asset: str | None, first_location: str | None) -> "Meter":
        """The meter of an event with these tags."""
        return cls(asset) if asset is not None else cls(None, first_location)

    @property
    def label(self) -> str:
        """` of asset 'East'`: the meter as the end of a phrase; empty where it is the event type itself."""
        if self.asset is not None:
            return f" of asset {self.asset!r}"
        return "" if self.location is None else f" of location {self.location!r}"


EVENT_TYPE: Final = Meter()
"""The meter of events that have neither an asset nor a location."""


@dataclass(frozen=True, slots=True)
class Service:
    """From when, and until when, a meter is in service; None where it does not say."""

    start: datetime | None = None
    end: datetime | None = None

    def inside(self, slot: Interval) -> Interval | None:
        """The time in service inside a slot; None when there is none."""
        start = slot.start if self.start is None else max(slot.start, self.start)
        end = slot.end if self.end is None else min(slot.end, self.end)
        return Interval(start, end) if start < end else None


ALWAYS: Final = Service()
"""The service of a meter that says nothing of it."""


def by_meter(readings: Iterable[Reading], meter_of: Callable[[Reading], Meter]) -> dict[Meter, list[Reading]]:
    """Readings by their meters, each in the order in which they come."""
    grouped: dict[Meter, list[Reading]] = {}
    for reading in readings:
        grouped.setdefault(meter_of(reading), []).append(reading)
    return grouped
