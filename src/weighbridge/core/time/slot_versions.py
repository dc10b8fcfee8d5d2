"""A slot is a stretch of time that one version of a model accounts for: a month, a day, an event.

A slot is in force while a run of it is made of data, and it keeps the version that computed it. The active
version takes every slot of its own that no slot in force reaches into; asked to replace, it takes over whole
slots, in force or not. A slot that all of its data have left holds no time: the active version takes that,
and only where it cannot, the slot waits with the version that it had.

Invariants: no two versions account for the same instant twice: of slots in force that share time one stays
and the others are brought to zero; a slot that meets one in force of another cadence is passed over, and the
time of it that nobody accounts for is open; what is replaced is replaced whole; slots come in order of time.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Final

from weighbridge.core.time.calendar import EVENT, EventSlot, Interval, Selection

_INSTANT: Final = timedelta(milliseconds=1)
"""Times are whole milliseconds."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a model, by its number, and how it cuts time."""

    number: int
    cadence: str


@dataclass(frozen=True, slots=True)
class Generated:
    """A slot that holds batches, and the version that the newest of them that has data was made by."""

    slot: Interval
    version: Version
    is_in_force: bool = True
    """Whether a run of it is made of data, or a caller said what its data are."""
    is_whole: bool = True
    """Whether it is a slot of its version's cadence."""
    has_moved: bool = False
    """Whether it is a slot of an event whose time was corrected since."""


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
    """Generated slots of other bounds that are brought to zero, or are there already."""
    cut: tuple[Interval, ...]
    """Generated slots that a replacement would cut in two; it must be refused."""
    overlapping: tuple[Interval, ...] = ()
    """Those of the replaced that nobody asked to replace: they share time with others in force."""
    standing: tuple[Interval, ...] = ()
    """Slots in force that are not computed."""
    open_time: tuple[Interval, ...] = ()
    """Time that nobody accounts for, of slots of the active version that others in force reach into."""

    @property
    def computed(self) -> list[Interval]:
        """The slots of all versions."""
        return [slot for slots in self.slots.values() for slot in slots]


@dataclass(frozen=True, slots=True)
class _InForce:
    """The slots in force, of which no two share time, and those that share time with one of them."""

    slots: tuple[Generated, ...]
    overlapping: tuple[Generated, ...]


def assign(
    active: Version,
    chosen: Selection,
    generated: Sequence[Generated],
    kept: Collection[Interval],
    *,
    is_replacing: bool,
    included: Collection[Interval] = (),
) -> Assignment:
    """Assign slots to versions: `chosen` are the active one's, `kept` the generated ones in the range.

    Those `included` come along, each computed by its own version; a replacement leaves them theirs.
    """
    if is_replacing:
        return _replace(active, chosen, generated, kept, included)
    kept = {*kept, *included}
    in_force = _select_in_force(active, generated)
    known = {one.slot for one in in_force.slots}
    moved = [one for one in generated if one.is_in_force and one.has_moved]
    passed_over = set(chosen.selected) - known - {one.slot for one in moved}
    meets = _build_overlap_test(known)
    free = [slot for slot in chosen.selected if slot in passed_over and not meets(slot)]
    taken = _build_overlap_test([*known, *free])
    staying = [one for one in moved if not taken(one.slot)]
    known.update(one.slot for one in staying)
    waiting = _list_waiting(generated, kept, [*known, *free])
    by_version: dict[int, list[Interval]] = {active.number: free} if free else {}
    for one in (*in_force.slots, *staying, *waiting):
        if one.slot in kept or _is_vacating(active, one):
            by_version.setdefault(one.version.number, []).append(one.slot)
    slots = {number: order_slots(slots) for number, slots in sorted(by_version.items())}
    computed = {slot for of_version in slots.values() for slot in of_version}
    standing = order_slots(known - computed)
    overlapping = {*(one.slot for one in in_force.overlapping), *(one.slot for one in moved)} - known
    return Assignment(
        slots=slots,
        touched=chosen.touched,
        of_other_cadence=order_slots(passed_over - set(free)),
        replaced=order_slots(overlapping | _list_replaced_empty(generated, computed)),
        cut=(),
        overlapping=order_slots(overlapping),
        standing=standing,
        open_time=_open_time(active, [*passed_over, *chosen.touched], [*computed, *standing]),
    )


def _replace(
    active: Version,
    chosen: Selection,
    generated: Sequence[Generated],
    kept: Collection[Interval],
    included: Collection[Interval],
) -> Assignment:
    selected = set(chosen.selected)
    meets = _build_overlap_test(selected)
    met = {one.slot: one for one in generated if one.slot not in selected and meets(one.slot)}
    if active.cadence == EVENT:
        # Events leave time between them: what they replace is what the range selects.
        met |= {one.slot: one for one in generated if one.slot in kept and one.slot not in selected}
    met |= {one.slot: one for one in generated if one.slot in included and not one.is_whole}
    cut = {slot for slot, one in met.items() if _is_cut(active, one, chosen.selected, kept)}
    by_version = {active.number: [*chosen.selected]} if chosen.selected else {}
    for one in generated:
        is_included = one.slot in included or (one.is_in_force and _is_vacating(active, one))
        if is_included and one.slot not in selected and one.slot not in met:
            by_version.setdefault(one.version.number, []).append(one.slot)
    slots = {number: order_slots(slots) for number, slots in sorted(by_version.items())}
    computed = {slot for of_version in slots.values() for slot in of_version}
    standing = {one.slot for one in generated if one.is_in_force} - computed - met.keys()
    return Assignment(
        slots=slots,
        touched=chosen.touched,
        of_other_cadence=(),
        replaced=order_slots(met.keys() - cut),
        cut=order_slots(cut),
        standing=order_slots(standing),
        open_time=_open_time(active, chosen.touched, [*computed, *standing]),
    )


