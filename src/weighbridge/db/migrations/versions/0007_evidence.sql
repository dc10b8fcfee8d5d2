-- Files and links that stand behind an event. The row of a file says where it is kept and what its
-- SHA-256 is; the file itself lies in the evidence store, under a random key. Rows are only ever added.

CREATE TABLE evidence (
    project_id    integer NOT NULL,
    id            integer GENERATED ALWAYS AS IDENTITY,
    event_id      bigint NOT NULL,
    type          text NOT NULL CHECK (type IN ('file', 'url')),
    name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255
                                       AND name !~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]'),
    url           text CHECK (char_length(url) <= 2000 AND url ~* '^https?://[^/?#@\s\\]+([/?#]|$)'
                              AND url !~ '[\u0001-\u0020\u007f-\u009f\u2028\u2029]'),
    storage_key   text UNIQUE CHECK (storage_key ~ '^[0-9a-f]{32}$'),
    size          integer CHECK (size BETWEEN 1 AND 26214400),
    content_type  text CHECK (content_type IN (
                      'application/pdf', 'image/png', 'image/jpeg', 'image/webp', 'text/csv', 'text/plain',
                      'application/json', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')),
    sha256        bytea CHECK (octet_length(sha256) = 32),
    created_by    integer NOT NULL REFERENCES users,
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, event_id) REFERENCES events,
    CHECK (CASE type
           WHEN 'file' THEN url IS NULL AND num_nulls(storage_key, size, content_type, sha256) = 0
           ELSE url IS NOT NULL AND num_nonnulls(storage_key, size, content_type, sha256) = 0 END)
);
CREATE INDEX evidence_of_event ON evidence (project_id, event_id, id);

CREATE TRIGGER evidence_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON evidence
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
