"""Determine which batches are out of date and why, and update the marks that generations leave.

A batch is out of date while its run is marked, was computed by an older revision of the engine, or
draws from an outdated run. Only the newest batch of a run on its ledger reports this.

Invariant: a deleted or adjusted batch is never out of date.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from psycopg.rows import TupleRow
from psycopg.sql import SQL

from weighbridge.accounting.books.runs import COUNTS, RUNS_OF_SLOTS, slot_columns
from weighbridge.accounting.records.batches import StaleReason
from weighbridge.core.engine import ENGINE_REVISION
from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Command, Database, Read, Write
from weighbridge.modelling.document.stored import Stretch, reach_of, stretches_where
from weighbridge.platform import changes
from weighbridge.platform.changes.staleness import IS_NEWEST
from weighbridge.platform.records.stale_reasons import ENGINE_CHANGED, UPSTREAM_STALE

# Stale reasons: why a batch no longer stands on the data as they are, and how readers are told.
#
# A run carries its own reasons, and one that an older revision of the engine computed has that beside them,
# unless it was made of nothing, which every revision computes alike; a batch that draws from a stale run is
# stale by it. Of the batches of a run the newest on its ledger says so, because it has the run's total.
#
# Invariants: a deleted batch, and one that a newer one adjusts, is not stale.


STALE_REASONS_MAX: Final = 20
"""Reasons that a stale batch names; there may be more."""


async def stale_reasons(tx: Read, project: int, batches: Sequence[int]) -> dict[int, list[StaleReason]]:
    """Why each of some batches is stale; those that are not have no reasons."""
    [is_any] = await tx.tuples(*is_any_stale(project))
    return await reasons_if(tx, project, batches, is_any)


def is_any_stale(project: int) -> Command:
    """The question whether any batch of a project is stale."""
    return _IS_ANY_STALE, {"project": project, "revision": ENGINE_REVISION}


async def reasons_if(
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
        named = ids.of("batch", project, source) if source else record
        reasons[batch].append(StaleReason(reason, named))
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


async def stale_sources_of(tx: Read, project: int, batches: Collection[int]) -> list[StaleSourceBatch]:
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
    reasons = await stale_reasons(tx, project, [newest for *_, newest in rows if newest is not None])
    return [
        StaleSourceBatch(number, ledger, name, tuple(reasons[newest]))
        for number, ledger, name, newest in rows
        if reasons.get(newest)
    ]


def stale_among(projects: LiteralString) -> LiteralString:
    """The stale batches of the projects of a condition, such as `= 7`, by their `project_id` and `id`.

    It goes from the marked runs down to those that draw from them, so it costs what they are, however many
    batches there are. Each step looks its rows up in the order of an index, so the planner takes that.
    """
    return _STALE.replace("%projects%", projects)


async def made_stale(tx: Read, project: int) -> dict[int, int]:
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


def _newest_of(batch: LiteralString) -> LiteralString:
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
          FROM stale_runs s {_newest_of("s")} WHERE s.project_id %projects%
        UNION
        SELECT b.project_id, b.id, b.run_id, b.ledger_id
          FROM (SELECT * FROM batches b
                 WHERE project_id %projects% AND run_id IS NOT NULL AND deleted_at IS NULL
                   AND engine_revision < {ENGINE_REVISION} AND {COUNTS}
                 ORDER BY project_id, engine_revision OFFSET 0) AS older {_newest_of("older")}
         WHERE b.id = older.id
    ), stale AS (
        SELECT project_id, id, run_id, ledger_id FROM marked
        UNION
        SELECT b.project_id, b.id, b.run_id, b.ledger_id
          FROM stale
         CROSS JOIN LATERAL (
            SELECT id FROM batches
             WHERE (project_id, run_id, ledger_id) = (stale.project_id, stale.run_id, stale.ledger_id)
             ORDER BY id OFFSET 0) AS source
         CROSS JOIN LATERAL (
            SELECT batch_id FROM batch_draws
             WHERE (project_id, source_batch_id) = (stale.project_id, source.id) OFFSET 0) AS drawn
         CROSS JOIN LATERAL (
            SELECT * FROM batches WHERE (project_id, id) = (stale.project_id, drawn.batch_id) OFFSET 0
         ) AS drawing {_newest_of("drawing")}
         WHERE b.id = drawing.id
    )
    SELECT project_id, id FROM stale
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
# Whoever changes an input marks the runs that used it; `platform/changes` says which, and holds the
# project's lock. A batch is stale while its run is marked, or while a run that it draws from is stale; of a
# run's batches the newest says so.


async def mark_changed_meanwhile(database: Database, tx: Write, project: int) -> None:
    """Mark what has changed since the snapshot of this transaction, and hold off changes until it ends.

    Comes last in a generation, when its batches and their lineage are written and old marks are cleared.
    """
    held, snapshot = await changes.await_changes(tx, project)
    values = {"snapshot": snapshot}
    async with database.read() as fresh:
        corrected, added = await fresh.lastly(
            (_CORRECTED, {"project": project, **values}),
            stretches_where(project, _UNSEEN.format("s.added_by"), values),
        )
    changes.leave(tx, project, changes.ChangedValues(held, corrected))
    for row in added:
        # By this transaction: it sees the versions of its own batches.
        changes.leave(tx, project, await reach_of(tx, held, Stretch(*row)))


def clear(tx: Write, project: int, family: int, ledgers: Sequence[int], slots: Sequence[Interval]) -> None:
    """Take the marks off every run of the slots, on these ledgers."""
    tx.later(
        SQL("""
        DELETE FROM stale_runs s USING {runs}
         WHERE s.project_id = %(project)s AND s.ledger_id = ANY (%(ledgers)s) AND r.id = s.run_id
        """).format(runs=RUNS_OF_SLOTS),
        {"project": project, "family": family, "ledgers": list(ledgers), **slot_columns(slots)},
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
