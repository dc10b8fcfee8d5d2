-- The audit log: one row for each write, numbered and sealed as a tree of hashes for each account (RFC 6962).


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
COMMENT ON TABLE audit_log IS
    'The audit log: one row for each write, added in the transaction of the write and never changed.';
CREATE INDEX audit_log_of_account ON audit_log (account_id, id);
-- Each index ends with the id, the order in which the audit log is read.
CREATE INDEX audit_log_of_action ON audit_log (account_id, action, id);
CREATE INDEX audit_log_of_object ON audit_log (account_id, object, id);
CREATE INDEX audit_log_of_request ON audit_log (account_id, request_id, id);
CREATE INDEX audit_log_of_project ON audit_log (account_id, project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX audit_log_by_time ON audit_log (account_id, at, id);
CREATE TRIGGER audit_log_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_unsealed (
    account_id  integer NOT NULL,
    audit_id    bigint NOT NULL REFERENCES audit_log,
    PRIMARY KEY (account_id, audit_id)
);
COMMENT ON TABLE audit_unsealed IS
    'Rows of the audit log without a seal; a row that commits late is found here whatever its id.';

CREATE FUNCTION await_audit_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_unsealed (account_id, audit_id) SELECT account_id, id FROM added;
    RETURN NULL;
END $$;
CREATE TRIGGER audit_log_awaits_seal AFTER INSERT ON audit_log
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION await_audit_seal();


CREATE TABLE audit_seals (
    account_id  integer NOT NULL REFERENCES accounts,
    number      bigint NOT NULL CHECK (number > 0),
    audit_id    bigint NOT NULL UNIQUE REFERENCES audit_log,
    -- Always null: it chained each row to the row before until there was a tree.
    chain       bytea CONSTRAINT audit_seals_hash_check CHECK (octet_length(chain) = 32),
    sealed_at   timestamptz(3) NOT NULL DEFAULT now(),
    hash        bytea NOT NULL CONSTRAINT audit_seals_hash_check1 CHECK (octet_length(hash) = 32),
    PRIMARY KEY (account_id, number)
);
COMMENT ON TABLE audit_seals IS
    'Seals of audit rows: each row gets a number and a leaf hash soon after its commit, so that writers never wait '
    'for each other.';
CREATE TRIGGER audit_seals_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_nodes (
    account_id  integer NOT NULL REFERENCES accounts,
    level       smallint NOT NULL CHECK (level > 0),
    position    bigint NOT NULL CHECK (position >= 0),
    hash        bytea NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (account_id, level, position)
);
COMMENT ON TABLE audit_nodes IS
    'Nodes of the hash tree above the seals: every eighth level, from which at most 256 neighbours give the levels '
    'between.';
CREATE TRIGGER audit_nodes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_nodes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_keys (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_key  bytea NOT NULL UNIQUE CHECK (octet_length(public_key) = 32),
    created_at  timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE audit_keys IS 'Public keys that signed tree heads; the private keys are never stored in the database.';
CREATE TRIGGER audit_keys_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_keys
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_refusals (
    token_id    integer NOT NULL REFERENCES api_tokens,
    operation   text NOT NULL,
    status      smallint NOT NULL,
    minute      timestamptz NOT NULL,
    account_id  integer NOT NULL REFERENCES accounts,
    user_id     integer NOT NULL REFERENCES users,
    request_id  text NOT NULL,
    method      text NOT NULL,
    path        text NOT NULL,
    code        text NOT NULL,
    refusals    bigint NOT NULL DEFAULT 1 CHECK (refusals > 0),
    first_at    timestamptz(3) NOT NULL DEFAULT now(),
    last_at     timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (token_id, operation, status, minute)
);
COMMENT ON TABLE audit_refusals IS
    'Refused writes, counted by token, operation and minute; when the minute is over, each becomes a row of the '
    'audit log.';
