-- An account can move from one cell to another while it is written to. The copy is made first; meanwhile triggers, which
-- are there only as long as a move takes, write down what changes, and this is copied again.

CREATE UNLOGGED TABLE captured_changes (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    table_name  text NOT NULL,
    key         jsonb NOT NULL
);
COMMENT ON TABLE captured_changes IS
    'Keys of rows that changed while their account is being copied to another cell; empty otherwise.';

-- Takes the number of the account, the name of the table, its key as arguments of jsonb_build_object, and a condition
-- for rows that may be of the account.
CREATE FUNCTION capture_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE keys jsonb[];
BEGIN
    EXECUTE format('SELECT array_agg(jsonb_build_object(%s)) FROM changed WHERE %s', TG_ARGV[2], TG_ARGV[3]) INTO keys;
    IF keys IS NULL THEN
        RETURN NULL;
    END IF;
    -- A command that was killed has left its triggers.
    IF pg_try_advisory_xact_lock_shared(hashtextextended('accounts:moving', 0)) THEN
        RETURN NULL;
    END IF;
    -- Nobody waits for the last step of a move: it may have to wait for rows that this transaction holds.
    IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('accounts:move:' || TG_ARGV[0], 0)) THEN
        RAISE EXCEPTION 'account % is about to move to another cell', TG_ARGV[0] USING ERRCODE = '57W01';
    END IF;
    INSERT INTO captured_changes (table_name, key) SELECT TG_ARGV[1], unnest(keys);
    RETURN NULL;
END $$;

-- A transaction that is for one account begins with this. One that writes keeps the account where it is.
CREATE FUNCTION enter_account(wanted integer, is_writing boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF is_writing THEN
        PERFORM FROM accounts WHERE id = wanted FOR KEY SHARE;
    ELSE
        PERFORM FROM accounts WHERE id = wanted;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'account % does not live in this cell', wanted USING ERRCODE = '57W01';
    END IF;
END $$;
