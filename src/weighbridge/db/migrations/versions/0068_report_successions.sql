-- Accepted reports may be merged into one, or split into several.

CREATE TABLE report_successions (
    project_id integer NOT NULL,
    report_id bigint NOT NULL,
    predecessor_id bigint NOT NULL,
    PRIMARY KEY (project_id, report_id, predecessor_id),
    CONSTRAINT report_successions_report_fkey
        FOREIGN KEY (project_id, report_id) REFERENCES reports (project_id, id),
    CONSTRAINT report_successions_predecessor_fkey
        FOREIGN KEY (project_id, predecessor_id) REFERENCES reports (project_id, id),
    CONSTRAINT report_successions_are_later CHECK (report_id > predecessor_id)
);
COMMENT ON TABLE report_successions IS 'Which accepted reports a report took the place of, when they were merged or split.';
CREATE INDEX report_successions_of_predecessor ON report_successions (project_id, predecessor_id);

-- A succession begins with accepted reports and drafts that restate nothing, and stays.
CREATE FUNCTION check_report_succession() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM reports own JOIN reports earlier ON earlier.project_id = own.project_id
                    WHERE (own.project_id, own.id, earlier.id) = (NEW.project_id, NEW.report_id, NEW.predecessor_id)
                      AND own.status = 'draft' AND own.supersedes IS NULL AND earlier.status = 'complete'
                      AND earlier.liability IS NULL AND own.ledger_id = earlier.ledger_id) THEN
        RAISE EXCEPTION 'report % is no draft that can succeed the accepted report %', NEW.report_id, NEW.predecessor_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'report_successions_begin';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER report_successions_begin BEFORE INSERT ON report_successions
    FOR EACH ROW EXECUTE FUNCTION check_report_succession();
CREATE TRIGGER report_successions_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON report_successions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The moves are those of core/report.py. A report that was not sent off is complete only in the place of others.
CREATE OR REPLACE FUNCTION check_report() RETURNS trigger LANGUAGE plpgsql AS $$
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
    IF OLD.status <> 'draft'
       AND (NEW.name, NEW.report_type, NEW.methodology_id, NEW.ledger_id, NEW.effective_at, NEW.liability,
            NEW.liability_reason)
           IS DISTINCT FROM
           (OLD.name, OLD.report_type, OLD.methodology_id, OLD.ledger_id, OLD.effective_at, OLD.liability,
            OLD.liability_reason) THEN
        RAISE EXCEPTION 'report % is %, and only a draft changes', OLD.id, OLD.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_stay';
    END IF;
    IF NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (
        ('draft', 'submitting'), ('submitting', 'submitted'), ('submitting', 'failed'), ('failed', 'submitting'),
        ('failed', 'rejected'), ('failed', 'withdrawn'), ('submitted', 'complete'), ('submitted', 'rejected'),
        ('submitted', 'superseded'), ('submitted', 'withdrawn'), ('complete', 'superseded'),
        ('complete', 'withdrawn'), ('draft', 'complete')) THEN
        RAISE EXCEPTION 'report % does not go from % to %', OLD.id, OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_move';
    END IF;
    IF (OLD.status, NEW.status) = ('complete', 'withdrawn') AND EXISTS (
        SELECT FROM reports r
         WHERE (r.project_id, r.chain_id) = (OLD.project_id, coalesce(OLD.first_id, OLD.id))
           AND r.status IN ('submitting', 'submitted', 'failed')) THEN
        RAISE EXCEPTION 'report % is being restated, and is not withdrawn meanwhile', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_withdrawn_alone';
    END IF;
    IF (OLD.status, NEW.status) = ('draft', 'complete') AND NOT EXISTS (
        SELECT FROM report_successions s JOIN reports r ON (r.project_id, r.id) = (s.project_id, s.predecessor_id)
         WHERE (s.project_id, s.report_id) = (OLD.project_id, OLD.id) AND r.status = 'superseded') THEN
        RAISE EXCEPTION 'report % was not sent off, and takes the place of no other', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_succeed';
    END IF;
    IF (OLD.status, NEW.status) = ('draft', 'submitting') AND NEW.liability IS NOT NULL AND NOT EXISTS (
        SELECT FROM reports r JOIN report_moves m ON (m.project_id, m.report_id) = (r.project_id, r.id)
         WHERE (r.project_id, r.chain_id) = (OLD.project_id, OLD.first_id) AND m.status = 'complete') THEN
        RAISE EXCEPTION 'report % owes something, and its chain was never accepted', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_owe_what_was_accepted';
    END IF;
    RETURN NEW;
END $$;
