-- Event types whose events are computed from the readings of another type, and the functions that give an event as a
-- batch used it.


-- ## Definitions.

CREATE TABLE roll_ups (
    project_id       integer NOT NULL,
    event_type_id    integer NOT NULL,
    source_id        integer NOT NULL,
    -- The least share of the readings expected in a slot that must be valid.
    valid_share_min  numeric CHECK (valid_share_min > 0 AND valid_share_min <= 1),
    PRIMARY KEY (project_id, event_type_id),
    UNIQUE (project_id, event_type_id, source_id),
    FOREIGN KEY (project_id, event_type_id) REFERENCES event_types ON DELETE CASCADE,
    FOREIGN KEY (project_id, source_id) REFERENCES event_types
);
COMMENT ON TABLE roll_ups IS 'Event types whose events are rolled up from the readings of another type, slot by slot.';
CREATE INDEX roll_ups_of_source ON roll_ups (project_id, source_id);

CREATE TABLE rolled_up_values (
    project_id       integer NOT NULL,
    event_type_id    integer NOT NULL,
    position         smallint NOT NULL,
    aggregate        text NOT NULL CHECK (
        aggregate IN ('sum', 'average', 'min', 'max', 'count', 'first', 'last', 'median')),
    source_id        integer NOT NULL,
    source_position  smallint NOT NULL,
    PRIMARY KEY (project_id, event_type_id, position),
    FOREIGN KEY (project_id, event_type_id, source_id)
        REFERENCES roll_ups (project_id, event_type_id, source_id) ON UPDATE CASCADE ON DELETE CASCADE,
    FOREIGN KEY (project_id, event_type_id, position)
        REFERENCES data_point_types (project_id, event_type_id, position),
    FOREIGN KEY (project_id, source_id, source_position)
        REFERENCES data_point_types (project_id, event_type_id, position)
);
COMMENT ON TABLE rolled_up_values IS 'The aggregate that gives each data point of a rolled-up event.';
CREATE INDEX rolled_up_values_of_source ON rolled_up_values (project_id, source_id, source_position);

-- Under a lock, since two roll-ups defined at once could close a circle.
CREATE FUNCTION check_roll_up_circle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('roll ups:' || NEW.project_id, 0));
    IF EXISTS (
        WITH RECURSIVE above (id) AS (
            SELECT NEW.source_id
            UNION
            SELECT r.source_id FROM roll_ups r JOIN above ON r.event_type_id = above.id
             WHERE r.project_id = NEW.project_id)
        SELECT FROM above WHERE id = NEW.event_type_id) THEN
        RAISE EXCEPTION 'event type % would be rolled up from itself', NEW.event_type_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'roll_ups_no_circle';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER roll_ups_no_circle AFTER INSERT OR UPDATE ON roll_ups
    FOR EACH ROW EXECUTE FUNCTION check_roll_up_circle();


-- ## Changes that have to be rolled up.

CREATE TABLE roll_up_marks (
    project_id  integer NOT NULL,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    source_id   integer NOT NULL,
    start_time  timestamptz(3) NOT NULL,
    end_time    timestamptz(3) NOT NULL CHECK (end_time >= start_time),
    marked_at   timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, source_id) REFERENCES event_types ON DELETE CASCADE
);
COMMENT ON TABLE roll_up_marks IS
    'Changed readings that are not rolled up yet; from -infinity to infinity where the definition of the roll-up '
    'changed.';

CREATE FUNCTION mark_readings(project integer, types integer[], first timestamptz[], last timestamptz[])
RETURNS void LANGUAGE sql BEGIN ATOMIC
    INSERT INTO roll_up_marks (project_id, source_id, start_time, end_time)
    SELECT project, mark.event_type_id, mark.first, mark.last
      FROM unnest(types, first, last) AS mark (event_type_id, first, last)
     WHERE EXISTS (SELECT FROM roll_ups r
                    WHERE (r.project_id, r.source_id) = (project, mark.event_type_id));
END;

-- Marks everything that is rolled up from a type, or to it.
CREATE FUNCTION mark_roll_ups(project integer, event_type integer) RETURNS void LANGUAGE sql BEGIN ATOMIC
    INSERT INTO roll_up_marks (project_id, source_id, start_time, end_time)
    SELECT DISTINCT r.project_id, r.source_id, '-infinity'::timestamptz, 'infinity'::timestamptz
      FROM roll_ups r
     WHERE r.project_id = project AND event_type IN (r.source_id, r.event_type_id);
