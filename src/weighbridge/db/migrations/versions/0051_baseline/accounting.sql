-- Mass-balance accounts: ledgers, batches, the journal entries on them, and the inputs of each batch. Entries are only
-- added. A trigger keeps the balance of each batch, which is never negative.


-- ## Ledgers, and the runs and slots that they are computed for.

CREATE TABLE ledgers (
    project_id          integer NOT NULL REFERENCES projects,
    id                  integer GENERATED ALWAYS AS IDENTITY,
    name                text NOT NULL CHECK (name <> ''),
    unit                text NOT NULL CHECK (unit <> ''),
    scale               smallint NOT NULL DEFAULT 6 CHECK (scale BETWEEN 0 AND 20),
    family_id           integer REFERENCES model_families,
    output              text,
    system_ledger_type  text,
    asset_category      text,
    created_at          timestamptz(3) NOT NULL DEFAULT now(),
    updated_at          timestamptz(3) NOT NULL DEFAULT now(),
    -- How a ledger rounds never changes, since its entries cannot be rounded again.
    rounding            text NOT NULL DEFAULT 'half_even' CHECK (rounding IN ('half_even', 'down')),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, name),
    CHECK (output IS NULL OR family_id IS NOT NULL),
    CONSTRAINT ledgers_system_type CHECK (
        system_ledger_type IN ('renewable_energy_credits', 'renewable_fuel', 'embodied_emissions')),
    CONSTRAINT ledgers_system_without_model CHECK (system_ledger_type IS NULL OR family_id IS NULL)
);
COMMENT ON TABLE ledgers IS 'Mass-balance accounts of a project.';
CREATE UNIQUE INDEX ledgers_output_of_model ON ledgers (project_id, family_id, output) NULLS NOT DISTINCT
    WHERE family_id IS NOT NULL;

CREATE FUNCTION refuse_other_rounding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.rounding IS DISTINCT FROM OLD.rounding THEN
        RAISE EXCEPTION 'how a ledger rounds never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER ledgers_keep_rounding BEFORE UPDATE ON ledgers
    FOR EACH ROW EXECUTE FUNCTION refuse_other_rounding();

CREATE TABLE runs (
    project_id    integer NOT NULL REFERENCES projects,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    family_id     integer NOT NULL REFERENCES model_families,
    start_time    timestamptz(3) NOT NULL,
    end_time      timestamptz(3) NOT NULL,
    tracking_id   text,
    feedstock_id  integer,
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    asset_id      integer,
    -- A slot of cadence event is an event or a tracking id. Its times may be corrected.
    by_event      boolean NOT NULL DEFAULT false,
    event_id      bigint,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, feedstock_id) REFERENCES feedstocks,
    FOREIGN KEY (project_id, asset_id) REFERENCES assets,
    FOREIGN KEY (project_id, event_id) REFERENCES events,
    CONSTRAINT runs_by_event CHECK (
        CASE WHEN by_event THEN num_nonnulls(event_id, tracking_id) >= 1 ELSE event_id IS NULL END),
    CONSTRAINT runs_end_not_before_start CHECK (end_time >= start_time),
    CONSTRAINT runs_slot_and_partition UNIQUE NULLS NOT DISTINCT
        (project_id, family_id, start_time, end_time, tracking_id, feedstock_id, asset_id, event_id, by_event)
);
COMMENT ON TABLE runs IS 'What a batch is computed for: one model, one slot of its cadence and one partition.';
CREATE UNIQUE INDEX runs_of_events ON runs (project_id, family_id, event_id, tracking_id, feedstock_id, asset_id)
    NULLS NOT DISTINCT WHERE by_event;

