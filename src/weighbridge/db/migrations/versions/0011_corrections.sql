-- Corrections stand beside captured values; stale runs say what changed after they were computed.
--
-- numbers, texts and booleans of an event hold what was captured, for good. What the values are now
-- stands in corrected_*, which is null unless a correction is in force on one of them. Times and tags hold
-- what they are now; `captured` keeps what they were at first, by their names.

ALTER TABLE events
    ADD COLUMN corrected_numbers numeric[],
    ADD COLUMN corrected_texts text[],
    ADD COLUMN corrected_booleans boolean[],
    ADD COLUMN captured jsonb,
    -- Whether anything of it was ever corrected, or completed later.
    ADD COLUMN is_revised boolean NOT NULL DEFAULT false,
    -- Made by a rule for a slot without a measurement: it has no captured value.
    ADD COLUMN is_imputed boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT events_corrected_numbers_are_finite CHECK (
        'Infinity' > ALL (corrected_numbers) AND '-Infinity' < ALL (corrected_numbers)),
    ADD CONSTRAINT events_corrected_are_revised CHECK (
        is_revised OR num_nonnulls(corrected_numbers, corrected_texts, corrected_booleans) = 0);

CREATE FUNCTION keep_captured() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was jsonb := jsonb_build_object(
        'start_time', OLD.start_time, 'end_time', OLD.end_time, 'tracking_id', OLD.tracking_id,
        'feedstock_id', OLD.feedstock_id, 'asset_id', OLD.asset_id);
    becomes jsonb := jsonb_build_object(
        'start_time', NEW.start_time, 'end_time', NEW.end_time, 'tracking_id', NEW.tracking_id,
        'feedstock_id', NEW.feedstock_id, 'asset_id', NEW.asset_id);
BEGIN
    -- A position that is empty may be filled once. Text is compared, so that no digit changes.
    IF EXISTS (SELECT FROM unnest(OLD.numbers::text[], NEW.numbers::text[]) AS part (was, becomes)
                WHERE part.was IS NOT NULL AND part.becomes IS DISTINCT FROM part.was)
       OR EXISTS (SELECT FROM unnest(OLD.texts, NEW.texts) AS part (was, becomes)
                   WHERE part.was IS NOT NULL AND part.becomes IS DISTINCT FROM part.was)
       OR EXISTS (SELECT FROM unnest(OLD.booleans, NEW.booleans) AS part (was, becomes)
                   WHERE part.was IS NOT NULL AND part.becomes IS DISTINCT FROM part.was)
       OR NEW.is_imputed <> OLD.is_imputed THEN
        RAISE EXCEPTION 'what was captured of event % never changes', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'events_captured_stays';
    END IF;
    NEW.captured := (
        SELECT jsonb_object_agg(field.key, field.value) FROM jsonb_each(was) AS field
         WHERE field.value IS DISTINCT FROM becomes -> field.key);
    NEW.captured := nullif(coalesce(NEW.captured, '{}') || coalesce(OLD.captured, '{}'), '{}');
    NEW.is_revised := NEW.is_revised OR OLD.is_revised;
    RETURN NEW;
END $$;
CREATE TRIGGER events_keep_captured BEFORE UPDATE ON events FOR EACH ROW
    WHEN (OLD.numbers::text IS DISTINCT FROM NEW.numbers::text
          OR (OLD.texts, OLD.booleans, OLD.start_time, OLD.end_time, OLD.tracking_id, OLD.feedstock_id,
              OLD.asset_id, OLD.captured, OLD.is_revised, OLD.is_imputed)
             IS DISTINCT FROM
             (NEW.texts, NEW.booleans, NEW.start_time, NEW.end_time, NEW.tracking_id, NEW.feedstock_id,
              NEW.asset_id, NEW.captured, NEW.is_revised, NEW.is_imputed))
    EXECUTE FUNCTION keep_captured();

