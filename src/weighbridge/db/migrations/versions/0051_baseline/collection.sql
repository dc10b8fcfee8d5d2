-- What is measured: event types, events, and the locations, feedstocks and assets that events name.

-- A revision tells processes that remember a record whether it has changed.
CREATE FUNCTION raise_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.revision := OLD.revision + 1;
    RETURN NEW;
END $$;


-- ## Event types and their data points.

CREATE TABLE event_types (
    project_id            integer NOT NULL REFERENCES projects,
    id                    integer GENERATED ALWAYS AS IDENTITY,
    slug                  text NOT NULL CHECK (slug ~ '^[a-z0-9]+([-_][a-z0-9]+)*$'),
    name                  text NOT NULL CHECK (name <> ''),
    description           text,
    cadence_amount        integer CHECK (cadence_amount > 0),
    cadence_unit          text CHECK (cadence_unit IN ('minute', 'hour', 'day', 'week', 'month')),
    reusable_in_batches   boolean NOT NULL DEFAULT false,
    expected_locations    text NOT NULL DEFAULT 'one' CHECK (expected_locations IN ('none', 'one', 'two')),
    requires_tracking_id  boolean NOT NULL DEFAULT false,
    created_at            timestamptz(3) NOT NULL DEFAULT now(),
    updated_at            timestamptz(3) NOT NULL DEFAULT now(),
    revision              integer NOT NULL DEFAULT 0,
    next_position         integer NOT NULL DEFAULT 1 CHECK (next_position BETWEEN 1 AND 4096),
    -- A condition on an event, as it was written, for events that are valid measurements. Without it every complete
    -- event is valid.
    valid_when            text CHECK (char_length(valid_when) BETWEEN 1 AND 1000),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, slug),
    CHECK ((cadence_amount IS NULL) = (cadence_unit IS NULL))
);
COMMENT ON TABLE event_types IS 'Kinds of events: what is measured, how often, and what an event of the kind needs.';
CREATE TRIGGER event_types_revised BEFORE UPDATE ON event_types
    FOR EACH ROW EXECUTE FUNCTION raise_revision();
CREATE TRIGGER event_types_next_position_rises BEFORE UPDATE ON event_types FOR EACH ROW
    WHEN (NEW.next_position < OLD.next_position) EXECUTE FUNCTION refuse_change();

-- The data point types of an event type are part of it: a change of them raises its revision.
CREATE FUNCTION revise_event_types() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE event_types SET revision = revision
     WHERE (project_id, id) IN (SELECT project_id, event_type_id FROM changed);
    RETURN NULL;
END $$;

CREATE TABLE data_point_types (
    project_id     integer NOT NULL,
    id             integer GENERATED ALWAYS AS IDENTITY,
    event_type_id  integer NOT NULL,
    position       smallint NOT NULL CHECK (position BETWEEN 1 AND 4095),
    slug           text NOT NULL CHECK (slug ~ '^[a-z0-9]+([-_][a-z0-9]+)*$'),
    name           text NOT NULL CHECK (name <> ''),
    value_type     text NOT NULL CHECK (value_type IN ('number', 'string', 'boolean')),
    unit           text CHECK (unit IS NULL OR value_type = 'number'),
    required       boolean NOT NULL DEFAULT true,
    created_at     timestamptz(3) NOT NULL DEFAULT now(),
    updated_at     timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, event_type_id, position),
    UNIQUE (project_id, event_type_id, slug),
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types
);
COMMENT ON TABLE data_point_types IS
    'The data points of an event type: name, type of value, unit, and position in the arrays of its events.';
CREATE TRIGGER data_point_types_revise_on_insert AFTER INSERT ON data_point_types
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION revise_event_types();
CREATE TRIGGER data_point_types_revise_on_update AFTER UPDATE ON data_point_types
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION revise_event_types();
CREATE TRIGGER data_point_types_revise_on_move AFTER UPDATE ON data_point_types
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION revise_event_types();
CREATE TRIGGER data_point_types_revise_on_delete AFTER DELETE ON data_point_types
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION revise_event_types();
CREATE TRIGGER data_point_types_stay_in_place BEFORE UPDATE ON data_point_types FOR EACH ROW
    WHEN ((NEW.project_id, NEW.event_type_id, NEW.position)
          IS DISTINCT FROM (OLD.project_id, OLD.event_type_id, OLD.position))
    EXECUTE FUNCTION refuse_change();

