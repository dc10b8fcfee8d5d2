-- Which events of a type are valid measurements: a condition on an event, as it was written. Without one every
-- complete event is.
ALTER TABLE event_types ADD COLUMN valid_when text CHECK (char_length(valid_when) BETWEEN 1 AND 1000);

-- Stretches of time in which nothing was expected of a meter: of an asset, of a location, of all meters of an event
-- type, or of all of the project; of an asset or a location that an event type is named with, among its events only.
CREATE TABLE outages (
    project_id     integer NOT NULL REFERENCES projects,
    id             integer GENERATED ALWAYS AS IDENTITY,
    reason         text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 1000),
    asset_id       integer,
    location_id    integer,
    event_type_id  integer,
    start_time     timestamptz(3) NOT NULL CHECK (isfinite(start_time)),
    -- Null while it lasts.
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
CREATE INDEX outages_by_time ON outages (project_id, start_time, id);
-- For whoever removes what they name.
CREATE INDEX outages_of_asset ON outages (project_id, asset_id) WHERE asset_id IS NOT NULL;
CREATE INDEX outages_of_location ON outages (project_id, location_id) WHERE location_id IS NOT NULL;
CREATE INDEX outages_of_event_type ON outages (project_id, event_type_id) WHERE event_type_id IS NOT NULL;
