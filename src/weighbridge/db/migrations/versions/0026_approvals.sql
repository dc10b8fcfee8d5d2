-- A proposal whose data changed before someone approved it is superseded, and no correction is made of it.
ALTER TABLE data_point_results
    DROP CONSTRAINT data_point_results_approval_state_check,
    ADD CONSTRAINT data_point_results_approval_state_check CHECK (
        approval_state IN ('pending', 'approved', 'rejected', 'withdrawn', 'superseded'));

-- Who approved a correction that was taken back later is still told.
ALTER TABLE data_point_results
    DROP CONSTRAINT data_point_results_approved,
    ADD CONSTRAINT data_point_results_approved CHECK (CASE
        WHEN approval_state = 'approved' THEN num_nonnulls(approved_at, approved_by) = 2
        WHEN approval_state = 'withdrawn' THEN num_nonnulls(approved_at, approved_by) IN (0, 2)
        ELSE num_nonnulls(approved_at, approved_by) = 0 END);

-- An evaluation asks which approvals have lost their correction.
CREATE INDEX data_point_results_approved_ones ON data_point_results (project_id, rule_id, event_id)
    WHERE approval_state = 'approved';
