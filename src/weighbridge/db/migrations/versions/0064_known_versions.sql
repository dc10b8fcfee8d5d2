-- What was known at a row of the audit log. A transaction that writes records has a moment, a number of its own; records
-- name the moment from which they are as they are, and a change keeps the version before. Sealing gives each moment
-- its place in the audit log, after the commit, so what was known at a row of the log never changes again.


-- ## Moments of transactions.

CREATE SEQUENCE moments;

-- The moment of this transaction. One that begins anew after a savepoint was given up has written nothing by the first.
CREATE FUNCTION current_moment() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE moment text := current_setting('weighbridge.moment', true);
BEGIN
    IF moment IS NULL OR moment = '' THEN
        moment := set_config('weighbridge.moment', nextval('moments')::text, true);
    END IF;
    RETURN moment::bigint;
END $$;

ALTER TABLE audit_unsealed ADD COLUMN moment bigint;
ALTER TABLE audit_unsealed ALTER COLUMN moment SET DEFAULT current_moment();
ALTER TABLE unnumbered_changes ADD COLUMN moment bigint;
ALTER TABLE unnumbered_changes ALTER COLUMN moment SET DEFAULT current_moment();

CREATE TABLE audit_moments (
    account_id  integer NOT NULL REFERENCES accounts,
    moment      bigint NOT NULL,
    -- The number of the audit row from which what the transaction wrote is known.
    number      bigint NOT NULL CHECK (number >= 0),
    -- Whether the transaction has written that row.
    is_logged   boolean NOT NULL,
    PRIMARY KEY (account_id, moment)
);
COMMENT ON TABLE audit_moments IS
    'The place of each writing transaction in the audit log: the number of its row, or of the newest row when it was '
    'sealed where it has none.';
CREATE INDEX audit_moments_by_number ON audit_moments (account_id, number, moment);
CREATE TRIGGER audit_moments_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_moments
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_times (
    account_id  integer NOT NULL REFERENCES accounts,
    number      bigint NOT NULL CHECK (number >= 0),
    -- The time of the row, but never before that of an earlier number or a time that was asked for before it was sealed.
    known_at    timestamptz(3) NOT NULL,
    -- No moment with a place before the number is later than this.
    last_moment bigint NOT NULL,
    PRIMARY KEY (account_id, number)
);
COMMENT ON TABLE audit_times IS
    'From which time on the rows of the audit log up to a number are what is known.';
CREATE INDEX audit_times_by_time ON audit_times (account_id, known_at, number);
CREATE TRIGGER audit_times_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_times
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE unplaced_moments (
    account_id  integer NOT NULL,
    moment      bigint NOT NULL,
    PRIMARY KEY (account_id, moment)
);
COMMENT ON TABLE unplaced_moments IS
    'Transactions that changed records and wait for their place in the audit log; most have a row there.';

CREATE TABLE answered_moments (
    account_id  integer PRIMARY KEY REFERENCES accounts,
    number      bigint NOT NULL,
    known_at    timestamptz(3) NOT NULL
);
COMMENT ON TABLE answered_moments IS
    'The newest number and time for which the service has answered what was known: nothing becomes known before them.';

CREATE TABLE version_horizons (
    account_id  integer PRIMARY KEY REFERENCES accounts,
    number      bigint NOT NULL CHECK (number > 0),
    known_at    timestamptz(3) NOT NULL
);
COMMENT ON TABLE version_horizons IS
    'The audit row before which no versions were kept, for accounts that are older than versions.';
INSERT INTO version_horizons (account_id, number, known_at)
SELECT account_id, number, clock_timestamp()
  FROM (SELECT a.id AS account_id,
               coalesce((SELECT max(s.number) FROM audit_seals s WHERE s.account_id = a.id), 0)
               + (SELECT count(*) FROM audit_unsealed u WHERE u.account_id = a.id) AS number
          FROM accounts a) AS counted
 WHERE number > 0;
INSERT INTO audit_times (account_id, number, known_at, last_moment)
SELECT account_id, number, known_at, 0 FROM version_horizons;


-- ## Versions.

-- Keep the version before a change, which nobody else has seen if this transaction made it, in the table that the trigger
-- names: on a node its own table has another name.
CREATE FUNCTION keep_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE moment bigint := current_moment();
BEGIN
    IF OLD.known_from IS DISTINCT FROM moment THEN
        EXECUTE format('INSERT INTO %I SELECT $1, ($2).*', TG_ARGV[0]) USING moment, OLD;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    NEW.known_from := moment;
    RETURN NEW;
END $$;

-- Records that are only added name the moment alone.
DO $$
DECLARE added text;
BEGIN
    FOREACH added IN ARRAY ARRAY['ledger_entries', 'deficit_entries', 'evidence'] LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN known_from bigint', added);
        EXECUTE format('ALTER TABLE %I ALTER COLUMN known_from SET DEFAULT current_moment()', added);
    END LOOP;
