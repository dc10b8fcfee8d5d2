-- Engagements of verifiers on reports: samples, findings, opinions; links that may act as the verifier.

ALTER TABLE users DROP CONSTRAINT users_permissions_check;
ALTER TABLE users
    ADD CONSTRAINT users_permissions_check CHECK (
        permissions <@ ARRAY['production_accounting:read', 'production_accounting:write', 'production_accounting:verify',
                             'data_collection:read', 'data_collection:write', 'data_rules:read', 'data_rules:write',
                             'data_rules:approve', 'administration:read', 'administration:write']);
-- Who has every permission of an account keeps that.
UPDATE users SET permissions = array_append(permissions, 'production_accounting:verify')
 WHERE permissions @> ARRAY['administration:write', 'production_accounting:write'];
UPDATE access_links SET permissions = array_append(permissions, 'production_accounting:verify')
 WHERE permissions @> ARRAY['administration:write', 'production_accounting:write'];

ALTER TABLE report_links ADD COLUMN is_of_verifier boolean NOT NULL DEFAULT false;

-- What a link opens, its expiry, its author and its right never change, and a revoked link stays revoked.
CREATE OR REPLACE FUNCTION check_report_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.project_id, NEW.report_id, NEW.name, NEW.secret_hash, NEW.created_by, NEW.created_at,
        NEW.expires_at, NEW.is_of_verifier)
       IS DISTINCT FROM (OLD.id, OLD.project_id, OLD.report_id, OLD.name, OLD.secret_hash, OLD.created_by,
                         OLD.created_at, OLD.expires_at, OLD.is_of_verifier)
       OR OLD.revoked_at IS NOT NULL AND (NEW.revoked_at, NEW.revoked_by)
          IS DISTINCT FROM (OLD.revoked_at, OLD.revoked_by)
       OR NEW.use_count < OLD.use_count THEN
        RAISE EXCEPTION 'link % stays as it was made, and revoked', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'report_links_stay';
    END IF;
    RETURN NEW;
END $$;

CREATE TABLE engagements (
    project_id           integer NOT NULL,
    id                   integer GENERATED ALWAYS AS IDENTITY,
    report_id            bigint NOT NULL,
    state                text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'concluded', 'withdrawn')),
    verifier             text NOT NULL CHECK (verifier <> ''),
    scope                text NOT NULL CHECK (scope <> ''),
    criteria             text NOT NULL CHECK (criteria <> ''),
    assurance            text NOT NULL CHECK (assurance IN ('reasonable', 'limited')),
    materiality_percent  numeric CHECK (materiality_percent > 0 AND materiality_percent <= 100),
    materiality_amount   numeric CHECK (materiality_amount > 0 AND materiality_amount < 'Infinity'),
    -- Event type, data point, method and size of each stratum.
    strata               jsonb NOT NULL CHECK (jsonb_array_length(strata) > 0),
    -- The population when the engagement began, as bundles contain it, and the head of the log at that moment.
    population           bytea NOT NULL,
    population_sha256    bytea NOT NULL,
    population_count     integer NOT NULL CHECK (population_count > 0),
    log_rows             bigint NOT NULL CHECK (log_rows > 0),
    log_root             bytea NOT NULL CHECK (octet_length(log_root) = 32),
    -- By a user, or by a link.
    created_by           integer REFERENCES users,
    created_by_link      integer REFERENCES report_links ON DELETE CASCADE,
    created_at           timestamptz(3) NOT NULL DEFAULT now(),
    -- The verifier's part of the seed, which draws the sample.
    seed_text            text CHECK (seed_text <> ''),
    drawn_at             timestamptz(3),
    -- The opinion.
    conclusion           text CHECK (conclusion IN ('unmodified', 'modified', 'adverse', 'disclaimer')),
    reasons              text,
    total                numeric,
    statement            text,
    signature            text,
    verifier_key         text,
    bundle_sha256        bytea CHECK (octet_length(bundle_sha256) = 32),
    ended_at             timestamptz(3),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, report_id) REFERENCES reports ON DELETE CASCADE,
    CONSTRAINT engagements_materiality CHECK (num_nonnulls(materiality_percent, materiality_amount) > 0),
    CONSTRAINT engagements_population CHECK (sha256(population) = population_sha256),
    CONSTRAINT engagements_author CHECK (num_nonnulls(created_by, created_by_link) = 1),
    CONSTRAINT engagements_drawn CHECK ((seed_text IS NULL) = (drawn_at IS NULL)),
    CONSTRAINT engagements_ended CHECK ((state = 'open') = (ended_at IS NULL)),
    CONSTRAINT engagements_opinion CHECK (
        num_nonnulls(conclusion, reasons, total, statement, signature, verifier_key, bundle_sha256)
        = CASE state WHEN 'concluded' THEN 7 ELSE 0 END)
);
COMMENT ON TABLE engagements IS
    'Engagements of verifiers on reports, with the population at their beginning, the seed of the sample, and the '
    'signed opinion.';
CREATE INDEX engagements_of_report ON engagements (project_id, report_id, id);

