"""The quota of events that an account stores in a day.

While there is one, each request counts its events before it stores them, in its own transaction: what is
refused or rolled back is not counted. Requests of one account then wait for each other's commit.
"""

from typing import Final

from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.quota import problem_of_quota
from weighbridge.db.engine import Write
from weighbridge.errors import TooManyRequests

_COUNT: Final = """
    INSERT INTO account_days AS d (account_id, day, events) VALUES (%s, current_date, %s)
    ON CONFLICT (account_id) DO UPDATE SET day = excluded.day,
        events = excluded.events + CASE WHEN d.day = excluded.day THEN d.events ELSE 0 END
    RETURNING events, ceil(extract(epoch FROM current_date + 1 - now()))::integer
"""
"""Days are those of UTC, which is the zone of every session."""


async def count_day(tx: Write, actor: Actor, count: int) -> None:
    """Count new events of the account; raise TooManyRequests when they are more than it may store today."""
    allowed = tx.quotas.events_a_day
    if not allowed:
        return
    [(events, seconds_left)] = await tx.tuples(_COUNT, (actor.account_id, count))
    if events > allowed:
        problem = problem_of_quota("events of today", events - count, count, allowed)
        raise TooManyRequests([problem], retry_after_seconds=max(1, seconds_left))
