"""Find events that no generation has processed: stored or changed after their slot was last generated.

Invariants: everything stored by a transaction that began before a slot's instant was visible to the
snapshot of its generation. Of a ledger without a row in `ledger_waits`, every event that its active
model reads was processed, or is part of a run's newest batch, if it was stored before
`event_days_until`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.inputs.event_slots import read_streams_by_time
from weighbridge.accounting.inputs.streams import Catalogue, read_catalogue, select_matching
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.time.calendar import EVENT, Interval
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.statements import moments
from weighbridge.platform.staleness import IS_NEWEST

# Generated slots: up to which moment each slot of a ledger has seen its data.
#
# Only a generation can determine which events of a slot count; events that it has not read are found by this
# alone.
#
# Invariant: whatever was stored by a transaction that began before a slot's moment was visible to the
# snapshot that the slot was generated from. The moment lies before the snapshot, and before every
# transaction that was under way then, for what those store is not in the snapshot although it bears an
# earlier time. A slot of which a batch was deleted has seen nothing.


async def read_moment_before(tx: Read) -> object:
    """The moment up to which a snapshot that is taken after this sees all that was stored."""
    return await tx.value(f"SELECT {MOMENT_BEFORE}")


def keep_seen(tx: Write, scope: Scope, seen_until: object) -> None:
    """Note up to which moment the slots of a scope have seen all data, and forget those that they replace."""
    ledgers = [ledger.number for ledger in scope.ledgers]
    if scope.replaced:
        tx.later(_FORGET_SEEN, (scope.project, ledgers, *_build_time_columns(scope.replaced)))
    # An event that would make a slot has none yet: what was asked for is what was looked through.
    slots = (scope.requested,) if scope.model.cadence == EVENT else scope.slots
    tx.later(_KEEP_SEEN, (scope.project, seen_until, ledgers, *_build_time_columns(slots)))


async def forget_seen(tx: Write, project: int, batches: Sequence[int]) -> None:
    """Have the slots of deleted batches seen nothing: what counted in them is to be generated again.

    Whatever other batches count of these slots is theirs, and waits for nothing.
    """
    await tx.execute(_UNSEE, {"project": project, "batches": [*batches]})


def _build_time_columns(slots: tuple[Interval, ...]) -> tuple[object, object]:
    return moments(slot.start for slot in slots), moments(slot.end for slot in slots)


MOMENT_BEFORE: Final = """
    (SELECT least(clock_timestamp(), min(xact_start)) FROM pg_stat_get_activity(NULL)
      WHERE datid = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND pid <> pg_backend_pid())
"""
"""The moment up to which a snapshot that is taken after this sees all that was stored.

It asks the function behind the view: a cluster sends views on as what they read, which few may see.
"""
_FORGET_SEEN = """
    DELETE FROM generated_slots
     WHERE project_id = %s AND ledger_id = ANY (%s)
       AND (start_time, end_time) IN (SELECT * FROM unnest(%s::timestamptz[], %s::timestamptz[]))
"""
# A batch of one event lies in a range that was asked for, and has no slot of its own.
_UNSEE = """
    UPDATE generated_slots slot SET seen_until = 'epoch'
      FROM batches b
     WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s) AND b.run_id IS NOT NULL
       AND (slot.project_id, slot.ledger_id) = (b.project_id, b.ledger_id)
       AND slot.start_time <= b.start_time AND slot.end_time >= b.end_time
"""
_KEEP_SEEN = """
    INSERT INTO generated_slots (project_id, ledger_id, start_time, end_time, seen_until)
    SELECT %s, ledger_id, start_time, end_time, %s
      FROM unnest(%s::integer[]) AS ledger (ledger_id),
           (SELECT DISTINCT * FROM unnest(%s::timestamptz[], %s::timestamptz[]))
               AS slot (start_time, end_time)
    ON CONFLICT (project_id, ledger_id, start_time, end_time)
    DO UPDATE SET seen_until = greatest(generated_slots.seen_until, excluded.seen_until)