CREATE TABLE slot_inputs (
    project_id          integer NOT NULL REFERENCES projects,
    family_id           integer NOT NULL REFERENCES model_families,
    start_time          timestamptz(3) NOT NULL,
    end_time            timestamptz(3) NOT NULL,
    -- Of cadence event: the event or the tracking id of the slot.
    event_id            bigint,
    tracking_id         text,
    data_point_type_id  integer NOT NULL,
    is_skipped          boolean NOT NULL DEFAULT false,
    -- The complete set of events for the data point type; null leaves the choice to the nodes.
    event_ids           bigint[],
    FOREIGN KEY (project_id, data_point_type_id) REFERENCES data_point_types,
    UNIQUE NULLS NOT DISTINCT
        (project_id, family_id, start_time, end_time, event_id, tracking_id, data_point_type_id),
    CHECK (is_skipped OR event_ids IS NOT NULL)
);
COMMENT ON TABLE slot_inputs IS
    'Explicit inputs of a slot: events chosen or skipped for a data point type, in force until others replace them.';

CREATE TABLE slot_digests (
    project_id  integer NOT NULL,
    ledger_id   integer NOT NULL,
    start_time  timestamptz(3) NOT NULL,
    end_time    timestamptz(3) NOT NULL,
    digest      bytea NOT NULL CHECK (octet_length(digest) = 32),
    PRIMARY KEY (project_id, ledger_id, start_time, end_time),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers ON DELETE CASCADE
);
COMMENT ON TABLE slot_digests IS
    'The digest of what a slot was last computed from; it only saves work, and removing it loses nothing.';


-- ## Batches and what they were computed from.

CREATE TABLE batches (
    project_id       integer NOT NULL,
    id               bigint GENERATED ALWAYS AS IDENTITY,
    ledger_id        integer NOT NULL,
    run_id           bigint,
    -- The first batch of the run, where this batch posts a difference to it.
    adjusts          bigint,
    model_id         integer REFERENCES models,
    model_sha256     bytea CHECK (octet_length(model_sha256) = 32),
    tracking_id      text NOT NULL CHECK (tracking_id <> ''),
    start_time       timestamptz(3) NOT NULL,
    end_time         timestamptz(3) NOT NULL,
    -- The total of the run with this batch, and what this batch adds to it.
    total            numeric NOT NULL,
    credited         numeric NOT NULL CHECK (credited >= 0),
    balance          numeric NOT NULL DEFAULT 0 CONSTRAINT batches_balance_not_negative CHECK (balance >= 0),
    -- The decimal place at which shared amounts were cut: that of the finest ledger of the model.
    share_scale      smallint,
    -- A digest of everything that the result depends on, whatever the order.
    fingerprint      bytea CHECK (octet_length(fingerprint) = 32),
    async_task_id    integer REFERENCES async_tasks,
    created_at       timestamptz(3) NOT NULL DEFAULT now(),
    updated_at       timestamptz(3) NOT NULL DEFAULT now(),
    deleted_at       timestamptz(3),
    inputs_task_id   integer REFERENCES async_tasks,
    engine_revision  smallint NOT NULL DEFAULT 1 CHECK (engine_revision >= 1),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers,
    FOREIGN KEY (project_id, run_id) REFERENCES runs,
    FOREIGN KEY (project_id, adjusts) REFERENCES batches,
    CONSTRAINT batches_of_a_run_or_an_instrument CHECK (
        num_nulls(run_id, model_id, model_sha256, share_scale, fingerprint, async_task_id) IN (0, 6)),
    CONSTRAINT batches_deleted_hold_nothing CHECK (deleted_at IS NULL OR balance = 0)
);
COMMENT ON TABLE batches IS
    'Batches of ledgers: what a run produced, or an instrument that was entered, with its balance.';
CREATE INDEX batches_of_ledger ON batches (project_id, ledger_id, start_time, id);
CREATE UNIQUE INDEX batches_one_first_per_run ON batches (project_id, ledger_id, run_id)
    WHERE adjusts IS NULL AND deleted_at IS NULL;
CREATE INDEX batches_of_run ON batches (project_id, run_id, id);
-- A generation posts a run once.
CREATE UNIQUE INDEX batches_one_of_each_generation ON batches (project_id, ledger_id, run_id, async_task_id)
    WHERE run_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX batches_of_model ON batches (model_id, start_time, id) WHERE deleted_at IS NULL;