END;

-- Marks changed events for the automatic rules and the roll-ups of their project, if it has any. It is a function,
-- because its second statement must see what was committed before the lock was granted.
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
    IF EXISTS (SELECT FROM roll_ups r WHERE r.project_id = project) THEN
        PERFORM mark_readings(project, types, first, last);
    END IF;
END $$;

-- Changes other than those of readings that change the values of roll-ups.
CREATE FUNCTION mark_redefined_roll_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM mark_roll_ups(NEW.project_id, NEW.event_type_id);
    RETURN NULL;
END $$;
CREATE TRIGGER roll_ups_mark AFTER INSERT OR UPDATE ON roll_ups
    FOR EACH ROW EXECUTE FUNCTION mark_redefined_roll_up();
CREATE TRIGGER rolled_up_values_mark AFTER INSERT OR UPDATE ON rolled_up_values
    FOR EACH ROW EXECUTE FUNCTION mark_redefined_roll_up();

CREATE FUNCTION mark_roll_ups_of_type() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM mark_roll_ups(NEW.project_id, NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER event_types_mark_roll_ups AFTER UPDATE ON event_types FOR EACH ROW
    WHEN ((OLD.cadence_amount, OLD.cadence_unit, OLD.valid_when)
          IS DISTINCT FROM (NEW.cadence_amount, NEW.cadence_unit, NEW.valid_when))
    EXECUTE FUNCTION mark_roll_ups_of_type();

CREATE FUNCTION mark_roll_ups_of_point() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM mark_roll_ups(OLD.project_id, OLD.event_type_id);
    RETURN NULL;
END $$;
CREATE TRIGGER data_point_types_mark_roll_ups AFTER UPDATE ON data_point_types FOR EACH ROW
    WHEN (OLD.required <> NEW.required) EXECUTE FUNCTION mark_roll_ups_of_point();
CREATE TRIGGER data_point_types_mark_roll_ups_on_delete AFTER DELETE ON data_point_types FOR EACH ROW
    WHEN (OLD.required) EXECUTE FUNCTION mark_roll_ups_of_point();

CREATE FUNCTION mark_roll_ups_of_zone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM mark_roll_ups(r.project_id, r.event_type_id) FROM roll_ups r WHERE r.project_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER projects_mark_roll_ups AFTER UPDATE ON projects FOR EACH ROW
    WHEN (OLD.time_zone <> NEW.time_zone) EXECUTE FUNCTION mark_roll_ups_of_zone();

-- A condition may name tags by their names.
CREATE FUNCTION mark_roll_ups_of_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM mark_roll_ups(r.project_id, r.event_type_id)
       FROM roll_ups r JOIN event_types t ON (t.project_id, t.id) = (r.project_id, r.source_id)
      WHERE r.project_id = NEW.project_id AND t.valid_when IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER locations_mark_roll_ups AFTER UPDATE ON locations FOR EACH ROW
    WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION mark_roll_ups_of_name();
CREATE TRIGGER assets_mark_roll_ups AFTER UPDATE ON assets FOR EACH ROW
    WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION mark_roll_ups_of_name();
CREATE TRIGGER feedstocks_mark_roll_ups AFTER UPDATE ON feedstocks FOR EACH ROW
    WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION mark_roll_ups_of_name();


-- ## Rolled-up events.

CREATE FUNCTION check_roll_up_unused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM events e WHERE e.project_id = OLD.project_id AND e.event_type_id = OLD.event_type_id
                  AND e.readings IS NOT NULL) THEN
        RAISE EXCEPTION 'event type % has events that were rolled up', OLD.event_type_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'events_rolled_up';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER roll_ups_used_stay AFTER DELETE ON roll_ups
    FOR EACH ROW EXECUTE FUNCTION check_roll_up_unused();

CREATE FUNCTION check_roll_up_alone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM events e WHERE e.project_id = NEW.project_id AND e.event_type_id = NEW.event_type_id
                  AND e.readings IS NULL) THEN
        RAISE EXCEPTION 'event type % has events that were captured', NEW.event_type_id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'events_rolled_up';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER roll_ups_have_no_captured_events AFTER INSERT ON roll_ups
    FOR EACH ROW EXECUTE FUNCTION check_roll_up_alone();

