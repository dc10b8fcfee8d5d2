-- The feed of changes. Triggers write to it, so that no code can forget to: one row for each statement, however many
-- records the statement changed. Rows get their numbers after their commit. So a long transaction delays nobody else,
-- and its changes come later in the feed.


CREATE TABLE unnumbered_changes (
    id           bigint GENERATED ALWAYS AS IDENTITY,
    transaction  xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- Null where the project determines the account.
    account_id   integer,
    project_id   integer,
    kind         text NOT NULL,
    action       text NOT NULL,
    task_type    text,
    keys         int8multirange NOT NULL
);
COMMENT ON TABLE unnumbered_changes IS
    'Changes without a number yet; the table has no keys and checks, because they would double what a row costs the '
    'writer.';

CREATE TABLE changes (
    account_id  integer NOT NULL,
    number      bigint NOT NULL CHECK (number > 0),
    project_id  integer,
    kind        text NOT NULL,
    action      text NOT NULL,
    task_type   text,
    keys        int8multirange NOT NULL CHECK (NOT isempty(keys)),
    at          timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, number)
);
COMMENT ON TABLE changes IS 'The feed of changes of each account, numbered without gaps.';
CREATE INDEX changes_by_time ON changes USING brin (at);
CREATE TRIGGER changes_stay BEFORE UPDATE OR TRUNCATE ON changes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE change_horizons (
    account_id  integer PRIMARY KEY,
    number      bigint NOT NULL CHECK (number > 0)
);
COMMENT ON TABLE change_horizons IS 'The number up to which the feed of an account was removed because of its age.';

-- Number the changes that are committed and return how many rows there were. Nested loops are off, because statistics
-- of a table that is empty most of the time mislead the planner.
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

-- Record in the feed what a statement created, changed or removed; the argument is the kind of record.
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
