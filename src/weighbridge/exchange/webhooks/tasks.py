"""What workers remove of webhooks: deliveries and secrets that have outlived their use."""

from typing import Final

from weighbridge.db.engine import Write

DELIVERED_DAYS: Final = 7
"""Days for which deliveries that were taken are kept."""

FAILED_DAYS: Final = 30
"""Days for which deliveries that failed are kept."""

_FORGET: Final = """
    WITH removed AS (
        DELETE FROM webhook_deliveries
         WHERE ended_at < now() - make_interval(days => CASE state WHEN 'delivered' THEN %s ELSE %s END)
        RETURNING 1
    )
    SELECT count(*) FROM removed
"""


async def forget_deliveries(tx: Write) -> int:
    """Remove what ended long ago; gives how many deliveries that were."""
    await tx.execute("DELETE FROM webhook_secrets WHERE expires_at < now()")
    removed: int = await tx.value(_FORGET, (DELIVERED_DAYS, FAILED_DAYS))
    return removed
