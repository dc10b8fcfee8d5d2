"""Determine which model version computes which slots of a requested range.

A generated slot keeps the version that computed it. A slot is in force while the newest batch of one of
its runs contains data, or while explicit inputs are stored for it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from zoneinfo import ZoneInfo

from weighbridge.accounting.books.runs import COUNTS, SLOT_COLUMNS, SlotRow
from weighbridge.accounting.inputs.event_slots import read_event_slots
from weighbridge.accounting.planning.explicit_inputs import SLOT_KEY
from weighbridge.core import identity
from weighbridge.core.model import Model
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import (
    BEYOND_CALENDAR,
    EVENT,
    SLOTS_MAX,
    EventSlot,
    Instant,
    Interval,
    Selection,
    find_slot,
    identify_slot,
    is_selected,
    label_slot,
    select,
)
from weighbridge.core.time.slot_versions import Assignment, GeneratedSlot, Version, assign
from weighbridge.db.engine import Read
from weighbridge.db.statements import moments
from weighbridge.errors import Invalid
from weighbridge.platform.staleness import IS_NEWEST

# Generated slots as the books have them: which are in force, at which version, and where events are now.
#
# A slot is in force while the newest batch of one of its runs, on any ledger of the model, was made of
# data, or while a caller has named or set aside data for it.


FamilyKey = tuple[int, int]
"""A project and a model family."""


class _GeneratedSlot(SlotRow, frozen=True):
    model: int
    cadence: str
    newest_batch: int
    is_in_force: bool
    ledgers: list[int]
    event_start: Instant | None
    event_end: Instant | None


@dataclass(frozen=True, slots=True)
class GeneratedSlots:
    """Slots that hold batches, each once, and the ledgers on which those in force are made of data."""

    slots: tuple[GeneratedSlot, ...]
    ledgers: Mapping[object, frozenset[int]] = field(default_factory=dict)
    """By the identity of the slot."""

    def plus(self, others: "GeneratedSlots") -> "GeneratedSlots":
        """The same with others that it does not have."""
        identities = {identify_slot(slot.slot) for slot in self.slots}
        new = [slot for slot in others.slots if identify_slot(slot.slot) not in identities]
        return GeneratedSlots((*self.slots, *new), {**others.ledgers, **self.ledgers})

    def ledgers_of(self, slots: Iterable[Interval]) -> frozenset[int]:
        """The ledgers on which runs of some slots are made of data."""
        return frozenset[int]().union(*(self.ledgers.get(identify_slot(slot), ()) for slot in slots))


@dataclass(frozen=True, slots=True)
class HeldData:
    """Slots, and the slots whose runs hold events that were moved into them."""

    slots: frozenset[Interval]
    holders: GeneratedSlots


@dataclass(frozen=True, slots=True)
class BooksOfModel:
    """The books of a model in a project, and how its active version cuts time."""

    key: FamilyKey
    model: Model
    zone: ZoneInfo

    async def generated(self, tx: Read, hull: Interval, selection: Selection) -> GeneratedSlots:
        """The slots with batches that meet a range, or are selected wherever they were."""
        now: dict[object, EventSlot] = {
            slot.identity: slot
            for slot in selection.selected + selection.touched
            if isinstance(slot, EventSlot)
        }
        values = {
            "start": hull.start,
            "end": hull.end,
            "events": [slot.event for slot in now.values() if slot.event],
            "tracking_ids": [slot.tracking_id for slot in now.values() if slot.tracking_id],
        }
        return await self._slots(tx, _MEETING, values, now)

    async def holding(self, tx: Read, slots: Sequence[Interval]) -> HeldData:
        """The slots whose runs hold events that were moved into some slots, themselves among them."""
        values = {
            "starts": moments(slot.start for slot in slots),
            "ends": moments(slot.end for slot in slots),
        }
        return HeldData(frozenset(slots), await self._slots(tx, _HOLDING, values, {}))

    async def that_hold_data_of(
        self, tx: Read, assignment: Assignment, held_data: HeldData
    ) -> GeneratedSlots:
        """Further slots whose runs hold events that were moved into those that an assignment computes.

        What is known of the same slots is not asked again.
        """
        slots = [*assignment.computed, *assignment.replaced]
        handled = {identify_slot(slot) for slot in (*slots, *assignment.cut)}
        if held_data.slots != frozenset(slots):
            held_data = await self.holding(tx, slots)
        holders = held_data.holders
        return replace(
            holders,
            slots=tuple(holder for holder in holders.slots if identify_slot(holder.slot) not in handled),
        )

    async def _slots(
        self, tx: Read, condition: str, values: Mapping[str, object], known_slots: Mapping[object, EventSlot]
    ) -> GeneratedSlots:
        statement = _SLOTS.replace("%condition%", condition)
        project, family = self.key
        rows = await tx.rows(_GeneratedSlot, statement, {"project": project, "family": family, **values})
        now = await self._by_tracking_id(tx, rows, known_slots)
        # The runs of a slot of an event were posted at different times of it; what is in force decides.
        sorted_rows = sorted(rows, key=lambda row: (row.is_in_force, row.newest_batch))
        by_identity = {identify_slot(row.slot): self._slot(row, now) for row in sorted_rows}
        ledgers: dict[object, frozenset[int]] = {}
        for row in rows:
            identity = identify_slot(row.slot)
            ledgers[identity] = ledgers.get(identity, frozenset()) | frozenset(row.ledgers)
        return GeneratedSlots(tuple(by_identity.values()), ledgers)

    async def _by_tracking_id(
        self, tx: Read, rows: Sequence[_GeneratedSlot], known_slots: Mapping[object, EventSlot]
    ) -> Mapping[object, EventSlot]:
        """Slots of tracking ids with the span that their events have now."""
        slots = [row.slot for row in rows if row.by_event and row.event is None]
        elsewhere = {slot.identity for slot in slots if isinstance(slot, EventSlot)} - known_slots.keys()
        if not elsewhere or self.model.cadence != EVENT:
            return known_slots
        empty_time = Interval(slots[0].start, slots[0].start)
        moved_slots = await read_event_slots(tx, self.key[0], self.model, empty_time, elsewhere)
        return {**known_slots, **{slot.identity: slot for slot in moved_slots if slot.identity in elsewhere}}

    def _slot(self, row: _GeneratedSlot, now: Mapping[object, EventSlot]) -> GeneratedSlot:
        version = Version(row.model, row.cadence)
        slot = row.slot
        if not isinstance(slot, EventSlot):
            is_whole = row.cadence != EVENT and find_slot(row.cadence, slot.start, self.zone) == slot
            return GeneratedSlot(slot, version, row.is_in_force, is_whole)
        is_whole = row.cadence == EVENT
        if not slot.event:
            event_slot = now.get(slot.identity, replace(slot, name=slot.tracking_id))
            return GeneratedSlot(event_slot, version, row.is_in_force, is_whole)
        start, end = row.event_start or slot.start, row.event_end or slot.end
        name = identity.of("event", self.key[0], slot.event)
        has_moved = (start, end) != (slot.start, slot.end)
        event_slot = replace(slot, start=start, end=end, name=name)
        return GeneratedSlot(event_slot, version, row.is_in_force, is_whole, has_moved)


# The newest batch that has data gives the version of a slot; of a slot that its data have left, the last
# that had some.
_SLOTS: Final = (
    """
    WITH posted (start_time, end_time, by_event, event_id, tracking_id, id, ledger_id, counts, is_newest) AS (
        SELECT """
    + SLOT_COLUMNS
    + """, b.id, b.ledger_id, """
    + COUNTS
    + """ AS counts,
               row_number() OVER (PARTITION BY b.run_id, b.ledger_id ORDER BY b.id DESC) = 1 AS is_newest
          FROM runs r
          JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
         WHERE r.project_id = %(project)s AND r.family_id = %(family)s AND (%condition%)
    ), slot (start_time, end_time, by_event, event_id, tracking_id, decider, newest, counts, ledgers) AS (
        SELECT start_time, end_time, by_event, event_id, tracking_id,
               coalesce(max(id) FILTER (WHERE counts AND is_newest), max(id) FILTER (WHERE counts), max(id)),
               max(id), bool_or(counts AND is_newest),
               coalesce(array_agg(DISTINCT ledger_id) FILTER (WHERE counts AND is_newest), '{}')
          FROM posted GROUP BY 1, 2, 3, 4, 5
    )
    SELECT slot.start_time, slot.end_time, slot.by_event, slot.event_id, slot.tracking_id, m.id, m.cadence,
           slot.newest,
           slot.counts OR ("""
    + SLOT_KEY.format("slot")
    + """) IN (SELECT """
    + SLOT_KEY.format("i")
    + """ FROM slot_inputs i WHERE i.project_id = %(project)s AND i.family_id = %(family)s),
           slot.ledgers, e.start_time, e.end_time
      FROM slot
      JOIN batches b ON (b.project_id, b.id) = (%(project)s, slot.decider)
      JOIN models m ON m.id = b.model_id
      LEFT JOIN LATERAL (SELECT start_time, end_time FROM events
                          WHERE (project_id, id) = (%(project)s, slot.event_id) AND voided_at IS NULL
                         OFFSET 0) AS e ON true
