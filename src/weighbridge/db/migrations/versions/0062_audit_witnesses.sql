-- Keys of the audit log that sign nothing any more, and what witnesses say of its heads.

CREATE TABLE audit_key_revocations (
    public_key  bytea PRIMARY KEY REFERENCES audit_keys (public_key),
    revoked_at  timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE audit_key_revocations IS
    'Keys that were revoked and sign no head any more; the statements about them are rows of the audit log.';
CREATE TRIGGER audit_key_revocations_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_key_revocations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_cosignatures (
    account_id  integer NOT NULL REFERENCES accounts,
    size        bigint NOT NULL CHECK (size > 0),
    -- The verifier key of the witness, in one line.
    witness     text NOT NULL CHECK (witness <> ''),
    -- Seconds since 1970, as the witness signed them.
    signed_time bigint NOT NULL CHECK (signed_time > 0),
    signature   bytea NOT NULL CHECK (octet_length(signature) = 64),
    PRIMARY KEY (account_id, size, witness)
);
COMMENT ON TABLE audit_cosignatures IS
    'Cosignatures of witnesses on heads of the audit log, by the number of rows of the head; old ones are removed.';

CREATE TABLE audit_witnesses (
    account_id  integer NOT NULL REFERENCES accounts,
    witness     text NOT NULL CHECK (witness <> ''),
    -- Rows of the newest head that the witness has cosigned, as far as this database knows.
    size        bigint NOT NULL DEFAULT 0 CHECK (size >= 0),
    asked_at    timestamptz(3) NOT NULL DEFAULT now(),
    failure     text,
    failing_since timestamptz(3),
    PRIMARY KEY (account_id, witness),
    CHECK ((failure IS NULL) = (failing_since IS NULL))
);
COMMENT ON TABLE audit_witnesses IS
    'How each witness was last reached for the log of each account: the head that it knows, or why it cosigned none.';
