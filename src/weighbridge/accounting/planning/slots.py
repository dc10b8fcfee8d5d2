"""Which version of a model computes which slots of a requested range, by what was generated before."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from zoneinfo import ZoneInfo

from weighbridge.accounting.books.runs import SLOT_COLUMNS, SlotRow
from weighbridge.accounting.inputs.event_slots import event_slots
from weighbridge.core.identity import ids
from weighbridge.core.model import Model
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
from weighbridge.core.time.slot_versions import Assignment, Generated, Version, assign, in_order
from weighbridge.db.engine import Read
from weighbridge.db.literal import moments
from weighbridge.errors import Invalid
from weighbridge.platform.changes.newest_batch import IS_NEWEST

SLOTS_NAMED_MAX: Final = 10
"""Slots that a refusal names."""


@dataclass(frozen=True, slots=True)
class RequestedRange:
    """The range of a request, and whether the active version is to replace what others made."""

    range: Interval
    zone: ZoneInfo
    is_replacing: bool


FamilyKey = tuple[int, int]
"""A project and a model family."""


class _GeneratedSlot(SlotRow, frozen=True):
    model: int
    cadence: str
    newest_batch: int


async def assign_slots(
    tx: Read, key: FamilyKey, active: Version, model: Model, request: RequestedRange
) -> Assignment:
    """Assign the slots of a range; raise Invalid when it selects none, too many, or would cut one in two."""
    try:
        selection = await _selection(tx, key, model, request)
        every = (*selection.selected, *selection.touched, request.range)
        hull = Interval(min(slot.start for slot in every), max(slot.end for slot in every))
        generated = await _generated(tx, key, model, hull, selection)
        in_range = await tx.in_thread(_selected_of, generated, request)
        if (
            (whole := _whole(in_range, request)) != request.range
            and model.cadence == EVENT
            and request.is_replacing
        ):
            return await assign_slots(tx, key, active, model, replace(request, range=whole))
    except ValueError as error:
        raise Invalid([Problem(f"Too long: {error}.", "end_time", "too_long")]) from None
    except OverflowError:
        raise Invalid([Problem(BEYOND_CALENDAR, "start_time", "invalid")]) from None
    assignment = await tx.in_thread(
        lambda: assign(active, selection, generated, in_range, is_replacing=request.is_replacing)
    )
    if problems := _problems(assignment, active, generated, request.zone):
        raise Invalid(problems)
    return await _with_what_moved(tx, key, model, assignment)


async def assign_generated(
    tx: Read, key: FamilyKey, active: Model, slots: Sequence[Interval], zone: ZoneInfo
) -> Assignment:
    """Assign generated slots, each to the version that it stands at; those that others replaced are left out.

    Raises Invalid when all of them were replaced.
    """
    now = await _where_slots_are(tx, key, active, slots)
    hull = Interval(min(slot.start for slot in slots), max(slot.end for slot in slots))
    generated = await _generated(tx, key, active, hull, Selection(tuple(now), ()))
    by_version: dict[int, list[Interval]] = {}
    for one in generated:
        if one.slot in now and _is_cut_by(one.version.cadence, one.slot, zone):
            by_version.setdefault(one.version.number, []).append(one.slot)
    if not by_version:
        message = "The batch's slot was replaced by others; nothing is computed for it any more."
        raise Invalid([Problem(message, "batch_id", "replaced")])
    slots_of_versions = {number: in_order(by_version[number]) for number in sorted(by_version)}
    return await _with_what_moved(tx, key, active, Assignment(slots_of_versions, (), (), (), ()))


async def _where_slots_are(
    tx: Read, key: FamilyKey, active: Model, slots: Sequence[Interval]
) -> set[Interval]:
    """The slots, those of events where their events are now."""
    of_events = {slot.identity: slot for slot in slots if isinstance(slot, EventSlot)}
    if of_events and active.cadence == EVENT:
        nothing = Interval(slots[0].start, slots[0].start)
        now = await event_slots(tx, key[0], active, nothing, of_events.keys())
        of_events |= {slot.identity: slot for slot in now if slot.identity in of_events}
    return {of_events[slot.identity] if isinstance(slot, EventSlot) else slot for slot in slots}


def _is_cut_by(cadence: str, slot: Interval, zone: ZoneInfo) -> bool:
    """Whether a slot is one of a cadence."""
    if cadence == EVENT or isinstance(slot, EventSlot):
        return cadence == EVENT and isinstance(slot, EventSlot)
    return slot_at(cadence, slot.start, zone) == slot


async def _with_what_moved(tx: Read, key: FamilyKey, active: Model, assignment: Assignment) -> Assignment:
    """The same with every slot whose runs hold data that it uses."""
    while moved := await _that_hold_data_of(tx, key, active, assignment):
        assignment = assignment.including(moved)
    return assignment


async def _selection(tx: Read, key: FamilyKey, model: Model, request: RequestedRange) -> Selection:
    """The slots of the active version that the range selects or touches."""
    if model.cadence != EVENT:
        return await tx.in_thread(select, model.cadence, request.range, request.zone)
    slots = await event_slots(tx, key[0], model, request.range)
    if len(slots) > SLOTS_MAX:
        raise ValueError(f"the range has {len(slots):,} slots of events, and {SLOTS_MAX:,} are allowed")
    return Selection(
        tuple(slot for slot in slots if is_selected(slot, request.range)),
        tuple(slot for slot in slots if not is_selected(slot, request.range)),
    )


def _selected_of(generated: Sequence[Generated], request: RequestedRange) -> set[Interval]:
    """The generated slots that the range selects, each by the cadence that it was cut by."""
    cadences = {one.version.cadence for one in generated} - {EVENT}
    selected = {
        slot for cadence in cadences for slot in select(cadence, request.range, request.zone).selected
    }
    return {
        one.slot
        for one in generated
        if one.slot in selected or (isinstance(one.slot, EventSlot) and is_selected(one.slot, request.range))
    }


def _whole(in_range: Collection[Interval], request: RequestedRange) -> Interval:
    """The range with all of the slots that it selects: to replace them whole takes all of their events."""
    every = [request.range, *(slot for slot in in_range if not isinstance(slot, EventSlot))]
    return Interval(min(one.start for one in every), max(one.end for one in every))


async def _generated(
    tx: Read, key: FamilyKey, model: Model, hull: Interval, selection: Selection
) -> list[Generated]:
    """The slots with batches that meet a range, or are selected wherever they were.

    The newest batch says which version a slot stands at. A slot of an event is where its event is now.
    """
    now = {
        slot.identity: slot for slot in selection.selected + selection.touched if isinstance(slot, EventSlot)
    }
    rows = await tx.rows(
        _GeneratedSlot,
        _GENERATED,
        {
            "project": key[0],
            "family": key[1],
            "start": hull.start,
            "end": hull.end,
            "events": [event for event, _ in now if event],
            "tracking_ids": [tracking_id for _, tracking_id in now if tracking_id],
        },
    )
    return await _where_they_are(tx, key, model, rows, now)


async def _where_they_are(
    tx: Read,
    key: FamilyKey,
    model: Model,
    rows: Sequence[_GeneratedSlot],
    known: Mapping[tuple[int, str], EventSlot],
) -> list[Generated]:
    """Generated slots, each once, those of events where their events are now.

    The runs of such a slot were posted at different times of it, and the newest batch of them all says which
    version it stands at.
    """
    ordered = sorted(rows, key=lambda row: row.newest_batch)
    by_identity = {identity_of(one.slot): one for one in (_generated_slot(key[0], row) for row in ordered)}
    slots = [one.slot for one in by_identity.values() if isinstance(one.slot, EventSlot)]
    elsewhere = {slot.identity for slot in slots} - known.keys()
    now = dict(known)
    if elsewhere and model.cadence == EVENT:
        nothing = Interval(slots[0].start, slots[0].start)
        moved = await event_slots(tx, key[0], model, nothing, elsewhere)
        now |= {slot.identity: slot for slot in moved if slot.identity in elsewhere}
    return [
        replace(one, slot=now.get(one.slot.identity, one.slot)) if isinstance(one.slot, EventSlot) else one
        for one in by_identity.values()
    ]


def _generated_slot(project: int, row: _GeneratedSlot) -> Generated:
    slot = row.slot
    if isinstance(slot, EventSlot):
        slot = replace(slot, name=slot.tracking_id or ids.of("event", project, slot.event))
    return Generated(slot, Version(row.model, row.cadence))


_GENERATED: Final = (
    """
    SELECT DISTINCT ON ("""
    + SLOT_COLUMNS
    + """) """
    + SLOT_COLUMNS
    + """, m.id, m.cadence, b.id
      FROM runs r
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
      JOIN models m ON m.id = b.model_id
     WHERE r.project_id = %(project)s AND r.family_id = %(family)s
       AND (r.start_time < %(end)s AND (r.end_time > %(start)s OR r.start_time = r.end_time
                                        AND r.start_time >= %(start)s)
            OR r.by_event AND (r.event_id = ANY (%(events)s::bigint[])
                               OR r.event_id IS NULL AND r.tracking_id = ANY (%(tracking_ids)s::text[])))
     ORDER BY """
    + SLOT_COLUMNS
    + """, b.id DESC
