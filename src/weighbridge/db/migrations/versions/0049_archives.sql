-- Months of events that were written to a place as files: which version of what, and up to which change and which
-- moment all that was stored is in it. A month that was read again and found unchanged has another row of the same
-- version, with a later moment.
CREATE TABLE archives (
    project_id       integer NOT NULL REFERENCES projects,
    id               bigint GENERATED ALWAYS AS IDENTITY,
    month            date NOT NULL,
    version          integer NOT NULL CHECK (version > 0),
    place            text NOT NULL CHECK (place <> ''),
    manifest_sha256  bytea NOT NULL CHECK (octet_length(manifest_sha256) = 32),
    rows_sha256      bytea NOT NULL CHECK (octet_length(rows_sha256) = 32),
    row_count        bigint NOT NULL CHECK (row_count >= 0),
    size_bytes       bigint NOT NULL CHECK (size_bytes > 0),
    change_number    bigint NOT NULL CHECK (change_number >= 0),
    seen_until       timestamptz NOT NULL,
    made_at          timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    CONSTRAINT archives_month_begins CHECK (extract(day FROM month) = 1)
);
CREATE INDEX archives_of_months ON archives (project_id, place, month, id);

CREATE TRIGGER archives_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON archives
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
