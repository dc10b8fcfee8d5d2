-- The feed of changes. Triggers tell of what is written, so that no writer can forget it: one row for each
-- statement, however many records it changed. Rows get their numbers after their commit, so a transaction that
-- takes long holds up nobody else's, and comes later in the feed.

-- What was told and has no number yet. Without keys and checks, which took half of what a row costs its writer:
-- rows live for a moment, only triggers write them, and the feed itself checks them.
CREATE TABLE unnumbered_changes (
    id           bigint GENERATED ALWAYS AS IDENTITY,
    transaction  xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- Null where the project says whose it is.
    account_id   integer,
    project_id   integer,
    kind         text NOT NULL,
    action       text NOT NULL,
    task_type    text,
    keys         int8multirange NOT NULL
);

-- The feed itself; numbers of an account have no gap.
CREATE TABLE changes (
    account_id   integer NOT NULL,
    number       bigint NOT NULL CHECK (number > 0),
    project_id   integer,
    kind         text NOT NULL,
    action       text NOT NULL,
    task_type    text,
    keys         int8multirange NOT NULL CHECK (NOT isempty(keys)),
    at           timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, number)
);
CREATE TRIGGER changes_stay BEFORE UPDATE OR TRUNCATE ON changes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE INDEX changes_by_time ON changes USING brin (at);

-- Up to which number the feed of an account was shortened.
CREATE TABLE change_horizons (
    account_id  integer PRIMARY KEY,
    number      bigint NOT NULL CHECK (number > 0)
);

-- Give numbers to what is committed and has none; gives how many rows had none. Nothing here is ever few rows
-- by many others, whatever statistics say of a table that is empty most of the time.
CREATE FUNCTION number_changes() RETURNS bigint LANGUAGE plpgsql
    SET enable_nestloop = off SET jit = off AS $$
DECLARE taken bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM unnumbered_changes) THEN
        RETURN 0;
    END IF;
    -- Whoever numbers next begins to look when this has committed.
    PERFORM pg_advisory_xact_lock(hashtextextended('changes:number', 0));
    WITH due AS MATERIALIZED (
        SELECT transaction FROM unnumbered_changes ORDER BY id LIMIT 1000
    ), moved AS (
        DELETE FROM unnumbered_changes WHERE transaction IN (SELECT transaction FROM due) RETURNING *
    ), merged AS (
        SELECT min(m.id) AS id, m.transaction, coalesce(m.account_id, p.account_id) AS account_id, m.project_id,
               m.kind, m.action, m.task_type, range_agg(m.keys) AS keys
          FROM moved m LEFT JOIN projects p ON p.id = m.project_id
         GROUP BY m.transaction, coalesce(m.account_id, p.account_id), m.project_id, m.kind, m.action, m.task_type
    ), beside AS (
        SELECT *, range_agg(keys) FILTER (WHERE action <> 'update')
                      OVER (PARTITION BY transaction, account_id, project_id, kind, task_type) AS others
          FROM merged
    ), told AS (
        -- An update says nothing beside what else the same transaction did to a record.
        SELECT id, account_id, project_id, kind, action, task_type,
               CASE WHEN action = 'update' AND others IS NOT NULL THEN keys - others ELSE keys END AS keys
          FROM beside
    ), heads AS (
        SELECT account_id, coalesce(
                   (SELECT max(c.number) FROM changes c WHERE c.account_id = a.account_id),
                   (SELECT h.number FROM change_horizons h WHERE h.account_id = a.account_id), 0) AS number
          FROM (SELECT DISTINCT account_id FROM told) AS a
    ), numbered AS (
        INSERT INTO changes (account_id, number, project_id, kind, action, task_type, keys, at)
        SELECT t.account_id, h.number + row_number() OVER (PARTITION BY t.account_id ORDER BY t.id), t.project_id,
               t.kind, t.action, t.task_type, t.keys, clock_timestamp()
          FROM told t JOIN heads h ON h.account_id = t.account_id
         WHERE NOT isempty(t.keys)
    )
    SELECT count(*) INTO taken FROM moved;
    RETURN taken;
END $$;

CREATE FUNCTION tell_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, TG_ARGV[0], 'create', range_agg(int8range(id, id, '[]')) FROM changed GROUP BY project_id;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT c.project_id, TG_ARGV[0], 'update', range_agg(int8range(c.id, c.id, '[]'))
      FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)
     WHERE c IS DISTINCT FROM f
     GROUP BY c.project_id;
    RETURN NULL;
END $$;

CREATE FUNCTION tell_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, TG_ARGV[0], 'delete', range_agg(int8range(id, id, '[]')) FROM former GROUP BY project_id;
    RETURN NULL;
END $$;

CREATE TRIGGER events_tell_created AFTER INSERT ON events
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created('event');
CREATE FUNCTION tell_updated_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, 'event', action, range_agg(int8range(id, id, '[]'))
      FROM (SELECT c.project_id, c.id,
                   CASE WHEN (c.voided_at IS NULL) = (f.voided_at IS NULL) THEN 'update'
                        WHEN c.voided_at IS NULL THEN 'restore' ELSE 'void' END AS action
              FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)) AS moved
     GROUP BY project_id, action;
    RETURN NULL;
