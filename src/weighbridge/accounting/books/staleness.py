"""Staleness: what a run was computed from has changed since, and which record that was.

Whoever changes an input marks the runs that used it, on each ledger that they stand on; generating the slot
again clears the marks. A batch is stale while its run is marked, or while a run that it draws from is stale;
of a run's batches the newest says so.

Invariants: a change and its marks commit together. A generation works on its snapshot, and a change that
commits after the snapshot marks the batches that the generation makes: changes hold the project's lock
shared until they have committed, and before a generation commits it takes the lock alone and marks what
has changed meanwhile. Neither waits for longer than the other takes to commit.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.newest import IS_NEWEST
from weighbridge.accounting.books.runs import RUNS_OF_SLOTS, slot_columns
from weighbridge.accounting.books.stale_reasons import (
    DATA_POINT_CORRECTED,
    EVENT_CORRECTED,
    STATIC_INPUT_ADDED,
)
from weighbridge.core.identity import ids
from weighbridge.core.model import StaticInput
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.db.engine import Database, Write
from weighbridge.modelling.document.reading import read_model


@dataclass(frozen=True, slots=True)
class ChangedEvent:
    """An event that runs may have used, and the record by which its change is named."""

    event: int
    reason: str
    record: str

    @classmethod
    def at(cls, project: int, event: int, position: int) -> "ChangedEvent":
        """A corrected value; at position 0, corrected times or tags."""
        if position == 0:
            return cls(event, EVENT_CORRECTED, ids.of("event", project, event))
        return cls(event, DATA_POINT_CORRECTED, ids.of("data_point", project, event, position))


class _Added(msgspec.Struct, frozen=True):
    """A static input that was added, and until when it counts."""

    number: int
    slug: str
    start: Instant
    end: Instant | None


async def announce_change(tx: Write, project: int) -> None:
    """Say that inputs of the project change in this transaction; comes before the change itself."""
    await tx.execute("SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))", (_lock(project),))


async def mark_users_of_events(tx: Write, project: int, changes: Collection[ChangedEvent]) -> None:
    """Mark every run whose newest batch was made of one of the events."""
    if not changes:
        return
    await tx.execute(
        f"""
        WITH changed AS MATERIALIZED (
            SELECT * FROM unnest(%(events)s::bigint[], %(reasons)s::text[], %(records)s::text[])
                          AS changed (event_id, reason, record)
        )
        INSERT INTO stale_runs (project_id, run_id, ledger_id, reason, record)
        SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, changed.reason, changed.record
          FROM batch_inputs i
         CROSS JOIN unnest(i.event_ids) AS used (event_id)
          JOIN changed ON changed.event_id = used.event_id
          JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
         WHERE i.project_id = %(project)s AND b.run_id IS NOT NULL AND {IS_NEWEST}
           AND int8range(i.first_event, i.last_event, '[]')
               && (SELECT range_agg(int8range(event_id, event_id, '[]')) FROM changed)
        ON CONFLICT DO NOTHING
        """,
        {
            "project": project,
            "events": [one.event for one in changes],
            "reasons": [one.reason for one in changes],
            "records": [one.record for one in changes],
        },
    )


async def mark_runs(tx: Write, project: int, marks: Sequence[tuple[int, str]], reason: str) -> None:
    """Mark runs, each for a record, on every ledger where they have batches."""
    await tx.execute(
        """
        INSERT INTO stale_runs (project_id, run_id, ledger_id, reason, record)
        SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, %s, mark.record
          FROM unnest(%s::bigint[], %s::text[]) AS mark (run_id, record)
          JOIN batches b ON (b.project_id, b.run_id) = (%s, mark.run_id) AND b.deleted_at IS NULL
        ON CONFLICT DO NOTHING
        """,
        (reason, [run for run, _ in marks], [record for _, record in marks], project),
    )


async def mark_changed_meanwhile(database: Database, tx: Write, project: int) -> None:
    """Mark what has changed since the snapshot of this transaction, and hold off changes until it ends.

    Comes last in a generation, when its batches and their lineage are written and old marks are cleared.
    """
    await tx.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (_lock(project),))
    snapshot: str = await tx.value("SELECT pg_current_snapshot()::text")
    values = {"project": project, "snapshot": snapshot}
    async with database.read() as fresh:
        corrected = await fresh.tuples(_CORRECTED.format(_UNSEEN.format(SQL("changed_by"))), values)
        inputs = await fresh.rows(_Added, _ADDED.format(_UNSEEN.format(SQL("s.added_by"))), values)
    await mark_users_of_events(tx, project, [ChangedEvent.at(project, *key) for key in corrected])
    for added in inputs:
        await _mark_readers(tx, project, added)


async def clear(
    tx: Write, project: int, family: int, ledgers: Sequence[int], slots: Sequence[Interval]
) -> None:
    """Take the marks off every run of the slots, on these ledgers."""
    await tx.execute(
        SQL("""
        DELETE FROM stale_runs s USING {runs}
         WHERE s.project_id = %(project)s AND s.ledger_id = ANY (%(ledgers)s) AND r.id = s.run_id
        """).format(runs=RUNS_OF_SLOTS),
        {"project": project, "family": family, "ledgers": list(ledgers), **slot_columns(slots)},
    )


async def mark_readers_of(tx: Write, project: int, static_input: int) -> None:
    """Mark the runs whose model reads a static input, in slots for which it changed the value.

    It counts from its moment to that of the next one with the same slug and the same asset, feedstock and
    location; a slot that has an instant of that stretch may have read it, and so may one that read events
    which began in it, where they are read at each event.
    """
    statement = _ADDED.format(SQL("s.id = %(id)s"))
    for added in await tx.rows(_Added, statement, {"project": project, "id": static_input}):
        await _mark_readers(tx, project, added)


async def _mark_readers(tx: Write, project: int, added: _Added) -> None:
    at_slots, at_events = [], []
    for model, document in await tx.tuples(_MODELS, (project,)):
        readers = [
            node.body
            for node in read_model(document).nodes
            if isinstance(node.body, StaticInput) and node.body.slug == added.slug
        ]
        at_slots += [model] * any(body.at is None for body in readers)
        at_events += [model] * any(body.at is not None for body in readers)
    if not at_slots and not at_events:
        return
    rows = await tx.tuples(
        _READERS,
        {
            "project": project,
            "start": added.start,
            "end": added.end,
            "at_slots": at_slots,
            "at_events": at_events,
        },
    )
    await mark_runs(tx, project, [(run, str(added.number)) for (run,) in rows], STATIC_INPUT_ADDED)


def _lock(project: int) -> str:
    return f"inputs:{project}"


_MODELS: Final = """
    SELECT m.id, m.document FROM models m
     WHERE m.id IN (SELECT model_id FROM batches WHERE project_id = %s AND deleted_at IS NULL)
