-- Corrections of measured values, events imputed for missing slots, and the triggers that keep what was measured.


-- ## Corrections.

CREATE TABLE corrections (
    project_id       integer NOT NULL,
    id               bigint GENERATED ALWAYS AS IDENTITY,
    event_id         bigint NOT NULL,
    position         smallint NOT NULL CHECK (position BETWEEN 0 AND 4095),
    field            text NOT NULL DEFAULT '',
    source           text NOT NULL,
    -- Among corrections of one source the smaller number takes precedence, then the newer correction.
    priority         integer NOT NULL DEFAULT 0 CHECK (priority >= 0),
    -- The value before the correction, and the corrected value.
    from_value       jsonb,
    to_value         jsonb NOT NULL,
    state            text NOT NULL DEFAULT 'superseded',
    rule_id          integer,
    rule_version     integer,
    rule_run_id      integer,
    user_id          integer NOT NULL REFERENCES users,
    token_id         integer REFERENCES api_tokens,
    reason           text CHECK (reason <> ''),
    created_at       timestamptz(3) NOT NULL DEFAULT now(),
    reverted_at      timestamptz(3),
    -- The person who reverted it, or the run of its rule that found that it no longer applies.
    reverted_by      integer REFERENCES users,
    reverted_by_run  integer,
    -- The transaction that made it, or changed its state last: a generation asks for changes that it did not include.
    changed_by       xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- How the value was found: method, tier, code, window, members, availability and length of the gap.
    substitution     jsonb,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, event_id) REFERENCES events,
    CONSTRAINT corrections_source CHECK (
        source IN ('manual', 'adjustment', 'substitution', 'completion')),
    CONSTRAINT corrections_state CHECK (state IN ('in_force', 'superseded', 'reverted')),
    CONSTRAINT corrections_field CHECK (
        field IN ('', 'start_time', 'end_time', 'tracking_id', 'feedstock_id', 'asset_id')
        AND (position = 0) = (field <> '')),
    CONSTRAINT corrections_values CHECK (
        jsonb_typeof(to_value) IN ('number', 'string', 'boolean')
        AND (from_value IS NULL OR jsonb_typeof(from_value) = jsonb_typeof(to_value))
        AND (source = 'completion') = (from_value IS NULL AND position > 0 AND rule_id IS NULL)),
    CONSTRAINT corrections_rule CHECK (
        num_nonnulls(rule_id, rule_version) IN (0, 2) AND (rule_run_id IS NULL OR rule_id IS NOT NULL)),
    CONSTRAINT corrections_reverted CHECK (
        (state = 'reverted') = (reverted_at IS NOT NULL)
        AND num_nonnulls(reverted_by, reverted_by_run) = CASE state WHEN 'reverted' THEN 1 ELSE 0 END
        AND (reverted_by_run IS NULL OR rule_id IS NOT NULL)
        AND (state <> 'reverted' OR source <> 'completion')),
    CONSTRAINT corrections_one_in_force
        EXCLUDE (project_id WITH =, event_id WITH =, position WITH =, field WITH =)
        WHERE (state = 'in_force') DEFERRABLE INITIALLY IMMEDIATE,
    FOREIGN KEY (project_id, rule_id, rule_version) REFERENCES rule_versions,
    FOREIGN KEY (project_id, rule_run_id) REFERENCES rule_runs (project_id, id),
    FOREIGN KEY (project_id, reverted_by_run) REFERENCES rule_runs (project_id, id),
    CONSTRAINT corrections_substitutions CHECK (
        substitution IS NULL OR source = 'substitution' AND jsonb_typeof(substitution) = 'object')
);
COMMENT ON TABLE corrections IS
    'Corrections of events: position 0 corrects the column named by field, and another position the value of a data '
    'point.';
CREATE INDEX corrections_of_value ON corrections (project_id, event_id, position, field, id);
CREATE INDEX corrections_of_rule ON corrections (project_id, rule_id, rule_run_id, id)
    WHERE rule_id IS NOT NULL;
CREATE INDEX corrections_by_change ON corrections (project_id, changed_by);
-- A rule has one correction of a value: its earlier one is reverted first.
CREATE UNIQUE INDEX corrections_one_of_each_rule ON corrections (project_id, event_id, position, field, rule_id)
    WHERE rule_id IS NOT NULL AND state <> 'reverted';
CREATE UNIQUE INDEX corrections_one_completion ON corrections (project_id, event_id, position)
    WHERE source = 'completion';
CREATE INDEX corrections_of_fields ON corrections (project_id, field) WHERE position = 0;
-- A generation asks which events were moved from one slot to another.
CREATE INDEX corrections_of_slots ON corrections (project_id, event_id)
    WHERE field IN ('start_time', 'end_time', 'tracking_id');