-- A certificate counts once; a deleted one may be entered again.
CREATE UNIQUE INDEX batches_one_of_each_instrument ON batches (project_id, ledger_id, tracking_id)
    WHERE run_id IS NULL AND deleted_at IS NULL;
-- Finds at once whether a project has batches of an older revision of the engine.
CREATE INDEX batches_of_engine_revision ON batches (project_id, engine_revision)
    WHERE deleted_at IS NULL AND run_id IS NOT NULL;
CREATE INDEX batches_of_model_by_number ON batches (model_id, id) WHERE deleted_at IS NULL;
CREATE INDEX batches_of_model_longest ON batches (model_id, (end_time - start_time)) WHERE deleted_at IS NULL;
-- The batches of a project, whatever their ledger. The list of an account is merged from those of its projects.
CREATE INDEX batches_by_time ON batches (project_id, start_time, id) WHERE deleted_at IS NULL;
CREATE INDEX batches_by_creation ON batches (project_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX batches_of_tracking_id ON batches (project_id, tracking_id, start_time, id)
    WHERE deleted_at IS NULL;
CREATE INDEX batches_longest ON batches (project_id, (end_time - start_time)) WHERE deleted_at IS NULL;
CREATE TRIGGER batches_tell_created AFTER INSERT ON batches
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created('batch');

CREATE TABLE instruments (
    project_id       integer NOT NULL,
    batch_id         bigint NOT NULL,
    name             text CHECK (name <> ''),
    geography        text CHECK (geography <> ''),
    generation_tech  text CHECK (generation_tech IN ('wind', 'solar', 'other')),
    issued_on        date,
    purchased_on     date,
    PRIMARY KEY (project_id, batch_id),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches
);
COMMENT ON TABLE instruments IS
    'Details of certificates; the external id is the tracking id of the batch, amount and figures are its outputs.';
CREATE TRIGGER instruments_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON instruments
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Only runs post to ledgers with a model, and only instruments to system ledgers.
CREATE FUNCTION check_batches_of_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE wrong bigint;
BEGIN
    SELECT added.id INTO wrong
      FROM added JOIN ledgers l ON (l.project_id, l.id) = (added.project_id, added.ledger_id)
     WHERE (l.system_ledger_type IS NOT NULL) <> (added.run_id IS NULL) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'batch % is an instrument of a ledger that takes none, or a run''s on a system ledger', wrong
            USING ERRCODE = 'check_violation', CONSTRAINT = 'batches_of_their_ledger';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER batches_check_ledger AFTER INSERT ON batches
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_batches_of_ledger();

CREATE FUNCTION tell_updated_batches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, 'batch', action, range_agg(int8range(id, id, '[]'))
      FROM (SELECT c.project_id, c.id,
                   CASE WHEN c.deleted_at IS NOT NULL AND f.deleted_at IS NULL THEN 'delete'
                        ELSE 'update' END AS action
              FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)) AS moved
     GROUP BY project_id, action;
    RETURN NULL;
END $$;
CREATE TRIGGER batches_tell_updated AFTER UPDATE ON batches
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated_batches();

CREATE TABLE batch_calculations (
    project_id       integer NOT NULL,
    batch_id         bigint NOT NULL,
    position         smallint NOT NULL CHECK (position BETWEEN 1 AND 4095),
    id               bigint GENERATED ALWAYS AS IDENTITY,
    slug             text NOT NULL,
    name             text NOT NULL,
    unit             text NOT NULL,
    value            numeric CHECK (value > '-Infinity' AND value < 'Infinity'),
    -- Of an input that partitions share: the amount of which the value is the part of this batch.
    whole            numeric,
    is_output        boolean NOT NULL,
    is_primary       boolean NOT NULL,
    element_count    integer CHECK (element_count >= 0),
    elements         numeric[] CHECK (cardinality(elements) = element_count),
    elements_sha256  bytea CHECK (octet_length(elements_sha256) = 32),
    -- How much the values of each source contribute to an output, in its unit: captured, manual, adjusted, substituted,
    -- imputed. Null of other nodes and where it is unknown.
    contributions    numeric[]
    CHECK (cardinality(contributions) = 5 AND array_position(contributions, NULL) IS NULL),
    PRIMARY KEY (project_id, batch_id, position),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    CONSTRAINT batch_calculations_number_or_array CHECK (
        (value IS NULL) = (element_count IS NOT NULL)
        AND (elements_sha256 IS NULL) = (element_count IS NULL)
        AND (elements IS NULL OR element_count IS NOT NULL)
        AND NOT (value IS NULL AND is_output))
);
COMMENT ON TABLE batch_calculations IS 'The value of every node of the model in a batch, in the order of the model.';
CREATE UNIQUE INDEX batch_calculations_one_primary ON batch_calculations (project_id, batch_id)
    WHERE is_primary;

