-- Mass-balance accounts. Entries are only ever added; a batch's balance is kept beside them by a
-- trigger and can never be negative.

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
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, name),
    CHECK (output IS NULL OR family_id IS NOT NULL)
);
CREATE UNIQUE INDEX ledgers_output_of_model ON ledgers (project_id, family_id, output) NULLS NOT DISTINCT
    WHERE family_id IS NOT NULL;

-- One model, one slot of its cadence, one partition.
CREATE TABLE runs (
    project_id    integer NOT NULL REFERENCES projects,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    family_id     integer NOT NULL REFERENCES model_families,
    start_time    timestamptz(3) NOT NULL,
    end_time      timestamptz(3) NOT NULL CHECK (end_time > start_time),
    tracking_id   text,
    feedstock_id  integer,
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    UNIQUE NULLS NOT DISTINCT (project_id, family_id, start_time, end_time, tracking_id, feedstock_id),
    FOREIGN KEY (project_id, feedstock_id) REFERENCES feedstocks
);

CREATE TABLE batches (
    project_id     integer NOT NULL,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    ledger_id      integer NOT NULL,
    run_id         bigint NOT NULL,
    -- The first batch of the run, when this one posts a difference to it.
    adjusts        bigint,
    model_id       integer NOT NULL REFERENCES models,
    model_sha256   bytea NOT NULL CHECK (octet_length(model_sha256) = 32),
    tracking_id    text NOT NULL CHECK (tracking_id <> ''),
    start_time     timestamptz(3) NOT NULL,
    end_time       timestamptz(3) NOT NULL,
    state          text NOT NULL DEFAULT 'complete' CHECK (state IN ('processing', 'complete')),
    error_message  text,
    -- What the whole run comes to with this batch, and what this batch adds to it.
    total          numeric NOT NULL,
    credited       numeric NOT NULL CHECK (credited >= 0),
    balance        numeric NOT NULL DEFAULT 0 CONSTRAINT batches_balance_not_negative CHECK (balance >= 0),
    -- Decimals at which shared amounts were cut: those of the finest ledger of the model.
    share_scale    smallint NOT NULL,
    -- Order-free digest of everything that the result depends on.
    fingerprint    bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    async_task_id  integer NOT NULL REFERENCES async_tasks,
    created_at     timestamptz(3) NOT NULL DEFAULT now(),
    updated_at     timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers,
    FOREIGN KEY (project_id, run_id) REFERENCES runs,
    FOREIGN KEY (project_id, adjusts) REFERENCES batches
);
CREATE INDEX batches_of_ledger ON batches (project_id, ledger_id, start_time, id);
CREATE UNIQUE INDEX batches_one_first_per_run ON batches (project_id, ledger_id, run_id) WHERE adjusts IS NULL;
CREATE INDEX batches_of_run ON batches (project_id, run_id, id);

-- The value of every node of the model in this batch, in the model's order.
CREATE TABLE batch_calculations (
    project_id  integer NOT NULL,
    batch_id    bigint NOT NULL,
    position    smallint NOT NULL CHECK (position BETWEEN 1 AND 4095),
    id          bigint GENERATED ALWAYS AS IDENTITY,
    slug        text NOT NULL,
    name        text NOT NULL,
    unit        text NOT NULL,
    value       numeric NOT NULL CHECK (value > '-Infinity' AND value < 'Infinity'),
    -- Of an input that was shared over partitions: the amount of which value is this batch's part.
    whole       numeric,
    is_output   boolean NOT NULL,
    is_primary  boolean NOT NULL,
    PRIMARY KEY (project_id, batch_id, position),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches
);
CREATE UNIQUE INDEX batch_calculations_one_primary ON batch_calculations (project_id, batch_id)
    WHERE is_primary;

-- Lineage. Nodes that read the same events stand in one set: which data points of those events they
-- read, and the events in time order, a thousand to a row.
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

CREATE TABLE batch_inputs (
    project_id   integer NOT NULL,
    batch_id     bigint NOT NULL,
    set_number   smallint NOT NULL,
    chunk        integer NOT NULL CHECK (chunk >= 0),
    first_event  bigint NOT NULL,
    last_event   bigint NOT NULL,
    event_ids    bigint[] NOT NULL CHECK (cardinality(event_ids) BETWEEN 1 AND 1000),
    PRIMARY KEY (project_id, batch_id, set_number, chunk),
    FOREIGN KEY (project_id, batch_id, set_number) REFERENCES batch_input_sets,
    CHECK (first_event <= last_event)
);
-- Pressing a thousand ids to half their size takes longer than all else that is done to store them.
ALTER TABLE batch_inputs ALTER event_ids SET STORAGE EXTERNAL;
CREATE INDEX batch_inputs_by_event ON batch_inputs USING gist (int8range(first_event, last_event, '[]'));

CREATE TABLE ledger_entries (
    project_id     integer NOT NULL,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    ledger_id      integer NOT NULL,
    batch_id       bigint NOT NULL,
    kind           text NOT NULL,
    amount         numeric NOT NULL CHECK (amount > '-Infinity' AND amount < 'Infinity'),
    effective_at   timestamptz(3) NOT NULL,
    posted_at      timestamptz(3) NOT NULL DEFAULT now(),
    async_task_id  integer NOT NULL REFERENCES async_tasks,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers,
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    CHECK (CASE kind WHEN 'credit' THEN amount >= 0 WHEN 'fall' THEN amount < 0 ELSE false END)
);
CREATE INDEX ledger_entries_of_ledger ON ledger_entries (project_id, ledger_id, id);
CREATE INDEX ledger_entries_of_batch ON ledger_entries (project_id, batch_id, id);

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