"""
)

# A run holds what its newest batch on a ledger was made of.
_HOLDING: Final = (
    """
    WITH assigned AS (
        SELECT * FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[])
                      AS slot (start_time, end_time)
    ), moved AS (
        SELECT DISTINCT e.id FROM corrections c
          JOIN events e ON (e.project_id, e.id) = (c.project_id, c.event_id)
          JOIN assigned ON (e.start_time < assigned.end_time OR e.start_time = assigned.start_time)
           AND e.end_time >= assigned.start_time
         WHERE c.project_id = %(project)s AND c.field IN ('start_time', 'end_time', 'tracking_id')
    )
    SELECT DISTINCT ON ("""
    + SLOT_COLUMNS
    + """) """
    + SLOT_COLUMNS
    + """, m.id, m.cadence, b.id
      FROM moved
      JOIN batch_inputs i ON i.project_id = %(project)s
       AND int8range(i.first_event, i.last_event, '[]') @> moved.id AND moved.id = ANY (i.event_ids)
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id) AND """
    + IS_NEWEST
    + """
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id) AND r.family_id = %(family)s
      JOIN models m ON m.id = b.model_id
     WHERE r.by_event
        OR NOT EXISTS (SELECT FROM assigned
                        WHERE (assigned.start_time, assigned.end_time) = (r.start_time, r.end_time))
     ORDER BY """
    + SLOT_COLUMNS
    + """, b.id DESC
"""
)


async def _that_hold_data_of(
    tx: Read, key: FamilyKey, active: Model, assignment: Assignment
) -> list[Generated]:
    """Further slots whose runs hold events that were moved into the assigned ones."""
    slots = [*(slot for slots in assignment.slots.values() for slot in slots), *assignment.replaced]
    rows = await tx.rows(
        _GeneratedSlot,
        _HOLDING,
        {
            "project": key[0],
            "family": key[1],
            "starts": moments(slot.start for slot in slots),
            "ends": moments(slot.end for slot in slots),
        },
    )
    assigned = {identity_of(slot) for slot in slots}
    further = await _where_they_are(tx, key, active, rows, {})
    return [one for one in further if identity_of(one.slot) not in assigned]


def _problems(
    assignment: Assignment, active: Version, generated: Sequence[Generated], zone: ZoneInfo
) -> list[Problem]:
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