"""


# Waiting events: what was stored or changed in the time of a ledger and no generation has looked at yet.
#
# Invariant: of a ledger without a row in `ledger_waits` every event that its active model reads, and that
# was stored before the moment of `event_days_until`, was seen by a generation or is part of a run's newest
# batch.
#
# Storing events leaves nothing here. A worker sums up what changed by type and day (`event_days`), from the
# index by change, so a look at a year of minutes compares 365 moments with those of the slots
# (`generated_slots`); only days that changed after a slot was generated, or that no slot covers, are looked
# through event by event.
#
# A worked example. January was generated at noon. A delivery of 20 January comes at one o'clock: the day's
# last change is later than the slot's moment, its events are looked through, one was not there at noon, so
# one waits in the slot of January. A delivery of 3 February waits as well, in no slot. Generating both
# months takes the rows away.


WAITING_EVENTS_MAX: Final = 1_000
"""Events that are counted as waiting for one ledger; there may be more."""

SUMMED_AT_ONCE: Final = 200_000
"""Changed events that one transaction sums up by day."""


class _LedgerModel(msgspec.Struct, frozen=True):
    """A ledger with the active version of its model."""

    ledger: int
    model: int
    document: str


class _WaitingEvent(NamedTuple):
    """One event that waits, and the slot that has to be generated again; none where no slot was."""

    event: int
    start: datetime
    end: datetime
    slot_start: datetime | None
    slot_end: datetime | None


async def update_marked(database: Database) -> None:
    """Say of every ledger whose events or slots changed since the last look which events wait for it.

    Marks go when their projects were looked at, so a worker that dies on the way leaves them to the next.
    """
    async with database.read() as tx:
        marks = await tx.tuples(_MARKS)
        changed_rows = await tx.tuples(_CHANGED)
    projects = {project for _, project in marks} | {project for project, _ in changed_rows}
    updated = {project for project in projects if await update_waiting(database, project)}
    async with database.write() as tx:
        if seen_marks := [mark for mark, project in marks if project in updated]:
            await tx.execute("DELETE FROM waiting_marks WHERE id = ANY (%s)", (seen_marks,))
        if changed_rows and all(project in updated for project, _ in changed_rows):
            await tx.execute(_MOVE_HORIZON, (max(at for _, at in changed_rows),))


async def update_waiting(database: Database, project: int) -> bool:
    """Say of each ledger of a project which events wait for it; gives False where another worker is at it."""
    while True:
        async with database.write() as tx:
            ledgers = await tx.rows(_LedgerModel, _LEDGERS, (project,))
            if not ledgers:
                return True
            until = await lock_days(tx, project)
            if until is None:
                return False
            if await _sum_up_days(tx, project, until):
                continue
            catalogue = await read_catalogue(tx, project)
            for ledger in ledgers:
                await _keep(tx, project, ledger.ledger, await find_waiting(tx, project, ledger, catalogue))
            return True


async def lock_days(tx: Write, project: int) -> datetime | None:
    """Lock the sums by day of a project, until when they go; None where another worker has them.

    None as well where the project is gone: its account may move to another cell at any moment.
    """
    await tx.execute(_BEGIN_DAYS, {"project": project})
    until: datetime | None = await tx.value(_LOCK_DAYS, (project,))
    return until


async def find_waiting(
    tx: Read, project: int, ledger: _LedgerModel, catalogue: Catalogue
) -> list[_WaitingEvent]:
    """Events that wait for a ledger, one more than are counted at the most."""
    waiting_events: dict[int, _WaitingEvent] = {}
    for stream in await read_streams_by_time(tx, ledger.document, catalogue):
        values: dict[str, Any] = {
            "project": project,
            "ledger": ledger.ledger,
            "event_type": stream.event_type,
        }
        days = await tx.tuples(_CANDIDATE_DAYS, values)
        if not days:
            continue
        statement = SQL(_WAITING).format(
            stream=select_matching(stream),
            unseen=select_matching(stream),
            window=stream.window.condition,
            used=SQL(USED),
        )
        times = {
            "days": moments(day for day, _ in days),
            "ends": moments(end for _, end in days),
            "most": WAITING_EVENTS_MAX + 1 - len(waiting_events),
        }
        waiting_events |= {row[0]: _WaitingEvent(*row) for row in await tx.tuples(statement, values | times)}
        if len(waiting_events) > WAITING_EVENTS_MAX:
            break
    return list(waiting_events.values())


async def _sum_up_days(tx: Write, project: int, until: datetime) -> bool:
    """Sum up some of the events that changed since the last look; gives whether there are more."""
    values = {"project": project, "until": until, "now": await read_moment_before(tx), "most": SUMMED_AT_ONCE}
    bound = await tx.value(_BOUND, values)
    values["bound"] = bound or values["now"]
    await tx.execute(_SUM_UP, values)
    await tx.execute(_SUMMED, values)
    return bound is not None


async def _keep(tx: Write, project: int, ledger: int, waiting_events: Sequence[_WaitingEvent]) -> None:
    """Store the waiting events of a ledger; unchanged rows are not written."""
    values = {"project": project, "ledger": ledger}
    slots = Counter(_list_waiting_slots(waiting_events))
    of_slots = values | {
        "starts": moments(start for start, _ in slots),
        "ends": moments(end for _, end in slots),
        "counts": [*slots.values()],
    }
    await tx.execute(_DROP_SLOTS, of_slots)
    await tx.execute(_KEEP_SLOTS, of_slots)
    if not waiting_events:
        await tx.execute(_FORGET, values)
        return
    await tx.execute(
        _KEEP,
        values
        | {
            "count": min(len(waiting_events), WAITING_EVENTS_MAX),
            "is_more": len(waiting_events) > WAITING_EVENTS_MAX,
            "start": min(event.start for event in waiting_events),
            "end": max(event.end for event in waiting_events),
        },
    )


def _list_waiting_slots(waiting_events: Iterable[_WaitingEvent]) -> Iterable[tuple[datetime, datetime]]:
    for event in waiting_events:
        if event.slot_start is not None and event.slot_end is not None:
            yield event.slot_start, event.slot_end


_MARKS: Final = "SELECT id, project_id FROM waiting_marks ORDER BY id LIMIT 10000"
_CHANGED: Final = """
    SELECT c.project_id, max(c.at) FROM changes c
     WHERE c.at >= (SELECT at FROM waiting_horizon) AND c.kind = 'event' GROUP BY c.project_id
