"""Identify runs: slot and partition, the fingerprint of the data, and the slots in force on a ledger.

Invariants: within a project, no two runs of a model share an identity. A slot of cadence `event` is
identified by its event or tracking ID, so correcting a time does not change the run. Two runs with
equal fingerprints have equal results. The differences of a run's batches add up to its total. No two
slots in force share time, except slots of events or tracking IDs.

Determine which batches are out of date and why, and update the marks that generations leave.

A batch is out of date while its run is marked, was computed by an older revision of the engine, or
draws from an outdated run. Only the newest batch of a run on its ledger reports this.

Invariant: a deleted or adjusted batch is never out of date.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, LiteralString

import msgspec
from psycopg.rows import TupleRow
from psycopg.sql import SQL

from weighbridge.accounting.records.batches import StaleReason, ValueSourceShares
from weighbridge.core import identity
from weighbridge.core.engine import ENGINE_REVISION, PartitionRun
from weighbridge.core.engine.slot_computation import Drawn
from weighbridge.core.ledger.allocation import Partition, ValueSource, compute_shares, read_columns
from weighbridge.core.model import Available, Model
from weighbridge.core.number import EXACT, ZERO, digits, plain
from weighbridge.core.time.calendar import EventSlot, Instant, Interval, build_slot
from weighbridge.db.engine import Command, Database, Read, Write
from weighbridge.db.statements import moments, nothings
from weighbridge.modelling.documents import Stretch, ask_for_stretches, reach_of
from weighbridge.platform import changes, staleness
from weighbridge.platform.records import ENGINE_CHANGED, UPSTREAM_STALE
from weighbridge.platform.staleness import IS_NEWEST

# The identity of a run: the slot and the partition that it is of, and the columns that say so.
#
# Invariants: no two runs of a model in a project have the same identity; a slot of events is its event or
# its tracking id, whatever its times are, so that a run stays the same run when they are corrected.


CHUNK_SIZE: Final = 1000
"""Events in one row of lineage, which has the events of a batch in the order in which they count."""


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """The identity of a run within its model."""

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
        return build_slot(
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
of `build_slot_columns`."""


def build_slot_columns(slots: Sequence[Interval]) -> Mapping[str, list[Any] | str]:
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


# The fingerprint of a run: a digest of everything that its result depends on.
#
# Two runs with the same fingerprint have equal results; a batch whose run has another is recalculated. What
# an event says is identified by its id and the corrections in force on it, because a captured value never
# changes.
#
# A run of which no data is left has a fingerprint of its own: its data have left it, or other slots have
# taken its time, and its batch brings it to zero. A run counts something while its newest batch on a ledger
# has another one.
#
# Invariants: neither the order of events nor the way they were grouped shows; another value, time, weight,
# static input or draw does, also where the totals stay equal.


NO_DATA: Final = hashlib.sha256(b"no data").digest()
"""The fingerprint of a batch that was made of nothing."""

COUNTS: Final[LiteralString] = "(b.fingerprint <> sha256('no data'))"
"""Whether a batch `b` was made of data; those of instruments have no fingerprint, and no run."""


def compute_fingerprint(
    model_sha256: bytes,
    partition_run: PartitionRun,
    names: Mapping[int, Sequence[str]] | None = None,
    unread: Collection[str] = (),
) -> bytes:
    """Digest a run; `names` are the nodes that read each source, which do not depend on its number.

    Nodes that only see what another ledger holds stay unread and count by what is made of them: what runs
    have drawn since is no reason to make a batch anew.
    """
    digest = hashlib.sha256(model_sha256)
    for line in sorted(_list_data_lines(partition_run, names or {})):
        digest.update(f"{line}\n".encode())
    for line in draw_lines(partition_run.draws):
        digest.update(line.encode())
    for slug, reading in partition_run.readings.items():
        if slug in unread:
            continue
        digest.update(f"{slug} {digits(reading.amount)} {digits(reading.whole)}\n".encode())
    return digest.digest()


