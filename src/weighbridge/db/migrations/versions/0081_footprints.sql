-- Footprints of products as PACT exchanges them: what they are made from, who reads them, and what partners send.

CREATE TABLE footprint_products (
    account_id                 integer NOT NULL REFERENCES accounts,
    id                         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name                       text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    company_name               text NOT NULL CHECK (company_name <> ''),
    company_ids                text[] NOT NULL CHECK (cardinality(company_ids) > 0),
    product_ids                text[] NOT NULL CHECK (cardinality(product_ids) > 0),
    product_classifications    text[] NOT NULL,
    description                text NOT NULL,
    comment                    text,
    declared_unit              text NOT NULL CHECK (declared_unit <> ''),
    declared_amount            numeric NOT NULL CHECK (declared_amount > 0),
    mass_per_declared_unit     numeric NOT NULL CHECK (mass_per_declared_unit >= 0),
    geography                  text,
    -- What says how much of the product was made, and where each amount of the footprint comes from.
    quantity                   text NOT NULL CHECK (quantity <> ''),
    amounts                    jsonb NOT NULL CHECK (jsonb_typeof(amounts) = 'object'),
    properties                 jsonb NOT NULL CHECK (jsonb_typeof(properties) = 'object'),
    exempted_percent           numeric NOT NULL CHECK (exempted_percent BETWEEN 0 AND 100),
    states_primary_data_share  boolean NOT NULL,
    valid_months               integer NOT NULL CHECK (valid_months BETWEEN 1 AND 36),
    created_at                 timestamptz(3) NOT NULL DEFAULT now(),
    updated_at                 timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT footprint_products_name_key UNIQUE (account_id, name)
);
COMMENT ON TABLE footprint_products IS 'Products of which footprints are made, and how these follow from batches.';

CREATE TABLE footprints (
    account_id                 integer NOT NULL REFERENCES accounts,
    -- Footprints are listed in this order, so that a page leads to the next one whatever is added meanwhile.
    number                     bigint GENERATED ALWAYS AS IDENTITY,
    id                         uuid NOT NULL,
    product_id                 integer NOT NULL REFERENCES footprint_products,
    project_id                 integer NOT NULL,
    batch_id                   bigint,
    report_id                  bigint,
    status                     text NOT NULL DEFAULT 'Active' CHECK (status IN ('Active', 'Deprecated')),
    -- The footprint as it is sent, without its status: the only thing of it that changes.
    content                    text NOT NULL,
    preceding                  uuid[] NOT NULL,
    primary_data_share_reason  text,
    -- What it is looked for by, in lower case.
    product_ids                text[] NOT NULL,
    company_ids                text[] NOT NULL,
    classifications            text[] NOT NULL,
    geographies                text[] NOT NULL,
    valid_from                 timestamptz(3) NOT NULL,
    valid_until                timestamptz(3) NOT NULL,
    user_id                    integer NOT NULL,
    created_at                 timestamptz(3) NOT NULL DEFAULT now(),
    deprecated_at              timestamptz(3),
    deprecated_reason          text,
    PRIMARY KEY (account_id, id),
    CONSTRAINT footprints_user_fkey FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id),
    CONSTRAINT footprints_number_key UNIQUE (account_id, number),
    CONSTRAINT footprints_source_check CHECK (num_nonnulls(batch_id, report_id) = 1),
    CONSTRAINT footprints_deprecated_check CHECK ((status = 'Active') = (deprecated_at IS NULL))
);
COMMENT ON TABLE footprints IS 'Footprints of products: made once from a batch or a report, and never changed.';
CREATE INDEX footprints_of_product ON footprints (product_id);
CREATE INDEX footprints_of_report ON footprints (project_id, report_id) WHERE status = 'Active';

CREATE FUNCTION refuse_footprint_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a footprint never changes; it can only be deprecated' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER footprints_are_immutable BEFORE UPDATE ON footprints FOR EACH ROW
    WHEN (OLD.status = 'Deprecated' OR NEW.status = 'Active'
          OR (NEW.account_id, NEW.number, NEW.id, NEW.product_id, NEW.project_id, NEW.batch_id, NEW.report_id,
              NEW.content, NEW.preceding, NEW.primary_data_share_reason, NEW.product_ids, NEW.company_ids,
              NEW.classifications, NEW.geographies, NEW.valid_from, NEW.valid_until, NEW.created_at)
             IS DISTINCT FROM
             (OLD.account_id, OLD.number, OLD.id, OLD.product_id, OLD.project_id, OLD.batch_id, OLD.report_id,
              OLD.content, OLD.preceding, OLD.primary_data_share_reason, OLD.product_ids, OLD.company_ids,
              OLD.classifications, OLD.geographies, OLD.valid_from, OLD.valid_until, OLD.created_at))
    EXECUTE FUNCTION refuse_footprint_change();

CREATE TABLE footprint_partners (
    account_id     integer NOT NULL REFERENCES accounts,
    id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    address        text NOT NULL CHECK (address <> ''),
    token_address  text NOT NULL CHECK (token_address <> ''),
    client_id      text NOT NULL CHECK (client_id <> ''),
    is_notified    boolean NOT NULL,
    created_at     timestamptz(3) NOT NULL DEFAULT now(),
    updated_at     timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT footprint_partners_name_key UNIQUE (account_id, name)
);
COMMENT ON TABLE footprint_partners IS 'Hosts of partners from which footprints are read and to which events are sent.';

