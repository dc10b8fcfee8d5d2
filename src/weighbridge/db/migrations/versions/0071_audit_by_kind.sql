-- The audit log is asked for what was written of one kind of record.

CREATE INDEX audit_log_of_kind ON audit_log (account_id, split_part(action, '.', 1), id);