"""
)

_MEETING: Final = """
    r.start_time < %(end)s AND (r.end_time > %(start)s OR r.start_time = r.end_time
                                AND r.start_time >= %(start)s)
    OR r.by_event AND (r.event_id = ANY (%(events)s::bigint[])
                       OR r.event_id IS NULL AND r.tracking_id = ANY (%(tracking_ids)s::text[]))
"""

# A run holds what its newest batch on a ledger was made of. Each step is taken once, and each event looked up
# by its key (OFFSET 0 keeps it so): by statistics of before a load, the planner would look for all that were
# moved again for each run, which took a year of days a minute.
_HOLDING: Final = f"""
    r.id = ANY (ARRAY (
        WITH assigned AS MATERIALIZED (
            SELECT range_agg(tstzrange(start_time, end_time,
                                       CASE WHEN start_time = end_time THEN '[]' ELSE '[)' END)) AS times
              FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[]) AS slot (start_time, end_time)
        ), moved AS MATERIALIZED (
            SELECT e.id
              FROM (SELECT DISTINCT event_id FROM corrections
                     WHERE project_id = %(project)s
                       AND field IN ('start_time', 'end_time', 'tracking_id')) AS c
             CROSS JOIN LATERAL (SELECT id, start_time, end_time FROM events
                                  WHERE (project_id, id) = (%(project)s, c.event_id) OFFSET 0) AS e
              JOIN assigned ON assigned.times && tstzrange(e.start_time, e.end_time, '[]')
        )
        SELECT b.run_id
          FROM batch_inputs i
          JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id) AND {IS_NEWEST}
         CROSS JOIN LATERAL unnest(i.event_ids) AS used (id)
         WHERE i.project_id = %(project)s
           AND int8range(i.first_event, i.last_event, '[]')
               && (SELECT range_agg(int8range(id, id, '[]')) FROM moved)
           AND (used.id IN (SELECT id FROM moved)) IS TRUE))
