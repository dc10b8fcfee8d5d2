-- Identity providers: who says, outside of the service, who somebody is and which groups they are in.

CREATE TABLE identity_providers (
    account_id     integer NOT NULL REFERENCES accounts,
    id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    issuer         text NOT NULL CHECK (issuer <> ''),
    client_id      text NOT NULL CHECK (client_id <> ''),
    domains        text[] NOT NULL CHECK (cardinality(domains) > 0),
    groups_claim   text NOT NULL CHECK (groups_claim <> ''),
    -- Pairs of a group and the name of a role.
    roles          jsonb NOT NULL CHECK (jsonb_typeof(roles) = 'array'),
    is_required    boolean NOT NULL,
    failure        text,
    failing_since  timestamptz(3),
    created_at     timestamptz(3) NOT NULL DEFAULT now(),
    updated_at     timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT identity_providers_name_key UNIQUE (account_id, name),
    CONSTRAINT identity_providers_key UNIQUE (account_id, id),
    CONSTRAINT identity_providers_failure_check CHECK ((failure IS NULL) = (failing_since IS NULL))
);
COMMENT ON TABLE identity_providers IS
    'Identity providers by which people of an account sign in (OpenID Connect), and the roles of their groups.';
CREATE INDEX identity_providers_by_domain ON identity_providers USING gin (domains);

CREATE TABLE identity_provider_secrets (
    account_id   integer NOT NULL,
    provider_id  integer NOT NULL,
    encrypted    bytea NOT NULL,
    PRIMARY KEY (account_id, provider_id),
    CONSTRAINT identity_provider_secrets_provider_fkey FOREIGN KEY (account_id, provider_id)
        REFERENCES identity_providers (account_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE identity_provider_secrets IS
    'The secrets by which the service proves to identity providers who it is, encrypted.';

-- Whoever keeps a password signs in by it, and no provider signs them in.
ALTER TABLE users ADD COLUMN keeps_password boolean NOT NULL DEFAULT false;

CREATE TABLE provider_people (
    account_id    integer NOT NULL,
    user_id       integer NOT NULL,
    provider_id   integer NOT NULL,
    subject       text NOT NULL CHECK (subject <> ''),
    groups        text[] NOT NULL,
    linked_at     timestamptz(3) NOT NULL DEFAULT now(),
    -- When the provider last said that the person may sign in.
    confirmed_at  timestamptz(3) NOT NULL DEFAULT now(),
    -- When it is asked next; null where there is nothing to ask it with.
    next_at       timestamptz(3),
    PRIMARY KEY (account_id, user_id),
    CONSTRAINT provider_people_subject_key UNIQUE (account_id, provider_id, subject),
    CONSTRAINT provider_people_user_fkey FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id),
    CONSTRAINT provider_people_provider_fkey FOREIGN KEY (account_id, provider_id)
        REFERENCES identity_providers (account_id, id)
);
COMMENT ON TABLE provider_people IS 'People who sign in by an identity provider, by what it calls them.';
CREATE INDEX provider_people_due ON provider_people (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE provider_refresh_tokens (
    account_id  integer NOT NULL,
    user_id     integer NOT NULL,
    encrypted   bytea NOT NULL,
    PRIMARY KEY (account_id, user_id),
    CONSTRAINT provider_refresh_tokens_person_fkey FOREIGN KEY (account_id, user_id)
        REFERENCES provider_people (account_id, user_id) ON DELETE CASCADE
);
COMMENT ON TABLE provider_refresh_tokens IS
    'What identity providers are asked with whether people may still sign in, encrypted.';

CREATE TABLE provider_sign_ins (
    account_id    integer NOT NULL,
    secret_hash   bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    provider_id   integer NOT NULL,
    browser_hash  bytea NOT NULL CHECK (octet_length(browser_hash) = 32),
    next          text NOT NULL,
    expires_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (account_id, secret_hash),
    CONSTRAINT provider_sign_ins_provider_fkey FOREIGN KEY (account_id, provider_id)
        REFERENCES identity_providers (account_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE provider_sign_ins IS
    'Ways to an identity provider that are under way: each ends once, in the browser in which it began.';
CREATE INDEX provider_sign_ins_by_end ON provider_sign_ins (expires_at);

CREATE TABLE provider_logouts (
    account_id   integer NOT NULL,
    provider_id  integer NOT NULL,
    token_id     text NOT NULL,
    expires_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (account_id, provider_id, token_id),
    CONSTRAINT provider_logouts_provider_fkey FOREIGN KEY (account_id, provider_id)
        REFERENCES identity_providers (account_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE provider_logouts IS 'Logout tokens that were taken, none of which counts twice.';

ALTER TABLE sessions
    -- The provider by which the session began, and what it calls its own session.
    ADD COLUMN provider_id integer,
    ADD COLUMN provider_session text,
    ADD CONSTRAINT sessions_provider_fkey FOREIGN KEY (account_id, provider_id)
        REFERENCES identity_providers (account_id, id) ON DELETE CASCADE;
