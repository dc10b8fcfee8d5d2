"""Write how batches came about: node values, events, static inputs, skipped inputs and withdrawals.

Each kind of row is written by one statement, whatever the number of batches. Events are stored in
chunks, in the order in which they count.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, LiteralString

from psycopg.sql import SQL

from weighbridge.accounting.books.runs import CHUNK_SIZE
from weighbridge.accounting.inputs.selection import BySlot, match_chosen, match_membership, select_events
from weighbridge.accounting.inputs.streams import InputStream, select_matching
from weighbridge.accounting.planning.plan import Run, RunDifference
from weighbridge.collection.measurements.values import NUMBERS
from weighbridge.core.engine import NodeReading, write_output_uncertainty
from weighbridge.core.engine.slot_computation import Drawn
from weighbridge.core.ledger.allocation import NO_CONTRIBUTIONS, ValueSource, write_columns
from weighbridge.core.model import Model, Node
from weighbridge.core.number import hash_numbers
from weighbridge.core.time.calendar import EventSlot, Interval
from weighbridge.core.uncertainty.effects import write_uncertainty
from weighbridge.db.engine import Write
from weighbridge.db.statements import Literal

# What is known once batches have been written: which run and batch each difference of a plan became.


@dataclass(frozen=True, slots=True)
class PostedBatch:
    """The batch that a difference made."""

    difference: RunDifference
    run_id: int
    batch_id: int
    made_at: datetime
    """When it was written, while its ledger was locked."""


@dataclass(frozen=True, slots=True)
class GenerationContext:
    """What every row of a generation carries."""

    project: int
    family: int
    task_id: int
    feedstocks: Mapping[str, int]
    assets: Mapping[str, int]


def build_identity_columns(context: GenerationContext, run: Run) -> tuple[object, ...]:
    """The identity of a run, as its columns are written: slot, and partition by number."""
    feedstock = context.feedstocks[run.partition.feedstock] if run.partition.feedstock else None
    asset = context.assets[run.partition.asset] if run.partition.asset else None
    event = run.slot.event or None if isinstance(run.slot, EventSlot) else None
    is_by_event = isinstance(run.slot, EventSlot)
    return (
        run.slot.start, run.slot.end, run.partition.tracking_id, feedstock, asset, event, is_by_event
    )  # fmt: skip


# What the nodes of a batch came to, as it is kept: a number, or of an array its digest and few elements.


ELEMENTS_KEPT_MAX: Final = 1000
"""Elements of an array that a batch keeps itself; a longer one follows from its input data."""


async def insert_calculations(
    tx: Write, context: GenerationContext, model: Model, posted_batches: Sequence[PostedBatch]
) -> None:
    """Write down the value of every node that has one, in the order of the document."""
    # Coverage factors are quantiles, which take too long for the event loop.
    rows = await tx.in_thread(_list_calculations, model, posted_batches)
    tx.later(
        """
        INSERT INTO batch_calculations (project_id, batch_id, position, slug, name, unit, value, whole,
                                        element_count, elements, elements_sha256, is_output, is_primary,
                                        contributions, uncertainty)
        SELECT %s, batch_id, position, slug, name, unit, value, whole, element_count, elements::numeric[],
               elements_sha256, is_output, is_primary, contributions::numeric[], uncertainty
          FROM unnest(%s::bigint[], %s::smallint[], %s::text[], %s::text[], %s::text[], %s::numeric[],
                      %s::numeric[], %s::integer[], %s::text[], %s::bytea[], %s::boolean[], %s::boolean[],
                      %s::text[], %s::jsonb[])
               AS value (batch_id, position, slug, name, unit, value, whole, element_count, elements,
                         elements_sha256, is_output, is_primary, contributions, uncertainty)
        """,
        (context.project, *([list(column) for column in zip(*rows, strict=True)] or [[]] * 14)),
    )


def _list_calculations(model: Model, posted_batches: Sequence[PostedBatch]) -> list[tuple[object, ...]]:
    return [
        (
            batch.batch_id,
            position,
            node.slug,
            node.label,
            str(node.unit),
            *_build_value_columns(reading),
            node in model.outputs,
            node.slug == batch.difference.ledger.output,
            _write_node_contributions(model, node, batch.difference.run),
            _write_uncertainty(model, node, batch.difference.run),
        )
        for batch in posted_batches
        for position, node in enumerate(model.nodes, start=1)
        if (reading := batch.difference.run.readings.get(node.slug)) is not None
        and reading.amount is not None
    ]


def _write_node_contributions(model: Model, node: Node, run: Run) -> str | None:
    """Return the contributions to an output as an array's text; None for other nodes, or if unknown."""
    rests_on = run.contributions.get(node.slug, NO_CONTRIBUTIONS) if node in model.outputs else None
    return None if rests_on is None else write_array(write_columns(rests_on))