CREATE TABLE batch_input_sets (
    project_id     integer NOT NULL,
    batch_id       bigint NOT NULL,
    set_number     smallint NOT NULL,
    event_type_id  integer NOT NULL,
    nodes          text[] NOT NULL CHECK (cardinality(nodes) > 0),
    positions      smallint[] NOT NULL CHECK (cardinality(positions) > 0),
    event_count    bigint NOT NULL CHECK (event_count >= 0),
    PRIMARY KEY (project_id, batch_id, set_number),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types
);
COMMENT ON TABLE batch_input_sets IS
    'Provenance of batches: nodes that read the same events share a set, which names the data points that they '
    'read.';

CREATE TABLE batch_inputs (
    project_id   integer NOT NULL,
    batch_id     bigint NOT NULL,
    set_number   smallint NOT NULL,
    chunk        integer NOT NULL CHECK (chunk >= 0),
    first_event  bigint NOT NULL,
    last_event   bigint NOT NULL,
    event_ids    bigint[] STORAGE EXTERNAL NOT NULL CHECK (cardinality(event_ids) BETWEEN 1 AND 1000),
    PRIMARY KEY (project_id, batch_id, set_number, chunk),
    FOREIGN KEY (project_id, batch_id, set_number) REFERENCES batch_input_sets,
    CHECK (first_event <= last_event)
);
COMMENT ON TABLE batch_inputs IS 'The events of an input set in the order of their times, up to a thousand in a row.';
CREATE INDEX batch_inputs_by_event ON batch_inputs USING gist (int8range(first_event, last_event, '[]'));

CREATE TABLE batch_static_inputs (
    project_id       integer NOT NULL,
    batch_id         bigint NOT NULL,
    node             text NOT NULL,
    static_input_id  integer NOT NULL,
    PRIMARY KEY (project_id, batch_id, node, static_input_id),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, static_input_id) REFERENCES static_inputs
);
COMMENT ON TABLE batch_static_inputs IS 'The parameters that a node of a batch was computed with.';
CREATE INDEX batch_static_inputs_of_value ON batch_static_inputs (project_id, static_input_id);
CREATE TRIGGER batch_static_inputs_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON batch_static_inputs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE batch_skipped_inputs (
    project_id          integer NOT NULL,
    batch_id            bigint NOT NULL,
    node                text NOT NULL,
    data_point_type_id  integer NOT NULL,
    PRIMARY KEY (project_id, batch_id, node),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, data_point_type_id) REFERENCES data_point_types
);
COMMENT ON TABLE batch_skipped_inputs IS 'Inputs that the caller excluded from a batch; zero replaces them.';
CREATE TRIGGER batch_skipped_inputs_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON batch_skipped_inputs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE batch_draws (
    project_id       integer NOT NULL,
    batch_id         bigint NOT NULL,
    node             text NOT NULL,
    place            integer NOT NULL CHECK (place >= 0),
    source_batch_id  bigint NOT NULL,
    -- In the unit of the source ledger.
    amount           numeric NOT NULL CHECK (amount > 0 AND amount < 'Infinity'),
    -- The values of the attributes of the node, in the order of the node, and their units.
    attributes       numeric[] NOT NULL DEFAULT '{}',
    units            text[] NOT NULL DEFAULT '{}',
    -- Contributions to what was withdrawn: five numbers for the amount and five for each attribute. Null where they are
    -- unknown.
    contributions    numeric[]
    CHECK (cardinality(contributions) = 5 * (1 + cardinality(attributes))),
    PRIMARY KEY (project_id, batch_id, node, place),
    CONSTRAINT batch_draws_attributes_have_units CHECK (cardinality(attributes) = cardinality(units)),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, source_batch_id) REFERENCES batches
);
COMMENT ON TABLE batch_draws IS 'Withdrawals of a node from other batches, in the order of the array of the node.';
CREATE INDEX batch_draws_of_source ON batch_draws (project_id, source_batch_id);


