-- A trigger function reads the rows that its statement changed by queries that name no other table, and takes what it
-- needs of them into variables. Where a schema is distributed over nodes, a query on other tables is planned anew for
-- the node and cannot see these rows.


-- ## The feed of changes.

CREATE OR REPLACE FUNCTION tell_created() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT project_id, range_agg(int8range(id, id, '[]')) AS keys FROM changed GROUP BY project_id
    LOOP
        INSERT INTO unnumbered_changes (project_id, kind, action, keys)
        VALUES (told.project_id, TG_ARGV[0], 'create', told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_updated() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT c.project_id, range_agg(int8range(c.id, c.id, '[]')) AS keys
          FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)
         WHERE c IS DISTINCT FROM f
         GROUP BY c.project_id
    LOOP
        INSERT INTO unnumbered_changes (project_id, kind, action, keys)
        VALUES (told.project_id, TG_ARGV[0], 'update', told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT project_id, range_agg(int8range(id, id, '[]')) AS keys FROM former GROUP BY project_id
    LOOP
        INSERT INTO unnumbered_changes (project_id, kind, action, keys)
        VALUES (told.project_id, TG_ARGV[0], 'delete', told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_created_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT account_id, project_id, type, range_agg(int8range(id, id, '[]')) AS keys
          FROM changed GROUP BY account_id, project_id, type
    LOOP
        INSERT INTO unnumbered_changes (account_id, project_id, kind, action, task_type, keys)
        VALUES (told.account_id, told.project_id, 'async_task', 'create', told.type, told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_updated_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT c.account_id, c.project_id,
               CASE c.state WHEN 'running' THEN 'start' WHEN 'complete' THEN 'complete' WHEN 'failed' THEN 'fail'
                            ELSE 'update' END AS action,
               c.type, range_agg(int8range(c.id, c.id, '[]')) AS keys
          FROM changed c JOIN former f ON f.id = c.id
         WHERE c.state <> f.state
         GROUP BY c.account_id, c.project_id, c.type, c.state
    LOOP
        INSERT INTO unnumbered_changes (account_id, project_id, kind, action, task_type, keys)
        VALUES (told.account_id, told.project_id, 'async_task', told.action, told.type, told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_updated_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT project_id, action, range_agg(int8range(id, id, '[]')) AS keys
          FROM (SELECT c.project_id, c.id,
                       CASE WHEN (c.voided_at IS NULL) = (f.voided_at IS NULL) THEN 'update'
                            WHEN c.voided_at IS NULL THEN 'restore' ELSE 'void' END AS action
                  FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)) AS moved
         GROUP BY project_id, action
    LOOP
        INSERT INTO unnumbered_changes (project_id, kind, action, keys)
        VALUES (told.project_id, 'event', told.action, told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_updated_batches() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT project_id, action, range_agg(int8range(id, id, '[]')) AS keys
          FROM (SELECT c.project_id, c.id,
                       CASE WHEN c.deleted_at IS NOT NULL AND f.deleted_at IS NULL THEN 'delete'
                            ELSE 'update' END AS action
                  FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)) AS moved
         GROUP BY project_id, action
    LOOP
        INSERT INTO unnumbered_changes (project_id, kind, action, keys)
        VALUES (told.project_id, 'batch', told.action, told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_created_corrections() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT project_id, range_agg(int8range(place, place, '[]')) AS keys
          FROM (SELECT project_id, event_id << 12 | position AS place FROM changed) AS corrected
         GROUP BY project_id
    LOOP
        INSERT INTO unnumbered_changes (project_id, kind, action, keys)
        VALUES (told.project_id, 'correction', 'create', told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_updated_corrections() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT project_id, action, range_agg(int8range(place, place, '[]')) AS keys
          FROM (SELECT c.project_id, c.event_id << 12 | c.position AS place,
                       CASE c.state WHEN 'reverted' THEN 'revert' ELSE 'update' END AS action
                  FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)
                 WHERE c.state <> f.state) AS moved
         GROUP BY project_id, action
    LOOP
        INSERT INTO unnumbered_changes (project_id, kind, action, keys)
        VALUES (told.project_id, 'correction', told.action, told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_reported_batches() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT project_id, range_agg(int8range(report_id, report_id, '[]')) AS keys
          FROM changed GROUP BY project_id
    LOOP
        INSERT INTO unnumbered_changes (project_id, kind, action, keys)
        VALUES (told.project_id, 'report', 'update', told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_waiting_ledgers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT project_id, range_agg(int8range(ledger_id, ledger_id, '[]')) AS keys
          FROM changed GROUP BY project_id
    LOOP
        INSERT INTO unnumbered_changes (project_id, kind, action, keys)
        VALUES (told.project_id, 'ledger', 'update', told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tell_stale_batches() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    projects integer[];
    runs     bigint[];
    ledgers  integer[];
BEGIN
    SELECT array_agg(project_id), array_agg(run_id), array_agg(ledger_id) INTO projects, runs, ledgers
      FROM (SELECT DISTINCT project_id, run_id, ledger_id FROM changed) AS marked;
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT b.project_id, 'batch', 'update', range_agg(int8range(b.id, b.id, '[]'))
      FROM unnest(projects, runs, ledgers) AS c (project_id, run_id, ledger_id)
      JOIN batches b ON (b.project_id, b.run_id, b.ledger_id) = (c.project_id, c.run_id, c.ledger_id)
     WHERE b.deleted_at IS NULL
     GROUP BY b.project_id;
    RETURN NULL;
END $$;


-- ## The audit log.

CREATE OR REPLACE FUNCTION await_audit_seal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    accounts integer[];
    audits   bigint[];
BEGIN
    SELECT array_agg(account_id), array_agg(id) INTO accounts, audits FROM added;
    INSERT INTO audit_unsealed (account_id, audit_id) SELECT * FROM unnest(accounts, audits);
    RETURN NULL;
END $$;


-- ## What is collected.

CREATE OR REPLACE FUNCTION revise_event_types() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    projects integer[];
    types    integer[];
BEGIN
    SELECT array_agg(project_id), array_agg(event_type_id) INTO projects, types
      FROM (SELECT DISTINCT project_id, event_type_id FROM changed) AS kinds;
    UPDATE event_types SET revision = revision
     WHERE (project_id, id) IN (SELECT * FROM unnest(projects, types));
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION give_out_positions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    projects integer[];
    types    integer[];
    firsts   smallint[];
    lasts    smallint[];
    used     record;
BEGIN
    SELECT array_agg(project_id), array_agg(event_type_id), array_agg(first), array_agg(last)
      INTO projects, types, firsts, lasts
      FROM (SELECT project_id, event_type_id, min(position) AS first, max(position) AS last FROM added
             GROUP BY project_id, event_type_id) AS kinds;
    SELECT a.first AS position, t.slug INTO used
      FROM unnest(projects, types, firsts) AS a (project_id, event_type_id, first)
      JOIN event_types t ON (t.project_id, t.id) = (a.project_id, a.event_type_id)
     WHERE a.first < t.next_position;
    IF FOUND THEN
        RAISE EXCEPTION 'position % of event type % has been given out before', used.position, used.slug
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'data_point_types_position_once';
    END IF;
    UPDATE event_types t SET next_position = given_out.last + 1
      FROM unnest(projects, types, lasts) AS given_out (project_id, event_type_id, last)
     WHERE (given_out.project_id, given_out.event_type_id) = (t.project_id, t.id);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION check_asset_custom_values() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    projects integer[];
    labels   text[];
    values_  jsonb[];
    wrong    text;
BEGIN
    SELECT array_agg(changed.project_id), array_agg(given.key), array_agg(given.value)
      INTO projects, labels, values_
      FROM changed CROSS JOIN jsonb_each(changed.custom_values) AS given;
    PERFORM FROM asset_custom_fields
      WHERE (project_id, label) IN (SELECT * FROM unnest(projects, labels))
      ORDER BY project_id, id FOR KEY SHARE;
    SELECT given.key INTO wrong
      FROM unnest(projects, labels, values_) AS given (project_id, key, value)
      LEFT JOIN asset_custom_fields f ON (f.project_id, f.label) = (given.project_id, given.key)
      WHERE CASE f.value_type
            WHEN 'number' THEN jsonb_typeof(given.value) <> 'number'
            WHEN 'boolean' THEN jsonb_typeof(given.value) <> 'boolean'
            WHEN 'text' THEN jsonb_typeof(given.value) <> 'string' OR given.value = '""'
            WHEN 'date' THEN jsonb_typeof(given.value) <> 'string'
                             OR (given.value #>> '{}') !~ '^\d{4}-\d\d-\d\d$'
                             OR NOT pg_input_is_valid(given.value #>> '{}', 'date')
            ELSE true END
      LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'an asset has a value for %, which is no custom field of its project or of another type',
            wrong USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'assets_custom_values';
    END IF;
    RETURN NULL;
END $$;
-- It runs as the owner, so it looks where this step does and nowhere else.
DO $$
BEGIN
    EXECUTE format(
        'ALTER FUNCTION check_asset_custom_values() SET search_path TO %s', current_setting('search_path'));
END $$;

CREATE OR REPLACE FUNCTION check_event_locations() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    projects integer[];
    named    integer[];
    missing  integer;
BEGIN
    SELECT array_agg(project_id), array_agg(id) INTO projects, named
      FROM (SELECT DISTINCT project_id, unnest(location_ids) AS id FROM changed) AS places;
    IF named IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM FROM locations
      WHERE (project_id, id) IN (SELECT * FROM unnest(projects, named))
      ORDER BY project_id, id FOR KEY SHARE;
    SELECT place.id INTO missing
      FROM unnest(projects, named) AS place (project_id, id)
      LEFT JOIN locations USING (project_id, id)
      WHERE locations.id IS NULL;
    IF FOUND THEN
        RAISE EXCEPTION 'an event names location %, which its project does not have', missing
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'events_locations';
    END IF;
    RETURN NULL;
END $$;

-- A captured event that comes for a slot withdraws what is proposed for it, and the imputed event that stands
-- there. Proposals come first: whoever approves one holds it, so the event that this makes is seen below. Then the
-- lock: imputed events that were made meanwhile are there by now, or their maker looks for what is stored here.
CREATE OR REPLACE FUNCTION take_place_of_imputed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    among       integer[];
    projects    integer[];
    types       integer[];
    assets      integer[];
    places      integer[];
    starts      timestamptz[];
    is_proposed boolean;
    kind        record;
BEGIN
    SELECT array_agg(project_id) INTO among
      FROM (SELECT DISTINCT project_id FROM changed WHERE NOT is_imputed AND voided_at IS NULL) AS captured;
    IF among IS NULL THEN
        RETURN NULL;
    END IF;
    FOR turn IN 1 .. 2 LOOP
        is_proposed := turn = 1 AND EXISTS (
            SELECT FROM data_point_results r
             WHERE r.project_id = ANY (among) AND r.approval_state = 'pending' AND r.slot_start IS NOT NULL);
        IF is_proposed OR EXISTS (
            SELECT FROM imputations m WHERE m.project_id = ANY (among) AND m.withdrawn_at IS NULL)
        THEN
            IF projects IS NULL THEN
                SELECT array_agg(project_id), array_agg(event_type_id), array_agg(coalesce(asset_id, 0)),
                       array_agg(CASE WHEN asset_id IS NULL THEN coalesce(location_ids[1], 0) ELSE 0 END),
                       array_agg(start_time)
                  INTO projects, types, assets, places, starts
                  FROM changed WHERE NOT is_imputed AND voided_at IS NULL;
            END IF;
            IF is_proposed THEN
                UPDATE data_point_results r SET approval_state = 'withdrawn'
                  FROM unnest(projects, types, assets, places, starts)
                       AS c (project_id, event_type_id, asset_id, location_id, start_time)
                 WHERE r.approval_state = 'pending' AND r.slot_start IS NOT NULL
                   AND r.project_id = c.project_id AND r.event_type_id = c.event_type_id
                   AND r.asset_id = c.asset_id AND r.location_id = c.location_id
                   AND c.start_time >= r.slot_start AND c.start_time < r.slot_end;
            END IF;
            FOR kind IN
                SELECT m.project_id AS project, array_agg(DISTINCT m.event_id) AS imputed
                  FROM unnest(projects, types, assets, places, starts)
                       AS c (project_id, event_type_id, asset_id, location_id, start_time)
                  JOIN imputations m ON m.project_id = c.project_id AND m.event_type_id = c.event_type_id
                   AND m.asset_id = c.asset_id AND m.location_id = c.location_id
                   AND m.withdrawn_at IS NULL AND c.start_time >= m.slot_start AND c.start_time < m.slot_end
                 GROUP BY m.project_id
            LOOP
                PERFORM give_way_to_captured(kind.project, kind.imputed);
            END LOOP;
        END IF;
        EXIT WHEN turn = 2;
        IF TG_OP = 'INSERT' THEN
            PERFORM share_captured_slots(one.project_id, one.event_type_id)
               FROM (SELECT DISTINCT project_id, event_type_id FROM changed
                      WHERE NOT is_imputed AND voided_at IS NULL ORDER BY 1, 2) AS one;
        ELSE
            -- An event that stays where it was takes nobody's place.
            PERFORM share_captured_slots(one.project_id, one.event_type_id)
               FROM (SELECT DISTINCT c.project_id, c.event_type_id
                       FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)
                      WHERE NOT c.is_imputed AND c.voided_at IS NULL
                        AND (f.voided_at IS NOT NULL OR (f.start_time, f.asset_id, f.location_ids)
                             IS DISTINCT FROM (c.start_time, c.asset_id, c.location_ids))
                      ORDER BY 1, 2) AS one;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;


-- ## Accounting.

CREATE OR REPLACE FUNCTION check_batches_of_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    projects    integer[];
    batches     bigint[];
    ledgers     integer[];
    instruments boolean[];
    wrong       bigint;
BEGIN
    SELECT array_agg(project_id), array_agg(id), array_agg(ledger_id), array_agg(run_id IS NULL)
      INTO projects, batches, ledgers, instruments FROM added;
    SELECT a.id INTO wrong
      FROM unnest(projects, batches, ledgers, instruments) AS a (project_id, id, ledger_id, is_instrument)
      JOIN ledgers l ON (l.project_id, l.id) = (a.project_id, a.ledger_id)
     WHERE (l.system_ledger_type IS NOT NULL) <> a.is_instrument LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'batch % is an instrument of a ledger that takes none, or a run''s on a system ledger', wrong
            USING ERRCODE = 'check_violation', CONSTRAINT = 'batches_of_their_ledger';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION post_entries_to_balances() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    projects integer[];
    posted   bigint[];
    amounts  numeric[];
BEGIN
    SELECT array_agg(project_id), array_agg(batch_id), array_agg(amount) INTO projects, posted, amounts
      FROM (SELECT project_id, batch_id, sum(amount) AS amount
              FROM added GROUP BY project_id, batch_id) AS sums;
    UPDATE batches SET balance = balance + sums.amount, updated_at = now()
      FROM unnest(projects, posted, amounts) AS sums (project_id, batch_id, amount)
     WHERE batches.project_id = sums.project_id AND batches.id = sums.batch_id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION post_entries_to_deficits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    projects integer[];
    ledgers  integer[];
    runs     bigint[];
    amounts  numeric[];
BEGIN
    SELECT array_agg(project_id), array_agg(ledger_id), array_agg(run_id), array_agg(amount)
      INTO projects, ledgers, runs, amounts
      FROM (SELECT project_id, ledger_id, run_id, sum(amount) AS amount
              FROM added GROUP BY project_id, ledger_id, run_id) AS sums;
    INSERT INTO deficits AS held (project_id, ledger_id, run_id, amount)
    SELECT project_id, ledger_id, run_id, 0
      FROM unnest(projects, ledgers, runs) AS sums (project_id, ledger_id, run_id)
    ON CONFLICT DO NOTHING;
    UPDATE deficits SET amount = deficits.amount + posted.amount
      FROM unnest(projects, ledgers, runs, amounts) AS posted (project_id, ledger_id, run_id, amount)
     WHERE (deficits.project_id, deficits.ledger_id, deficits.run_id)
         = (posted.project_id, posted.ledger_id, posted.run_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION check_ledger_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    projects integer[];
    posted   bigint[];
    ledgers  integer[];
    moments  timestamptz[];
    wrong    bigint;
BEGIN
    SELECT array_agg(project_id), array_agg(batch_id), array_agg(ledger_id), array_agg(effective_at)
      INTO projects, posted, ledgers, moments FROM added;
    SELECT a.batch_id INTO wrong
      FROM unnest(projects, posted, ledgers, moments) AS a (project_id, batch_id, ledger_id, effective_at)
      JOIN batches b ON (b.project_id, b.id) = (a.project_id, a.batch_id)
     WHERE b.ledger_id <> a.ledger_id OR a.effective_at < b.end_time LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'an entry on batch % is on another ledger, or counts before the batch was made', wrong
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entries_of_their_batch';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION check_entries_of_reports() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    projects integer[];
    stating  bigint[];
    chain    record;
    wrong    record;
BEGIN
    SELECT array_agg(project_id), array_agg(report_id) INTO projects, stating
      FROM (SELECT DISTINCT project_id, report_id FROM added
             WHERE kind IN ('reserve', 'release', 'report', 'restate')) AS posting;
    FOR chain IN
        SELECT DISTINCT r.project_id, r.chain_id
          FROM unnest(projects, stating) AS posting (project_id, report_id)
          JOIN reports r ON (r.project_id, r.id) = (posting.project_id, posting.report_id)
    LOOP
        SELECT * INTO wrong FROM misposted_of_chain(chain.project_id, chain.chain_id) LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'the reports of chain % have posted % on batch %, and state or reserve %',
                chain.chain_id, wrong.posted, wrong.batch_id, wrong.expected
                USING ERRCODE = 'check_violation', CONSTRAINT = 'reports_hold_what_they_state';
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

-- ## Events that wait for a generation.

CREATE OR REPLACE FUNCTION mark_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE projects integer[];
BEGIN
    SELECT array_agg(project_id) INTO projects FROM (SELECT DISTINCT project_id FROM changed) AS marked;
    INSERT INTO waiting_marks (project_id) SELECT * FROM unnest(projects);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION mark_waiting_of_family() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE families integer[];
BEGIN
    SELECT array_agg(id) INTO families FROM changed;
    INSERT INTO waiting_marks (project_id)
    SELECT DISTINCT l.project_id FROM ledgers l WHERE l.family_id = ANY (families);
    RETURN NULL;
END $$;


-- ## Roll-ups.

-- The same as before, with a condition that can be sent on as it is.
CREATE OR REPLACE FUNCTION mark_readings(project integer, types integer[], first timestamptz[], last timestamptz[])
RETURNS void LANGUAGE sql BEGIN ATOMIC
    INSERT INTO roll_up_marks (project_id, source_id, start_time, end_time)
    SELECT project, mark.event_type_id, mark.first, mark.last
      FROM unnest(types, first, last) AS mark (event_type_id, first, last)
     WHERE mark.event_type_id IN (SELECT r.source_id FROM roll_ups r WHERE r.project_id = project);
END;


-- ## What batches saw of their events, and what reports have posted.
--
-- In PL/pgSQL, whose statements are planned with the values of their parameters where a plan for all values is not
-- possible; and none of them is drawn into the plan of a query that calls it and is sent on.

CREATE OR REPLACE FUNCTION rolled_up_as_used(event events, batch bigint)
RETURNS SETOF rolled_up_before LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT was.* FROM rolled_up_before was
     WHERE event.readings IS NOT NULL AND (was.project_id, was.event_id) = (event.project_id, event.id)
       AND was.last_batch >= batch
     ORDER BY was.last_batch, was.id LIMIT 1;
END $$;

CREATE OR REPLACE FUNCTION captured_numbers_as_used(event events, batch bigint)
RETURNS numeric[] LANGUAGE plpgsql STABLE AS $$
DECLARE was numeric[];
BEGIN
    IF event.readings IS NOT NULL THEN
        SELECT numbers INTO was FROM rolled_up_as_used(event, batch);
    END IF;
    RETURN coalesce(was, event.numbers);
END $$;

CREATE OR REPLACE FUNCTION captured_texts_as_used(event events, batch bigint)
RETURNS text[] LANGUAGE plpgsql STABLE AS $$
DECLARE was text[];
BEGIN
    IF event.readings IS NOT NULL THEN
        SELECT texts INTO was FROM rolled_up_as_used(event, batch);
    END IF;
    RETURN coalesce(was, event.texts);
END $$;

CREATE OR REPLACE FUNCTION captured_booleans_as_used(event events, batch bigint)
RETURNS boolean[] LANGUAGE plpgsql STABLE AS $$
DECLARE was boolean[];
BEGIN
    IF event.readings IS NOT NULL THEN
        SELECT booleans INTO was FROM rolled_up_as_used(event, batch);
    END IF;
    RETURN coalesce(was, event.booleans);
END $$;

CREATE OR REPLACE FUNCTION values_as_used(event events, batch bigint)
RETURNS TABLE(place integer, value jsonb) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT c.position::integer, (array_agg(c.to_value) FILTER (WHERE used.correction_id IS NOT NULL))[1]
      FROM corrections c
      LEFT JOIN batch_corrections used
        ON (used.project_id, used.batch_id, used.correction_id) = (c.project_id, batch, c.id)
     WHERE (c.project_id, c.event_id) = (event.project_id, event.id) AND c.position > 0
     GROUP BY c.position
    HAVING count(used.correction_id) > 0 OR bool_or(c.source = 'completion');
END $$;

CREATE OR REPLACE FUNCTION numbers_as_used(event events, batch bigint)
RETURNS numeric[] LANGUAGE plpgsql STABLE AS $$
DECLARE captured numeric[] := captured_numbers_as_used(event, batch);
BEGIN
    RETURN (
    SELECT coalesce(array_agg(CASE WHEN seen.place IS NULL THEN held.value
                                   WHEN jsonb_typeof(seen.value) = 'number' THEN seen.value::numeric END
                              ORDER BY held.place), '{}')
      FROM unnest(captured) WITH ORDINALITY AS held (value, place)
      LEFT JOIN (
           SELECT c.position AS place, (array_agg(c.to_value) FILTER (WHERE used.correction_id IS NOT NULL))[1] AS value
             FROM corrections c
             LEFT JOIN batch_corrections used
               ON (used.project_id, used.batch_id, used.correction_id) = (c.project_id, batch, c.id)
            WHERE (c.project_id, c.event_id) = (event.project_id, event.id) AND c.position > 0
            GROUP BY c.position
           HAVING count(used.correction_id) > 0 OR bool_or(c.source = 'completion')
           ) AS seen ON seen.place = held.place);
END $$;

CREATE OR REPLACE FUNCTION texts_as_used(event events, batch bigint)
RETURNS text[] LANGUAGE plpgsql STABLE AS $$
DECLARE captured text[] := captured_texts_as_used(event, batch);
BEGIN
    RETURN (
    SELECT coalesce(array_agg(CASE WHEN seen.place IS NULL THEN held.value
                                   WHEN jsonb_typeof(seen.value) = 'string' THEN seen.value #>> '{}' END
                              ORDER BY held.place), '{}')
      FROM unnest(captured) WITH ORDINALITY AS held (value, place)
      LEFT JOIN (
           SELECT c.position AS place, (array_agg(c.to_value) FILTER (WHERE used.correction_id IS NOT NULL))[1] AS value
             FROM corrections c
             LEFT JOIN batch_corrections used
               ON (used.project_id, used.batch_id, used.correction_id) = (c.project_id, batch, c.id)
            WHERE (c.project_id, c.event_id) = (event.project_id, event.id) AND c.position > 0
            GROUP BY c.position
           HAVING count(used.correction_id) > 0 OR bool_or(c.source = 'completion')
           ) AS seen ON seen.place = held.place);
END $$;

CREATE OR REPLACE FUNCTION booleans_as_used(event events, batch bigint)
RETURNS boolean[] LANGUAGE plpgsql STABLE AS $$
DECLARE captured boolean[] := captured_booleans_as_used(event, batch);
BEGIN
    RETURN (
    SELECT coalesce(array_agg(CASE WHEN seen.place IS NULL THEN held.value
                                   WHEN jsonb_typeof(seen.value) = 'boolean' THEN seen.value::boolean END
                              ORDER BY held.place), '{}')
      FROM unnest(captured) WITH ORDINALITY AS held (value, place)
      LEFT JOIN (
           SELECT c.position AS place, (array_agg(c.to_value) FILTER (WHERE used.correction_id IS NOT NULL))[1] AS value
             FROM corrections c
             LEFT JOIN batch_corrections used
               ON (used.project_id, used.batch_id, used.correction_id) = (c.project_id, batch, c.id)
            WHERE (c.project_id, c.event_id) = (event.project_id, event.id) AND c.position > 0
            GROUP BY c.position
           HAVING count(used.correction_id) > 0 OR bool_or(c.source = 'completion')
           ) AS seen ON seen.place = held.place);
END $$;

CREATE OR REPLACE FUNCTION field_as_used(event events, batch bigint, name text)
RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
    SELECT coalesce(
        (SELECT c.to_value #>> '{}' FROM corrections c
           JOIN batch_corrections used
             ON (used.project_id, used.batch_id, used.correction_id) = (c.project_id, batch, c.id)
          WHERE (c.project_id, c.event_id, c.position, c.field) = (event.project_id, event.id, 0, name)),
        CASE WHEN event.captured ? name THEN event.captured ->> name ELSE to_jsonb(event) ->> name END));
END $$;

CREATE OR REPLACE FUNCTION revision_of(project integer, event bigint, positions smallint[], batch bigint)
RETURNS bigint LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
    SELECT coalesce(bit_xor(hashint8extended(c.id, 0)), 0)
           # (SELECT coalesce(bit_xor(hashint8extended(was.id, 1)), 0) FROM rolled_up_before was
               WHERE was.project_id = project AND was.event_id = event
                 AND (batch IS NULL OR was.last_batch < batch))
      FROM corrections c
     WHERE c.project_id = project AND c.event_id = event AND (c.position = 0 OR c.position = ANY (positions))
       AND CASE WHEN batch IS NULL THEN c.state = 'in_force'
                ELSE EXISTS (SELECT FROM batch_corrections used
                              WHERE (used.project_id, used.batch_id, used.correction_id)
                                  = (c.project_id, batch, c.id)) END);
END $$;

CREATE OR REPLACE FUNCTION correction_sources_of(project integer, event bigint, positions smallint[], batch bigint)
RETURNS text[] LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
    SELECT array_agg(c.source ORDER BY read.place)
      FROM unnest(positions) WITH ORDINALITY AS read (position, place)
      LEFT JOIN corrections c
        ON c.project_id = project AND c.event_id = event AND c.position = read.position
       AND CASE WHEN batch IS NULL THEN c.state = 'in_force'
                ELSE EXISTS (SELECT FROM batch_corrections used
                              WHERE (used.project_id, used.batch_id, used.correction_id)
                                  = (c.project_id, batch, c.id)) END);
END $$;

CREATE OR REPLACE FUNCTION misposted_of_chain(project integer, chain bigint)
RETURNS TABLE (batch_id bigint, effective_at timestamptz, is_reserve boolean, posted numeric, expected numeric)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH stated AS (
        SELECT b.batch_id, r.effective_at, b.amount
          FROM reports r JOIN report_batches b ON (b.project_id, b.report_id) = (r.project_id, r.id)
         WHERE (r.project_id, r.chain_id, r.status) = (project, chain, 'complete')
    ), under_way AS (
        SELECT b.batch_id, r.effective_at, greatest(b.amount - coalesce(stated.amount, 0), 0) AS amount
          FROM reports r JOIN report_batches b ON (b.project_id, b.report_id) = (r.project_id, r.id)
          LEFT JOIN stated ON stated.batch_id = b.batch_id
         WHERE (r.project_id, r.chain_id) = (project, chain) AND r.status IN ('submitting', 'submitted', 'failed')
    ), parts AS (
        SELECT e.batch_id, e.effective_at, e.kind IN ('reserve', 'release') AS is_reserve, - e.amount AS posted,
               0::numeric AS expected
          FROM reports r JOIN ledger_entries e ON (e.project_id, e.report_id) = (r.project_id, r.id)
         WHERE (r.project_id, r.chain_id) = (project, chain)
           AND e.kind IN ('reserve', 'release', 'report', 'restate')
        UNION ALL SELECT stated.batch_id, stated.effective_at, false, 0, stated.amount FROM stated
        UNION ALL SELECT under_way.batch_id, under_way.effective_at, true, 0, under_way.amount FROM under_way
    )
    SELECT parts.batch_id, parts.effective_at, parts.is_reserve, sum(parts.posted), sum(parts.expected) FROM parts
     GROUP BY parts.batch_id, parts.effective_at, parts.is_reserve HAVING sum(parts.posted) <> sum(parts.expected);
END $$;

-- ## Gaps that were filled.

-- The runs are found in a part of the statement of its own, because Citus 14 makes a condition without a column of an
-- INSERT that reads tables.
CREATE OR REPLACE FUNCTION withdraw_imputed(project integer, taken bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('inputs:' || project, 0));
    PERFORM FROM events WHERE project_id = project AND id = ANY (taken) ORDER BY id FOR NO KEY UPDATE;
    UPDATE events SET voided_at = now(), updated_at = now()
     WHERE project_id = project AND id = ANY (taken) AND voided_at IS NULL;
    WITH found AS MATERIALIZED (
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
               && (SELECT range_agg(int8range(one, one, '[]')) FROM unnest(taken) AS one)
    )
    INSERT INTO stale_runs (project_id, run_id, ledger_id, reason, record)
    SELECT project_id, run_id, ledger_id, reason, record FROM found ON CONFLICT DO NOTHING;
    PERFORM mark_events(project, array_agg(m.event_type_id), array_agg(m.first), array_agg(m.last))
       FROM (SELECT event_type_id, min(slot_start) AS first, max(slot_end) AS last
               FROM imputations WHERE project_id = project AND event_id = ANY (taken)
              GROUP BY event_type_id) AS m;
END $$;


-- ## The queue.

-- Take up the job whose turn it is, of all or of those with a lock; see `platform/queue.py`. `first` has one job of each
-- lock, `free` those that may be taken up now, each with its place within its account. What another worker takes
-- meanwhile is skipped, so two that choose at once choose differently. It is a function of three statements, because
-- parts of one statement that write are carried out apart where a schema is distributed.
CREATE FUNCTION take_next_job(queues text[], worker bigint, only_lock text) RETURNS SETOF procrastinate_jobs
LANGUAGE plpgsql AS $$
DECLARE chosen record;
BEGIN
    WITH first AS (
        SELECT DISTINCT ON (coalesce(lock, id::text))
               id, lock, scheduled_at, attempts > 0 AS is_again, (args ->> 'task_id')::integer AS task_id
          FROM procrastinate_jobs
         WHERE status = 'todo' AND queue_name = ANY (queues) AND (only_lock IS NULL OR lock = only_lock)
         ORDER BY coalesce(lock, id::text), priority DESC, id
    ), free AS (
        SELECT f.id, t.account_id, row_number() OVER (PARTITION BY t.account_id ORDER BY f.id) AS place
          FROM first f JOIN async_tasks t ON t.id = f.task_id
         WHERE (coalesce(f.scheduled_at <= now(), true) OR (only_lock IS NOT NULL AND NOT f.is_again))
           AND NOT EXISTS (SELECT FROM procrastinate_jobs d WHERE d.status = 'doing' AND d.lock = f.lock)
    ), at_work AS (
        SELECT t.account_id, count(*) AS jobs
          FROM procrastinate_jobs d JOIN async_tasks t ON t.id = (d.args ->> 'task_id')::integer
         WHERE d.status = 'doing' AND d.queue_name = ANY (queues)
         GROUP BY t.account_id
    )
    SELECT j.id, f.account_id INTO chosen
      FROM procrastinate_jobs j JOIN free f ON f.id = j.id
      LEFT JOIN at_work w ON w.account_id = f.account_id
      LEFT JOIN account_turns a ON a.account_id = f.account_id
     WHERE j.status = 'todo'
     ORDER BY coalesce(w.jobs, 0) + f.place, a.served_at NULLS FIRST, f.id
     LIMIT 1 FOR UPDATE OF j SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    INSERT INTO account_turns (account_id, served_at) VALUES (chosen.account_id, clock_timestamp())
    ON CONFLICT (account_id) DO UPDATE SET served_at = excluded.served_at;
    RETURN QUERY
        UPDATE procrastinate_jobs SET status = 'doing', worker_id = worker WHERE id = chosen.id RETURNING *;
END $$;
