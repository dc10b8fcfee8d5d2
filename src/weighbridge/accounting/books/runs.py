"""The identity of a run: the slot and the partition that it is of, and the columns that say so.

Invariants: no two runs of a model in a project have the same identity; a slot of events is its event or its
tracking id, whatever its times are, so that a run stays the same run when they are corrected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString

import msgspec
from psycopg.sql import SQL

from weighbridge.core.ledger.partition import Partition
from weighbridge.core.time.cadence import EventSlot, slot_of
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.db.literal import moments, nothings

CHUNK_SIZE: Final = 1000
"""Events in one row of lineage, which has the events of a batch in the order in which they count."""


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What tells a run from the others of its model."""

    slot: Interval
    partition: Partition

    @property
    def order(self) -> tuple[object, ...]:
        """By what runs are ordered."""
        return self.slot.start, self.slot.end, self.partition.label


class SlotRow(msgspec.Struct, frozen=True):
    """The columns of a run that make its slot."""

    start_time: Instant
    end_time: Instant
    by_event: bool
    event: int | None
    tracking_id: str | None

    @property
    def slot(self) -> Interval:
        """The slot as it was when the run was computed last."""
        return slot_of(
            self.start_time,
            self.end_time,
            by_event=self.by_event,
            event=self.event,
            tracking_id=self.tracking_id,
        )


class RunRow(SlotRow, frozen=True):
    """The columns of a run that make its identity; a record that begins with RUN_COLUMNS extends it."""

    feedstock: str | None
    asset: str | None

    @property
    def partition(self) -> Partition:
        return Partition(self.tracking_id, self.feedstock, self.asset)


SLOT_COLUMNS: Final[LiteralString] = """
    r.start_time, r.end_time, r.by_event, r.event_id, CASE WHEN r.by_event THEN r.tracking_id END
"""
"""The slot of a run `r`, as SlotRow reads it: runs of one slot have the same."""

RUN_COLUMNS: Final[LiteralString] = """
    r.start_time, r.end_time, r.by_event, r.event_id, r.tracking_id, f.name, a.name
"""
"""The identity of a run `r`, as RunRow reads it; needs RUN_TAGS."""

RUN_TAGS: Final[LiteralString] = """
    LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
    LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, r.asset_id)
"""
"""What the feedstock `f` and the asset `a` of a run `r` are called."""

RUNS_OF_SLOTS: Final = SQL("""(
    WITH slot AS (
        SELECT * FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(slot_events)s::bigint[],
                             %(slot_tracking_ids)s::text[])
                      WITH ORDINALITY AS slot (start_time, end_time, event_id, tracking_id, number)
    )
    SELECT slot.number AS slot, runs.* FROM slot
      JOIN runs ON (runs.start_time, runs.end_time) = (slot.start_time, slot.end_time) AND NOT runs.by_event
     WHERE runs.project_id = %(project)s AND runs.family_id = %(family)s
       AND num_nonnulls(slot.event_id, slot.tracking_id) = 0
    UNION ALL
    SELECT slot.number, runs.* FROM slot
      JOIN runs ON runs.event_id = slot.event_id AND runs.by_event
     WHERE runs.project_id = %(project)s AND runs.family_id = %(family)s
    UNION ALL
    SELECT slot.number, runs.* FROM slot
      JOIN runs ON runs.tracking_id = slot.tracking_id AND runs.by_event AND runs.event_id IS NULL
     WHERE runs.project_id = %(project)s AND runs.family_id = %(family)s
) AS r""")
"""Runs `r` of one model with the position of their slot, counted from 1; parameters project, family and those
of `slot_columns`."""


def slot_columns(slots: Sequence[Interval]) -> Mapping[str, list[Any] | str]:
    """Slots as the arrays that a statement takes."""
    times = {"starts": moments(slot.start for slot in slots), "ends": moments(slot.end for slot in slots)}
    of_events = [slot if isinstance(slot, EventSlot) else None for slot in slots]
    if not any(of_events):
        return {**times, "slot_events": nothings(len(slots)), "slot_tracking_ids": nothings(len(slots))}
    return {
        **times,
        "slot_events": [(slot and slot.event) or None for slot in of_events],
        "slot_tracking_ids": [(slot and slot.tracking_id) or None for slot in of_events],
    }
