-- The sealed chain of the audit log. A row is numbered and hashed soon after it was committed, so that
-- writers never wait for one another; the hash covers the row and the hash before it.

CREATE TABLE audit_seals (
    account_id  integer NOT NULL REFERENCES accounts,
    number      bigint NOT NULL CHECK (number > 0),
    audit_id    bigint NOT NULL UNIQUE REFERENCES audit_log,
    hash        bytea NOT NULL CHECK (octet_length(hash) = 32),
    sealed_at   timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, number)
);
CREATE TRIGGER audit_seals_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What waits for its seal. A row that commits late is found here whatever its id is.
CREATE TABLE audit_unsealed (
    account_id  integer NOT NULL,
    audit_id    bigint NOT NULL REFERENCES audit_log,
    PRIMARY KEY (account_id, audit_id)
);
CREATE FUNCTION await_audit_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_unsealed (account_id, audit_id) SELECT account_id, id FROM added;
    RETURN NULL;
END $$;
CREATE TRIGGER audit_log_awaits_seal AFTER INSERT ON audit_log
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION await_audit_seal();

INSERT INTO audit_unsealed (account_id, audit_id) SELECT account_id, id FROM audit_log;
