"""Batches themselves: invariants about whose they are, when they were made, and how their lineage is kept."""

from typing import Final

from weighbridge.verification.invariant import Invariant

BATCHES: Final = (
    Invariant(
        "every batch has the times of its run's slot",
        "batch {id}: it stands from {actual}, its run from {expected}",
        """
        SELECT b.project_id, b.id, concat_ws(' to ', b.start_time, b.end_time),
               concat_ws(' to ', r.start_time, r.end_time)
          FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
         WHERE NOT r.by_event AND (b.start_time, b.end_time) <> (r.start_time, r.end_time)
        """,
        # A run of an event moves when the event's times are corrected; its batches stay where they were.
    ),
    Invariant(
        "every batch is of a version of the model that its run and its ledger have, as that version was",
        "batch {id}: it was made by version {actual} of another model, or of other content ({expected})",
        """
        SELECT b.project_id, b.id, b.model_id, encode(m.sha256, 'hex')
          FROM batches b
          JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
          JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
          JOIN models m ON m.id = b.model_id
         WHERE m.family_id <> r.family_id OR l.family_id IS DISTINCT FROM r.family_id
            OR m.sha256 <> b.model_sha256
        """,
    ),
    Invariant(
        "every adjusting batch names the first batch of its run on the ledger",
        "batch {id}: it names {actual}, and the first is {expected}",
        """
        SELECT project_id, id, coalesce(adjusts::text, 'none'), coalesce(first::text, 'itself')
          FROM (SELECT b.project_id, b.id, b.adjusts,
                       (SELECT max(f.id) FROM batches f
                         WHERE (f.project_id, f.run_id, f.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
                           AND f.adjusts IS NULL AND f.id < b.id) AS first
                  FROM batches b WHERE b.adjusts IS NOT NULL) AS adjusting
         WHERE adjusts IS DISTINCT FROM first
        """,
    ),
    Invariant(
        "every batch posted for its own run, by the task that made it and at one time",
        "batch {id}: of what it posted, {actual} entries are another's, or of another task or time",
        """
        SELECT p.project_id, p.id, count(*), 0
          FROM (SELECT project_id, posted_by, batch_id, run_id, kind, async_task_id, posted_at
                  FROM ledger_entries WHERE reverses IS NULL AND report_id IS NULL
                UNION ALL
                SELECT project_id, posted_by, NULL, run_id, 'deficit', async_task_id, posted_at
                  FROM deficit_entries WHERE reverses IS NULL AND report_id IS NULL) AS e
          JOIN batches p ON (p.project_id, p.id) = (e.project_id, e.posted_by)
          LEFT JOIN ledger_entries credit
            ON (credit.project_id, credit.batch_id) = (p.project_id, p.id)
           AND credit.kind = 'credit' AND credit.reverses IS NULL
         WHERE e.async_task_id IS DISTINCT FROM p.async_task_id
            OR e.posted_at IS DISTINCT FROM credit.posted_at
            OR e.kind = 'credit' AND e.batch_id <> p.id
            OR e.kind NOT IN ('fall', 'rise', 'deficit') AND e.run_id IS DISTINCT FROM p.run_id
         GROUP BY p.project_id, p.id
        """,
        # Falls, rises and deficits of other runs are settled or released: another invariant compares them.
    ),
    Invariant(
        "what one task posted, it posted at one time",
        "batch {id}: its task posted at {actual} and at {expected}",
        """
        SELECT project_id, min(batch_id), min(posted_at), max(posted_at)
          FROM (SELECT project_id, batch_id, async_task_id, posted_at FROM ledger_entries
                UNION ALL
                SELECT project_id, posted_by, async_task_id, posted_at FROM deficit_entries) AS e
         WHERE async_task_id IS NOT NULL
         GROUP BY project_id, async_task_id HAVING min(posted_at) < max(posted_at)
        """,
    ),
    Invariant(
        "a batch is deleted at the time at which what it posted was undone",
        "batch {id}: it was deleted at {actual}, and undone at {expected}",
        """
        SELECT b.project_id, b.id, b.deleted_at, e.posted_at
          FROM batches b
          JOIN ledger_entries e ON (e.project_id, e.posted_by) = (b.project_id, b.id)
         WHERE e.reverses IS NOT NULL AND e.posted_at IS DISTINCT FROM b.deleted_at
        """,
    ),
    Invariant(
        "every lineage is kept in full chunks, each with the first and last number of its events",
        "batch {id}: {actual} chunks of its lineage are out of place, of {expected}",
        """
        SELECT project_id, batch_id, count(*) FILTER (WHERE is_wrong), count(*)
          FROM (SELECT i.project_id, i.batch_id,
                       i.chunk <> row_number() OVER (PARTITION BY i.project_id, i.batch_id, i.set_number
                                                     ORDER BY i.chunk) - 1
                       OR cardinality(i.event_ids) <> least(1000, s.event_count - i.chunk * 1000)
                       OR i.first_event <> (SELECT min(id) FROM unnest(i.event_ids) AS id)
                       OR i.last_event <> (SELECT max(id) FROM unnest(i.event_ids) AS id) AS is_wrong
                  FROM batch_inputs i
                  JOIN batch_input_sets s ON (s.project_id, s.batch_id, s.set_number)
                                           = (i.project_id, i.batch_id, i.set_number)) AS chunks
         GROUP BY project_id, batch_id HAVING bool_or(is_wrong)
        """,
    ),
)