def _list_data_lines(partition_run: PartitionRun, names: Mapping[int, Sequence[str]]) -> Iterator[str]:
    counts: dict[int, int] = {}
    hashes: dict[int, Decimal] = {}
    for group in partition_run.groups:
        counts[group.source] = counts.get(group.source, 0) + group.event_count
        hashes[group.source] = EXACT.add(hashes.get(group.source, ZERO), group.digest)
    for source, elements in partition_run.used.items():
        counts[source] = len(elements)
        hashes[source] = Decimal(sum(element.digest for element in elements))
    for source, count in counts.items():
        yield f"{','.join(names.get(source, [str(source)]))} {count} {plain(hashes[source])}"
    for slug, numbers in partition_run.statics.items():
        yield f"{slug} {sorted(numbers)}"
    for slug in partition_run.skipped:
        yield f"{slug} set aside"


def list_seen_nodes(model: Model) -> list[str]:
    """The nodes that only see what another ledger holds."""
    return [node.slug for node in model.nodes if isinstance(node.body, Available)]


def draw_lines(draws: Iterable[Drawn]) -> Iterator[str]:
    """What a run's result owes to its draws, line by line."""
    for draw in draws:
        along = [f"{plain(value)} {unit}" for value, unit in zip(draw.attributes, draw.units, strict=True)]
        yield " ".join([draw.node, str(draw.source.number), plain(draw.amount), *along]) + "\n"


# Slots in force on a ledger, and those of them that share time, of which no books may have any.
#
# A slot is in force on a ledger while a run of it counts something there (`fingerprint`). While no
# two share time, an event that lies in a slot counts in that one alone. Slots of events may share time with
# one another, for each has its own event; those of tracking ids likewise.


IN_FORCE: Final[LiteralString] = f"(b.run_id IS NOT NULL AND {COUNTS} AND {IS_NEWEST})"
"""Whether a batch `b` is the newest of its run on its ledger and was made of data."""

SPAN: Final[LiteralString] = """
    tstzrange({0}.start_time, greatest({0}.end_time, {0}.start_time + interval '1 millisecond'))
"""
"""The time of a slot, of a table with its bounds; a reading holds its own instant."""

# Of two slots that share time, the later one is reported. What comes before it in time may reach into it: of
# slots of one kind of event only those of another kind, or cut by a clock.
SHARING_TIME: Final[LiteralString] = f"""
    WITH slot AS (
        SELECT b.project_id, b.ledger_id, r.family_id, r.start_time, upper({SPAN.format("r")}) AS end_time,
               CASE WHEN NOT r.by_event THEN 'time' WHEN r.event_id IS NULL THEN 'tracking_id'
                    ELSE 'event' END AS kind,
               min(b.id) AS batch_id
          FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
         WHERE %condition% AND {IN_FORCE}
         GROUP BY 1, 2, 3, 4, 5, 6
    ), reaching AS (
        SELECT *,
               max(end_time) FILTER (WHERE kind = 'time') OVER earlier AS time_end,
               max(end_time) FILTER (WHERE kind = 'event') OVER earlier AS event_end,
               max(end_time) FILTER (WHERE kind = 'tracking_id') OVER earlier AS tracking_end
          FROM slot
        WINDOW earlier AS (PARTITION BY project_id, ledger_id, family_id
                           ORDER BY start_time, end_time, kind, batch_id
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    )
    SELECT project_id, ledger_id, batch_id, start_time, end_time FROM reaching
     WHERE greatest(time_end, CASE WHEN kind <> 'event' THEN event_end END,
                    CASE WHEN kind <> 'tracking_id' THEN tracking_end END) > start_time
"""


def select_sharing_time(condition: LiteralString) -> LiteralString:
    """A batch of each slot in force that shares time with an earlier one, of batches `b` of a condition."""
    return SHARING_TIME.replace("%condition%", condition)


# Digests of slots: what each slot of a ledger was last computed from, to recognise an unchanged slot.
#
# Invariant: a slot has a digest only while its batches are what was computed from the data of that digest;
# deleting one of them, or replacing the slot, forgets it.


Digests = Mapping[Interval, bytes]
"""By slot."""


async def read_digests(
    tx: Read, project: int, ledgers: Collection[int], slots: Collection[Interval]
) -> dict[Interval, list[bytes]]:
    """The digests that some ledgers have of slots, one for each ledger that has one."""
    rows = await tx.tuples(
        """
        SELECT start_time, end_time, digest FROM slot_digests
         WHERE project_id = %s AND ledger_id = ANY (%s) AND start_time = ANY (%s::timestamptz[])
        """,
        (project, [*ledgers], moments(slot.start for slot in slots)),
    )
    digests: dict[Interval, list[bytes]] = {}
    for start, end, digest in rows:
        digests.setdefault(Interval(start, end), []).append(digest)
    return digests


