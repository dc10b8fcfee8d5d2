"""Turns: whose task a worker takes up next.

The queue by itself serves whoever came first, so one account's hundred tasks would stand before the one of
another. Here the choice is made at the moment a worker is free, in one statement: first comes the account
with the fewest tasks at work, and among those the one that was served longest ago; within an account the task
that was queued first. A task whose lock is held, or for which another with the same lock was queued earlier,
is not there to be chosen.

Three tasks of account A (1, 2, 3), one of B (4) and one of C (5) wait for one worker: it takes up 1, then 4
and 5, for A was served last, then 2 and 3.

Invariants: a job is given to one worker; tasks with the same lock run one after the other, in the order in
which they were queued; no account waits longer than one task of each other account at every worker.
"""

from typing import Final

# `first` has one job of each lock, `free` those that may be taken up now, each with its place within its
# account. What another worker takes meanwhile is skipped, so two that choose at once choose differently.
TAKE_NEXT: Final = """
    WITH first AS (
        SELECT DISTINCT ON (coalesce(lock, id::text))
               id, lock, scheduled_at, (args ->> 'task_id')::integer AS task_id
          FROM procrastinate_jobs
         WHERE status = 'todo' AND queue_name = ANY (%(queues)s::text[])
         ORDER BY coalesce(lock, id::text), priority DESC, id
    ), free AS (
        SELECT f.id, t.account_id, row_number() OVER (PARTITION BY t.account_id ORDER BY f.id) AS place
          FROM first f JOIN async_tasks t ON t.id = f.task_id
         WHERE coalesce(f.scheduled_at <= now(), true)
           AND NOT EXISTS (SELECT FROM procrastinate_jobs d WHERE d.status = 'doing' AND d.lock = f.lock)
    ), at_work AS (
        SELECT t.account_id, count(*) AS jobs
          FROM procrastinate_jobs d JOIN async_tasks t ON t.id = (d.args ->> 'task_id')::integer
         WHERE d.status = 'doing' AND d.queue_name = ANY (%(queues)s::text[])
         GROUP BY t.account_id
    ), chosen AS (
        SELECT j.id, f.account_id
          FROM procrastinate_jobs j JOIN free f ON f.id = j.id
          LEFT JOIN at_work w ON w.account_id = f.account_id
          LEFT JOIN account_turns a ON a.account_id = f.account_id
         WHERE j.status = 'todo'
         ORDER BY coalesce(w.jobs, 0) + f.place, a.served_at NULLS FIRST, f.id
         LIMIT 1 FOR UPDATE OF j SKIP LOCKED
    ), served AS (
        INSERT INTO account_turns (account_id, served_at) SELECT account_id, clock_timestamp() FROM chosen
        ON CONFLICT (account_id) DO UPDATE SET served_at = excluded.served_at
    )
    UPDATE procrastinate_jobs j SET status = 'doing', worker_id = %(worker_id)s
      FROM chosen WHERE j.id = chosen.id
    RETURNING j.id, j.status, j.task_name, j.priority, j.lock, j.queueing_lock, j.args, j.scheduled_at,
              j.queue_name, j.attempts, j.worker_id
"""
