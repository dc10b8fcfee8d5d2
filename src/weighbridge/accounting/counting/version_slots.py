"""The slots of time that ledgers of one model have, each with the version that computes it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, pairwise
from typing import Final

import msgspec

from weighbridge.accounting.books.slots_in_force import IN_FORCE
from weighbridge.core.time.cadence import EVENT
from weighbridge.db.engine import Read

Bounds = tuple[datetime, datetime]


class VersionSlot(msgspec.Struct, frozen=True):
    """A slot of time, with the number of the version that computes it."""

    start: datetime
    end: datetime
    version: int
    is_empty: bool = False
    """Whether it counts nothing, though it was generated or nobody will."""

    @property
    def bounds(self) -> Bounds:
        """Its start and its end."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class ModelSlots:
    """The slots of some ledgers of one model, as they are or as a generation will leave them."""

    project: int
    ledgers: Sequence[int]
    computed: Sequence[VersionSlot] = ()
    """Those that a generation computes, with the time that it leaves open."""
    replaced: Collection[Bounds] = ()
    """Those that it brings to zero."""

    async def versions(self, tx: Read) -> set[int]:
        """The active version, and those that have slots in force or compute some."""
        found = await tx.tuples(_VERSIONS, self._values)
        return {one.version for one in self.computed}.union(number for (number,) in found)

    async def edges(self, tx: Read, span: Bounds) -> list[datetime]:
        """The moments of a span at which slots of one version begin or end, or their time does.

        Of a generation only those of what it computes.
        """
        slots = self.computed or [one for one in await self.meeting(tx, span) if not one.is_empty]
        ordered = sorted(slots, key=lambda one: one.bounds)
        edges = {one for slot in (*ordered[:1], *ordered[-1:]) for one in slot.bounds}
        for before, after in pairwise(ordered):
            if before.end != after.start or before.version != after.version:
                edges |= {before.end, after.start}
        return sorted(one for one in edges if span[0] <= one <= span[1])

    async def meeting(self, tx: Read, span: Bounds) -> list[VersionSlot]:
        """The slots that meet a span or border on it, in order; of a generation all that it computes.

        One that was generated and counts nothing is the active version's where no other shares its time.
        """
        handled = {*(one.bounds for one in self.computed), *self.replaced}
        rows = await tx.rows(VersionSlot, _MEETING, {**self._values, "start": span[0], "end": span[1]})
        return _without_overlapped([*self.computed, *(one for one in rows if one.bounds not in handled)])

    @property
    def _values(self) -> dict[str, object]:
        return {"project": self.project, "ledgers": [*self.ledgers], "by_event": EVENT}


def _without_overlapped(slots: Sequence[VersionSlot]) -> list[VersionSlot]:
    """Slots in order, without the empty ones that share time with others."""
    ordered = sorted(slots, key=lambda one: one.bounds)
    overlapped: set[VersionSlot] = set()
    ends = accumulate((one.end for one in ordered), max)
    for latest, (before, after) in zip(ends, pairwise(ordered), strict=False):
        if latest > after.start:
            overlapped |= {before, after}
    return [one for one in ordered if not (one.is_empty and one in overlapped)]


_ACTIVE: Final = """
    SELECT DISTINCT m.id, m.family_id, m.cadence FROM ledgers l
      JOIN model_families f ON f.id = l.family_id JOIN models m ON m.id = f.active_model_id
     WHERE l.project_id = %(project)s AND l.id = ANY (%(ledgers)s)
"""
_OF_TIME: Final = f"""
    FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
   WHERE b.project_id = %(project)s AND b.ledger_id = ANY (%(ledgers)s) AND NOT r.by_event AND {IN_FORCE}
"""
_VERSIONS: Final = f"""
    WITH active AS ({_ACTIVE})
    SELECT id FROM active
    UNION
    SELECT m.id FROM active JOIN models m USING (family_id)
     WHERE EXISTS (SELECT {_OF_TIME} AND b.model_id = m.id)
"""
_MEETING: Final = f"""
    WITH in_force AS (
        SELECT DISTINCT ON (r.start_time, r.end_time) r.start_time, r.end_time, b.model_id
        {_OF_TIME} AND b.start_time <= %(end)s AND b.end_time >= %(start)s
         ORDER BY r.start_time, r.end_time, b.id DESC
    )
    SELECT start_time, end_time, model_id, false FROM in_force
    UNION ALL
    SELECT DISTINCT s.start_time, s.end_time, active.id, true
      FROM generated_slots s CROSS JOIN ({_ACTIVE}) AS active
     WHERE s.project_id = %(project)s AND s.ledger_id = ANY (%(ledgers)s) AND active.cadence <> %(by_event)s
       AND s.start_time <= %(end)s AND s.end_time >= %(start)s AND s.seen_until > 'epoch'
       AND (s.start_time, s.end_time) NOT IN (SELECT start_time, end_time FROM in_force)
"""