def _write_uncertainty(model: Model, node: Node, run: Run) -> str | None:
    """Write how uncertain an output is as JSON; None for other nodes, and where the model does not ask."""
    written = write_output_uncertainty(model, node, run.uncertainties.get(node.slug))
    return None if written is None else json.dumps(written)


def write_array(numbers: Sequence[Decimal | None]) -> str:
    """Numbers as PostgreSQL reads an array of them."""
    return f"{{{','.join('NULL' if number is None else format(number, 'f') for number in numbers)}}}"


def _build_value_columns(reading: NodeReading) -> tuple[Any, ...]:
    """Value, whole, number of elements, elements as an array's text, and their digest."""
    if isinstance(reading.amount, tuple):
        return (
            None,
            reading.whole,
            len(reading.amount),
            _write_elements(reading.amount),
            hash_numbers(reading.amount),
        )
    return reading.amount, reading.whole, None, None, None


def _write_elements(amounts: Sequence[Decimal]) -> str | None:
    if len(amounts) > ELEMENTS_KEPT_MAX:
        return None
    return write_array(amounts)


# ByLineage as generation writes it: which events and static inputs each batch was made of.
#
# Events are stored in chunks, in the order in which they count.


async def insert_lineage(
    tx: Write,
    context: GenerationContext,
    discovery: BySlot,
    stream: InputStream,
    posted_batches: Sequence[PostedBatch],
    *,
    dimensions: Sequence[str],
) -> None:
    """Write down which events of a stream each batch was made of; partitions have these dimensions."""
    using_batches = [
        batch for batch in posted_batches if batch.difference.run.event_counts.get(stream.number)
    ]
    if not using_batches:
        return
    tx.later(
        """
        INSERT INTO batch_input_sets (project_id, batch_id, set_number, event_type_id, nodes, positions,
                                      event_count)
        SELECT %s, batch_id, %s, %s, %s, %s, event_count
          FROM unnest(%s::bigint[], %s::bigint[]) AS used (batch_id, event_count)
        """,
        (
            context.project, stream.number, stream.event_type, list(stream.node_slugs),
            list(stream.positions), [batch.batch_id for batch in using_batches],
            [batch.difference.run.event_counts[stream.number] for batch in using_batches],
        ),
    )  # fmt: skip
    if stream.is_of_elements:
        await _insert_elements(tx, context, stream, using_batches)
    elif len({batch.difference.run.slot for batch in using_batches}) == len(using_batches):
        _insert_by_batch(tx, context, discovery, stream, using_batches)
    else:
        _insert_by_tags(tx, context, discovery, stream, using_batches, dimensions=dimensions)


async def _insert_elements(
    tx: Write, context: GenerationContext, stream: InputStream, using_batches: Sequence[PostedBatch]
) -> None:
    """Write the events of a stream that was read element by element: they are known by their ids."""
    await tx.copy(
        "batch_inputs",
        ("project_id", "batch_id", "set_number", "chunk", "first_event", "last_event", "event_ids"),
        (
            f"{context.project}\t{batch.batch_id}\t{stream.number}\t{chunk_number}\t{min(chunk)}\t{max(chunk)}"
            f"\t{{{','.join(map(str, chunk))}}}\n"
            for batch in using_batches
            for chunk_number, chunk in enumerate(_split_chunks(batch.difference.run.used[stream.number]))
        ),
    )


def _split_chunks(events: Sequence[int]) -> list[Sequence[int]]:
    return [events[start : start + CHUNK_SIZE] for start in range(0, len(events), CHUNK_SIZE)]


def _insert_by_batch(
    tx: Write,
    context: GenerationContext,
    discovery: BySlot,
    stream: InputStream,
    using_batches: Sequence[PostedBatch],
) -> None:
    """Write the events of a stream that PostgreSQL summed, where no two batches share a slot."""
    keys = [build_identity_columns(context, batch.difference.run) for batch in using_batches]
    numbers = {slot: number for number, slot in enumerate(discovery.slots, start=1)}
    restriction, values = match_chosen(discovery, stream)
    statement = _BY_BATCH.format(
        source=select_matching(stream),
        size=Literal(CHUNK_SIZE),
        condition=match_membership(discovery.slots, stream),
        chosen=restriction,
        order=_ORDER,
    )
    tx.later(
        statement,
        {
            **values,
            "project": context.project,
            "set": stream.number,
            "batches": [batch.batch_id for batch in using_batches],
            "numbers": [numbers[batch.difference.run.slot] for batch in using_batches],
            "starts": [key[0] for key in keys],
            "ends": [key[1] for key in keys],
            "tracking_ids": [key[2] for key in keys],
            "feedstocks": [key[3] for key in keys],
            "assets": [key[4] for key in keys],
            "events": [key[5] for key in keys],
            "event_type": stream.event_type,
        },
    )


