-- Reports may take of several ledgers: some count toward the claim, others are deducted.

-- In the order of the positions; the first counts toward the claim, and its unit is that of the reports.
CREATE TABLE methodology_ledgers (
    methodology_id  integer NOT NULL REFERENCES methodologies,
    position        smallint NOT NULL CHECK (position >= 0),
    role            text NOT NULL CHECK (role <> ''),
    sign            smallint NOT NULL CHECK (sign IN (1, -1)),
    unit            text NOT NULL CHECK (unit <> ''),
    PRIMARY KEY (methodology_id, position),
    UNIQUE (methodology_id, role),
    CONSTRAINT methodology_ledgers_first_counts CHECK (position > 0 OR sign = 1)
);
COMMENT ON TABLE methodology_ledgers IS
    'Roles of the ledgers that reports of a methodology take of; a methodology of one ledger has none.';
CREATE TRIGGER methodology_ledgers_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON methodology_ledgers
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE report_ledgers (
    project_id  integer NOT NULL,
    report_id   bigint NOT NULL,
    position    smallint NOT NULL CHECK (position >= 0),
    ledger_id   integer NOT NULL,
    role        text NOT NULL CHECK (role <> ''),
    -- How much of the report's unit one unit of the ledger is; below zero for a ledger that is deducted.
    factor      numeric NOT NULL CHECK (factor <> 0 AND factor > '-Infinity' AND factor < 'Infinity'),
    PRIMARY KEY (project_id, report_id, ledger_id),
    UNIQUE (project_id, report_id, position),
    FOREIGN KEY (project_id, report_id) REFERENCES reports ON DELETE CASCADE,
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers,
    CONSTRAINT report_ledgers_first_counts CHECK (position > 0 OR factor = 1)
);
COMMENT ON TABLE report_ledgers IS
    'The ledgers that a report takes of, with their roles; a report of one ledger has none.';
CREATE INDEX report_ledgers_of_ledger ON report_ledgers (project_id, ledger_id);

-- The ledgers of a draft change with it, and stay once it is submitted.
CREATE FUNCTION check_report_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE of_row report_ledgers := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    IF TG_OP = 'UPDATE' OR EXISTS (
        SELECT FROM reports r WHERE (r.project_id, r.id) = (of_row.project_id, of_row.report_id)
                                AND (r.status <> 'draft' OR TG_OP = 'INSERT' AND of_row.position = 0
                                                            AND r.ledger_id IS DISTINCT FROM of_row.ledger_id))
    THEN
        RAISE EXCEPTION 'report % is no draft, or begins with another ledger', of_row.report_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'report_ledgers_stay';
    END IF;
    RETURN of_row;
END $$;
CREATE TRIGGER report_ledgers_check BEFORE INSERT OR UPDATE OR DELETE ON report_ledgers
    FOR EACH ROW EXECUTE FUNCTION check_report_ledger();

-- A report takes from batches of its ledgers, and only the amounts of a draft change. How much is accepted is decided
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
        SELECT FROM batches b
         WHERE (b.project_id, b.id) = (NEW.project_id, NEW.batch_id)
           AND (b.ledger_id = report.ledger_id OR EXISTS (
                SELECT FROM report_ledgers g
                 WHERE (g.project_id, g.report_id, g.ledger_id) = (NEW.project_id, NEW.report_id, b.ledger_id)))) THEN
        RAISE EXCEPTION 'batch % is on another ledger than report %', NEW.batch_id, report.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'report_batches_of_one_ledger';
    END IF;
    RETURN of_row;
END $$;
