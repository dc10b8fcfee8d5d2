-- A fall upon a later batch is a deficit in between, so that books can be read at every moment.
--
-- What a batch posts for its run counts, all in all, for the end of the run's slot; what it posts for other
-- runs comes to nothing at every moment. Until now a fall upon a later slot's batch counted for that slot only.
-- Deficit entries say what was missing: they open at the one moment, settle at the other and sum to nothing.

CREATE INDEX ledger_entries_by_moment ON ledger_entries (project_id, ledger_id, effective_at);

-- Batch by batch, so that deleting one takes its own along.
WITH moved AS (
    SELECT project_id, ledger_id, posted_by, run_id, effective_at, sum(amount) AS amount,
           max(posted_at) AS posted_at
      FROM (SELECT project_id, ledger_id, posted_by, run_id, effective_at, amount, posted_at
              FROM ledger_entries WHERE kind IN ('credit', 'fall', 'rise') AND run_id IS NOT NULL
            UNION ALL
            SELECT project_id, ledger_id, posted_by, run_id, effective_at, - amount, posted_at
              FROM deficit_entries) AS posted
     GROUP BY project_id, ledger_id, posted_by, run_id, effective_at
), elsewhere AS (
    SELECT m.*, poster.end_time, poster.async_task_id,
           max(m.posted_at) OVER (PARTITION BY m.project_id, m.posted_by) AS at_once
      FROM moved m JOIN batches poster ON (poster.project_id, poster.id) = (m.project_id, m.posted_by)
     WHERE poster.deleted_at IS NULL
)
INSERT INTO deficit_entries (project_id, ledger_id, run_id, posted_by, amount, effective_at, async_task_id,
                             posted_at)
SELECT project_id, ledger_id, run_id, posted_by, sum(amount), effective_at, async_task_id, at_once
  FROM (SELECT project_id, ledger_id, run_id, posted_by, amount, effective_at, async_task_id, at_once
          FROM elsewhere WHERE effective_at <> end_time
        UNION ALL
        SELECT project_id, ledger_id, run_id, posted_by, - amount, end_time, async_task_id, at_once
          FROM elsewhere WHERE effective_at <> end_time) AS bridged
 GROUP BY project_id, ledger_id, run_id, posted_by, effective_at, async_task_id, at_once
HAVING sum(amount) <> 0;

-- A run of an event whose times were corrected counts, with all that it posted before, for its new end.
WITH newest AS (
    SELECT DISTINCT ON (b.project_id, b.ledger_id, b.run_id) b.*
      FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id) AND r.by_event
     WHERE b.deleted_at IS NULL ORDER BY b.project_id, b.ledger_id, b.run_id, b.id DESC
), elsewhere AS (
    SELECT n.project_id, n.ledger_id, n.run_id, n.id AS posted_by, n.end_time, n.async_task_id,
           posted.effective_at, sum(posted.amount) AS amount,
           (SELECT max(e.posted_at) FROM ledger_entries e
             WHERE (e.project_id, e.posted_by) = (n.project_id, n.id)) AS at_once
      FROM newest n
      JOIN (SELECT project_id, ledger_id, run_id, effective_at, amount FROM ledger_entries
             WHERE kind IN ('credit', 'fall', 'rise')
            UNION ALL
            SELECT project_id, ledger_id, run_id, effective_at, - amount FROM deficit_entries) AS posted
        ON (posted.project_id, posted.ledger_id, posted.run_id) = (n.project_id, n.ledger_id, n.run_id)
       AND posted.effective_at <> n.end_time
     GROUP BY n.project_id, n.ledger_id, n.run_id, n.id, n.end_time, n.async_task_id, posted.effective_at
    HAVING sum(posted.amount) <> 0
)
INSERT INTO deficit_entries (project_id, ledger_id, run_id, posted_by, amount, effective_at, async_task_id,
                             posted_at)
SELECT project_id, ledger_id, run_id, posted_by, amount, effective_at, async_task_id, at_once FROM elsewhere
UNION ALL
SELECT project_id, ledger_id, run_id, posted_by, - sum(amount), end_time, async_task_id, at_once
  FROM elsewhere
 GROUP BY project_id, ledger_id, run_id, posted_by, end_time, async_task_id, at_once
HAVING sum(amount) <> 0;