-- A position is used once, so that old values are never read as those of another data point.
CREATE FUNCTION give_out_positions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE used record;
BEGIN
    SELECT a.position, t.slug INTO used
      FROM added a JOIN event_types t ON (t.project_id, t.id) = (a.project_id, a.event_type_id)
     WHERE a.position < t.next_position;
    IF FOUND THEN
        RAISE EXCEPTION 'position % of event type % has been given out before', used.position, used.slug
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'data_point_types_position_once';
    END IF;
    UPDATE event_types t SET next_position = given_out.last + 1
      FROM (SELECT project_id, event_type_id, max(position) AS last FROM added
             GROUP BY project_id, event_type_id) AS given_out
     WHERE (given_out.project_id, given_out.event_type_id) = (t.project_id, t.id);
    RETURN NULL;
END $$;
CREATE TRIGGER data_point_types_positions AFTER INSERT ON data_point_types
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION give_out_positions();


-- ## What events name.

CREATE TABLE locations (
    project_id        integer NOT NULL REFERENCES projects,
    id                integer GENERATED ALWAYS AS IDENTITY,
    name              text NOT NULL CHECK (name <> ''),
    lat               numeric CHECK (lat BETWEEN -90 AND 90),
    long              numeric CHECK (long BETWEEN -180 AND 180),
    address           jsonb,
    created_at        timestamptz(3) NOT NULL DEFAULT now(),
    updated_at        timestamptz(3) NOT NULL DEFAULT now(),
    revision          integer NOT NULL DEFAULT 0,
    in_service_from   timestamptz(3),
    in_service_until  timestamptz(3),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, name),
    CONSTRAINT locations_in_service CHECK (
        isfinite(in_service_from) AND isfinite(in_service_until) AND in_service_until > in_service_from)
);
COMMENT ON TABLE locations IS 'Places of a project where events happen.';
CREATE TRIGGER locations_revised BEFORE UPDATE ON locations
    FOR EACH ROW EXECUTE FUNCTION raise_revision();

CREATE TABLE feedstocks (
    project_id   integer NOT NULL REFERENCES projects,
    id           integer GENERATED ALWAYS AS IDENTITY,
    name         text NOT NULL CHECK (name <> ''),
    description  text,
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    updated_at   timestamptz(3) NOT NULL DEFAULT now(),
    revision     integer NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, name)
);
COMMENT ON TABLE feedstocks IS 'Materials of a project that events name.';
CREATE TRIGGER feedstocks_revised BEFORE UPDATE ON feedstocks
    FOR EACH ROW EXECUTE FUNCTION raise_revision();


CREATE TABLE asset_custom_fields (
    project_id  integer NOT NULL REFERENCES projects,
    id          integer GENERATED ALWAYS AS IDENTITY,
    label       text NOT NULL CHECK (char_length(label) BETWEEN 1 AND 100 AND label = btrim(label)
                                     AND label !~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]'
                                     AND lower(label) NOT IN ('id', 'name', 'asset_type', 'serial_number',
                                                              'description')),
    value_type  text NOT NULL CHECK (value_type IN ('text', 'number', 'boolean', 'date')),
    created_at  timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, label)
);
COMMENT ON TABLE asset_custom_fields IS
    'Columns that a project adds to its assets; label and type never change, because values are stored by them.';
