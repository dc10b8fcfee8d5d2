"""A mark says what automatic rules have not looked at yet; it is written in the transaction that changed it.

Events are marked by the period in which they start, one mark for each event type that a request touches.
Marks cost a write a statement or two that travel with its next one and wait for nobody.

Invariants: a change that no mark tells of was committed before any automatic rule of its project could miss
it: a writer holds a lock, shared with all writers, from before it looks for rules until it commits, and the
first evaluation of a rule waits until it had that lock for itself.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Database, Write


class Mark(NamedTuple):
    """Events of a type that start from one moment to another, both included."""

    event_type: int
    first: datetime
    last: datetime


def marks_of(events: Iterable[tuple[int, datetime]]) -> list[Mark]:
    """The marks of events, each given by its type and start: one for each type."""
    starts: dict[int, list[datetime]] = {}
    for event_type, start in events:
        starts.setdefault(event_type, []).append(start)
    return [
        Mark(event_type, Instant.of(min(times)), Instant.of(max(times)))
        for event_type, times in starts.items()
    ]


def mark_events(tx: Write, project: int, marks: Sequence[Mark]) -> None:
    """Leave events to the automatic rules of their project, if it has any."""
    if not marks:
        return
    types, first, last = zip(*marks, strict=True)
    tx.later(
        "SELECT mark_events(%s, %s::integer[], %s::timestamptz[], %s::timestamptz[])",
        (project, list(types), list(first), list(last)),
    )


def mark_stored_events(tx: Write, project: int, events: Sequence[int]) -> None:
    """Leave events that are stored to the automatic rules, where they stand now.

    An event whose time changes is marked where it stood and where it stands.
    """
    if events:
        tx.later("SELECT pg_advisory_xact_lock_shared(rule_marks_lock(%s))", (project,))
        tx.later(_MARK_STORED_EVENTS, (project, list(events)))


def mark_batches(tx: Write, project: int, batches: Sequence[int]) -> None:
    """Leave the runs behind batches to the automatic rules."""
    # Without asking for rules: a generation reads a snapshot that is older than its commit.
    tx.later(_MARK_BATCHES, (project, list(batches)))


def mark_model_run(tx: Write, project: int, number: int) -> None:
    """Leave a model run that was made by itself to the automatic rules."""
    tx.later("INSERT INTO rule_dirty_ranges (project_id, model_run_id) VALUES (%s, %s)", (project, number))


async def await_writers(database: Database, project: int) -> None:
    """Wait for the writers that may not have seen a rule that is committed by now."""
    async with database.write() as tx:
        await tx.execute("SELECT pg_advisory_xact_lock(rule_marks_lock(%s))", (project,))


_MARK_STORED_EVENTS: Final = """
    INSERT INTO rule_dirty_ranges (project_id, event_type_id, start_time, end_time)
    SELECT e.project_id, e.event_type_id, min(e.start_time), max(e.start_time)
      FROM events e
     WHERE e.project_id = %s AND e.id = ANY (%s)
       AND EXISTS (SELECT FROM rules u
                    WHERE u.project_id = e.project_id AND u.evaluation = 'automatic'
                      AND u.deleted_at IS NULL)
     GROUP BY e.project_id, e.event_type_id
"""
_MARK_BATCHES: Final = """
    INSERT INTO rule_dirty_ranges (project_id, batch_id) SELECT %s, unnest(%s::bigint[])
"""