def keep_digests(
    tx: Write,
    project: int,
    ledgers: Collection[int],
    digests: Digests,
    replaced_slots: Collection[Interval] = (),
) -> None:
    """Note what slots were computed from, and forget it of those that they replace."""
    slots = [*replaced_slots, *digests]
    if not slots:
        return
    tx.later(
        """
        DELETE FROM slot_digests
         WHERE project_id = %s AND ledger_id = ANY (%s)
           AND (start_time, end_time) IN (SELECT * FROM unnest(%s::timestamptz[], %s::timestamptz[]))
        """,
        (
            project,
            [*ledgers],
            moments(slot.start for slot in slots),
            moments(slot.end for slot in slots),
        ),
    )
    tx.later(
        """
        INSERT INTO slot_digests (project_id, ledger_id, start_time, end_time, digest)
        SELECT %s, ledger_id, start_time, end_time, digest
          FROM unnest(%s::integer[]) AS ledger (ledger_id),
               unnest(%s::timestamptz[], %s::timestamptz[], %s::bytea[])
                   AS slot (start_time, end_time, digest)
        """,
        (
            project,
            [*ledgers],
            moments(slot.start for slot in digests),
            moments(slot.end for slot in digests),
            [*digests.values()],
        ),
    )


# The part of a batch `b` in its run: what it adds to the total, the total, and which batches adjust it.
#
# Invariant: the differences of a run's batches add up to its total.