def _insert_by_tags(
    tx: Write,
    context: GenerationContext,
    discovery: BySlot,
    stream: InputStream,
    using_batches: Sequence[PostedBatch],
    *,
    dimensions: Sequence[str],
) -> None:
    """Write the events of a stream that PostgreSQL summed, whatever the number of batches of a slot.

    The tags of the groups that each run was made of say whose an event is; a shared one belongs to several.
    """
    slots = {batch.difference.run.slot for batch in using_batches}
    narrowed = _restrict_to_slots(discovery, slots)
    numbers = {slot: number for number, slot in enumerate(narrowed.slots, start=1)}
    events = select_events(narrowed, stream, dimensions)
    rows = [
        (
            batch.batch_id, numbers[batch.difference.run.slot], tags.tracking_id or "",
            context.feedstocks[tags.feedstock] if tags.feedstock else 0,
            context.assets[tags.asset] if tags.asset else 0,
        )
        for batch in using_batches
        for tags in batch.difference.run.tags[stream.number]
    ]  # fmt: skip
    batches, of_slots, tracking_ids, feedstocks, assets = zip(*rows, strict=True)
    tx.later(
        _BY_TAGS.format(
            size=Literal(CHUNK_SIZE),
            events=events.events,
            order=_ORDER,
            alike=SQL(" AND ").join(SQL(_ALIKE[dimension]) for dimension in ("slot", *dimensions)),
        ),
        {
            **events.values,
            "project": context.project,
            "set": stream.number,
            "batches": list(batches),
            "numbers": list(of_slots),
            "tracking_ids": list(tracking_ids),
            "feedstocks": list(feedstocks),
            "assets": list(assets),
        },
    )


def _restrict_to_slots(discovery: BySlot, slots: Collection[Interval]) -> BySlot:
    """The same with these of its slots."""
    kept_indices = [index for index, slot in enumerate(discovery.slots) if slot in slots]
    sets = {new: discovery.sets[old] for new, old in enumerate(kept_indices) if old in discovery.sets}
    return BySlot(discovery.project, [discovery.slots[index] for index in kept_indices], sets)


def insert_static_inputs(
    tx: Write, context: GenerationContext, posted_batches: Sequence[PostedBatch]
) -> None:
    """Write down which static inputs the nodes of each batch read."""
    rows = [
        (batch.batch_id, node, number)
        for batch in posted_batches
        for node, numbers in batch.difference.run.statics.items()
        for number in sorted(numbers)
    ]
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        tx.later(
            """
            INSERT INTO batch_static_inputs (project_id, batch_id, node, static_input_id)
            SELECT %s, used.* FROM unnest(%s::bigint[], %s::text[], %s::integer[]) AS used
            """,
            (context.project, *columns),
        )


def insert_skipped_inputs(
    tx: Write, context: GenerationContext, posted_batches: Sequence[PostedBatch]
) -> None:
    """Write down which inputs of each batch had their data skipped."""
    rows = [
        (batch.batch_id, node, kind)
        for batch in posted_batches
        for node, kind in sorted(batch.difference.run.skipped.items())
    ]
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        tx.later(
            """
            INSERT INTO batch_skipped_inputs (project_id, batch_id, node, data_point_type_id)
            SELECT %s, used.* FROM unnest(%s::bigint[], %s::text[], %s::integer[]) AS used
            """,
            (context.project, *columns),
        )


_ORDER: Final = SQL(f"""
    e.start_time, e.end_time, e.tracking_id COLLATE "C", e.client_reference COLLATE "C", {NUMBERS}, e.id
""")
"""The order of a batch's events; the index on their start leaves only those of one moment to be sorted."""

# Without NULLs they are compared by hashing.
_ALIKE: Final[Mapping[str, LiteralString]] = {
    "slot": "share.number = slot.number",
    "tracking_id": "share.tracking_id = coalesce(e.tracking_id, '')",
    "feedstock": "share.feedstock_id = coalesce(e.feedstock_id, 0)",
    "asset": "share.asset_id = coalesce(e.asset_id, 0)",
}
"""Whether an event is of a share, in the slot and in each dimension of the partitions."""

_BY_TAGS = SQL("""
    WITH made AS MATERIALIZED (
        SELECT %(project)s, batch_id, %(set)s, rank / {size}, min(id), max(id), array_agg(id ORDER BY rank)
          FROM (SELECT share.batch_id, e.id,
                       row_number() OVER (PARTITION BY share.batch_id
                                          ORDER BY {order}) - 1 AS rank
                  FROM {events}
                  JOIN unnest(%(batches)s::bigint[], %(numbers)s::integer[], %(tracking_ids)s::text[],
                              %(feedstocks)s::integer[], %(assets)s::integer[])
                       AS share (batch_id, number, tracking_id, feedstock_id, asset_id)
                    ON {alike}
               ) AS used
         GROUP BY batch_id, rank / {size}
    )
    INSERT INTO batch_inputs (project_id, batch_id, set_number, chunk, first_event, last_event, event_ids)
    SELECT * FROM made
""")

