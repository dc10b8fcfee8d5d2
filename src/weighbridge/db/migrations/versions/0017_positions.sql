-- Which position of its events the next data point type of an event type gets. A data point type that no event
-- carries can be removed; its position is gone all the same, for the id of a data point holds it.

ALTER TABLE event_types
    ADD COLUMN next_position integer NOT NULL DEFAULT 1 CHECK (next_position BETWEEN 1 AND 4096);

-- Nothing that a process has read of an event type changes by this.
ALTER TABLE event_types DISABLE TRIGGER event_types_revised;
UPDATE event_types t SET next_position = given_out.last + 1
  FROM (SELECT project_id, event_type_id, max(position) AS last FROM data_point_types
         GROUP BY project_id, event_type_id) AS given_out
 WHERE (given_out.project_id, given_out.event_type_id) = (t.project_id, t.id);
ALTER TABLE event_types ENABLE TRIGGER event_types_revised;

CREATE FUNCTION give_out_positions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE used record;
BEGIN
    SELECT a.position, t.slug INTO used
      FROM added a JOIN event_types t ON (t.project_id, t.id) = (a.project_id, a.event_type_id)
     WHERE a.position < t.next_position;
    IF FOUND THEN
        RAISE EXCEPTION 'position % of event type % has been given out before', used.position, used.slug
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'data_point_types_position_once';
    END IF;
    UPDATE event_types t SET next_position = given_out.last + 1
      FROM (SELECT project_id, event_type_id, max(position) AS last FROM added
             GROUP BY project_id, event_type_id) AS given_out
     WHERE (given_out.project_id, given_out.event_type_id) = (t.project_id, t.id);
    RETURN NULL;
END $$;
CREATE TRIGGER data_point_types_positions AFTER INSERT ON data_point_types
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION give_out_positions();
CREATE TRIGGER data_point_types_stay_in_place BEFORE UPDATE ON data_point_types FOR EACH ROW
    WHEN ((NEW.project_id, NEW.event_type_id, NEW.position)
          IS DISTINCT FROM (OLD.project_id, OLD.event_type_id, OLD.position))
    EXECUTE FUNCTION refuse_change();
CREATE TRIGGER event_types_next_position_rises BEFORE UPDATE ON event_types FOR EACH ROW
    WHEN (NEW.next_position < OLD.next_position) EXECUTE FUNCTION refuse_change();