CREATE TRIGGER asset_custom_fields_stay_as_they_are BEFORE UPDATE OR TRUNCATE ON asset_custom_fields
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE assets (
    project_id        integer NOT NULL REFERENCES projects,
    id                integer GENERATED ALWAYS AS IDENTITY,
    name              text NOT NULL CHECK (name <> ''),
    asset_type        text CHECK (asset_type <> ''),
    serial_number     text CHECK (serial_number <> ''),
    description       text CHECK (description <> ''),
    -- By the labels of custom fields; a field without a value has no key.
    custom_values     jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(custom_values) = 'object'),
    created_at        timestamptz(3) NOT NULL DEFAULT now(),
    updated_at        timestamptz(3) NOT NULL DEFAULT now(),
    revision          integer NOT NULL DEFAULT 0,
    in_service_from   timestamptz(3),
    in_service_until  timestamptz(3),
    PRIMARY KEY (project_id, id),
    -- Checked at the end of a statement, so that one statement can exchange two names.
    CONSTRAINT assets_name UNIQUE (project_id, name) DEFERRABLE INITIALLY IMMEDIATE,
    CONSTRAINT assets_in_service CHECK (
        isfinite(in_service_from) AND isfinite(in_service_until) AND in_service_until > in_service_from)
);
COMMENT ON TABLE assets IS 'Equipment of a project, such as meters and vehicles.';
CREATE TRIGGER assets_revised BEFORE UPDATE ON assets
    FOR EACH ROW EXECUTE FUNCTION raise_revision();

-- Takes the place of a foreign key on the labels, and checks the types of the values. It runs as the owner, because it
-- locks rows of a table that the running role may not update.
CREATE FUNCTION check_asset_custom_values() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE wrong text;
BEGIN
    PERFORM FROM asset_custom_fields
      WHERE (project_id, label) IN (SELECT project_id, jsonb_object_keys(custom_values) FROM changed)
      ORDER BY project_id, id FOR KEY SHARE;
    SELECT given.key INTO wrong
      FROM (SELECT project_id, (jsonb_each(custom_values)).* FROM changed) AS given
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
CREATE TRIGGER assets_custom_values_on_insert AFTER INSERT ON assets
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_asset_custom_values();
CREATE TRIGGER assets_custom_values_on_update AFTER UPDATE ON assets
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_asset_custom_values();

CREATE FUNCTION check_asset_custom_field_unused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM assets WHERE project_id = OLD.project_id AND custom_values ? OLD.label) THEN
        RAISE EXCEPTION 'assets have values for the custom field %', OLD.label
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'assets_custom_values';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER asset_custom_fields_used_stay BEFORE DELETE ON asset_custom_fields
    FOR EACH ROW EXECUTE FUNCTION check_asset_custom_field_unused();


-- ## Events.

-- A quotient as the engine computes it: 34 digits, rounded half to even. It is null where the divisor is zero, so that
-- one event does not fail a statement over many.
CREATE FUNCTION quotient(dividend numeric, divisor numeric) RETURNS numeric
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    above numeric := abs(dividend);
    below numeric := abs(divisor);
    places integer;
    units numeric;
    extra integer;
    head numeric;
    tail numeric;
BEGIN
    IF divisor = 0 THEN RETURN NULL; END IF;
    IF dividend = 0 THEN RETURN 0; END IF;
    -- So many places give at least 35 digits; what lies behind them only says whether there is more.
    places := 36 - (floor(log(above)) - floor(log(below)))::integer;
    IF places >= 0 THEN above := above * ('1E' || places)::numeric;
    ELSE below := below * ('1E' || -places)::numeric; END IF;
    units := div(above, below);
    extra := length(units::text) - 34;
    head := div(units, ('1E' || extra)::numeric);
    tail := 2 * (units - head * ('1E' || extra)::numeric) - ('1E' || extra)::numeric;
    IF tail > 0 OR tail = 0 AND (units * below <> above OR mod(head, 2) = 1) THEN head := head + 1; END IF;
    RETURN sign(dividend) * sign(divisor) * (head::text || 'E' || (extra - places))::numeric;
END $$;

-- A process takes keys of events in blocks of 4,096 and counts on by itself.
CREATE SEQUENCE event_key_blocks MAXVALUE 68719476735;