"""


# Which version of a model computes which slots of a requested range, by what was generated before.


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


@dataclass(frozen=True, slots=True)
class _ReadSlots:
    """Generated slots as they were read, and what holds data of the slots that are probably computed."""

    generated: GeneratedSlots
    held: HeldData


_Assign = Callable[[GeneratedSlots, Collection[Interval]], Assignment]
"""Assigns slots, with so many included."""


async def assign_slots(
    tx: Read, books: BooksOfModel, active: Version, request: RequestedRange
) -> AssignedSlots:
    """Assign the slots of a range; raise Invalid when it selects none, too many, or would cut one in two."""
    try:
        selection = await _select_slots(tx, books, request.range)
        all_times = (*selection.selected, *selection.touched, request.range)
        hull = Interval(min(slot.start for slot in all_times), max(slot.end for slot in all_times))
        generated_slots, held_data = await tx.together(
            books.generated(tx, hull, selection), books.holding(tx, selection.selected)
        )
        in_range = await tx.in_thread(_select_generated, generated_slots, books, request.range)
        if (
            (widened := _widen_to_slots(in_range, request.range)) != request.range
            and books.model.cadence == EVENT
            and request.is_replacing
        ):
            return await assign_slots(tx, books, active, replace(request, range=widened))
        assigned, generated_slots = await _add_moved_slots(
            tx,
            books,
            _ReadSlots(generated_slots, held_data),
            in_range.union(selection.selected),
            lambda read_slots, included: assign(
                active,
                selection,
                read_slots.slots,
                in_range,
                is_replacing=request.is_replacing,
                included=included,
            ),
        )
        wider = _widen_to_overlaps(books, assigned.assignment, request.range)
        if wider != request.range:
            asked_time = request.asked or request.range
            return await assign_slots(tx, books, active, replace(request, range=wider, asked=asked_time))
    except ValueError as error:
        raise Invalid([Problem(f"Too long: {error}.", "end_time", "too_long")]) from None
    except OverflowError:
        raise Invalid([Problem(BEYOND_CALENDAR, "start_time", "invalid")]) from None
    if problems := _check_assignment(assigned.assignment, active, generated_slots.slots, books):
        raise Invalid(problems)
    return assigned if request.asked is None else _mark_coming_along(assigned, request.asked)


async def assign_generated(
    tx: Read, books: BooksOfModel, active: Version, slots: Sequence[Interval]
) -> AssignedSlots:
    """Assign generated slots, each to its own version, without slots that others replaced.

    Raises Invalid when all of them were replaced.
    """
    identities = {identify_slot(slot) for slot in slots}
    of_events = tuple(slot for slot in slots if isinstance(slot, EventSlot))
    hull = Interval(min(slot.start for slot in slots), max(slot.end for slot in slots))
    generated_slots, held_data = await tx.together(
        books.generated(tx, hull, Selection(of_events, ())), books.holding(tx, slots)
    )
    kept_slots = {
        generated_slot.slot
        for generated_slot in generated_slots.slots
        if identify_slot(generated_slot.slot) in identities
    }
    emptied_slots = [
        generated_slot.slot
        for generated_slot in generated_slots.slots
        if generated_slot.slot in kept_slots and not generated_slot.is_in_force
    ]
    selection = Selection(
        tuple(slot for slot in emptied_slots if _is_cut_by(active.cadence, slot, books)), ()
    )
    assigned, _ = await _add_moved_slots(
        tx,
        books,
        _ReadSlots(generated_slots, held_data),
        kept_slots,
        lambda read_slots, included: assign(
            active, selection, read_slots.slots, kept_slots, is_replacing=False, included=included
        ),
    )
    if kept_slots.isdisjoint(assigned.assignment.computed):
        message = "The batch's slot was replaced by others; nothing is computed for it any more."
        raise Invalid([Problem(message, "batch_id", "replaced")])
    return replace(assigned, assignment=replace(assigned.assignment, of_other_cadence=(), open_time=()))


def _is_cut_by(cadence: str, slot: Interval, books: BooksOfModel) -> bool:
    """Whether a slot is one of a cadence."""
    if cadence == EVENT or isinstance(slot, EventSlot):
        return cadence == EVENT and isinstance(slot, EventSlot)
    return find_slot(cadence, slot.start, books.zone) == slot


async def _add_moved_slots(
    tx: Read,
    books: BooksOfModel,
    read_slots: _ReadSlots,
    requested: Collection[Interval],
    assign_with: _Assign,
) -> tuple[AssignedSlots, GeneratedSlots]:
    """Assign slots with every slot whose runs hold data that the assigned ones use."""
    included: set[Interval] = set()
    generated_slots = read_slots.generated
    while True:
        assignment = await tx.in_thread(assign_with, generated_slots, included)
        moved_slots = await books.that_hold_data_of(tx, assignment, read_slots.held)
        moved_identities = {identify_slot(slot.slot) for slot in moved_slots.slots}
        generated_slots = generated_slots.plus(moved_slots)
        further = {
            slot.slot for slot in generated_slots.slots if identify_slot(slot.slot) in moved_identities
        } - included
        if not further:
            coming_slots = frozenset(assignment.computed).difference(requested)
            ledgers = generated_slots.ledgers_of(assignment.replaced)
            return AssignedSlots(assignment, coming_slots, ledgers), generated_slots
        included |= further


def _widen_to_overlaps(books: BooksOfModel, assignment: Assignment, requested: Interval) -> Interval:
    """The range with all of the time of slots that overlap others in force, which has to be accounted for."""
    spans = [slot for slot in assignment.overlapping if not isinstance(slot, EventSlot)]
    others = [
        slot for slot in (*assignment.computed, *assignment.standing) if not isinstance(slot, EventSlot)
    ]
    spans += [slot for slot in others if any(slot.touches(span) for span in spans)] if spans else []
    if books.model.cadence != EVENT:
        cuts = [select(books.model.cadence, slot, books.zone) for slot in spans]
        spans += [slot for cut in cuts for slot in (*cut.selected, *cut.touched)]
    all_times = [requested, *spans]
    return Interval(min(time.start for time in all_times), max(time.end for time in all_times))


def _mark_coming_along(assigned: AssignedSlots, asked_time: Interval) -> AssignedSlots:
    """The same where the range was widened: what the request does not select comes along."""
    computed_slots = assigned.assignment.computed
    further = frozenset(slot for slot in computed_slots if not is_selected(slot, asked_time))
    return replace(assigned, included=assigned.included | further)


async def _select_slots(tx: Read, books: BooksOfModel, requested: Interval) -> Selection:
    """The slots of the active version that the range selects or touches."""
    if books.model.cadence != EVENT:
        return await tx.in_thread(select, books.model.cadence, requested, books.zone)
    slots = await read_event_slots(tx, books.key[0], books.model, requested)
    if len(slots) > SLOTS_MAX:
        raise ValueError(f"the range has {len(slots):,} slots of events, and {SLOTS_MAX:,} are allowed")
    return Selection(
        tuple(slot for slot in slots if is_selected(slot, requested)),
        tuple(slot for slot in slots if not is_selected(slot, requested)),
    )


def _select_generated(
    generated_slots: GeneratedSlots, books: BooksOfModel, requested: Interval
) -> set[Interval]:
    """The generated slots that the range selects, each by the cadence that it was cut by."""
    cadences = {generated_slot.version.cadence for generated_slot in generated_slots.slots} - {EVENT}
    selected = {slot for cadence in cadences for slot in select(cadence, requested, books.zone).selected}
    return {
        generated_slot.slot
        for generated_slot in generated_slots.slots
        if generated_slot.slot in selected
        or (isinstance(generated_slot.slot, EventSlot) and is_selected(generated_slot.slot, requested))
    }


def _widen_to_slots(in_range: Collection[Interval], requested: Interval) -> Interval:
    """The range with all of the slots that it selects: to replace them whole takes all of their events."""
    all_times = [requested, *(slot for slot in in_range if not isinstance(slot, EventSlot))]
    return Interval(min(time.start for time in all_times), max(time.end for time in all_times))


def _check_assignment(
    assignment: Assignment, active: Version, generated_slots: Sequence[GeneratedSlot], books: BooksOfModel
) -> list[Problem]:
    zone = books.zone
    cadences = {generated_slot.slot: generated_slot.version.cadence for generated_slot in generated_slots}
    cut = [
        Problem(
            f"The range would replace a part of the slot {label_slot(cadences[slot], slot, zone)}, which is"
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
            label_slot(active.cadence, slot, zone) for slot in assignment.of_other_cadence[:SLOTS_NAMED_MAX]
        )
        message = (
            f"Batches of another cadence are in every slot of the range ({names}); select the whole slots"
            " that they belong to, or ask for model_version latest to replace them."
        )
        return [Problem(message, "start_time", "passed_over")]
    message = f"The range selects no {active.cadence} slot: less than half of each slot lies in it."
    if active.cadence == EVENT:
        message = "The range selects no slot: no event that makes one lies in it with at least half."
    return [Problem(message, "start_time", "no_slot")]