-- ## Journal entries and deficits.

CREATE TABLE ledger_entries (
    project_id     integer NOT NULL,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    ledger_id      integer NOT NULL,
    batch_id       bigint NOT NULL,
    kind           text NOT NULL,
    amount         numeric NOT NULL CHECK (amount > '-Infinity' AND amount < 'Infinity'),
    effective_at   timestamptz(3) NOT NULL,
    posted_at      timestamptz(3) NOT NULL DEFAULT now(),
    async_task_id  integer REFERENCES async_tasks,
    -- The batch that posted the entry; of a credit, the batch itself.
    posted_by      bigint,
    -- The run that caused the entry; null of an instrument.
    run_id         bigint,
    -- The node that withdrew.
    node           text,
    -- The entry that this entry undoes.
    reverses       bigint,
    report_id      bigint,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers,
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, posted_by) REFERENCES batches,
    FOREIGN KEY (project_id, run_id) REFERENCES runs,
    FOREIGN KEY (project_id, reverses) REFERENCES ledger_entries,
    CONSTRAINT ledger_entries_undone_once UNIQUE (project_id, reverses),
    CONSTRAINT ledger_entries_drawing_node CHECK ((node IS NOT NULL) = (kind IN ('draw', 'return'))),
    CONSTRAINT ledger_entries_kind CHECK (kind IN
        ('credit', 'fall', 'rise', 'draw', 'return', 'reserve', 'release', 'report', 'restate')),
    CONSTRAINT ledger_entries_sign CHECK (reverses IS NOT NULL OR CASE kind
        WHEN 'credit' THEN amount >= 0 WHEN 'fall' THEN amount < 0 WHEN 'rise' THEN amount > 0
        WHEN 'draw' THEN amount < 0 WHEN 'return' THEN amount > 0
        WHEN 'reserve' THEN amount < 0 WHEN 'release' THEN amount > 0
        WHEN 'report' THEN amount < 0 ELSE amount > 0 END),
    CONSTRAINT ledger_entries_of_reports CHECK (
        CASE WHEN kind IN ('reserve', 'release', 'report', 'restate')
             THEN report_id IS NOT NULL AND num_nonnulls(posted_by, run_id, node, reverses) = 0
             -- An entry of a run that settles a deficit names the report that gave the amount back.
             ELSE posted_by IS NOT NULL AND (report_id IS NULL OR kind IN ('fall', 'rise')) END)
);
COMMENT ON TABLE ledger_entries IS
    'Journal entries on batches; they are only added, and an entry that undoes another names it.';
CREATE INDEX ledger_entries_of_ledger ON ledger_entries (project_id, ledger_id, id);
CREATE INDEX ledger_entries_of_batch ON ledger_entries (project_id, batch_id, id);
CREATE INDEX ledger_entries_of_poster ON ledger_entries (project_id, posted_by, id);
CREATE INDEX ledger_entries_drawn ON ledger_entries (project_id, run_id, node, batch_id) WHERE node IS NOT NULL;
-- What a run has posted for its total, and what its downward adjustments took.
CREATE INDEX ledger_entries_of_run ON ledger_entries (project_id, run_id) WHERE node IS NULL;
CREATE INDEX ledger_entries_by_moment ON ledger_entries (project_id, ledger_id, effective_at);
CREATE INDEX ledger_entries_of_report ON ledger_entries (project_id, report_id, batch_id) WHERE report_id IS NOT NULL;
CREATE TRIGGER ledger_entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION post_entries_to_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE batches SET balance = balance + posted.amount, updated_at = now()
      FROM (SELECT project_id, batch_id, sum(amount) AS amount
              FROM added GROUP BY project_id, batch_id) AS posted
     WHERE batches.project_id = posted.project_id AND batches.id = posted.batch_id;
    RETURN NULL;
