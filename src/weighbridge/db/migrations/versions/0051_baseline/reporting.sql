-- Registries, methodologies and reports. A submitted report reserves its amounts, and an accepted report posts them.
-- Reports that restate one another form a chain, of which only the last counts.


-- ## Registries and methodologies.

CREATE TABLE registries (
    account_id       integer NOT NULL REFERENCES accounts,
    id               integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name             text NOT NULL CHECK (name <> ''),
    adapter          text NOT NULL CHECK (adapter IN ('file', 'http')),
    -- Where a report is posted, and where its status is requested; {key} is replaced by its key.
    address          text CHECK (address <> ''),
    status_address   text CHECK (status_address LIKE '%{key}%'),
    timeout_seconds  integer NOT NULL CHECK (timeout_seconds BETWEEN 1 AND 120),
    tries            integer NOT NULL CHECK (tries BETWEEN 1 AND 20),
    -- How often the service asks for the decision; null where people record it.
    poll_seconds     integer CHECK (poll_seconds BETWEEN 1 AND 86400),
    created_at       timestamptz(3) NOT NULL DEFAULT now(),
    updated_at       timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (account_id, name),
    UNIQUE (account_id, id),
    CONSTRAINT registries_called CHECK (CASE adapter
        WHEN 'http' THEN num_nulls(address, status_address) = 0
        ELSE num_nonnulls(address, status_address, poll_seconds) = 0 END)
);
COMMENT ON TABLE registries IS 'Registries to which reports are submitted.';

CREATE TABLE registry_secrets (
    registry_id  integer NOT NULL REFERENCES registries,
    header       text NOT NULL CHECK (header <> ''),
    value        text NOT NULL CHECK (value <> ''),
    PRIMARY KEY (registry_id, header)
);
COMMENT ON TABLE registry_secrets IS
    'Headers that authenticate the service at a registry, apart from all that is shown.';


CREATE TABLE methodologies (
    account_id               integer NOT NULL REFERENCES accounts,
    id                       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name                     text NOT NULL CHECK (name <> ''),
    version                  text NOT NULL CHECK (version <> ''),
    report_type              text NOT NULL CHECK (report_type <> ''),
    submission_requirements  text[] NOT NULL DEFAULT '{}'
                             CHECK (submission_requirements <@ ARRAY['no_open_alerts', 'evidence']),
    created_at               timestamptz(3) NOT NULL DEFAULT now(),
    -- Where reports are submitted, in what form, and which share must be measured.
    registry_id              integer,
    mapping                  jsonb CHECK (jsonb_typeof(mapping) = 'object'),
    measured_share_min       numeric CHECK (measured_share_min BETWEEN 0 AND 1),
    UNIQUE (account_id, name, version),
    UNIQUE (account_id, id),
    FOREIGN KEY (account_id, registry_id) REFERENCES registries (account_id, id)
);
COMMENT ON TABLE methodologies IS
    'Methodologies: what they require of a report before its submission, and where it is submitted.';
CREATE INDEX methodologies_of_registry ON methodologies (registry_id) WHERE registry_id IS NOT NULL;
CREATE TRIGGER methodologies_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON methodologies
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE methodology_models (
    methodology_id  integer NOT NULL REFERENCES methodologies,
    model_id        integer NOT NULL REFERENCES models,
    PRIMARY KEY (methodology_id, model_id)
);
COMMENT ON TABLE methodology_models IS 'Model versions that implement a methodology.';
CREATE TRIGGER methodology_models_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON methodology_models
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();


-- ## Reports and the amounts that they take from batches.

