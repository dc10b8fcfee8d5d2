-- A user is whom tokens act for; one with a password is a person who signs in as well.
ALTER TABLE users
    ADD COLUMN permissions text[] NOT NULL DEFAULT '{}'
        CHECK (permissions <@ ARRAY['production_accounting:read', 'production_accounting:write',
                                    'data_collection:read', 'data_collection:write', 'data_rules:read',
                                    'data_rules:write', 'administration:read', 'administration:write']),
    ADD COLUMN password_hash text CHECK (password_hash LIKE '$argon2id$%'),
    ADD COLUMN disabled_at timestamptz(3),
    ADD COLUMN signed_in_at timestamptz(3);

-- People sign in without saying which account they are of.
CREATE UNIQUE INDEX users_one_of_each_address ON users (lower(email)) WHERE password_hash IS NOT NULL;

-- Only the SHA-256 of a session's secret is kept: it has 256 random bits, so a fast hash is enough.
CREATE TABLE sessions (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   integer NOT NULL,
    user_id      integer NOT NULL,
    secret_hash  bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    program      text NOT NULL CHECK (length(program) <= 200),
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    used_at      timestamptz(3) NOT NULL DEFAULT now(),
    expires_at   timestamptz(3) NOT NULL CHECK (expires_at > created_at),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);
CREATE INDEX sessions_of_user ON sessions (account_id, user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- A link lets in whoever has it, once: to join, to set another password, or to sign in.
CREATE TABLE access_links (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   integer NOT NULL REFERENCES accounts,
    kind         text NOT NULL CHECK (kind IN ('first', 'join', 'password', 'sign_in')),
    secret_hash  bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    user_id      integer,
    email        text CHECK (email <> ''),
    permissions  text[] NOT NULL DEFAULT '{}',
    made_by      integer NOT NULL,
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    expires_at   timestamptz(3) NOT NULL CHECK (expires_at > created_at),
    used_at      timestamptz(3),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id),
    FOREIGN KEY (account_id, made_by) REFERENCES users (account_id, id),
    CHECK ((user_id IS NOT NULL) = (kind IN ('password', 'sign_in'))),
    CHECK ((email IS NOT NULL) = (kind = 'join'))
);
CREATE INDEX access_links_of_account ON access_links (account_id, created_at);

-- How often somebody tried to sign in lately, by the SHA-256 of an address; rows go with their time.
CREATE UNLOGGED TABLE sign_in_attempts (
    key       bytea PRIMARY KEY CHECK (octet_length(key) = 32),
    attempts  integer NOT NULL CHECK (attempts > 0),
    since     timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_attempts_by_age ON sign_in_attempts (since);
