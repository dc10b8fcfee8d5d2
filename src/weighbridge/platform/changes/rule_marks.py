"""A rule mark says what automatic rules have not looked at yet; it is left in the transaction of the write.

Events are marked by the period in which they start, one mark for each event type that a write touches. By
the same call readings are marked that are not rolled up yet.

Invariants: a change that no mark tells of was committed before any automatic rule of its project could miss
it: a writer holds a lock, shared with all writers, from before it looks for rules until it commits, and the
first evaluation of a rule waits until it had that lock for itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, LiteralString, NamedTuple, Self

from weighbridge.core.time.instant import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Command

MARK_EVENTS: Final[LiteralString] = "mark_events({})"
"""The call that leaves events to the automatic rules of their project, if it has any: its number, and arrays
of event types, first and last starts."""


class Mark(NamedTuple):
    """Events of a type that start from one moment to another, both included."""

    event_type: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class NewEvents:
    """Events that were stored just now, as their types and the times at which they start."""

    marks: tuple[Mark, ...]

    @classmethod
    def of(cls, events: Iterable[tuple[int, datetime]]) -> Self:
        """Events, each given by its type and start: one mark for each type."""
        starts: dict[int, list[datetime]] = {}
        for event_type, start in events:
            starts.setdefault(event_type, []).append(start)
        return cls(
            tuple(
                Mark(event_type, Instant.of(min(times)), Instant.of(max(times)))
                for event_type, times in starts.items()
            )
        )

    def statements(self, project: int) -> Iterator[Command]:
        """Leave the events to the automatic rules."""
        if self.marks:
            types, first, last = zip(*self.marks, strict=True)
            yield _MARK_NEW_EVENTS, (project, [*types], [*first], [*last])


@dataclass(frozen=True, slots=True)
class StoredEvents:
    """Events that were there before, where they stand now.

    An event whose time changes is left behind twice: before the change, and after it.
    """

    numbers: Sequence[int]

    def statements(self, project: int) -> Iterator[Command]:
        """Leave the events to the automatic rules."""
        if self.numbers:
            yield _MARK_STORED_EVENTS, (project, [*self.numbers])


@dataclass(frozen=True, slots=True)
class ChangedOutages:
    """Stretches of time for which something else is expected of meters, by the number of an event type.

    Without an event type all are meant, without an end all that comes behind. Slots are expected as a whole,
    so a stretch reaches back over the slot in which it begins.
    """

    stretches: Sequence[tuple[int | None, datetime, datetime | None]]

    def statements(self, project: int) -> Iterator[Command]:
        """Leave the events of those times to the automatic rules that fill gaps or count missed slots."""
        kinds, starts, ends = zip(*self.stretches, strict=True)
        yield locks.share_rule_marks(project)
        values = {"project": project, "kinds": [*kinds], "starts": [*starts], "ends": [*ends]}
        yield _MARK_OUTAGES, values


@dataclass(frozen=True, slots=True)
class ChangedBatches:
    """Batches that were made or deleted."""

    numbers: Sequence[int]

    def statements(self, project: int) -> Iterator[Command]:
        """Leave the runs behind the batches to the automatic rules."""
        # Without asking for rules: a generation reads a snapshot that is older than its commit.
        if self.numbers:
            yield _MARK_BATCHES, (project, [*self.numbers])


@dataclass(frozen=True, slots=True)
class ChangedModelRun:
    """A model run that was made by itself, or deleted."""

    number: int

    def statements(self, project: int) -> Iterator[Command]:
        """Leave the run to the automatic rules."""
        yield _MARK_MODEL_RUN, (project, self.number)


_MARK_NEW_EVENTS: Final = f"SELECT {MARK_EVENTS}".format(
    "%s, %s::integer[], %s::timestamptz[], %s::timestamptz[]"
)
_MARK_STORED_EVENTS: Final = """
    SELECT mark_events(changed.project_id, array_agg(changed.event_type_id), array_agg(changed.first),
                       array_agg(changed.last))
      FROM (SELECT e.project_id, e.event_type_id, min(e.start_time) AS first, max(e.start_time) AS last
              FROM events e
             WHERE e.project_id = %s AND e.id = ANY (%s)
             GROUP BY e.project_id, e.event_type_id) AS changed
     GROUP BY changed.project_id
"""
_MARK_OUTAGES: Final = """
    INSERT INTO rule_dirty_ranges (project_id, event_type_id, start_time, end_time)
    SELECT t.project_id, t.id,
           greatest('0001-01-01 00:00Z', outage.start_time - t.cadence_amount * CASE t.cadence_unit
               WHEN 'minute' THEN interval '1 minute' WHEN 'hour' THEN interval '1 hour'
               WHEN 'day' THEN interval '2 days' WHEN 'week' THEN interval '8 days'
               ELSE interval '32 days' END),
           coalesce(outage.end_time, greatest(outage.start_time, (SELECT max(e.start_time) FROM events e
              WHERE (e.project_id, e.event_type_id) = (t.project_id, t.id))))
      FROM event_types t
      JOIN unnest(%(kinds)s::integer[], %(starts)s::timestamptz[], %(ends)s::timestamptz[])
           AS outage (event_type_id, start_time, end_time) ON t.id = coalesce(outage.event_type_id, t.id)
     WHERE t.project_id = %(project)s AND t.cadence_unit IS NOT NULL
       AND EXISTS (SELECT FROM rules u
                     JOIN rule_versions v
                       ON (v.project_id, v.rule_id, v.version) = (u.project_id, u.id, u.latest_version)
                    WHERE u.project_id = t.project_id AND u.evaluation = 'automatic'
                      AND u.deleted_at IS NULL AND (v.purpose IN ('substitute', 'impute')
                           OR concat(v.expression, v.correction) ~~* '%%missed_slots%%'))
"""
_MARK_BATCHES: Final = """
    INSERT INTO rule_dirty_ranges (project_id, batch_id) SELECT %s, unnest(%s::bigint[])
"""
_MARK_MODEL_RUN: Final = "INSERT INTO rule_dirty_ranges (project_id, model_run_id) VALUES (%s, %s)"
