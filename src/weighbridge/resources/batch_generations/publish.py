"""Publish a plan: runs, batches, values, lineage and entries, in one transaction.

Everything is written set by set: one statement for each table, whatever the number of batches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from psycopg.sql import SQL, Literal

from weighbridge.core.model import Model
from weighbridge.core.number import EXACT
from weighbridge.db.engine import Write
from weighbridge.resources.batch_generations.plan import Change, Plan, Run
from weighbridge.resources.batch_generations.sources import Source, matching
from weighbridge.resources.batches.input_data import CHUNK_SIZE


@dataclass(frozen=True, slots=True)
class Posted:
    """The batch that a change made."""

    change: Change
    batch_id: int


@dataclass(frozen=True, slots=True)
class Context:
    """What every row of a generation carries."""

    project: int
    family: int
    task_id: int
    model_sha256: bytes
    feedstocks: Mapping[str, int]
    assets: Mapping[str, int]


async def publish(tx: Write, context: Context, model: Model, plan: Plan) -> list[Posted]:
    """Write everything that the plan says; give the batches in the plan's order."""
    if not plan.changes:
        return []
    runs = await _ensure_runs(tx, context, [change.run for change in plan.changes])
    posted = await _insert_batches(tx, context, plan, runs)
    await _insert_calculations(tx, context, model, posted)
    for source in plan.sources:
        await _insert_lineage(tx, context, source, posted)
    await _insert_entries(tx, context, posted)
    return posted


def _run_key(context: Context, run: Run) -> tuple[object, ...]:
    feedstock = context.feedstocks[run.partition.feedstock] if run.partition.feedstock else None
    asset = context.assets[run.partition.asset] if run.partition.asset else None
    return run.slot.start, run.slot.end, run.partition.tracking_id, feedstock, asset


async def _ensure_runs(tx: Write, context: Context, runs: Sequence[Run]) -> dict[tuple[object, ...], int]:
    """The ids of the runs by slot and partition; new ones are written down."""
    keys = list(dict.fromkeys(_run_key(context, run) for run in runs))
    columns = [list(column) for column in zip(*keys, strict=True)]
    await tx.execute(
        """
        INSERT INTO runs (project_id, family_id, start_time, end_time, tracking_id, feedstock_id, asset_id)
        SELECT %s, %s, start_time, end_time, tracking_id, feedstock_id, asset_id
          FROM unnest(%s::timestamptz[], %s::timestamptz[], %s::text[], %s::integer[], %s::integer[])
               WITH ORDINALITY AS asked (start_time, end_time, tracking_id, feedstock_id, asset_id, place)
         ORDER BY place
        ON CONFLICT DO NOTHING
        """,
        (context.project, context.family, *columns),
    )
    rows = await tx.tuples(
        """
        SELECT start_time, end_time, tracking_id, feedstock_id, asset_id, id FROM runs
         WHERE project_id = %s AND family_id = %s AND start_time = ANY (%s)
        """,
        (context.project, context.family, columns[0]),
    )
    return {tuple(key): number for *key, number in rows}


async def _insert_batches(
    tx: Write, context: Context, plan: Plan, runs: Mapping[tuple[object, ...], int]
) -> list[Posted]:
    changes = plan.changes
    rows = await tx.tuples(
        """
        INSERT INTO batches (project_id, ledger_id, run_id, adjusts, model_id, model_sha256, tracking_id,
                             start_time, end_time, total, credited, fingerprint, share_scale, async_task_id)
        SELECT %s, ledger_id, run_id, adjusts, %s, %s, tracking_id, start_time, end_time, total, credited,
               fingerprint, %s, %s
          FROM unnest(%s::integer[], %s::bigint[], %s::bigint[], %s::text[], %s::timestamptz[],
                      %s::timestamptz[], %s::numeric[], %s::numeric[], %s::bytea[])
               WITH ORDINALITY AS asked (ledger_id, run_id, adjusts, tracking_id, start_time, end_time, total,
                                         credited, fingerprint, place)
         ORDER BY place
        RETURNING id
        """,
        (
            context.project,
            plan.model_id,
            context.model_sha256,
            plan.share_scale,
            context.task_id,
            [change.target.number for change in changes],
            [runs[_run_key(context, change.run)] for change in changes],
            [change.adjusts for change in changes],
            [_tracking_id(change.run) for change in changes],
            [change.run.slot.start for change in changes],
            [change.run.slot.end for change in changes],
            [change.total for change in changes],
            [change.posting.credit for change in changes],
            [change.run.fingerprint for change in changes],
        ),
    )
    # Ids are drawn in the order of the rows, so sorting them pairs them with the changes again.
    return [Posted(change, number) for change, (number,) in zip(changes, sorted(rows), strict=True)]


def _tracking_id(run: Run) -> str:
    """The partition's own tracking id, or one made of slot and partition: `2025-03 Wood chips`."""
    return run.partition.tracking_id or " ".join(part for part in (run.label, run.partition.label) if part)


async def _insert_calculations(tx: Write, context: Context, model: Model, posted: Sequence[Posted]) -> None:
    rows = [
        (
            one.batch_id, place, node.slug, node.label, str(node.unit), value.amount, value.whole,
            node in model.outputs, node.slug == one.change.target.output,
        )
        for one in posted
        for place, node in enumerate(model.nodes, start=1)
        if (value := one.change.run.readings.get(node.slug)) is not None and value.amount is not None
    ]  # fmt: skip
    columns = [list(column) for column in zip(*rows, strict=True)]
    await tx.execute(
        """
        INSERT INTO batch_calculations (project_id, batch_id, position, slug, name, unit, value, whole,
                                        is_output, is_primary)
        SELECT %s, asked.*
          FROM unnest(%s::bigint[], %s::smallint[], %s::text[], %s::text[], %s::text[], %s::numeric[],
                      %s::numeric[], %s::boolean[], %s::boolean[]) AS asked
        """,
        (context.project, *columns),
    )


async def _insert_lineage(tx: Write, context: Context, source: Source, posted: Sequence[Posted]) -> None:
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
    keys = [_run_key(context, one.change.run) for one in used]
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


async def _insert_entries(tx: Write, context: Context, posted: Sequence[Posted]) -> None:
    """Post credits to the new batches and falls to the earlier ones, each at the end of its run's slot."""
    rows = [
        (one.change.target.number, one.batch_id, "credit", one.change.posting.credit, one.change.run.slot.end)
        for one in posted
    ] + [
        (one.change.target.number, fall.batch_id, "fall", EXACT.minus(fall.balance), one.change.run.slot.end)
        for one in posted
        for fall in one.change.posting.falls
    ]
    columns = [list(column) for column in zip(*rows, strict=True)]
    await tx.execute(
        """
        INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at,
                                    async_task_id)
        SELECT %s, ledger_id, batch_id, kind, amount, effective_at, %s
          FROM unnest(%s::integer[], %s::bigint[], %s::text[], %s::numeric[], %s::timestamptz[])
               WITH ORDINALITY AS asked (ledger_id, batch_id, kind, amount, effective_at, place)
         ORDER BY place
        """,
        (context.project, context.task_id, *columns),
    )