CREATE TRIGGER corrections_stay BEFORE DELETE OR TRUNCATE ON corrections
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Only the state of a correction changes, and a reverted correction never changes again.
CREATE FUNCTION move_correction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state = 'reverted'
       OR to_jsonb(NEW) - '{state,reverted_at,reverted_by,reverted_by_run,changed_by}'::text[]
          IS DISTINCT FROM to_jsonb(OLD) - '{state,reverted_at,reverted_by,reverted_by_run,changed_by}'::text[] THEN
        RAISE EXCEPTION 'correction % may only be superseded, prevail or be reverted', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'corrections_stay';
    END IF;
    NEW.changed_by := pg_current_xact_id();
    RETURN NEW;
END $$;
CREATE TRIGGER corrections_move BEFORE UPDATE ON corrections
    FOR EACH ROW EXECUTE FUNCTION move_correction();

-- Takes the place of foreign keys: feedstocks and assets that corrections name are not removed.
CREATE FUNCTION check_tag_uncorrected() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM corrections
                WHERE project_id = OLD.project_id AND field = TG_ARGV[0] AND position = 0
                  AND to_jsonb(OLD.id) IN (from_value, to_value)) THEN
        RAISE EXCEPTION '% % is named by corrections', TG_ARGV[0], OLD.id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'corrections_tags';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER feedstocks_corrected_stay BEFORE DELETE ON feedstocks
    FOR EACH ROW EXECUTE FUNCTION check_tag_uncorrected('feedstock_id');
CREATE TRIGGER assets_corrected_stay BEFORE DELETE ON assets
    FOR EACH ROW EXECUTE FUNCTION check_tag_uncorrected('asset_id');


-- ## Captured values.

-- A captured value never changes. A position that is empty may be filled once, and captured keeps the first times and
-- tags.
CREATE FUNCTION keep_captured() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was jsonb := jsonb_build_object(
        'start_time', OLD.start_time, 'end_time', OLD.end_time, 'tracking_id', OLD.tracking_id,
        'feedstock_id', OLD.feedstock_id, 'asset_id', OLD.asset_id);
    becomes jsonb := jsonb_build_object(
        'start_time', NEW.start_time, 'end_time', NEW.end_time, 'tracking_id', NEW.tracking_id,
        'feedstock_id', NEW.feedstock_id, 'asset_id', NEW.asset_id);
BEGIN
    -- A position that is empty may be filled once. Text is compared, so that no digit changes.
    IF EXISTS (SELECT FROM unnest(OLD.numbers::text[], NEW.numbers::text[]) AS part (was, becomes)
                WHERE part.was IS NOT NULL AND part.becomes IS DISTINCT FROM part.was)
       OR EXISTS (SELECT FROM unnest(OLD.texts, NEW.texts) AS part (was, becomes)
                   WHERE part.was IS NOT NULL AND part.becomes IS DISTINCT FROM part.was)
       OR EXISTS (SELECT FROM unnest(OLD.booleans, NEW.booleans) AS part (was, becomes)
                   WHERE part.was IS NOT NULL AND part.becomes IS DISTINCT FROM part.was)
       OR NEW.is_imputed <> OLD.is_imputed THEN
        RAISE EXCEPTION 'what was captured of event % never changes', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'events_captured_stays';
    END IF;
    NEW.captured := (
        SELECT jsonb_object_agg(field.key, field.value) FROM jsonb_each(was) AS field
         WHERE field.value IS DISTINCT FROM becomes -> field.key);
    NEW.captured := nullif(coalesce(NEW.captured, '{}') || coalesce(OLD.captured, '{}'), '{}');
    NEW.is_revised := NEW.is_revised OR OLD.is_revised;
    RETURN NEW;
END $$;
CREATE TRIGGER events_keep_captured BEFORE UPDATE ON events FOR EACH ROW
    WHEN (OLD.readings IS NULL AND NEW.readings IS NULL AND (
          OLD.numbers::text IS DISTINCT FROM NEW.numbers::text
          OR (OLD.texts, OLD.booleans, OLD.start_time, OLD.end_time, OLD.tracking_id, OLD.feedstock_id,
              OLD.asset_id, OLD.captured, OLD.is_revised, OLD.is_imputed)
             IS DISTINCT FROM
             (NEW.texts, NEW.booleans, NEW.start_time, NEW.end_time, NEW.tracking_id, NEW.feedstock_id,
              NEW.asset_id, NEW.captured, NEW.is_revised, NEW.is_imputed)))
    EXECUTE FUNCTION keep_captured();

-- The key of a corrected value in the feed is its event and its position, 0 for times and tags.
CREATE FUNCTION tell_created_corrections() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, 'correction', 'create', range_agg(int8range(place, place, '[]'))
      FROM (SELECT project_id, event_id << 12 | position AS place FROM changed) AS corrected
     GROUP BY project_id;
    RETURN NULL;
