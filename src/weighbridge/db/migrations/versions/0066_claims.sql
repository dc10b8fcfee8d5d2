-- Claims may be withdrawn, accepted in part, and restated to nothing or below.

-- ## Withdrawal.

ALTER TABLE reports DROP CONSTRAINT reports_status_check;
ALTER TABLE reports
    ADD CONSTRAINT reports_status_check CHECK (status IN
        ('draft', 'submitting', 'submitted', 'complete', 'rejected', 'failed', 'superseded', 'withdrawn'));
ALTER TABLE report_moves DROP CONSTRAINT report_moves_say_why;
ALTER TABLE report_moves
    ADD CONSTRAINT report_moves_say_why CHECK (status NOT IN ('rejected', 'failed', 'withdrawn') OR reason IS NOT NULL);

-- What a restatement owes its receiver, where the truth is below zero, in the unit of the ledger.
ALTER TABLE reports ADD COLUMN liability numeric, ADD COLUMN liability_reason text;
ALTER TABLE reports
    ADD CONSTRAINT reports_liability_check CHECK (liability > 0 AND liability < 'Infinity');
ALTER TABLE reports ADD CONSTRAINT reports_liability_reason_check CHECK (liability_reason <> '');
ALTER TABLE reports
    ADD CONSTRAINT reports_owe_with_reason CHECK (
        (liability IS NULL) = (liability_reason IS NULL) AND (liability IS NULL OR supersedes IS NOT NULL));
ALTER TABLE former_reports ADD COLUMN liability numeric, ADD COLUMN liability_reason text;
-- A restatement may include no batch.
ALTER TABLE report_bundles DROP CONSTRAINT report_bundles_batch_count_check;
ALTER TABLE report_bundles
    ADD CONSTRAINT report_bundles_batch_count_check CHECK (batch_count >= 0);

-- A report belongs to the chain of the report that it restates, and never changes its place. The moves are those of
-- core/report.py. Only what was once accepted is owed. What is complete is not withdrawn while a restatement reserves
-- only what it takes beyond that.
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
        ('complete', 'withdrawn')) THEN
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
    IF (OLD.status, NEW.status) = ('draft', 'submitting') AND NEW.liability IS NOT NULL AND NOT EXISTS (
        SELECT FROM reports r JOIN report_moves m ON (m.project_id, m.report_id) = (r.project_id, r.id)
         WHERE (r.project_id, r.chain_id) = (OLD.project_id, OLD.first_id) AND m.status = 'complete') THEN
        RAISE EXCEPTION 'report % owes something, and its chain was never accepted', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_owe_what_was_accepted';
    END IF;
    RETURN NEW;
END $$;


-- ## Acceptance in part.

-- How much the receiver accepted, where that is less than is claimed. Tables of former versions have the same columns.
ALTER TABLE report_batches ADD COLUMN accepted_amount numeric;
ALTER TABLE report_batches
    ADD CONSTRAINT report_batches_accepted CHECK (accepted_amount >= 0 AND accepted_amount < amount);
ALTER TABLE former_report_batches ADD COLUMN accepted_amount numeric;

-- A report takes from batches of its ledger, and only the amounts of a draft change. How much is accepted is decided
-- once, before the report is complete.
CREATE OR REPLACE FUNCTION check_report_batch() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE of_row report_batches := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
DECLARE report reports;
BEGIN
    SELECT * INTO report FROM reports r WHERE (r.project_id, r.id) = (of_row.project_id, of_row.report_id);
    IF TG_OP = 'UPDATE' AND report.status = 'submitted' AND OLD.accepted_amount IS NULL
       AND (NEW.project_id, NEW.report_id, NEW.batch_id, NEW.amount, NEW.basis)
           IS NOT DISTINCT FROM (OLD.project_id, OLD.report_id, OLD.batch_id, OLD.amount, OLD.basis) THEN
        RETURN NEW;
    END IF;
    IF report.status <> 'draft' OR of_row.accepted_amount IS NOT NULL THEN
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

-- Where a chain has posted other amounts than its reports state. Its complete report posts what was accepted of it, from
-- its effective date. A report under way reserves what it takes beyond that. Other reports leave nothing.
CREATE OR REPLACE FUNCTION misposted_of_chain(project integer, chain bigint)
RETURNS TABLE (batch_id bigint, effective_at timestamptz, is_reserve boolean, posted numeric, expected numeric)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH stated AS (
        SELECT b.batch_id, r.effective_at, coalesce(b.accepted_amount, b.amount) AS amount
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
     GROUP BY parts.batch_id, parts.effective_at, parts.is_reserve HAVING sum(parts.posted) <> sum(parts.expected);
END $$;
