-- Data rules: what they check, their runs, and what they found.


-- ## Rules.

CREATE TABLE rules (
    project_id      integer NOT NULL REFERENCES projects,
    id              integer GENERATED ALWAYS AS IDENTITY,
    name            text NOT NULL CHECK (name <> ''),
    message         text CHECK (message <> ''),
    evaluation      text NOT NULL CHECK (evaluation IN ('automatic', 'on_demand')),
    effective_from  timestamptz(3) NOT NULL,
    effective_to    timestamptz(3) CHECK (effective_to > effective_from),
    latest_version  integer NOT NULL CHECK (latest_version > 0),
    created_at      timestamptz(3) NOT NULL DEFAULT now(),
    updated_at      timestamptz(3) NOT NULL DEFAULT now(),
    -- The alerts of a deleted rule go with it, and its corrections remain.
    deleted_at      timestamptz(3),
    PRIMARY KEY (project_id, id)
);
COMMENT ON TABLE rules IS 'Data rules, with what may change without changing the meaning of a result.';
CREATE UNIQUE INDEX rules_name ON rules (project_id, name) WHERE deleted_at IS NULL;

CREATE TABLE rule_versions (
    project_id           integer NOT NULL,
    rule_id              integer NOT NULL,
    version              integer NOT NULL CHECK (version > 0),
    target               text NOT NULL CHECK (target IN ('data_point', 'model_run')),
    expression           text NOT NULL CHECK (expression <> ''),
    -- The slug of the data point that a result names.
    data_point           text CHECK (data_point <> ''),
    -- Null watches every event that has what the expression reads.
    event_type_id        integer,
    family_id            integer REFERENCES model_families,
    -- "window" is a word of SQL.
    rule_window          jsonb CHECK (jsonb_typeof(rule_window) = 'object'),
    window_member_scope  text NOT NULL
                         CHECK (window_member_scope IN ('event', 'location', 'event_type', 'project')),
    purpose              text NOT NULL CHECK (purpose IN ('alert', 'adjust', 'substitute', 'impute')),
    correction           jsonb CHECK (jsonb_typeof(correction) = 'object'),
    -- The smaller number takes precedence.
    priority             integer NOT NULL CHECK (priority > 0),
    requires_approval    boolean NOT NULL,
    -- The user who saved the version and is responsible for its corrections.
    user_id              integer NOT NULL REFERENCES users,
    created_at           timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, rule_id, version),
    FOREIGN KEY (project_id, rule_id) REFERENCES rules,
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types,
    CONSTRAINT rule_versions_data_point_or_model_run CHECK (CASE target
        WHEN 'data_point' THEN data_point IS NOT NULL AND family_id IS NULL
        ELSE num_nonnulls(data_point, event_type_id) = 0 END),
    CONSTRAINT rule_versions_correct_data_points CHECK (purpose = 'alert' OR target = 'data_point'),
    CONSTRAINT rule_versions_corrections_say_how CHECK ((purpose = 'alert') = (correction IS NULL)),
    CONSTRAINT rule_versions_approve_corrections CHECK (NOT requires_approval OR purpose <> 'alert')
);
COMMENT ON TABLE rule_versions IS
    'Versions of rules; a version never changes, so that a result always names exactly what was checked.';
ALTER TABLE rules ADD FOREIGN KEY (project_id, id, latest_version) REFERENCES rule_versions
    DEFERRABLE INITIALLY DEFERRED;
CREATE INDEX rule_versions_of_event_type ON rule_versions (project_id, event_type_id)
    WHERE event_type_id IS NOT NULL;
