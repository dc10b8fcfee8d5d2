"""A revision is what a change makes of an event type: its data point types kept, added and removed.

Invariants: a slug names the same data point type before and after; one that is kept keeps its position,
so the values of events stay what they are; `desired` lists the data point types in the order sent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec import UNSET
from msgspec.structs import asdict, replace

from weighbridge.collection.event_types.records import (
    DataPointType,
    DataPointTypeChange,
    EventType,
    EventTypeChange,
    NewDataPointType,
    NewEventType,
    RollUp,
)
from weighbridge.core.identity.slug import slug_of
from weighbridge.core.problem import Problem

_OF_THE_TYPE = (
    *("name", "description", "cadence_amount", "cadence_unit", "valid_when"),
    *("reusable_in_batches", "expected_locations", "requires_tracking_id", "rolled_up_from"),
)


@dataclass(frozen=True, slots=True)
class KeptDataPointType:
    """A data point type that stays, as it was and as it is to be; `index` is its position in the request."""

    index: int
    was: DataPointType
    desired: NewDataPointType

    @property
    def is_changed(self) -> bool:
        """Whether anything about it is different."""
        return self.is_redefined or (self.was.name, self.was.required) != (
            self.desired.name.strip(),
            self.desired.required,
        )

    @property
    def is_redefined(self) -> bool:
        """Whether the values that events carry would mean something else."""
        return (self.was.value_type, self.was.unit) != (self.desired.value_type, self.desired.unit)


@dataclass(frozen=True, slots=True)
class Revision:
    """An event type as it was and as it is to be."""

    was: EventType
    desired: NewEventType
    kept: tuple[KeptDataPointType, ...]
    added: tuple[NewDataPointType, ...]
    removed: tuple[DataPointType, ...]

    @property
    def is_change(self) -> bool:
        """Whether anything is different at all."""
        return (
            bool(self.added or self.removed)
            or any(one.is_changed for one in self.kept)
            or any(getattr(self.was, name) != getattr(self.desired, name) for name in _OF_THE_TYPE)
        )

    @property
    def is_loosened(self) -> bool:
        """Whether a value that was required no longer is."""
        return any(one.required for one in self.removed) or any(
            one.was.required and not one.desired.required for one in self.kept
        )


def revise(was: EventType, change: EventTypeChange) -> Revision:
    """Find what a change makes of an event type; what it leaves out stays."""
    there = {one.slug: one for one in was.data_point_types}
    changes = [DataPointTypeChange(slug=slug) for slug in there]
    if change.data_point_types is not UNSET:
        changes = change.data_point_types
    points = [_desired(one, there) for one in changes]
    slugs = [point.slug or slug_of(point.name) for point in points]
    return Revision(
        was,
        _desired_type(was, change, points),
        tuple(
            KeptDataPointType(index, there[slug], point)
            for index, (slug, point) in enumerate(zip(slugs, points, strict=True))
            if slug in there
        ),
        tuple(point for slug, point in zip(slugs, points, strict=True) if slug not in there),
        tuple(one for slug, one in there.items() if slug not in slugs),
    )


def problems_of_new(revision: Revision, change: EventTypeChange) -> Iterator[Problem]:
    """What a new data point type lacks; one that the event type has already needs nothing but its slug."""
    kept = {one.index for one in revision.kept}
    for index, point in enumerate(change.data_point_types or ()):
        lacks = [name for name in ("name", "value_type") if getattr(point, name) is UNSET]
        for name in lacks:
            if index not in kept and (point.slug or name != "name"):
                field = f"event_type.data_point_types[{index}].{name}"
                shown = f"The event type has no {point.slug!r} yet, and a new" if point.slug else "A new"
                yield Problem(f"{shown} data point type needs {field}.", field, "required")


def _desired_type(was: EventType, change: EventTypeChange, points: list[NewDataPointType]) -> NewEventType:
    there = {name: getattr(was, name) for name in _OF_THE_TYPE}
    fields = {name: value for name, value in asdict(change).items() if value is not UNSET}
    desired = there | fields | {"slug": was.slug, "data_point_types": points}
    roll_up = desired["rolled_up_from"]
    return NewEventType(
        **desired
        | {
            "name": desired["name"].strip(),
            "rolled_up_from": None if roll_up is None else written_out(roll_up),
        }
    )


def written_out(roll_up: RollUp) -> RollUp:
    """A roll-up in which each value names its source."""
    values = [replace(one, source=one.source or one.data_point) for one in roll_up.data_points]
    return replace(roll_up, data_points=sorted(values, key=lambda one: one.data_point))


def _desired(change: DataPointTypeChange, there: Mapping[str, DataPointType]) -> NewDataPointType:
    named = change.slug or ("" if change.name is UNSET else slug_of(change.name))
    was = there.get(named)
    return NewDataPointType(
        slug=change.slug if was is None else was.slug,
        name=(was.name if was else named) if change.name is UNSET else change.name,
        value_type=(was.value_type if was else "number") if change.value_type is UNSET else change.value_type,
        unit=(was.unit if was else None) if change.unit is UNSET else change.unit,
        required=(was.required if was else True) if change.required is UNSET else change.required,
    )
