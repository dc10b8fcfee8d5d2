-- How the files of one source are read: which column gives what, in which unit, and how times and numbers are written.
CREATE TABLE data_feeds (
    project_id        integer NOT NULL REFERENCES projects,
    id                integer GENERATED ALWAYS AS IDENTITY,
    name              text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
    event_type_id     integer NOT NULL,
    -- What each column gives: objects of column, field and unit.
    columns           jsonb NOT NULL CHECK (jsonb_typeof(columns) = 'array'),
    other_columns     text NOT NULL CHECK (other_columns IN ('refuse', 'leave_out')),
    time_zone         text,
    time_format       text,
    rows_in_order     boolean NOT NULL,
    -- How long each event is, such as 1h; null where a column gives the end, or where rows are readings.
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
    -- A folder or a prefix of an object store in which files are looked for, and who asked for that.
    watch             text,
    watch_user_id     integer REFERENCES users,
    watch_token_id    integer REFERENCES api_tokens,
    -- What the last look at it met; null where all was well.
    watch_problem     text,
    created_at        timestamptz(3) NOT NULL DEFAULT now(),
    updated_at        timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types,
    FOREIGN KEY (project_id, feedstock_id) REFERENCES feedstocks,
    FOREIGN KEY (project_id, asset_id) REFERENCES assets,
    CONSTRAINT data_feeds_one_of_each_name UNIQUE (project_id, name),
    CONSTRAINT data_feeds_watch_for_someone CHECK ((watch IS NULL) = (watch_user_id IS NULL))
);
-- A file in a place is taken by one feed.
CREATE UNIQUE INDEX data_feeds_one_watches ON data_feeds (watch);
-- For whoever removes what they name.
CREATE INDEX data_feeds_of_event_type ON data_feeds (project_id, event_type_id);
CREATE INDEX data_feeds_of_feedstock ON data_feeds (project_id, feedstock_id) WHERE feedstock_id IS NOT NULL;
CREATE INDEX data_feeds_of_asset ON data_feeds (project_id, asset_id) WHERE asset_id IS NOT NULL;

-- A file that came to a feed, and what became of it. What it came to is there from its task's end on.
CREATE TABLE data_feed_uploads (
    project_id      integer NOT NULL REFERENCES projects,
    id              integer GENERATED ALWAYS AS IDENTITY,
    data_feed_id    integer NOT NULL,
    task_id         integer NOT NULL UNIQUE REFERENCES async_tasks,
    file_name       text NOT NULL CHECK (char_length(file_name) BETWEEN 1 AND 255),
    size_bytes      bigint NOT NULL CHECK (size_bytes > 0),
    sha256          bytea NOT NULL CHECK (octet_length(sha256) = 32),
    -- Where the file is kept; null once it was removed. An upload of the file of another one shares its key.
    storage_key     text CHECK (storage_key ~ '^[0-9a-f]{32}$'),
    dry_run         boolean NOT NULL,
    -- Where the file was found, for one of a watched place, and when it was moved away from there.
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
    -- The first bad rows, and the file of all.
    problems        jsonb,
    report_key      text UNIQUE CHECK (report_key ~ '^[0-9a-f]{32}$'),
    report_bytes    bigint CHECK (report_bytes > 0),
    report_sha256   bytea CHECK (octet_length(report_sha256) = 32),
    created_at      timestamptz(3) NOT NULL DEFAULT now(),
    finished_at     timestamptz(3),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, data_feed_id) REFERENCES data_feeds,
    FOREIGN KEY (project_id, same_as) REFERENCES data_feed_uploads,
    CONSTRAINT data_feed_uploads_come_to_something_whole
        CHECK (num_nonnulls(rows, stored, already_there, incomplete, bad_rows, formulas, finished_at) IN (0, 7)),
    CONSTRAINT data_feed_uploads_report_whole
        CHECK (num_nonnulls(report_bytes, report_sha256) IN (0, 2)
               AND (report_key IS NULL OR report_bytes IS NOT NULL)),
    CONSTRAINT data_feed_uploads_dry_runs_store_nothing CHECK (NOT dry_run OR coalesce(stored, 0) = 0),
    CONSTRAINT data_feed_uploads_copies_store_nothing CHECK (same_as IS NULL OR coalesce(stored, 0) = 0),
    CONSTRAINT data_feed_uploads_settle_in_a_place CHECK (settled_at IS NULL OR place IS NOT NULL)
);
CREATE INDEX data_feed_uploads_of_feed ON data_feed_uploads (project_id, data_feed_id, id);
CREATE INDEX data_feed_uploads_by_content ON data_feed_uploads (project_id, data_feed_id, content_sha256)
    WHERE finished_at IS NOT NULL AND NOT dry_run;
-- A file of a watched place is taken up once, until it is moved away.
CREATE UNIQUE INDEX data_feed_uploads_one_of_each_file ON data_feed_uploads (project_id, data_feed_id, place, file_name)
    WHERE place IS NOT NULL AND settled_at IS NULL;
CREATE INDEX data_feed_uploads_by_key ON data_feed_uploads (storage_key) WHERE storage_key IS NOT NULL;