CREATE TABLE reports (
    project_id      integer NOT NULL REFERENCES projects,
    id              bigint GENERATED ALWAYS AS IDENTITY,
    name            text NOT NULL CHECK (name <> ''),
    report_type     text NOT NULL CHECK (report_type <> ''),
    methodology_id  integer REFERENCES methodologies,
    -- The ledger of its batches; null while it has none.
    ledger_id       integer,
    status          text NOT NULL DEFAULT 'draft' CHECK (status IN
                    ('draft', 'submitting', 'submitted', 'complete', 'rejected', 'failed', 'superseded')),
    -- The report that this report restates, and the first report of the chain; null of a report that restates none.
    supersedes      bigint,
    first_id        bigint,
    chain_id        bigint NOT NULL GENERATED ALWAYS AS (coalesce(first_id, id)) STORED,
    -- From when its amounts count, and when they were reserved; null of a draft.
    effective_at    timestamptz(3) CHECK (isfinite(effective_at)),
    reserved_at     timestamptz(3),
    async_task_id   integer REFERENCES async_tasks,
    created_at      timestamptz(3) NOT NULL DEFAULT now(),
    updated_at      timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    -- A chain and never a tree: one report restates another.
    CONSTRAINT reports_restated_once UNIQUE (project_id, supersedes),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers,
    FOREIGN KEY (project_id, supersedes) REFERENCES reports,
    FOREIGN KEY (project_id, first_id) REFERENCES reports,
    CONSTRAINT reports_chain CHECK ((supersedes IS NULL) = (first_id IS NULL)),
    CONSTRAINT reports_not_of_themselves CHECK (supersedes < id AND first_id <= supersedes),
    CONSTRAINT reports_count_once_submitted CHECK (
        num_nulls(effective_at, reserved_at) = CASE status WHEN 'draft' THEN 2 ELSE 0 END),
    CONSTRAINT reports_on_a_ledger CHECK (status = 'draft' OR ledger_id IS NOT NULL)
);
COMMENT ON TABLE reports IS 'Reports: what is claimed of the batches of a ledger.';
ALTER TABLE ledger_entries ADD FOREIGN KEY (project_id, report_id) REFERENCES reports;
ALTER TABLE deficit_entries ADD FOREIGN KEY (project_id, report_id) REFERENCES reports;
-- A chain has at most one complete report, and one under way.
CREATE UNIQUE INDEX reports_one_complete ON reports (project_id, chain_id) WHERE status = 'complete';
CREATE UNIQUE INDEX reports_one_under_way ON reports (project_id, chain_id)
    WHERE status IN ('submitting', 'submitted', 'failed');
CREATE INDEX reports_of_chain ON reports (project_id, chain_id, id);
CREATE INDEX reports_of_ledger ON reports (project_id, ledger_id) WHERE ledger_id IS NOT NULL;
CREATE INDEX reports_of_methodology ON reports (methodology_id) WHERE methodology_id IS NOT NULL;
CREATE INDEX reports_of_task ON reports (async_task_id) WHERE async_task_id IS NOT NULL;
CREATE TRIGGER reports_tell_created AFTER INSERT ON reports
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created('report');
CREATE TRIGGER reports_tell_updated AFTER UPDATE ON reports
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated('report');
CREATE TRIGGER reports_tell_deleted AFTER DELETE ON reports
    REFERENCING OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION tell_deleted('report');