CREATE TABLE footprint_partner_secrets (
    partner_id  integer PRIMARY KEY REFERENCES footprint_partners,
    value       text CHECK (value <> ''),
    encrypted   bytea,
    CONSTRAINT footprint_partner_secrets_kept_once CHECK (num_nonnulls(value, encrypted) = 1)
);
COMMENT ON TABLE footprint_partner_secrets IS
    'Client secrets that authenticate the service at a partner, encrypted, apart from all that is shown.';

CREATE TABLE footprint_clients (
    account_id   integer NOT NULL REFERENCES accounts,
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    client_id    text NOT NULL CHECK (client_id <> ''),
    secret_hash  bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    partner_id   integer REFERENCES footprint_partners,
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    revoked_at   timestamptz(3),
    CONSTRAINT footprint_clients_client_key UNIQUE (client_id)
);
COMMENT ON TABLE footprint_clients IS 'Clients that may read footprints of the account; only the hash of a secret is stored.';
CREATE INDEX footprint_clients_of_account ON footprint_clients (account_id, id);
CREATE INDEX footprint_clients_of_partner ON footprint_clients (partner_id);

CREATE TABLE footprint_tokens (
    account_id   integer NOT NULL REFERENCES accounts,
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client_id    integer NOT NULL REFERENCES footprint_clients,
    secret_hash  bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    expires_at   timestamptz(3) NOT NULL,
    CONSTRAINT footprint_tokens_secret_key UNIQUE (secret_hash)
);
COMMENT ON TABLE footprint_tokens IS 'Tokens that clients of footprints were given, until they expire.';
CREATE INDEX footprint_tokens_of_client ON footprint_tokens (client_id);
CREATE INDEX footprint_tokens_by_end ON footprint_tokens (expires_at);

CREATE TABLE footprint_events (
    account_id   integer NOT NULL REFERENCES accounts,
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client_id    integer NOT NULL REFERENCES footprint_clients,
    type         text NOT NULL,
    source       text NOT NULL,
    event_id     text NOT NULL,
    content      text NOT NULL,
    received_at  timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT footprint_events_event_key UNIQUE (client_id, source, event_id)
);
COMMENT ON TABLE footprint_events IS 'Events that clients of footprints have sent, each once.';
CREATE INDEX footprint_events_of_account ON footprint_events (account_id, id);

CREATE TABLE received_footprints (
    account_id    integer NOT NULL REFERENCES accounts,
    id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    footprint_id  text NOT NULL CHECK (footprint_id <> ''),
    partner_id    integer REFERENCES footprint_partners,
    client_id     integer REFERENCES footprint_clients,
    content       text NOT NULL,
    sha256        bytea NOT NULL CHECK (octet_length(sha256) = 32),
    received_at   timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE received_footprints IS 'Footprints of others as they came; what came again and differs is a row of its own.';
CREATE UNIQUE INDEX received_footprints_key
    ON received_footprints (account_id, footprint_id, sha256, (coalesce(partner_id, 0)), (coalesce(client_id, 0)));
CREATE INDEX received_footprints_of_partner ON received_footprints (partner_id);
CREATE INDEX received_footprints_of_client ON received_footprints (client_id);

CREATE FUNCTION refuse_received_footprint_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a footprint that was received never changes' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER received_footprints_are_immutable BEFORE UPDATE ON received_footprints FOR EACH ROW
    EXECUTE FUNCTION refuse_received_footprint_change();

CREATE TABLE footprint_calls (
    account_id       integer NOT NULL REFERENCES accounts,
    id               integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partner_id       integer NOT NULL REFERENCES footprint_partners,
    kind             text NOT NULL CHECK (kind IN ('published', 'request_created', 'request_fulfilled',
                                                   'request_rejected', 'read')),
    -- The event as it is sent; of a reading what is read.
    content          text NOT NULL,
    event_id         text NOT NULL CHECK (event_id <> ''),
    state            text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    attempt_count    integer NOT NULL DEFAULT 0,
    next_attempt_at  timestamptz(3) DEFAULT now(),
    held_until       timestamptz(3),
    holder           uuid,
    last_error       text,
    created_at       timestamptz(3) NOT NULL DEFAULT now(),
    ended_at         timestamptz(3),
    CONSTRAINT footprint_calls_ended_check CHECK ((state = 'pending') = (ended_at IS NULL))
);
COMMENT ON TABLE footprint_calls IS 'What is sent to partners and read from them, until it has been.';
CREATE INDEX footprint_calls_due ON footprint_calls (next_attempt_at) WHERE state = 'pending';
CREATE INDEX footprint_calls_of_account ON footprint_calls (account_id, id);
CREATE INDEX footprint_calls_of_partner ON footprint_calls (partner_id);

ALTER TABLE feature_flags
    DROP CONSTRAINT feature_flags_name_check,
    ADD CONSTRAINT feature_flags_name_check CHECK (
        name IN ('rules_engine', 'data_capture_rate', 'approval_of_own', 'footprint_exchange'));
