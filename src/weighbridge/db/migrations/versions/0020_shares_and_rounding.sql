-- The place at which a model cuts shares, and how a ledger rounds.

-- What the document says; those there are by now could not say it, so they have what counts when none does.
ALTER TABLE models
    ADD COLUMN share_places smallint NOT NULL DEFAULT 6 CHECK (share_places BETWEEN 0 AND 12);

CREATE OR REPLACE FUNCTION refuse_model_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.family_id, NEW.version, NEW.cadence, NEW.partition_type, NEW.share_places, NEW.document, NEW.sha256)
       IS DISTINCT FROM
       (OLD.family_id, OLD.version, OLD.cadence, OLD.partition_type, OLD.share_places, OLD.document, OLD.sha256)
    THEN
        RAISE EXCEPTION 'what a model version computes never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- All that was posted was rounded half to even. What a ledger has posted cannot be rounded anew, so how it
-- rounds never changes.
ALTER TABLE ledgers
    ADD COLUMN rounding text NOT NULL DEFAULT 'half_even' CHECK (rounding IN ('half_even', 'down'));

CREATE FUNCTION refuse_other_rounding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.rounding IS DISTINCT FROM OLD.rounding THEN
        RAISE EXCEPTION 'how a ledger rounds never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER ledgers_keep_rounding BEFORE UPDATE ON ledgers
    FOR EACH ROW EXECUTE FUNCTION refuse_other_rounding();