-- A report belongs to the chain of the report that it restates, and never changes its place. The moves are those of
-- core/report/state.py.
CREATE FUNCTION check_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.status <> 'draft' THEN
            RAISE EXCEPTION 'report % is %, and only a draft is removed', OLD.id, OLD.status
                USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_stay';
        END IF;
        RETURN OLD;
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'draft' OR NEW.supersedes IS NOT NULL AND NOT EXISTS (
            SELECT FROM reports r
             WHERE (r.project_id, r.id, r.chain_id) = (NEW.project_id, NEW.supersedes, NEW.first_id))
        THEN
            RAISE EXCEPTION 'report % is no draft, or of another chain than what it restates', NEW.id
                USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_begin';
        END IF;
        RETURN NEW;
    END IF;
    IF (NEW.project_id, NEW.id, NEW.supersedes, NEW.first_id)
       IS DISTINCT FROM (OLD.project_id, OLD.id, OLD.supersedes, OLD.first_id) THEN
        RAISE EXCEPTION 'report % keeps its place in its chain', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_keep_chain';
    END IF;
    IF OLD.status <> 'draft' AND (NEW.name, NEW.report_type, NEW.methodology_id, NEW.ledger_id, NEW.effective_at)
       IS DISTINCT FROM (OLD.name, OLD.report_type, OLD.methodology_id, OLD.ledger_id, OLD.effective_at) THEN
        RAISE EXCEPTION 'report % is %, and only a draft changes', OLD.id, OLD.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_stay';
    END IF;
    IF NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (
        ('draft', 'submitting'), ('submitting', 'submitted'), ('submitting', 'failed'), ('failed', 'submitting'),
        ('failed', 'rejected'), ('submitted', 'complete'), ('submitted', 'rejected'), ('submitted', 'superseded'),
        ('complete', 'superseded')) THEN
        RAISE EXCEPTION 'report % does not go from % to %', OLD.id, OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_move';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER reports_check BEFORE INSERT OR UPDATE OR DELETE ON reports
    FOR EACH ROW EXECUTE FUNCTION check_report();

CREATE TABLE report_batches (
    project_id  integer NOT NULL,
    report_id   bigint NOT NULL,
    batch_id    bigint NOT NULL,
    amount      numeric NOT NULL CHECK (amount > 0 AND amount < 'Infinity'),
    -- The newest batch of the same run when the amounts were reserved.
    basis       bigint,
    PRIMARY KEY (project_id, report_id, batch_id),
    FOREIGN KEY (project_id, report_id) REFERENCES reports ON DELETE CASCADE,
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, basis) REFERENCES batches
);
COMMENT ON TABLE report_batches IS 'The amounts that a report takes from batches.';
CREATE INDEX report_batches_of_batch ON report_batches (project_id, batch_id);

-- A report takes from batches of its ledger, and only the amounts of a draft change.
CREATE FUNCTION check_report_batch() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE of_row report_batches := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
DECLARE report reports;
BEGIN
    SELECT * INTO report FROM reports r WHERE (r.project_id, r.id) = (of_row.project_id, of_row.report_id);
    IF report.status <> 'draft' THEN
        RAISE EXCEPTION 'report % is %, and only a draft changes', report.id, report.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'report_batches_stay';
    END IF;
    IF TG_OP <> 'DELETE' AND NOT EXISTS (
        SELECT FROM batches b WHERE (b.project_id, b.id, b.ledger_id)
                                  = (NEW.project_id, NEW.batch_id, report.ledger_id)) THEN
        RAISE EXCEPTION 'batch % is on another ledger than report %', NEW.batch_id, report.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'report_batches_of_one_ledger';
    END IF;
    RETURN of_row;
END $$;
CREATE TRIGGER report_batches_check BEFORE INSERT OR UPDATE OR DELETE ON report_batches
    FOR EACH ROW EXECUTE FUNCTION check_report_batch();

CREATE FUNCTION tell_reported_batches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, 'report', 'update', range_agg(int8range(report_id, report_id, '[]'))
      FROM changed GROUP BY project_id;
    RETURN NULL;
END $$;
CREATE TRIGGER report_batches_tell_added AFTER INSERT ON report_batches
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_reported_batches();
CREATE TRIGGER report_batches_tell_updated AFTER UPDATE ON report_batches
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_reported_batches();
CREATE TRIGGER report_batches_tell_taken_out AFTER DELETE ON report_batches
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_reported_batches();

