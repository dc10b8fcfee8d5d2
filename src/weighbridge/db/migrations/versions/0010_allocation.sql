-- Draws, falls and deficits; deletion; instruments; what stays with a slot.
--
-- Every entry names the batch that posted it, so that deleting a batch undoes all that it posted. An
-- entry that undoes another is of the same kind with the opposite amount and names it: sums by kind need
-- no exceptions.

-- A slot of cadence event is its event or tracking id, whatever its times are, which may be corrected.
ALTER TABLE runs
    ADD COLUMN by_event boolean NOT NULL DEFAULT false,
    ADD COLUMN event_id bigint,
    ADD FOREIGN KEY (project_id, event_id) REFERENCES events,
    ADD CONSTRAINT runs_by_event CHECK (
        CASE WHEN by_event THEN num_nonnulls(event_id, tracking_id) >= 1 ELSE event_id IS NULL END),
    DROP CONSTRAINT runs_check,
    ADD CONSTRAINT runs_end_not_before_start CHECK (end_time >= start_time),
    DROP CONSTRAINT runs_slot_and_partition,
    ADD CONSTRAINT runs_slot_and_partition UNIQUE NULLS NOT DISTINCT
        (project_id, family_id, start_time, end_time, tracking_id, feedstock_id, asset_id, event_id, by_event);
CREATE UNIQUE INDEX runs_of_events ON runs (project_id, family_id, event_id, tracking_id, feedstock_id, asset_id)
    NULLS NOT DISTINCT WHERE by_event;

-- What a run does not make, an instrument of a system ledger, is a batch without a run and a model.
ALTER TABLE batches
    ALTER COLUMN run_id DROP NOT NULL,
    ALTER COLUMN model_id DROP NOT NULL,
    ALTER COLUMN model_sha256 DROP NOT NULL,
    ALTER COLUMN share_scale DROP NOT NULL,
    ALTER COLUMN fingerprint DROP NOT NULL,
    ALTER COLUMN async_task_id DROP NOT NULL,
    ADD COLUMN deleted_at timestamptz(3),
    ADD CONSTRAINT batches_of_a_run_or_an_instrument CHECK (
        num_nulls(run_id, model_id, model_sha256, share_scale, fingerprint, async_task_id) IN (0, 6)),
    ADD CONSTRAINT batches_deleted_hold_nothing CHECK (deleted_at IS NULL OR balance = 0);
DROP INDEX batches_one_first_per_run;
CREATE UNIQUE INDEX batches_one_first_per_run ON batches (project_id, ledger_id, run_id)
    WHERE adjusts IS NULL AND deleted_at IS NULL;
-- What a run comes to anew is posted once in a generation.
CREATE UNIQUE INDEX batches_one_of_each_generation ON batches (project_id, ledger_id, run_id, async_task_id)
    WHERE run_id IS NOT NULL AND deleted_at IS NULL;

ALTER TABLE ledger_entries
    ALTER COLUMN async_task_id DROP NOT NULL,
    -- The batch that posted it; of a credit, the batch itself.
    ADD COLUMN posted_by bigint,
    -- Whose doing it is: the run that made, fell or drew; none for an instrument.
    ADD COLUMN run_id bigint,
    -- The node that drew.
    ADD COLUMN node text,
    -- The entry that this one undoes.
    ADD COLUMN reverses bigint,
    DROP CONSTRAINT ledger_entries_check;
ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_stay;
-- Falls until now were posted by the newest batch of the task that belongs to the same run.
UPDATE ledger_entries e
   SET run_id = own.run_id,
       posted_by = CASE e.kind WHEN 'credit' THEN e.batch_id ELSE (
           SELECT b.id FROM batches b
            WHERE b.project_id = e.project_id AND b.ledger_id = e.ledger_id AND b.run_id = own.run_id
              AND b.async_task_id = e.async_task_id) END
  FROM batches own WHERE (own.project_id, own.id) = (e.project_id, e.batch_id);
ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_stay;
ALTER TABLE ledger_entries
    ALTER COLUMN posted_by SET NOT NULL,
    ADD FOREIGN KEY (project_id, posted_by) REFERENCES batches,
    ADD FOREIGN KEY (project_id, run_id) REFERENCES runs,
    ADD FOREIGN KEY (project_id, reverses) REFERENCES ledger_entries,
    ADD CONSTRAINT ledger_entries_undone_once UNIQUE (project_id, reverses),
    ADD CONSTRAINT ledger_entries_kind CHECK (kind IN ('credit', 'fall', 'rise', 'draw', 'return')),
    ADD CONSTRAINT ledger_entries_sign CHECK (reverses IS NOT NULL OR CASE kind
        WHEN 'credit' THEN amount >= 0 WHEN 'fall' THEN amount < 0 WHEN 'rise' THEN amount > 0
        WHEN 'draw' THEN amount < 0 ELSE amount > 0 END),
    ADD CONSTRAINT ledger_entries_drawing_node CHECK ((node IS NOT NULL) = (kind IN ('draw', 'return')));
