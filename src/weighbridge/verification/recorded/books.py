"""The books against the audit log: what each generation wrote is what its row tells, by its digests."""

from typing import Any, Final, LiteralString

from psycopg.sql import SQL

from weighbridge.accounting.posting.written import WRITTEN, digest_of, of_tasks
from weighbridge.db.engine import Read

Digests = dict[int, list[Any]]
"""By task, how many rows there are, and the SHA-256 over them."""


async def check_written(tx: Read) -> tuple[int, list[str]]:
    """Gives how many generations told no digests, and a sentence for each table that was changed."""
    rows = await tx.tuples(_TOLD)
    told = [written for (written,) in rows if written is not None]
    found: list[str] = []
    for table in WRITTEN:
        statement = SQL(_STORED).format(
            digest=digest_of(table), table=SQL(table.name), batch=SQL(table.batch), task=of_tasks(table)
        )
        stored: Digests = {task: [count, digest] for task, count, digest in await tx.tuples(statement)}
        for one in told:
            name = f"{table.name} of task {one['task']}"
            was, now = one["tables"].get(table.name, [0, ""]), stored.get(one["task"], [0, ""])
            if was[0] != now[0]:
                found.append(f"{name}: there are {now[0]:,} rows, and {was[0]:,} were written")
            elif was != now:
                found.append(f"{name}: they differ from what was written")
    return len(rows) - len(told), found


_TOLD: Final = "SELECT after -> 'written' FROM audit_log WHERE action = 'batch_generation.finish' ORDER BY id"
_STORED: Final[LiteralString] = """
    SELECT b.async_task_id, {digest} FROM {table} w
      JOIN batches b ON b.project_id = w.project_id AND b.id = {batch} AND {task}
     WHERE b.async_task_id IS NOT NULL
     GROUP BY b.async_task_id
"""