CREATE TABLE report_moves (
    project_id  integer NOT NULL,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    report_id   bigint NOT NULL,
    status      text NOT NULL,
    -- A person by a token, or an adapter on behalf of a person.
    user_id     integer NOT NULL REFERENCES users,
    adapter     text CHECK (adapter <> ''),
    reason      text CHECK (reason <> ''),
    -- What the receiver calls the submission, or where it was put.
    reference   text CHECK (reference <> ''),
    said_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, report_id) REFERENCES reports,
    CONSTRAINT report_moves_say_why CHECK (status NOT IN ('rejected', 'failed') OR reason IS NOT NULL)
);
COMMENT ON TABLE report_moves IS 'Changes of the status of a report, and the person or adapter that made them.';
CREATE INDEX report_moves_of_report ON report_moves (project_id, report_id, id);
CREATE TRIGGER report_moves_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON report_moves
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A submission whose task fails has failed, since nobody knows whether it was received.
CREATE FUNCTION fail_report_of_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH failed AS (
        UPDATE reports SET status = 'failed', updated_at = now()
         WHERE async_task_id = NEW.id AND status = 'submitting' RETURNING project_id, id
    )
    INSERT INTO report_moves (project_id, report_id, status, user_id, adapter, reason)
    SELECT project_id, id, 'failed', NEW.user_id, NEW.args ->> 'adapter',
           coalesce(NEW.error_message, 'The task failed.') FROM failed;
    RETURN NULL;
END $$;
CREATE TRIGGER async_tasks_fail_reports AFTER UPDATE OF state ON async_tasks FOR EACH ROW
    WHEN (NEW.state = 'failed') EXECUTE FUNCTION fail_report_of_task();


-- ## Submissions to registries.

CREATE TABLE report_submissions (
    project_id   integer NOT NULL,
    report_id    bigint NOT NULL,
    adapter      text NOT NULL CHECK (adapter <> ''),
    media_type   text NOT NULL CHECK (media_type <> ''),
    content      bytea,
    sha256       bytea NOT NULL CHECK (sha256 = sha256(content)),
    made_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    -- The key by which a receiver accepts it once.
    key          uuid NOT NULL DEFAULT gen_random_uuid(),
    registry_id  integer REFERENCES registries,
    extension    text NOT NULL DEFAULT 'json' CHECK (extension IN ('json', 'csv', 'xlsx', 'xml')),
    storage_key  text UNIQUE CHECK (storage_key ~ '^[0-9a-f]{32}$'),
    size_bytes   bigint CHECK (size_bytes > 0),
    PRIMARY KEY (project_id, report_id),
    FOREIGN KEY (project_id, report_id) REFERENCES reports,
    CONSTRAINT report_submissions_kept CHECK (
        num_nonnulls(content, storage_key) = 1 AND (storage_key IS NULL) = (size_bytes IS NULL)),
    CONSTRAINT report_submissions_key UNIQUE (key),
    CONSTRAINT report_submissions_to_a_registry CHECK (registry_id IS NOT NULL OR adapter = 'file')
);
COMMENT ON TABLE report_submissions IS 'What was submitted, stored once for each report before it is sent.';
CREATE INDEX report_submissions_of_registry ON report_submissions (registry_id) WHERE registry_id IS NOT NULL;
CREATE TRIGGER report_submissions_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON report_submissions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE report_deliveries (
    project_id     integer NOT NULL,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    report_id      bigint NOT NULL,
    async_task_id  integer REFERENCES async_tasks,
    step           text NOT NULL CHECK (step IN
                   ('sending', 'received', 'refused', 'not_sent', 'unanswered', 'absent')),
    -- The HTTP status of the response, and the message of the receiver or the service.
    http_status    integer CHECK (http_status BETWEEN 100 AND 999),
    detail         text CHECK (detail <> ''),
    said_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, report_id) REFERENCES report_submissions
);
COMMENT ON TABLE report_deliveries IS
    'Steps of submissions, each written before it is taken or when its response arrives.';
CREATE INDEX report_deliveries_of_report ON report_deliveries (project_id, report_id, id);
CREATE INDEX report_deliveries_of_task ON report_deliveries (async_task_id);
CREATE TRIGGER report_deliveries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON report_deliveries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE report_reviews (
    project_id  integer NOT NULL,
    report_id   bigint NOT NULL,
    next_at     timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, report_id),
    FOREIGN KEY (project_id, report_id) REFERENCES report_submissions
);
COMMENT ON TABLE report_reviews IS 'Reports that wait for the decision of a registry that the service polls.';
CREATE INDEX report_reviews_due ON report_reviews (next_at);


