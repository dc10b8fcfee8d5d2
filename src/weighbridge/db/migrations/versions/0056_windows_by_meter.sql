ALTER TABLE rule_versions
    -- The asset whose events the rule watches; null for those of every asset.
    ADD COLUMN asset_id integer,
    -- Whether a window looks at the record's own meter, or at all of its scope; null for what is usual.
    ADD COLUMN window_meters text CHECK (window_meters IN ('own', 'all')),
    ADD CONSTRAINT rule_versions_asset FOREIGN KEY (project_id, asset_id) REFERENCES assets,
    ADD CONSTRAINT rule_versions_model_runs_have_no_meter
        CHECK (target = 'data_point' OR (asset_id IS NULL AND coalesce(window_meters, 'all') = 'all'));
CREATE INDEX rule_versions_of_asset ON rule_versions (project_id, asset_id) WHERE asset_id IS NOT NULL;

-- Roll-ups whose readings are tagged in several ways counted a slot of them once for each tag: they are made anew
-- where a slot of a meter has several events.
INSERT INTO roll_up_marks (project_id, source_id, start_time, end_time)
SELECT r.project_id, r.source_id, min(several.start_time), max(several.end_time)
  FROM roll_ups r
  JOIN LATERAL (
       SELECT e.start_time, e.end_time
         FROM events e
        WHERE (e.project_id, e.event_type_id) = (r.project_id, r.event_type_id)
          AND e.covered_readings IS NOT NULL AND e.voided_at IS NULL
        GROUP BY e.start_time, e.end_time, e.asset_id, CASE WHEN e.asset_id IS NULL THEN e.location_ids[1] END
       HAVING count(*) > 1) AS several ON true
 GROUP BY r.project_id, r.event_type_id, r.source_id;