CREATE TABLE events (
    project_id          integer NOT NULL,
    id                  bigint NOT NULL CHECK (id >= 0),
    event_type_id       integer NOT NULL,
    start_time          timestamptz(3) NOT NULL,
    end_time            timestamptz(3) NOT NULL,
    tracking_id         text CHECK (tracking_id <> ''),
    feedstock_id        integer,
    client_reference    text CHECK (client_reference <> ''),
    notes               text,
    location_ids        integer[] NOT NULL DEFAULT '{}',
    numbers             numeric[] NOT NULL DEFAULT '{}',
    texts               text[] NOT NULL DEFAULT '{}',
    booleans            boolean[] NOT NULL DEFAULT '{}',
    is_complete         boolean NOT NULL,
    voided_at           timestamptz(3),
    created_at          timestamptz(3) NOT NULL DEFAULT now(),
    updated_at          timestamptz(3) NOT NULL DEFAULT now(),
    asset_id            integer,
    -- The values in force where any value is corrected, and the captured times and tags where they changed.
    corrected_numbers   numeric[],
    corrected_texts     text[],
    corrected_booleans  boolean[],
    captured            jsonb,
    -- Whether a value of the event was ever corrected, or added later.
    is_revised          boolean NOT NULL DEFAULT false,
    -- Whether a rule made the event for a slot without a measurement.
    is_imputed          boolean NOT NULL DEFAULT false,
    -- Of a rolled-up event: the number of its readings, and of its valid readings. Null of a captured event.
    readings            integer,
    valid_readings      integer,
    -- Of a rolled-up event: the slots of the cadence of its readings that have a valid one, and all such slots.
    covered_readings    integer,
    expected_readings   integer,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, feedstock_id) REFERENCES feedstocks,
    CONSTRAINT events_end_not_before_start CHECK (end_time >= start_time),
    -- NaN sorts above Infinity, so one comparison excludes both.
    CONSTRAINT events_numbers_are_finite CHECK ('Infinity' > ALL (numbers) AND '-Infinity' < ALL (numbers)),
    FOREIGN KEY (project_id, asset_id) REFERENCES assets,
    CONSTRAINT events_corrected_numbers_are_finite CHECK (
        'Infinity' > ALL (corrected_numbers) AND '-Infinity' < ALL (corrected_numbers)),
    CONSTRAINT events_corrected_are_revised CHECK (
        is_revised OR num_nonnulls(corrected_numbers, corrected_texts, corrected_booleans) = 0),
    CONSTRAINT events_readings CHECK (
        num_nonnulls(readings, valid_readings) IN (0, 2) AND num_nonnulls(covered_readings, expected_readings) IN (0, 2)
        AND (readings IS NOT NULL OR expected_readings IS NULL)
        AND readings >= 1 AND valid_readings BETWEEN 0 AND readings
        AND covered_readings BETWEEN 0 AND expected_readings
        AND (readings IS NULL OR client_reference IS NULL AND NOT is_imputed AND captured IS NULL))
);
COMMENT ON TABLE events IS
    'Activity records: the value of the data point type at position p is numbers[p], texts[p] or booleans[p], and '
    'positions are never reused.';
CREATE INDEX events_by_time ON events (project_id, start_time, id);
-- An event that began before a slot began at most an hour before it, or is long and found by its end.
CREATE INDEX events_long ON events (project_id, event_type_id, end_time)
    WHERE end_time - start_time > interval '1 hour';
CREATE INDEX events_incomplete ON events (project_id, event_type_id, start_time) WHERE NOT is_complete;
CREATE UNIQUE INDEX events_client_reference ON events (project_id, client_reference)
    WHERE client_reference IS NOT NULL;
-- Each index ends with time and id, so that a page of its rows needs no sorting.
CREATE INDEX events_of_type ON events (project_id, event_type_id, start_time, id);
CREATE INDEX events_of_asset ON events (project_id, asset_id, start_time, id) WHERE asset_id IS NOT NULL;
CREATE INDEX events_of_tracking_id ON events (project_id, tracking_id, start_time, id)
    WHERE tracking_id IS NOT NULL;
CREATE INDEX events_of_feedstock ON events (project_id, feedstock_id, start_time, id)
    WHERE feedstock_id IS NOT NULL;
-- Few events have more than one location, and hardly any more than two; the third index finds those.
CREATE INDEX events_of_location ON events (project_id, (location_ids[1]), start_time, id)
    WHERE location_ids[1] IS NOT NULL;
CREATE INDEX events_of_second_location ON events (project_id, (location_ids[2]), start_time, id)
    WHERE location_ids[2] IS NOT NULL;