-- ## Entries of reports.

-- Where a chain has posted other amounts than its reports state. Its complete report posts what it states, from its
-- effective date. A report under way reserves what it takes beyond that. Other reports leave nothing.
CREATE FUNCTION misposted_of_chain(project integer, chain bigint)
RETURNS TABLE (batch_id bigint, effective_at timestamptz, is_reserve boolean, posted numeric, expected numeric)
LANGUAGE sql STABLE AS $$
    WITH stated AS (
        SELECT b.batch_id, r.effective_at, b.amount
          FROM reports r JOIN report_batches b ON (b.project_id, b.report_id) = (r.project_id, r.id)
         WHERE (r.project_id, r.chain_id, r.status) = (project, chain, 'complete')
    ), under_way AS (
        SELECT b.batch_id, r.effective_at, greatest(b.amount - coalesce(stated.amount, 0), 0) AS amount
          FROM reports r JOIN report_batches b ON (b.project_id, b.report_id) = (r.project_id, r.id)
          LEFT JOIN stated ON stated.batch_id = b.batch_id
         WHERE (r.project_id, r.chain_id) = (project, chain) AND r.status IN ('submitting', 'submitted', 'failed')
    ), parts AS (
        SELECT e.batch_id, e.effective_at, e.kind IN ('reserve', 'release') AS is_reserve, - e.amount AS posted,
               0::numeric AS expected
          FROM reports r JOIN ledger_entries e ON (e.project_id, e.report_id) = (r.project_id, r.id)
         WHERE (r.project_id, r.chain_id) = (project, chain)
           AND e.kind IN ('reserve', 'release', 'report', 'restate')
        UNION ALL SELECT stated.batch_id, stated.effective_at, false, 0, stated.amount FROM stated
        UNION ALL SELECT under_way.batch_id, under_way.effective_at, true, 0, under_way.amount FROM under_way
    )
    SELECT parts.batch_id, parts.effective_at, parts.is_reserve, sum(parts.posted), sum(parts.expected) FROM parts
     GROUP BY parts.batch_id, parts.effective_at, parts.is_reserve HAVING sum(parts.posted) <> sum(parts.expected)
$$;

CREATE FUNCTION check_report_books() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE wrong record;
BEGIN
    SELECT * INTO wrong FROM misposted_of_chain(NEW.project_id, NEW.chain_id) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the reports of chain % have posted % on batch %, and state or reserve %',
            NEW.chain_id, wrong.posted, wrong.batch_id, wrong.expected
            USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_hold_what_they_state';
    END IF;
    RETURN NULL;
END $$;
-- At the end of the transaction, when status and entries are both there.
CREATE CONSTRAINT TRIGGER reports_hold_what_they_state AFTER INSERT OR UPDATE OF status ON reports
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_report_books();

-- Entries come after the status that they follow from.
CREATE FUNCTION check_entries_of_reports() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE wrong record;
BEGIN
    SELECT chain.chain_id, found.* INTO wrong
      FROM (SELECT DISTINCT r.project_id, r.chain_id
              FROM added JOIN reports r ON (r.project_id, r.id) = (added.project_id, added.report_id)
             WHERE added.kind IN ('reserve', 'release', 'report', 'restate')) AS chain
     CROSS JOIN LATERAL misposted_of_chain(chain.project_id, chain.chain_id) AS found LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the reports of chain % have posted % on batch %, and state or reserve %',
            wrong.chain_id, wrong.posted, wrong.batch_id, wrong.expected
            USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_hold_what_they_state';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER ledger_entries_of_reports AFTER INSERT ON ledger_entries
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_entries_of_reports();


-- ## Proof bundles and links.