CREATE TRIGGER rule_versions_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON rule_versions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE rule_runs (
    id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id     integer NOT NULL,
    rule_id        integer NOT NULL,
    rule_version   integer NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('automatic', 'backfill', 're_evaluation')),
    -- Null means no bound on that side.
    start_time     timestamptz(3),
    end_time       timestamptz(3),
    state          text NOT NULL DEFAULT 'pending'
                   CHECK (state IN ('pending', 'running', 'complete', 'failed', 'reversed')),
    evaluated      bigint NOT NULL DEFAULT 0 CHECK (evaluated >= 0),
    alerts         bigint NOT NULL DEFAULT 0 CHECK (alerts >= 0),
    corrections    bigint NOT NULL DEFAULT 0 CHECK (corrections >= 0),
    withdrawn      bigint NOT NULL DEFAULT 0 CHECK (withdrawn >= 0),
    proposals      bigint NOT NULL DEFAULT 0 CHECK (proposals >= 0),
    created_at     timestamptz(3) NOT NULL DEFAULT now(),
    started_at     timestamptz(3),
    finished_at    timestamptz(3),
    reversed_at    timestamptz(3),
    error_message  text,
    async_task_id  integer REFERENCES async_tasks,
    UNIQUE (project_id, id),
    FOREIGN KEY (project_id, rule_id, rule_version) REFERENCES rule_versions,
    CHECK (end_time > start_time),
    CHECK (state = 'pending' OR started_at IS NOT NULL),
    CHECK ((state IN ('pending', 'running')) = (finished_at IS NULL)),
    CHECK ((state = 'failed') = (error_message IS NOT NULL)),
    CHECK ((state = 'reversed') = (reversed_at IS NOT NULL))
);
COMMENT ON TABLE rule_runs IS 'Evaluations of a rule version over a period, with counts of what was found.';
CREATE INDEX rule_runs_of_rule ON rule_runs (project_id, rule_id, id);
CREATE UNIQUE INDEX rule_runs_of_task ON rule_runs (async_task_id) WHERE async_task_id IS NOT NULL;
-- Automatic runs come with every change, so failed runs are found by their state.
CREATE INDEX rule_runs_of_state ON rule_runs (project_id, rule_id, state, id);
CREATE INDEX rule_runs_of_kind ON rule_runs (project_id, rule_id, kind, id);

-- A run fails with its task, whatever made the task fail.
CREATE FUNCTION fail_rule_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE rule_runs
       SET state = 'failed', error_message = NEW.error_message, finished_at = NEW.finished_at,
           started_at = coalesce(started_at, NEW.started_at)
     WHERE async_task_id = NEW.id AND state IN ('pending', 'running');
    RETURN NULL;
END $$;
CREATE TRIGGER async_tasks_fail_rule_runs AFTER UPDATE OF state ON async_tasks FOR EACH ROW
    WHEN (NEW.state = 'failed') EXECUTE FUNCTION fail_rule_run();

-- A run has the state of the task that executes it.
CREATE FUNCTION move_rule_run_of_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE rule_runs
       SET state = NEW.state, started_at = NEW.started_at, finished_at = NEW.finished_at,
           error_message = NEW.error_message
     WHERE async_task_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER async_tasks_move_rule_runs AFTER UPDATE OF state ON async_tasks
    FOR EACH ROW WHEN (NEW.type = 'rule_run') EXECUTE FUNCTION move_rule_run_of_task();


-- ## Results.

-- Results of both kinds have distinct ids in one order.
CREATE SEQUENCE rule_result_keys AS bigint;

