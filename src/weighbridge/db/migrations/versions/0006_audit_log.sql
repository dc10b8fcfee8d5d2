-- Every write leaves a row here in its own transaction. Rows are only ever added.

CREATE TABLE audit_log (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  integer NOT NULL REFERENCES accounts,
    project_id  integer REFERENCES projects,
    at          timestamptz(3) NOT NULL DEFAULT now(),
    user_id     integer REFERENCES users,
    token_id    integer REFERENCES api_tokens,
    request_id  text NOT NULL,
    action      text NOT NULL,
    object      text NOT NULL,
    before      jsonb,
    after       jsonb
);
CREATE INDEX audit_log_of_account ON audit_log (account_id, id);

CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
