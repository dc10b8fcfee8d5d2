-- Methodology packages: the files that an account has, what projects began with of them, and the records made.

CREATE TABLE methodology_packages (
    account_id       integer NOT NULL REFERENCES accounts,
    id               integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name             text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
    version          text NOT NULL CHECK (version ~ '^[0-9]{1,5}\.[0-9]{1,5}\.[0-9]{1,5}$'),
    title            text NOT NULL CHECK (title <> ''),
    about            text NOT NULL,
    licence          text NOT NULL,
    publisher        text NOT NULL,
    engine_revision  integer NOT NULL CHECK (engine_revision > 0),
    -- Ranges of versions by the names of the packages that it needs.
    requires         jsonb NOT NULL CHECK (jsonb_typeof(requires) = 'object'),
    file_sha256      bytea NOT NULL CHECK (octet_length(file_sha256) = 32),
    size_bytes       integer NOT NULL CHECK (size_bytes > 0),
    storage_key      text NOT NULL CHECK (length(storage_key) = 32),
    -- The Ed25519 key that signed the sums of its files; null where nobody did.
    signer           bytea CHECK (octet_length(signer) = 32),
    -- What the file says, part by part: JSON as text, for its numbers keep their digits.
    contents         text NOT NULL,
    -- The titles of its sources and the names of its event types, which the catalogue is searched by.
    documents        jsonb NOT NULL
        GENERATED ALWAYS AS (jsonb_path_query_array(contents::jsonb, '$.sources[*].title')) STORED,
    measures         jsonb NOT NULL
        GENERATED ALWAYS AS (jsonb_path_query_array(contents::jsonb, '$.event_types[*].record.name')) STORED,
    user_id          integer NOT NULL,
    created_at       timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT methodology_packages_user_fkey FOREIGN KEY (account_id, user_id) REFERENCES users (account_id, id),
    CONSTRAINT methodology_packages_version_key UNIQUE (account_id, name, version)
);
COMMENT ON TABLE methodology_packages IS 'Packages that an account has, each as the file that was uploaded.';

CREATE TABLE package_installations (
    project_id   integer NOT NULL REFERENCES projects,
    id           integer GENERATED ALWAYS AS IDENTITY,
    package_id   integer NOT NULL REFERENCES methodology_packages,
    -- That of the package: one version of it is in a project at a time.
    name         text NOT NULL,
    user_id      integer NOT NULL,
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    updated_at   timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    CONSTRAINT package_installations_name_key UNIQUE (project_id, name)
);
COMMENT ON TABLE package_installations IS 'Packages that were installed in projects.';
CREATE INDEX package_installations_of_package ON package_installations (package_id);

CREATE TABLE package_locks (
    project_id       integer NOT NULL,
    installation_id  integer NOT NULL,
    required_id      integer NOT NULL,
    PRIMARY KEY (project_id, installation_id, required_id),
    FOREIGN KEY (project_id, installation_id) REFERENCES package_installations ON DELETE CASCADE,
    FOREIGN KEY (project_id, required_id) REFERENCES package_installations (project_id, id),
    CHECK (installation_id <> required_id)
);
COMMENT ON TABLE package_locks IS 'Which installed packages an installed one needs, as they were resolved.';
CREATE INDEX package_locks_of_required ON package_locks (project_id, required_id);

CREATE TABLE package_parts (
    project_id       integer NOT NULL,
    installation_id  integer NOT NULL,
    kind             text NOT NULL CHECK (kind IN ('event_type', 'static_input', 'model', 'ledger', 'rule',
                                                   'methodology')),
    -- What the package calls it.
    key              text NOT NULL,
    -- The record, as the interface names it; of a model the version that was installed.
    record           text NOT NULL,
    -- Whether the installation made the record, found an equal one, or left one that differs as it was.
    origin           text NOT NULL CHECK (origin IN ('made', 'present', 'kept')),
    -- Of the record as the package has it.
    digest           bytea NOT NULL CHECK (octet_length(digest) = 32),
    PRIMARY KEY (project_id, installation_id, kind, key),
    FOREIGN KEY (project_id, installation_id) REFERENCES package_installations ON DELETE CASCADE
);
COMMENT ON TABLE package_parts IS 'The records of a project that came with a package.';
CREATE INDEX package_parts_of_record ON package_parts (project_id, record);