CREATE TABLE data_point_results (
    project_id             integer NOT NULL,
    id                     bigint NOT NULL DEFAULT nextval('rule_result_keys'),
    rule_id                integer NOT NULL,
    rule_version           integer NOT NULL,
    rule_run_id            integer,
    event_id               bigint,
    position               smallint NOT NULL CHECK (position BETWEEN 1 AND 4095),
    status                 text NOT NULL CHECK (status IN ('fail', 'pass', 'dismissed', 'error')),
    entered_value          text,
    -- Why the record could not be evaluated.
    error_message          text CHECK (error_message <> ''),
    evaluated_at           timestamptz(3) NOT NULL,
    closed_at              timestamptz(3),
    dismissed_at           timestamptz(3),
    dismissed_by           integer REFERENCES users,
    dismissal_reason       text CHECK (dismissal_reason <> ''),
    approval_state         text CHECK (approval_state IN ('pending', 'approved', 'rejected', 'withdrawn',
                                                     'superseded')),
    proposed_correction    jsonb CHECK (jsonb_typeof(proposed_correction) = 'object'),
    approved_at            timestamptz(3),
    approved_by            integer REFERENCES users,
    rejected_at            timestamptz(3),
    rejected_by            integer REFERENCES users,
    rejection_reason       text CHECK (rejection_reason <> ''),
    created_at             timestamptz(3) NOT NULL DEFAULT now(),
    -- The version of the rule that has evaluated the record since.
    superseded_by_version  integer,
    event_type_id          integer,
    asset_id               integer,
    location_id            integer,
    slot_start             timestamptz(3),
    slot_end               timestamptz(3),
    -- The end and the tags of the proposed event: end_time, tracking_id, feedstock_id, location_ids.
    proposed_event         jsonb CHECK (jsonb_typeof(proposed_event) = 'object'),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, rule_id, rule_version) REFERENCES rule_versions,
    FOREIGN KEY (project_id, rule_run_id) REFERENCES rule_runs (project_id, id),
    FOREIGN KEY (project_id, event_id) REFERENCES events,
    CONSTRAINT data_point_results_dismissed CHECK (
        num_nonnulls(dismissed_at, dismissed_by, dismissal_reason)
            = CASE status WHEN 'dismissed' THEN 3 ELSE 0 END),
    CONSTRAINT data_point_results_closed CHECK (CASE status
        WHEN 'pass' THEN closed_at IS NOT NULL WHEN 'dismissed' THEN true ELSE closed_at IS NULL END),
    CONSTRAINT data_point_results_error CHECK (CASE status
        WHEN 'error' THEN error_message IS NOT NULL WHEN 'dismissed' THEN true ELSE error_message IS NULL END),
    CONSTRAINT data_point_results_proposed CHECK ((approval_state IS NULL) = (proposed_correction IS NULL)),
    CONSTRAINT data_point_results_pending_fail CHECK (approval_state <> 'pending' OR status = 'fail'),
    CONSTRAINT data_point_results_rejected CHECK (
        num_nonnulls(rejected_at, rejected_by, rejection_reason)
            = CASE approval_state WHEN 'rejected' THEN 3 ELSE 0 END),
    CONSTRAINT data_point_results_approved CHECK (CASE
        WHEN approval_state = 'approved' THEN num_nonnulls(approved_at, approved_by) = 2
        WHEN approval_state = 'withdrawn' THEN num_nonnulls(approved_at, approved_by) IN (0, 2)
        ELSE num_nonnulls(approved_at, approved_by) = 0 END),
    CONSTRAINT data_point_results_superseded CHECK (
        superseded_by_version IS NULL OR superseded_by_version > rule_version AND closed_at IS NOT NULL),
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types,
    CONSTRAINT data_point_results_slot CHECK (
        num_nonnulls(event_type_id, asset_id, location_id, slot_start, slot_end) IN (0, 5)
        AND slot_end > slot_start),
    CONSTRAINT data_point_results_of_event_or_slot CHECK (num_nonnulls(event_id, slot_start) > 0),
    CONSTRAINT data_point_results_proposed_event CHECK (
        (proposed_event IS NULL) = (slot_start IS NULL OR approval_state IS NULL)),
    CONSTRAINT data_point_results_approved_event CHECK (approval_state <> 'approved' OR event_id IS NOT NULL)
);
COMMENT ON TABLE data_point_results IS
    'Results of rules on data points, open until the record passes or fails again after a dismissal; a closed '
    'result never changes.';
CREATE UNIQUE INDEX data_point_results_one_open
    ON data_point_results (project_id, event_id, position, rule_id, rule_version) WHERE closed_at IS NULL;
