"""Lineage as generation writes it: which events of a source each batch was made of, in chunks."""

from collections.abc import Sequence

from psycopg.sql import SQL, Literal

from weighbridge.db.engine import Write
from weighbridge.resources.batch_generations.posted import Context, Posted, run_key
from weighbridge.resources.batch_generations.sources import Source, matching
from weighbridge.resources.batches.input_data import CHUNK_SIZE


async def insert_lineage(tx: Write, context: Context, source: Source, posted: Sequence[Posted]) -> None:
    """Write down which events of a source each batch was made of, in one scan of them."""
    used = [one for one in posted if one.change.run.event_counts.get(source.number)]
    if not used:
        return
    batch_ids = [one.batch_id for one in used]
    await tx.execute(
        """
        INSERT INTO batch_input_sets (project_id, batch_id, set_number, event_type_id, nodes, positions,
                                      event_count)
        SELECT %s, batch_id, %s, %s, %s, %s, event_count
          FROM unnest(%s::bigint[], %s::bigint[]) AS asked (batch_id, event_count)
        """,
        (
            context.project, source.number, source.event_type, list(source.node_slugs),
            list(source.positions), batch_ids, [one.change.run.event_counts[source.number] for one in used],
        ),
    )  # fmt: skip
    keys = [run_key(context, one.change.run) for one in used]
    await tx.execute(
        _LINEAGE.format(source=matching(source), size=Literal(CHUNK_SIZE)),
        {
            "project": context.project,
            "set": source.number,
            "batches": batch_ids,
            "starts": [key[0] for key in keys],
            "ends": [key[1] for key in keys],
            "tracking_ids": [key[2] for key in keys],
            "feedstocks": [key[3] for key in keys],
            "assets": [key[4] for key in keys],
            "event_type": source.event_type,
        },
    )


# An event without a tag in some dimension was shared, and belongs to every batch that it agrees with.
_LINEAGE = SQL("""
    INSERT INTO batch_inputs (project_id, batch_id, set_number, chunk, first_event, last_event, event_ids)
    SELECT %(project)s, batch_id, %(set)s, place / {size}, min(id), max(id), array_agg(id ORDER BY place)
      FROM (SELECT asked.batch_id, e.id,
                   row_number() OVER (PARTITION BY asked.batch_id
                                      ORDER BY e.start_time, e.end_time, e.id) - 1 AS place
              FROM unnest(%(batches)s::bigint[], %(starts)s::timestamptz[], %(ends)s::timestamptz[],
                          %(tracking_ids)s::text[], %(feedstocks)s::integer[], %(assets)s::integer[])
                   AS asked (batch_id, start_time, end_time, tracking_id, feedstock_id, asset_id)
              JOIN {source} ON e.start_time >= asked.start_time AND e.start_time < asked.end_time
               AND e.end_time <= asked.end_time
               AND (asked.tracking_id IS NULL OR e.tracking_id IS NULL OR e.tracking_id = asked.tracking_id)
               AND (asked.feedstock_id IS NULL OR e.feedstock_id IS NULL
                    OR e.feedstock_id = asked.feedstock_id)
               AND (asked.asset_id IS NULL OR e.asset_id IS NULL OR e.asset_id = asked.asset_id)
           ) AS used
     GROUP BY batch_id, place / {size}
""")
