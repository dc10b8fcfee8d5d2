"""Portions: the slots of generations in pieces that are recomputed together, so that memory stays flat.

A slot is computed whole, because amounts that were shared over partitions can only be divided again with all
of them at hand; beyond that nothing binds slots together. Large generations are taken in several portions,
and small ones of the same model version together, so that neither costs more than its batches.

Invariant: a portion is of one model version in one project.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Final

import msgspec
from psycopg.sql import SQL, Composable, Composed

from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.literal import Literal

BATCHES_AT_ONCE: Final = 500
"""Batches that are held in memory at a time; a slot with more is held whole."""

EVENTS_AT_ONCE: Final = 50_000
"""Events of their lineages that are held at a time; a slot with more is held whole."""

UNITS_READ: Final = 1000
"""Slots that are asked for at a time, before it is known how many of them make a portion."""


class ComputedSlot(msgspec.Struct, frozen=True):
    """A slot as one generation computed it by one version of a model."""

    project: int
    family: int
    model: int
    task: int
    newest_batch: int
    """The last batch of the generation: what came later it did not see."""
    time_zone: str
    by_event: bool
    event: int | None
    tracking_id: str | None
    start_time: Instant | None
    end_time: Instant | None
    ledgers: list[int]
    """Those on which it made batches there."""
    batch_count: int
    event_count: int

    @property
    def frame(self) -> tuple[int, int, int]:
        """What all units of a portion share."""
        return self.project, self.family, self.model

    @property
    def slot(self) -> tuple[object, ...]:
        """What tells the slot from others."""
        return self.event, self.tracking_id, self.start_time, self.end_time


async def portions(tx: Read, project: int | None, since: Instant | None) -> AsyncIterator[list[ComputedSlot]]:
    """Every slot of every generation, or of those of one project or since a moment, in portions."""
    held: list[ComputedSlot] = []
    batches = events = 0
    async for rows in tx.portions(_units(project, since), UNITS_READ):
        for unit in (ComputedSlot(*row) for row in rows):
            is_full = (
                batches + unit.batch_count > BATCHES_AT_ONCE or events + unit.event_count > EVENTS_AT_ONCE
            )
            if held and (is_full or held[0].frame != unit.frame):
                yield held
                held, batches, events = [], 0, 0
            held.append(unit)
            batches += unit.batch_count
            events += unit.event_count
    if held:
        yield held


def _units(project: int | None, since: Instant | None) -> Composed:
    conditions: list[Composable] = [SQL("true")]
    if project is not None:
        conditions.append(SQL("b.project_id = {}").format(Literal(project)))
    if since is not None:
        conditions.append(SQL("b.created_at >= {}").format(Literal(since)))
    return SQL(_UNITS).format(SQL(" AND ").join(conditions))


def columns_of(units: Sequence[ComputedSlot]) -> dict[str, list[object]]:
    """Units as the arrays that a statement takes; see the statement of `recomputation`."""
    return {
        "newest_batches": [unit.newest_batch for unit in units],
        "tasks": [unit.task for unit in units],
        "events": [unit.event for unit in units],
        "tracking_ids": [unit.tracking_id for unit in units],
        "starts": [unit.start_time for unit in units],
        "ends": [unit.end_time for unit in units],
        "ledgers": [f"{{{','.join(map(str, unit.ledgers))}}}" for unit in units],
    }


# Whoever verifies runs through all of them, once; PostgreSQL sorts, and gives them a thousand at a time.
_UNITS: Final = """
    SELECT b.project_id, m.family_id, b.model_id, b.async_task_id,
           max(max(b.id)) OVER (PARTITION BY b.project_id, m.family_id, b.model_id, b.async_task_id),
           p.time_zone, r.by_event, r.event_id,
           CASE WHEN r.by_event AND r.event_id IS NULL THEN r.tracking_id END AS tracking_id,
           CASE WHEN NOT r.by_event THEN r.start_time END AS start_time,
           CASE WHEN NOT r.by_event THEN r.end_time END AS end_time,
           array_agg(DISTINCT b.ledger_id), count(*), coalesce(sum(used.event_count), 0)::bigint
      FROM batches b
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
      JOIN models m ON m.id = b.model_id
      JOIN projects p ON p.id = b.project_id
      LEFT JOIN (SELECT project_id, batch_id, sum(event_count) AS event_count FROM batch_input_sets
                  GROUP BY project_id, batch_id) AS used
        ON (used.project_id, used.batch_id) = (b.project_id, b.id)
     WHERE {}
     GROUP BY 1, 2, 3, 4, 6, 7, 8, 9, 10, 11
     ORDER BY 1, 2, 3, 4, 10, 11, 8, 9
"""
