-- The audit log is asked for what one person wrote.

CREATE INDEX audit_log_of_user ON audit_log (account_id, user_id, id) WHERE user_id IS NOT NULL;
