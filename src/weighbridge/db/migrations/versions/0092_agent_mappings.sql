-- Mappings of agents: the variables of a plant's servers that people chose in the web app, version by version.

CREATE TABLE agent_mappings (
    project_id  integer NOT NULL,
    agent_id    integer NOT NULL,
    version     integer NOT NULL CHECK (version > 0),
    -- Each with its source, its node, and where its values belong.
    variables   jsonb NOT NULL CHECK (jsonb_typeof(variables) = 'array'),
    digest      text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
    created_by  integer NOT NULL REFERENCES users,
    created_at  timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, agent_id, version),
    CONSTRAINT agent_mappings_agent_fkey FOREIGN KEY (project_id, agent_id) REFERENCES agents ON DELETE CASCADE
);
COMMENT ON TABLE agent_mappings IS 'Versions of the variables that people chose for an agent to read; none changes.';

CREATE FUNCTION refuse_agent_mapping_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a version of an agent''s mapping never changes; save another one'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER agent_mappings_are_immutable BEFORE UPDATE ON agent_mappings FOR EACH ROW
    EXECUTE FUNCTION refuse_agent_mapping_change();
