-- Footprints are told in the feed of changes: that they were made, and that they were deprecated.

CREATE FUNCTION tell_footprints() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told record;
BEGIN
    FOR told IN
        SELECT project_id, range_agg(int8range(number, number, '[]')) AS keys FROM changed GROUP BY project_id
    LOOP
        INSERT INTO unnumbered_changes (project_id, kind, action, keys)
        VALUES (told.project_id, 'footprint', TG_ARGV[0], told.keys);
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER footprints_tell_created AFTER INSERT ON footprints
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_footprints('create');
CREATE TRIGGER footprints_tell_deprecated AFTER UPDATE ON footprints
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_footprints('update');

-- The feed names footprints by their project and number.
CREATE INDEX footprints_of_project ON footprints (project_id, number);