END $$;
CREATE TRIGGER ledger_entries_post AFTER INSERT ON ledger_entries
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION post_entries_to_balances();

CREATE TABLE deficits (
    project_id  integer NOT NULL,
    ledger_id   integer NOT NULL,
    run_id      bigint NOT NULL,
    amount      numeric NOT NULL CONSTRAINT deficits_not_negative CHECK (amount >= 0),
    PRIMARY KEY (project_id, ledger_id, run_id),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers,
    FOREIGN KEY (project_id, run_id) REFERENCES runs
);
COMMENT ON TABLE deficits IS 'Open deficits of runs on ledgers, summed from their entries.';

CREATE TABLE deficit_entries (
    project_id     integer NOT NULL,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    ledger_id      integer NOT NULL,
    run_id         bigint NOT NULL,
    posted_by      bigint NOT NULL,
    amount         numeric NOT NULL CHECK (amount <> 0 AND amount > '-Infinity' AND amount < 'Infinity'),
    effective_at   timestamptz(3) NOT NULL,
    posted_at      timestamptz(3) NOT NULL DEFAULT now(),
    async_task_id  integer REFERENCES async_tasks,
    reverses       bigint,
    report_id      bigint,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, reverses),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers,
    FOREIGN KEY (project_id, run_id) REFERENCES runs,
    FOREIGN KEY (project_id, posted_by) REFERENCES batches,
    FOREIGN KEY (project_id, reverses) REFERENCES deficit_entries,
    CONSTRAINT deficit_entries_of_a_task CHECK (
        num_nonnulls(async_task_id, report_id) = 1 OR reverses IS NOT NULL)
);
COMMENT ON TABLE deficit_entries IS
    'What a downward adjustment could not take because it was already withdrawn; amounts opened are positive, '
    'amounts settled negative.';
CREATE INDEX deficit_entries_of_ledger ON deficit_entries (project_id, ledger_id, run_id);
CREATE INDEX deficit_entries_of_poster ON deficit_entries (project_id, posted_by, id);
CREATE TRIGGER deficit_entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON deficit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE FUNCTION post_entries_to_deficits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO deficits AS held (project_id, ledger_id, run_id, amount)
    SELECT project_id, ledger_id, run_id, 0 FROM added GROUP BY project_id, ledger_id, run_id
    ON CONFLICT DO NOTHING;
    UPDATE deficits SET amount = deficits.amount + posted.amount
      FROM (SELECT project_id, ledger_id, run_id, sum(amount) AS amount
              FROM added GROUP BY project_id, ledger_id, run_id) AS posted
     WHERE (deficits.project_id, deficits.ledger_id, deficits.run_id)
         = (posted.project_id, posted.ledger_id, posted.run_id);
    RETURN NULL;
END $$;
CREATE TRIGGER deficit_entries_post AFTER INSERT ON deficit_entries
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION post_entries_to_deficits();

-- An entry belongs to the ledger of its batch, and takes effect at the end of the batch or later. Together with the
-- check on the balance, no balance is negative at any moment.
CREATE FUNCTION check_ledger_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE wrong bigint;
BEGIN
    SELECT added.batch_id INTO wrong
      FROM added JOIN batches b ON (b.project_id, b.id) = (added.project_id, added.batch_id)
     WHERE b.ledger_id <> added.ledger_id OR added.effective_at < b.end_time LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'an entry on batch % is on another ledger, or counts before the batch was made', wrong
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entries_of_their_batch';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER ledger_entries_check AFTER INSERT ON ledger_entries
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_ledger_entries();


-- ## What is out of date.

