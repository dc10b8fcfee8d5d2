-- Isometric Certify: a registry that is called by its own interface, not by one address for everything.

ALTER TABLE registries DROP CONSTRAINT registries_adapter_check;
ALTER TABLE registries ADD CONSTRAINT registries_adapter_check
    CHECK (adapter IN ('file', 'http', 'isometric_certify'));
ALTER TABLE registries DROP CONSTRAINT registries_called;
ALTER TABLE registries ADD CONSTRAINT registries_called CHECK (CASE adapter
    WHEN 'http' THEN num_nulls(address, status_address) = 0
    WHEN 'isometric_certify' THEN address IS NOT NULL AND status_address IS NULL
    ELSE num_nonnulls(address, status_address, poll_seconds) = 0 END);

CREATE TABLE registry_catalogue (
    account_id   integer NOT NULL,
    registry_id  integer NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('project', 'removal_template', 'component_blueprint', 'feedstock_type',
                                               'storage_location', 'facility', 'monitoring_requirement')),
    -- The id of the project that it is in; empty for what all projects have.
    parent       text NOT NULL DEFAULT '',
    record_id    text NOT NULL CHECK (record_id <> ''),
    name         text NOT NULL,
    -- What a mapping needs of it, such as the inputs of a template's components.
    contents     jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(contents) = 'object'),
    read_at      timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, registry_id, kind, parent, record_id),
    FOREIGN KEY (account_id, registry_id) REFERENCES registries (account_id, id)
);
COMMENT ON TABLE registry_catalogue IS 'Records of a registry that mappings choose from, as they were read there.';

CREATE TABLE registry_mappings (
    project_id   integer NOT NULL REFERENCES projects,
    id           integer GENERATED ALWAYS AS IDENTITY,
    registry_id  integer NOT NULL REFERENCES registries,
    ledger_id    integer NOT NULL,
    contents     jsonb NOT NULL CHECK (jsonb_typeof(contents) = 'object'),
    created_at   timestamptz(3) NOT NULL DEFAULT now(),
    updated_at   timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers,
    CONSTRAINT registry_mappings_of_ledger UNIQUE (project_id, registry_id, ledger_id)
);
COMMENT ON TABLE registry_mappings IS 'Which records of a registry those of a project become, for the reports of a ledger.';
CREATE INDEX registry_mappings_of_registry ON registry_mappings (registry_id);

CREATE TABLE registry_calls (
    project_id     integer NOT NULL,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    report_id      bigint NOT NULL,
    async_task_id  integer REFERENCES async_tasks,
    -- Of the step that the call belongs to; null of calls that read.
    reference      text CHECK (reference <> ''),
    method         text NOT NULL CHECK (method IN ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
    path           text NOT NULL CHECK (path <> ''),
    body           text,
    -- What was known before the call, by which a lost answer is found.
    noted          jsonb,
    sent_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    answered_at    timestamptz(3),
    http_status    integer CHECK (http_status BETWEEN 100 AND 999),
    answer         text,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, report_id) REFERENCES reports
);
COMMENT ON TABLE registry_calls IS
    'Calls of a registry, each written before it leaves, with its answer; without what proves who called.';
CREATE INDEX registry_calls_of_report ON registry_calls (project_id, report_id, id);
CREATE INDEX registry_calls_of_task ON registry_calls (async_task_id);

CREATE TABLE registry_records (
    project_id  integer NOT NULL,
    report_id   bigint NOT NULL,
    reference   text NOT NULL CHECK (reference <> ''),
    kind        text NOT NULL CHECK (kind <> ''),
    -- The id that the registry gave it.
    record_id   text NOT NULL CHECK (record_id <> ''),
    -- Whether all that belongs to it is there, such as the file of a source.
    is_held     boolean NOT NULL,
    made_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    removed_at  timestamptz(3),
    PRIMARY KEY (project_id, report_id, reference),
    FOREIGN KEY (project_id, report_id) REFERENCES report_submissions
);
COMMENT ON TABLE registry_records IS 'Records of a registry that reports made there or found there, by their references.';

CREATE TABLE registry_findings (
    project_id  integer NOT NULL,
    report_id   bigint NOT NULL,
    reference   text NOT NULL,
    field       text NOT NULL CHECK (field <> ''),
    sent        text NOT NULL,
    received    text,
    found_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, report_id, reference, field),
    FOREIGN KEY (project_id, report_id, reference) REFERENCES registry_records
);
COMMENT ON TABLE registry_findings IS
    'Numbers that a registry has otherwise than they were sent, beyond their rounding to doubles.';

CREATE TABLE registry_states (
    project_id  integer NOT NULL,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    report_id   bigint NOT NULL,
    -- In the words of the registry.
    status      text NOT NULL CHECK (status <> ''),
    said_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, report_id) REFERENCES report_submissions
);
COMMENT ON TABLE registry_states IS 'States of statements at a registry, each as it was first read there.';
CREATE INDEX registry_states_of_report ON registry_states (project_id, report_id, id);
CREATE TRIGGER registry_states_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON registry_states
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
