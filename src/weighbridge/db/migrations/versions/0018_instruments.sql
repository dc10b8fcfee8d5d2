-- Instruments of system ledgers, and the task that last gave a batch other inputs.

ALTER TABLE ledgers
    ADD CONSTRAINT ledgers_system_type CHECK (
        system_ledger_type IN ('renewable_energy_credits', 'renewable_fuel', 'embodied_emissions')),
    ADD CONSTRAINT ledgers_system_without_model CHECK (system_ledger_type IS NULL OR family_id IS NULL);

-- What a certificate says of itself. Its external id is its batch's tracking id; its amount and figures
-- are the batch's outputs.
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
CREATE TRIGGER instruments_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON instruments
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A certificate counts once; one that was deleted may be entered again.
CREATE UNIQUE INDEX batches_one_of_each_instrument ON batches (project_id, ledger_id, tracking_id)
    WHERE run_id IS NULL AND deleted_at IS NULL;

-- Only runs credit ledgers with a model, and only instruments system ledgers.
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

-- Whether a batch is being computed with other inputs, and why that failed, is what its task says: nothing
-- has to be put back when a worker dies.
ALTER TABLE batches
    DROP COLUMN state,
    DROP COLUMN error_message,
    ADD COLUMN inputs_task_id integer REFERENCES async_tasks;
