-- What batches were computed from beside events: static inputs, arrays, and data that were set aside.

-- Of an array the number of its elements and the SHA-256 of all of them are kept, and the elements
-- themselves while they are few; the rest follows from the batch's input data.
ALTER TABLE batch_calculations
    ALTER COLUMN value DROP NOT NULL,
    ADD COLUMN element_count integer CHECK (element_count >= 0),
    ADD COLUMN elements numeric[] CHECK (cardinality(elements) = element_count),
    ADD COLUMN elements_sha256 bytea CHECK (octet_length(elements_sha256) = 32),
    ADD CONSTRAINT batch_calculations_number_or_array CHECK (
        (value IS NULL) = (element_count IS NOT NULL)
        AND (elements_sha256 IS NULL) = (element_count IS NULL)
        AND (elements IS NULL OR element_count IS NOT NULL)
        AND NOT (value IS NULL AND is_output));

-- Which values of static inputs a node of a batch was computed with.
CREATE TABLE batch_static_inputs (
    project_id       integer NOT NULL,
    batch_id         bigint NOT NULL,
    node             text NOT NULL,
    static_input_id  integer NOT NULL,
    PRIMARY KEY (project_id, batch_id, node, static_input_id),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, static_input_id) REFERENCES static_inputs
);
CREATE INDEX batch_static_inputs_of_value ON batch_static_inputs (project_id, static_input_id);
CREATE TRIGGER batch_static_inputs_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON batch_static_inputs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Inputs whose data the caller set aside: a zero stands for them in the batch's input data.
CREATE TABLE batch_skipped_inputs (
    project_id          integer NOT NULL,
    batch_id            bigint NOT NULL,
    node                text NOT NULL,
    data_point_type_id  integer NOT NULL,
    PRIMARY KEY (project_id, batch_id, node),
    FOREIGN KEY (project_id, batch_id) REFERENCES batches,
    FOREIGN KEY (project_id, data_point_type_id) REFERENCES data_point_types
);
CREATE TRIGGER batch_skipped_inputs_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON batch_skipped_inputs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