# What a batch adds to its run, signed: a fall, or a rise that first gives back what falls took, credits less.
# Batches of a run are deleted from the newest on, so the remaining ones build on one another.
DIFFERENCE: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NULL THEN b.total ELSE trim_scale(b.total - (
        SELECT earlier.total FROM batches earlier
         WHERE (earlier.project_id, earlier.run_id, earlier.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND earlier.id < b.id AND earlier.deleted_at IS NULL
         ORDER BY earlier.id DESC LIMIT 1)) END
"""
# The first batch of a run has the current total, an adjusting batch the total at its time.
RUN_TOTAL: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NOT NULL OR b.run_id IS NULL THEN b.total ELSE (
        SELECT newest.total FROM batches newest
         WHERE (newest.project_id, newest.run_id, newest.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND newest.deleted_at IS NULL
         ORDER BY newest.id DESC LIMIT 1) END
"""
ADJUSTED_BY: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NULL AND b.run_id IS NOT NULL THEN ARRAY(
        SELECT later.id FROM batches later
         WHERE (later.project_id, later.run_id, later.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND later.id > b.id AND later.deleted_at IS NULL
         ORDER BY later.id) END
"""

RESTS_ON: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NOT NULL OR b.run_id IS NULL THEN CASE WHEN b.total <> 0 THEN c.contributions END
    ELSE (SELECT CASE WHEN newest.total <> 0 THEN (
                 SELECT s.contributions FROM batch_calculations s
                  WHERE (s.project_id, s.batch_id) = (newest.project_id, newest.id) AND s.is_primary) END
            FROM (SELECT run.project_id, run.id, run.total FROM batches run
                   WHERE (run.project_id, run.run_id, run.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
                     AND run.deleted_at IS NULL
                   ORDER BY run.id DESC LIMIT 1) AS newest) END
"""
"""By value source, what the run of a batch rests on: as with the total, and nothing rests on nothing."""


# Shares of value sources: how much of a run's total was measured, and how much was not.


def compute_value_source_shares(contributions: Sequence[Decimal] | None) -> ValueSourceShares | None:
    """The shares that follow from what contributes, source by source; None where nothing does."""
    shares = None if contributions is None else compute_shares(read_columns(contributions))
    return None if shares is None else ValueSourceShares(*(shares[source] for source in ValueSource))


def compute_measured_share(shares: ValueSourceShares | None) -> Decimal | None:
    """The share of what was measured."""
    return None if shares is None else shares.captured


# Stale reasons: why a batch is out of date, and how readers are notified.
#
# A run carries its own reasons, and one that an older revision of the engine computed has that in addition,
# unless it was made of nothing, which every revision computes alike; a batch that draws from a stale run is
# stale by it. Of the batches of a run the newest on its ledger says so, because it has the run's total.
#
# Invariants: a deleted batch, and one that a newer one adjusts, is not stale.


STALE_REASONS_MAX: Final = 20
"""Reasons that a stale batch names; there may be more."""


async def read_stale_reasons(tx: Read, project: int, batches: Sequence[int]) -> dict[int, list[StaleReason]]:
    """Why each of some batches is stale; those that are not have no reasons."""
    [is_any] = await tx.tuples(*is_any_stale(project))
    return await read_stale_reasons_if(tx, project, batches, is_any)


def is_any_stale(project: int) -> Command:
    """The question whether any batch of a project is stale."""
    return _IS_ANY_STALE, {"project": project, "revision": ENGINE_REVISION}


async def read_stale_reasons_if(
    tx: Read, project: int, batches: Sequence[int], is_any: TupleRow
) -> dict[int, list[StaleReason]]:
    """Why each of some batches is stale, asked only where the answer was that some of the project is."""
    reasons: dict[int, list[StaleReason]] = {batch: [] for batch in batches}
    if not is_any[0]:
        return reasons
    values = {
        "project": project, "revision": ENGINE_REVISION, "batches": list(batches), "most": STALE_REASONS_MAX,
    }  # fmt: skip
    for batch, reason, record, source in await tx.tuples(_REASONS, values):
        record_name = identity.of("batch", project, source) if source else record
        reasons[batch].append(StaleReason(reason, record_name))
    return reasons


STALE_BATCHES_MAX: Final = 1000
"""Batches that an impact names as stale; there may be more."""


@dataclass(frozen=True, slots=True)
class StaleSourceBatch:
    """A batch that is drawn from although its run is stale."""

    batch: int
    ledger: int
    name: str
    reasons: tuple[StaleReason, ...]


async def read_stale_sources(tx: Read, project: int, batches: Collection[int]) -> list[StaleSourceBatch]:
    """Those of some batches whose runs are stale, whichever batch of its run says so."""
    if not batches:
        return []
    rows = await tx.tuples(
        """
        SELECT source.id, source.ledger_id, source.tracking_id,
               (SELECT max(b.id) FROM batches b
                 WHERE (b.project_id, b.run_id, b.ledger_id)
                     = (source.project_id, source.run_id, source.ledger_id) AND b.deleted_at IS NULL)
          FROM batches source
         WHERE source.project_id = %s AND source.id = ANY (%s) AND source.run_id IS NOT NULL
         ORDER BY source.start_time, source.end_time, source.tracking_id, source.id
        """,
        (project, sorted(batches)),
    )
    reasons = await read_stale_reasons(tx, project, [newest for *_, newest in rows if newest is not None])
    return [
        StaleSourceBatch(number, ledger, name, tuple(reasons[newest]))
        for number, ledger, name, newest in rows
        if reasons.get(newest)
    ]


def select_stale(projects: LiteralString) -> LiteralString:
    """The stale batches of the projects of a condition, such as `= 7`, by their `project_id` and `id`.

    It goes from the marked runs down to those that draw from them, so it costs what they are, however many
    batches there are. Each step looks its rows up in the order of an index, so the planner takes that.
    """
    return _STALE.replace("%projects%", projects)


async def count_stale_of_ledgers(tx: Read, project: int, ledgers: Sequence[int]) -> dict[int, int]:
    """How many batches of some ledgers are stale."""
    return dict(await tx.tuples(_STALE_OF_LEDGERS, {"project": project, "ledgers": list(ledgers)}))


async def read_newly_stale(tx: Read, project: int) -> dict[int, int]:
    """The batches that this transaction makes stale, by their runs or by what they draw; each its ledger.

    At most STALE_BATCHES_MAX, the earliest slots first.
    """
    rows = await tx.tuples(_MADE_STALE, {"project": project, "most": STALE_BATCHES_MAX})
    return dict(rows)


_MADE_STALE: Final = f"""
    WITH RECURSIVE stale AS (
        SELECT b.id, b.run_id, b.ledger_id, b.start_time
          FROM stale_runs s
          JOIN batches b ON (b.project_id, b.run_id, b.ledger_id) = (s.project_id, s.run_id, s.ledger_id)
         WHERE s.project_id = %(project)s AND s.marked_by = pg_current_xact_id() AND {IS_NEWEST}
        UNION
        SELECT b.id, b.run_id, b.ledger_id, b.start_time
          FROM stale
          JOIN batches source ON (source.project_id, source.run_id, source.ledger_id)
                               = (%(project)s, stale.run_id, stale.ledger_id)
          JOIN batch_draws d ON (d.project_id, d.source_batch_id) = (source.project_id, source.id)
          JOIN batches b ON (b.project_id, b.id) = (d.project_id, d.batch_id) AND {IS_NEWEST}
    )
    SELECT id, ledger_id FROM stale ORDER BY start_time, id LIMIT %(most)s
"""


def select_drawing(source: LiteralString) -> LiteralString:
    """The batches `b` that draw from the runs of the rows `source`, if they are the newest of their runs.

    One step down the chain, for a walk of `project_id`, `id`, `run_id` and `ledger_id`.
    """
    return f"""
        {source}
        CROSS JOIN LATERAL (
            SELECT id FROM batches
             WHERE (project_id, run_id, ledger_id)
                 = ({source}.project_id, {source}.run_id, {source}.ledger_id)
             ORDER BY id OFFSET 0) AS source
        CROSS JOIN LATERAL (
            SELECT batch_id FROM batch_draws
             WHERE (project_id, source_batch_id) = ({source}.project_id, source.id) OFFSET 0) AS drawn
        CROSS JOIN LATERAL (
            SELECT * FROM batches WHERE (project_id, id) = ({source}.project_id, drawn.batch_id) OFFSET 0
        ) AS drawing {join_newest("drawing")}
        WHERE b.id = drawing.id
    """


def join_newest(batch: LiteralString) -> LiteralString:
    """Joins the batch `b` which is the newest of a row's run on its ledger."""
    return f"""
        CROSS JOIN LATERAL (
            SELECT n.project_id, n.id, n.run_id, n.ledger_id FROM batches n
             WHERE (n.project_id, n.run_id, n.ledger_id)
                 = ({batch}.project_id, {batch}.run_id, {batch}.ledger_id) AND n.deleted_at IS NULL
             ORDER BY n.id DESC LIMIT 1) AS b
    """


_STALE: Final[LiteralString] = f"""
    WITH RECURSIVE marked AS (
        SELECT b.project_id, b.id, b.run_id, b.ledger_id
          FROM stale_runs s {join_newest("s")} WHERE s.project_id %projects%
        UNION
        SELECT b.project_id, b.id, b.run_id, b.ledger_id
          FROM (SELECT * FROM batches b
                 WHERE project_id %projects% AND run_id IS NOT NULL AND deleted_at IS NULL
                   AND engine_revision < {ENGINE_REVISION} AND {COUNTS}
                 ORDER BY project_id, engine_revision OFFSET 0) AS older {join_newest("older")}
         WHERE b.id = older.id
    ), stale AS (
        SELECT project_id, id, run_id, ledger_id FROM marked
        UNION
        SELECT b.project_id, b.id, b.run_id, b.ledger_id FROM {select_drawing("stale")}
    )
    SELECT project_id, id FROM stale
"""

_STALE_OF_LEDGERS: Final = f"""
    SELECT b.ledger_id, count(*)
      FROM ({select_stale("= %(project)s")}) AS stale
      JOIN batches b ON (b.project_id, b.id) = (stale.project_id, stale.id)
     WHERE b.ledger_id = ANY (%(ledgers)s)
     GROUP BY b.ledger_id
"""

_IS_ANY_STALE: Final[LiteralString] = (
    """
    SELECT EXISTS (SELECT FROM stale_runs WHERE project_id = %(project)s)
        OR EXISTS (SELECT FROM batches b
                    WHERE project_id = %(project)s AND deleted_at IS NULL AND run_id IS NOT NULL
                      AND engine_revision < %(revision)s AND """
    + COUNTS
    + ")"
)

# `basis` is what a batch rests on: its own run, and by way of draws the runs of others. Of those, the
# newest batch counts: it names all that its run draws.
_REASONS: Final = f"""
    WITH RECURSIVE newest AS (
        SELECT b.id, b.project_id, b.run_id, b.ledger_id FROM batches b
         WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s) AND b.run_id IS NOT NULL
           AND {IS_NEWEST}
    ), basis (batch_id, run_id, ledger_id, holder) AS (
        SELECT id, run_id, ledger_id, id FROM newest
        UNION
        SELECT basis.batch_id, source.run_id, source.ledger_id,
               (SELECT max(b.id) FROM batches b
                 WHERE (b.project_id, b.run_id, b.ledger_id)
                     = (source.project_id, source.run_id, source.ledger_id) AND b.deleted_at IS NULL)
          FROM basis
          JOIN batch_draws d ON d.project_id = %(project)s AND d.batch_id = basis.holder
          JOIN batches source ON (source.project_id, source.id) = (d.project_id, d.source_batch_id)
         WHERE source.run_id IS NOT NULL
    ), reasons AS (
        SELECT basis.batch_id, s.reason, s.record, NULL::bigint AS source, s.marked_at
          FROM basis
          JOIN stale_runs s ON (s.project_id, s.run_id, s.ledger_id)
                             = (%(project)s, basis.run_id, basis.ledger_id)
         WHERE basis.holder = basis.batch_id
        UNION
        SELECT basis.batch_id, '{ENGINE_CHANGED}', b.engine_revision::text, NULL, NULL
          FROM basis JOIN batches b ON (b.project_id, b.id) = (%(project)s, basis.holder)
         WHERE basis.holder = basis.batch_id AND b.engine_revision < %(revision)s AND {COUNTS}
        UNION
        SELECT basis.batch_id, '{UPSTREAM_STALE}', '', basis.holder, NULL
          FROM basis
         WHERE basis.holder <> basis.batch_id
           AND (EXISTS (SELECT FROM stale_runs s WHERE (s.project_id, s.run_id, s.ledger_id)
                             = (%(project)s, basis.run_id, basis.ledger_id))
                OR EXISTS (SELECT FROM batches b WHERE (b.project_id, b.id) = (%(project)s, basis.holder)
                              AND b.engine_revision < %(revision)s AND {COUNTS}))
    ), numbered AS (
        SELECT batch_id, reason, record, source,
               row_number() OVER (PARTITION BY batch_id
                                  ORDER BY min(marked_at), reason, record, source) AS rank
          FROM reasons GROUP BY batch_id, reason, record, source
    )
    SELECT batch_id, reason, record, source FROM numbered WHERE rank <= %(most)s ORDER BY batch_id, rank
"""


# Staleness as generations meet it: they clear the marks of what they compute anew, and mark what changed.
#
# A change of an input marks the runs that used it; `platform/staleness.py` defines which, and holds the
# project's lock. A batch is stale while its run is marked, or while a run that it draws from is stale; of a
# run's batches the newest says so.


async def mark_changed_meanwhile(database: Database, tx: Write, project: int) -> None:
    """Mark what has changed since the snapshot of this transaction, and hold off changes until it ends.

    Comes last in a generation, when its batches and their lineage are written and old marks are cleared.
    """
    inputs, snapshot = await staleness.await_changes(tx, project)
    values = {"snapshot": snapshot}
    async with database.read() as fresh:
        corrected_values, added_events = await fresh.lastly(
            (_CORRECTED, {"project": project, **values}),
            ask_for_stretches(project, _UNSEEN.format("s.added_by"), values),
        )
    changes.leave(tx, project, staleness.ChangedValues(inputs, corrected_values))
    for row in added_events:
        # By this transaction: it sees the versions of its own batches.
        changes.leave(tx, project, await reach_of(tx, inputs, Stretch(*row)))


def clear(tx: Write, project: int, family: int, ledgers: Sequence[int], slots: Sequence[Interval]) -> None:
    """Take the marks off every run of the slots, on these ledgers."""
    tx.later(
        SQL("""
        DELETE FROM stale_runs s USING {runs}
         WHERE s.project_id = %(project)s AND s.ledger_id = ANY (%(ledgers)s) AND r.id = s.run_id
        """).format(runs=RUNS_OF_SLOTS),
        {"project": project, "family": family, "ledgers": list(ledgers), **build_slot_columns(slots)},
    )


# What a snapshot does not show, of transactions that have committed. A number above those given out so far
# comes from another cluster, out of a dump.
_UNSEEN: Final = """
    {0} >= pg_snapshot_xmin(%(snapshot)s::pg_snapshot) AND {0} < pg_snapshot_xmax(pg_current_snapshot())
    AND NOT pg_visible_in_snapshot({0}, %(snapshot)s::pg_snapshot)
"""
_CORRECTED: Final = f"""
    SELECT event_id, position FROM corrections
     WHERE project_id = %(project)s AND {_UNSEEN.format("changed_by")}
     UNION
    SELECT event_id, 0 FROM imputations
     WHERE project_id = %(project)s AND withdrawn_at IS NOT NULL AND {_UNSEEN.format("withdrawn_by")}
     ORDER BY event_id, position
"""