CREATE INDEX ledger_entries_of_poster ON ledger_entries (project_id, posted_by, id);
CREATE INDEX ledger_entries_drawn ON ledger_entries (project_id, run_id, node, batch_id) WHERE node IS NOT NULL;
-- What a run has posted for its total, and what its falls took.
CREATE INDEX ledger_entries_of_run ON ledger_entries (project_id, run_id) WHERE node IS NULL;

-- What a run's falls could not take because it was drawn already. Opened amounts are positive, settled
-- ones negative; the sum stands beside, by run, and is never negative.
CREATE TABLE deficit_entries (
    project_id     integer NOT NULL,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    ledger_id      integer NOT NULL,
    run_id         bigint NOT NULL,
    posted_by      bigint NOT NULL,
    amount         numeric NOT NULL CHECK (amount <> 0 AND amount > '-Infinity' AND amount < 'Infinity'),
    effective_at   timestamptz(3) NOT NULL,
    posted_at      timestamptz(3) NOT NULL DEFAULT now(),
    async_task_id  integer NOT NULL REFERENCES async_tasks,
    reverses       bigint,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, reverses),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers,
    FOREIGN KEY (project_id, run_id) REFERENCES runs,
    FOREIGN KEY (project_id, posted_by) REFERENCES batches,
    FOREIGN KEY (project_id, reverses) REFERENCES deficit_entries
);
CREATE INDEX deficit_entries_of_ledger ON deficit_entries (project_id, ledger_id, run_id);
CREATE INDEX deficit_entries_of_poster ON deficit_entries (project_id, posted_by, id);
CREATE TRIGGER deficit_entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON deficit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE deficits (
    project_id  integer NOT NULL,
    ledger_id   integer NOT NULL,
    run_id      bigint NOT NULL,
    amount      numeric NOT NULL CONSTRAINT deficits_not_negative CHECK (amount >= 0),
    PRIMARY KEY (project_id, ledger_id, run_id),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers,
    FOREIGN KEY (project_id, run_id) REFERENCES runs
);
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

-- An entry belongs to the ledger of its batch, and what takes from a batch never counts before the
-- batch was made: with the check on the balance, no balance is negative at any moment.
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

-- The draws of a node as the batch's values were computed from them, in the order of the node's array.
CREATE TABLE batch_draws (
    project_id       integer NOT NULL,
    batch_id         bigint NOT NULL,
    node             text NOT NULL,
    place            integer NOT NULL CHECK (place >= 0),
    source_batch_id  bigint NOT NULL,
    -- In the source ledger's unit.
    amount           numeric NOT NULL CHECK (amount > 0 AND amount < 'Infinity'),
    -- Values of the node's attributes, in the order in which the node lists them, and their units.
    attributes       numeric[] NOT NULL DEFAULT '{}',
    units            text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (project_id, batch_id, node, place),
    CONSTRAINT batch_draws_attributes_have_units CHECK (cardinality(attributes) = cardinality(units)),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, source_batch_id) REFERENCES batches
);
CREATE INDEX batch_draws_of_source ON batch_draws (project_id, source_batch_id);

-- Explicit sets and skips stay with their slot until others replace them.
CREATE TABLE slot_inputs (
    project_id          integer NOT NULL REFERENCES projects,
    family_id           integer NOT NULL REFERENCES model_families,
    start_time          timestamptz(3) NOT NULL,
    end_time            timestamptz(3) NOT NULL,
    -- Of cadence event: the event or the tracking id that the slot is.
    event_id            bigint,
    tracking_id         text,
    data_point_type_id  integer NOT NULL,
    is_skipped          boolean NOT NULL DEFAULT false,
    -- The complete set of events for the data point type; null leaves the nodes to discover.
    event_ids           bigint[],
    FOREIGN KEY (project_id, data_point_type_id) REFERENCES data_point_types,
    UNIQUE NULLS NOT DISTINCT
        (project_id, family_id, start_time, end_time, event_id, tracking_id, data_point_type_id),
    CHECK (is_skipped OR event_ids IS NOT NULL)
);

-- What a slot was last computed from on a ledger. Where it is the same again, nothing has to be computed.
-- A note to save work, not a record: removing it loses nothing.
CREATE TABLE slot_digests (
    project_id  integer NOT NULL,
    ledger_id   integer NOT NULL,
    start_time  timestamptz(3) NOT NULL,
    end_time    timestamptz(3) NOT NULL,
    digest      bytea NOT NULL CHECK (octet_length(digest) = 32),
    PRIMARY KEY (project_id, ledger_id, start_time, end_time),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers ON DELETE CASCADE
);
