"""The audit log of one account, sealed: to seal those of all takes longer the more tests went before."""

from weighbridge.db.engine import Database
from weighbridge.platform.audit_tree import seal_account


async def seal_rows_of(database: Database, account: int) -> int:
    """Seal every row of the account that waits; gives their number."""
    sealed = 0
    while True:
        async with database.write() as tx:
            count = await seal_account(tx, account)
        if count == 0:
            return sealed
        sealed += count
