"""Lineage as generation writes it: which events and static inputs each batch was made of.

Events stand in chunks, in the order in which they count.
"""

from collections.abc import Sequence

from psycopg.sql import SQL, Literal

from weighbridge.db.engine import Write
from weighbridge.resources.batch_generations.found import Discovery, chosen, membership
from weighbridge.resources.batch_generations.posted import Context, Posted, run_key
from weighbridge.resources.batch_generations.sources import Source, matching
from weighbridge.resources.batches.input_data import CHUNK_SIZE


async def insert_lineage(
    tx: Write, context: Context, place: Discovery, source: Source, posted: Sequence[Posted]
) -> None:
    """Write down which events of a source each batch was made of."""
    used = [one for one in posted if one.change.run.event_counts.get(source.number)]
    if not used:
        return
    await tx.execute(
        """
        INSERT INTO batch_input_sets (project_id, batch_id, set_number, event_type_id, nodes, positions,
                                      event_count)
        SELECT %s, batch_id, %s, %s, %s, %s, event_count
          FROM unnest(%s::bigint[], %s::bigint[]) AS asked (batch_id, event_count)
        """,
        (
            context.project, source.number, source.event_type, list(source.node_slugs),
            list(source.positions), [one.batch_id for one in used],
            [one.change.run.event_counts[source.number] for one in used],
        ),
    )  # fmt: skip
    if source.is_of_elements:
        await _insert_elements(tx, context, source, used)
    else:
        await _insert_summed(tx, context, place, source, used)


async def _insert_elements(tx: Write, context: Context, source: Source, used: Sequence[Posted]) -> None:
    """Write the events of a source that was read element by element: they are known by their ids."""
    await tx.copy(
        """
        COPY batch_inputs (project_id, batch_id, set_number, chunk, first_event, last_event, event_ids)
        FROM STDIN
        """,
        "".join(
            f"{context.project}\t{one.batch_id}\t{source.number}\t{place}\t{min(chunk)}\t{max(chunk)}"
            f"\t{{{','.join(map(str, chunk))}}}\n"
            for one in used
            for place, chunk in enumerate(_chunks(one.change.run.used[source.number]))
        ),
    )


def _chunks(events: Sequence[int]) -> list[Sequence[int]]:
    return [events[start : start + CHUNK_SIZE] for start in range(0, len(events), CHUNK_SIZE)]


async def _insert_summed(
    tx: Write, context: Context, place: Discovery, source: Source, used: Sequence[Posted]
) -> None:
    """Write the events of a source that PostgreSQL summed, in one scan of them."""
    keys = [run_key(context, one.change.run) for one in used]
    numbers = {slot: number for number, slot in enumerate(place.slots, start=1)}
    restriction, values = chosen(place, source)
    statement = _LINEAGE.format(
        source=matching(source),
        size=Literal(CHUNK_SIZE),
        condition=membership(place.slots, source),
        chosen=restriction,
    )
    await tx.execute(
        statement,
        {
            **values,
            "project": context.project,
            "set": source.number,
            "batches": [one.batch_id for one in used],
            "numbers": [numbers[one.change.run.slot] for one in used],
            "starts": [key[0] for key in keys],
            "ends": [key[1] for key in keys],
            "tracking_ids": [key[2] for key in keys],
            "feedstocks": [key[3] for key in keys],
            "assets": [key[4] for key in keys],
            "events": [key[5] for key in keys],
            "event_type": source.event_type,
        },
    )


async def insert_static_inputs(tx: Write, context: Context, posted: Sequence[Posted]) -> None:
    """Write down which static inputs the nodes of each batch read."""
    rows = [
        (one.batch_id, node, number)
        for one in posted
        for node, numbers in one.change.run.statics.items()
        for number in sorted(numbers)
    ]
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        await tx.execute(
            """
            INSERT INTO batch_static_inputs (project_id, batch_id, node, static_input_id)
            SELECT %s, asked.* FROM unnest(%s::bigint[], %s::text[], %s::integer[]) AS asked
            """,
            (context.project, *columns),
        )


async def insert_skipped_inputs(tx: Write, context: Context, posted: Sequence[Posted]) -> None:
    """Write down which inputs of each batch had their data set aside."""
    rows = [
        (one.batch_id, node, kind) for one in posted for node, kind in sorted(one.change.run.skipped.items())
    ]
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        await tx.execute(
            """
            INSERT INTO batch_skipped_inputs (project_id, batch_id, node, data_point_type_id)
            SELECT %s, asked.* FROM unnest(%s::bigint[], %s::text[], %s::integer[]) AS asked
            """,
            (context.project, *columns),
        )


# An event without a tag in some dimension was shared, and belongs to every batch that it agrees with.
_LINEAGE = SQL("""
    INSERT INTO batch_inputs (project_id, batch_id, set_number, chunk, first_event, last_event, event_ids)
    SELECT %(project)s, batch_id, %(set)s, place / {size}, min(id), max(id), array_agg(id ORDER BY place)
      FROM (SELECT slot.batch_id, e.id,
                   row_number() OVER (PARTITION BY slot.batch_id
                                      ORDER BY e.start_time, e.end_time, e.id) - 1 AS place
              FROM unnest(%(batches)s::bigint[], %(numbers)s::integer[], %(starts)s::timestamptz[],
                          %(ends)s::timestamptz[], %(tracking_ids)s::text[], %(feedstocks)s::integer[],
                          %(assets)s::integer[], %(events)s::bigint[])
                   AS slot (batch_id, number, start_time, end_time, tracking_id, feedstock_id, asset_id,
                            event_id)
              JOIN {source} ON {condition} AND {chosen}
               AND (slot.tracking_id IS NULL OR e.tracking_id IS NULL OR e.tracking_id = slot.tracking_id)
               AND (slot.feedstock_id IS NULL OR e.feedstock_id IS NULL
                    OR e.feedstock_id = slot.feedstock_id)
               AND (slot.asset_id IS NULL OR e.asset_id IS NULL OR e.asset_id = slot.asset_id)
           ) AS used
     GROUP BY batch_id, place / {size}
""")