-- The history of what was changed. Position 0 is the event itself and `field` its column; the value of a
-- data point has a position and no field. A completion gave a position its first value.
CREATE TABLE corrections (
    project_id    integer NOT NULL,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    event_id      bigint NOT NULL,
    position      smallint NOT NULL CHECK (position BETWEEN 0 AND 4095),
    field         text NOT NULL DEFAULT '',
    source        text NOT NULL,
    -- Among those of one source the smaller number goes first, then the newer correction.
    priority      integer NOT NULL DEFAULT 0 CHECK (priority >= 0),
    -- What stood there when it was made, and what it puts there.
    from_value    jsonb,
    to_value      jsonb NOT NULL,
    state         text NOT NULL DEFAULT 'superseded',
    rule_id       integer,
    rule_version  integer,
    rule_run_id   integer,
    user_id       integer NOT NULL REFERENCES users,
    token_id      integer REFERENCES api_tokens,
    reason        text CHECK (reason <> ''),
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    reverted_at   timestamptz(3),
    -- A person who took it back, or the run of its rule that found that it does not apply any more.
    reverted_by      integer REFERENCES users,
    reverted_by_run  integer,
    -- The transaction that made it, or moved it last: a generation asks which it did not see.
    changed_by    xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, event_id) REFERENCES events,
    CONSTRAINT corrections_source CHECK (
        source IN ('manual', 'adjustment', 'substitution', 'completion')),
    CONSTRAINT corrections_state CHECK (state IN ('in_force', 'superseded', 'reverted')),
    CONSTRAINT corrections_field CHECK (
        field IN ('', 'start_time', 'end_time', 'tracking_id', 'feedstock_id', 'asset_id')
        AND (position = 0) = (field <> '')),
    CONSTRAINT corrections_values CHECK (
        jsonb_typeof(to_value) IN ('number', 'string', 'boolean')
        AND (from_value IS NULL OR jsonb_typeof(from_value) = jsonb_typeof(to_value))
        AND (source = 'completion') = (from_value IS NULL AND position > 0 AND rule_id IS NULL)),
    CONSTRAINT corrections_rule CHECK (
        num_nonnulls(rule_id, rule_version) IN (0, 2) AND (rule_run_id IS NULL OR rule_id IS NOT NULL)),
    CONSTRAINT corrections_reverted CHECK (
        (state = 'reverted') = (reverted_at IS NOT NULL)
        AND num_nonnulls(reverted_by, reverted_by_run) = CASE state WHEN 'reverted' THEN 1 ELSE 0 END
        AND (reverted_by_run IS NULL OR rule_id IS NOT NULL)
        AND (state <> 'reverted' OR source <> 'completion')),
    CONSTRAINT corrections_one_in_force
        EXCLUDE (project_id WITH =, event_id WITH =, position WITH =, field WITH =)
        WHERE (state = 'in_force') DEFERRABLE INITIALLY IMMEDIATE
);
CREATE INDEX corrections_of_value ON corrections (project_id, event_id, position, field, id);
CREATE INDEX corrections_of_rule ON corrections (project_id, rule_id, rule_run_id, id)
    WHERE rule_id IS NOT NULL;
CREATE INDEX corrections_by_change ON corrections (project_id, changed_by);
-- A rule says one thing of a value: what it said before is reverted first.
CREATE UNIQUE INDEX corrections_one_of_each_rule ON corrections (project_id, event_id, position, field, rule_id)
    WHERE rule_id IS NOT NULL AND state <> 'reverted';
CREATE UNIQUE INDEX corrections_one_completion ON corrections (project_id, event_id, position)
    WHERE source = 'completion';

CREATE TRIGGER corrections_stay BEFORE DELETE OR TRUNCATE ON corrections
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE FUNCTION move_correction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state = 'reverted'
       OR to_jsonb(NEW) - '{state,reverted_at,reverted_by,reverted_by_run,changed_by}'::text[]
          IS DISTINCT FROM to_jsonb(OLD) - '{state,reverted_at,reverted_by,reverted_by_run,changed_by}'::text[] THEN
        RAISE EXCEPTION 'correction % may only be superseded, prevail or be reverted', OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'corrections_stay';
    END IF;
    NEW.changed_by := pg_current_xact_id();
    RETURN NEW;
END $$;
CREATE TRIGGER corrections_move BEFORE UPDATE ON corrections
    FOR EACH ROW EXECUTE FUNCTION move_correction();

-- Feedstocks and assets that corrections name have no foreign key there. This is one: history keeps its names.
CREATE INDEX corrections_of_fields ON corrections (project_id, field) WHERE position = 0;
CREATE FUNCTION check_tag_uncorrected() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM corrections
                WHERE project_id = OLD.project_id AND field = TG_ARGV[0] AND position = 0
                  AND to_jsonb(OLD.id) IN (from_value, to_value)) THEN
        RAISE EXCEPTION '% % is named by corrections', TG_ARGV[0], OLD.id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'corrections_tags';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER feedstocks_corrected_stay BEFORE DELETE ON feedstocks
    FOR EACH ROW EXECUTE FUNCTION check_tag_uncorrected('feedstock_id');
CREATE TRIGGER assets_corrected_stay BEFORE DELETE ON assets
    FOR EACH ROW EXECUTE FUNCTION check_tag_uncorrected('asset_id');

