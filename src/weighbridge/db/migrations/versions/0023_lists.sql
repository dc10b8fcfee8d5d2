-- Lists of events that cost the same however long they are: an index for each way in which they are cut into
-- pages, in the order of the page, and a count of the events of each type that is kept as they come.

-- Each ends with the time and the number, so that a page of what it finds needs no sorting.
CREATE INDEX events_of_type ON events (project_id, event_type_id, start_time, id);
DROP INDEX events_by_type_and_time;
CREATE INDEX events_of_asset ON events (project_id, asset_id, start_time, id) WHERE asset_id IS NOT NULL;
DROP INDEX events_by_asset;
CREATE INDEX events_of_tracking_id ON events (project_id, tracking_id, start_time, id)
    WHERE tracking_id IS NOT NULL;
DROP INDEX events_by_tracking_id;
CREATE INDEX events_of_feedstock ON events (project_id, feedstock_id, start_time, id)
    WHERE feedstock_id IS NOT NULL;
-- Few events have more than one location, and hardly any more than two: those are looked through.
CREATE INDEX events_of_location ON events (project_id, (location_ids[1]), start_time, id)
    WHERE location_ids[1] IS NOT NULL;
CREATE INDEX events_of_second_location ON events (project_id, (location_ids[2]), start_time, id)
    WHERE location_ids[2] IS NOT NULL;
CREATE INDEX events_of_more_locations ON events (project_id, start_time, id) WHERE location_ids[3] IS NOT NULL;
CREATE INDEX events_incomplete_by_time ON events (project_id, start_time, id) WHERE NOT is_complete;
-- Whoever follows a project asks for what changed last; the newest stand at the end, where adding is cheap.
CREATE INDEX events_by_change ON events (project_id, updated_at, id);

-- How many events of a type there are that are not voided, and the longest of them. The count is the sum of
-- the shares; each connection adds to one of its own, so that those who write at once do not wait in line.
CREATE TABLE event_counts (
    project_id     integer NOT NULL,
    event_type_id  integer NOT NULL,
    share          smallint NOT NULL,
    events         bigint NOT NULL,
    longest        interval NOT NULL,
    PRIMARY KEY (project_id, event_type_id, share),
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types ON DELETE CASCADE
) WITH (fillfactor = 50);
INSERT INTO event_counts
SELECT project_id, event_type_id, 0, count(*) FILTER (WHERE voided_at IS NULL), max(end_time - start_time)
  FROM events GROUP BY project_id, event_type_id;

-- The event type of an event is checked once for each statement, as its locations are, and not row by row:
-- that was the dearest part of writing many. A type that events have stays, whoever removes it.
ALTER TABLE events DROP CONSTRAINT events_project_id_event_type_id_fkey;

CREATE FUNCTION check_event_type(project integer, event_type integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM event_types WHERE project_id = project AND id = event_type FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'an event has the type %, which its project does not have', event_type
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'events_event_type';
    END IF;
END $$;

CREATE FUNCTION count_events(project integer, event_type integer, more bigint, lasting interval)
RETURNS void LANGUAGE sql BEGIN ATOMIC
    INSERT INTO event_counts AS c VALUES (project, event_type, pg_backend_pid() % 64, more, lasting)
    ON CONFLICT (project_id, event_type_id, share) DO UPDATE
       SET events = c.events + excluded.events, longest = greatest(c.longest, excluded.longest);
END;

CREATE FUNCTION check_event_types() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE kind record;
BEGIN
    FOR kind IN
        SELECT project_id, event_type_id, count(*) FILTER (WHERE voided_at IS NULL) AS more,
               max(end_time - start_time) AS longest
          FROM changed GROUP BY project_id, event_type_id ORDER BY project_id, event_type_id
    LOOP
        PERFORM check_event_type(kind.project_id, kind.event_type_id);
        PERFORM count_events(kind.project_id, kind.event_type_id, kind.more, kind.longest);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER events_types_on_insert AFTER INSERT ON events
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_event_types();

CREATE FUNCTION check_changed_event_types() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE kind record;
BEGIN
    FOR kind IN
        SELECT project_id, event_type_id, sum(counts) AS more, max(lasting) AS longest
          FROM (SELECT project_id, event_type_id, (voided_at IS NULL)::integer AS counts,
                       end_time - start_time AS lasting FROM changed
                UNION ALL
                SELECT project_id, event_type_id, - (voided_at IS NULL)::integer, interval '0' FROM former) AS both_
         GROUP BY project_id, event_type_id ORDER BY project_id, event_type_id
    LOOP
        PERFORM check_event_type(kind.project_id, kind.event_type_id);
        IF kind.more <> 0 OR kind.longest > (SELECT coalesce(max(longest), interval '0') FROM event_counts
             WHERE project_id = kind.project_id AND event_type_id = kind.event_type_id) THEN
            PERFORM count_events(kind.project_id, kind.event_type_id, kind.more, kind.longest);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER events_types_on_update AFTER UPDATE ON events
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION check_changed_event_types();

CREATE FUNCTION check_event_type_unused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM events WHERE project_id = OLD.project_id AND event_type_id = OLD.id) THEN
        RAISE EXCEPTION 'event type % is that of events', OLD.id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'events_event_type';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER event_types_used_stay BEFORE DELETE ON event_types
    FOR EACH ROW EXECUTE FUNCTION check_event_type_unused();
