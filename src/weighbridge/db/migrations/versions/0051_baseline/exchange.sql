-- Data in and out: exports, data feeds, webhooks and archives.


-- ## Exports.

CREATE TABLE exports (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   integer NOT NULL REFERENCES accounts,
    task_id      integer NOT NULL UNIQUE REFERENCES async_tasks,
    -- The list by the name of its operation, the parameters of its path, and its query without paging.
    list         text NOT NULL,
    path         jsonb NOT NULL CHECK (jsonb_typeof(path) = 'object'),
    query        jsonb NOT NULL CHECK (jsonb_typeof(query) = 'array'),
    -- The permission that a token needs to see the export: that of the list.
    permission   text NOT NULL,
    format       text NOT NULL CHECK (format IN ('csv', 'json', 'jsonl', 'parquet', 'xlsx')),
    -- Anyone with the link may download the file until it expires.
    link         bytea NOT NULL CHECK (octet_length(link) = 16),
    storage_key  text UNIQUE CHECK (storage_key ~ '^[0-9a-f]{32}$'),
    rows         bigint CHECK (rows >= 0),
    size_bytes   bigint CHECK (size_bytes >= 0),
    sha256       bytea CHECK (octet_length(sha256) = 32),
    expires_at   timestamptz(3),
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT exports_have_a_file_whole
        CHECK (num_nonnulls(rows, size_bytes, sha256, expires_at) IN (0, 4)
               AND (storage_key IS NULL OR expires_at IS NOT NULL))
);
COMMENT ON TABLE exports IS 'Lists requested as files; the file exists from the end of its task until it expires.';
CREATE INDEX exports_to_remove ON exports (expires_at) WHERE storage_key IS NOT NULL;


-- ## Data feeds.

CREATE TABLE data_feeds (
    project_id        integer NOT NULL REFERENCES projects,
    id                integer GENERATED ALWAYS AS IDENTITY,
    name              text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
    event_type_id     integer NOT NULL,
    -- Objects of column, field and unit.
    columns           jsonb NOT NULL CHECK (jsonb_typeof(columns) = 'array'),
    other_columns     text NOT NULL CHECK (other_columns IN ('refuse', 'leave_out')),
    time_zone         text,
    time_format       text,
    rows_in_order     boolean NOT NULL,
    -- The length of each event, such as 1h; null where a column gives the end, or where rows are readings.
    duration          text CHECK (duration ~ '^[1-9][0-9]{0,6}[smhd]$'),
    decimal_mark      text NOT NULL CHECK (decimal_mark IN ('.', ',')),
    encoding          text NOT NULL,
    delimiter         text NOT NULL CHECK (char_length(delimiter) = 1),
    header_line       integer NOT NULL CHECK (header_line BETWEEN 1 AND 1000),
    sheet             text,
    missing           text[] NOT NULL,
    formulas          text NOT NULL CHECK (formulas IN ('refuse', 'take_stored')),
    location_ids      integer[] NOT NULL,
    feedstock_id      integer,
    asset_id          integer,
    client_reference  text NOT NULL CHECK (client_reference IN ('row', 'time', 'column')),
    bad_rows          text NOT NULL CHECK (bad_rows IN ('refuse_file', 'skip')),
    -- A folder or a prefix of an object store that workers poll, and the user and token that asked for it.
    watch             text,
    watch_user_id     integer REFERENCES users,
    watch_token_id    integer REFERENCES api_tokens,
    -- The problem of the last poll; null where there was none.
    watch_problem     text,
    created_at        timestamptz(3) NOT NULL DEFAULT now(),
    updated_at        timestamptz(3) NOT NULL DEFAULT now(),
    -- What happens to a row whose event is stored with other values.
    on_difference     text NOT NULL DEFAULT 'report' CHECK (on_difference IN ('report', 'correct')),
    -- Whether the line below the header has the units of the columns.
    units_line        boolean NOT NULL DEFAULT false,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types,
    FOREIGN KEY (project_id, feedstock_id) REFERENCES feedstocks,
    FOREIGN KEY (project_id, asset_id) REFERENCES assets,
    CONSTRAINT data_feeds_one_of_each_name UNIQUE (project_id, name),
    CONSTRAINT data_feeds_watch_for_someone CHECK ((watch IS NULL) = (watch_user_id IS NULL))
);
COMMENT ON TABLE data_feeds IS
    'Data feeds: how the files of one source are read, with columns, units, and formats of times and numbers.';
