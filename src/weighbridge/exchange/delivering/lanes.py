"""Lanes: which worker is at which webhook, and which webhook is next.

A lane is due when a delivery is, or when the feed has something behind the webhook's place. The one that was
served longest ago comes first. A worker says several times in each lease that it still holds its lanes; those
of a worker that says so no more are free when its lease is over.

Invariants: a lane has one holder; whoever has lost a lane writes nothing of it any more; a lane that is given
back is due when the next of its deliveries is, whatever was asked for meanwhile.
"""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from weighbridge.db.engine import Database, Write
from weighbridge.exchange.delivering.taking import WAITING_DELIVERIES_MAX

_CLAIM: Final = """
    WITH heads AS MATERIALIZED (
        SELECT a.account_id, coalesce(
                   (SELECT max(c.number) FROM changes c WHERE c.account_id = a.account_id),
                   (SELECT h.number FROM change_horizons h WHERE h.account_id = a.account_id), 0) AS number
          FROM (SELECT DISTINCT account_id FROM webhooks WHERE is_enabled) AS a
    ), due AS (
        SELECT l.webhook_id
          FROM webhook_lanes l JOIN webhooks w ON w.id = l.webhook_id
          LEFT JOIN heads h ON h.account_id = w.account_id
         WHERE (l.held_until IS NULL OR l.held_until < now())
           AND (w.failing_since IS NOT NULL) = %(failing)s
           AND (l.due_at <= now()::timestamptz(3)
                OR w.is_enabled AND NOT l.is_full AND l.next_number <= h.number)
         ORDER BY l.served_at NULLS FIRST, l.webhook_id
         LIMIT %(limit)s
           FOR UPDATE OF l SKIP LOCKED
    )
    UPDATE webhook_lanes l
       SET holder = %(holder)s, held_until = now() + make_interval(secs => %(lease)s)
      FROM due WHERE l.webhook_id = due.webhook_id
    RETURNING l.webhook_id
"""

_KEEP: Final = """
    UPDATE webhook_lanes SET held_until = now() + make_interval(secs => %s)
     WHERE holder = %s AND webhook_id = ANY (%s)
"""

_RELEASE: Final = """
    UPDATE webhook_lanes l
       SET holder = NULL, held_until = NULL, served_at = clock_timestamp(),
           due_at = (SELECT min(d.next_attempt_at)
                       FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
                      WHERE d.webhook_id = l.webhook_id AND d.state = 'pending'
                        AND (w.is_enabled OR d.is_by_hand)),
           is_full = (SELECT count(*) >= %s FROM webhook_deliveries d
                       WHERE d.webhook_id = l.webhook_id AND d.state = 'pending')
     WHERE l.webhook_id = %s
"""


async def claim(
    database: Database, holder: UUID, *, lease_seconds: int, limit: int, failing: bool
) -> list[int]:
    """Take up lanes that are due: of webhooks that fail, or of the others."""
    if limit <= 0:
        return []
    async with database.write() as tx:
        values = {"holder": holder, "lease": lease_seconds, "limit": limit, "failing": failing}
        return [number for (number,) in await tx.tuples(_CLAIM, values)]


async def keep(database: Database, holder: UUID, lanes: Collection[int], *, lease_seconds: int) -> None:
    """Say that lanes are still held."""
    async with database.write() as tx:
        await tx.execute(_KEEP, (lease_seconds, holder, [*lanes]))


async def release(tx: Write, webhook: int, holder: UUID) -> None:
    """Give a lane back, unless another has it by now."""
    held = "SELECT FROM webhook_lanes WHERE webhook_id = %s AND holder = %s FOR UPDATE"
    # The second statement sees what was committed before the first one had the lane.
    if await tx.tuples(held, (webhook, holder)):
        await tx.execute(_RELEASE, (WAITING_DELIVERIES_MAX, webhook))
