"""Who posted what: invariants about entries and the batches and runs that posted them."""

from typing import Final

from weighbridge.verification.invariant import Invariant, ledger_invariant

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