CREATE TABLE stale_runs (
    project_id  integer NOT NULL,
    run_id      bigint NOT NULL,
    ledger_id   integer NOT NULL,
    reason      text NOT NULL CHECK (reason <> ''),
    record      text NOT NULL CHECK (record <> ''),
    marked_at   timestamptz(3) NOT NULL DEFAULT now(),
    -- Part of the key: a mark made after a generation began is another row than the marks that it settles.
    marked_by   xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (project_id, run_id, ledger_id, reason, record, marked_by),
    FOREIGN KEY (project_id, run_id) REFERENCES runs,
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers
);
COMMENT ON TABLE stale_runs IS
    'Runs whose data changed after their batch was posted: on which ledger, why, and which record changed.';

-- A batch shows whether its run is out of date.
CREATE FUNCTION tell_stale_batches() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT b.project_id, 'batch', 'update', range_agg(int8range(b.id, b.id, '[]'))
      FROM (SELECT DISTINCT project_id, run_id, ledger_id FROM changed) AS c
      JOIN batches b ON (b.project_id, b.run_id, b.ledger_id) = (c.project_id, c.run_id, c.ledger_id)
     WHERE b.deleted_at IS NULL
     GROUP BY b.project_id;
    RETURN NULL;
END $$;
CREATE TRIGGER stale_runs_tell_marked AFTER INSERT ON stale_runs
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_stale_batches();
CREATE TRIGGER stale_runs_tell_cleared AFTER DELETE ON stale_runs
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_stale_batches();

CREATE TABLE generated_slots (
    project_id  integer NOT NULL,
    ledger_id   integer NOT NULL,
    start_time  timestamptz(3) NOT NULL,
    end_time    timestamptz(3) NOT NULL,
    seen_until  timestamptz NOT NULL,
    PRIMARY KEY (project_id, ledger_id, start_time, end_time),
    CONSTRAINT generated_slots_end_not_before_start CHECK (end_time >= start_time),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers ON DELETE CASCADE
);
COMMENT ON TABLE generated_slots IS
    'The moment up to which a slot of a ledger includes the stored data; slots of cadence event are the range that '
    'was asked for.';


-- ## Model runs.

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
    -- A deleted run keeps its row, so that results on it can be explained.
    deleted_at     timestamptz(3),
    PRIMARY KEY (project_id, id),
    CONSTRAINT model_runs_end_after_start CHECK (end_time > start_time),
    CONSTRAINT model_runs_failed_say_why CHECK ((state = 'failed') = (error_message IS NOT NULL))
);
COMMENT ON TABLE model_runs IS
    'Calculations of a model version over chosen data points; the run of a batch is the batch itself and has no row '
    'here.';
CREATE INDEX model_runs_of_model ON model_runs (model_id, start_time, id) WHERE deleted_at IS NULL;
-- Lists of the runs of a version. The longest run bounds how long before its end a run starts.
CREATE INDEX model_runs_by_number ON model_runs (model_id, id) WHERE deleted_at IS NULL;
CREATE INDEX model_runs_of_state ON model_runs (model_id, state, start_time, id) WHERE deleted_at IS NULL;
CREATE INDEX model_runs_longest ON model_runs (model_id, (end_time - start_time)) WHERE deleted_at IS NULL;
CREATE TRIGGER model_runs_stay BEFORE DELETE OR TRUNCATE ON model_runs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

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

CREATE TABLE model_run_inputs (
    project_id    integer NOT NULL,
    model_run_id  bigint NOT NULL,
    event_id      bigint NOT NULL,
    positions     smallint[] NOT NULL CHECK (cardinality(positions) > 0),
    PRIMARY KEY (project_id, model_run_id, event_id),
    FOREIGN KEY (project_id, model_run_id) REFERENCES model_runs,
    FOREIGN KEY (project_id, event_id) REFERENCES events
);
COMMENT ON TABLE model_run_inputs IS 'The data points given to a model run, by event.';
CREATE TRIGGER model_run_inputs_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON model_run_inputs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

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
COMMENT ON TABLE model_run_calculations IS
    'The value of every node of a model run: a number, an array, or null for an optional node without data.';
CREATE TRIGGER model_run_calculations_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON model_run_calculations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
