-- What lets one statement store an event that names what its process has read before: a row says how often
-- it has changed, so that a statement made from an earlier state of it finds nothing and stores nothing.

ALTER TABLE event_types ADD COLUMN revision integer NOT NULL DEFAULT 0;
ALTER TABLE locations ADD COLUMN revision integer NOT NULL DEFAULT 0;
ALTER TABLE feedstocks ADD COLUMN revision integer NOT NULL DEFAULT 0;
ALTER TABLE assets ADD COLUMN revision integer NOT NULL DEFAULT 0;

CREATE FUNCTION raise_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.revision := OLD.revision + 1;
    RETURN NEW;
END $$;
CREATE TRIGGER event_types_revised BEFORE UPDATE ON event_types
    FOR EACH ROW EXECUTE FUNCTION raise_revision();
CREATE TRIGGER locations_revised BEFORE UPDATE ON locations
    FOR EACH ROW EXECUTE FUNCTION raise_revision();
CREATE TRIGGER feedstocks_revised BEFORE UPDATE ON feedstocks
    FOR EACH ROW EXECUTE FUNCTION raise_revision();
CREATE TRIGGER assets_revised BEFORE UPDATE ON assets
    FOR EACH ROW EXECUTE FUNCTION raise_revision();

-- The data point types of an event type are part of it.
CREATE FUNCTION revise_event_types() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE event_types SET revision = revision
     WHERE (project_id, id) IN (SELECT project_id, event_type_id FROM changed);
    RETURN NULL;
END $$;
CREATE TRIGGER data_point_types_revise_on_insert AFTER INSERT ON data_point_types
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION revise_event_types();
CREATE TRIGGER data_point_types_revise_on_update AFTER UPDATE ON data_point_types
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION revise_event_types();
CREATE TRIGGER data_point_types_revise_on_move AFTER UPDATE ON data_point_types
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION revise_event_types();
CREATE TRIGGER data_point_types_revise_on_delete AFTER DELETE ON data_point_types
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION revise_event_types();

-- The lock that writers of a project's events share while they ask whether it has automatic rules.
CREATE FUNCTION rule_marks_lock(project integer) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN hashtextextended('rule marks:' || project, 0);

-- Leaves events to the automatic rules of their project, if it has any. A function, because its second
-- statement has to see what was committed before the first one had the lock.
CREATE FUNCTION mark_events(project integer, types integer[], first timestamptz[], last timestamptz[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(rule_marks_lock(project));
    IF EXISTS (SELECT FROM rules u
                WHERE u.project_id = project AND u.evaluation = 'automatic' AND u.deleted_at IS NULL) THEN
        INSERT INTO rule_dirty_ranges (project_id, event_type_id, start_time, end_time)
        SELECT project, mark.event_type_id, mark.first, mark.last
          FROM unnest(types, first, last) AS mark (event_type_id, first, last);
    END IF;
END $$;
