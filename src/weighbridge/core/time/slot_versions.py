"""A slot is a stretch of time that one version of a model accounts for: a month, a day, an event.

A slot is in force while a run of it is made of data, and it keeps the version that computed it. The active
version takes every slot of its own that no slot in force reaches into; asked to replace, it takes over whole
slots, in force or not. A slot that all of its data have left holds no time: the active version takes that,
and only where it cannot, the slot waits with the version that it had.

Invariants: no two versions account for the same instant twice: of slots in force that share time one stays
and the others are brought to zero; a slot that meets one in force of another cadence is passed over, and the
time of it without a batch is open; what is replaced is replaced whole; slots come in order of time.
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
class GeneratedSlot:
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
    """By the number of the version; no slot occurs twice."""
    touched: tuple[Interval, ...]
    """Slots that the range touches without selecting them."""
    of_other_cadence: tuple[Interval, ...]
    """Slots of the active version that are left to generated slots of another cadence."""
    replaced: tuple[Interval, ...]
    """Generated slots of other bounds that are brought to zero, or are there already."""
    cut: tuple[Interval, ...]
    """Generated slots that a replacement would cut in two; it must be refused."""
    overlapping: tuple[Interval, ...] = ()
    """Replaced slots outside the request: they share time with others in force."""
    standing: tuple[Interval, ...] = ()
    """Slots in force that are not computed."""
    open_time: tuple[Interval, ...] = ()
    """Time without a batch, of slots of the active version that others in force overlap."""

    @property
    def computed(self) -> list[Interval]:
        """The slots of all versions."""
        return [slot for slots in self.slots.values() for slot in slots]


@dataclass(frozen=True, slots=True)
class _InForce:
    """The slots in force, of which no two share time, and those that share time with one of them."""

    slots: tuple[GeneratedSlot, ...]
    overlapping: tuple[GeneratedSlot, ...]


def assign(
    active: Version,
    selection: Selection,
    generated_slots: Sequence[GeneratedSlot],
    kept_slots: Collection[Interval],
    *,
    is_replacing: bool,
    included: Collection[Interval] = (),
) -> Assignment:
    """Assign slots to versions: the active version gets the selection, older slots keep their own version.

    `kept_slots` are the generated slots in the range. Slots in `included` are added, each computed by its own
    version; a replacement leaves them to it.
    """
    if is_replacing:
        return _replace(active, selection, generated_slots, kept_slots, included)
    kept_slots = {*kept_slots, *included}
    in_force = _select_in_force(active, generated_slots)
    slots_in_force = {slot.slot for slot in in_force.slots}
    moved_slots = [slot for slot in generated_slots if slot.is_in_force and slot.has_moved]
    passed_over = set(selection.selected) - slots_in_force - {slot.slot for slot in moved_slots}
    meets = _build_overlap_test(slots_in_force)
    free = [slot for slot in selection.selected if slot in passed_over and not meets(slot)]
    meets_taken = _build_overlap_test([*slots_in_force, *free])
    staying_slots = [slot for slot in moved_slots if not meets_taken(slot.slot)]
    slots_in_force.update(slot.slot for slot in staying_slots)
    waiting_slots = _list_waiting(generated_slots, kept_slots, [*slots_in_force, *free])
    by_version: dict[int, list[Interval]] = {active.number: free} if free else {}
    for slot in (*in_force.slots, *staying_slots, *waiting_slots):
        if slot.slot in kept_slots or _is_vacating(active, slot):
            by_version.setdefault(slot.version.number, []).append(slot.slot)
    slots = {number: order_slots(slots) for number, slots in sorted(by_version.items())}
    computed_slots = {slot for of_version in slots.values() for slot in of_version}
    standing_slots = order_slots(slots_in_force - computed_slots)
    overlapping = {
        *(overlapped.slot for overlapped in in_force.overlapping),
        *(slot.slot for slot in moved_slots),
    } - slots_in_force
    return Assignment(
        slots=slots,
        touched=selection.touched,
        of_other_cadence=order_slots(passed_over - set(free)),
        replaced=order_slots(overlapping | _list_replaced_empty(generated_slots, computed_slots)),
        cut=(),
        overlapping=order_slots(overlapping),
        standing=standing_slots,
        open_time=_open_time(active, [*passed_over, *selection.touched], [*computed_slots, *standing_slots]),
    )


def _replace(
    active: Version,
    selection: Selection,
    generated_slots: Sequence[GeneratedSlot],
    kept_slots: Collection[Interval],
    included: Collection[Interval],
) -> Assignment:
    selected = set(selection.selected)
    meets = _build_overlap_test(selected)
    met = {slot.slot: slot for slot in generated_slots if slot.slot not in selected and meets(slot.slot)}
    if active.cadence == EVENT:
        # Events leave time between them: what they replace is what the range selects.
        met |= {
            slot.slot: slot
            for slot in generated_slots
            if slot.slot in kept_slots and slot.slot not in selected
        }
    met |= {slot.slot: slot for slot in generated_slots if slot.slot in included and not slot.is_whole}
    cut = {
        slot for slot, generated in met.items() if _is_cut(active, generated, selection.selected, kept_slots)
    }
    by_version = {active.number: [*selection.selected]} if selection.selected else {}
    for slot in generated_slots:
        is_included = slot.slot in included or (slot.is_in_force and _is_vacating(active, slot))
        if is_included and slot.slot not in selected and slot.slot not in met:
            by_version.setdefault(slot.version.number, []).append(slot.slot)
    slots = {number: order_slots(slots) for number, slots in sorted(by_version.items())}
    computed_slots = {slot for of_version in slots.values() for slot in of_version}
    standing_slots = {slot.slot for slot in generated_slots if slot.is_in_force} - computed_slots - met.keys()
    return Assignment(
        slots=slots,
        touched=selection.touched,
        of_other_cadence=(),
        replaced=order_slots(met.keys() - cut),
        cut=order_slots(cut),
        standing=order_slots(standing_slots),
        open_time=_open_time(active, selection.touched, [*computed_slots, *standing_slots]),
    )


def _is_vacating(active: Version, slot: GeneratedSlot) -> bool:
    """Whether it is computed anew where its event is now, so that nothing holds the time that it left."""
    return slot.has_moved and active.cadence != EVENT


def _is_cut(
    active: Version, slot: GeneratedSlot, selected: Sequence[Interval], kept_slots: Collection[Interval]
) -> bool:
    """Whether a replacement takes only a part of a slot that is in force."""
    if not slot.is_in_force or not slot.is_whole:
        return False
    return slot.slot not in kept_slots if active.cadence == EVENT else not _is_covered(slot.slot, selected)


def _select_in_force(active: Version, generated_slots: Iterable[GeneratedSlot]) -> _InForce:
    """Which slots stay in force: those of the active version first, and then of the newest.

    An event that has moved holds the time where it was, and gives way where it is now.
    """
    candidates = [slot for slot in generated_slots if slot.is_in_force and not slot.has_moved]
    by_version: dict[Version, list[GeneratedSlot]] = {}
    for candidate in candidates:
        by_version.setdefault(candidate.version, []).append(candidate)
    kept_slots: list[GeneratedSlot] = []
    for version in sorted(by_version, key=lambda version: (version != active, -version.number)):
        meets = _build_overlap_test([slot.slot for slot in kept_slots])
        kept_slots += [slot for slot in by_version[version] if slot.is_whole and not meets(slot.slot)]
    staying_slots = set(kept_slots)
    return _InForce(
        tuple(kept_slots), tuple(candidate for candidate in candidates if candidate not in staying_slots)
    )


def _list_waiting(
    generated_slots: Sequence[GeneratedSlot],
    kept_slots: Collection[Interval],
    taken_slots: Sequence[Interval],
) -> list[GeneratedSlot]:
    """List slots that their data have left, if no other slot covers their time."""
    waiting_slots: list[GeneratedSlot] = []
    emptied_slots = [
        slot for slot in generated_slots if slot.is_whole and not slot.is_in_force and slot.slot in kept_slots
    ]
    for number in sorted({slot.version.number for slot in emptied_slots}, reverse=True):
        others = [*taken_slots, *(slot.slot for slot in waiting_slots)]
        meets, other_slots = _build_overlap_test(others), set(others)
        waiting_slots += [
            slot
            for slot in emptied_slots
            if slot.version.number == number and slot.slot not in other_slots and not meets(slot.slot)
        ]
    return waiting_slots


def _list_replaced_empty(
    generated_slots: Iterable[GeneratedSlot], computed_slots: Collection[Interval]
) -> set[Interval]:
    """Slots that their data have left and whose time others compute."""
    meets = _build_overlap_test(computed_slots)
    return {
        slot.slot
        for slot in generated_slots
        if not slot.is_in_force and slot.slot not in computed_slots and meets(slot.slot)
    }


def _open_time(
    active: Version, passed_over: Iterable[Interval], taken_slots: Sequence[Interval]
) -> tuple[Interval, ...]:
    """The time of slots that others in force reach into, without what those and others account for.

    Slots of events leave time between them, which is none of theirs.
    """
    if active.cadence == EVENT:
        return ()
    meets, sorted_slots = _build_overlap_test(taken_slots), order_slots(taken_slots)
    starts = [slot.start for slot in sorted_slots]
    latest: list[datetime] = list(accumulate((slot.end for slot in sorted_slots), max))
    parts: list[Interval] = []
    for slot in order_slots(set(passed_over)):
        if meets(slot):
            near_slots = sorted_slots[bisect_right(latest, slot.start) : bisect_left(starts, slot.end)]
            parts += _subtract_slots(slot, near_slots)
    return tuple(parts)


def _subtract_slots(slot: Interval, taken_slots: Iterable[Interval]) -> Iterator[Interval]:
    """The parts of a slot that none of others has, which come in order."""
    start = slot.start
    for taken_slot in taken_slots:
        if taken_slot.end <= start:
            continue
        if taken_slot.start > start:
            yield Interval(start, taken_slot.start)
        start = max(start, taken_slot.end)
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
        own_kind = _find_kind(slot)
        return any(meet(slot) for kind, meet in meets_kind.items() if kind is None or kind != own_kind)

    return meets


def _build_any_overlap_test(others: Iterable[Interval]) -> Callable[[Interval], bool]:
    sorted_slots = order_slots(others)
    starts = [other.start for other in sorted_slots]
    latest: list[datetime] = list(accumulate((_end(other) for other in sorted_slots), max))

    def meets(slot: Interval) -> bool:
        before = bisect_left(starts, _end(slot))
        return before > 0 and latest[before - 1] > slot.start

    return meets


def _end(slot: Interval) -> datetime:
    """Where a slot ends; that of a reading, which has no length, is the instant itself."""
    return slot.end + _INSTANT if slot.is_reading else slot.end


def _is_covered(slot: Interval, covering_slots: Iterable[Interval]) -> bool:
    parts = [part for covering_slot in covering_slots if (part := slot.overlap(covering_slot)) is not None]
    return sum((part.end - part.start for part in parts), timedelta()) == slot.end - slot.start
