-- Which revision of the engine computed a batch: whatever stands here was computed by the first. What says
-- nothing counts as that too, and is computed anew. Of an instrument, which nothing computes, it says nothing.

ALTER TABLE batches ADD COLUMN engine_revision smallint NOT NULL DEFAULT 1 CHECK (engine_revision >= 1);

-- To tell at once that a project has no batch of an older revision.
CREATE INDEX batches_of_engine_revision ON batches (project_id, engine_revision)
    WHERE deleted_at IS NULL AND run_id IS NOT NULL;
