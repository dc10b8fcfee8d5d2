-- Who may use the service: accounts, their users, and the tokens that act for a user.

CREATE TABLE accounts (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL UNIQUE CHECK (name <> ''),
    created_at  timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE users (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id  integer NOT NULL REFERENCES accounts,
    email       text NOT NULL CHECK (email <> ''),
    name        text NOT NULL CHECK (name <> ''),
    created_at  timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (account_id, email),
    UNIQUE (account_id, id)
);

-- Only the SHA-256 of a token is kept: the secret has 190 random bits, so a fast hash is enough.
CREATE TABLE api_tokens (
    id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    integer NOT NULL,
    user_id       integer NOT NULL,
    name          text NOT NULL CHECK (name <> ''),
    secret_hash   bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    permissions   text[] NOT NULL CHECK (cardinality(permissions) > 0),
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    expires_at    timestamptz(3) CHECK (expires_at > created_at),
    revoked_at    timestamptz(3),
    last_used_at  timestamptz(3),
    FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id)
);

CREATE TABLE projects (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   integer NOT NULL REFERENCES accounts,
    name         text NOT NULL CHECK (name <> ''),
    description  text,
    time_zone    text NOT NULL DEFAULT 'UTC',
    status       text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    updated_at   timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX projects_of_account ON projects (account_id, id);

-- A row that is only ever added: an update or a delete is a mistake in the code, and is refused here.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;
