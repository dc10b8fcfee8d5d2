-- Decisions on proposals may be reversed, and approvals may say why.

ALTER TABLE data_point_results ADD COLUMN approval_comment text;
ALTER TABLE data_point_results
    ADD CONSTRAINT data_point_results_approval_comment_check CHECK (approval_comment <> '');
ALTER TABLE former_data_point_results ADD COLUMN approval_comment text;

-- The result whose proposal was rejected after its approval, where that reverted the correction: a decision on the
-- proposal, which does not take the value out of the rule's hands as other reverting by a person does.
ALTER TABLE corrections ADD COLUMN rejected_result bigint;
ALTER TABLE corrections
    ADD CONSTRAINT corrections_rejected CHECK (rejected_result IS NULL OR reverted_by IS NOT NULL AND rule_id IS NOT NULL);
ALTER TABLE former_corrections ADD COLUMN rejected_result bigint;

CREATE OR REPLACE FUNCTION move_correction() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE moves text[] := '{state,reverted_at,reverted_by,reverted_by_run,rejected_result,changed_by}';
BEGIN
    IF OLD.state = 'reverted' OR to_jsonb(NEW) - moves IS DISTINCT FROM to_jsonb(OLD) - moves THEN
        RAISE EXCEPTION 'correction % may only be superseded, prevail or be reverted', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'corrections_stay';
    END IF;
    NEW.changed_by := pg_current_xact_id();
    RETURN NEW;
END $$;
