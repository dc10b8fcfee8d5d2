-- Monte Carlo trials of a batch or a report: what they were asked of, and what they came to.

CREATE TABLE uncertainty_runs (
    project_id            integer NOT NULL REFERENCES projects,
    id                    integer GENERATED ALWAYS AS IDENTITY,
    batch_id              bigint,
    report_id             bigint,
    async_task_id         integer NOT NULL REFERENCES async_tasks,
    trials                integer NOT NULL CHECK (trials > 0),
    seed                  bigint NOT NULL CHECK (seed >= 0),
    coverage_probability  numeric NOT NULL CHECK (coverage_probability > 0 AND coverage_probability < 1),
    unit                  text NOT NULL,
    -- What the trials are about: what was posted, less what of it is certain, which no run is repeated for.
    estimate              numeric NOT NULL,
    certain               numeric NOT NULL,
    -- The newest batch of each run that counts, how much of its total counts, and the total.
    batches               bigint[] NOT NULL,
    amounts               numeric[] NOT NULL,
    totals                numeric[] NOT NULL,
    -- Of a report, what it held when it was asked for.
    held                  text,
    inputs_sha256         bytea CHECK (octet_length(inputs_sha256) = 32),
    -- With numbers as texts, as in the record.
    result                jsonb CHECK (jsonb_typeof(result) = 'object'),
    created_at            timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    CONSTRAINT uncertainty_runs_of_one_thing CHECK (num_nonnulls(batch_id, report_id) = 1)
);
COMMENT ON TABLE uncertainty_runs IS 'Monte Carlo trials of batches and reports, and what they came to.';
CREATE INDEX uncertainty_runs_of_batch ON uncertainty_runs (project_id, batch_id, id) WHERE batch_id IS NOT NULL;
CREATE INDEX uncertainty_runs_of_report ON uncertainty_runs (project_id, report_id, id) WHERE report_id IS NOT NULL;
CREATE INDEX uncertainty_runs_of_task ON uncertainty_runs (async_task_id);

CREATE TABLE uncertainty_run_blocks (
    project_id  integer NOT NULL,
    run_id      integer NOT NULL,
    number      integer NOT NULL CHECK (number >= 0),
    -- The results of its trials, eight bytes each, the lowest first (IEEE 754).
    results     bytea NOT NULL CHECK (octet_length(results) % 8 = 0),
    PRIMARY KEY (project_id, run_id, number),
    FOREIGN KEY (project_id, run_id) REFERENCES uncertainty_runs ON DELETE CASCADE
);
COMMENT ON TABLE uncertainty_run_blocks IS
    'Blocks of trials that are computed, for whoever goes on when a worker dies; none once a run has ended.';
