"""Waiting for the writers whose marks a rule may have missed; `platform/changes` leaves the marks.

A writer shares a lock from before it looks for rules until it commits, so whoever had that lock alone knows
that every change committed by then either is marked or can be read.
"""

from weighbridge.db import locks
from weighbridge.db.engine import Database


async def await_writers(database: Database, project: int) -> None:
    """Wait for the writers that may not have seen a rule that is committed by now."""
    async with database.write() as tx:
        await tx.execute(*locks.hold_rule_marks(project))
