-- How much the values of each source contribute to an output, in its unit: captured, manual, adjusted, substituted,
-- imputed. Null of other nodes, of what was computed before this was kept, and of what draws from such a batch.
ALTER TABLE batch_calculations ADD COLUMN contributions numeric[]
    CHECK (cardinality(contributions) = 5 AND array_position(contributions, NULL) IS NULL);

-- The same of what a batch drew, as it was when it was drawn: five numbers for the amount and five for each
-- attribute; null where nobody knows them.
ALTER TABLE batch_draws ADD COLUMN contributions numeric[]
    CHECK (cardinality(contributions) = 5 * (1 + cardinality(attributes)));

-- What the correction in force on each of an event's values comes from, in the order of the positions; null of a
-- value on which none is. Of a batch it is what the batch recorded.
CREATE FUNCTION correction_sources_of(project integer, event bigint, positions smallint[], batch bigint)
RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT array_agg(c.source ORDER BY read.place)
      FROM unnest(positions) WITH ORDINALITY AS read (position, place)
      LEFT JOIN corrections c
        ON c.project_id = project AND c.event_id = event AND c.position = read.position
       AND CASE WHEN batch IS NULL THEN c.state = 'in_force'
                ELSE EXISTS (SELECT FROM batch_corrections used
                              WHERE (used.project_id, used.batch_id, used.correction_id)
                                  = (c.project_id, batch, c.id)) END
$$;
