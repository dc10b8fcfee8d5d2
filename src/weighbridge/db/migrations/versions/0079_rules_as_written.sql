-- How grave it is what a rule finds: an alert ('fail') or a warning ('warn'). Versions of before name none, as the
-- audit log says of them, and find alerts.

ALTER TABLE rule_versions ADD COLUMN severity text;
ALTER TABLE rule_versions
    ADD CONSTRAINT rule_versions_severity_check CHECK (severity IN ('warn', 'fail')),
    ADD CONSTRAINT rule_versions_warn_only CHECK (severity <> 'warn' OR purpose = 'alert');

-- What the expressions of a version look up: limits by lorry or analyser, for example.
ALTER TABLE rule_versions ADD COLUMN tables jsonb;
ALTER TABLE rule_versions
    ADD CONSTRAINT rule_versions_tables_check CHECK (jsonb_typeof(tables) = 'object');

-- A result has the severity of its version, so that alerts are found and counted without it.
ALTER TABLE data_point_results ADD COLUMN severity text NOT NULL DEFAULT 'fail';
ALTER TABLE data_point_results
    ADD CONSTRAINT data_point_results_severity_check CHECK (severity IN ('warn', 'fail'));
ALTER TABLE former_data_point_results ADD COLUMN severity text NOT NULL DEFAULT 'fail';

ALTER TABLE model_run_results ADD COLUMN severity text NOT NULL DEFAULT 'fail';
ALTER TABLE model_run_results
    ADD CONSTRAINT model_run_results_severity_check CHECK (severity IN ('warn', 'fail'));
ALTER TABLE former_model_run_results ADD COLUMN severity text NOT NULL DEFAULT 'fail';

CREATE INDEX data_point_results_of_severity ON data_point_results (project_id, rule_id, severity, id);
CREATE INDEX model_run_results_of_severity ON model_run_results (project_id, rule_id, severity, id);
CREATE INDEX former_data_point_results_of_severity
    ON former_data_point_results (project_id, rule_id, severity, id);
CREATE INDEX former_model_run_results_of_severity ON former_model_run_results (project_id, rule_id, severity, id);

-- What a batch saw of an event whose missing value a rule filled in: a captured array ends with its last value, and
-- what was filled in may stand behind that.
CREATE OR REPLACE FUNCTION numbers_as_used(event events, batch bigint)
RETURNS numeric[] LANGUAGE plpgsql STABLE AS $$
DECLARE captured numeric[] := captured_numbers_as_used(event, batch);
BEGIN
    RETURN (
    WITH seen AS (
         SELECT c.position AS place, (array_agg(c.to_value) FILTER (WHERE used.correction_id IS NOT NULL))[1] AS value
           FROM corrections c
           LEFT JOIN batch_corrections used
             ON (used.project_id, used.batch_id, used.correction_id) = (c.project_id, batch, c.id)
          WHERE (c.project_id, c.event_id) = (event.project_id, event.id) AND c.position > 0
          GROUP BY c.position
         HAVING count(used.correction_id) > 0 OR bool_or(c.source = 'completion'))
    SELECT coalesce(array_agg(CASE WHEN seen.place IS NULL THEN captured[held.place]
                                   WHEN jsonb_typeof(seen.value) = 'number' THEN seen.value::numeric END
                              ORDER BY held.place), '{}')
      FROM generate_series(1, greatest(cardinality(captured),
               (SELECT max(s.place) FROM seen s WHERE jsonb_typeof(s.value) = 'number'))) AS held (place)
      LEFT JOIN seen ON seen.place = held.place);
END $$;

-- The errors that a calibration found and left, which rules look at and no uncertainty rests on.
ALTER TABLE calibrations
    ADD COLUMN as_found numeric CHECK (as_found > '-Infinity' AND as_found < 'Infinity'),
    ADD COLUMN as_left numeric CHECK (as_left > '-Infinity' AND as_left < 'Infinity'),
    ADD COLUMN error_unit text CHECK (error_unit <> '');
ALTER TABLE former_calibrations
    ADD COLUMN as_found numeric,
    ADD COLUMN as_left numeric,
    ADD COLUMN error_unit text;
