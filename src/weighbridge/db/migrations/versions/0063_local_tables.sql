-- Transactions in a cell on a node write to the node's own tables, so they keep the cluster from moving these as its
-- own statements would: by the shared lock of one of them, which a move takes alone for all when it changes over. Once
-- the tables are elsewhere, nobody enters. It is the owner of the tables who may take that lock.

CREATE OR REPLACE FUNCTION enter_on_node(cell text) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE shard bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('cell:' || cell, 0)) THEN
        RAISE EXCEPTION 'the cell % is moving to another node', cell USING ERRCODE = 'cannot_connect_now';
    END IF;
    IF to_regclass('pg_dist_shard') IS NOT NULL THEN
        shard := (SELECT shardid FROM pg_dist_shard WHERE logicalrelid = format('%I.accounts', cell)::regclass);
        PERFORM lock_shard_metadata(5, ARRAY[shard]);
        IF NOT EXISTS (SELECT FROM pg_dist_placement p JOIN pg_dist_local_group here ON here.groupid = p.groupid
                        WHERE p.shardid = shard) THEN
            RAISE EXCEPTION 'the cell % has moved to another node', cell USING ERRCODE = 'cannot_connect_now';
        END IF;
    END IF;
END $$;

-- Statistics are those of tables: where a name is that of a view on a table of the node, they are this table's.

CREATE OR REPLACE FUNCTION refresh_statistics(VARIADIC tables regclass[]) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    propagates text := current_setting('citus.enable_ddl_propagation', true);
    one        regclass;
BEGIN
    IF propagates IS NOT NULL THEN
        PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
    END IF;
    FOR one IN
        SELECT coalesce(behind.refobjid, named.relation)
          FROM unnest(tables) AS named (relation)
          LEFT JOIN (pg_rewrite w JOIN pg_depend behind
                       ON (behind.classid, behind.refclassid, behind.objid)
                        = ('pg_rewrite'::regclass, 'pg_class'::regclass, w.oid) AND behind.deptype = 'n')
            ON w.ev_class = named.relation
         GROUP BY 1
    LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) %s', one);
    END LOOP;
    IF propagates IS NOT NULL THEN
        PERFORM set_config('citus.enable_ddl_propagation', propagates, true);
    END IF;
END $$;
