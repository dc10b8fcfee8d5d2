-- What is measured. An event is one row and its data points live in it: the value of the data point
-- type at position p is numbers[p], texts[p] or booleans[p]. A position is never given out twice.

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
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, slug),
    CHECK ((cadence_amount IS NULL) = (cadence_unit IS NULL))
);

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

CREATE TABLE locations (
    project_id  integer NOT NULL REFERENCES projects,
    id          integer GENERATED ALWAYS AS IDENTITY,
    name        text NOT NULL CHECK (name <> ''),
    lat         numeric CHECK (lat BETWEEN -90 AND 90),
    long        numeric CHECK (long BETWEEN -180 AND 180),
    address     jsonb,
    created_at  timestamptz(3) NOT NULL DEFAULT now(),
    updated_at  timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, name)
);

CREATE TABLE feedstocks (
    project_id   integer NOT NULL REFERENCES projects,
    id           integer GENERATED ALWAYS AS IDENTITY,
    name         text NOT NULL CHECK (name <> ''),
    description  text,
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    updated_at   timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, name)
);

-- Processes take event keys in blocks of 4,096 from here and count on by themselves.
CREATE SEQUENCE event_key_blocks MAXVALUE 68719476735;

CREATE TABLE events (
    project_id        integer NOT NULL,
    id                bigint NOT NULL CHECK (id >= 0),
    event_type_id     integer NOT NULL,
    start_time        timestamptz(3) NOT NULL,
    end_time          timestamptz(3) NOT NULL,
    tracking_id       text CHECK (tracking_id <> ''),
    feedstock_id      integer,
    client_reference  text CHECK (client_reference <> ''),
    notes             text,
    location_ids      integer[] NOT NULL DEFAULT '{}',
    numbers           numeric[] NOT NULL DEFAULT '{}',
    texts             text[] NOT NULL DEFAULT '{}',
    booleans          boolean[] NOT NULL DEFAULT '{}',
    is_complete       boolean NOT NULL,
    voided_at         timestamptz(3),
    created_at        timestamptz(3) NOT NULL DEFAULT now(),
    updated_at        timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types,
    FOREIGN KEY (project_id, feedstock_id) REFERENCES feedstocks,
    CONSTRAINT events_end_not_before_start CHECK (end_time >= start_time),
    -- NaN sorts above Infinity, so one comparison keeps both out.
    CONSTRAINT events_numbers_are_finite CHECK ('Infinity' > ALL (numbers) AND '-Infinity' < ALL (numbers))
);
CREATE INDEX events_by_type_and_time ON events (project_id, event_type_id, start_time);
CREATE INDEX events_by_time ON events (project_id, start_time, id);
-- A stretch that began before a slot began within the hour before it, or is long and found by its end.
CREATE INDEX events_long ON events (project_id, event_type_id, end_time)
    WHERE end_time - start_time > interval '1 hour';
CREATE INDEX events_incomplete ON events (project_id, event_type_id, start_time) WHERE NOT is_complete;
CREATE INDEX events_by_tracking_id ON events (project_id, tracking_id) WHERE tracking_id IS NOT NULL;
CREATE UNIQUE INDEX events_client_reference ON events (project_id, client_reference)
    WHERE client_reference IS NOT NULL;

-- An event type belongs to one project, so the project of events of a type says nothing more about their number.
CREATE STATISTICS events_of_types (dependencies) ON project_id, event_type_id FROM events;

-- Voided, never removed: a batch or an auditor may still point at it.
CREATE TRIGGER events_stay BEFORE DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- An array has no foreign key. This is one, checked once for each statement instead of once for each
-- row; locations that events name stay, because the same trigger function guards their removal.
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
