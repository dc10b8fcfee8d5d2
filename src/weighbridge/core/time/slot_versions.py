"""A slot is a stretch of time that one version of a model accounts for: a month, a day, an event.

A slot once generated keeps the version that made it. Another version of the same cadence takes over the
slots that were never generated; asked to replace, it takes over whole slots, generated or not.

Invariants: no two versions account for the same instant twice: a slot that overlaps a generated one of
another cadence is passed over; what is replaced is replaced whole; slots come in order of time.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Final

from weighbridge.core.time.cadence import EVENT, EventSlot, Selection
from weighbridge.core.time.instant import Interval

_INSTANT: Final = timedelta(milliseconds=1)
"""Times are whole milliseconds."""


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
    of_other_cadence: tuple[Interval, ...]
    """Slots of the active version that are left to generated slots of another cadence."""
    replaced: tuple[Interval, ...]
    """Generated slots of other bounds that are brought to zero."""
    cut: tuple[Interval, ...]
    """Generated slots that a replacement would cut in two; it must be refused."""
    included: tuple[Interval, ...] = ()
    """Those of the slots that nobody asked for, and that come along."""

    def including(self, others: Sequence[Generated]) -> "Assignment":
        """The same with further generated slots, each computed by its own version."""
        by_version = {number: list(slots) for number, slots in self.slots.items()}
        for one in others:
            by_version.setdefault(one.version.number, []).append(one.slot)
        return replace(
            self,
            slots={number: in_order(by_version[number]) for number in sorted(by_version)},
            included=(*self.included, *(one.slot for one in others)),
        )


def assign(
    active: Version,
    chosen: Selection,
    generated: Sequence[Generated],
    kept: Collection[Interval],
    *,
    is_replacing: bool,
) -> Assignment:
    """Assign slots to versions: `chosen` are the active one's, `kept` the generated ones in the range."""
    if is_replacing:
        return _replace(active, chosen, generated, kept)
    by_version: dict[int, list[Interval]] = {}
    for one in generated:
        if one.slot in kept:
            by_version.setdefault(one.version.number, []).append(one.slot)
    known = {one.slot for one in generated}
    meets = _meeting(slot for slot in known if not _alike(slot, active))
    free = [slot for slot in chosen.selected if slot not in known and not meets(slot)]
    if free:
        by_version.setdefault(active.number, []).extend(free)
    of_other_cadence = {slot for slot in chosen.selected if slot not in known} - set(free)
    return Assignment(
        slots={number: in_order(slots) for number, slots in sorted(by_version.items())},
        touched=chosen.touched,
        of_other_cadence=in_order(of_other_cadence),
        replaced=(),
        cut=(),
    )


def _alike(slot: Interval, active: Version) -> bool:
    """Whether a slot is one of an event beside others of events, which may overlap."""
    return isinstance(slot, EventSlot) and active.cadence == EVENT


def _replace(
    active: Version, chosen: Selection, generated: Sequence[Generated], kept: Collection[Interval]
) -> Assignment:
    selected = set(chosen.selected)
    meets = _meeting(selected)
    others = {one.slot for one in generated if one.slot not in selected and not _alike(one.slot, active)}
    if active.cadence == EVENT:
        # Events leave time between them: what they replace is what the range selects.
        met = {slot for slot in others if slot in kept or meets(slot)}
        cut = met - set(kept)
    else:
        met = {slot for slot in others if meets(slot)}
        cut = {slot for slot in met if not _is_covered(slot, chosen.selected)}
    return Assignment(
        slots={active.number: chosen.selected} if chosen.selected else {},
        touched=chosen.touched,
        of_other_cadence=(),
        replaced=in_order(met - cut),
        cut=in_order(cut),
    )


def in_order(slots: Iterable[Interval]) -> tuple[Interval, ...]:
    """Slots by start and end; those of events also by what they are."""
    return tuple(sorted(slots, key=_rank))


def _rank(slot: Interval) -> tuple[datetime, datetime, int, str]:
    of_event = slot.identity if isinstance(slot, EventSlot) else (0, "")
    return slot.start, slot.end, *of_event


def _meeting(others: Iterable[Interval]) -> Callable[[Interval], bool]:
    """Whether a slot has an instant in common with any of others, found by bisection."""
    ordered = in_order(others)
    starts = [other.start for other in ordered]
    latest: list[datetime] = list(accumulate((_end(other) for other in ordered), max))

    def meets(slot: Interval) -> bool:
        before = bisect_left(starts, _end(slot))
        return before > 0 and latest[before - 1] > slot.start

    return meets


def _end(slot: Interval) -> datetime:
    """Where a slot ends; that of a reading, which has no length, is the instant itself."""
    return slot.end + _INSTANT if slot.is_reading else slot.end


def _is_covered(slot: Interval, by: Iterable[Interval]) -> bool:
    parts = [part for one in by if (part := slot.overlap(one)) is not None]
    return sum((part.end - part.start for part in parts), timedelta()) == slot.end - slot.start