# An event without a tag in some dimension was shared, and belongs to every batch that it agrees with. Batch
# by batch the index gives the events almost in their order; all together they would be sorted on disk.
_BY_BATCH = SQL("""
    WITH made AS MATERIALIZED (
        SELECT %(project)s, slot.batch_id, %(set)s, part.*
          FROM unnest(%(batches)s::bigint[], %(numbers)s::integer[], %(starts)s::timestamptz[],
                      %(ends)s::timestamptz[], %(tracking_ids)s::text[], %(feedstocks)s::integer[],
                      %(assets)s::integer[], %(events)s::bigint[])
               AS slot (batch_id, number, start_time, end_time, tracking_id, feedstock_id, asset_id, event_id)
         CROSS JOIN LATERAL (
            SELECT rank / {size}, min(id), max(id), array_agg(id ORDER BY rank)
              FROM (SELECT e.id, row_number() OVER (ORDER BY {order}) - 1 AS rank
                      FROM {source}
                     WHERE {condition} AND {chosen}
                       AND (slot.tracking_id IS NULL OR e.tracking_id IS NULL
                            OR e.tracking_id = slot.tracking_id)
                       AND (slot.feedstock_id IS NULL OR e.feedstock_id IS NULL
                            OR e.feedstock_id = slot.feedstock_id)
                       AND (slot.asset_id IS NULL OR e.asset_id IS NULL OR e.asset_id = slot.asset_id)
                   ) AS used
             GROUP BY rank / {size}) AS part
    )
    INSERT INTO batch_inputs (project_id, batch_id, set_number, chunk, first_event, last_event, event_ids)
    SELECT * FROM made
""")


# The draws of batches, as they were when values were computed: a batch keeps them, whatever comes later.


async def insert_draws(tx: Write, project: int, posted_batches: Sequence[PostedBatch]) -> None:
    """Keep with each batch what its nodes had drawn when its values were computed."""
    rows, attributes = await tx.in_thread(_list_draws, posted_batches)
    if not rows:
        return
    tx.later(
        """
        INSERT INTO batch_draws (project_id, batch_id, node, place, source_batch_id, amount, attributes,
                                 units, contributions, uncertainties)
        SELECT %s, batch_id, node, place, source_batch_id, amount, coalesce(named.attributes, '{}'),
               coalesce(named.units, '{}'), drawn.contributions::numeric[], drawn.uncertainties
          FROM unnest(%s::bigint[], %s::text[], %s::integer[], %s::bigint[], %s::numeric[], %s::text[],
                      %s::jsonb[])
               WITH ORDINALITY AS drawn (batch_id, node, place, source_batch_id, amount, contributions,
                                         uncertainties, row)
          LEFT JOIN (SELECT row, array_agg(value ORDER BY index) AS attributes,
                            array_agg(unit ORDER BY index) AS units
                       FROM unnest(%s::integer[], %s::integer[], %s::numeric[], %s::text[])
                            AS one (row, index, value, unit)
                      GROUP BY row) AS named USING (row)
        """,
        (
            project,
            *([row[column] for row in rows] for column in range(7)),
            *([row[column] for row in attributes] for column in range(4)),
        ),
    )


def _list_draws(
    posted_batches: Sequence[PostedBatch],
) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """The rows of draws, and those of their attributes: an array of arrays must be rectangular."""
    draws = [
        (batch.batch_id, position, draw)
        for batch in posted_batches
        for position, draw in enumerate(batch.difference.run.draws)
    ]
    rows: list[tuple[object, ...]] = [
        (
            batch,
            draw.node,
            position,
            draw.source.number,
            draw.amount,
            _write_withdrawal_contributions(draw),
            json.dumps([write_uncertainty(column) for column in draw.uncertainties])
            if draw.uncertainties
            else None,
        )
        for batch, position, draw in draws
    ]
    attributes: list[tuple[object, ...]] = [
        (row, index, value, str(unit))
        for row, (_, _, draw) in enumerate(draws, start=1)
        for index, (value, unit) in enumerate(zip(draw.attributes, draw.units, strict=True))
    ]
    return rows, attributes


def _write_withdrawal_contributions(draw: Drawn) -> str:
    """What the drawn amount and each attribute rest on, one after the other, as an array's text."""
    unknown: list[Decimal | None] = [None] * len(ValueSource)
    return write_array(
        [column for part in draw.rests_on for column in (unknown if part is None else write_columns(part))]
    )
