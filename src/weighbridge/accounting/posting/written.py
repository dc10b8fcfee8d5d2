"""What a generation wrote, as digests: for each table how many rows, and the SHA-256 over them.

The audit log keeps them in the row that tells of the generation, so that every value, moment and share of the
books can be held against what was written. Columns that change later, such as balances, are left out.

Invariant: columns, their order and their form never change, or no digest that was kept would vouch any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString

from psycopg.sql import SQL, Composed

from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table whose rows are written by generations and never changed."""

    name: LiteralString
    columns: LiteralString
    order: LiteralString
    batch: LiteralString = "w.batch_id"
    """The column that has the batch by which a row was written."""


WRITTEN: Final = (
    WrittenTable(
        "batches",
        """w.id, w.ledger_id, w.run_id, w.adjusts, w.model_id, encode(w.model_sha256, 'hex'), w.tracking_id,
        extract(epoch FROM w.start_time), extract(epoch FROM w.end_time), w.total, w.credited, w.share_scale,
        encode(w.fingerprint, 'hex'), w.engine_revision, extract(epoch FROM w.created_at)""",
        "w.id",
        "w.id",
    ),
    WrittenTable(
        "batch_calculations",
        """w.batch_id, w.position, w.id, w.slug, w.name, w.unit, w.value, w.whole, w.is_output, w.is_primary,
        w.element_count, w.elements, encode(w.elements_sha256, 'hex'), w.contributions""",
        "w.batch_id, w.position",
    ),
    WrittenTable(
        "batch_draws",
        "w.batch_id, w.node, w.place, w.source_batch_id, w.amount, w.attributes, w.units, w.contributions",
        "w.batch_id, w.node, w.place",
    ),
    WrittenTable(
        "batch_input_sets",
        "w.batch_id, w.set_number, w.event_type_id, w.nodes, w.positions, w.event_count",
        "w.batch_id, w.set_number",
    ),
    WrittenTable(
        "batch_inputs",
        "w.batch_id, w.set_number, w.chunk, w.first_event, w.last_event, w.event_ids",
        "w.batch_id, w.set_number, w.chunk",
    ),
    WrittenTable("batch_corrections", "w.batch_id, w.correction_id", "w.batch_id, w.correction_id"),
    WrittenTable(
        "batch_static_inputs",
        "w.batch_id, w.node, w.static_input_id",
        'w.batch_id, w.node COLLATE "C", w.static_input_id',
    ),
    WrittenTable(
        "batch_skipped_inputs",
        "w.batch_id, w.node, w.data_point_type_id",
        'w.batch_id, w.node COLLATE "C", w.data_point_type_id',
    ),
    WrittenTable(
        "ledger_entries",
        """w.id, w.ledger_id, w.batch_id, w.kind, w.amount, extract(epoch FROM w.effective_at),
        extract(epoch FROM w.posted_at), w.posted_by, w.run_id, w.node, w.reverses, w.report_id""",
        "w.id",
        "w.posted_by",
    ),
    WrittenTable(
        "deficit_entries",
        """w.id, w.ledger_id, w.run_id, w.posted_by, w.amount, extract(epoch FROM w.effective_at),
        extract(epoch FROM w.posted_at), w.reverses, w.report_id""",
        "w.id",
        "w.posted_by",
    ),
)
"""Every table, in the order of the digests."""

_DIGEST: Final[LiteralString] = """
    count(*), encode(sha256(coalesce(
        string_agg(sha256(convert_to(jsonb_build_array({columns})::text, 'UTF8')), ''::bytea
                   ORDER BY {order}), '')), 'hex')
"""


def digest_of(table: WrittenTable) -> Composed:
    """The expressions of how many rows `w` there are, and the SHA-256 over them."""
    return SQL(_DIGEST).format(columns=SQL(table.columns), order=SQL(table.order))


def of_tasks(table: WrittenTable) -> SQL:
    """Which rows `w` are those of the task of their batch `b`; what a deletion undid is another task's."""
    return SQL("w.async_task_id = b.async_task_id" if table.batch == "w.posted_by" else "true")


async def written(tx: Read, project: int, task: int, batches: Sequence[int]) -> dict[str, Any]:
    """The digests of what a task has written with the batches that it made."""
    tables = {}
    for table in WRITTEN:
        [[count, digest]] = await tx.tuples(
            SQL(_OF_BATCHES).format(
                digest=digest_of(table), table=SQL(table.name), batch=SQL(table.batch), task=of_tasks(table)
            ),
            (project, [*batches]),
        )
        if count:
            tables[table.name] = [count, digest]
    return {"task": task, "tables": tables}


_OF_BATCHES: Final[LiteralString] = """
    SELECT {digest} FROM {table} w
      JOIN batches b ON b.project_id = w.project_id AND b.id = {batch} AND {task}
     WHERE w.project_id = %s AND {batch} = ANY (%s::bigint[])
"""
