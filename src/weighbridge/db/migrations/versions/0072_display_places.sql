-- How many decimals pages show of a ledger's amounts; amounts themselves keep the ledger's scale.

ALTER TABLE ledgers ADD COLUMN display_places smallint;
ALTER TABLE ledgers
    ADD CONSTRAINT ledgers_display_places_check CHECK (display_places BETWEEN 0 AND scale);
ALTER TABLE former_ledgers ADD COLUMN display_places smallint;
