"""The books: invariants about what batches hold, what runs have posted, what ledgers are short of, and what
waits for a generation.

Each comes with the statement that finds what breaks it.
"""

from collections.abc import Callable
from typing import Final

from psycopg.sql import SQL

from weighbridge.core import identity
from weighbridge.core.collection.correction import CorrectionState
from weighbridge.db.engine import Read
from weighbridge.platform.staleness import IS_NEWEST
from weighbridge.verification.invariants import (
    BATCHES,
    CALIBRATED,
    CORRECTIONS,
    IMPUTED,
    REPORTS,
    Invariant,
    ledger_invariant,
)

# What waits for a generation: invariants about the marks that keep a report from being submitted.
#
# They state no amount, but a report over a batch whose values have changed, or with an event that no
# generation has seen, is rejected by them alone.
#
# A batch keeps which corrections it used. Another one in force since, an imputed event that is taken back,
# and one that is rolled up anew mark its run in the same transaction. Marks for other reasons, such as a
# static input, are not compared with anything.


_IS_GONE: Final = "(e.voided_at IS NOT NULL AND (e.is_imputed OR e.readings IS NOT NULL))"
"""Whether an event that the service made was taken back; nobody voids a captured one that a batch used."""
_SAYS: Final = "array_agg(jsonb_build_array(c.position, c.field, c.to_value) ORDER BY c.position, c.field)"

WAITING: Final = (
    Invariant(
        "a batch whose values were corrected, or whose events were taken back since, is marked as stale",
        "batch {id}: {actual} of its events have changed since, and it is not marked; {expected} may have",
        f"""
        WITH used AS (
            SELECT b.project_id, b.id AS batch_id, e.id AS event_id, {_IS_GONE} AS is_gone,
                   array_agg(DISTINCT position) FILTER (WHERE position IS NOT NULL) AS positions
              FROM batches b
              JOIN batch_inputs i ON (i.project_id, i.batch_id) = (b.project_id, b.id)
              JOIN batch_input_sets s
                ON (s.project_id, s.batch_id, s.set_number) = (i.project_id, i.batch_id, i.set_number)
             CROSS JOIN unnest(i.event_ids) AS one (event_id)
              JOIN events e ON (e.project_id, e.id) = (i.project_id, one.event_id)
              LEFT JOIN unnest(s.positions) AS position ON true
             WHERE b.run_id IS NOT NULL AND {IS_NEWEST}
               AND (e.is_revised OR e.is_imputed OR e.readings IS NOT NULL)
               AND NOT EXISTS (SELECT FROM stale_runs m WHERE (m.project_id, m.run_id, m.ledger_id)
                                                            = (b.project_id, b.run_id, b.ledger_id))
             GROUP BY b.project_id, b.id, e.id, is_gone
        )
        SELECT project_id, batch_id, count(*), 0 FROM used
         WHERE is_gone
            OR EXISTS (SELECT FROM rolled_up_before was
                        WHERE (was.project_id, was.event_id) = (used.project_id, used.event_id)
                          AND was.last_batch >= used.batch_id)
            OR (
                   SELECT {_SAYS} FROM corrections c
                    WHERE (c.project_id, c.event_id) = (used.project_id, used.event_id)
                      AND c.state = '{CorrectionState.IN_FORCE}'
                      AND (c.position = 0 OR c.position = ANY (used.positions))
               ) IS DISTINCT FROM (
                   SELECT {_SAYS} FROM batch_corrections u
                     JOIN corrections c ON (c.project_id, c.id) = (u.project_id, u.correction_id)
                    WHERE (u.project_id, u.batch_id, c.event_id)
                        = (used.project_id, used.batch_id, used.event_id))
         GROUP BY project_id, batch_id
        """,
    ),
    ledger_invariant(
        "no slot has seen data of later than the last generation of its project",
        "ledger {id}: a slot has seen all until {actual}, and the last generation saw all until {expected}",
        """
        SELECT s.project_id, s.ledger_id, max(s.seen_until), last.at
          FROM generated_slots s
          LEFT JOIN (SELECT project_id, max(coalesce((after ->> 'seen_until')::timestamptz, at)) AS at
                       FROM audit_log WHERE action = 'batch_generation.finish'
                      GROUP BY project_id) AS last USING (project_id)
         WHERE last.at IS NULL OR date_trunc('milliseconds', s.seen_until) > last.at
         GROUP BY s.project_id, s.ledger_id, last.at
        """,
    ),
)
"""Rules about what is yet to be generated."""


