"""The ledger entries that a generation posts."""

from collections.abc import Sequence

from weighbridge.core.number import EXACT
from weighbridge.db.engine import Write
from weighbridge.resources.batch_generations.posted import Context, Posted


async def insert_entries(tx: Write, context: Context, posted: Sequence[Posted]) -> None:
    """Post credits to the new batches and falls to the earlier ones, each at the end of its run's slot."""
    rows = [(one, one.batch_id, "credit", one.change.posting.credit) for one in posted] + [
        (one, fall.batch_id, "fall", EXACT.minus(fall.balance))
        for one in posted
        for fall in one.change.posting.falls
    ]
    columns = zip(
        *(
            (one.change.target.number, batch, kind, amount, one.change.run.slot.end, one.batch_id, one.run_id)
            for one, batch, kind, amount in rows
        ),
        strict=True,
    )
    await tx.execute(
        """
        INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                    run_id, async_task_id)
        SELECT %s, ledger_id, batch_id, kind, amount, effective_at, posted_by, run_id, %s
          FROM unnest(%s::integer[], %s::bigint[], %s::text[], %s::numeric[], %s::timestamptz[],
                      %s::bigint[], %s::bigint[])
               WITH ORDINALITY AS asked (ledger_id, batch_id, kind, amount, effective_at, posted_by, run_id,
                                         place)
         ORDER BY place
        """,
        (context.project, context.task_id, *(list(column) for column in columns)),
    )
