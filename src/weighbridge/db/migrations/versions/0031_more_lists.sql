-- More lists that cost the same however long they are: an index for each way in which they are cut into
-- pages, in the order of the page.

-- Each ends with the number of the row, in whose order the audit log is read.
CREATE INDEX audit_log_of_action ON audit_log (account_id, action, id);
CREATE INDEX audit_log_of_object ON audit_log (account_id, object, id);
CREATE INDEX audit_log_of_request ON audit_log (account_id, request_id, id);
CREATE INDEX audit_log_of_project ON audit_log (account_id, project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX audit_log_by_time ON audit_log (account_id, at, id);
