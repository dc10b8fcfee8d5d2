-- Rules that fill gaps: they substitute values that are not to count, and impute those that never came.
ALTER TABLE rule_versions
    DROP CONSTRAINT rule_versions_purpose_check,
    ADD CONSTRAINT rule_versions_purpose_check CHECK (purpose IN ('alert', 'adjust', 'substitute', 'impute'));

-- How the value was found: method, tier, code, window, members, availability and length of the gap.
ALTER TABLE corrections
    ADD COLUMN substitution jsonb,
    ADD CONSTRAINT corrections_substitutions CHECK (
        substitution IS NULL OR source = 'substitution' AND jsonb_typeof(substitution) = 'object');

-- What a result proposes: the value in force, what it would become and, of one that fills a gap, how it was found.
CREATE FUNCTION proposed_correction(from_value jsonb, to_value jsonb, substitution jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE BEGIN ATOMIC
    SELECT jsonb_build_object('from_value', from_value, 'to_value', to_value)
        || CASE WHEN substitution IS NULL THEN '{}' ELSE jsonb_build_object('substitution', substitution) END;
END;

-- Events that a rule made, each for a slot of a meter's cadence in which none came. It stands until a captured
-- event comes for the slot, the rule says so no more, or a person takes it back.
CREATE TABLE imputations (
    project_id     integer NOT NULL,
    event_id       bigint NOT NULL,
    event_type_id  integer NOT NULL,
    -- The meter; 0 for an asset or a location that it does not have.
    asset_id       integer NOT NULL,
    location_id    integer NOT NULL,
    slot_start     timestamptz(3) NOT NULL,
    slot_end       timestamptz(3) NOT NULL CHECK (slot_end > slot_start),
    -- How the event is called outside, for what its withdrawal leaves stale.
    record         text NOT NULL CHECK (record <> ''),
    withdrawn_at   timestamptz(3),
    -- The transaction that withdrew it: a generation asks which it did not see.
    withdrawn_by   xid8,
    -- The event that came for the slot after all.
    captured_by    bigint,
    PRIMARY KEY (project_id, event_id),
    FOREIGN KEY (project_id, event_id) REFERENCES events,
    FOREIGN KEY (project_id, captured_by) REFERENCES events,
    CHECK ((withdrawn_at IS NULL) = (withdrawn_by IS NULL)),
    CHECK (captured_by IS NULL OR withdrawn_at IS NOT NULL)
);
CREATE UNIQUE INDEX imputations_one_of_each_slot
    ON imputations (project_id, event_type_id, asset_id, location_id, slot_start) WHERE withdrawn_at IS NULL;
CREATE INDEX imputations_of_slots ON imputations (project_id, event_type_id, asset_id, location_id, slot_start);
CREATE INDEX imputations_withdrawn ON imputations (project_id, withdrawn_by) WHERE withdrawn_at IS NOT NULL;
CREATE TRIGGER imputations_stay BEFORE DELETE OR TRUNCATE ON imputations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Whoever voids an imputed event withdraws the imputation.
CREATE FUNCTION follow_voided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE imputations SET withdrawn_at = now(), withdrawn_by = pg_current_xact_id()
     WHERE project_id = NEW.project_id AND event_id = NEW.id AND withdrawn_at IS NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER events_imputed_voided AFTER UPDATE OF voided_at ON events FOR EACH ROW
    WHEN (NEW.is_imputed AND OLD.voided_at IS NULL AND NEW.voided_at IS NOT NULL)
    EXECUTE FUNCTION follow_voided();

-- Take imputed events out of the data: what was made of them is stale, and rules look at their slots again.
CREATE FUNCTION withdraw_imputed(project integer, taken bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('inputs:' || project, 0));
    PERFORM FROM events WHERE project_id = project AND id = ANY (taken) ORDER BY id FOR NO KEY UPDATE;
    UPDATE events SET voided_at = now(), updated_at = now()
     WHERE project_id = project AND id = ANY (taken) AND voided_at IS NULL;
    INSERT INTO stale_runs (project_id, run_id, ledger_id, reason, record)
    SELECT DISTINCT b.project_id, b.run_id, b.ledger_id, 'event_withdrawn', m.record
      FROM batch_inputs i
     CROSS JOIN unnest(i.event_ids) AS used (event_id)
      JOIN imputations m ON (m.project_id, m.event_id) = (i.project_id, used.event_id)
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
     WHERE i.project_id = project AND m.event_id = ANY (taken) AND b.run_id IS NOT NULL
       AND b.deleted_at IS NULL AND NOT EXISTS (
           SELECT FROM batches newer
            WHERE (newer.project_id, newer.run_id, newer.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
              AND newer.id > b.id AND newer.deleted_at IS NULL)
       AND int8range(i.first_event, i.last_event, '[]')
           && (SELECT range_agg(int8range(one, one, '[]')) FROM unnest(taken) AS one)
    ON CONFLICT DO NOTHING;
    PERFORM mark_events(project, array_agg(m.event_type_id), array_agg(m.first), array_agg(m.last))
       FROM (SELECT event_type_id, min(slot_start) AS first, max(slot_end) AS last
               FROM imputations WHERE project_id = project AND event_id = ANY (taken)
              GROUP BY event_type_id) AS m;
END $$;

-- A captured event that comes for the slot of an imputed one takes its place, in the same transaction, however
-- it comes: by itself, with many, or moved there.
CREATE FUNCTION take_place_of_imputed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE slots record;
BEGIN
    FOR slots IN
        SELECT m.project_id AS project, array_agg(DISTINCT m.event_id) AS taken
          FROM changed c
          JOIN imputations m ON m.project_id = c.project_id AND m.event_type_id = c.event_type_id
           AND m.asset_id = coalesce(c.asset_id, 0)
           AND m.location_id = CASE WHEN c.asset_id IS NULL THEN coalesce(c.location_ids[1], 0) ELSE 0 END
           AND m.withdrawn_at IS NULL AND c.start_time >= m.slot_start AND c.start_time < m.slot_end
         WHERE NOT c.is_imputed AND c.voided_at IS NULL
         GROUP BY m.project_id
    LOOP
        UPDATE imputations m
           SET withdrawn_at = now(), withdrawn_by = pg_current_xact_id(),
               captured_by = (
                   SELECT min(c.id) FROM changed c
                    WHERE c.project_id = m.project_id AND c.event_type_id = m.event_type_id
                      AND c.start_time >= m.slot_start AND c.start_time < m.slot_end AND NOT c.is_imputed)
         WHERE m.project_id = slots.project AND m.event_id = ANY (slots.taken);
        PERFORM withdraw_imputed(slots.project, slots.taken);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER events_take_place_on_insert AFTER INSERT ON events
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION take_place_of_imputed();
CREATE TRIGGER events_take_place_on_update AFTER UPDATE ON events
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION take_place_of_imputed();

-- The version of the rule that has evaluated the record of a result since.
ALTER TABLE data_point_results
    ADD COLUMN superseded_by_version integer,
    ADD CONSTRAINT data_point_results_superseded CHECK (
        superseded_by_version IS NULL OR superseded_by_version > rule_version AND closed_at IS NOT NULL);
ALTER TABLE model_run_results
    ADD COLUMN superseded_by_version integer,
    ADD CONSTRAINT model_run_results_superseded CHECK (
        superseded_by_version IS NULL OR superseded_by_version > rule_version AND closed_at IS NOT NULL);