CREATE TABLE report_bundles (
    project_id   integer NOT NULL,
    report_id    bigint NOT NULL,
    is_final     boolean NOT NULL,
    is_redacted  boolean NOT NULL,
    storage_key  text NOT NULL UNIQUE CHECK (storage_key ~ '^[0-9a-f]{32}$'),
    size_bytes   bigint NOT NULL CHECK (size_bytes > 0),
    sha256       bytea NOT NULL CHECK (octet_length(sha256) = 32),
    batch_count  integer NOT NULL CHECK (batch_count > 0),
    -- The response of a time-stamping authority over the digest, where one is configured.
    time_stamp   bytea CHECK (octet_length(time_stamp) BETWEEN 1 AND 100000),
    made_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, report_id),
    FOREIGN KEY (project_id, report_id) REFERENCES reports ON DELETE CASCADE
);
COMMENT ON TABLE report_bundles IS
    'Proof bundles of reports: the last one of a draft, and the final one of a submitted report.';
CREATE TRIGGER report_bundles_stay BEFORE UPDATE OR DELETE ON report_bundles
    FOR EACH ROW WHEN (OLD.is_final) EXECUTE FUNCTION refuse_change();

CREATE TABLE report_links (
    id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id    integer NOT NULL,
    report_id     bigint NOT NULL,
    name          text NOT NULL CHECK (name <> ''),
    secret_hash   bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    created_by    integer NOT NULL REFERENCES users,
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    expires_at    timestamptz(3) NOT NULL CHECK (expires_at > created_at AND isfinite(expires_at)),
    revoked_at    timestamptz(3),
    revoked_by    integer REFERENCES users,
    use_count     bigint NOT NULL DEFAULT 0 CHECK (use_count >= 0),
    last_used_at  timestamptz(3),
    -- A removed draft takes its links with it.
    FOREIGN KEY (project_id, report_id) REFERENCES reports ON DELETE CASCADE,
    CONSTRAINT report_links_revoked CHECK ((revoked_at IS NULL) = (revoked_by IS NULL)),
    CONSTRAINT report_links_used CHECK ((use_count = 0) = (last_used_at IS NULL))
);
COMMENT ON TABLE report_links IS
    'Links that open a report for anyone who has the address, until they expire or are revoked; only the SHA-256 of '
    'a secret is stored.';
CREATE INDEX report_links_of_report ON report_links (project_id, report_id, id);

-- What a link opens, its expiry and its author never change, and a revoked link stays revoked.
CREATE FUNCTION check_report_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.project_id, NEW.report_id, NEW.name, NEW.secret_hash, NEW.created_by, NEW.created_at,
        NEW.expires_at)
       IS DISTINCT FROM (OLD.id, OLD.project_id, OLD.report_id, OLD.name, OLD.secret_hash, OLD.created_by,
                         OLD.created_at, OLD.expires_at)
       OR OLD.revoked_at IS NOT NULL AND (NEW.revoked_at, NEW.revoked_by)
          IS DISTINCT FROM (OLD.revoked_at, OLD.revoked_by)
       OR NEW.use_count < OLD.use_count THEN
        RAISE EXCEPTION 'link % stays as it was made, and revoked', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'report_links_stay';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER report_links_stay BEFORE UPDATE ON report_links
    FOR EACH ROW EXECUTE FUNCTION check_report_link();

CREATE TABLE report_link_uses (
    link_id     integer NOT NULL,
    operation   text NOT NULL,
    status      smallint NOT NULL,
    minute      timestamptz NOT NULL,
    account_id  integer NOT NULL REFERENCES accounts,
    project_id  integer NOT NULL REFERENCES projects,
    -- The public id of the report.
    record      text NOT NULL CHECK (record <> ''),
    name        text NOT NULL,
    request_id  text NOT NULL,
    uses        bigint NOT NULL DEFAULT 1 CHECK (uses > 0),
    first_at    timestamptz(3) NOT NULL DEFAULT now(),
    last_at     timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (link_id, operation, status, minute)
);
COMMENT ON TABLE report_link_uses IS
    'Uses of links in a minute that the audit log does not have yet, by link, operation and status; they outlast '
    'the link.';
