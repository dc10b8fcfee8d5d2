-- A rule that imputes only with approval has results for slots in which no event came: which slot of which
-- meter, 0 for an asset or location that it does not have. They name the imputed event once it was approved.
ALTER TABLE data_point_results
    ALTER COLUMN event_id DROP NOT NULL,
    ADD COLUMN event_type_id integer,
    ADD COLUMN asset_id integer,
    ADD COLUMN location_id integer,
    ADD COLUMN slot_start timestamptz(3),
    ADD COLUMN slot_end timestamptz(3),
    -- When the event would end, and how it would be tagged: end_time, tracking_id, feedstock_id, location_ids.
    ADD COLUMN proposed_event jsonb CHECK (jsonb_typeof(proposed_event) = 'object'),
    ADD FOREIGN KEY (project_id, event_type_id) REFERENCES event_types,
    ADD CONSTRAINT data_point_results_slot CHECK (
        num_nonnulls(event_type_id, asset_id, location_id, slot_start, slot_end) IN (0, 5)
        AND slot_end > slot_start),
    ADD CONSTRAINT data_point_results_of_event_or_slot CHECK (num_nonnulls(event_id, slot_start) > 0),
    ADD CONSTRAINT data_point_results_proposed_event CHECK (
        (proposed_event IS NULL) = (slot_start IS NULL OR approval_state IS NULL)),
    ADD CONSTRAINT data_point_results_approved_event CHECK (approval_state <> 'approved' OR event_id IS NOT NULL);

CREATE UNIQUE INDEX data_point_results_one_open_of_slot
    ON data_point_results (project_id, event_type_id, asset_id, location_id, slot_start, slot_end, position,
                           rule_id, rule_version)
    WHERE closed_at IS NULL AND slot_start IS NOT NULL;
CREATE INDEX data_point_results_pending_slots
    ON data_point_results (project_id, event_type_id, asset_id, location_id, slot_start)
    WHERE approval_state = 'pending' AND slot_start IS NOT NULL;

-- The event that a proposal would make, as a row of events that has no id and holds the proposed value.
CREATE FUNCTION proposed_event_row(result data_point_results) RETURNS events
LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT jsonb_populate_record(NULL::events, result.proposed_event || jsonb_build_object(
        'project_id', result.project_id, 'event_type_id', result.event_type_id,
        'start_time', result.slot_start, 'asset_id', nullif(result.asset_id, 0),
        'numbers', (SELECT jsonb_agg(CASE n WHEN result.position
                                     THEN result.proposed_correction -> 'to_value' END ORDER BY n)
                      FROM generate_series(1, result.position) AS n),
        'is_complete', true, 'is_imputed', true, 'is_revised', false));
END;

-- An imputed event that goes, for whatever reason, takes its approvals with it.
CREATE OR REPLACE FUNCTION follow_voided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE imputations SET withdrawn_at = now(), withdrawn_by = pg_current_xact_id()
     WHERE project_id = NEW.project_id AND event_id = NEW.id AND withdrawn_at IS NULL;
    UPDATE data_point_results SET approval_state = 'withdrawn'
     WHERE project_id = NEW.project_id AND event_id = NEW.id AND slot_start IS NOT NULL
       AND approval_state = 'approved';
    RETURN NULL;
END $$;

-- A captured event that comes for a slot withdraws what is proposed for it, and the imputed event that stands
-- there. Proposals come first: whoever approves one holds it, so the event that this makes is seen below.
CREATE OR REPLACE FUNCTION take_place_of_imputed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE slots record;
BEGIN
    IF EXISTS (
        SELECT FROM data_point_results r
         WHERE r.project_id IN (SELECT DISTINCT project_id FROM changed)
           AND r.approval_state = 'pending' AND r.slot_start IS NOT NULL)
    THEN
        UPDATE data_point_results r SET approval_state = 'withdrawn'
          FROM changed c
         WHERE r.approval_state = 'pending' AND r.slot_start IS NOT NULL
           AND r.project_id = c.project_id AND r.event_type_id = c.event_type_id
           AND r.asset_id = coalesce(c.asset_id, 0)
           AND r.location_id = CASE WHEN c.asset_id IS NULL THEN coalesce(c.location_ids[1], 0) ELSE 0 END
           AND c.start_time >= r.slot_start AND c.start_time < r.slot_end
           AND NOT c.is_imputed AND c.voided_at IS NULL;
    END IF;
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
