-- What a node of a cluster is asked needs no other node. An INSERT in a WITH has the results of the other parts sent to
-- every node, and waits for those that are lost; so what is inserted is read into variables before.

CREATE OR REPLACE FUNCTION number_changes() RETURNS bigint LANGUAGE plpgsql
    SET enable_nestloop = off SET jit = off AS $$
DECLARE
    taken    bigint;
    accounts integer[];
    numbers  bigint[];
    projects integer[];
    kinds    text[];
    actions  text[];
    types    text[];
    changed  int8multirange[];
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
        SELECT t.account_id, h.number + row_number() OVER (PARTITION BY t.account_id ORDER BY t.id) AS number,
               t.project_id, t.kind, t.action, t.task_type, t.keys
          FROM told t JOIN heads h ON h.account_id = t.account_id
         WHERE NOT isempty(t.keys)
    )
    SELECT (SELECT count(*) FROM moved), array_agg(account_id), array_agg(number), array_agg(project_id),
           array_agg(kind), array_agg(action), array_agg(task_type), array_agg(keys)
      INTO taken, accounts, numbers, projects, kinds, actions, types, changed
      FROM numbered;
    INSERT INTO changes (account_id, number, project_id, kind, action, task_type, keys, at)
    SELECT account_id, number, project_id, kind, action, task_type, keys, clock_timestamp()
      FROM unnest(accounts, numbers, projects, kinds, actions, types, changed)
           AS n (account_id, number, project_id, kind, action, task_type, keys);
    RETURN taken;
END $$;
