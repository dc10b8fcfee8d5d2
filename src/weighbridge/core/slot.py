"""A slot is a stretch of time that one version of a model accounts for: a month, a day, an event.

A slot once generated keeps the version that made it. Another version of the same cadence takes over the
slots that were never generated; asked to replace, it takes over whole slots, generated or not.

Invariants: no two versions account for the same instant twice: a slot that overlaps a generated one of
other bounds is passed over; what is replaced is replaced whole; slots come in order of time.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from itertools import accumulate

from weighbridge.core.cadence import Selection, select
from weighbridge.core.instant import Interval


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a model, by its number, and how it cuts time."""

    number: int
    cadence: str


@dataclass(frozen=True, slots=True)
class Generated:
    """A slot that holds batches, and the version that the newest of them was made by."""

    slot: Interval
    version: Version


@dataclass(frozen=True, slots=True)
class Assignment:
    """Which version computes which slots of a requested range."""

    slots: Mapping[int, tuple[Interval, ...]]
    """By the number of the version; no slot stands twice."""
    touched: tuple[Interval, ...]
    """Slots that the range touches without selecting them."""
    passed_over: tuple[Interval, ...]
    """Slots of the active version that are left to generated slots of another cadence."""
    replaced: tuple[Interval, ...]
    """Generated slots of other bounds that are brought to zero."""
    cut: tuple[Interval, ...]
    """Generated slots that a replacement would cut in two; it must be refused."""


def assign(
    active: Version, generated: Sequence[Generated], wanted: Interval, zone: tzinfo, *, is_replacing: bool
) -> Assignment:
    """Assign the slots of a range to versions. Raises ValueError when the range has too many slots."""
    chosen = select(active.cadence, wanted, zone)
    if is_replacing:
        return _replace(active, chosen, generated)
    by_version: dict[int, list[Interval]] = {}
    for one in _kept(generated, wanted, zone):
        by_version.setdefault(one.version.number, []).append(one.slot)
    known = {one.slot for one in generated}
    meets = _meeting(known)
    free = [slot for slot in chosen.selected if slot not in known and not meets(slot)]
    if free:
        by_version.setdefault(active.number, []).extend(free)
    passed_over = {slot for slot in chosen.selected if slot not in known} - set(free)
    return Assignment(
        slots={number: tuple(sorted(slots)) for number, slots in sorted(by_version.items())},
        touched=chosen.touched,
        passed_over=tuple(sorted(passed_over)),
        replaced=(),
        cut=(),
    )


def _replace(active: Version, chosen: Selection, generated: Sequence[Generated]) -> Assignment:
    selected = set(chosen.selected)
    meets = _meeting(selected)
    met = {one.slot for one in generated if one.slot not in selected and meets(one.slot)}
    cut = {slot for slot in met if not _is_covered(slot, chosen.selected)}
    return Assignment(
        slots={active.number: chosen.selected} if chosen.selected else {},
        touched=chosen.touched,
        passed_over=(),
        replaced=tuple(sorted(met - cut)),
        cut=tuple(sorted(cut)),
    )


def _kept(generated: Sequence[Generated], wanted: Interval, zone: tzinfo) -> list[Generated]:
    """The generated slots that the range selects, each by the cadence that it was cut by."""
    cadences = {one.version.cadence for one in generated}
    selected = {cadence: set(select(cadence, wanted, zone).selected) for cadence in cadences}
    return [one for one in generated if one.slot in selected[one.version.cadence]]


def _meeting(others: Iterable[Interval]) -> Callable[[Interval], bool]:
    """Whether a slot has an instant in common with any of others, found by bisection."""
    ordered = sorted(others)
    starts = [other.start for other in ordered]
    latest: list[datetime] = list(accumulate((other.end for other in ordered), max))

    def meets(slot: Interval) -> bool:
        before = bisect_left(starts, slot.end)
        return before > 0 and latest[before - 1] > slot.start

    return meets


def _is_covered(slot: Interval, by: Iterable[Interval]) -> bool:
    parts = [part for one in by if (part := slot.overlap(one)) is not None]
    return sum((part.end - part.start for part in parts), timedelta()) == slot.end - slot.start
