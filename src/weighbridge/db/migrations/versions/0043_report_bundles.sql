-- The proof bundle of a report: of a draft the last that was asked for, else the one that was made when the report
-- was sent off, which stays.
CREATE TABLE report_bundles (
    project_id   integer NOT NULL,
    report_id    bigint NOT NULL,
    is_final     boolean NOT NULL,
    is_redacted  boolean NOT NULL,
    storage_key  text NOT NULL UNIQUE CHECK (storage_key ~ '^[0-9a-f]{32}$'),
    size_bytes   bigint NOT NULL CHECK (size_bytes > 0),
    sha256       bytea NOT NULL CHECK (octet_length(sha256) = 32),
    batch_count  integer NOT NULL CHECK (batch_count > 0),
    -- What a time-stamping authority answered over the digest, where one is asked.
    time_stamp   bytea CHECK (octet_length(time_stamp) BETWEEN 1 AND 100000),
    made_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, report_id),
    FOREIGN KEY (project_id, report_id) REFERENCES reports ON DELETE CASCADE
);
CREATE TRIGGER report_bundles_stay BEFORE UPDATE OR DELETE ON report_bundles
    FOR EACH ROW WHEN (OLD.is_final) EXECUTE FUNCTION refuse_change();
