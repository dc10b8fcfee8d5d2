-- How grave it is what a rule finds: an alert ('fail') or a warning ('warn'). Versions of before name none, as the
-- audit log says of them, and find alerts.

ALTER TABLE rule_versions ADD COLUMN severity text;
ALTER TABLE rule_versions
    ADD CONSTRAINT rule_versions_severity_check CHECK (severity IN ('warn', 'fail')),
    ADD CONSTRAINT rule_versions_warn_only CHECK (severity <> 'warn' OR purpose = 'alert');

-- A result has the severity of its version, so that alerts are found and counted without it.
ALTER TABLE data_point_results ADD COLUMN severity text NOT NULL DEFAULT 'fail';
ALTER TABLE data_point_results
    ADD CONSTRAINT data_point_results_severity_check CHECK (severity IN ('warn', 'fail'));
ALTER TABLE former_data_point_results ADD COLUMN severity text NOT NULL DEFAULT 'fail';

ALTER TABLE model_run_results ADD COLUMN severity text NOT NULL DEFAULT 'fail';
ALTER TABLE model_run_results
    ADD CONSTRAINT model_run_results_severity_check CHECK (severity IN ('warn', 'fail'));
ALTER TABLE former_model_run_results ADD COLUMN severity text NOT NULL DEFAULT 'fail';

CREATE INDEX data_point_results_of_severity ON data_point_results (project_id, rule_id, severity, id);
CREATE INDEX model_run_results_of_severity ON model_run_results (project_id, rule_id, severity, id);