CREATE INDEX data_point_results_of_rule ON data_point_results (project_id, rule_id, id);
CREATE INDEX data_point_results_alerts ON data_point_results (project_id, id)
    WHERE status IN ('fail', 'error');
CREATE INDEX data_point_results_pending ON data_point_results (project_id, rule_id, id)
    WHERE approval_state = 'pending';
-- An evaluation asks which approvals have lost their correction.
CREATE INDEX data_point_results_approved_ones ON data_point_results (project_id, rule_id, event_id)
    WHERE approval_state = 'approved';
-- What a rule found, by each filter. The list of a project is merged from those of its rules.
CREATE INDEX data_point_results_of_status ON data_point_results (project_id, rule_id, status, id);
CREATE INDEX data_point_results_of_version ON data_point_results (project_id, rule_id, rule_version, id);
CREATE INDEX data_point_results_of_approval ON data_point_results (project_id, rule_id, approval_state, id)
    WHERE approval_state IS NOT NULL;
CREATE INDEX data_point_results_by_evaluation ON data_point_results (project_id, rule_id, evaluated_at, id);
CREATE INDEX data_point_results_by_creation ON data_point_results (project_id, rule_id, created_at, id);
CREATE UNIQUE INDEX data_point_results_one_open_of_slot
    ON data_point_results (project_id, event_type_id, asset_id, location_id, slot_start, slot_end, position,
                           rule_id, rule_version)
    WHERE closed_at IS NULL AND slot_start IS NOT NULL;
CREATE INDEX data_point_results_pending_slots
    ON data_point_results (project_id, event_type_id, asset_id, location_id, slot_start)
    WHERE approval_state = 'pending' AND slot_start IS NOT NULL;
CREATE TRIGGER data_point_results_stay BEFORE DELETE OR TRUNCATE ON data_point_results
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER data_point_results_tell_created AFTER INSERT ON data_point_results
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created('data_point_result');
CREATE TRIGGER data_point_results_tell_updated AFTER UPDATE ON data_point_results
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated('data_point_result');

-- What a result proposes: the value in force, the new value and, where it fills a gap, how it was found.
CREATE FUNCTION proposed_correction(from_value jsonb, to_value jsonb, substitution jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE BEGIN ATOMIC
    SELECT jsonb_build_object('from_value', from_value, 'to_value', to_value)
        || CASE WHEN substitution IS NULL THEN '{}' ELSE jsonb_build_object('substitution', substitution) END;
END;

CREATE TABLE model_run_results (
    project_id             integer NOT NULL,
    id                     bigint NOT NULL DEFAULT nextval('rule_result_keys'),
    rule_id                integer NOT NULL,
    rule_version           integer NOT NULL,
    rule_run_id            integer,
    batch_id               bigint,
    model_run_id           bigint,
    node_ids               text[] NOT NULL DEFAULT '{}',
    status                 text NOT NULL CHECK (status IN ('fail', 'pass', 'dismissed', 'error')),
    checked_value          text,
    error_message          text CHECK (error_message <> ''),
    evaluated_at           timestamptz(3) NOT NULL,
    closed_at              timestamptz(3),
    dismissed_at           timestamptz(3),
    dismissed_by           integer REFERENCES users,
    dismissal_reason       text CHECK (dismissal_reason <> ''),
    created_at             timestamptz(3) NOT NULL DEFAULT now(),
    superseded_by_version  integer,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, rule_id, rule_version) REFERENCES rule_versions,
    FOREIGN KEY (project_id, rule_run_id) REFERENCES rule_runs (project_id, id),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, model_run_id) REFERENCES model_runs,
    CONSTRAINT model_run_results_one_owner CHECK (num_nonnulls(batch_id, model_run_id) = 1),
    CONSTRAINT model_run_results_dismissed CHECK (
        num_nonnulls(dismissed_at, dismissed_by, dismissal_reason)
            = CASE status WHEN 'dismissed' THEN 3 ELSE 0 END),
    CONSTRAINT model_run_results_closed CHECK (CASE status
        WHEN 'pass' THEN closed_at IS NOT NULL WHEN 'dismissed' THEN true ELSE closed_at IS NULL END),
    CONSTRAINT model_run_results_error CHECK (CASE status
        WHEN 'error' THEN error_message IS NOT NULL WHEN 'dismissed' THEN true ELSE error_message IS NULL END),
    CONSTRAINT model_run_results_superseded CHECK (
        superseded_by_version IS NULL OR superseded_by_version > rule_version AND closed_at IS NOT NULL)
);
COMMENT ON TABLE model_run_results IS
    'Results of rules on model runs: on the run of a batch, or on a model run of its own.';
