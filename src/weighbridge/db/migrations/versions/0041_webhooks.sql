-- Webhooks: addresses that are told of changes. Nothing here is in the path of whoever writes records: a webhook
-- has a place in the feed of changes, behind which workers look.

CREATE TABLE webhooks (
    id               integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id       integer NOT NULL REFERENCES accounts,
    -- Whose changes are told; null is of the whole account.
    project_id       integer REFERENCES projects,
    url              text NOT NULL CHECK (url ~ '^https?://' AND length(url) <= 2000),
    description      text NOT NULL DEFAULT '',
    change_types     text[] NOT NULL CHECK (cardinality(change_types) > 0),
    -- The types of tasks of which is told: those that whoever chose the changes may read.
    task_types       text[] NOT NULL,
    is_enabled       boolean NOT NULL DEFAULT true,
    disabled_at      timestamptz(3),
    disabled_reason  text,
    -- Since when every attempt has failed.
    failing_since    timestamptz(3),
    -- Who set it up or changed it last, in whose name it is disabled.
    user_id          integer NOT NULL,
    created_at       timestamptz(3) NOT NULL DEFAULT now(),
    updated_at       timestamptz(3) NOT NULL DEFAULT now(),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id),
    CONSTRAINT webhooks_say_why_they_are_disabled
        CHECK (is_enabled = (disabled_at IS NULL) AND is_enabled = (disabled_reason IS NULL))
);
CREATE INDEX webhooks_of_account ON webhooks (account_id, id);
CREATE INDEX webhooks_of_project ON webhooks (project_id) WHERE project_id IS NOT NULL;

CREATE FUNCTION webhooks_check_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM projects WHERE id = NEW.project_id AND account_id = NEW.account_id) THEN
        RAISE EXCEPTION 'webhook %: project % is of another account', NEW.id, NEW.project_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER webhooks_check_project BEFORE INSERT OR UPDATE OF project_id ON webhooks
    FOR EACH ROW WHEN (NEW.project_id IS NOT NULL) EXECUTE FUNCTION webhooks_check_project();

-- What a receiver checks deliveries by; one without an end is the newest.
CREATE TABLE webhook_secrets (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id  integer NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    secret      bytea NOT NULL CHECK (octet_length(secret) BETWEEN 24 AND 64),
    created_at  timestamptz(3) NOT NULL DEFAULT now(),
    expires_at  timestamptz(3)
);
CREATE INDEX webhook_secrets_of_webhook ON webhook_secrets (webhook_id);
CREATE UNIQUE INDEX webhook_secrets_one_newest ON webhook_secrets (webhook_id) WHERE expires_at IS NULL;

-- Where a webhook stands in the feed, when it has something to send, and which worker is at it.
CREATE TABLE webhook_lanes (
    webhook_id     integer PRIMARY KEY REFERENCES webhooks ON DELETE CASCADE,
    -- The next change to be told: the number of an entry, and the place in it.
    next_number    bigint NOT NULL CHECK (next_number > 0),
    next_position  bigint NOT NULL DEFAULT 0 CHECK (next_position >= 0),
    -- Entries that were removed because of their age while the webhook was disabled.
    lost_entries   bigint NOT NULL DEFAULT 0 CHECK (lost_entries >= 0),
    -- Whether so much waits already that nothing is added.
    is_full        boolean NOT NULL DEFAULT false,
    due_at         timestamptz(3),
    served_at      timestamptz(3),
    holder         uuid,
    held_until     timestamptz(3),
    CHECK ((holder IS NULL) = (held_until IS NULL))
) WITH (fillfactor = 50);

-- One message to a webhook: changes of one kind by one action, in one project or none, or a test.
CREATE TABLE webhook_deliveries (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id       integer NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    kind             text NOT NULL,
    action           text NOT NULL,
    project_id       integer,
    keys             int8multirange NOT NULL,
    -- Where it begins in the feed, and where the feed goes on behind it; tests have no place there.
    first_number     bigint,
    first_position   bigint,
    next_number      bigint,
    next_position    bigint,
    changed_at       timestamptz(3) NOT NULL,
    state            text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    -- Whether somebody asked for it, so that it is tried once and also while the webhook is disabled.
    is_by_hand       boolean NOT NULL DEFAULT false,
    next_attempt_at  timestamptz(3) DEFAULT now(),
    attempt_count    integer NOT NULL DEFAULT 0 CHECK (attempt_count >= 0),
    attempts         jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(attempts) = 'array'),
    created_at       timestamptz(3) NOT NULL DEFAULT now(),
    ended_at         timestamptz(3),
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
    CHECK ((state = 'pending') = (ended_at IS NULL)),
    CHECK (num_nonnulls(first_number, first_position, next_number, next_position) IN (0, 4)),
    CONSTRAINT webhook_deliveries_tell_once UNIQUE (webhook_id, first_number, first_position)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;
