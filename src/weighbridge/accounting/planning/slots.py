"""Which version of a model computes which slots of a requested range, by what was generated before."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.accounting.inputs.event_slots import event_slots
from weighbridge.core.identity import ids
from weighbridge.core.model import Model
from weighbridge.core.problem import Problem
from weighbridge.core.time.cadence import (
    EVENT,
    SLOTS_MAX,
    EventSlot,
    Selection,
    identity_of,
    is_selected,
    label,
    select,
    slot_at,
    slot_of,
)
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.core.time.slot import Assignment, Generated, Version, assign
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.platform.changes.newest_batch import IS_NEWEST

SLOTS_NAMED_MAX: Final = 10
"""Slots that a refusal names."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The range that is asked for, and whether the active version is to replace what others made."""

    wanted: Interval
    zone: ZoneInfo
    is_replacing: bool


FamilyKey = tuple[int, int]
"""A project and a model family."""


class _GeneratedSlot(msgspec.Struct, frozen=True):
    start_time: Instant
    end_time: Instant
    by_event: bool
    event: int | None
    tracking_id: str | None
    model: int
    cadence: str
    newest_batch: int


async def assign_slots(tx: Read, key: FamilyKey, active: Version, model: Model, asked: Asked) -> Assignment:
    """Assign the slots of a range; raise Invalid when it selects none, too many, or would cut one in two."""
    try:
        chosen = await _chosen(tx, key, model, asked)
        every = (*chosen.selected, *chosen.touched, asked.wanted)
        hull = Interval(min(slot.start for slot in every), max(slot.end for slot in every))
        generated = await _generated(tx, key, model, hull, chosen)
        kept = _kept(generated, asked)
        if (whole := _whole(kept, asked)) != asked.wanted and model.cadence == EVENT and asked.is_replacing:
            return await assign_slots(tx, key, active, model, replace(asked, wanted=whole))
    except ValueError as error:
        raise Invalid([Problem(f"Too long: {error}.", "end_time", "too_long")]) from None
    except OverflowError:
        message = "The range reaches over the ends of the calendar, the years 1 and 9999."
        raise Invalid([Problem(message, "start_time", "invalid")]) from None
    found = assign(active, chosen, generated, kept, is_replacing=asked.is_replacing)
    if problems := _problems(found, active, generated, asked.zone):
        raise Invalid(problems)
    return await _with_what_moved(tx, key, model, found)


async def assign_slot(tx: Read, key: FamilyKey, active: Model, slot: Interval, zone: ZoneInfo) -> Assignment:
    """Assign one generated slot to the version that it stands at; raise Invalid when another replaced it."""
    chosen: tuple[Interval, ...] = (slot,)
    if isinstance(slot, EventSlot) and active.cadence == EVENT:
        nothing = Interval(slot.start, slot.start)
        slots = await event_slots(tx, key[0], active, nothing, {slot.identity})
        chosen = tuple(one for one in slots if one.identity == slot.identity) or chosen
    generated = await _generated(tx, key, active, slot, Selection(chosen, ()))
    for one in generated:
        if one.slot == chosen[0] and _is_cut_by(one.version.cadence, one.slot, zone):
            slots_of_versions = {one.version.number: (one.slot,)}
            return await _with_what_moved(tx, key, active, Assignment(slots_of_versions, (), (), (), ()))
    message = "The batch's slot was replaced by others; nothing is computed for it any more."
    raise Invalid([Problem(message, "batch_id", "replaced")])


def _is_cut_by(cadence: str, slot: Interval, zone: ZoneInfo) -> bool:
    """Whether a slot is one of a cadence."""
    if cadence == EVENT or isinstance(slot, EventSlot):
        return cadence == EVENT and isinstance(slot, EventSlot)
    return slot_at(cadence, slot.start, zone) == slot


async def _with_what_moved(tx: Read, key: FamilyKey, active: Model, found: Assignment) -> Assignment:
    """The same with every slot whose runs hold data that it uses."""
    while moved := await _that_hold_data_of(tx, key, active, found):
        found = found.including(moved)
    return found


async def _chosen(tx: Read, key: FamilyKey, model: Model, asked: Asked) -> Selection:
    """The slots of the active version that the range selects or touches."""
    if model.cadence != EVENT:
        return select(model.cadence, asked.wanted, asked.zone)
    slots = await event_slots(tx, key[0], model, asked.wanted)
    if len(slots) > SLOTS_MAX:
        raise ValueError(f"the range has {len(slots):,} slots of events, and {SLOTS_MAX:,} are allowed")
    return Selection(
        tuple(slot for slot in slots if is_selected(slot, asked.wanted)),
        tuple(slot for slot in slots if not is_selected(slot, asked.wanted)),
    )


def _kept(generated: Sequence[Generated], asked: Asked) -> set[Interval]:
    """The generated slots that the range selects, each by the cadence that it was cut by."""
    cadences = {one.version.cadence for one in generated} - {EVENT}
    selected = {slot for cadence in cadences for slot in select(cadence, asked.wanted, asked.zone).selected}
    return {
        one.slot
        for one in generated
        if one.slot in selected or (isinstance(one.slot, EventSlot) and is_selected(one.slot, asked.wanted))
    }


