-- Links that open a report to whoever has the address, until they expire or are revoked. What makes the address
-- a secret is kept as its SHA-256 alone.
CREATE TABLE report_links (
    id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id    integer NOT NULL,
    report_id     bigint NOT NULL,
    name          text NOT NULL CHECK (name <> ''),
    secret_hash   bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    created_by    integer NOT NULL REFERENCES users,
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    expires_at    timestamptz(3) NOT NULL CHECK (expires_at > created_at AND isfinite(expires_at)),
    revoked_at    timestamptz(3),
    revoked_by    integer REFERENCES users,
    use_count     bigint NOT NULL DEFAULT 0 CHECK (use_count >= 0),
    last_used_at  timestamptz(3),
    -- A draft that is removed takes its links with it.
    FOREIGN KEY (project_id, report_id) REFERENCES reports ON DELETE CASCADE,
    CONSTRAINT report_links_revoked CHECK ((revoked_at IS NULL) = (revoked_by IS NULL)),
    CONSTRAINT report_links_used CHECK ((use_count = 0) = (last_used_at IS NULL))
);
CREATE INDEX report_links_of_report ON report_links (project_id, report_id, id);

-- What a link opens, until when and who made it stay as they are, and a revoked link stays revoked.
CREATE FUNCTION check_report_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.project_id, NEW.report_id, NEW.name, NEW.secret_hash, NEW.created_by, NEW.created_at,
        NEW.expires_at)
       IS DISTINCT FROM (OLD.id, OLD.project_id, OLD.report_id, OLD.name, OLD.secret_hash, OLD.created_by,
                         OLD.created_at, OLD.expires_at)
       OR OLD.revoked_at IS NOT NULL AND (NEW.revoked_at, NEW.revoked_by)
          IS DISTINCT FROM (OLD.revoked_at, OLD.revoked_by)
       OR NEW.use_count < OLD.use_count THEN
        RAISE EXCEPTION 'link % stays as it was made, and revoked', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'report_links_stay';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER report_links_stay BEFORE UPDATE ON report_links
    FOR EACH ROW EXECUTE FUNCTION check_report_link();

-- Uses of links in a minute that the audit log has not told of yet; those of one link, operation and answer
-- share a row. They outlive the link.
CREATE TABLE report_link_uses (
    link_id     integer NOT NULL,
    operation   text NOT NULL,
    status      smallint NOT NULL,
    minute      timestamptz NOT NULL,
    account_id  integer NOT NULL REFERENCES accounts,
    project_id  integer NOT NULL REFERENCES projects,
    -- How the report is called outside.
    record      text NOT NULL CHECK (record <> ''),
    name        text NOT NULL,
    request_id  text NOT NULL,
    uses        bigint NOT NULL DEFAULT 1 CHECK (uses > 0),
    first_at    timestamptz(3) NOT NULL DEFAULT now(),
    last_at     timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (link_id, operation, status, minute)
);
