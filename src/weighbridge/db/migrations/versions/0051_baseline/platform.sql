-- Accounts, users, projects, background tasks, and what requests leave behind.

-- For tables whose rows are only added: an UPDATE or DELETE is a mistake in the code.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;


-- ## Accounts and the people and programs that act in them.

CREATE TABLE accounts (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL UNIQUE CHECK (name <> ''),
    created_at  timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE accounts IS 'Accounts: the organisations that use the service, each apart from all others.';

CREATE TABLE users (
    id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id     integer NOT NULL REFERENCES accounts,
    email          text NOT NULL CHECK (email <> ''),
    name           text NOT NULL CHECK (name <> ''),
    created_at     timestamptz(3) NOT NULL DEFAULT now(),
    permissions    text[] NOT NULL DEFAULT '{}'
        CHECK (permissions <@ ARRAY['production_accounting:read', 'production_accounting:write',
                                    'data_collection:read', 'data_collection:write', 'data_rules:read',
                                    'data_rules:write', 'administration:read', 'administration:write']),
    password_hash  text CHECK (password_hash LIKE '$argon2id$%'),
    disabled_at    timestamptz(3),
    signed_in_at   timestamptz(3),
    UNIQUE (account_id, email),
    UNIQUE (account_id, id)
);
COMMENT ON TABLE users IS
    'Users of accounts: every token acts for a user, and a user with a password is a person who signs in.';
-- People sign in without naming their account, so an e-mail address with a password exists once.
CREATE UNIQUE INDEX users_one_of_each_address ON users (lower(email)) WHERE password_hash IS NOT NULL;

CREATE TABLE api_tokens (
    id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    integer NOT NULL,
    user_id       integer NOT NULL,
    name          text NOT NULL CHECK (name <> ''),
    secret_hash   bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    permissions   text[] NOT NULL CHECK (cardinality(permissions) > 0),
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    expires_at    timestamptz(3) CHECK (expires_at > created_at),
    revoked_at    timestamptz(3),
    last_used_at  timestamptz(3),
    -- The token that issued this one; it is revoked with it.
    issued_by     integer REFERENCES api_tokens,
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);
COMMENT ON TABLE api_tokens IS
    'Tokens for the interface; only the SHA-256 of a secret is stored, which is enough for 190 random bits.';
CREATE INDEX api_tokens_of_issuer ON api_tokens (issued_by) WHERE issued_by IS NOT NULL;

CREATE TABLE sessions (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   integer NOT NULL,
    user_id      integer NOT NULL,
    secret_hash  bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    program      text NOT NULL CHECK (length(program) <= 200),
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    used_at      timestamptz(3) NOT NULL DEFAULT now(),
    expires_at   timestamptz(3) NOT NULL CHECK (expires_at > created_at),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);
COMMENT ON TABLE sessions IS
    'Sessions of people in the browser; only the SHA-256 of a secret is stored, which is enough for 256 random '
    'bits.';
CREATE INDEX sessions_of_user ON sessions (account_id, user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE access_links (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   integer NOT NULL REFERENCES accounts,
    kind         text NOT NULL CHECK (kind IN ('first', 'join', 'password', 'sign_in')),
    secret_hash  bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    user_id      integer,
    email        text CHECK (email <> ''),
    permissions  text[] NOT NULL DEFAULT '{}',
    made_by      integer NOT NULL,
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    expires_at   timestamptz(3) NOT NULL CHECK (expires_at > created_at),
    used_at      timestamptz(3),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id),
    FOREIGN KEY (account_id, made_by) REFERENCES users (account_id, id),
    CHECK ((user_id IS NOT NULL) = (kind IN ('password', 'sign_in'))),
    CHECK ((email IS NOT NULL) = (kind = 'join'))
);
COMMENT ON TABLE access_links IS
    'Links that admit a person once: to join an account, to set another password, or to sign in.';
CREATE INDEX access_links_of_account ON access_links (account_id, created_at);

CREATE UNLOGGED TABLE sign_in_attempts (
    key       bytea PRIMARY KEY CHECK (octet_length(key) = 32),
    attempts  integer NOT NULL CHECK (attempts > 0),
    since     timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE sign_in_attempts IS
    'Recent attempts to sign in, counted by the SHA-256 of an e-mail or network address.';
CREATE INDEX sign_in_attempts_by_age ON sign_in_attempts (since);


-- ## Projects.

CREATE TABLE projects (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   integer NOT NULL REFERENCES accounts,
    name         text NOT NULL CHECK (name <> ''),
    description  text,
    time_zone    text NOT NULL DEFAULT 'UTC',
    status       text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    updated_at   timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE projects IS 'Projects: the boundary within which an account measures and keeps its books.';
CREATE INDEX projects_of_account ON projects (account_id, id);


CREATE TABLE feature_flags (
    account_id  integer NOT NULL REFERENCES accounts,
    name        text NOT NULL CHECK (name IN ('rules_engine', 'data_capture_rate')),
    is_on       boolean NOT NULL,
    updated_at  timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, name)
);
COMMENT ON TABLE feature_flags IS 'Features that an account has switched on or off; a feature without a row is on.';


-- ## Background tasks. Callers poll the row; a job of the queue in the same database executes the task.

CREATE TABLE async_tasks (
    id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id     integer NOT NULL REFERENCES accounts,
    project_id     integer REFERENCES projects,
    type           text NOT NULL,
    state          text NOT NULL DEFAULT 'pending'
                   CHECK (state IN ('pending', 'running', 'complete', 'failed')),
    args           jsonb NOT NULL,
    -- The fencing token: each attempt raises it, and a transaction that publishes a result checks it under FOR SHARE.
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
COMMENT ON TABLE async_tasks IS 'Background tasks of accounts, with their state and result.';
CREATE INDEX async_tasks_of_account ON async_tasks (account_id, id);
-- Few of all tasks are unfinished: the quota counts them, and a restart recovers them.
CREATE INDEX async_tasks_unfinished ON async_tasks (account_id, id) WHERE state IN ('pending', 'running');

CREATE TABLE async_task_progress (
    task_id      integer PRIMARY KEY REFERENCES async_tasks,
    progress     integer NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    description  text
);
COMMENT ON TABLE async_task_progress IS
    'Progress of background tasks, apart from the task so that a report of progress never waits for its '
    'transaction.';


-- ## How accounts share the workers and the room.

CREATE TABLE account_turns (
    account_id  integer PRIMARY KEY REFERENCES accounts,
    served_at   timestamptz NOT NULL
);
COMMENT ON TABLE account_turns IS
    'When a worker last took a task of each account; the account that waited longest is next.';

CREATE TABLE account_days (
    account_id  integer PRIMARY KEY REFERENCES accounts,
    day         date NOT NULL,
    events      bigint NOT NULL CHECK (events >= 0)
);
COMMENT ON TABLE account_days IS
    'Events that an account has stored on its newest day, in UTC; written only where a quota is set.';


-- ## What requests leave behind: responses that can be repeated, and how often each token calls.

CREATE TABLE idempotency_keys (
    token_id     integer NOT NULL REFERENCES api_tokens,
    method       text NOT NULL,
    path         text NOT NULL,
    key          text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
    body_sha256  bytea NOT NULL CHECK (octet_length(body_sha256) = 32),
    -- Null only within the transaction of the request: the response is stored before it commits.
    status       integer,
    headers      jsonb,
    answer       bytea,
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (token_id, method, path, key)
);
COMMENT ON TABLE idempotency_keys IS
    'Responses by idempotency key, so that a repeated request gets the first response again.';
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE FUNCTION refuse_unanswered_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM idempotency_keys k
               WHERE (k.token_id, k.method, k.path, k.key) = (NEW.token_id, NEW.method, NEW.path, NEW.key)
                 AND k.answer IS NULL) THEN
        RAISE EXCEPTION 'an idempotency key cannot be kept without its answer' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER idempotency_keys_answered AFTER INSERT ON idempotency_keys
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_unanswered_key();

CREATE UNLOGGED TABLE request_counts (
    token_id  integer PRIMARY KEY,
    minute    integer NOT NULL,
    requests  integer NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE request_counts IS
    'Requests of each token in the current minute; not logged, since a crash may restart the count without harm.';


-- ## The database itself.

-- Runs as the owner, because only the owner of a table may analyze it.
CREATE FUNCTION refresh_statistics(VARIADIC tables regclass[]) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one regclass;
BEGIN
    FOREACH one IN ARRAY tables LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) %s', one);
    END LOOP;
END $$;

CREATE TABLE database_histories (
    timeline  bigint PRIMARY KEY CHECK (timeline > 0),
    mark      uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
    seen_at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE database_histories IS
    'Timelines of the database: log positions can be compared only within one timeline, which a server proves by '
    'its mark.';
CREATE TRIGGER database_histories_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON database_histories
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
