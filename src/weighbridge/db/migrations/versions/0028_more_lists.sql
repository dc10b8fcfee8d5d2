-- More lists that cost the same however long they are: an index for each way in which they are cut into
-- pages, in the order of the page.

-- Each ends with the number of the row, in whose order the audit log is read.
CREATE INDEX audit_log_of_action ON audit_log (account_id, action, id);
CREATE INDEX audit_log_of_object ON audit_log (account_id, object, id);
CREATE INDEX audit_log_of_request ON audit_log (account_id, request_id, id);
CREATE INDEX audit_log_of_project ON audit_log (account_id, project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX audit_log_by_time ON audit_log (account_id, at, id);

-- The runs of a version, alone and behind batches: by number, by time within a state, and the longest of them,
-- which bounds how long before its end a run starts.
CREATE INDEX model_runs_by_number ON model_runs (model_id, id) WHERE deleted_at IS NULL;
CREATE INDEX model_runs_of_state ON model_runs (model_id, state, start_time, id) WHERE deleted_at IS NULL;
CREATE INDEX model_runs_longest ON model_runs (model_id, (end_time - start_time)) WHERE deleted_at IS NULL;
CREATE INDEX batches_of_model_by_number ON batches (model_id, id) WHERE deleted_at IS NULL;
CREATE INDEX batches_of_model_longest ON batches (model_id, (end_time - start_time)) WHERE deleted_at IS NULL;

-- What a rule found, by each of its filters. A project's list is merged from those of its rules.
CREATE INDEX data_point_results_of_status ON data_point_results (project_id, rule_id, status, id);
CREATE INDEX data_point_results_of_version ON data_point_results (project_id, rule_id, rule_version, id);
CREATE INDEX data_point_results_of_approval ON data_point_results (project_id, rule_id, approval_state, id)
    WHERE approval_state IS NOT NULL;
CREATE INDEX data_point_results_by_evaluation ON data_point_results (project_id, rule_id, evaluated_at, id);
CREATE INDEX data_point_results_by_creation ON data_point_results (project_id, rule_id, created_at, id);
CREATE INDEX model_run_results_of_status ON model_run_results (project_id, rule_id, status, id);
CREATE INDEX model_run_results_of_version ON model_run_results (project_id, rule_id, rule_version, id);
CREATE INDEX model_run_results_by_evaluation ON model_run_results (project_id, rule_id, evaluated_at, id);
CREATE INDEX model_run_results_by_creation ON model_run_results (project_id, rule_id, created_at, id);

-- The batches of a project, whatever their ledger. An account's list is merged from those of its projects.
CREATE INDEX batches_by_time ON batches (project_id, start_time, id) WHERE deleted_at IS NULL;
CREATE INDEX batches_by_creation ON batches (project_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX batches_of_tracking_id ON batches (project_id, tracking_id, start_time, id)
    WHERE deleted_at IS NULL;
CREATE INDEX batches_longest ON batches (project_id, (end_time - start_time)) WHERE deleted_at IS NULL;

-- The runs of a rule: automatic ones come with every change, and those that failed are looked for among them.
CREATE INDEX rule_runs_of_state ON rule_runs (project_id, rule_id, state, id);
CREATE INDEX rule_runs_of_kind ON rule_runs (project_id, rule_id, kind, id);