"""
_MOVE_HORIZON: Final = "UPDATE waiting_horizon SET at = greatest(at, %s + interval '1 millisecond')"

_LEDGERS: Final = """
    SELECT l.id, m.id, m.document
      FROM ledgers l JOIN model_families f ON f.id = l.family_id JOIN models m ON m.id = f.active_model_id
     WHERE l.project_id = %s ORDER BY l.id
"""

_BEGIN_DAYS: Final = """
    WITH made AS MATERIALIZED (
        SELECT id, 'epoch'::timestamptz FROM projects
         WHERE id = %(project)s AND NOT EXISTS (SELECT FROM event_days_until WHERE project_id = %(project)s)
           FOR KEY SHARE
    )
    INSERT INTO event_days_until (project_id, until) SELECT * FROM made ON CONFLICT DO NOTHING
"""
_LOCK_DAYS: Final = "SELECT until FROM event_days_until WHERE project_id = %s FOR UPDATE SKIP LOCKED"

# Events of one transaction bear one moment, and are never cut apart.
_BOUND: Final = """
    SELECT min(e.updated_at) FROM events e
     WHERE e.project_id = %(project)s AND e.updated_at > (
           SELECT updated_at FROM events
            WHERE project_id = %(project)s AND updated_at >= %(until)s AND updated_at < %(now)s
            ORDER BY updated_at OFFSET %(most)s LIMIT 1)
       AND e.updated_at < %(now)s
"""
_SUM_UP: Final = """
    WITH made AS MATERIALIZED (
        SELECT project_id, event_type_id, date_trunc('day', start_time, 'UTC'), max(end_time), max(updated_at)
          FROM events
         WHERE project_id = %(project)s AND updated_at >= %(until)s AND updated_at < %(bound)s
         GROUP BY project_id, event_type_id, date_trunc('day', start_time, 'UTC')
    )
    INSERT INTO event_days AS d (project_id, event_type_id, day, ends_at, changed_at)
    SELECT * FROM made
    ON CONFLICT (project_id, event_type_id, day) DO UPDATE
       SET ends_at = greatest(d.ends_at, excluded.ends_at),
           changed_at = greatest(d.changed_at, excluded.changed_at)
"""
_SUMMED: Final = """
    UPDATE event_days_until SET until = greatest(until, %(bound)s::timestamptz) WHERE project_id = %(project)s
"""

_SLOT_DAYS: Final = """
    slot_day AS (
        SELECT day, s.start_time, s.end_time, s.seen_until
          FROM generated_slots s
         CROSS JOIN LATERAL generate_series(
               date_trunc('day', s.start_time, 'UTC'), s.end_time, '1 day', 'UTC') AS day
         WHERE s.project_id = %(project)s AND s.ledger_id = %(ledger)s
    )
