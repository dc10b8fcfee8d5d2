"""What workers do for the feed of changes: numbers, each second, and an end for what is old."""

from typing import Final

from weighbridge.db.engine import Database, Write
from weighbridge.exchange.feed.numbering import number_changes

_FORGET: Final = """
    WITH removed AS (
        DELETE FROM changes c
         WHERE at < now() - make_interval(days => %s) AND NOT EXISTS (
                   SELECT FROM webhooks w JOIN webhook_lanes l ON l.webhook_id = w.id
                    WHERE w.account_id = c.account_id AND w.is_enabled AND l.next_number <= c.number)
        RETURNING account_id, number
    ), shortened AS (
        INSERT INTO change_horizons AS h (account_id, number)
        SELECT account_id, max(number) FROM removed GROUP BY account_id
        ON CONFLICT (account_id) DO UPDATE SET number = greatest(h.number, excluded.number)
    )
    SELECT count(*) FROM removed
"""


async def number_all(database: Database) -> None:
    """Give numbers to whatever was committed, some at a time."""
    while await number_changes(database):
        pass


async def forget_changes(tx: Write, days: int) -> int:
    """Remove changes that are older than so many days; gives how many entries that were.

    Those that a webhook has still to be told of stay, unless it is disabled.
    """
    removed: int = await tx.value(_FORGET, (days,))
    return removed