END $$;

-- A table of former versions begins with the moment that ended a version, and goes on as the table itself. It has the
-- same indexes, so that a page of both is read in order; there a key comes once for each moment.
DO $$
DECLARE
    versioned text;
    key       text;
    made      text;
    changes   text;
BEGIN
    FOREACH versioned IN ARRAY ARRAY[
        'events', 'corrections', 'imputations', 'batches', 'deficits', 'stale_runs', 'ledgers', 'reports',
        'report_batches', 'data_point_results', 'model_run_results', 'event_types', 'data_point_types', 'locations',
        'feedstocks', 'assets', 'model_families']
    LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN known_from bigint', versioned);
        EXECUTE format('ALTER TABLE %I ALTER COLUMN known_from SET DEFAULT current_moment()', versioned);
        EXECUTE format('CREATE TABLE %I (known_until bigint NOT NULL, LIKE %I)', 'former_' || versioned, versioned);
        EXECUTE format(
            'COMMENT ON TABLE %I IS %L', 'former_' || versioned,
            format('Former versions of rows of %s, with the moment from which each was no longer known.', versioned));
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I FOR EACH STATEMENT '
            'EXECUTE FUNCTION refuse_change()', 'former_' || versioned || '_stay', 'former_' || versioned);
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.place) INTO key
          FROM pg_index i
         CROSS JOIN unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (number, place)
          JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
         WHERE i.indrelid = versioned::regclass AND i.indisprimary;
        EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (%s, known_until)', 'former_' || versioned, key);
        FOR made IN
            SELECT regexp_replace(
                       regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE (UNIQUE )?INDEX \S+ ON \S+ ',
                                      format('CREATE INDEX %I ON %I ', 'former_' || c.relname, 'former_' || versioned)),
                       ' NULLS NOT DISTINCT', '')
              FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
             WHERE i.indrelid = versioned::regclass AND NOT i.indisprimary AND NOT i.indisexclusion
        LOOP
            EXECUTE made;
        END LOOP;
        changes := CASE versioned
            -- A condition does not see a column that is generated.
            WHEN 'reports' THEN ''
            -- A rule that finds the same again has only looked.
            WHEN 'data_point_results' THEN
                'WHEN (to_jsonb(OLD) - ''evaluated_at'' IS DISTINCT FROM to_jsonb(NEW) - ''evaluated_at'')'
            WHEN 'model_run_results' THEN
                'WHEN (to_jsonb(OLD) - ''evaluated_at'' IS DISTINCT FROM to_jsonb(NEW) - ''evaluated_at'')'
            ELSE 'WHEN (OLD.* IS DISTINCT FROM NEW.*)' END;
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE UPDATE ON %I FOR EACH ROW %s EXECUTE FUNCTION keep_version(%L)',
            versioned || '_yield_version', versioned, changes, 'former_' || versioned);
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE DELETE ON %I FOR EACH ROW EXECUTE FUNCTION keep_version(%L)',
            versioned || '_yield_last_version', versioned, 'former_' || versioned);
    END LOOP;
END $$;


-- ## The feed of changes also says which transactions wait for their place.

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
    writers  integer[];
    moments  bigint[];
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
    ), owned AS (
        SELECT m.id, m.transaction, m.moment, coalesce(m.account_id, p.account_id) AS account_id, m.project_id, m.kind,
               m.action, m.task_type, m.keys
          FROM moved m LEFT JOIN projects p ON p.id = m.project_id
    ), merged AS (
        SELECT min(m.id) AS id, m.transaction, m.account_id, m.project_id, m.kind, m.action, m.task_type,
               range_agg(m.keys) AS keys
          FROM owned m
         GROUP BY m.transaction, m.account_id, m.project_id, m.kind, m.action, m.task_type
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
    ), written AS (
        SELECT DISTINCT account_id, moment FROM owned WHERE account_id IS NOT NULL AND moment IS NOT NULL
    )
    SELECT (SELECT count(*) FROM moved), array_agg(account_id), array_agg(number), array_agg(project_id),
           array_agg(kind), array_agg(action), array_agg(task_type), array_agg(keys),
           (SELECT array_agg(account_id) FROM written), (SELECT array_agg(moment) FROM written)
      INTO taken, accounts, numbers, projects, kinds, actions, types, changed, writers, moments
      FROM numbered;
    INSERT INTO changes (account_id, number, project_id, kind, action, task_type, keys, at)
    SELECT account_id, number, project_id, kind, action, task_type, keys, clock_timestamp()
      FROM unnest(accounts, numbers, projects, kinds, actions, types, changed)
           AS n (account_id, number, project_id, kind, action, task_type, keys);
    INSERT INTO unplaced_moments (account_id, moment)
    SELECT account_id, moment FROM unnest(writers, moments) AS w (account_id, moment) ON CONFLICT DO NOTHING;
    RETURN taken;
END $$;
