-- What requests leave behind: answers that can be repeated, and how often each token has called.

CREATE TABLE idempotency_keys (
    token_id     integer NOT NULL REFERENCES api_tokens,
    method       text NOT NULL,
    path         text NOT NULL,
    key          text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
    body_sha256  bytea NOT NULL CHECK (octet_length(body_sha256) = 32),
    -- Null only inside the transaction of the effect: the answer is stored before it commits.
    status       integer,
    headers      jsonb,
    answer       bytea,
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (token_id, method, path, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE FUNCTION refuse_unanswered_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM idempotency_keys k
               WHERE (k.token_id, k.method, k.path, k.key) = (NEW.token_id, NEW.method, NEW.path, NEW.key)
                 AND k.answer IS NULL) THEN
        RAISE EXCEPTION 'an idempotency key cannot be kept without its answer' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER idempotency_keys_answered AFTER INSERT ON idempotency_keys
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_unanswered_key();

-- Not logged: after a crash of the database a minute may begin anew, which harms nobody.
CREATE UNLOGGED TABLE request_counts (
    token_id  integer PRIMARY KEY,
    minute    integer NOT NULL,
    requests  integer NOT NULL
) WITH (fillfactor = 50);
