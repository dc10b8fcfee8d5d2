-- Work that outlives its request. The row is what callers poll; a Procrastinate job in the same
-- database carries it out.

CREATE TABLE async_tasks (
    id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id     integer NOT NULL REFERENCES accounts,
    project_id     integer REFERENCES projects,
    type           text NOT NULL,
    state          text NOT NULL DEFAULT 'pending'
                   CHECK (state IN ('pending', 'running', 'complete', 'failed')),
    args           jsonb NOT NULL,
    -- The fence: each attempt raises it, and what publishes an effect checks it under FOR SHARE.
    attempt        integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    user_id        integer NOT NULL REFERENCES users,
    token_id       integer REFERENCES api_tokens,
    request_id     text NOT NULL,
    created_at     timestamptz(3) NOT NULL DEFAULT now(),
    started_at     timestamptz(3),
    finished_at    timestamptz(3),
    error_message  text,
    result         jsonb,
    CHECK ((state IN ('complete', 'failed')) = (finished_at IS NOT NULL)),
    CHECK ((state = 'failed') = (error_message IS NOT NULL)),
    CHECK (state = 'pending' OR started_at IS NOT NULL)
);
CREATE INDEX async_tasks_of_account ON async_tasks (account_id, id);

-- Apart from the task, so that reporting progress never waits for the transaction that publishes.
CREATE TABLE async_task_progress (
    task_id      integer PRIMARY KEY REFERENCES async_tasks,
    progress     integer NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    description  text
);