"""
"""The slots of a ledger, once for each day in UTC that they reach into."""

_CANDIDATE_DAYS: Final = f"""
    WITH {_SLOT_DAYS}, seen AS (
        SELECT day, min(date_trunc('milliseconds', seen_until)) AS seen_until,
               range_agg(tstzrange(start_time, end_time)) AS covered
          FROM slot_day GROUP BY day
    )
    SELECT d.day, d.ends_at FROM event_days d
     WHERE d.project_id = %(project)s AND d.event_type_id = %(event_type)s
       AND (EXISTS (SELECT FROM seen
                     WHERE seen.day BETWEEN d.day AND date_trunc('day', d.ends_at, 'UTC')
                       AND d.changed_at >= seen.seen_until)
         OR NOT EXISTS (SELECT FROM seen
                         WHERE seen.day = d.day
                           AND seen.covered @> tstzrange(d.day, d.day + interval '24 hours')))
     ORDER BY d.day
"""
"""Days that may have events that wait: changed after a slot was generated, or not covered by slots."""

USED: Final = f"""
    EXISTS (SELECT FROM batch_inputs i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
             WHERE i.project_id = %(project)s AND int8range(i.first_event, i.last_event, '[]') @> e.id
               AND e.id = ANY (i.event_ids) AND b.ledger_id = %(ledger)s AND {IS_NEWEST})
"""
"""Whether a run on the ledger is made of an event: whatever became of its values since, the run has seen it.

One that has left a run by moving elsewhere is to be seen where it is now.
"""

# Times of events are kept to the millisecond, and one may have been rounded down. OFFSET 0 keeps the question
# whether a run has seen an event, which costs most, behind what few events pass: without statistics the
# server would ask it of every event of the project.
_WAITING: Final = f"""
    WITH {_SLOT_DAYS}, candidate AS (
        SELECT * FROM unnest(%(days)s::timestamptz[], %(ends)s::timestamptz[]) AS c (day, ends_at)
    ), slot AS (
        SELECT DISTINCT c.day, s.start_time, s.end_time, s.seen_until
          FROM candidate c JOIN slot_day s ON s.day BETWEEN c.day AND date_trunc('day', c.ends_at, 'UTC')
    )
    SELECT e.* FROM (
        SELECT e.id, e.start_time, e.end_time, slot.start_time AS slot_start, slot.end_time AS slot_end
          FROM slot JOIN {{stream}}
            ON {{window}} AND e.start_time >= slot.day AND e.start_time < slot.day + interval '24 hours'
           AND e.updated_at >= date_trunc('milliseconds', slot.seen_until)
        UNION ALL
        SELECT e.id, e.start_time, e.end_time, NULL, NULL
          FROM candidate c JOIN {{unseen}}
            ON e.start_time >= c.day AND e.start_time < c.day + interval '24 hours'
         WHERE NOT EXISTS (
               SELECT FROM slot WHERE slot.day = c.day AND slot.start_time <= e.start_time
                  AND (slot.end_time > e.start_time OR slot.end_time = slot.start_time))
        OFFSET 0) AS e
     WHERE NOT {{used}} LIMIT %(most)s
"""

_KEEP: Final = """
    INSERT INTO ledger_waits AS w (project_id, ledger_id, event_count, is_more, start_time, end_time)
    VALUES (%(project)s, %(ledger)s, %(count)s, %(is_more)s, %(start)s, %(end)s)
    ON CONFLICT (project_id, ledger_id) DO UPDATE
       SET event_count = excluded.event_count, is_more = excluded.is_more,
           start_time = excluded.start_time, end_time = excluded.end_time
     WHERE (w.event_count, w.is_more, w.start_time, w.end_time)
           IS DISTINCT FROM (excluded.event_count, excluded.is_more, excluded.start_time, excluded.end_time)
"""
_FORGET: Final = "DELETE FROM ledger_waits WHERE project_id = %(project)s AND ledger_id = %(ledger)s"
_DROP_SLOTS: Final = """
    DELETE FROM slot_waits w
     WHERE project_id = %(project)s AND ledger_id = %(ledger)s
       AND NOT EXISTS (SELECT FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[])
                                   AS n (first, last)
                        WHERE (n.first, n.last) = (w.start_time, w.end_time))
"""
_KEEP_SLOTS: Final = """
    INSERT INTO slot_waits AS w (project_id, ledger_id, start_time, end_time, event_count)
    SELECT %(project)s, %(ledger)s, start_time, end_time, event_count
      FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(counts)s::integer[])
           AS n (start_time, end_time, event_count)
    ON CONFLICT (project_id, ledger_id, start_time, end_time) DO UPDATE
       SET event_count = excluded.event_count WHERE w.event_count <> excluded.event_count
"""
