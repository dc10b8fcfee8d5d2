-- Which revision of the engine computed a batch: whatever stands here was computed by the first.

ALTER TABLE batches ADD COLUMN engine_revision smallint DEFAULT 1;
ALTER TABLE batches ALTER COLUMN engine_revision DROP DEFAULT;
-- Nothing computes an instrument.
UPDATE batches SET engine_revision = NULL WHERE run_id IS NULL;
ALTER TABLE batches ADD CONSTRAINT batches_engine_revision CHECK (
    CASE WHEN run_id IS NULL THEN engine_revision IS NULL ELSE engine_revision >= 1 AND engine_revision IS NOT NULL END);

-- To tell at once that a project has no batch of an older revision.
CREATE INDEX batches_of_engine_revision ON batches (project_id, engine_revision) WHERE deleted_at IS NULL;
