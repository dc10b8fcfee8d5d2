"""Summarise the activity of ledgers: state of their slots, lots, turnover by period, and flows between
ledgers.

Invariant: for each ledger, total production less total withdrawals equals balance less deficit.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from weighbridge.accounting.books.runs import select_stale
from weighbridge.accounting.tracing.pending_proposals import select_pending
from weighbridge.core.identity import Key
from weighbridge.core.ledger.posting import OF_REPORTS
from weighbridge.core.time.calendar import MILLISECOND, Instant
from weighbridge.db.engine import Read

# The slots of a ledger that hold batches, whether those are up to date, and its lots.
#
# A lot is a batch of which something is left to be drawn, or is drawn by runs of a period already.


class SlotState(NamedTuple):
    """A slot with batches of a ledger: how many, and what holds of them."""

    start: Instant
    end: Instant
    batches: int
    stale: int
    """How many of them are stale."""
    waiting: int
    """How many events of the slot wait for a generation."""
    pending: int
    """How many corrections of its data wait for approval."""
    reported: int
    """Of how many batches reports hold something."""


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


async def read_slot_states(
    tx: Read, project: int, ledger: int, start: Instant, end: Instant
) -> list[SlotState]:
    """The slots of a ledger that begin in a range, in order; each run's batches count as one."""
    values = {
        "project": project, "ledger": ledger, "start": start, "end": end, "of_reports": list(OF_REPORTS),
    }  # fmt: skip
    in_range = """
        own.project_id = %(project)s AND own.ledger_id = %(ledger)s AND own.deleted_at IS NULL
        AND own.start_time >= %(start)s AND own.start_time < %(end)s
    """
    rows = await tx.tuples(
        f"""
        WITH pending AS ({select_pending(in_range)})
        SELECT b.start_time, b.end_time, count(DISTINCT b.run_id), count(DISTINCT stale.id),
               coalesce(max(w.event_count), 0),
               count(DISTINCT p.result_id),
               count(DISTINCT b.id) FILTER (WHERE 0 > (
                   SELECT sum(e.amount) FROM ledger_entries e
                    WHERE (e.project_id, e.batch_id) = (b.project_id, b.id)
                      AND e.kind = ANY (%(of_reports)s)))
          FROM batches b
          LEFT JOIN pending p ON p.batch_id = b.id
          LEFT JOIN ({select_stale("= %(project)s")}) AS stale
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


async def read_lots(
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


async def read_holdings(
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


# What ledgers produced and gave period by period, and what flowed between them: for charts of many ledgers.
#
# Invariant: for each ledger, what it produced less what was drawn all in all is its balance less its
# deficit, as in its statement.


class Turnover(NamedTuple):
    """What a ledger produced in a period, and what others drew and reports took, in its unit."""

    produced: Decimal = Decimal(0)
    drawn: Decimal = Decimal(0)


class LedgerFlow(NamedTuple):
    """What went from a ledger to another one, or into reports; less what was given back, in its unit."""

    source: int
    target: int | None
    """The first ledger of the model that drew; None for reports."""
    amount: Decimal


async def read_turnover(
    tx: Read, project: int, ledgers: Sequence[int], edges: Sequence[Instant]
) -> dict[int, list[Turnover]]:
    """By the number of each ledger, what it produced and gave in each period between the edges.

    What counts for an edge belongs to the period that it ends. It costs what was posted for these periods,
    however long the books are.
    """
    # Times are whole milliseconds: what is behind an edge is at the next one or later.
    values = {
        "project": project, "ledgers": list(ledgers), "edges": [edge + MILLISECOND for edge in edges],
        "start": edges[0], "end": edges[-1], "of_reports": list(OF_REPORTS),
    }  # fmt: skip
    turnovers: dict[int, list[Turnover]] = {}
    for ledger, period, produced, drawn_amount in await tx.tuples(_TURNOVER, values):
        periods = turnovers.setdefault(ledger, [Turnover()] * (len(edges) - 1))
        periods[period - 1] = Turnover(produced, drawn_amount)
    return turnovers


async def read_turnover_until(
    tx: Read, project: int, ledger: int, instant: Instant
) -> tuple[Turnover, Turnover]:
    """What one ledger produced and gave up to a moment; and all in all, whenever it counts."""
    values = {"project": project, "ledger": ledger, "moment": instant, "of_reports": list(OF_REPORTS)}
    [(produced_before, drawn_before, produced, drawn_amount)] = await tx.tuples(_TURNOVER_UNTIL, values)
    return Turnover(produced_before, drawn_before), Turnover(produced, drawn_amount)


async def read_ledger_flows(tx: Read, project: int, start: Instant, end: Instant) -> list[LedgerFlow]:
    """What flowed between the ledgers of a project, and into reports, after the start and up to the end."""
    values = {"project": project, "start": start, "end": end, "of_reports": list(OF_REPORTS)}
    return [LedgerFlow(*row) for row in await tx.tuples(_FLOWS, values)]


_TURNOVER: Final = """
    SELECT ledger_id, width_bucket(effective_at, %(edges)s::timestamptz[]) AS period,
           coalesce(sum(amount) FILTER (WHERE NOT is_drawn), 0),
           coalesce(- sum(amount) FILTER (WHERE is_drawn), 0)
      FROM (SELECT ledger_id, effective_at, amount,
                   node IS NOT NULL OR kind = ANY (%(of_reports)s) AS is_drawn
              FROM ledger_entries
             WHERE project_id = %(project)s AND ledger_id = ANY (%(ledgers)s)
               AND effective_at > %(start)s AND effective_at <= %(end)s
            UNION ALL
            SELECT ledger_id, effective_at, - amount, false
              FROM deficit_entries
             WHERE project_id = %(project)s AND ledger_id = ANY (%(ledgers)s)
               AND effective_at > %(start)s AND effective_at <= %(end)s) AS change
     GROUP BY ledger_id, period
"""

_TURNOVER_UNTIL: Final = """
    SELECT coalesce(sum(amount) FILTER (WHERE NOT is_drawn AND effective_at <= %(moment)s), 0),
           coalesce(- sum(amount) FILTER (WHERE is_drawn AND effective_at <= %(moment)s), 0),
           coalesce(sum(amount) FILTER (WHERE NOT is_drawn), 0),
           coalesce(- sum(amount) FILTER (WHERE is_drawn), 0)
      FROM (SELECT effective_at, amount, node IS NOT NULL OR kind = ANY (%(of_reports)s) AS is_drawn
              FROM ledger_entries WHERE project_id = %(project)s AND ledger_id = %(ledger)s
            UNION ALL
            SELECT effective_at, - amount, false
              FROM deficit_entries WHERE project_id = %(project)s AND ledger_id = %(ledger)s) AS change
"""

# A run may credit several ledgers of its model; its withdrawals are reported for the first of them.
_FLOWS: Final = """
    SELECT drawn.ledger_id, target.id, drawn.amount
      FROM (SELECT e.ledger_id, r.family_id, - sum(e.amount) AS amount
              FROM ledger_entries e JOIN runs r ON (r.project_id, r.id) = (e.project_id, e.run_id)
             WHERE e.project_id = %(project)s AND e.node IS NOT NULL
               AND e.effective_at > %(start)s AND e.effective_at <= %(end)s
             GROUP BY e.ledger_id, r.family_id HAVING sum(e.amount) <> 0) AS drawn
      JOIN LATERAL (SELECT min(l.id) AS id FROM ledgers l
                     WHERE (l.project_id, l.family_id) = (%(project)s, drawn.family_id)) AS target ON true
    UNION ALL
    SELECT e.ledger_id, NULL, - sum(e.amount) FROM ledger_entries e
     WHERE e.project_id = %(project)s AND e.kind = ANY (%(of_reports)s)
       AND e.effective_at > %(start)s AND e.effective_at <= %(end)s
     GROUP BY e.ledger_id HAVING sum(e.amount) <> 0
     ORDER BY 1, 2
"""
