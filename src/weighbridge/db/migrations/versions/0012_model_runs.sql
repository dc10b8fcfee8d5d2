-- Model runs: a version evaluated over data points that somebody named, with what it came to. The run
-- behind a batch is the batch itself and has no row here.

CREATE TABLE model_runs (
    project_id     integer NOT NULL REFERENCES projects,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    model_id       integer NOT NULL REFERENCES models,
    start_time     timestamptz(3) NOT NULL,
    end_time       timestamptz(3) NOT NULL,
    state          text NOT NULL CHECK (state IN ('complete', 'failed')),
    error_message  text CHECK (error_message <> ''),
    created_at     timestamptz(3) NOT NULL DEFAULT now(),
    updated_at     timestamptz(3) NOT NULL DEFAULT now(),
    -- A deleted run keeps its row: what was found about it stays explained.
    deleted_at     timestamptz(3),
    PRIMARY KEY (project_id, id),
    CONSTRAINT model_runs_end_after_start CHECK (end_time > start_time),
    CONSTRAINT model_runs_failed_say_why CHECK ((state = 'failed') = (error_message IS NOT NULL))
);
CREATE INDEX model_runs_of_model ON model_runs (model_id, start_time, id) WHERE deleted_at IS NULL;
CREATE INDEX batches_of_model ON batches (model_id, start_time, id) WHERE deleted_at IS NULL;

CREATE FUNCTION refuse_model_run_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a model run never changes; it can only be deleted' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER model_runs_are_immutable BEFORE UPDATE ON model_runs FOR EACH ROW
    WHEN (OLD.deleted_at IS NOT NULL OR NEW.deleted_at IS NULL
          OR (NEW.project_id, NEW.id, NEW.model_id, NEW.start_time, NEW.end_time, NEW.state,
              NEW.error_message, NEW.created_at)
             IS DISTINCT FROM
             (OLD.project_id, OLD.id, OLD.model_id, OLD.start_time, OLD.end_time, OLD.state,
              OLD.error_message, OLD.created_at))
    EXECUTE FUNCTION refuse_model_run_change();
CREATE TRIGGER model_runs_stay BEFORE DELETE OR TRUNCATE ON model_runs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The data points that a run was given, by the event that carries them.
CREATE TABLE model_run_inputs (
    project_id    integer NOT NULL,
    model_run_id  bigint NOT NULL,
    event_id      bigint NOT NULL,
    positions     smallint[] NOT NULL CHECK (cardinality(positions) > 0),
    PRIMARY KEY (project_id, model_run_id, event_id),
    FOREIGN KEY (project_id, model_run_id) REFERENCES model_runs,
    FOREIGN KEY (project_id, event_id) REFERENCES events
);
CREATE TRIGGER model_run_inputs_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON model_run_inputs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The value of every node, in the model's order: a number, an array, or nothing for an optional node
-- without data. Ids are told apart from those of batches' calculations.
CREATE TABLE model_run_calculations (
    project_id    integer NOT NULL,
    model_run_id  bigint NOT NULL,
    position      smallint NOT NULL CHECK (position BETWEEN 1 AND 4095),
    id            bigint NOT NULL DEFAULT nextval('batch_calculations_id_seq'),
    slug          text NOT NULL CHECK (slug <> ''),
    name          text NOT NULL CHECK (name <> ''),
    unit          text NOT NULL,
    value         numeric CHECK (value > '-Infinity' AND value < 'Infinity'),
    elements      numeric[] CHECK ('Infinity' > ALL (elements) AND '-Infinity' < ALL (elements)
                                     AND array_position(elements, NULL) IS NULL),
    is_output     boolean NOT NULL,
    PRIMARY KEY (project_id, model_run_id, position),
    UNIQUE (project_id, model_run_id, slug),
    FOREIGN KEY (project_id, model_run_id) REFERENCES model_runs,
    CONSTRAINT model_run_calculations_one_value CHECK (value IS NULL OR elements IS NULL)
);
CREATE TRIGGER model_run_calculations_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON model_run_calculations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
