-- A rule may make events for slots of a rolled-up type in which no reading came; nobody else writes such events.
CREATE OR REPLACE FUNCTION check_event_types() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE kind record;
BEGIN
    FOR kind IN
        SELECT project_id, event_type_id, count(*) FILTER (WHERE voided_at IS NULL) AS more,
               max(end_time - start_time) AS longest, bool_or(readings IS NULL AND NOT is_imputed) AS by_hand,
               bool_or(readings IS NOT NULL) AS rolled_up
          FROM changed GROUP BY project_id, event_type_id ORDER BY project_id, event_type_id
    LOOP
        PERFORM check_event_type(kind.project_id, kind.event_type_id);
        PERFORM check_rolled_up(kind.project_id, kind.event_type_id, kind.by_hand, kind.rolled_up);
        PERFORM count_events(kind.project_id, kind.event_type_id, kind.more, kind.longest);
    END LOOP;
    RETURN NULL;
END $$;

-- Withdraw imputed events whose slots have a captured one, and say which: the first that is there.
CREATE FUNCTION give_way_to_captured(project integer, imputed bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE taken bigint[];
BEGIN
    WITH captured AS (
        SELECT m.event_id, min(e.id) AS id
          FROM imputations m
          JOIN events e ON e.project_id = m.project_id AND e.event_type_id = m.event_type_id
           AND e.start_time >= m.slot_start AND e.start_time < m.slot_end
           AND e.voided_at IS NULL AND NOT e.is_imputed AND coalesce(e.asset_id, 0) = m.asset_id
           AND CASE WHEN e.asset_id IS NULL THEN coalesce(e.location_ids[1], 0) ELSE 0 END = m.location_id
         WHERE m.project_id = project AND m.event_id = ANY (imputed) AND m.withdrawn_at IS NULL
         GROUP BY m.event_id
    ), given_way AS (
        UPDATE imputations m
           SET withdrawn_at = now(), withdrawn_by = pg_current_xact_id(), captured_by = captured.id
          FROM captured WHERE m.project_id = project AND m.event_id = captured.event_id
        RETURNING m.event_id
    )
    SELECT array_agg(event_id ORDER BY event_id) INTO taken FROM given_way;
    IF taken IS NOT NULL THEN
        PERFORM withdraw_imputed(project, taken);
    END IF;
END $$;

-- Whoever captures shares this lock of a type with the statement that stores the events; whoever has made imputed
-- events has it alone when it looks, as its last, for events that were captured meanwhile.
CREATE FUNCTION share_captured_slots(project integer, event_type integer) RETURNS void LANGUAGE sql
BEGIN ATOMIC
    SELECT pg_advisory_xact_lock_shared(hashtextextended('captured slots:' || project || ':' || event_type, 0));
END;

-- A captured event that comes for a slot withdraws what is proposed for it, and the imputed event that stands
-- there. Proposals come first: whoever approves one holds it, so the event that this makes is seen below. Then the
-- lock: imputed events that were made meanwhile are there by now, or their maker looks for what is stored here.
CREATE OR REPLACE FUNCTION take_place_of_imputed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE kind record;
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
    FOR turn IN 1 .. 2 LOOP
        FOR kind IN
            SELECT m.project_id AS project, array_agg(DISTINCT m.event_id) AS imputed
              FROM changed c
              JOIN imputations m ON m.project_id = c.project_id AND m.event_type_id = c.event_type_id
               AND m.asset_id = coalesce(c.asset_id, 0)
               AND m.location_id = CASE WHEN c.asset_id IS NULL THEN coalesce(c.location_ids[1], 0) ELSE 0 END
               AND m.withdrawn_at IS NULL AND c.start_time >= m.slot_start AND c.start_time < m.slot_end
             WHERE NOT c.is_imputed AND c.voided_at IS NULL
             GROUP BY m.project_id
        LOOP
            PERFORM give_way_to_captured(kind.project, kind.imputed);
        END LOOP;
        EXIT WHEN turn = 2;
        IF TG_OP = 'INSERT' THEN
            PERFORM share_captured_slots(one.project_id, one.event_type_id)
               FROM (SELECT DISTINCT project_id, event_type_id FROM changed
                      WHERE NOT is_imputed AND voided_at IS NULL ORDER BY 1, 2) AS one;
        ELSE
            -- An event that stays where it was takes nobody's place.
            PERFORM share_captured_slots(one.project_id, one.event_type_id)
               FROM (SELECT DISTINCT c.project_id, c.event_type_id
                       FROM changed c JOIN former f ON (f.project_id, f.id) = (c.project_id, c.id)
                      WHERE NOT c.is_imputed AND c.voided_at IS NULL
                        AND (f.voided_at IS NOT NULL OR (f.start_time, f.asset_id, f.location_ids)
                             IS DISTINCT FROM (c.start_time, c.asset_id, c.location_ids))
                      ORDER BY 1, 2) AS one;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER events_take_place_on_update AFTER UPDATE ON events
    REFERENCING NEW TABLE AS changed OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION take_place_of_imputed();

-- Imputed events that stand beside a captured one, because neither saw the other when they were stored.
SELECT give_way_to_captured(project_id, array_agg(event_id))
  FROM imputations WHERE withdrawn_at IS NULL GROUP BY project_id;

-- Of imputed events that gave way before this was written down: which event came for the slot.
UPDATE imputations m
   SET captured_by = (
       SELECT min(e.id) FROM events e
        WHERE e.project_id = m.project_id AND e.event_type_id = m.event_type_id
          AND e.start_time >= m.slot_start AND e.start_time < m.slot_end AND NOT e.is_imputed
          AND e.created_at <= m.withdrawn_at AND (e.voided_at IS NULL OR e.voided_at >= m.withdrawn_at)
          AND coalesce(e.asset_id, 0) = m.asset_id
          AND CASE WHEN e.asset_id IS NULL THEN coalesce(e.location_ids[1], 0) ELSE 0 END = m.location_id)
 WHERE m.withdrawn_at IS NOT NULL AND m.captured_by IS NULL;
