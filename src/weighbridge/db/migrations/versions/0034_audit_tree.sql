-- The audit log as a tree of hashes for each account (RFC 6962). The leaf of a row stands in its seal; of the
-- tree above, every eighth level is kept, and what lies between is made from 256 neighbours at most.

-- What chained a row to the one before, until there was a tree; rows that are sealed from now on have none.
ALTER TABLE audit_seals RENAME COLUMN hash TO chain;
ALTER TABLE audit_seals ALTER COLUMN chain DROP NOT NULL;
ALTER TABLE audit_seals ADD COLUMN hash bytea CHECK (octet_length(hash) = 32);

CREATE TABLE audit_nodes (
    account_id  integer NOT NULL REFERENCES accounts,
    level       smallint NOT NULL CHECK (level > 0),
    position    bigint NOT NULL CHECK (position >= 0),
    hash        bytea NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (account_id, level, position)
);
CREATE TRIGGER audit_nodes_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_nodes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The public keys that heads were signed with; the private ones never come here.
CREATE TABLE audit_keys (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_key  bytea NOT NULL UNIQUE CHECK (octet_length(public_key) = 32),
    created_at  timestamptz(3) NOT NULL DEFAULT now()
);
CREATE TRIGGER audit_keys_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_keys
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Writes that were refused, counted by token, operation and minute; when the minute is over, each becomes a
-- row of the audit log.
CREATE TABLE audit_refusals (
    token_id     integer NOT NULL REFERENCES api_tokens,
    operation    text NOT NULL,
    status       smallint NOT NULL,
    minute       timestamptz NOT NULL,
    account_id   integer NOT NULL REFERENCES accounts,
    user_id      integer NOT NULL REFERENCES users,
    request_id   text NOT NULL,
    method       text NOT NULL,
    path         text NOT NULL,
    code         text NOT NULL,
    refusals     bigint NOT NULL DEFAULT 1 CHECK (refusals > 0),
    first_at     timestamptz(3) NOT NULL DEFAULT now(),
    last_at      timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (token_id, operation, status, minute)
);