# Who posted what: invariants about entries and the batches and runs that posted them.


POSTINGS: Final = (
    Invariant(
        "every entry counts for the later of the two slots' ends",
        "batch {id}: an entry counts for {actual}, and the slots end at {expected}",
        """
        SELECT e.project_id, e.batch_id, e.effective_at, greatest(b.end_time, r.end_time)
          FROM ledger_entries e
          JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
          LEFT JOIN runs r ON (r.project_id, r.id) = (e.project_id, e.run_id)
         WHERE e.effective_at <> greatest(b.end_time, r.end_time) AND r.by_event IS NOT TRUE
           AND e.report_id IS NULL
        """,
        # A run of an event moves when the event's times are corrected; what it posted before stays.
        # Entries of reports count for the moment of the report.
    ),
    ledger_invariant(
        "every deficit counts from the end of its run's slot on",
        "ledger {id}: a deficit entry counts for {actual}, and the run's slot ends at {expected}",
        """
        SELECT d.project_id, d.ledger_id, d.effective_at, r.end_time
          FROM deficit_entries d JOIN runs r ON (r.project_id, r.id) = (d.project_id, d.run_id)
         WHERE NOT r.by_event AND d.effective_at < r.end_time
        """,
    ),
    Invariant(
        "falls stay in the partition of the run that fell",
        "batch {id}: runs of {actual} took from it, and its partition is {expected}",
        """
        SELECT DISTINCT e.project_id, e.batch_id,
               concat_ws(' ', fell.tracking_id, fell.feedstock_id, fell.asset_id, 'family', fell.family_id),
               concat_ws(' ', own.tracking_id, own.feedstock_id, own.asset_id, 'family', own.family_id)
          FROM ledger_entries e
          JOIN runs fell ON (fell.project_id, fell.id) = (e.project_id, e.run_id)
          JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
          JOIN runs own ON (own.project_id, own.id) = (b.project_id, b.run_id)
         WHERE e.kind IN ('fall', 'rise')
           AND (own.tracking_id, own.feedstock_id, own.asset_id, own.family_id)
               IS DISTINCT FROM (fell.tracking_id, fell.feedstock_id, fell.asset_id, fell.family_id)
        """,
    ),
    Invariant(
        "no run gives back more than it took, for any moment",
        "batch {id}: for {expected}, {actual} more came back than one run took by falls, or a node by draws",
        """
        SELECT project_id, batch_id, sum(amount), effective_at
          FROM ledger_entries WHERE kind <> 'credit'
         GROUP BY project_id, batch_id, run_id, node, effective_at HAVING sum(amount) > 0
        """,
    ),
    Invariant(
        "every draw has a batch that draws",
        "batch {id}: {actual} is drawn from it by a run without batches",
        """
        SELECT e.project_id, e.batch_id, - sum(e.amount), 0
          FROM ledger_entries e
         WHERE e.node IS NOT NULL AND NOT EXISTS (
               SELECT FROM batches b
                WHERE (b.project_id, b.run_id) = (e.project_id, e.run_id) AND b.deleted_at IS NULL)
         GROUP BY e.project_id, e.batch_id, e.run_id HAVING sum(e.amount) <> 0
        """,
    ),
    Invariant(
        "what a batch was computed from is what its run had drawn by then",
        "batch {id}: it was computed from {actual} of a source, of which its run had drawn {expected}",
        """
        WITH said AS (
            SELECT d.project_id, d.batch_id, b.run_id, d.node, d.source_batch_id, sum(d.amount) AS amount
              FROM batch_draws d JOIN batches b ON (b.project_id, b.id) = (d.project_id, d.batch_id)
             GROUP BY d.project_id, d.batch_id, b.run_id, d.node, d.source_batch_id
        ), made AS (
            SELECT b.project_id, b.id AS batch_id, b.run_id, c.posted_at
              FROM batches b
              JOIN ledger_entries c ON (c.project_id, c.batch_id) = (b.project_id, b.id)
               AND c.kind = 'credit' AND c.reverses IS NULL AND c.posted_by = b.id
             WHERE b.run_id IN (SELECT run_id FROM ledger_entries WHERE node IS NOT NULL)
        ), drawn AS (
            SELECT made.project_id, made.batch_id, made.run_id, e.node, e.batch_id AS source_batch_id,
                   - sum(e.amount) AS amount
              FROM made
              JOIN ledger_entries e ON (e.project_id, e.run_id) = (made.project_id, made.run_id)
               AND e.node IS NOT NULL AND e.posted_at <= made.posted_at
             GROUP BY made.project_id, made.batch_id, made.run_id, e.node, e.batch_id
            HAVING sum(e.amount) <> 0
        )
        SELECT project_id, batch_id, coalesce(said.amount, 0), coalesce(drawn.amount, 0)
          FROM said FULL JOIN drawn USING (project_id, batch_id, run_id, node, source_batch_id)
         WHERE said.amount IS DISTINCT FROM drawn.amount
        """,
    ),
    Invariant(
        "all that a deleted batch posted is undone, and nothing else is",
        "batch {id}: of its entries {actual} are not undone as they were posted, or undone while it is there",
        """
        SELECT project_id, posted_by, count(*), 0
          FROM (SELECT e.project_id, e.posted_by
                  FROM ledger_entries e
                  JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.posted_by)
                  LEFT JOIN ledger_entries u ON (u.project_id, u.reverses) = (e.project_id, e.id)
                 WHERE e.reverses IS NULL
                   AND ((b.deleted_at IS NOT NULL) <> (u.id IS NOT NULL)
                        OR (u.ledger_id, u.batch_id, u.kind, u.amount, u.effective_at, u.posted_by, u.run_id,
                            u.node)
                           IS DISTINCT FROM (e.ledger_id, e.batch_id, e.kind, - e.amount, e.effective_at,
                                             e.posted_by, e.run_id, e.node) AND u.id IS NOT NULL)
                UNION ALL
                SELECT e.project_id, e.posted_by
                  FROM deficit_entries e
                  JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.posted_by)
                  LEFT JOIN deficit_entries u ON (u.project_id, u.reverses) = (e.project_id, e.id)
                 WHERE e.reverses IS NULL
                   AND ((b.deleted_at IS NOT NULL) <> (u.id IS NOT NULL)
                        OR (u.ledger_id, u.run_id, u.amount, u.effective_at, u.posted_by)
                           IS DISTINCT FROM (e.ledger_id, e.run_id, - e.amount, e.effective_at, e.posted_by)
                           AND u.id IS NOT NULL)) AS wrong
         GROUP BY project_id, posted_by
        """,
    ),
    Invariant(
        "a deleted batch holds nothing, and nobody holds anything of it",
        "batch {id}: it is deleted, and entries of {actual} on it are left",
        """
        SELECT b.project_id, b.id, sum(e.amount), 0
          FROM batches b JOIN ledger_entries e ON (e.project_id, e.batch_id) = (b.project_id, b.id)
         WHERE b.deleted_at IS NOT NULL
         GROUP BY b.project_id, b.id, e.run_id, e.node, e.kind = 'credit' HAVING sum(e.amount) <> 0
        """,
    ),
    ledger_invariant(
        "what settles a deficit is taken from the batch that was given to",
        "ledger {id}: a deficit was settled by {actual}, for which another batch took {expected} for the run",
        """
        WITH settled AS (
            SELECT d.project_id, d.ledger_id, d.run_id, d.posted_by, d.effective_at, - sum(d.amount) AS amount
              FROM deficit_entries d JOIN batches b ON (b.project_id, b.id) = (d.project_id, d.posted_by)
             WHERE b.run_id <> d.run_id
             GROUP BY d.project_id, d.ledger_id, d.run_id, d.posted_by, d.effective_at
        ), taken AS (
            SELECT e.project_id, e.ledger_id, e.run_id, e.posted_by, e.effective_at, - sum(e.amount) AS amount
              FROM ledger_entries e JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.posted_by)
             WHERE b.run_id <> e.run_id AND e.kind IN ('fall', 'rise')
             GROUP BY e.project_id, e.ledger_id, e.run_id, e.posted_by, e.effective_at
        )
        SELECT project_id, ledger_id, coalesce(settled.amount, 0), coalesce(taken.amount, 0)
          FROM settled FULL JOIN taken USING (project_id, ledger_id, run_id, posted_by, effective_at)
         WHERE coalesce(settled.amount, 0) <> coalesce(taken.amount, 0)
        """,
    ),
)