-- One feed takes the files of a place.
CREATE UNIQUE INDEX data_feeds_one_watches ON data_feeds (watch);
-- For the removal of what feeds name.
CREATE INDEX data_feeds_of_event_type ON data_feeds (project_id, event_type_id);
CREATE INDEX data_feeds_of_feedstock ON data_feeds (project_id, feedstock_id) WHERE feedstock_id IS NOT NULL;
CREATE INDEX data_feeds_of_asset ON data_feeds (project_id, asset_id) WHERE asset_id IS NOT NULL;

CREATE TABLE data_feed_uploads (
    project_id      integer NOT NULL REFERENCES projects,
    id              integer GENERATED ALWAYS AS IDENTITY,
    data_feed_id    integer NOT NULL,
    task_id         integer NOT NULL UNIQUE REFERENCES async_tasks,
    file_name       text NOT NULL CHECK (char_length(file_name) BETWEEN 1 AND 255),
    size_bytes      bigint NOT NULL CHECK (size_bytes > 0),
    sha256          bytea NOT NULL CHECK (octet_length(sha256) = 32),
    -- Where the file is stored; null once it was removed. Uploads of the same file share the key.
    storage_key     text CHECK (storage_key ~ '^[0-9a-f]{32}$'),
    dry_run         boolean NOT NULL,
    -- Where a watched file was found, and when it was moved away from there.
    place           text,
    settled_at      timestamptz(3),
    content_sha256  bytea CHECK (octet_length(content_sha256) = 32),
    same_as         integer,
    mapping         jsonb,
    rows            bigint CHECK (rows >= 0),
    stored          bigint CHECK (stored >= 0),
    already_there   bigint CHECK (already_there >= 0),
    incomplete      bigint CHECK (incomplete >= 0),
    bad_rows        bigint CHECK (bad_rows >= 0),
    formulas        bigint CHECK (formulas >= 0),
    first_start     timestamptz(3),
    last_end        timestamptz(3),
    -- The first bad rows, and the file of all bad rows.
    problems        jsonb,
    report_key      text UNIQUE CHECK (report_key ~ '^[0-9a-f]{32}$'),
    report_bytes    bigint CHECK (report_bytes > 0),
    report_sha256   bytea CHECK (octet_length(report_sha256) = 32),
    created_at      timestamptz(3) NOT NULL DEFAULT now(),
    finished_at     timestamptz(3),
    -- Rows that differ from their stored events, and how many of those events were corrected.
    differing       bigint CHECK (differing >= 0),
    corrected       bigint CHECK (corrected >= 0),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, data_feed_id) REFERENCES data_feeds,
    FOREIGN KEY (project_id, same_as) REFERENCES data_feed_uploads,
    CONSTRAINT data_feed_uploads_report_whole
        CHECK (num_nonnulls(report_bytes, report_sha256) IN (0, 2)
               AND (report_key IS NULL OR report_bytes IS NOT NULL)),
    CONSTRAINT data_feed_uploads_dry_runs_store_nothing CHECK (NOT dry_run OR coalesce(stored, 0) = 0),
    CONSTRAINT data_feed_uploads_copies_store_nothing CHECK (same_as IS NULL OR coalesce(stored, 0) = 0),
    CONSTRAINT data_feed_uploads_settle_in_a_place CHECK (settled_at IS NULL OR place IS NOT NULL),
    CONSTRAINT data_feed_uploads_come_to_something_whole
        CHECK (num_nonnulls(rows, stored, already_there, differing, corrected, incomplete, bad_rows, formulas,
                            finished_at) IN (0, 9)),
    CONSTRAINT data_feed_uploads_correct_what_differs CHECK (corrected <= differing),
    CONSTRAINT data_feed_uploads_dry_runs_correct_nothing CHECK (NOT dry_run OR coalesce(corrected, 0) = 0)
);
COMMENT ON TABLE data_feed_uploads IS 'Files uploaded to a data feed, and the result of each once its task is done.';
CREATE INDEX data_feed_uploads_of_feed ON data_feed_uploads (project_id, data_feed_id, id);
CREATE INDEX data_feed_uploads_by_content ON data_feed_uploads (project_id, data_feed_id, content_sha256)
    WHERE finished_at IS NOT NULL AND NOT dry_run;
-- A watched file is taken once, until it is moved away.
CREATE UNIQUE INDEX data_feed_uploads_one_of_each_file ON data_feed_uploads (project_id, data_feed_id, place, file_name)
    WHERE place IS NOT NULL AND settled_at IS NULL;
CREATE INDEX data_feed_uploads_by_key ON data_feed_uploads (storage_key) WHERE storage_key IS NOT NULL;


-- ## Webhooks. Workers follow the feed of changes, so a webhook never delays a write.

