"""Which version of a model computes which slots of a requested range, by what was generated before."""

from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.core.cadence import label, select
from weighbridge.core.instant import Instant, Interval
from weighbridge.core.problem import Problem
from weighbridge.core.slot import Assignment, Generated, Version, assign
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid

SLOTS_NAMED_MAX: Final = 10
"""Slots that a refusal names."""

FamilyKey = tuple[int, int]
"""A project and a model family."""


class _GeneratedSlot(msgspec.Struct, frozen=True):
    start_time: Instant
    end_time: Instant
    model: int
    cadence: str


async def assign_slots(
    tx: Read, key: FamilyKey, active: Version, wanted: Interval, *, zone: ZoneInfo, is_replacing: bool
) -> Assignment:
    """Assign the slots of a range; raise Invalid when it selects none, too many, or would cut one in two."""
    try:
        chosen = select(active.cadence, wanted, zone)
        every = (*chosen.selected, *chosen.touched)
        hull = Interval(min(slot.start for slot in every), max(slot.end for slot in every))
        generated = await _generated(tx, key, hull)
        found = assign(active, generated, wanted, zone, is_replacing=is_replacing)
    except ValueError as error:
        raise Invalid([Problem(f"Too long: {error}.", "end_time", "too_long")]) from None
    except OverflowError:
        message = "The range reaches over the ends of the calendar, the years 1 and 9999."
        raise Invalid([Problem(message, "start_time", "invalid")]) from None
    if problems := _problems(found, active, {one.slot: one.version.cadence for one in generated}, zone):
        raise Invalid(problems)
    return found


async def _generated(tx: Read, key: FamilyKey, hull: Interval) -> list[Generated]:
    """The slots with batches that meet a range; the newest batch says which version a slot stands at."""
    rows = await tx.rows(
        _GeneratedSlot,
        """
        SELECT DISTINCT ON (r.start_time, r.end_time) r.start_time, r.end_time, m.id, m.cadence
          FROM runs r
          JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
          JOIN models m ON m.id = b.model_id
         WHERE r.project_id = %s AND r.family_id = %s AND r.start_time < %s AND r.end_time > %s
         ORDER BY r.start_time, r.end_time, b.id DESC
        """,
        (*key, hull.end, hull.start),
    )
    return [
        Generated(Interval(row.start_time, row.end_time), Version(row.model, row.cadence)) for row in rows
    ]


def _problems(
    found: Assignment, active: Version, cadences: dict[Interval, str], zone: ZoneInfo
) -> list[Problem]:
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
    return [Problem(message, "start_time", "no_slot")]