END $$;
CREATE TRIGGER events_tell_updated AFTER UPDATE ON events
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated_events();

-- Corrections are told by what they correct: the event and the position of its value, 0 for its times and tags.
CREATE FUNCTION tell_created_corrections() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, 'correction', 'create', range_agg(int8range(place, place, '[]'))
      FROM (SELECT project_id, event_id << 12 | position AS place FROM changed) AS corrected
     GROUP BY project_id;
    RETURN NULL;
END $$;
CREATE TRIGGER corrections_tell_created AFTER INSERT ON corrections
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created_corrections();
CREATE FUNCTION tell_updated_corrections() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, 'correction', action, range_agg(int8range(place, place, '[]'))
      FROM (SELECT c.project_id, c.event_id << 12 | c.position AS place,
                   CASE c.state WHEN 'reverted' THEN 'revert' ELSE 'update' END AS action
              FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)
             WHERE c.state <> f.state) AS moved
     GROUP BY project_id, action;
    RETURN NULL;
END $$;
CREATE TRIGGER corrections_tell_updated AFTER UPDATE ON corrections
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated_corrections();

CREATE TRIGGER batches_tell_created AFTER INSERT ON batches
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created('batch');
CREATE FUNCTION tell_updated_batches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, 'batch', action, range_agg(int8range(id, id, '[]'))
      FROM (SELECT c.project_id, c.id,
                   CASE WHEN c.deleted_at IS NOT NULL AND f.deleted_at IS NULL THEN 'delete'
                        ELSE 'update' END AS action
              FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)) AS moved
     GROUP BY project_id, action;
    RETURN NULL;
END $$;
CREATE TRIGGER batches_tell_updated AFTER UPDATE ON batches
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated_batches();

-- A batch shows whether its run is stale.
CREATE FUNCTION tell_stale_batches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT b.project_id, 'batch', 'update', range_agg(int8range(b.id, b.id, '[]'))
      FROM (SELECT DISTINCT project_id, run_id, ledger_id FROM changed) AS c
      JOIN batches b ON (b.project_id, b.run_id, b.ledger_id) = (c.project_id, c.run_id, c.ledger_id)
     WHERE b.deleted_at IS NULL
     GROUP BY b.project_id;
    RETURN NULL;
END $$;
CREATE TRIGGER stale_runs_tell_marked AFTER INSERT ON stale_runs
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_stale_batches();
CREATE TRIGGER stale_runs_tell_cleared AFTER DELETE ON stale_runs
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_stale_batches();

CREATE FUNCTION tell_created_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (account_id, project_id, kind, action, task_type, keys)
    SELECT account_id, project_id, 'async_task', 'create', type, range_agg(int8range(id, id, '[]'))
      FROM changed GROUP BY account_id, project_id, type;
    RETURN NULL;
END $$;
CREATE TRIGGER async_tasks_tell_created AFTER INSERT ON async_tasks
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created_tasks();
CREATE FUNCTION tell_updated_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (account_id, project_id, kind, action, task_type, keys)
    SELECT c.account_id, c.project_id, 'async_task',
           CASE c.state WHEN 'running' THEN 'start' WHEN 'complete' THEN 'complete' WHEN 'failed' THEN 'fail'
                        ELSE 'update' END,
           c.type, range_agg(int8range(c.id, c.id, '[]'))
      FROM changed c JOIN former f ON f.id = c.id
     WHERE c.state <> f.state
     GROUP BY c.account_id, c.project_id, c.type, c.state;
    RETURN NULL;
END $$;
CREATE TRIGGER async_tasks_tell_updated AFTER UPDATE ON async_tasks
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated_tasks();

CREATE TRIGGER data_point_results_tell_created AFTER INSERT ON data_point_results
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created('data_point_result');
CREATE TRIGGER data_point_results_tell_updated AFTER UPDATE ON data_point_results
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated('data_point_result');
CREATE TRIGGER model_run_results_tell_created AFTER INSERT ON model_run_results
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created('model_run_result');
CREATE TRIGGER model_run_results_tell_updated AFTER UPDATE ON model_run_results
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated('model_run_result');

CREATE TRIGGER reports_tell_created AFTER INSERT ON reports
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created('report');
CREATE TRIGGER reports_tell_updated AFTER UPDATE ON reports
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated('report');
CREATE TRIGGER reports_tell_deleted AFTER DELETE ON reports
    REFERENCING OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION tell_deleted('report');
CREATE FUNCTION tell_reported_batches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, 'report', 'update', range_agg(int8range(report_id, report_id, '[]'))
      FROM changed GROUP BY project_id;
    RETURN NULL;
END $$;
CREATE TRIGGER report_batches_tell_added AFTER INSERT ON report_batches
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_reported_batches();
CREATE TRIGGER report_batches_tell_updated AFTER UPDATE ON report_batches
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_reported_batches();
CREATE TRIGGER report_batches_tell_taken_out AFTER DELETE ON report_batches
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_reported_batches();
