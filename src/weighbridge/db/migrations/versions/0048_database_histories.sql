-- Each promotion of a replica begins another history of the log, whose positions say nothing about those of
-- the one before. The mark shows that a server has this history; whoever first meets it at the primary makes it.
CREATE TABLE database_histories (
    timeline bigint PRIMARY KEY CHECK (timeline > 0),
    mark uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
    seen_at timestamptz NOT NULL DEFAULT now()
);

CREATE TRIGGER database_histories_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON database_histories
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
