-- A methodology may name versions of its models: reports take batches of no other, or say how many they take.

-- Empty where any version of the model implements it.
ALTER TABLE methodology_models ADD COLUMN versions integer[] NOT NULL DEFAULT '{}';
ALTER TABLE methodology_models
    ADD CONSTRAINT methodology_models_versions_check CHECK (array_position(versions, NULL) IS NULL AND 0 < ALL (versions));

-- What becomes of a report that takes batches of other versions.
ALTER TABLE methodologies ADD COLUMN other_versions text NOT NULL DEFAULT 'refuse';
ALTER TABLE methodologies ADD CONSTRAINT methodologies_other_versions_check CHECK (other_versions IN ('refuse', 'note'));
