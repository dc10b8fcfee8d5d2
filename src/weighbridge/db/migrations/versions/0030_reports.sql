-- Reports: what is claimed of a ledger's batches before someone outside. While one is on its way its amounts are
-- reserved; once it is accepted they are posted. Reports that restate one another are a chain, of which only the last
-- counts.

-- What a methodology asks of a report before it is sent off, and the models that implement it.
CREATE TABLE methodologies (
    account_id               integer NOT NULL REFERENCES accounts,
    id                       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name                     text NOT NULL CHECK (name <> ''),
    version                  text NOT NULL CHECK (version <> ''),
    report_type              text NOT NULL CHECK (report_type <> ''),
    submission_requirements  text[] NOT NULL DEFAULT '{}'
                             CHECK (submission_requirements <@ ARRAY['no_open_alerts', 'evidence']),
    created_at               timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (account_id, name, version),
    UNIQUE (account_id, id)
);
CREATE TABLE methodology_models (
    methodology_id  integer NOT NULL REFERENCES methodologies,
    model_id        integer NOT NULL REFERENCES models,
    PRIMARY KEY (methodology_id, model_id)
);
CREATE TRIGGER methodologies_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON methodologies
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER methodology_models_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON methodology_models
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE reports (
    project_id      integer NOT NULL REFERENCES projects,
    id              bigint GENERATED ALWAYS AS IDENTITY,
    name            text NOT NULL CHECK (name <> ''),
    report_type     text NOT NULL CHECK (report_type <> ''),
    methodology_id  integer REFERENCES methodologies,
    -- The ledger of its batches; none while it has no batches.
    ledger_id       integer,
    status          text NOT NULL DEFAULT 'draft' CHECK (status IN
                    ('draft', 'submitting', 'submitted', 'complete', 'rejected', 'failed', 'superseded')),
    -- The report that it restates, and the first one of that chain; none for one that restates nothing.
    supersedes      bigint,
    first_id        bigint,
    chain_id        bigint NOT NULL GENERATED ALWAYS AS (coalesce(first_id, id)) STORED,
    -- From which moment on its amounts count, and when they were reserved; none while it is a draft.
    effective_at    timestamptz(3) CHECK (isfinite(effective_at)),
    reserved_at     timestamptz(3),
    async_task_id   integer REFERENCES async_tasks,
    created_at      timestamptz(3) NOT NULL DEFAULT now(),
    updated_at      timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    -- A chain and never a tree: a report is restated by one.
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
-- Of a chain one report states what counts, and one at most is on its way.
CREATE UNIQUE INDEX reports_one_complete ON reports (project_id, chain_id) WHERE status = 'complete';
CREATE UNIQUE INDEX reports_one_under_way ON reports (project_id, chain_id)
    WHERE status IN ('submitting', 'submitted', 'failed');
CREATE INDEX reports_of_chain ON reports (project_id, chain_id, id);
CREATE INDEX reports_of_ledger ON reports (project_id, ledger_id) WHERE ledger_id IS NOT NULL;
CREATE INDEX reports_of_methodology ON reports (methodology_id) WHERE methodology_id IS NOT NULL;

-- The next in a chain belongs to it; what a report restates never changes. Moves are those of
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

-- What a report takes from which batch.
CREATE TABLE report_batches (
    project_id  integer NOT NULL,
    report_id   bigint NOT NULL,
    batch_id    bigint NOT NULL,
    amount      numeric NOT NULL CHECK (amount > 0 AND amount < 'Infinity'),
    -- The newest batch of the same run when the amounts were reserved: what the run stood on then.
    basis       bigint,
    PRIMARY KEY (project_id, report_id, batch_id),
    FOREIGN KEY (project_id, report_id) REFERENCES reports ON DELETE CASCADE,
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, basis) REFERENCES batches
);
CREATE INDEX report_batches_of_batch ON report_batches (project_id, batch_id);

-- A report takes from batches of its ledger, and only a draft takes otherwise than it did.
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