CHECKS: Final = (
    Invariant(
        "every balance is the sum of its entries",
        "batch {id}: the balance is {actual}, its entries sum to {expected}",
        """
        SELECT b.project_id, b.id, b.balance, coalesce(sum(e.amount), 0)
          FROM batches b LEFT JOIN ledger_entries e ON (e.project_id, e.batch_id) = (b.project_id, b.id)
         GROUP BY b.project_id, b.id, b.balance HAVING b.balance <> coalesce(sum(e.amount), 0)
        """,
    ),
    Invariant(
        "no balance was negative at any moment",
        "batch {id}: the balance was {actual} at {expected}",
        """
        SELECT project_id, batch_id, held, moment
          FROM (SELECT project_id, batch_id, effective_at AS moment,
                       sum(amount) OVER (PARTITION BY project_id, batch_id ORDER BY effective_at) AS held
                  FROM ledger_entries
                UNION ALL
                SELECT project_id, batch_id, posted_at,
                       sum(amount) OVER (PARTITION BY project_id, batch_id ORDER BY posted_at)
                  FROM ledger_entries) AS history
         WHERE held < 0
        """,
    ),
    ledger_invariant(
        "every deficit is the sum of its entries",
        "ledger {id}: a run is short of {actual}, its entries sum to {expected}",
        """
        SELECT project_id, ledger_id, coalesce(d.amount, 0), coalesce(posted.amount, 0)
          FROM deficits d
          FULL JOIN (SELECT project_id, ledger_id, run_id, sum(amount) AS amount FROM deficit_entries
                      GROUP BY project_id, ledger_id, run_id) AS posted USING (project_id, ledger_id, run_id)
         WHERE coalesce(d.amount, 0) <> coalesce(posted.amount, 0)
        """,
    ),
    ledger_invariant(
        "no deficit was negative at any moment",
        "ledger {id}: a deficit was {actual} at {expected}",
        """
        SELECT project_id, ledger_id, short, moment
          FROM (SELECT d.project_id, d.ledger_id, d.effective_at AS moment,
                       sum(d.amount) OVER (PARTITION BY d.project_id, d.ledger_id, d.run_id
                                           ORDER BY d.effective_at) AS short
                  FROM deficit_entries d JOIN runs r ON (r.project_id, r.id) = (d.project_id, d.run_id)
                   -- A run of an event may have moved to an earlier moment, with all that it had posted.
                   AND NOT r.by_event
                UNION ALL
                SELECT project_id, ledger_id, posted_at,
                       sum(amount) OVER (PARTITION BY project_id, ledger_id, run_id ORDER BY posted_at)
                  FROM deficit_entries) AS history
         WHERE short < 0
        """,
    ),
    Invariant(
        "every batch was credited once, with what it says",
        "batch {id}: it says that it credited {actual}, its credit entries sum to {expected}",
        """
        SELECT b.project_id, b.id, b.credited, coalesce(sum(e.amount), 0)
          FROM batches b LEFT JOIN ledger_entries e
            ON (e.project_id, e.batch_id) = (b.project_id, b.id) AND e.kind = 'credit' AND e.reverses IS NULL
         GROUP BY b.project_id, b.id, b.credited
        HAVING b.credited <> coalesce(sum(e.amount), 0) OR count(e.id) <> 1
        """,
    ),
    Invariant(
        "every run has posted exactly its total",
        "batch {id}: its run comes to {actual}, and has posted {expected}",
        """
        WITH posted AS (
            SELECT project_id, ledger_id, run_id, sum(amount) AS amount
              FROM (SELECT project_id, ledger_id, run_id, amount FROM ledger_entries
                     WHERE kind IN ('credit', 'fall', 'rise')
                    UNION ALL
                    SELECT project_id, ledger_id, run_id, - amount FROM deficit_entries) AS entries
             GROUP BY project_id, ledger_id, run_id
        ), newest AS (
            SELECT DISTINCT ON (project_id, ledger_id, run_id)
                   project_id, ledger_id, run_id, id,
                   CASE WHEN deleted_at IS NULL THEN total ELSE 0 END AS total
              FROM batches WHERE run_id IS NOT NULL
             ORDER BY project_id, ledger_id, run_id, deleted_at IS NULL DESC, id DESC
        )
        SELECT project_id, newest.id, newest.total, coalesce(posted.amount, 0)
          FROM newest LEFT JOIN posted USING (project_id, ledger_id, run_id)
         WHERE newest.total <> coalesce(posted.amount, 0)
        """,
    ),
    ledger_invariant(
        "in every partition, what is drawn and what remains is what was produced and the open deficit",
        "ledger {id}: drawn and remaining come to {actual}, produced and open deficit to {expected}",
        """
        WITH newest AS (
            SELECT DISTINCT ON (b.project_id, b.ledger_id, coalesce(b.run_id, - b.id)) b.*
              FROM batches b WHERE b.deleted_at IS NULL
             ORDER BY b.project_id, b.ledger_id, coalesce(b.run_id, - b.id), b.id DESC
        ), parts AS (
            SELECT b.project_id, b.ledger_id, b.run_id, b.balance AS there, 0 AS expected FROM batches b
            UNION ALL
            SELECT e.project_id, e.ledger_id, b.run_id, - e.amount, 0
              FROM ledger_entries e JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
             WHERE e.kind NOT IN ('credit', 'fall', 'rise')
            UNION ALL
            SELECT n.project_id, n.ledger_id, n.run_id, 0, n.total FROM newest n
            UNION ALL
            SELECT d.project_id, d.ledger_id, d.run_id, 0, d.amount FROM deficits d
        )
        SELECT p.project_id, p.ledger_id, sum(p.there), sum(p.expected)
          FROM parts p LEFT JOIN runs r ON (r.project_id, r.id) = (p.project_id, p.run_id)
         GROUP BY p.project_id, p.ledger_id, r.tracking_id, r.feedstock_id, r.asset_id
        HAVING sum(p.there) <> sum(p.expected)
        """,
    ),
    ledger_invariant(
        "in every partition, at every moment, entries less deficit entries are produced less drawn",
        "ledger {id}: at {expected}, what a run posted is {actual} more than what it comes to",
        """
        WITH newest AS (
            SELECT DISTINCT ON (project_id, ledger_id, run_id)
                   project_id, ledger_id, run_id, end_time AS moment, total
              FROM batches WHERE run_id IS NOT NULL AND deleted_at IS NULL
             ORDER BY project_id, ledger_id, run_id, id DESC
        )
        SELECT project_id, ledger_id, sum(amount), moment
          FROM (SELECT project_id, ledger_id, run_id, effective_at AS moment, amount FROM ledger_entries
                 WHERE kind IN ('credit', 'fall', 'rise') AND run_id IS NOT NULL
                UNION ALL
                SELECT project_id, ledger_id, run_id, effective_at, - amount FROM deficit_entries
                UNION ALL
                SELECT project_id, ledger_id, run_id, moment, - total FROM newest) AS parts
         GROUP BY project_id, ledger_id, run_id, moment HAVING sum(amount) <> 0
        """,
        # Draws are on both sides, and what a partition produced is the sum of its runs.
    ),
    *POSTINGS,
    *REPORTS,
    *BATCHES,
    *CALIBRATED,
    *CORRECTIONS,
    *IMPUTED,
    *WAITING,
    Invariant(
        "every event of every lineage is there, and they are as many as the batch says",
        "batch {id}: it says that it was made of {actual} events, of which {expected} are there",
        """
        SELECT s.project_id, s.batch_id, s.event_count, coalesce(sum(there.count), 0)
          FROM batch_input_sets s
          LEFT JOIN batch_inputs i
            ON (i.project_id, i.batch_id, i.set_number) = (s.project_id, s.batch_id, s.set_number)
          LEFT JOIN LATERAL (
                SELECT count(*) FROM events e
                 WHERE e.project_id = i.project_id AND e.id = ANY (i.event_ids)
                   AND e.event_type_id = s.event_type_id) AS there ON true
         GROUP BY s.project_id, s.batch_id, s.set_number, s.event_count
        HAVING s.event_count <> coalesce(sum(there.count), 0)
        """,
        # Looked up set by set: of tables without statistics, a join of all sets with all events may be
        # planned as every event against every set.
    ),
)
"""Every invariant, in the order of the report."""


async def check_books(
    tx: Read, project: int | None = None, advance: Callable[[int], None] = lambda _: None
) -> dict[str, list[str]]:
    """Run every check, over all books or those of one project; gives for each invariant what breaks it.

    `advance` counts the checks.
    """
    violations: dict[str, list[str]] = {}
    for invariant in CHECKS:
        statement = SQL("SELECT * FROM ({}) AS broken (project, record, actual, expected)").format(
            SQL(invariant.statement)
        )
        if project is not None:
            statement += SQL(" WHERE project = {}").format(project)
        violations[invariant.words] = [
            invariant.sentence.format(
                id=identity.of(invariant.kind, number, record), actual=actual, expected=expected
            )
            for number, record, actual, expected in await tx.tuples(statement)
        ]
        advance(1)
    return violations