CREATE TABLE rolled_up_before (
    project_id   integer NOT NULL,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    event_id     bigint NOT NULL,
    last_batch   bigint NOT NULL,
    numbers      numeric[] NOT NULL,
    texts        text[] NOT NULL,
    booleans     boolean[] NOT NULL,
    replaced_at  timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, event_id) REFERENCES events
);
COMMENT ON TABLE rolled_up_before IS
    'Earlier values of rolled-up events, as batches up to the id last_batch used them.';
CREATE INDEX rolled_up_before_of_event ON rolled_up_before (project_id, event_id, last_batch, id);
CREATE TRIGGER rolled_up_before_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON rolled_up_before
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Keeps the values of a rolled-up event that batches have used before they change.
CREATE FUNCTION keep_rolled_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.readings IS NULL OR NEW.readings IS NULL
       OR (OLD.event_type_id, OLD.start_time, OLD.end_time, OLD.tracking_id, OLD.feedstock_id, OLD.asset_id,
           OLD.location_ids, OLD.is_imputed, OLD.captured)
          IS DISTINCT FROM
          (NEW.event_type_id, NEW.start_time, NEW.end_time, NEW.tracking_id, NEW.feedstock_id, NEW.asset_id,
           NEW.location_ids, NEW.is_imputed, NEW.captured) THEN
        RAISE EXCEPTION 'slot and tags of the rolled-up event % never change', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'events_rolled_up_stay';
    END IF;
    NEW.is_revised := NEW.is_revised OR OLD.is_revised;
    IF OLD.numbers::text <> NEW.numbers::text
       OR (OLD.texts, OLD.booleans) IS DISTINCT FROM (NEW.texts, NEW.booleans) THEN
        INSERT INTO rolled_up_before (project_id, event_id, last_batch, numbers, texts, booleans)
        SELECT OLD.project_id, OLD.id,
               (SELECT max(b.id) FROM batches b WHERE b.project_id = OLD.project_id),
               OLD.numbers, OLD.texts, OLD.booleans
         WHERE EXISTS (SELECT FROM batch_inputs i
                        WHERE i.project_id = OLD.project_id AND OLD.id = ANY (i.event_ids)
                          AND int8range(i.first_event, i.last_event, '[]') @> OLD.id);
        NEW.is_revised := NEW.is_revised OR FOUND;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER events_keep_rolled_up BEFORE UPDATE ON events FOR EACH ROW
    WHEN (OLD.readings IS NOT NULL OR NEW.readings IS NOT NULL) EXECUTE FUNCTION keep_rolled_up();


-- ## Arithmetic of aggregates.

-- A number rounded to 34 digits, half to even; null where it is too large.
CREATE FUNCTION to_34_digits(number numeric) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN length(number::text) <= 34 THEN number
                WHEN abs(number) < 1e101::numeric THEN quotient(number, 1) END;

-- The median of values in their order: the middle value, or the average of the two in the middle.
CREATE FUNCTION median_of(ordered numeric[]) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN cardinality(ordered) % 2 = 1 THEN ordered[(cardinality(ordered) + 1) / 2]
                ELSE quotient(ordered[cardinality(ordered) / 2] + ordered[cardinality(ordered) / 2 + 1], 2) END;


-- ## An event as a batch used it.

-- The values of a rolled-up event when a batch used it; no row where they have not changed since.
CREATE FUNCTION rolled_up_as_used(event events, batch bigint) RETURNS SETOF rolled_up_before
LANGUAGE sql STABLE AS $$
    SELECT was.* FROM rolled_up_before was
     WHERE event.readings IS NOT NULL AND (was.project_id, was.event_id) = (event.project_id, event.id)
       AND was.last_batch >= batch
     ORDER BY was.last_batch, was.id LIMIT 1
$$;

CREATE FUNCTION captured_numbers_as_used(event events, batch bigint) RETURNS numeric[] LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT numbers FROM rolled_up_as_used(event, batch)), event.numbers)
$$;

CREATE FUNCTION captured_texts_as_used(event events, batch bigint) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT texts FROM rolled_up_as_used(event, batch)), event.texts)
$$;

CREATE FUNCTION captured_booleans_as_used(event events, batch bigint) RETURNS boolean[] LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT booleans FROM rolled_up_as_used(event, batch)), event.booleans)
$$;

