-- The equipment of a project with what the project keeps of it, and values that hold from a date on.

-- Columns that a project adds to its assets. Label and type never change: values are kept by them.
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

CREATE TABLE assets (
    project_id     integer NOT NULL REFERENCES projects,
    id             integer GENERATED ALWAYS AS IDENTITY,
    name           text NOT NULL CHECK (name <> ''),
    asset_type     text CHECK (asset_type <> ''),
    serial_number  text CHECK (serial_number <> ''),
    description    text CHECK (description <> ''),
    -- By the labels of custom fields; a field without a value is not there.
    custom_values  jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(custom_values) = 'object'),
    created_at     timestamptz(3) NOT NULL DEFAULT now(),
    updated_at     timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    -- Checked when a statement ends, so that one statement can exchange two names.
    CONSTRAINT assets_name UNIQUE (project_id, name) DEFERRABLE INITIALLY IMMEDIATE
);

-- The labels in jsonb have no foreign key. This is one, which also checks the types of the values.
CREATE FUNCTION check_asset_custom_values() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER asset_custom_fields_stay_as_they_are BEFORE UPDATE OR TRUNCATE ON asset_custom_fields
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

ALTER TABLE events
    ADD COLUMN asset_id integer,
    ADD FOREIGN KEY (project_id, asset_id) REFERENCES assets;
CREATE INDEX events_by_asset ON events (project_id, asset_id) WHERE asset_id IS NOT NULL;

ALTER TABLE runs
    ADD COLUMN asset_id integer,
    ADD FOREIGN KEY (project_id, asset_id) REFERENCES assets,
    DROP CONSTRAINT runs_project_id_family_id_start_time_end_time_tracking_id_f_key,
    ADD CONSTRAINT runs_slot_and_partition UNIQUE NULLS NOT DISTINCT
        (project_id, family_id, start_time, end_time, tracking_id, feedstock_id, asset_id);

-- Effective-dated values. Rows are only ever added: a newer one takes over when its time comes.
CREATE TABLE static_inputs (
    project_id      integer NOT NULL REFERENCES projects,
    id              integer GENERATED ALWAYS AS IDENTITY,
    slug            text NOT NULL CHECK (slug ~ '^[a-z0-9]+([-_][a-z0-9]+)*$'),
    value           numeric NOT NULL CHECK (value > '-Infinity' AND value < 'Infinity'),
    unit            text CHECK (unit <> ''),
    effective_from  timestamptz(3) NOT NULL CHECK (isfinite(effective_from)),
    asset_id        integer,
    feedstock_id    integer,
    location_id     integer,
    created_at      timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    CONSTRAINT static_inputs_one_at_a_time UNIQUE NULLS NOT DISTINCT
        (project_id, slug, asset_id, feedstock_id, location_id, effective_from),
    FOREIGN KEY (project_id, asset_id) REFERENCES assets,
    FOREIGN KEY (project_id, feedstock_id) REFERENCES feedstocks,
    FOREIGN KEY (project_id, location_id) REFERENCES locations
);
CREATE TRIGGER static_inputs_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON static_inputs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
