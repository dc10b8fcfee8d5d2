"""Publish a plan: runs, batches, values, lineage and entries, in one transaction.

Everything is written set by set: one statement for each table, whatever the number of batches.
"""

from collections.abc import Mapping, Sequence

from weighbridge.core.model import Model
from weighbridge.db.engine import Write
from weighbridge.resources.batch_generations.entries import insert_entries
from weighbridge.resources.batch_generations.lineage import insert_lineage
from weighbridge.resources.batch_generations.plan import Plan, Run
from weighbridge.resources.batch_generations.posted import Context, Posted, run_key


async def publish(tx: Write, context: Context, model: Model, plan: Plan) -> list[Posted]:
    """Write everything that the plan says; give the batches in the plan's order."""
    if not plan.changes:
        return []
    runs = await _ensure_runs(tx, context, [change.run for change in plan.changes])
    posted = await _insert_batches(tx, context, plan, runs)
    await _insert_calculations(tx, context, model, posted)
    for source in plan.sources:
        await insert_lineage(tx, context, source, posted)
    await insert_entries(tx, context, posted)
    return posted


async def _ensure_runs(tx: Write, context: Context, runs: Sequence[Run]) -> dict[tuple[object, ...], int]:
    """The ids of the runs by slot and partition; new ones are written down."""
    keys = list(dict.fromkeys(run_key(context, run) for run in runs))
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
            [runs[run_key(context, change.run)] for change in changes],
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
    numbers = [number for (number,) in sorted(rows)]
    return [
        Posted(change, runs[run_key(context, change.run)], number)
        for change, number in zip(changes, numbers, strict=True)
    ]


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
