-- A function that inserts what it reads from tables reads it in a materialized part before the INSERT. Where a schema is
-- distributed over nodes, INSERT ... SELECT from a table is given a condition on a column that there is none of.


-- ## The feed of changes.

CREATE OR REPLACE FUNCTION tell_stale_batches() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    projects integer[];
    runs     bigint[];
    ledgers  integer[];
BEGIN
    SELECT array_agg(project_id), array_agg(run_id), array_agg(ledger_id) INTO projects, runs, ledgers
      FROM (SELECT DISTINCT project_id, run_id, ledger_id FROM changed) AS marked;
    WITH made AS MATERIALIZED (
        SELECT b.project_id, 'batch' AS kind, 'update' AS action, range_agg(int8range(b.id, b.id, '[]')) AS keys
          FROM unnest(projects, runs, ledgers) AS c (project_id, run_id, ledger_id)
          JOIN batches b ON (b.project_id, b.run_id, b.ledger_id) = (c.project_id, c.run_id, c.ledger_id)
         WHERE b.deleted_at IS NULL
         GROUP BY b.project_id)
    INSERT INTO unnumbered_changes (project_id, kind, action, keys) SELECT * FROM made;
    RETURN NULL;
END $$;


-- ## Families of ledgers, and imputed events.

CREATE OR REPLACE FUNCTION mark_waiting_of_family() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE families integer[];
BEGIN
    SELECT array_agg(id) INTO families FROM changed;
    WITH made AS MATERIALIZED (
        SELECT DISTINCT l.project_id FROM ledgers l WHERE l.family_id = ANY (families))
    INSERT INTO waiting_marks (project_id) SELECT * FROM made;
    RETURN NULL;
END $$;

-- Void imputed events: runs that used them are stale, and rules evaluate their slots again.
CREATE OR REPLACE FUNCTION withdraw_imputed(project integer, taken bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('inputs:' || project, 0));
    PERFORM FROM events WHERE project_id = project AND id = ANY (taken) ORDER BY id FOR NO KEY UPDATE;
    UPDATE events SET voided_at = now(), updated_at = now()
     WHERE project_id = project AND id = ANY (taken) AND voided_at IS NULL;
    WITH made AS MATERIALIZED (
        SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, 'event_withdrawn' AS reason, m.record
          FROM batch_inputs i
         CROSS JOIN unnest(i.event_ids) AS used (event_id)
          JOIN imputations m ON (m.project_id, m.event_id) = (i.project_id, used.event_id)
          JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
         WHERE i.project_id = project AND m.event_id = ANY (taken) AND b.run_id IS NOT NULL
           AND b.deleted_at IS NULL AND NOT EXISTS (
               SELECT FROM batches newer
                WHERE (newer.project_id, newer.run_id, newer.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
                  AND newer.id > b.id AND newer.deleted_at IS NULL)
           AND int8range(i.first_event, i.last_event, '[]')
               && (SELECT range_agg(int8range(one, one, '[]')) FROM unnest(taken) AS one))
    INSERT INTO stale_runs (project_id, run_id, ledger_id, reason, record) SELECT * FROM made
    ON CONFLICT DO NOTHING;
    PERFORM mark_events(project, array_agg(m.event_type_id), array_agg(m.first), array_agg(m.last))
       FROM (SELECT event_type_id, min(slot_start) AS first, max(slot_end) AS last
               FROM imputations WHERE project_id = project AND event_id = ANY (taken)
              GROUP BY event_type_id) AS m;
END $$;


-- ## Rolled-up events.

CREATE OR REPLACE FUNCTION keep_rolled_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.readings IS NULL OR NEW.readings IS NULL
       OR (OLD.event_type_id, OLD.start_time, OLD.end_time, OLD.tracking_id, OLD.feedstock_id, OLD.asset_id,
           OLD.location_ids, OLD.is_imputed, OLD.captured)
          IS DISTINCT FROM
          (NEW.event_type_id, NEW.start_time, NEW.end_time, NEW.tracking_id, NEW.feedstock_id, NEW.asset_id,
           NEW.location_ids, NEW.is_imputed, NEW.captured) THEN
        RAISE EXCEPTION 'slot and tags of the rolled-up event % never change', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'events_rolled_up_stay';
    END IF;
    NEW.is_revised := NEW.is_revised OR OLD.is_revised;
    IF OLD.numbers::text <> NEW.numbers::text
       OR (OLD.texts, OLD.booleans) IS DISTINCT FROM (NEW.texts, NEW.booleans) THEN
        WITH made AS MATERIALIZED (
            SELECT OLD.project_id, OLD.id,
                   (SELECT max(b.id) FROM batches b WHERE b.project_id = OLD.project_id) AS last_batch,
                   OLD.numbers, OLD.texts, OLD.booleans
             WHERE EXISTS (SELECT FROM batch_inputs i
                            WHERE i.project_id = OLD.project_id AND OLD.id = ANY (i.event_ids)
                              AND int8range(i.first_event, i.last_event, '[]') @> OLD.id))
        INSERT INTO rolled_up_before (project_id, event_id, last_batch, numbers, texts, booleans)
        SELECT * FROM made;
        NEW.is_revised := NEW.is_revised OR FOUND;
    END IF;
    RETURN NEW;
END $$;


-- ## Cells on nodes.

-- A transaction enters a cell on a node by this, and the cell does not leave the node as long as it lasts. Whoever moves
-- the cell replaces the function on the node that it leaves by one that refuses everybody.
CREATE FUNCTION enter_on_node(cell text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('cell:' || cell, 0)) THEN
        RAISE EXCEPTION 'the cell % is moving to another node', cell USING ERRCODE = 'cannot_connect_now';
    END IF;
END $$;

-- Statistics of these tables now. A node does not look at the rows of its tables in a transaction that has written them;
-- there it is left to autovacuum.
CREATE OR REPLACE FUNCTION refresh_statistics(VARIADIC tables regclass[]) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    propagates text := current_setting('citus.enable_ddl_propagation', true);
    one        regclass;
BEGIN
    IF propagates IS NOT NULL THEN
        PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
    END IF;
    FOREACH one IN ARRAY tables LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) %s', one);
    END LOOP;
    IF propagates IS NOT NULL THEN
        PERFORM set_config('citus.enable_ddl_propagation', propagates, true);
    END IF;
END $$;
