"""Batches as they are written: runs, batches, values and lineage of a plan, in one transaction.

Everything is written set by set: one statement for each table, whatever the number of batches.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, LiteralString

from weighbridge.accounting.inputs.used_corrections import record_used_corrections
from weighbridge.accounting.planning.plan import NewBatch, Plan, Run
from weighbridge.accounting.posting.calculations import insert_calculations
from weighbridge.accounting.posting.draws import insert_draws
from weighbridge.accounting.posting.lineage import insert_lineage, insert_skipped_inputs, insert_static_inputs
from weighbridge.accounting.posting.posted import GenerationContext, Posted, identity_columns
from weighbridge.core.engine import ENGINE_REVISION
from weighbridge.core.ledger.partition import DIMENSIONS
from weighbridge.db.engine import Write

MANY_BATCHES: Final = 200
"""So many new batches change what statements have to be planned for.

PostgreSQL looks at its tables anew by itself, but within minutes: until then it plans for the tables as they
were, empty ones for instance, and may read all batches once for each run.
"""


async def insert_batches(
    tx: Write, context: GenerationContext, plan: Plan, credited: Mapping[NewBatch, Decimal]
) -> list[Posted]:
    """Write every batch of a plan with its run, its values and its lineage; give them in the plan's order."""
    if not plan.differences:
        return []
    model = plan.scope.model
    runs = await _ensure_runs(tx, context, [difference.run for difference in plan.differences])
    posted = await _insert_rows(tx, context, plan, runs, credited)
    await insert_calculations(tx, context, model, posted)
    dimensions = DIMENSIONS[model.partition_type]
    for stream in plan.streams:
        await insert_lineage(tx, context, plan.discovery, stream, posted, dimensions=dimensions)
    await insert_static_inputs(tx, context, posted)
    await insert_skipped_inputs(tx, context, posted)
    await insert_draws(tx, context.project, posted)
    await record_used_corrections(tx, context.project, [one.batch_id for one in posted])
    if len(posted) >= MANY_BATCHES:
        tx.later("SELECT refresh_statistics('runs', 'batches')")
    return posted


async def _ensure_runs(
    tx: Write, context: GenerationContext, runs: Sequence[Run]
) -> dict[tuple[object, ...], int]:
    """The ids of the runs by slot and partition; new ones are written down."""
    keys = list(dict.fromkeys(identity_columns(context, run) for run in runs))
    columns = [list(column) for column in zip(*keys, strict=True)]
    await tx.execute(_MOVE_RUNS, (*columns, context.project, context.family))
    await tx.execute(_MAKE_RUNS, (context.project, context.family, *columns))
    rows = await tx.tuples(
        """
        SELECT start_time, end_time, tracking_id, feedstock_id, asset_id, event_id, by_event, id FROM runs
         WHERE project_id = %s AND family_id = %s AND start_time = ANY (%s)
        """,
        (context.project, context.family, columns[0]),
    )
    return {tuple(key): number for *key, number in rows}


_RUNS: Final[LiteralString] = """
    unnest(%s::timestamptz[], %s::timestamptz[], %s::text[], %s::integer[], %s::integer[], %s::bigint[],
           %s::boolean[])
        WITH ORDINALITY AS run (start_time, end_time, tracking_id, feedstock_id, asset_id, event_id,
                                  by_event, position)
"""

# A run of an event stays the same run when the event's times are corrected.
_MOVE_RUNS: Final = (
    "UPDATE runs r SET start_time = run.start_time, end_time = run.end_time FROM "
    + _RUNS
    + """
     WHERE r.project_id = %s AND r.family_id = %s AND r.by_event AND run.by_event
       AND (r.event_id, r.tracking_id, r.feedstock_id, r.asset_id)
           IS NOT DISTINCT FROM (run.event_id, run.tracking_id, run.feedstock_id, run.asset_id)
       AND (r.start_time, r.end_time) <> (run.start_time, run.end_time)
"""
)
_MAKE_RUNS: Final = (
    """
    INSERT INTO runs (project_id, family_id, start_time, end_time, tracking_id, feedstock_id, asset_id,
                      event_id, by_event)
    SELECT %s, %s, start_time, end_time, tracking_id, feedstock_id, asset_id, event_id, by_event
      FROM """
    + _RUNS
    + """
     ORDER BY position
    ON CONFLICT DO NOTHING
"""
)


async def _insert_rows(
    tx: Write,
    context: GenerationContext,
    plan: Plan,
    runs: Mapping[tuple[object, ...], int],
    credited: Mapping[NewBatch, Decimal],
) -> list[Posted]:
    differences = plan.differences
    rows = await tx.tuples(
        """
        INSERT INTO batches (project_id, ledger_id, run_id, adjusts, model_id, model_sha256, tracking_id,
                             start_time, end_time, total, credited, fingerprint, share_scale, async_task_id,
                             engine_revision)
        SELECT %s, ledger_id, run_id, adjusts, %s, %s, tracking_id, start_time, end_time, total, credited,
               fingerprint, %s, %s, %s
          FROM unnest(%s::integer[], %s::bigint[], %s::bigint[], %s::text[], %s::timestamptz[],
                      %s::timestamptz[], %s::numeric[], %s::numeric[], %s::bytea[])
               WITH ORDINALITY AS batch (ledger_id, run_id, adjusts, tracking_id, start_time, end_time, total,
                                         credited, fingerprint, position)
         ORDER BY position
        RETURNING id
        """,
        (
            context.project,
            plan.scope.model_id,
            plan.scope.model_sha256,
            plan.scope.model.share_places,
            context.task_id,
            ENGINE_REVISION,
            [difference.ledger.number for difference in differences],
            [runs[identity_columns(context, difference.run)] for difference in differences],
            [difference.adjusts for difference in differences],
            [difference.run.name for difference in differences],
            [difference.run.slot.start for difference in differences],
            [difference.run.slot.end for difference in differences],
            [difference.total for difference in differences],
            [credited[difference.batch] for difference in differences],
            [difference.run.fingerprint for difference in differences],
        ),
    )
    # Ids are drawn in the order of the rows, so sorting them pairs them with the differences again.
    numbers = [number for (number,) in sorted(rows)]
    return [
        Posted(difference, runs[identity_columns(context, difference.run)], number)
        for difference, number in zip(differences, numbers, strict=True)
    ]
