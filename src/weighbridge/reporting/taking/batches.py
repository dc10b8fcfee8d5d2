"""The batches that a report takes from, as they stand now."""

from collections.abc import Collection
from decimal import Decimal

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.runs import RUN_TAGS
from weighbridge.core.ledger.partition import Account, Partition
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read


class ReportedBatch(msgspec.Struct, frozen=True):
    """A batch, what it has left, and the account that it belongs to."""

    number: int
    ledger: int
    start_time: Instant
    end_time: Instant
    name: str
    balance: Decimal
    credited: Decimal
    """What it was credited with; zero of one by which its run fell, or only rose back to what it was."""
    is_deleted: bool
    tracking_id: str | None
    feedstock: str | None
    asset: str | None

    @property
    def account(self) -> Account:
        return Account(self.ledger, Partition(self.tracking_id, self.feedstock, self.asset))


async def reported_batches(tx: Read, project: int, numbers: Collection[int]) -> dict[int, ReportedBatch]:
    """Those of some batches that the project has, oldest first; deleted ones are among them."""
    rows = await tx.rows(
        ReportedBatch,
        SQL("""
            SELECT b.id, b.ledger_id, b.start_time, b.end_time, b.tracking_id, b.balance, b.credited,
                   b.deleted_at IS NOT NULL, r.tracking_id, f.name, a.name
              FROM batches b LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id) {}
             WHERE b.project_id = %s AND b.id = ANY (%s)
             ORDER BY b.start_time, b.end_time, b.tracking_id, b.id
        """).format(SQL(RUN_TAGS)),
        (project, sorted(numbers)),
    )
    return {row.number: row for row in rows}
