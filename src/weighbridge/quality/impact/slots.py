"""The slots that a change of events may touch: those with batches that used them, or that hold their times.

Where an event is before the change and where it is afterwards both count. Of each model its slots make one
generation, as they share what they draw and what they are short of.

Invariants: only slots that were generated are here; data of others come to nothing that could change.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from weighbridge.accounting.batch_generations.records import NewGeneration
from weighbridge.accounting.books.runs import SLOT_COLUMNS, SlotRow
from weighbridge.accounting.inputs.streams import Catalogue, catalogue_of, streams_of
from weighbridge.accounting.planning.propose import Request, scopes_for
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.cadence import identity_of
from weighbridge.core.time.instant import MILLISECOND, Instant, Interval
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid


class ChangedEvent(NamedTuple):
    """An event that is changed: one of its values, or without a position anything of it."""

    event: int
    position: int | None = None


class TouchedSlot(SlotRow, frozen=True):
    """A slot of a model with batches, and an event of a type that may touch it."""

    family: int
    ledger: int
    changed: int
    event_type: int


async def touched_slots(tx: Read, project: int, changed: Sequence[ChangedEvent]) -> list[TouchedSlot]:
    """The slots that the events touch where they are now, by model."""
    events = sorted({one.event for one in changed})
    return await tx.rows(TouchedSlot, _TOUCHED, {"project": project, "events": events})


async def generations_of(
    tx: Read, actor: Actor, project: int, changed: Collection[ChangedEvent], touched: Iterable[TouchedSlot]
) -> list[Request]:
    """A generation for each model, of the slots whose data the events may change.

    There is none of a model that reads nothing of what changes, or whose slots were replaced by others.
    """
    catalogue = await catalogue_of(tx, project)
    requests = []
    for _, of_family in groupby(sorted(touched, key=_family), key=_family):
        rows = list(of_family)
        every = _request(actor, project, rows)
        try:
            values = await _values_read(tx, every, catalogue)
        except Invalid as error:
            if [one.code for one in error.problems] != ["replaced"]:
                requests.append(every)  # what keeps it from being generated is said by the generation itself
            continue
        if reading := [row for row in rows if _is_read(row, changed, values)]:
            requests.append(_request(actor, project, reading))
    return requests


def _family(row: TouchedSlot) -> int:
    return row.family


async def _values_read(tx: Read, request: Request, catalogue: Catalogue) -> dict[int, set[int]]:
    """Which values of which event types the versions read that a generation runs."""
    values: dict[int, set[int]] = {}
    for scope in await scopes_for(tx, request):
        for stream in streams_of(scope.model, catalogue, scope.inputs.nodes).streams:
            values.setdefault(stream.event_type, set()).update(stream.positions)
    return values


def _is_read(row: TouchedSlot, changed: Collection[ChangedEvent], values: Mapping[int, set[int]]) -> bool:
    """Whether a model that reads these values of event types reads what changes of a slot's event."""
    read = values.get(row.event_type)
    if read is None:
        return False
    return any(one.event == row.changed and (one.position is None or one.position in read) for one in changed)


def _request(actor: Actor, project: int, rows: Sequence[TouchedSlot]) -> Request:
    slots: tuple[Interval, ...] = tuple({identity_of(row.slot): row.slot for row in rows}.values())
    start = min(slot.start for slot in slots)
    # A range ends behind its start, also that of a slot which is one moment.
    end = max(*(slot.end for slot in slots), start + MILLISECOND)
    generation = NewGeneration(Instant.of(start), Instant.of(end), generate_concurrent_ledgers=True)
    return Request(actor, ids.of("ledger", project, rows[0].ledger), generation, slots=slots)


_TOUCHED: Final = f"""
    WITH changed AS MATERIALIZED (
        SELECT e.project_id, e.id, e.event_type_id, e.start_time, e.end_time, e.tracking_id FROM events e
         WHERE e.project_id = %(project)s AND e.id = ANY (%(events)s::bigint[])
    ), touched AS (
        SELECT c.id AS changed, u.id
          FROM changed c
          JOIN runs u ON u.project_id = c.project_id
           AND (u.start_time < c.end_time OR u.start_time <= c.start_time)
           AND (u.end_time > c.start_time OR u.end_time = u.start_time AND u.start_time = c.start_time)
        UNION
        SELECT c.id, u.id
          FROM changed c
          JOIN runs u ON u.project_id = c.project_id AND u.by_event AND u.event_id IS NULL
           AND u.tracking_id = c.tracking_id
        UNION
        SELECT c.id, b.run_id
          FROM changed c
          JOIN batch_inputs i ON i.project_id = c.project_id
           AND int8range(i.first_event, i.last_event, '[]') @> c.id AND c.id = ANY (i.event_ids)
          JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
    )
    SELECT {SLOT_COLUMNS}, r.family_id, min(b.ledger_id), c.id, c.event_type_id
      FROM touched
      JOIN changed c ON c.id = touched.changed
      JOIN runs r ON (r.project_id, r.id) = (%(project)s, touched.id)
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id) AND l.family_id = r.family_id
     GROUP BY {SLOT_COLUMNS}, r.family_id, c.id, c.event_type_id
     ORDER BY r.family_id, r.start_time, r.end_time, c.id
"""
