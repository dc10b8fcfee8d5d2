-- Calculation models and their parameters.


CREATE TABLE model_families (
    id               integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id       integer NOT NULL REFERENCES accounts,
    project_id       integer REFERENCES projects,
    active_model_id  integer,
    created_at       timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE model_families IS
    'Models: the versions of a model share a family, whose active version its ledgers run.';

CREATE TABLE models (
    id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    family_id       integer NOT NULL REFERENCES model_families,
    version         integer NOT NULL CHECK (version > 0),
    name            text NOT NULL CHECK (name <> ''),
    version_label   text CHECK (char_length(version_label) BETWEEN 1 AND 255),
    description     text CHECK (char_length(description) <= 500),
    cadence         text NOT NULL,
    partition_type  text NOT NULL,
    sort_order      integer NOT NULL DEFAULT 0,
    document        text NOT NULL,
    sha256          bytea NOT NULL CHECK (octet_length(sha256) = 32),
    created_at      timestamptz(3) NOT NULL DEFAULT now(),
    updated_at      timestamptz(3) NOT NULL DEFAULT now(),
    -- The decimal place at which the model cuts shares; 6 where its document does not state it.
    share_places    smallint NOT NULL DEFAULT 6 CHECK (share_places BETWEEN 0 AND 12),
    UNIQUE (family_id, version),
    UNIQUE (family_id, id)
);
COMMENT ON TABLE models IS 'Versions of models; a version never changes what it computes.';
ALTER TABLE model_families
    ADD FOREIGN KEY (id, active_model_id) REFERENCES models (family_id, id) DEFERRABLE INITIALLY DEFERRED;

CREATE FUNCTION refuse_model_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.family_id, NEW.version, NEW.cadence, NEW.partition_type, NEW.share_places, NEW.document, NEW.sha256)
       IS DISTINCT FROM
       (OLD.family_id, OLD.version, OLD.cadence, OLD.partition_type, OLD.share_places, OLD.document, OLD.sha256)
    THEN
        RAISE EXCEPTION 'what a model version computes never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER models_are_immutable BEFORE UPDATE ON models
    FOR EACH ROW EXECUTE FUNCTION refuse_model_change();

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
    -- A generation asks which values were added after it began.
    added_by        xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (project_id, id),
    CONSTRAINT static_inputs_one_at_a_time UNIQUE NULLS NOT DISTINCT
        (project_id, slug, asset_id, feedstock_id, location_id, effective_from),
    FOREIGN KEY (project_id, asset_id) REFERENCES assets,
    FOREIGN KEY (project_id, feedstock_id) REFERENCES feedstocks,
    FOREIGN KEY (project_id, location_id) REFERENCES locations
);
COMMENT ON TABLE static_inputs IS
    'Parameters with a date from which they apply; a newer value replaces an older one at its date.';
CREATE TRIGGER static_inputs_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON static_inputs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
