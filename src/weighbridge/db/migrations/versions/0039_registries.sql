-- Registries: where reports go. What is sent is rendered once and kept in the store of files; a journal says how far
-- each submission came, so that whoever goes on with it never hands the same report on as another one.

CREATE TABLE registries (
    account_id       integer NOT NULL REFERENCES accounts,
    id               integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name             text NOT NULL CHECK (name <> ''),
    adapter          text NOT NULL CHECK (adapter IN ('file', 'http')),
    -- Where a report is posted, and where it is asked for by its key, which stands for {key}.
    address          text CHECK (address <> ''),
    status_address   text CHECK (status_address LIKE '%{key}%'),
    timeout_seconds  integer NOT NULL CHECK (timeout_seconds BETWEEN 1 AND 120),
    tries            integer NOT NULL CHECK (tries BETWEEN 1 AND 20),
    -- How often it is asked for its decision; none where people write that down.
    poll_seconds     integer CHECK (poll_seconds BETWEEN 1 AND 86400),
    created_at       timestamptz(3) NOT NULL DEFAULT now(),
    updated_at       timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (account_id, name),
    UNIQUE (account_id, id),
    CONSTRAINT registries_called CHECK (CASE adapter
        WHEN 'http' THEN num_nulls(address, status_address) = 0
        ELSE num_nonnulls(address, status_address, poll_seconds) = 0 END)
);
-- Headers that prove who calls. They stand apart from all that is shown: only what calls the registry reads them.
CREATE TABLE registry_secrets (
    registry_id  integer NOT NULL REFERENCES registries,
    header       text NOT NULL CHECK (header <> ''),
    value        text NOT NULL CHECK (value <> ''),
    PRIMARY KEY (registry_id, header)
);

-- What a methodology says of submission: where to, in what form, and how much has to be measured.
ALTER TABLE methodologies
    ADD COLUMN registry_id integer,
    ADD COLUMN mapping jsonb CHECK (jsonb_typeof(mapping) = 'object'),
    ADD COLUMN measured_share_min numeric CHECK (measured_share_min BETWEEN 0 AND 1),
    ADD FOREIGN KEY (account_id, registry_id) REFERENCES registries (account_id, id);
CREATE INDEX methodologies_of_registry ON methodologies (registry_id) WHERE registry_id IS NOT NULL;

-- What is sent lies in the store of files; before, it stood in the row.
ALTER TABLE report_submissions
    ALTER COLUMN content DROP NOT NULL,
    -- The key under which a receiver takes it once.
    ADD COLUMN key uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN registry_id integer REFERENCES registries,
    ADD COLUMN extension text NOT NULL DEFAULT 'json' CHECK (extension IN ('json', 'csv', 'xlsx', 'xml')),
    ADD COLUMN storage_key text UNIQUE CHECK (storage_key ~ '^[0-9a-f]{32}$'),
    ADD COLUMN size_bytes bigint CHECK (size_bytes > 0),
    ADD CONSTRAINT report_submissions_kept CHECK (
        num_nonnulls(content, storage_key) = 1 AND (storage_key IS NULL) = (size_bytes IS NULL)),
    ADD CONSTRAINT report_submissions_key UNIQUE (key),
    ADD CONSTRAINT report_submissions_to_a_registry CHECK (registry_id IS NOT NULL OR adapter = 'file');
CREATE INDEX report_submissions_of_registry ON report_submissions (registry_id) WHERE registry_id IS NOT NULL;

-- How far submissions came: each step is written down before it is taken, or when its answer is there.
CREATE TABLE report_deliveries (
    project_id     integer NOT NULL,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    report_id      bigint NOT NULL,
    async_task_id  integer REFERENCES async_tasks,
    step           text NOT NULL CHECK (step IN
                   ('sending', 'received', 'refused', 'not_sent', 'unanswered', 'absent')),
    -- The status that the receiver answered with, and what it or the service says of the step.
    http_status    integer CHECK (http_status BETWEEN 100 AND 999),
    detail         text CHECK (detail <> ''),
    said_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, report_id) REFERENCES report_submissions
);
CREATE INDEX report_deliveries_of_report ON report_deliveries (project_id, report_id, id);
CREATE INDEX report_deliveries_of_task ON report_deliveries (async_task_id);
CREATE TRIGGER report_deliveries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON report_deliveries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Reports that wait for the decision of a registry that is asked for it.
CREATE TABLE report_reviews (
    project_id  integer NOT NULL,
    report_id   bigint NOT NULL,
    next_at     timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, report_id),
    FOREIGN KEY (project_id, report_id) REFERENCES report_submissions
);
CREATE INDEX report_reviews_due ON report_reviews (next_at);
