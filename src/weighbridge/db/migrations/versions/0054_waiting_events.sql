-- Events that wait for a generation: what each ledger has not looked at yet. Storing events is the hot path and leaves
-- nothing here; a worker sums up what changed, by type and day, and says of each ledger how much of it waits.

-- When events of a type that begin on a day, in UTC, last changed, and until when the longest of them lasts.
CREATE TABLE event_days (
    project_id     integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    event_type_id  integer NOT NULL,
    day            timestamptz(3) NOT NULL,
    ends_at        timestamptz(3) NOT NULL,
    changed_at     timestamptz NOT NULL,
    PRIMARY KEY (project_id, event_type_id, day),
    CONSTRAINT event_days_end_not_before_day CHECK (ends_at >= day)
);

-- Up to which moment the events of a project are summed up.
CREATE TABLE event_days_until (
    project_id  integer PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    until       timestamptz NOT NULL
);

-- What waits, ledger by ledger; no row where nothing does.
CREATE TABLE ledger_waits (
    project_id   integer NOT NULL,
    ledger_id    integer NOT NULL,
    event_count  integer NOT NULL CHECK (event_count > 0),
    -- Whether more wait than were counted.
    is_more      boolean NOT NULL,
    start_time   timestamptz(3) NOT NULL,
    end_time     timestamptz(3) NOT NULL CHECK (end_time >= start_time),
    PRIMARY KEY (project_id, ledger_id),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers ON DELETE CASCADE
);

-- Which of its generated slots have them, as they stand in `generated_slots`.
CREATE TABLE slot_waits (
    project_id   integer NOT NULL,
    ledger_id    integer NOT NULL,
    start_time   timestamptz(3) NOT NULL,
    end_time     timestamptz(3) NOT NULL,
    event_count  integer NOT NULL CHECK (event_count > 0),
    PRIMARY KEY (project_id, ledger_id, start_time, end_time),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers ON DELETE CASCADE
);

-- Projects whose ledgers are to be looked at again for another reason than events.
CREATE TABLE waiting_marks (
    project_id  integer NOT NULL,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (project_id, id)
);

-- Up to where in the feed of changes workers have looked for events.
CREATE TABLE waiting_horizon (
    is_only  boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    at       timestamptz NOT NULL
);
INSERT INTO waiting_horizon (at) VALUES (now());
INSERT INTO waiting_marks (project_id) SELECT DISTINCT project_id FROM ledgers;

CREATE FUNCTION mark_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO waiting_marks (project_id) SELECT DISTINCT project_id FROM changed;
    RETURN NULL;
END $$;
CREATE TRIGGER generated_slots_mark_inserted AFTER INSERT ON generated_slots
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_waiting();
CREATE TRIGGER generated_slots_mark_updated AFTER UPDATE ON generated_slots
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_waiting();
CREATE TRIGGER generated_slots_mark_deleted AFTER DELETE ON generated_slots
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_waiting();
CREATE TRIGGER ledgers_mark_inserted AFTER INSERT ON ledgers
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_waiting();
CREATE TRIGGER ledgers_mark_updated AFTER UPDATE ON ledgers
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_waiting();

CREATE FUNCTION mark_waiting_of_family() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO waiting_marks (project_id)
    SELECT DISTINCT l.project_id FROM ledgers l JOIN changed ON changed.id = l.family_id;
    RETURN NULL;
END $$;
CREATE TRIGGER model_families_mark_updated AFTER UPDATE ON model_families
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_waiting_of_family();

-- The feed tells of a ledger whenever another number of events waits for it.
CREATE FUNCTION tell_waiting_ledgers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, 'ledger', 'update', range_agg(int8range(ledger_id, ledger_id, '[]'))
      FROM changed GROUP BY project_id;
    RETURN NULL;
END $$;
CREATE TRIGGER ledger_waits_tell_inserted AFTER INSERT ON ledger_waits
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_waiting_ledgers();
CREATE TRIGGER ledger_waits_tell_updated AFTER UPDATE ON ledger_waits
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_waiting_ledgers();
CREATE TRIGGER ledger_waits_tell_deleted AFTER DELETE ON ledger_waits
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_waiting_ledgers();