CREATE INDEX events_of_more_locations ON events (project_id, start_time, id) WHERE location_ids[3] IS NOT NULL;
CREATE INDEX events_incomplete_by_time ON events (project_id, start_time, id) WHERE NOT is_complete;
-- Clients ask for the latest changes of a project.
CREATE INDEX events_by_change ON events (project_id, updated_at, id);
-- A slot has one rolled-up event for the same tags, voided events included.
CREATE UNIQUE INDEX events_one_of_each_slot ON events
    (project_id, event_type_id, start_time, end_time, asset_id, location_ids, feedstock_id, tracking_id)
    NULLS NOT DISTINCT WHERE readings IS NOT NULL;
-- Few events were ever revised, so values that rules have filled are found quickly.
CREATE INDEX events_revised ON events (project_id, event_type_id, start_time, id) WHERE is_revised;
-- Events are voided and never removed: a batch or an audit row may name them.
CREATE TRIGGER events_stay BEFORE DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_tell_created AFTER INSERT ON events
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created('event');
-- An event type belongs to one project, so a condition on both selects no fewer events than one on the type.
CREATE STATISTICS events_of_types (dependencies) ON project_id, event_type_id FROM events;

-- Takes the place of a foreign key on the array, once for each statement. The trigger on locations keeps those that
-- events name.
CREATE FUNCTION check_event_locations() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE missing integer;
BEGIN
    PERFORM FROM locations
      WHERE (project_id, id) IN (SELECT project_id, unnest(location_ids) FROM changed)
      ORDER BY project_id, id FOR KEY SHARE;
    SELECT named.id INTO missing
      FROM (SELECT DISTINCT project_id, unnest(location_ids) AS id FROM changed) AS named
      LEFT JOIN locations USING (project_id, id)
      WHERE locations.id IS NULL;
    IF FOUND THEN
        RAISE EXCEPTION 'an event names location %, which its project does not have', missing
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'events_locations';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER events_locations_on_insert AFTER INSERT ON events
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_event_locations();
CREATE TRIGGER events_locations_on_update AFTER UPDATE ON events
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_event_locations();

CREATE FUNCTION check_location_unused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM events
               WHERE project_id = OLD.project_id AND OLD.id = ANY (location_ids)) THEN
        RAISE EXCEPTION 'location % is named by events', OLD.id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'events_locations';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER locations_used_stay BEFORE DELETE ON locations
    FOR EACH ROW EXECUTE FUNCTION check_location_unused();

CREATE TABLE event_counts (
    project_id     integer NOT NULL,
    event_type_id  integer NOT NULL,
    share          smallint NOT NULL,
    events         bigint NOT NULL,
    longest        interval NOT NULL,
    PRIMARY KEY (project_id, event_type_id, share),
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types ON DELETE CASCADE
) WITH (fillfactor = 50);
COMMENT ON TABLE event_counts IS
    'The number of events of each type that are not voided, and the longest of them, in shares so that connections '
    'do not wait for each other.';

