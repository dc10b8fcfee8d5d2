-- Rules that fill gaps: they substitute values that are not to count, and impute those that never came.
ALTER TABLE rule_versions
    DROP CONSTRAINT rule_versions_purpose_check,
    ADD CONSTRAINT rule_versions_purpose_check CHECK (purpose IN ('alert', 'adjust', 'substitute', 'impute'));

-- How the value was found: method, tier, code, window, members, availability and length of the gap.
ALTER TABLE corrections
    ADD COLUMN substitution jsonb,
    ADD CONSTRAINT corrections_substitutions CHECK (
        substitution IS NULL OR source = 'substitution' AND jsonb_typeof(substitution) = 'object');

-- What a result proposes: the value in force, what it would become and, of one that fills a gap, how it was found.
CREATE FUNCTION proposed_correction(from_value jsonb, to_value jsonb, substitution jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE BEGIN ATOMIC
    SELECT jsonb_build_object('from_value', from_value, 'to_value', to_value)
        || CASE WHEN substitution IS NULL THEN '{}' ELSE jsonb_build_object('substitution', substitution) END;
END;
