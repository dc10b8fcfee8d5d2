"""Mark calculations whose inputs have changed as out of date, and keep generations from missing such a
change.

`REASONS` lists why a batch can be out of date; `hold_off_generations` is for changes that no generation
may run beside; `announce` and the traces after it are for all other changes of inputs.

Invariants: a change and its marks commit together; a change that commits after a generation's snapshot
marks the batches of that generation.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString, NamedTuple

from weighbridge.core import identity
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Command, Write
from weighbridge.errors import Conflict
from weighbridge.platform.records import (
    CALIBRATION_CHANGED,
    DATA_POINT_CORRECTED,
    EVENT_CORRECTED,
    SERVICE_CHANGED,
    STATIC_INPUT_ADDED,
    UNCERTAINTY_CHANGED,
)

# The newest batch of a run on a ledger: it has the run's total, and says what the run is made of.


IS_NEWEST: Final[LiteralString] = """(
    b.deleted_at IS NULL AND NOT EXISTS (
        SELECT FROM batches newer
         WHERE (newer.project_id, newer.run_id, newer.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND newer.id > b.id AND newer.deleted_at IS NULL))"""
"""Whether a batch `b` is that one; deleted batches do not count."""


# Holding off generations: what may not change under one waits for none, and lets none begin.
#
# A generation works on the data as they were when it began. Which events there are, and names and a time
# zone that results depend on, may not change meanwhile: such a change is refused while a generation runs,
# and keeps others waiting until its own transaction ends.


@dataclass(frozen=True, slots=True)
class GenerationsHeldOff:
    """No generation of a project runs until the transaction ends; only `hold_off_generations` makes one.

    As a trace it leaves nothing: it shows that what was asked of the batches before the write still holds.
    """

    project: int

    def statements(self, project: int) -> Iterator[Command]:
        """Nothing to leave."""
        assert project == self.project, "generations of another project were held off"  # noqa: S101
        yield from ()


async def hold_off_generations(tx: Write, project: int) -> GenerationsHeldOff:
    """Keep every generation of the project waiting until the transaction ends; Conflict while one runs."""
    if await tx.value(*locks.try_share(await _names(tx, project))) is False:
        raise Conflict(
            "A generation works on the project's data just now; try again when its task has ended."
        )
    return GenerationsHeldOff(project)


async def await_generations(tx: Write, project: int) -> None:
    """Wait until no generation of the project runs, and keep others waiting until the transaction ends.

    Comes first in its transaction, which holds nothing that a generation may wait for.
    """
    await tx.execute(*locks.share_all(await _names(tx, project)))


async def _names(tx: Write, project: int) -> list[str]:
    families = await tx.tuples(
        "SELECT DISTINCT family_id FROM ledgers WHERE project_id = %s AND family_id IS NOT NULL", (project,)
    )
    return [locks.generation(project, family) for (family,) in families]


# Staleness: what a run was computed from has changed since, and which record that was.
#
# Whoever changes an input marks the runs that used it, on each ledger that they stand on; generating the
# slot again clears the marks, which is accounting's.
#
# Invariants: a change and its marks commit together. A generation works on its snapshot, and a change that
# commits after the snapshot marks the batches that the generation makes: changes hold the project's lock
# shared until they have committed, and before a generation commits it takes the lock alone and marks what
# has changed meanwhile. Neither waits for longer than the other takes to commit. A trace of changed inputs
# is made only of the value that taking the lock gives.


@dataclass(frozen=True, slots=True)
class InputsHeld:
    """The transaction holds the lock of a project's inputs; only `announce` and `await_changes` make one."""

    project: int


def announce(tx: Write, project: int) -> InputsHeld:
    """Say that inputs of the project change in this transaction; comes before the change itself."""
    tx.later(*locks.share(locks.inputs(project)))
    return InputsHeld(project)


async def await_changes(tx: Write, project: int) -> tuple[InputsHeld, str]:
    """Wait until the changes under way have committed, and hold off others until the transaction ends.

    Gives the snapshot of the transaction too, for whoever asks what it does not show.
    """
    _, [(snapshot,)] = await tx.several(
        locks.hold(locks.inputs(project)), ("SELECT pg_current_snapshot()::text", ())
    )
    return InputsHeld(project), snapshot


@dataclass(frozen=True, slots=True)
class ChangedValues:
    """Values of events that runs may have used: event and position, 0 for the event's times and tags."""

    held: InputsHeld
    values: Collection[tuple[int, int]]
    restated: Collection[tuple[int, int]] = ()
    """Those of which something else is stated about how well they are known."""

    def statements(self, project: int) -> Iterator[Command]:
        """Mark every run whose newest batch was made of one of the events, or of what rests on one."""
        if not self.values:
            return
        reasons = [EVENT_CORRECTED if position == 0 else DATA_POINT_CORRECTED for _, position in self.values]
        records = [
            identity.of("event", project, event)
            if position == 0
            else identity.of("data_point", project, event, position)
            for event, position in self.values
        ]
        events = [event for event, _ in self.values]
        yield _MARK_USERS, {"project": project, "events": events, "reasons": reasons, "records": records}
        if self.restated:
            yield (
                _MARK_USERS_OF_FILLED,
                {
                    "project": project,
                    "reason": DATA_POINT_CORRECTED,
                    "events": [event for event, _ in self.restated],
                    "positions": [position for _, position in self.restated],
                    "records": [identity.of("data_point", project, *value) for value in self.restated],
                },
            )


@dataclass(frozen=True, slots=True)
class AddedStaticInput:
    """A static input that was added, until when it counts, and the model versions that read its slug.

    It counts from its moment to that of the next one with the same slug and the same asset, feedstock and
    location; a slot that has an instant of that stretch may have read it, and so may one that read events
    which began in it, where they are read at each event.
    """

    held: InputsHeld
    number: int
    start: Instant
    end: Instant | None
    read_at_slots: Sequence[int]
    read_at_events: Sequence[int]

    def statements(self, project: int) -> Iterator[Command]:
        """Mark the runs of those versions, in slots for which it changed the value."""
        if not self.read_at_slots and not self.read_at_events:
            return
        values = {
            "project": project,
            "reason": STATIC_INPUT_ADDED,
            "record": str(self.number),
            "start": self.start,
            "end": self.end,
            "at_slots": [*self.read_at_slots],
            "at_events": [*self.read_at_events],
        }
        yield _MARK_READERS, values


ServiceBounds = tuple[datetime | None, datetime | None]
"""From when to when a meter is in service; None where it does not say."""


def mark_metered_runs(
    project: int, noun: str, number: int, before: ServiceBounds, after: ServiceBounds
) -> Command:
    """The statement that marks every run that used data of a meter, in slots with time whose service changed.

    The meter is an asset, or a location of events without one.
    """
    values = {
        "project": project,
        "reason": SERVICE_CHANGED,
        "record": identity.of(noun, project, number),
        "asset": number if noun == "asset" else None,
        "location": number if noun == "location" else None,
        "before": [*before],
        "after": [*after],
    }
    return _MARK_METERED, values


@dataclass(frozen=True, slots=True)
class RestatedTypes:
    """Data point types of an event type of which something else is stated about how well values are known."""

    held: GenerationsHeldOff
    record: str
    event_type: int
    points: Sequence[int]

    def statements(self, project: int) -> Iterator[Command]:
        """Mark every run whose newest batch read one of them."""
        values = {
            "project": project,
            "reason": UNCERTAINTY_CHANGED,
            "record": self.record,
            "event_type": self.event_type,
            "points": [*self.points],
        }
        yield _MARK_READERS_OF_POINTS, values


class CalibratedStretch(NamedTuple):
    """The readings that a calibration is about: those of a data point type and a meter, in a time."""

    event_type: int
    data_point_type: str
    asset: int | None
    start: datetime
    end: datetime | None


def mark_calibrated_runs(project: int, record: str, stretches: Sequence[CalibratedStretch]) -> Command:
    """The statement that marks every run whose newest batch used a reading that a calibration is about."""
    return _MARK_CALIBRATED, {
        "project": project,
        "reason": CALIBRATION_CHANGED,
        "record": record,
        **list_stretch_columns(stretches),
    }


def list_stretch_columns(stretches: Sequence[CalibratedStretch]) -> dict[str, list[Any]]:
    """The columns of stretches, as parameters of a statement."""
    names = ("types", "points", "assets", "starts", "ends")
    return dict(zip(names, map(list, zip(*stretches, strict=True)), strict=True))


@dataclass(frozen=True, slots=True)
class StaleRuns:
    """Runs that something else than an input made stale, each for a record."""

    reason: str
    runs: Sequence[tuple[int, str]]

    def statements(self, project: int) -> Iterator[Command]:
        """Mark the runs on every ledger where they have batches."""
        if self.runs:
            numbers, records = zip(*self.runs, strict=True)
            yield _MARK_RUNS, (self.reason, [*numbers], [*records], project)


MARK_FOUND: Final = """INSERT INTO stale_runs (project_id, run_id, ledger_id, reason, record)
    SELECT project_id, run_id, ledger_id, reason, record FROM found ON CONFLICT DO NOTHING"""
"""Marks what the part `found` of a statement has found.

It is a part of its own, because Citus 14 makes a condition without a column of an INSERT that reads tables.
"""

_FIND_USERS: Final = f"""
    found AS MATERIALIZED (
        SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, changed.reason, changed.record
          FROM batch_inputs i
         CROSS JOIN unnest(i.event_ids) AS used (event_id)
          JOIN changed ON changed.event_id = used.event_id
          JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
         WHERE i.project_id = %(project)s AND b.run_id IS NOT NULL AND {IS_NEWEST}
           AND int8range(i.first_event, i.last_event, '[]')
               && (SELECT range_agg(int8range(event_id, event_id, '[]')) FROM changed)
    )
    {MARK_FOUND}
"""
_MARK_USERS: Final = f"""
    WITH changed AS MATERIALIZED (
        SELECT * FROM unnest(%(events)s::bigint[], %(reasons)s::text[], %(records)s::text[])
                      AS changed (event_id, reason, record)
    ), {_FIND_USERS}
"""
_MARK_USERS_OF_FILLED: Final = f"""
    WITH changed AS MATERIALIZED (
        SELECT c.event_id, %(reason)s::text AS reason, source.record
          FROM unnest(%(events)s::bigint[], %(positions)s::smallint[], %(records)s::text[])
               AS source (event_id, position, record)
          JOIN corrections c ON c.project_id = %(project)s AND c.position = source.position
           AND c.substitution -> 'sources' -> 'events' @> to_jsonb(source.event_id)
    ), {_FIND_USERS}
"""
_MARK_READERS: Final = f"""
    WITH readers AS MATERIALIZED (
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
    ), found AS MATERIALIZED (
        SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, %(reason)s::text AS reason,
               %(record)s::text AS record
          FROM readers
          JOIN batches b ON (b.project_id, b.run_id) = (%(project)s, readers.id) AND b.deleted_at IS NULL
    )
    {MARK_FOUND}
"""
_MARK_METERED: Final = f"""
    WITH service AS (
        SELECT tstzmultirange(tstzrange(before[1], before[2])) AS before,
               tstzmultirange(tstzrange(after[1], after[2])) AS after
          FROM (SELECT %(before)s::timestamptz[] AS before, %(after)s::timestamptz[] AS after) AS bounds
    ), found AS MATERIALIZED (
        SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, %(reason)s::text AS reason,
               %(record)s::text AS record
          FROM service
          JOIN batches b ON b.project_id = %(project)s
           AND tstzrange(b.start_time, b.end_time) && ((before + after) - (before * after))
          JOIN batch_inputs i ON (i.project_id, i.batch_id) = (b.project_id, b.id)
         CROSS JOIN unnest(i.event_ids) AS used (id)
          JOIN events e ON (e.project_id, e.id) = (b.project_id, used.id)
         WHERE b.run_id IS NOT NULL AND {IS_NEWEST}
           AND (e.asset_id = %(asset)s OR e.asset_id IS NULL AND e.location_ids[1] = %(location)s)
    )
    {MARK_FOUND}
"""
_MARK_READERS_OF_POINTS: Final = f"""
    WITH found AS MATERIALIZED (
        SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, %(reason)s::text AS reason,
               %(record)s::text AS record
          FROM batch_input_sets s
          JOIN data_point_types t ON (t.project_id, t.event_type_id) = (s.project_id, s.event_type_id)
           AND t.position = ANY (s.positions) AND t.id = ANY (%(points)s::integer[])
          JOIN batches b ON (b.project_id, b.id) = (s.project_id, s.batch_id)
         WHERE s.project_id = %(project)s AND s.event_type_id = %(event_type)s AND b.run_id IS NOT NULL
           AND {IS_NEWEST}
    )
    {MARK_FOUND}
"""
_MARK_CALIBRATED: Final = f"""
    WITH stretch AS MATERIALIZED (
        SELECT * FROM unnest(%(types)s::integer[], %(points)s::text[], %(assets)s::integer[],
                             %(starts)s::timestamptz[], %(ends)s::timestamptz[])
                      AS stretch (event_type_id, slug, asset_id, start_time, end_time)
    ), found AS MATERIALIZED (
        SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, %(reason)s::text AS reason,
               %(record)s::text AS record
          FROM stretch
          JOIN data_point_types t ON (t.project_id, t.event_type_id, t.slug)
                                   = (%(project)s, stretch.event_type_id, stretch.slug)
          JOIN batch_input_sets s ON (s.project_id, s.event_type_id) = (t.project_id, t.event_type_id)
           AND t.position = ANY (s.positions)
          JOIN batches b ON (b.project_id, b.id) = (s.project_id, s.batch_id)
         WHERE b.run_id IS NOT NULL AND {IS_NEWEST}
           AND EXISTS (
               SELECT FROM (
                   SELECT used.id FROM batch_inputs i CROSS JOIN unnest(i.event_ids) AS used (id)
                    WHERE (i.project_id, i.batch_id, i.set_number)
                        = (s.project_id, s.batch_id, s.set_number)
                    UNION ALL
                   SELECT source.event::bigint FROM batch_corrections used
                     JOIN corrections c ON (c.project_id, c.id) = (used.project_id, used.correction_id)
                      AND c.position = t.position
                    CROSS JOIN jsonb_array_elements_text(c.substitution -> 'sources' -> 'events')
                          AS source (event)
                    WHERE (used.project_id, used.batch_id) = (s.project_id, s.batch_id)) AS read
                 JOIN events e ON (e.project_id, e.id) = (s.project_id, read.id)
                WHERE e.event_type_id = stretch.event_type_id
                  AND e.asset_id IS NOT DISTINCT FROM stretch.asset_id
                  AND e.start_time >= stretch.start_time
                  AND (stretch.end_time IS NULL OR e.start_time < stretch.end_time))
    )
    {MARK_FOUND}
"""
_MARK_RUNS: Final = f"""
    WITH found AS MATERIALIZED (
        SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, %s::text AS reason, mark.record
          FROM unnest(%s::bigint[], %s::text[]) AS mark (run_id, record)
          JOIN batches b ON (b.project_id, b.run_id) = (%s, mark.run_id) AND b.deleted_at IS NULL
    )
    {MARK_FOUND}
"""