-- What was agreed and drawn stays, and an engagement that has ended never changes.
CREATE FUNCTION check_engagement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'open'
       OR OLD.seed_text IS NOT NULL AND (NEW.seed_text, NEW.drawn_at) IS DISTINCT FROM (OLD.seed_text, OLD.drawn_at)
       OR (NEW.project_id, NEW.id, NEW.report_id, NEW.verifier, NEW.scope, NEW.criteria, NEW.assurance,
           NEW.materiality_percent, NEW.materiality_amount, NEW.strata, NEW.population_sha256, NEW.population_count,
           NEW.log_rows, NEW.log_root, NEW.created_by, NEW.created_by_link, NEW.created_at)
          IS DISTINCT FROM
          (OLD.project_id, OLD.id, OLD.report_id, OLD.verifier, OLD.scope, OLD.criteria, OLD.assurance,
           OLD.materiality_percent, OLD.materiality_amount, OLD.strata, OLD.population_sha256, OLD.population_count,
           OLD.log_rows, OLD.log_root, OLD.created_by, OLD.created_by_link, OLD.created_at) THEN
        RAISE EXCEPTION 'engagement % stays as it was agreed, drawn and ended', OLD.id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'engagements_stay';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER engagements_stay BEFORE UPDATE ON engagements
    FOR EACH ROW EXECUTE FUNCTION check_engagement();

CREATE TABLE engagement_samples (
    project_id     integer NOT NULL,
    engagement_id  integer NOT NULL,
    stratum        smallint NOT NULL CHECK (stratum > 0),
    event_id       bigint NOT NULL,
    amount         numeric,
    is_certain     boolean NOT NULL,
    PRIMARY KEY (project_id, engagement_id, stratum, event_id),
    FOREIGN KEY (project_id, engagement_id) REFERENCES engagements ON DELETE CASCADE
);
COMMENT ON TABLE engagement_samples IS
    'The records that the seed of an engagement drew from its population, with their amounts then.';
CREATE TRIGGER engagement_samples_stay BEFORE UPDATE ON engagement_samples
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE engagement_findings (
    project_id       integer NOT NULL,
    engagement_id    integer NOT NULL,
    number           smallint NOT NULL CHECK (number > 0),
    kind             text NOT NULL CHECK (kind IN ('error', 'omission', 'request')),
    state            text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'answered', 'resolved', 'withdrawn')),
    -- The record that it is about; null for the report as a whole.
    event_id         bigint,
    text             text NOT NULL CHECK (text <> ''),
    -- By how much it would change the total of the report, in the unit of its ledger.
    amount           numeric CHECK (amount > '-Infinity' AND amount < 'Infinity'),
    recorded_by      integer REFERENCES users,
    recorded_by_link integer REFERENCES report_links ON DELETE CASCADE,
    recorded_at      timestamptz(3) NOT NULL DEFAULT now(),
    answer           text CHECK (answer <> ''),
    answered_by      integer REFERENCES users,
    answered_at      timestamptz(3),
    decision         text CHECK (decision <> ''),
    decided_at       timestamptz(3),
    PRIMARY KEY (project_id, engagement_id, number),
    FOREIGN KEY (project_id, engagement_id) REFERENCES engagements ON DELETE CASCADE,
    CONSTRAINT engagement_findings_amount CHECK ((kind = 'request') = (amount IS NULL)),
    CONSTRAINT engagement_findings_author CHECK (num_nonnulls(recorded_by, recorded_by_link) = 1),
    CONSTRAINT engagement_findings_answer CHECK (
        num_nonnulls(answer, answered_by, answered_at) IN (0, 3)
        AND (state <> 'answered' OR answer IS NOT NULL)),
    CONSTRAINT engagement_findings_decision CHECK (
        num_nonnulls(decision, decided_at) IN (0, 2)
        AND (state NOT IN ('resolved', 'withdrawn') OR decision IS NOT NULL))
);
COMMENT ON TABLE engagement_findings IS
    'What a verifier found: errors and omissions with their amounts, requests, with answers and decisions.';

-- What was found stays, and nothing changes once its engagement has ended.
CREATE FUNCTION check_engagement_finding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT e.state FROM engagements e WHERE (e.project_id, e.id) = (NEW.project_id, NEW.engagement_id)) <> 'open'
       OR TG_OP = 'UPDATE'
          AND (NEW.project_id, NEW.engagement_id, NEW.number, NEW.kind, NEW.event_id, NEW.text, NEW.amount,
               NEW.recorded_by, NEW.recorded_by_link, NEW.recorded_at)
              IS DISTINCT FROM
              (OLD.project_id, OLD.engagement_id, OLD.number, OLD.kind, OLD.event_id, OLD.text, OLD.amount,
               OLD.recorded_by, OLD.recorded_by_link, OLD.recorded_at) THEN
        RAISE EXCEPTION 'finding % stays as it was recorded', NEW.number
            USING ERRCODE = 'check_violation', CONSTRAINT = 'engagement_findings_stay';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER engagement_findings_stay BEFORE INSERT OR UPDATE ON engagement_findings
    FOR EACH ROW EXECUTE FUNCTION check_engagement_finding();