def _whole(kept: Collection[Interval], asked: Asked) -> Interval:
    """The range with all of the slots that it selects: their events are to be found to replace them whole."""
    every = [asked.wanted, *(slot for slot in kept if not isinstance(slot, EventSlot))]
    return Interval(min(one.start for one in every), max(one.end for one in every))


async def _generated(
    tx: Read, key: FamilyKey, model: Model, hull: Interval, chosen: Selection
) -> list[Generated]:
    """The slots with batches that meet a range, or are chosen wherever they were.

    The newest batch says which version a slot stands at. A slot of an event is where its event is now.
    """
    now = {slot.identity: slot for slot in chosen.selected + chosen.touched if isinstance(slot, EventSlot)}
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
    found = {identity_of(one.slot): one for one in (_generated_slot(key[0], row) for row in ordered)}
    slots = [one.slot for one in found.values() if isinstance(one.slot, EventSlot)]
    elsewhere = {slot.identity for slot in slots} - known.keys()
    now = dict(known)
    if elsewhere and model.cadence == EVENT:
        nothing = Interval(slots[0].start, slots[0].start)
        moved = await event_slots(tx, key[0], model, nothing, elsewhere)
        now |= {slot.identity: slot for slot in moved if slot.identity in elsewhere}
    return [
        replace(one, slot=now.get(one.slot.identity, one.slot)) if isinstance(one.slot, EventSlot) else one
        for one in found.values()
    ]


def _generated_slot(project: int, row: _GeneratedSlot) -> Generated:
    slot = slot_of(
        row.start_time, row.end_time, by_event=row.by_event, event=row.event, tracking_id=row.tracking_id
    )
    if isinstance(slot, EventSlot):
        slot = replace(slot, name=slot.tracking_id or ids.of("event", project, slot.event))
    return Generated(slot, Version(row.model, row.cadence))


_SLOT: Final = """
    r.start_time, r.end_time, r.by_event, r.event_id, CASE WHEN r.by_event THEN r.tracking_id END
"""

_GENERATED: Final = (
    """
    SELECT DISTINCT ON ("""
    + _SLOT
    + """) """
    + _SLOT
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
    + _SLOT
    + """, b.id DESC
"""
)

# A run holds what its newest batch on a ledger was made of.
_HOLDING: Final = (
    """
    WITH asked AS (
        SELECT * FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[])
                      AS slot (start_time, end_time)
    ), moved AS (
        SELECT DISTINCT e.id FROM corrections c
          JOIN events e ON (e.project_id, e.id) = (c.project_id, c.event_id)
          JOIN asked ON (e.start_time < asked.end_time OR e.start_time = asked.start_time)
           AND e.end_time >= asked.start_time
         WHERE c.project_id = %(project)s AND c.field IN ('start_time', 'end_time', 'tracking_id')
    )
    SELECT DISTINCT ON ("""
    + _SLOT
    + """) """
    + _SLOT
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
        OR NOT EXISTS (SELECT FROM asked
                        WHERE (asked.start_time, asked.end_time) = (r.start_time, r.end_time))
     ORDER BY """
    + _SLOT
    + """, b.id DESC
"""
)


async def _that_hold_data_of(tx: Read, key: FamilyKey, active: Model, found: Assignment) -> list[Generated]:
    """Further slots whose runs hold events that were moved into the assigned ones."""
    slots = [*(slot for slots in found.slots.values() for slot in slots), *found.replaced]
    rows = await tx.rows(
        _GeneratedSlot,
        _HOLDING,
        {
            "project": key[0],
            "family": key[1],
            "starts": [slot.start for slot in slots],
            "ends": [slot.end for slot in slots],
        },
    )
    assigned = {identity_of(slot) for slot in slots}
    holding = await _where_they_are(tx, key, active, rows, {})
    return [one for one in holding if identity_of(one.slot) not in assigned]


def _problems(
    found: Assignment, active: Version, generated: Sequence[Generated], zone: ZoneInfo
) -> list[Problem]:
    cadences = {one.slot: one.version.cadence for one in generated}
    cut = [
        Problem(
            f"The range would replace a part of the slot {label(cadences[slot], slot, zone)}, which is"
            f" {cadences[slot]}; ask for a range that holds all of it.",
            "start_time",
            "cut_slot",
        )
        for slot in found.cut
    ]
    if cut or found.slots:
        return cut
    if found.passed_over:
        names = ", ".join(label(active.cadence, slot, zone) for slot in found.passed_over[:SLOTS_NAMED_MAX])
        message = (
            f"Batches of another cadence stand in every slot of the range ({names}); select the whole slots"
            " that they belong to, or ask for model_version latest to replace them."
        )
        return [Problem(message, "start_time", "passed_over")]
    message = f"The range selects no {active.cadence} slot: less than half of each slot lies in it."
    if active.cadence == EVENT:
        message = "The range selects no slot: no event that makes one lies in it with at least half."
    return [Problem(message, "start_time", "no_slot")]