END $$;
CREATE TRIGGER corrections_tell_created AFTER INSERT ON corrections
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_created_corrections();

CREATE FUNCTION tell_updated_corrections() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO unnumbered_changes (project_id, kind, action, keys)
    SELECT project_id, 'correction', action, range_agg(int8range(place, place, '[]'))
      FROM (SELECT c.project_id, c.event_id << 12 | c.position AS place,
                   CASE c.state WHEN 'reverted' THEN 'revert' ELSE 'update' END AS action
              FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)
             WHERE c.state <> f.state) AS moved
     GROUP BY project_id, action;
    RETURN NULL;
END $$;
CREATE TRIGGER corrections_tell_updated AFTER UPDATE ON corrections
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION tell_updated_corrections();


-- ## Corrections that batches used.

CREATE TABLE batch_corrections (
    project_id     integer NOT NULL,
    batch_id       bigint NOT NULL,
    correction_id  bigint NOT NULL,
    PRIMARY KEY (project_id, batch_id, correction_id),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, correction_id) REFERENCES corrections
);
COMMENT ON TABLE batch_corrections IS
    'The corrections in force on the values that a batch used; with the captured values they give what it was '
    'computed from.';
CREATE TRIGGER batch_corrections_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON batch_corrections
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();


-- ## Imputed events.

CREATE TABLE imputations (
    project_id     integer NOT NULL,
    event_id       bigint NOT NULL,
    event_type_id  integer NOT NULL,
    -- The meter; 0 where it has no asset or no location.
    asset_id       integer NOT NULL,
    location_id    integer NOT NULL,
    slot_start     timestamptz(3) NOT NULL,
    slot_end       timestamptz(3) NOT NULL CHECK (slot_end > slot_start),
    -- The public id of the event, for the runs that its withdrawal makes stale.
    record         text NOT NULL CHECK (record <> ''),
    withdrawn_at   timestamptz(3),
    -- The transaction that withdrew it: a generation asks for changes that it did not include.
    withdrawn_by   xid8,
    -- The captured event that came for the slot.
    captured_by    bigint,
    PRIMARY KEY (project_id, event_id),
    FOREIGN KEY (project_id, event_id) REFERENCES events,
    FOREIGN KEY (project_id, captured_by) REFERENCES events,
    CHECK ((withdrawn_at IS NULL) = (withdrawn_by IS NULL)),
    CHECK (captured_by IS NULL OR withdrawn_at IS NOT NULL)
);
COMMENT ON TABLE imputations IS
    'Events that a rule made for slots without an event, in force until a captured event comes or the event is '
    'withdrawn.';
CREATE UNIQUE INDEX imputations_one_of_each_slot
    ON imputations (project_id, event_type_id, asset_id, location_id, slot_start) WHERE withdrawn_at IS NULL;
CREATE INDEX imputations_of_slots ON imputations (project_id, event_type_id, asset_id, location_id, slot_start);
CREATE INDEX imputations_withdrawn ON imputations (project_id, withdrawn_by) WHERE withdrawn_at IS NOT NULL;
CREATE TRIGGER imputations_stay BEFORE DELETE OR TRUNCATE ON imputations
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The event that a proposal would make, as a row of events without an id that has the proposed value.
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

-- Void imputed events: runs that used them are stale, and rules evaluate their slots again.
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

-- An imputed event that is voided, whatever the cause, withdraws its approvals.
CREATE FUNCTION follow_voided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE imputations SET withdrawn_at = now(), withdrawn_by = pg_current_xact_id()
     WHERE project_id = NEW.project_id AND event_id = NEW.id AND withdrawn_at IS NULL;
    UPDATE data_point_results SET approval_state = 'withdrawn'
     WHERE project_id = NEW.project_id AND event_id = NEW.id AND slot_start IS NOT NULL
       AND approval_state = 'approved';
    RETURN NULL;
END $$;
CREATE TRIGGER events_imputed_voided AFTER UPDATE OF voided_at ON events FOR EACH ROW
    WHEN (NEW.is_imputed AND OLD.voided_at IS NULL AND NEW.voided_at IS NOT NULL)
    EXECUTE FUNCTION follow_voided();

-- A captured event withdraws the proposals for its slot, and the imputed event there. Proposals come first: an approval
-- locks its proposal, so the event that it makes is visible below.
CREATE FUNCTION take_place_of_imputed() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER events_take_place_on_insert AFTER INSERT ON events
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION take_place_of_imputed();
CREATE TRIGGER events_take_place_on_update AFTER UPDATE ON events
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION take_place_of_imputed();
