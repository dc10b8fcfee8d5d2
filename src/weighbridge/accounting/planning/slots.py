"""Which version of a model computes which slots of a requested range, by what was generated before."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from weighbridge.accounting.inputs.event_slots import event_slots
from weighbridge.accounting.planning.generated import BooksOfModel, GeneratedSlots
from weighbridge.core.problem import Problem
from weighbridge.core.time.cadence import (
    BEYOND_CALENDAR,
    EVENT,
    SLOTS_MAX,
    EventSlot,
    Selection,
    identity_of,
    is_selected,
    label,
    select,
    slot_at,
)
from weighbridge.core.time.instant import Interval
from weighbridge.core.time.slot_versions import Assignment, Generated, Version, assign
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid

SLOTS_NAMED_MAX: Final = 10
"""Slots that a refusal names."""


@dataclass(frozen=True, slots=True)
class RequestedRange:
    """The range of a request, and whether the active version is to replace what others made."""

    range: Interval
    is_replacing: bool
    asked: Interval | None = None
    """The range that was asked for, where it had to be widened; what it does not select comes along."""


@dataclass(frozen=True, slots=True)
class AssignedSlots:
    """Which version computes which slots of a request, and what comes along with it."""

    assignment: Assignment
    included: frozenset[Interval] = frozenset()
    """Those of the slots that the request does not name."""
    ledgers: frozenset[int] = frozenset()
    """The ledgers on which slots are made of data that are replaced; they are generated too."""


_Assign = Callable[[GeneratedSlots, Collection[Interval]], Assignment]
"""Assigns slots, with so many included."""


async def assign_slots(
    tx: Read, books: BooksOfModel, active: Version, request: RequestedRange
) -> AssignedSlots:
    """Assign the slots of a range; raise Invalid when it selects none, too many, or would cut one in two."""
    try:
        selection = await _selection(tx, books, request.range)
        every = (*selection.selected, *selection.touched, request.range)
        hull = Interval(min(slot.start for slot in every), max(slot.end for slot in every))
        generated = await books.generated(tx, hull, selection)
        in_range = await tx.in_thread(_selected_of, generated, books, request.range)
        if (
            (whole := _whole(in_range, request.range)) != request.range
            and books.model.cadence == EVENT
            and request.is_replacing
        ):
            return await assign_slots(tx, books, active, replace(request, range=whole))
        assigned, generated = await _with_what_moved(
            tx,
            books,
            generated,
            in_range.union(selection.selected),
            lambda known, included: assign(
                active, selection, known.slots, in_range, is_replacing=request.is_replacing, included=included
            ),
        )
        wider = _with_overlapping(books, assigned.assignment, request.range)
        if wider != request.range:
            asked = request.asked or request.range
            return await assign_slots(tx, books, active, replace(request, range=wider, asked=asked))
    except ValueError as error:
        raise Invalid([Problem(f"Too long: {error}.", "end_time", "too_long")]) from None
    except OverflowError:
        raise Invalid([Problem(BEYOND_CALENDAR, "start_time", "invalid")]) from None
    if problems := _problems(assigned.assignment, active, generated.slots, books):
        raise Invalid(problems)
    return assigned if request.asked is None else _coming_along(assigned, request.asked)


async def assign_generated(
    tx: Read, books: BooksOfModel, active: Version, slots: Sequence[Interval]
) -> AssignedSlots:
    """Assign generated slots, each to the version that it stands at; those that others replaced are left out.

    Raises Invalid when all of them were replaced.
    """
    named = {identity_of(slot) for slot in slots}
    of_events = tuple(slot for slot in slots if isinstance(slot, EventSlot))
    hull = Interval(min(slot.start for slot in slots), max(slot.end for slot in slots))
    generated = await books.generated(tx, hull, Selection(of_events, ()))
    kept = {one.slot for one in generated.slots if identity_of(one.slot) in named}
    emptied = [one.slot for one in generated.slots if one.slot in kept and not one.is_in_force]
    own = Selection(tuple(slot for slot in emptied if _is_cut_by(active.cadence, slot, books)), ())
    assigned, _ = await _with_what_moved(
        tx,
        books,
        generated,
        kept,
        lambda known, included: assign(active, own, known.slots, kept, is_replacing=False, included=included),
    )
    if kept.isdisjoint(assigned.assignment.computed):
        message = "The batch's slot was replaced by others; nothing is computed for it any more."
        raise Invalid([Problem(message, "batch_id", "replaced")])
    return replace(assigned, assignment=replace(assigned.assignment, of_other_cadence=(), open_time=()))


def _is_cut_by(cadence: str, slot: Interval, books: BooksOfModel) -> bool:
    """Whether a slot is one of a cadence."""
    if cadence == EVENT or isinstance(slot, EventSlot):
        return cadence == EVENT and isinstance(slot, EventSlot)
    return slot_at(cadence, slot.start, books.zone) == slot


async def _with_what_moved(
    tx: Read,
    books: BooksOfModel,
    generated: GeneratedSlots,
    requested: Collection[Interval],
    assign_with: _Assign,
) -> tuple[AssignedSlots, GeneratedSlots]:
    """Assign slots with every slot whose runs hold data that the assigned ones use."""
    included: set[Interval] = set()
    while True:
        assignment = await tx.in_thread(assign_with, generated, included)
        moved = await books.that_hold_data_of(tx, assignment)
        known = {identity_of(one.slot) for one in moved.slots}
        generated = generated.plus(moved)
        further = {one.slot for one in generated.slots if identity_of(one.slot) in known} - included
        if not further:
            coming = frozenset(assignment.computed).difference(requested)
            ledgers = generated.ledgers_of(assignment.replaced)
            return AssignedSlots(assignment, coming, ledgers), generated
        included |= further


def _with_overlapping(books: BooksOfModel, assignment: Assignment, requested: Interval) -> Interval:
    """The range with all of the time of slots that overlap others in force, which has to be accounted for."""
    spans = [slot for slot in assignment.overlapping if not isinstance(slot, EventSlot)]
    others = [
        slot for slot in (*assignment.computed, *assignment.standing) if not isinstance(slot, EventSlot)
    ]
    spans += [slot for slot in others if any(slot.touches(span) for span in spans)] if spans else []
    if books.model.cadence != EVENT:
        cuts = [select(books.model.cadence, slot, books.zone) for slot in spans]
        spans += [slot for cut in cuts for slot in (*cut.selected, *cut.touched)]
    every = [requested, *spans]
    return Interval(min(one.start for one in every), max(one.end for one in every))


def _coming_along(assigned: AssignedSlots, asked: Interval) -> AssignedSlots:
    """The same where the range was widened: what the request does not select comes along."""
    computed = assigned.assignment.computed
    further = frozenset(slot for slot in computed if not is_selected(slot, asked))
    return replace(assigned, included=assigned.included | further)


async def _selection(tx: Read, books: BooksOfModel, requested: Interval) -> Selection:
    """The slots of the active version that the range selects or touches."""
    if books.model.cadence != EVENT:
        return await tx.in_thread(select, books.model.cadence, requested, books.zone)
    slots = await event_slots(tx, books.key[0], books.model, requested)
    if len(slots) > SLOTS_MAX:
        raise ValueError(f"the range has {len(slots):,} slots of events, and {SLOTS_MAX:,} are allowed")
    return Selection(
        tuple(slot for slot in slots if is_selected(slot, requested)),
        tuple(slot for slot in slots if not is_selected(slot, requested)),
    )


def _selected_of(generated: GeneratedSlots, books: BooksOfModel, requested: Interval) -> set[Interval]:
    """The generated slots that the range selects, each by the cadence that it was cut by."""
    cadences = {one.version.cadence for one in generated.slots} - {EVENT}
    selected = {slot for cadence in cadences for slot in select(cadence, requested, books.zone).selected}
    return {
        one.slot
        for one in generated.slots
        if one.slot in selected or (isinstance(one.slot, EventSlot) and is_selected(one.slot, requested))
    }


def _whole(in_range: Collection[Interval], requested: Interval) -> Interval:
    """The range with all of the slots that it selects: to replace them whole takes all of their events."""
    every = [requested, *(slot for slot in in_range if not isinstance(slot, EventSlot))]
    return Interval(min(one.start for one in every), max(one.end for one in every))


def _problems(
    assignment: Assignment, active: Version, generated: Sequence[Generated], books: BooksOfModel
) -> list[Problem]:
    zone = books.zone
    cadences = {one.slot: one.version.cadence for one in generated}
    cut = [
        Problem(
            f"The range would replace a part of the slot {label(cadences[slot], slot, zone)}, which is"
            f" {cadences[slot]}; ask for a range that holds all of it.",
            "start_time",
            "cut_slot",
        )
        for slot in assignment.cut
    ]
    if cut or assignment.slots:
        return cut
    if assignment.of_other_cadence:
        names = ", ".join(
            label(active.cadence, slot, zone) for slot in assignment.of_other_cadence[:SLOTS_NAMED_MAX]
        )
        message = (
            f"Batches of another cadence stand in every slot of the range ({names}); select the whole slots"
            " that they belong to, or ask for model_version latest to replace them."
        )
        return [Problem(message, "start_time", "passed_over")]
    message = f"The range selects no {active.cadence} slot: less than half of each slot lies in it."
    if active.cadence == EVENT:
        message = "The range selects no slot: no event that makes one lies in it with at least half."
    return [Problem(message, "start_time", "no_slot")]