-- Who or what said that a report is as it is.
CREATE TABLE report_moves (
    project_id     integer NOT NULL,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    report_id      bigint NOT NULL,
    status         text NOT NULL,
    -- A person by a token, or an adapter by its name on behalf of one.
    user_id        integer NOT NULL REFERENCES users,
    adapter        text CHECK (adapter <> ''),
    reason         text CHECK (reason <> ''),
    -- What the receiver calls the submission, or where it was put.
    reference      text CHECK (reference <> ''),
    said_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, report_id) REFERENCES reports,
    CONSTRAINT report_moves_say_why CHECK (status NOT IN ('rejected', 'failed') OR reason IS NOT NULL)
);
CREATE INDEX report_moves_of_report ON report_moves (project_id, report_id, id);
CREATE TRIGGER report_moves_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON report_moves
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A submission that ends without saying whether it was received has failed, however its task came to its end.
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
CREATE INDEX reports_of_task ON reports (async_task_id) WHERE async_task_id IS NOT NULL;
CREATE TRIGGER async_tasks_fail_reports AFTER UPDATE OF state ON async_tasks FOR EACH ROW
    WHEN (NEW.state = 'failed') EXECUTE FUNCTION fail_report_of_task();

-- The journal of submissions: what was sent, once for each report, before it is sent.
CREATE TABLE report_submissions (
    project_id  integer NOT NULL,
    report_id   bigint NOT NULL,
    adapter     text NOT NULL CHECK (adapter <> ''),
    media_type  text NOT NULL CHECK (media_type <> ''),
    content     bytea NOT NULL,
    sha256      bytea NOT NULL CHECK (sha256 = sha256(content)),
    made_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, report_id),
    FOREIGN KEY (project_id, report_id) REFERENCES reports
);
CREATE TRIGGER report_submissions_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON report_submissions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Entries of reports: no batch posts them.
ALTER TABLE ledger_entries
    ALTER COLUMN posted_by DROP NOT NULL,
    ADD COLUMN report_id bigint,
    ADD FOREIGN KEY (project_id, report_id) REFERENCES reports,
    DROP CONSTRAINT ledger_entries_kind,
    ADD CONSTRAINT ledger_entries_kind CHECK (kind IN
        ('credit', 'fall', 'rise', 'draw', 'return', 'reserve', 'release', 'report', 'restate')),
    DROP CONSTRAINT ledger_entries_sign,
    ADD CONSTRAINT ledger_entries_sign CHECK (reverses IS NOT NULL OR CASE kind
        WHEN 'credit' THEN amount >= 0 WHEN 'fall' THEN amount < 0 WHEN 'rise' THEN amount > 0
        WHEN 'draw' THEN amount < 0 WHEN 'return' THEN amount > 0
        WHEN 'reserve' THEN amount < 0 WHEN 'release' THEN amount > 0
        WHEN 'report' THEN amount < 0 ELSE amount > 0 END),
    ADD CONSTRAINT ledger_entries_of_reports CHECK (
        CASE WHEN kind IN ('reserve', 'release', 'report', 'restate')
             THEN report_id IS NOT NULL AND num_nonnulls(posted_by, run_id, node, reverses) = 0
             -- What settles deficits by what a report gives back is the run's, and says whose doing it is.
             ELSE posted_by IS NOT NULL AND (report_id IS NULL OR kind IN ('fall', 'rise')) END);
CREATE INDEX ledger_entries_of_report ON ledger_entries (project_id, report_id, batch_id) WHERE report_id IS NOT NULL;
ALTER TABLE deficit_entries
    ADD COLUMN report_id bigint,
    ADD FOREIGN KEY (project_id, report_id) REFERENCES reports;
-- Such entries come from no task.
ALTER TABLE deficit_entries
    ALTER COLUMN async_task_id DROP NOT NULL,
    ADD CONSTRAINT deficit_entries_of_a_task CHECK (
        num_nonnulls(async_task_id, report_id) = 1 OR reverses IS NOT NULL);

-- What a chain has posted is what its complete report states, for the moment from which on that counts, and what it
-- has reserved is what the report under way takes beyond that; nothing is left of any other.
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