def _is_vacating(active: Version, slot: Generated) -> bool:
    """Whether it is computed anew where its event is now, so that nothing holds the time that it left."""
    return slot.has_moved and active.cadence != EVENT


def _is_cut(
    active: Version, slot: Generated, selected: Sequence[Interval], kept: Collection[Interval]
) -> bool:
    """Whether a replacement takes only a part of a slot that is in force."""
    if not slot.is_in_force or not slot.is_whole:
        return False
    return slot.slot not in kept if active.cadence == EVENT else not _is_covered(slot.slot, selected)


def _select_in_force(active: Version, generated: Iterable[Generated]) -> _InForce:
    """Which slots stay in force: those of the active version first, and then of the newest.

    An event that has moved holds the time where it was, and gives way where it is now.
    """
    candidates = [one for one in generated if one.is_in_force and not one.has_moved]
    by_version: dict[Version, list[Generated]] = {}
    for candidate in candidates:
        by_version.setdefault(candidate.version, []).append(candidate)
    kept: list[Generated] = []
    for version in sorted(by_version, key=lambda one: (one != active, -one.number)):
        meets = _build_overlap_test([one.slot for one in kept])
        kept += [one for one in by_version[version] if one.is_whole and not meets(one.slot)]
    staying = set(kept)
    return _InForce(tuple(kept), tuple(candidate for candidate in candidates if candidate not in staying))


def _list_waiting(
    generated: Sequence[Generated], kept: Collection[Interval], taken: Sequence[Interval]
) -> list[Generated]:
    """Slots that their data have left where nobody else accounts for their time."""
    waiting: list[Generated] = []
    emptied = [one for one in generated if one.is_whole and not one.is_in_force and one.slot in kept]
    for number in sorted({one.version.number for one in emptied}, reverse=True):
        others = [*taken, *(one.slot for one in waiting)]
        meets, known = _build_overlap_test(others), set(others)
        waiting += [
            one
            for one in emptied
            if one.version.number == number and one.slot not in known and not meets(one.slot)
        ]
    return waiting


def _list_replaced_empty(generated: Iterable[Generated], computed: Collection[Interval]) -> set[Interval]:
    """Slots that their data have left and whose time others compute."""
    meets = _build_overlap_test(computed)
    return {
        one.slot for one in generated if not one.is_in_force and one.slot not in computed and meets(one.slot)
    }


def _open_time(
    active: Version, passed_over: Iterable[Interval], taken: Sequence[Interval]
) -> tuple[Interval, ...]:
    """The time of slots that others in force reach into, without what those and others account for.

    Slots of events leave time between them, which is none of theirs.
    """
    if active.cadence == EVENT:
        return ()
    meets, ordered = _build_overlap_test(taken), order_slots(taken)
    starts = [one.start for one in ordered]
    latest: list[datetime] = list(accumulate((one.end for one in ordered), max))
    parts: list[Interval] = []
    for slot in order_slots(set(passed_over)):
        if meets(slot):
            near = ordered[bisect_right(latest, slot.start) : bisect_left(starts, slot.end)]
            parts += _subtract_slots(slot, near)
    return tuple(parts)


def _subtract_slots(slot: Interval, taken: Iterable[Interval]) -> Iterator[Interval]:
    """The parts of a slot that none of others has, which come in order."""
    start = slot.start
    for one in taken:
        if one.end <= start:
            continue
        if one.start > start:
            yield Interval(start, one.start)
        start = max(start, one.end)
    if start < slot.end:
        yield Interval(start, slot.end)


def order_slots(slots: Iterable[Interval]) -> tuple[Interval, ...]:
    """Slots by start and end; those of events also by what they are."""
    return tuple(sorted(slots, key=_rank_slot))


def _rank_slot(slot: Interval) -> tuple[datetime, datetime, int, str]:
    of_event = slot.identity if isinstance(slot, EventSlot) else (0, "")
    return slot.start, slot.end, *of_event


def _find_kind(slot: Interval) -> str | None:
    """What kind of events a slot is of; None of one that a clock cuts. Slots of one kind may share time."""
    if not isinstance(slot, EventSlot):
        return None
    return "event" if slot.event else "tracking_id"


def _build_overlap_test(others: Iterable[Interval]) -> Callable[[Interval], bool]:
    """Whether a slot shares an instant with any of others that may not, found by bisection."""
    by_kind: dict[str | None, list[Interval]] = {}
    for other in others:
        by_kind.setdefault(_find_kind(other), []).append(other)
    meets_kind = {kind: _build_any_overlap_test(slots) for kind, slots in by_kind.items()}

    def meets(slot: Interval) -> bool:
        own = _find_kind(slot)
        return any(meet(slot) for kind, meet in meets_kind.items() if kind is None or kind != own)

    return meets


def _build_any_overlap_test(others: Iterable[Interval]) -> Callable[[Interval], bool]:
    ordered = order_slots(others)
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