"""
_READERS: Final = f"""
    SELECT r.id
      FROM runs r
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
     WHERE r.project_id = %(project)s AND b.model_id = ANY (%(at_slots)s)
       AND (r.end_time > %(start)s OR r.start_time = r.end_time AND r.start_time >= %(start)s)
       AND (%(end)s::timestamptz IS NULL OR r.start_time < %(end)s)
    UNION
    SELECT b.run_id
      FROM batches b
      JOIN batch_inputs i ON (i.project_id, i.batch_id) = (b.project_id, b.id)
     CROSS JOIN unnest(i.event_ids) AS used (id)
      JOIN events e ON (e.project_id, e.id) = (b.project_id, used.id)
     WHERE b.project_id = %(project)s AND b.model_id = ANY (%(at_events)s) AND {IS_NEWEST}
       AND e.start_time >= %(start)s AND (%(end)s::timestamptz IS NULL OR e.start_time < %(end)s)
     ORDER BY 1
"""

# What a snapshot does not show, of transactions that have committed. A number above those given out so far
# comes from another cluster, out of a dump.
_UNSEEN: Final = SQL("""
    {0} >= pg_snapshot_xmin(%(snapshot)s::pg_snapshot) AND {0} < pg_snapshot_xmax(pg_current_snapshot())
    AND NOT pg_visible_in_snapshot({0}, %(snapshot)s::pg_snapshot)
""")
_CORRECTED: Final = SQL("""
    SELECT DISTINCT event_id, position FROM corrections
     WHERE project_id = %(project)s AND {} ORDER BY event_id, position
""")
_ADDED: Final = SQL("""
    SELECT s.id, s.slug, s.effective_from,
           (SELECT min(later.effective_from) FROM static_inputs later
             WHERE later.project_id = s.project_id AND later.slug = s.slug
               AND (later.asset_id, later.feedstock_id, later.location_id)
                   IS NOT DISTINCT FROM (s.asset_id, s.feedstock_id, s.location_id)
               AND later.effective_from > s.effective_from)
      FROM static_inputs s WHERE s.project_id = %(project)s AND {} ORDER BY s.id
""")
