-- Who runs the service owns no table, and only an owner may have its statistics taken.

CREATE FUNCTION refresh_statistics(VARIADIC tables regclass[]) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one regclass;
BEGIN
    FOREACH one IN ARRAY tables LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) %s', one);
    END LOOP;
END $$;

-- A token that was issued by another is revoked with it.
ALTER TABLE api_tokens ADD COLUMN issued_by integer REFERENCES api_tokens;
CREATE INDEX api_tokens_of_issuer ON api_tokens (issued_by) WHERE issued_by IS NOT NULL;

-- It locks rows of a table that is never updated, for which a role needs the right to update it.
ALTER FUNCTION check_asset_custom_values() SECURITY DEFINER;
ALTER FUNCTION check_asset_custom_values() SET search_path FROM CURRENT;
