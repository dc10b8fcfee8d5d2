"""The slots that are recomputed together, and where the events are read that their batches had."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from psycopg.sql import Composable

from weighbridge.accounting.inputs.posted_slots import ComputedSlot, select_units
from weighbridge.accounting.inputs.selection import STORED_EVENTS
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read

# Portions: the slots of generations in pieces that are recomputed together, so that memory stays flat.
#
# A slot is computed whole, because amounts that were shared over partitions can only be divided again with
# all of them at hand; beyond that nothing binds slots together. Large generations are taken in several
# portions, and small ones of the same model version together, so that neither costs more than its batches.
#
# Invariant: a portion is of one model version in one project.


BATCHES_AT_ONCE: Final = 500
"""Batches that are held in memory at a time; a slot with more is held whole."""

EVENTS_AT_ONCE: Final = 50_000
"""Events of their lineages that are held at a time; a slot with more is held whole."""

UNITS_READ: Final = 1000
"""Slots that are asked for at a time, before it is known how many of them make a portion."""


async def portions(tx: Read, project: int | None, since: Instant | None) -> AsyncIterator[list[ComputedSlot]]:
    """Every slot of every generation, or of those of one project or since a moment, in portions."""
    portion: list[ComputedSlot] = []
    batches = events = 0
    async for rows in tx.portions(select_units(project, since), UNITS_READ):
        for unit in (ComputedSlot(*row) for row in rows):
            is_full = (
                batches + unit.batch_count > BATCHES_AT_ONCE or events + unit.event_count > EVENTS_AT_ONCE
            )
            if portion and (is_full or portion[0].frame != unit.frame):
                yield portion
                portion, batches, events = [], 0, 0
            portion.append(unit)
            batches += unit.batch_count
            events += unit.event_count
    if portion:
        yield portion


# Event sources: where recomputation reads the events that batches were made of.
#
# The inputs of a batch are in its lineage, which names events; their rows come from the database, or from
# whatever else holds them, such as an archive. Corrections, models and postings are the database's.


@dataclass(frozen=True, slots=True)
class MissingEvents:
    """How many of the events that a batch names a source does not have."""

    missing: int
    events: int


class EventSource(Protocol):
    """Holds events ready, portion by portion."""

    @property
    def events(self) -> Composable:
        """Return the source of an event's columns: `FROM …` with the row `e` of `slot.event_id`."""

    async def hold(self, project: int, batches: Sequence[int]) -> Mapping[int, MissingEvents]:
        """Have the events of some batches ready; gives the batches some of whose events are not there."""

    async def outdated(self, project: int, batches: Collection[int]) -> Collection[int]:
        """Those of some batches that saw their events in a later state than this source has."""


class DatabaseEvents:
    """The events of the database itself."""

    events: Composable = STORED_EVENTS

    async def hold(self, _project: int, _batches: Sequence[int]) -> Mapping[int, MissingEvents]:
        return {}

    async def outdated(self, _project: int, _batches: Collection[int]) -> Collection[int]:
        return ()


STORED: Final = DatabaseEvents()
