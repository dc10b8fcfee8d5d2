-- What accounts share fairly: workers by turns, and room by quotas.

-- When a worker last took up a task of an account; the one that waited longest is served first.
CREATE TABLE account_turns (
    account_id  integer PRIMARY KEY REFERENCES accounts,
    served_at   timestamptz NOT NULL
);

-- How many events an account has stored on its newest day, in UTC; written only while there is a quota.
CREATE TABLE account_days (
    account_id  integer PRIMARY KEY REFERENCES accounts,
    day         date NOT NULL,
    events      bigint NOT NULL CHECK (events >= 0)
);

-- Few tasks are unfinished, of however many there are: what is counted against the quota, and recovered.
CREATE INDEX async_tasks_unfinished ON async_tasks (account_id, id) WHERE state IN ('pending', 'running');
