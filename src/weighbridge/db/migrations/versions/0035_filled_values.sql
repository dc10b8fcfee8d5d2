-- Few events were ever revised; what rules have filled is found among those of a type by time, however many
-- events lie between.
CREATE INDEX events_revised ON events (project_id, event_type_id, start_time, id) WHERE is_revised;
