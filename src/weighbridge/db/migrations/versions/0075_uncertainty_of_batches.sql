-- How uncertain an output is: components by effect, and correlations of effects, with numbers as texts. Null where the
-- model did not ask for it.

ALTER TABLE batch_calculations ADD COLUMN uncertainty jsonb;
ALTER TABLE batch_calculations ADD CONSTRAINT batch_calculations_uncertainty_check
    CHECK (uncertainty IS NULL OR is_output AND jsonb_typeof(uncertainty) = 'object') NOT VALID;

-- What a draw brought along of its source: of the amount, then of each attribute.
ALTER TABLE batch_draws ADD COLUMN uncertainties jsonb;
ALTER TABLE batch_draws ADD CONSTRAINT batch_draws_uncertainties_check
    CHECK (jsonb_typeof(uncertainties) = 'array') NOT VALID;

-- Of the uncertainties of all outputs: a batch whose run has another is adjusted, also where the total stays equal.
ALTER TABLE batches ADD COLUMN uncertainty_sha256 bytea;
ALTER TABLE former_batches ADD COLUMN uncertainty_sha256 bytea;
