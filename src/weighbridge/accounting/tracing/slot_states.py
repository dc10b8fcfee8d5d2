"""The slots of a ledger that hold batches, whether those are up to date, and its lots.

A lot is a batch of which something is left to be drawn, or is drawn by runs of a period already.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from weighbridge.accounting.books.stale_reasons import stale_among
from weighbridge.core.identity.ids import Key
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read


class SlotState(NamedTuple):
    """A slot with batches of a ledger: how many, how many of them stale, and how many events wait in it."""

    start: Instant
    end: Instant
    batches: int
    stale: int
    waiting: int


class OfferedLot(NamedTuple):
    """A batch that can be named as a source, in its ledger's unit."""

    number: int
    ledger: int
    tracking_id: str
    start: Instant
    end: Instant
    remaining: Decimal


class Holding(NamedTuple):
    """So much of a batch is drawn by hand for a node, by the runs of a period."""

    batch: int
    node: str
    amount: Decimal


async def slot_states(tx: Read, project: int, ledger: int, start: Instant, end: Instant) -> list[SlotState]:
    """The slots of a ledger that begin in a range, in order; each run's batches count as one."""
    values = {"project": project, "ledger": ledger, "start": start, "end": end}
    rows = await tx.tuples(
        f"""
        SELECT b.start_time, b.end_time, count(DISTINCT b.run_id), count(stale.id),
               coalesce(max(w.event_count), 0)
          FROM batches b
          LEFT JOIN ({stale_among("= %(project)s")}) AS stale
                 ON (stale.project_id, stale.id) = (b.project_id, b.id)
          LEFT JOIN slot_waits w ON (w.project_id, w.ledger_id, w.start_time, w.end_time)
                                  = (b.project_id, b.ledger_id, b.start_time, b.end_time)
         WHERE b.project_id = %(project)s AND b.ledger_id = %(ledger)s AND b.deleted_at IS NULL
           AND b.start_time >= %(start)s AND b.start_time < %(end)s
         GROUP BY b.start_time, b.end_time ORDER BY b.start_time, b.end_time
        """,
        values,
    )
    return [SlotState(*row) for row in rows]


async def lots(
    tx: Read, project: int, ledgers: Sequence[int], also: Sequence[int], most: int
) -> list[OfferedLot]:
    """The batches of some ledgers of which something is left, the newest first; and others that are named."""
    rows = await tx.tuples(
        """
        (SELECT id, ledger_id, tracking_id, start_time, end_time, trim_scale(balance) FROM batches
          WHERE project_id = %(project)s AND ledger_id = ANY (%(ledgers)s) AND id = ANY (%(also)s)
            AND deleted_at IS NULL)
        UNION
        (SELECT id, ledger_id, tracking_id, start_time, end_time, trim_scale(balance) FROM batches
          WHERE project_id = %(project)s AND ledger_id = ANY (%(ledgers)s) AND deleted_at IS NULL
            AND balance > 0
          ORDER BY start_time DESC, id DESC LIMIT %(most)s)
         ORDER BY start_time DESC, id DESC
        """,
        {"project": project, "ledgers": list(ledgers), "also": list(also), "most": most},
    )
    return [OfferedLot(*row) for row in rows]


async def holdings(
    tx: Read, ledger: Key, nodes: Sequence[str], start: Instant, end: Instant
) -> list[Holding]:
    """What the runs of a ledger's model that lie in a period draw for some nodes, batch by batch."""
    rows = await tx.tuples(
        """
        SELECT e.batch_id, e.node, trim_scale(- sum(e.amount))
          FROM ledgers l
          JOIN runs r ON (r.project_id, r.family_id) = (l.project_id, l.family_id)
          JOIN ledger_entries e
            ON (e.project_id, e.run_id) = (r.project_id, r.id) AND e.node = ANY (%(nodes)s)
         WHERE l.project_id = %(project)s AND l.id = %(ledger)s
           AND r.start_time >= %(start)s AND r.end_time <= %(end)s
         GROUP BY e.batch_id, e.node HAVING sum(e.amount) <> 0 ORDER BY e.batch_id, e.node
        """,
        {"project": ledger.project, "ledger": ledger.key, "nodes": list(nodes), "start": start, "end": end},
    )
    return [Holding(*row) for row in rows]
