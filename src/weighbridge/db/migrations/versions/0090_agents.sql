-- Agents of plants: what each reported last, and what it is asked for.

CREATE TABLE agents (
    project_id           integer NOT NULL REFERENCES projects,
    id                   integer GENERATED ALWAYS AS IDENTITY,
    name                 text NOT NULL CHECK (name ~ '^[A-Za-z0-9_-]{1,40}$'),
    description          text,
    quiet_after_seconds  integer NOT NULL DEFAULT 300 CHECK (quiet_after_seconds BETWEEN 30 AND 604800),
    version              text NOT NULL,
    -- What the agent said of itself last, and when that came.
    state                jsonb NOT NULL CHECK (jsonb_typeof(state) = 'object'),
    reported_at          timestamptz(3) NOT NULL,
    -- The last question about the address space of a server, with its answer once there is one.
    browsing             jsonb CHECK (jsonb_typeof(browsing) = 'object'),
    created_at           timestamptz(3) NOT NULL DEFAULT now(),
    updated_at           timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    CONSTRAINT agents_name_key UNIQUE (project_id, name)
);
COMMENT ON TABLE agents IS 'Agents at plants that report to a project, each with its last report.';