CREATE FUNCTION check_event_type(project integer, event_type integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM event_types WHERE project_id = project AND id = event_type FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'an event has the type %, which its project does not have', event_type
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'events_event_type';
    END IF;
END $$;

CREATE FUNCTION count_events(project integer, event_type integer, more bigint, lasting interval)
RETURNS void LANGUAGE sql BEGIN ATOMIC
    INSERT INTO event_counts AS c VALUES (project, event_type, pg_backend_pid() % 64, more, lasting)
    ON CONFLICT (project_id, event_type_id, share) DO UPDATE
       SET events = c.events + excluded.events, longest = greatest(c.longest, excluded.longest);
END;

-- The events of a type are either rolled up or written, and never both.
CREATE FUNCTION check_rolled_up(project integer, event_type integer, by_hand boolean, rolled_up boolean)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF (CASE WHEN EXISTS (SELECT FROM roll_ups WHERE project_id = project AND event_type_id = event_type)
             THEN by_hand ELSE rolled_up END) THEN
        RAISE EXCEPTION 'events of type % are rolled up, or written, and never both', event_type
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'events_rolled_up';
    END IF;
END $$;

CREATE FUNCTION check_event_types() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE kind record;
BEGIN
    FOR kind IN
        SELECT project_id, event_type_id, count(*) FILTER (WHERE voided_at IS NULL) AS more,
               max(end_time - start_time) AS longest, bool_or(readings IS NULL) AS by_hand,
               bool_or(readings IS NOT NULL) AS rolled_up
          FROM changed GROUP BY project_id, event_type_id ORDER BY project_id, event_type_id
    LOOP
        PERFORM check_event_type(kind.project_id, kind.event_type_id);
        PERFORM check_rolled_up(kind.project_id, kind.event_type_id, kind.by_hand, kind.rolled_up);
        PERFORM count_events(kind.project_id, kind.event_type_id, kind.more, kind.longest);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER events_types_on_insert AFTER INSERT ON events
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_event_types();

CREATE FUNCTION check_changed_event_types() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE kind record;
BEGIN
    FOR kind IN
        SELECT project_id, event_type_id, sum(counts) AS more, max(lasting) AS longest
          FROM (SELECT project_id, event_type_id, (voided_at IS NULL)::integer AS counts,
                       end_time - start_time AS lasting FROM changed
                UNION ALL
                SELECT project_id, event_type_id, - (voided_at IS NULL)::integer, interval '0' FROM former) AS both_
         GROUP BY project_id, event_type_id ORDER BY project_id, event_type_id
    LOOP
        PERFORM check_event_type(kind.project_id, kind.event_type_id);
        IF kind.more <> 0 OR kind.longest > (SELECT coalesce(max(longest), interval '0') FROM event_counts
             WHERE project_id = kind.project_id AND event_type_id = kind.event_type_id) THEN
            PERFORM count_events(kind.project_id, kind.event_type_id, kind.more, kind.longest);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER events_types_on_update AFTER UPDATE ON events
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION check_changed_event_types();

CREATE FUNCTION check_event_type_unused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM events WHERE project_id = OLD.project_id AND event_type_id = OLD.id) THEN
        RAISE EXCEPTION 'event type % is that of events', OLD.id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'events_event_type';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER event_types_used_stay BEFORE DELETE ON event_types
    FOR EACH ROW EXECUTE FUNCTION check_event_type_unused();

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


-- ## Evidence and outages.

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
COMMENT ON TABLE evidence IS
    'Files and links that support an event; a file itself is in the evidence store under a random key.';
CREATE INDEX evidence_of_event ON evidence (project_id, event_id, id);
CREATE TRIGGER evidence_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON evidence
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE outages (
    project_id     integer NOT NULL REFERENCES projects,
    id             integer GENERATED ALWAYS AS IDENTITY,
    reason         text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 1000),
    asset_id       integer,
    location_id    integer,
    event_type_id  integer,
    start_time     timestamptz(3) NOT NULL CHECK (isfinite(start_time)),
    -- Null while the outage lasts.
    end_time       timestamptz(3) CHECK (isfinite(end_time)),
    evidence_url   text CHECK (char_length(evidence_url) <= 2000 AND evidence_url ~* '^https?://[^/?#@\s\\]+([/?#]|$)'
                               AND evidence_url !~ '[\u0001-\u0020\u007f-\u009f\u2028\u2029]'),
    created_at     timestamptz(3) NOT NULL DEFAULT now(),
    updated_at     timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, asset_id) REFERENCES assets,
    FOREIGN KEY (project_id, location_id) REFERENCES locations,
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types,
    CONSTRAINT outages_end_after_start CHECK (end_time > start_time),
    CONSTRAINT outages_name_one_meter CHECK (num_nonnulls(asset_id, location_id) < 2)
);
COMMENT ON TABLE outages IS
    'Time intervals in which nothing was expected of an asset, a location, an event type or the whole project.';
CREATE INDEX outages_by_time ON outages (project_id, start_time, id);
-- For the removal of what outages name.
CREATE INDEX outages_of_asset ON outages (project_id, asset_id) WHERE asset_id IS NOT NULL;
CREATE INDEX outages_of_location ON outages (project_id, location_id) WHERE location_id IS NOT NULL;
CREATE INDEX outages_of_event_type ON outages (project_id, event_type_id) WHERE event_type_id IS NOT NULL;
