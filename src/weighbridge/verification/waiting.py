"""What waits for a generation: invariants about the marks that keep a report from being sent off.

They state no amount, but a report over a batch whose values have changed, or beside an event that no
generation has seen, is refused by them alone.

A batch keeps which corrections it used. Another one in force since, an imputed event that is taken back, and
one that is rolled up anew mark its run in the same transaction. Marks for other reasons, such as a static
input, are not held against anything.
"""

from typing import Final

from weighbridge.core.collection.correction import CorrectionState
from weighbridge.platform.changes.staleness import IS_NEWEST
from weighbridge.verification.invariants import Invariant, ledger_invariant

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