CREATE TABLE webhooks (
    id               integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id       integer NOT NULL REFERENCES accounts,
    -- The project whose changes are sent; null for the whole account.
    project_id       integer REFERENCES projects,
    url              text NOT NULL CHECK (url ~ '^https?://' AND length(url) <= 2000),
    description      text NOT NULL DEFAULT '',
    change_types     text[] NOT NULL CHECK (cardinality(change_types) > 0),
    -- The types of tasks that the user who chose the changes may read.
    task_types       text[] NOT NULL,
    is_enabled       boolean NOT NULL DEFAULT true,
    disabled_at      timestamptz(3),
    disabled_reason  text,
    -- Since when every attempt has failed.
    failing_since    timestamptz(3),
    -- The user who last set it up or changed it, in whose name it is disabled.
    user_id          integer NOT NULL,
    created_at       timestamptz(3) NOT NULL DEFAULT now(),
    updated_at       timestamptz(3) NOT NULL DEFAULT now(),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id),
    CONSTRAINT webhooks_say_why_they_are_disabled
        CHECK (is_enabled = (disabled_at IS NULL) AND is_enabled = (disabled_reason IS NULL))
);
COMMENT ON TABLE webhooks IS 'Webhooks: addresses that receive changes.';
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

CREATE TABLE webhook_secrets (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id  integer NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    secret      bytea NOT NULL CHECK (octet_length(secret) BETWEEN 24 AND 64),
    created_at  timestamptz(3) NOT NULL DEFAULT now(),
    expires_at  timestamptz(3)
);
COMMENT ON TABLE webhook_secrets IS
    'Secrets by which a receiver checks deliveries; the secret without an end is the newest.';
CREATE INDEX webhook_secrets_of_webhook ON webhook_secrets (webhook_id);
CREATE UNIQUE INDEX webhook_secrets_one_newest ON webhook_secrets (webhook_id) WHERE expires_at IS NULL;

CREATE TABLE webhook_lanes (
    webhook_id     integer PRIMARY KEY REFERENCES webhooks ON DELETE CASCADE,
    -- The next change to send: the number of an entry, and the position in it.
    next_number    bigint NOT NULL CHECK (next_number > 0),
    next_position  bigint NOT NULL DEFAULT 0 CHECK (next_position >= 0),
    -- Entries that were removed because of their age while the webhook was disabled.
    lost_entries   bigint NOT NULL DEFAULT 0 CHECK (lost_entries >= 0),
    -- Whether so many deliveries wait that none is added.
    is_full        boolean NOT NULL DEFAULT false,
    due_at         timestamptz(3),
    served_at      timestamptz(3),
    holder         uuid,
    held_until     timestamptz(3),
    CHECK ((holder IS NULL) = (held_until IS NULL))
) WITH (fillfactor = 50);
COMMENT ON TABLE webhook_lanes IS
    'The position of a webhook in the feed of changes, when it is next due, and which worker serves it.';

CREATE TABLE webhook_deliveries (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id       integer NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    kind             text NOT NULL,
    action           text NOT NULL,
    project_id       integer,
    keys             int8multirange NOT NULL,
    -- Where it begins in the feed, and where the feed continues after it; null of a test.
    first_number     bigint,
    first_position   bigint,
    next_number      bigint,
    next_position    bigint,
    changed_at       timestamptz(3) NOT NULL,
    state            text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    -- Whether a person asked for it, so that it is tried once even while the webhook is disabled.
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
COMMENT ON TABLE webhook_deliveries IS
    'Messages to webhooks: changes of one kind by one action in one project or none, or a test.';
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;


-- ## Archives.

CREATE TABLE archives (
    project_id       integer NOT NULL REFERENCES projects,
    id               bigint GENERATED ALWAYS AS IDENTITY,
    month            date NOT NULL,
    version          integer NOT NULL CHECK (version > 0),
    place            text NOT NULL CHECK (place <> ''),
    manifest_sha256  bytea NOT NULL CHECK (octet_length(manifest_sha256) = 32),
    rows_sha256      bytea NOT NULL CHECK (octet_length(rows_sha256) = 32),
    row_count        bigint NOT NULL CHECK (row_count >= 0),
    size_bytes       bigint NOT NULL CHECK (size_bytes > 0),
    change_number    bigint NOT NULL CHECK (change_number >= 0),
    seen_until       timestamptz NOT NULL,
    made_at          timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    CONSTRAINT archives_month_begins CHECK (extract(day FROM month) = 1)
);
COMMENT ON TABLE archives IS
    'Months of events that were copied to a place as files; a month found unchanged later gets another row of the '
    'same version.';
CREATE INDEX archives_of_months ON archives (project_id, place, month, id);
CREATE TRIGGER archives_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON archives
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