-- The corrected values of an event that a batch used; null at the position of a value that was added later. Only
-- revised events need it.
CREATE FUNCTION values_as_used(event events, batch bigint) RETURNS TABLE (place integer, value jsonb)
LANGUAGE sql STABLE AS $$
    SELECT c.position::integer, (array_agg(c.to_value) FILTER (WHERE used.correction_id IS NOT NULL))[1]
      FROM corrections c
      LEFT JOIN batch_corrections used
        ON (used.project_id, used.batch_id, used.correction_id) = (c.project_id, batch, c.id)
     WHERE (c.project_id, c.event_id) = (event.project_id, event.id) AND c.position > 0
     GROUP BY c.position
    HAVING count(used.correction_id) > 0 OR bool_or(c.source = 'completion')
$$;

CREATE FUNCTION numbers_as_used(event events, batch bigint) RETURNS numeric[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(CASE WHEN seen.place IS NULL THEN held.value
                                   WHEN jsonb_typeof(seen.value) = 'number' THEN seen.value::numeric END
                              ORDER BY held.place), '{}')
      FROM unnest(captured_numbers_as_used(event, batch)) WITH ORDINALITY AS held (value, place)
      LEFT JOIN values_as_used(event, batch) AS seen ON seen.place = held.place
$$;

CREATE FUNCTION texts_as_used(event events, batch bigint) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(CASE WHEN seen.place IS NULL THEN held.value
                                   WHEN jsonb_typeof(seen.value) = 'string' THEN seen.value #>> '{}' END
                              ORDER BY held.place), '{}')
      FROM unnest(captured_texts_as_used(event, batch)) WITH ORDINALITY AS held (value, place)
      LEFT JOIN values_as_used(event, batch) AS seen ON seen.place = held.place
$$;

CREATE FUNCTION booleans_as_used(event events, batch bigint) RETURNS boolean[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(CASE WHEN seen.place IS NULL THEN held.value
                                   WHEN jsonb_typeof(seen.value) = 'boolean' THEN seen.value::boolean END
                              ORDER BY held.place), '{}')
      FROM unnest(captured_booleans_as_used(event, batch)) WITH ORDINALITY AS held (value, place)
      LEFT JOIN values_as_used(event, batch) AS seen ON seen.place = held.place
$$;

CREATE FUNCTION field_as_used(event events, batch bigint, name text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        (SELECT c.to_value #>> '{}' FROM corrections c
           JOIN batch_corrections used
             ON (used.project_id, used.batch_id, used.correction_id) = (c.project_id, batch, c.id)
          WHERE (c.project_id, c.event_id, c.position, c.field) = (event.project_id, event.id, 0, name)),
        CASE WHEN event.captured ? name THEN event.captured ->> name ELSE to_jsonb(event) ->> name END)
$$;

-- A number that differs when other corrections are in force on these values, the times or the tags, or when the event
-- was rolled up again: now, or as a batch recorded them.
CREATE FUNCTION revision_of(project integer, event bigint, positions smallint[], batch bigint)
RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(bit_xor(hashint8extended(c.id, 0)), 0)
           # (SELECT coalesce(bit_xor(hashint8extended(was.id, 1)), 0) FROM rolled_up_before was
               WHERE was.project_id = project AND was.event_id = event
                 AND (batch IS NULL OR was.last_batch < batch))
      FROM corrections c
     WHERE c.project_id = project AND c.event_id = event AND (c.position = 0 OR c.position = ANY (positions))
       AND CASE WHEN batch IS NULL THEN c.state = 'in_force'
                ELSE EXISTS (SELECT FROM batch_corrections used
                              WHERE (used.project_id, used.batch_id, used.correction_id)
                                  = (c.project_id, batch, c.id)) END
$$;

-- The source of the correction in force on each value of an event, in the order of the positions; null where there is
-- none. For a batch, what the batch recorded.
CREATE FUNCTION correction_sources_of(project integer, event bigint, positions smallint[], batch bigint)
RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT array_agg(c.source ORDER BY read.place)
      FROM unnest(positions) WITH ORDINALITY AS read (position, place)
      LEFT JOIN corrections c
        ON c.project_id = project AND c.event_id = event AND c.position = read.position
       AND CASE WHEN batch IS NULL THEN c.state = 'in_force'
                ELSE EXISTS (SELECT FROM batch_corrections used
                              WHERE (used.project_id, used.batch_id, used.correction_id)
                                  = (c.project_id, batch, c.id)) END
$$;
