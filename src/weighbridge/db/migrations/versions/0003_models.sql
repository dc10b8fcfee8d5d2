-- Calculation models. A row of models is one version and never changes what it computes; versions of
-- one model share a family, whose active version is what its ledgers run.

CREATE TABLE model_families (
    id               integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id       integer NOT NULL REFERENCES accounts,
    project_id       integer REFERENCES projects,
    active_model_id  integer,
    created_at       timestamptz(3) NOT NULL DEFAULT now()
);

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
    UNIQUE (family_id, version),
    UNIQUE (family_id, id)
);

ALTER TABLE model_families
    ADD FOREIGN KEY (id, active_model_id) REFERENCES models (family_id, id) DEFERRABLE INITIALLY DEFERRED;

CREATE FUNCTION refuse_model_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.family_id, NEW.version, NEW.cadence, NEW.partition_type, NEW.document, NEW.sha256)
       IS DISTINCT FROM
       (OLD.family_id, OLD.version, OLD.cadence, OLD.partition_type, OLD.document, OLD.sha256) THEN
        RAISE EXCEPTION 'what a model version computes never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER models_are_immutable BEFORE UPDATE ON models
    FOR EACH ROW EXECUTE FUNCTION refuse_model_change();