CREATE UNIQUE INDEX model_run_results_one_open
    ON model_run_results (project_id, batch_id, model_run_id, rule_id, rule_version) NULLS NOT DISTINCT
    WHERE closed_at IS NULL;
CREATE INDEX model_run_results_of_rule ON model_run_results (project_id, rule_id, id);
CREATE INDEX model_run_results_alerts ON model_run_results (project_id, id) WHERE status IN ('fail', 'error');
CREATE INDEX model_run_results_of_status ON model_run_results (project_id, rule_id, status, id);
CREATE INDEX model_run_results_of_version ON model_run_results (project_id, rule_id, rule_version, id);
CREATE INDEX model_run_results_by_evaluation ON model_run_results (project_id, rule_id, evaluated_at, id);
CREATE INDEX model_run_results_by_creation ON model_run_results (project_id, rule_id, created_at, id);
CREATE TRIGGER model_run_results_stay BEFORE DELETE OR TRUNCATE ON model_run_results
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER model_run_results_tell_created AFTER INSERT ON model_run_results
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created('model_run_result');
CREATE TRIGGER model_run_results_tell_updated AFTER UPDATE ON model_run_results
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated('model_run_result');

CREATE FUNCTION refuse_reopening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a rule result that is closed stays as it is; a later failure is another result'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER data_point_results_stay_closed BEFORE UPDATE ON data_point_results FOR EACH ROW
    WHEN (OLD.closed_at IS NOT NULL AND (NEW.status, NEW.closed_at) IS DISTINCT FROM (OLD.status, OLD.closed_at))
    EXECUTE FUNCTION refuse_reopening();
CREATE TRIGGER model_run_results_stay_closed BEFORE UPDATE ON model_run_results FOR EACH ROW
    WHEN (OLD.closed_at IS NOT NULL AND (NEW.status, NEW.closed_at) IS DISTINCT FROM (OLD.status, OLD.closed_at))
    EXECUTE FUNCTION refuse_reopening();


-- ## Changes that automatic rules have to evaluate.

-- The lock that writers of events share while they ask whether the project has automatic rules.
CREATE FUNCTION rule_marks_lock(project integer) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN hashtextextended('rule marks:' || project, 0);

CREATE TABLE rule_dirty_ranges (
    project_id     integer NOT NULL REFERENCES projects,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    event_type_id  integer,
    start_time     timestamptz(3),
    end_time       timestamptz(3) CHECK (end_time >= start_time),
    batch_id       bigint,
    model_run_id   bigint,
    marked_at      timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types,
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, model_run_id) REFERENCES model_runs,
    CONSTRAINT rule_dirty_ranges_one_kind CHECK (num_nonnulls(event_type_id, batch_id, model_run_id) = 1),
    CONSTRAINT rule_dirty_ranges_period CHECK (
        num_nonnulls(event_type_id, start_time, end_time) = CASE WHEN event_type_id IS NULL THEN 0 ELSE 3 END)
);
COMMENT ON TABLE rule_dirty_ranges IS
    'Changes that automatic rules have not evaluated yet: a period of an event type, a batch or a model run.';
