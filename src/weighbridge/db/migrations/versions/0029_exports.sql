-- A list that was asked for as a file: which, with which query, in which format. The file is there from its task's
-- end on, for as long as it lasts.
CREATE TABLE exports (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    integer NOT NULL REFERENCES accounts,
    task_id       integer NOT NULL UNIQUE REFERENCES async_tasks,
    -- The list by the name of its operation, what stood in its path, and its query without paging.
    list          text NOT NULL,
    path          jsonb NOT NULL CHECK (jsonb_typeof(path) = 'object'),
    query         jsonb NOT NULL CHECK (jsonb_typeof(query) = 'array'),
    -- What a token needs to see the export: what the list needs.
    permission    text NOT NULL,
    format        text NOT NULL CHECK (format IN ('csv', 'json', 'jsonl', 'parquet', 'xlsx')),
    -- Whoever has the link may download the file while it lasts.
    link          bytea NOT NULL CHECK (octet_length(link) = 16),
    storage_key   text UNIQUE CHECK (storage_key ~ '^[0-9a-f]{32}$'),
    rows          bigint CHECK (rows >= 0),
    size_bytes    bigint CHECK (size_bytes >= 0),
    sha256        bytea CHECK (octet_length(sha256) = 32),
    expires_at    timestamptz(3),
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT exports_have_a_file_whole
        CHECK (num_nonnulls(rows, size_bytes, sha256, expires_at) IN (0, 4)
               AND (storage_key IS NULL OR expires_at IS NOT NULL))
);
CREATE INDEX exports_to_remove ON exports (expires_at) WHERE storage_key IS NOT NULL;
