-- Values state how well they are known: those of a data point type, those of one event, and static inputs. A statement
-- has the keys of the interface that were given, with exact numbers.

ALTER TABLE data_point_types ADD COLUMN uncertainty jsonb;
ALTER TABLE data_point_types ADD CONSTRAINT data_point_types_uncertainty_check
    CHECK (uncertainty IS NULL OR jsonb_typeof(uncertainty) = 'object' AND value_type = 'number');
ALTER TABLE former_data_point_types ADD COLUMN uncertainty jsonb;

ALTER TABLE static_inputs ADD COLUMN uncertainty jsonb;
ALTER TABLE static_inputs ADD CONSTRAINT static_inputs_uncertainty_check
    CHECK (jsonb_typeof(uncertainty) = 'object');

-- By position, as the values are; null where no value of the event has a statement of its own, as in nearly all. The
-- events that there are have none, so nothing is looked through.
ALTER TABLE events ADD COLUMN uncertainties jsonb;
ALTER TABLE events ADD CONSTRAINT events_uncertainties_check
    CHECK (jsonb_typeof(uncertainties) = 'object' AND uncertainties <> '{}') NOT VALID;
ALTER TABLE former_events ADD COLUMN uncertainties jsonb;

CREATE TABLE calibrations (
    project_id          integer NOT NULL REFERENCES projects,
    id                  integer GENERATED ALWAYS AS IDENTITY,
    name                text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
    -- Null for the readings of events that name no asset.
    asset_id            integer,
    event_type_id       integer NOT NULL,
    data_point_type     text NOT NULL,
    data_point_type_id  integer NOT NULL,
    valid_from          timestamptz(3) NOT NULL CHECK (isfinite(valid_from)),
    -- Null where the certificate names no end.
    valid_until         timestamptz(3) CHECK (isfinite(valid_until)),
    uncertainty         jsonb NOT NULL CHECK (jsonb_typeof(uncertainty) = 'object'),
    -- Checked when it is named: evidence is never removed.
    evidence_id         integer,
    notes               text CHECK (char_length(notes) <= 10000),
    created_at          timestamptz(3) NOT NULL DEFAULT now(),
    updated_at          timestamptz(3) NOT NULL DEFAULT now(),
    known_from          bigint DEFAULT current_moment(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, asset_id) REFERENCES assets,
    FOREIGN KEY (project_id, event_type_id, data_point_type)
        REFERENCES data_point_types (project_id, event_type_id, slug),
    FOREIGN KEY (project_id, data_point_type_id) REFERENCES data_point_types,
    CONSTRAINT calibrations_end_after_start CHECK (valid_until > valid_from),
    -- Ranges of one number each: an index of ranges takes no plain number without an extension.
    CONSTRAINT calibrations_one_at_a_time EXCLUDE USING gist (
        int4range(project_id, project_id, '[]') WITH &&,
        int4range(data_point_type_id, data_point_type_id, '[]') WITH &&,
        int4range(coalesce(asset_id, 0), coalesce(asset_id, 0), '[]') WITH &&,
        tstzrange(valid_from, valid_until) WITH &&)
);
COMMENT ON TABLE calibrations IS
    'Certificates of meters: how well the readings of a data point type are known from one moment to another.';
CREATE INDEX calibrations_of_point ON calibrations (project_id, event_type_id, data_point_type, valid_from, id);
-- For the removal of what calibrations name.
CREATE INDEX calibrations_of_asset ON calibrations (project_id, asset_id) WHERE asset_id IS NOT NULL;

CREATE TABLE former_calibrations (known_until bigint NOT NULL, LIKE calibrations);
ALTER TABLE former_calibrations ADD PRIMARY KEY (project_id, id, known_until);
COMMENT ON TABLE former_calibrations IS
    'Former versions of rows of calibrations, with the moment from which each was no longer known.';
CREATE INDEX former_calibrations_of_point
    ON former_calibrations (project_id, event_type_id, data_point_type, valid_from, id);
CREATE INDEX former_calibrations_of_asset ON former_calibrations (project_id, asset_id) WHERE asset_id IS NOT NULL;
CREATE TRIGGER former_calibrations_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON former_calibrations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER calibrations_yield_version BEFORE UPDATE ON calibrations FOR EACH ROW
    WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION keep_version('former_calibrations');
CREATE TRIGGER calibrations_yield_last_version BEFORE DELETE ON calibrations
    FOR EACH ROW EXECUTE FUNCTION keep_version('former_calibrations');