-- What was in force on the values that a batch used when it was made. With the captured values, this is
-- what the batch saw, whatever is corrected later.
CREATE TABLE batch_corrections (
    project_id     integer NOT NULL,
    batch_id       bigint NOT NULL,
    correction_id  bigint NOT NULL,
    PRIMARY KEY (project_id, batch_id, correction_id),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, correction_id) REFERENCES corrections
);
CREATE TRIGGER batch_corrections_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON batch_corrections
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- An event as a batch saw it: captured, unless the batch recorded a correction; a value that was completed
-- later, and not recorded, was not there. Only events that are revised need asking.
CREATE FUNCTION values_as_used(event events, batch bigint) RETURNS TABLE (place integer, value jsonb)
LANGUAGE sql STABLE AS $$
    SELECT c.position::integer, (array_agg(c.to_value) FILTER (WHERE used.correction_id IS NOT NULL))[1]
      FROM corrections c
      LEFT JOIN batch_corrections used
        ON (used.project_id, used.batch_id, used.correction_id) = (c.project_id, batch, c.id)
     WHERE (c.project_id, c.event_id) = (event.project_id, event.id) AND c.position > 0
     GROUP BY c.position
    HAVING count(used.correction_id) > 0 OR bool_or(c.source = 'completion')
$$;
CREATE FUNCTION numbers_as_used(event events, batch bigint) RETURNS numeric[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(CASE WHEN seen.place IS NULL THEN held.value
                                   WHEN jsonb_typeof(seen.value) = 'number' THEN seen.value::numeric END
                              ORDER BY held.place), '{}')
      FROM unnest(event.numbers) WITH ORDINALITY AS held (value, place)
      LEFT JOIN values_as_used(event, batch) AS seen ON seen.place = held.place
$$;
CREATE FUNCTION texts_as_used(event events, batch bigint) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(CASE WHEN seen.place IS NULL THEN held.value
                                   WHEN jsonb_typeof(seen.value) = 'string' THEN seen.value #>> '{}' END
                              ORDER BY held.place), '{}')
      FROM unnest(event.texts) WITH ORDINALITY AS held (value, place)
      LEFT JOIN values_as_used(event, batch) AS seen ON seen.place = held.place
$$;
CREATE FUNCTION booleans_as_used(event events, batch bigint) RETURNS boolean[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(CASE WHEN seen.place IS NULL THEN held.value
                                   WHEN jsonb_typeof(seen.value) = 'boolean' THEN seen.value::boolean END
                              ORDER BY held.place), '{}')
      FROM unnest(event.booleans) WITH ORDINALITY AS held (value, place)
      LEFT JOIN values_as_used(event, batch) AS seen ON seen.place = held.place
$$;
CREATE FUNCTION field_as_used(event events, batch bigint, name text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce(
        (SELECT c.to_value #>> '{}' FROM corrections c
           JOIN batch_corrections used
             ON (used.project_id, used.batch_id, used.correction_id) = (c.project_id, batch, c.id)
          WHERE (c.project_id, c.event_id, c.position, c.field) = (event.project_id, event.id, 0, name)),
        CASE WHEN event.captured ? name THEN event.captured ->> name ELSE to_jsonb(event) ->> name END)
$$;

-- A number that differs when other corrections are in force on these values, the times or the tags: now, or
-- as a batch recorded them.
CREATE FUNCTION revision_of(project integer, event bigint, positions smallint[], batch bigint) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(bit_xor(hashint8extended(c.id, 0)), 0)
      FROM corrections c
     WHERE c.project_id = project AND c.event_id = event AND (c.position = 0 OR c.position = ANY (positions))
       AND CASE WHEN batch IS NULL THEN c.state = 'in_force'
                ELSE EXISTS (SELECT FROM batch_corrections used
                              WHERE (used.project_id, used.batch_id, used.correction_id)
                                  = (c.project_id, batch, c.id)) END
$$;

-- Which runs stand on data that have changed since, on which ledger, why, and which record changed.
CREATE TABLE stale_runs (
    project_id  integer NOT NULL,
    run_id      bigint NOT NULL,
    ledger_id   integer NOT NULL,
    reason      text NOT NULL CHECK (reason <> ''),
    record      text NOT NULL CHECK (record <> ''),
    marked_at   timestamptz(3) NOT NULL DEFAULT now(),
    -- Part of the key: a mark made after a generation began is another row than those that it settles.
    marked_by   xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (project_id, run_id, ledger_id, reason, record, marked_by),
    FOREIGN KEY (project_id, run_id) REFERENCES runs,
    FOREIGN KEY (project_id, ledger_id) REFERENCES ledgers
);

-- As with corrections: a generation asks which of them it did not see.
ALTER TABLE static_inputs ADD COLUMN added_by xid8 NOT NULL DEFAULT pg_current_xact_id();

-- A generation asks which events were moved from one slot to another.
CREATE INDEX corrections_of_slots ON corrections (project_id, event_id)
    WHERE field IN ('start_time', 'end_time', 'tracking_id');
