"""The books: invariants about what batches hold, what runs have posted, and what ledgers are short of.

Each comes with the statement that finds what breaks it; those about who posted what stand in `postings`.
"""

from collections.abc import Callable
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.verification.batches import BATCHES
from weighbridge.verification.corrections import CORRECTIONS
from weighbridge.verification.imputed import IMPUTED
from weighbridge.verification.invariant import Invariant, ledger_invariant
from weighbridge.verification.postings import POSTINGS
from weighbridge.verification.reports import REPORTS
from weighbridge.verification.waiting import WAITING

CHECKS: Final = (
    Invariant(
        "every balance is the sum of its entries",
        "batch {id}: the balance is {actual}, its entries sum to {expected}",
        """
        SELECT b.project_id, b.id, b.balance, coalesce(sum(e.amount), 0)
          FROM batches b LEFT JOIN ledger_entries e ON (e.project_id, e.batch_id) = (b.project_id, b.id)
         GROUP BY b.project_id, b.id, b.balance HAVING b.balance <> coalesce(sum(e.amount), 0)
        """,
    ),
    Invariant(
        "no balance was negative at any moment",
        "batch {id}: the balance was {actual} at {expected}",
        """
        SELECT project_id, batch_id, held, moment
          FROM (SELECT project_id, batch_id, effective_at AS moment,
                       sum(amount) OVER (PARTITION BY project_id, batch_id ORDER BY effective_at) AS held
                  FROM ledger_entries
                UNION ALL
                SELECT project_id, batch_id, posted_at,
                       sum(amount) OVER (PARTITION BY project_id, batch_id ORDER BY posted_at)
                  FROM ledger_entries) AS history
         WHERE held < 0
        """,
    ),
    ledger_invariant(
        "every deficit is the sum of its entries",
        "ledger {id}: a run is short of {actual}, its entries sum to {expected}",
        """
        SELECT project_id, ledger_id, coalesce(d.amount, 0), coalesce(posted.amount, 0)
          FROM deficits d
          FULL JOIN (SELECT project_id, ledger_id, run_id, sum(amount) AS amount FROM deficit_entries
                      GROUP BY project_id, ledger_id, run_id) AS posted USING (project_id, ledger_id, run_id)
         WHERE coalesce(d.amount, 0) <> coalesce(posted.amount, 0)
        """,
    ),
    ledger_invariant(
        "no deficit was negative at any moment",
        "ledger {id}: a deficit was {actual} at {expected}",
        """
        SELECT project_id, ledger_id, short, moment
          FROM (SELECT d.project_id, d.ledger_id, d.effective_at AS moment,
                       sum(d.amount) OVER (PARTITION BY d.project_id, d.ledger_id, d.run_id
                                           ORDER BY d.effective_at) AS short
                  FROM deficit_entries d JOIN runs r ON (r.project_id, r.id) = (d.project_id, d.run_id)
                   -- A run of an event may have moved to an earlier moment, with all that it had posted.
                   AND NOT r.by_event
                UNION ALL
                SELECT project_id, ledger_id, posted_at,
                       sum(amount) OVER (PARTITION BY project_id, ledger_id, run_id ORDER BY posted_at)
                  FROM deficit_entries) AS history
         WHERE short < 0
        """,
    ),
    Invariant(
        "every batch was credited once, with what it says",
        "batch {id}: it says that it credited {actual}, its credit entries sum to {expected}",
        """
        SELECT b.project_id, b.id, b.credited, coalesce(sum(e.amount), 0)
          FROM batches b LEFT JOIN ledger_entries e
            ON (e.project_id, e.batch_id) = (b.project_id, b.id) AND e.kind = 'credit' AND e.reverses IS NULL
         GROUP BY b.project_id, b.id, b.credited
        HAVING b.credited <> coalesce(sum(e.amount), 0) OR count(e.id) <> 1
        """,
    ),
    Invariant(
        "every run has posted exactly its total",
        "batch {id}: its run comes to {actual}, and has posted {expected}",
        """
        WITH posted AS (
            SELECT project_id, ledger_id, run_id, sum(amount) AS amount
              FROM (SELECT project_id, ledger_id, run_id, amount FROM ledger_entries
                     WHERE kind IN ('credit', 'fall', 'rise')
                    UNION ALL
                    SELECT project_id, ledger_id, run_id, - amount FROM deficit_entries) AS entries
             GROUP BY project_id, ledger_id, run_id
        ), newest AS (
            SELECT DISTINCT ON (project_id, ledger_id, run_id)
                   project_id, ledger_id, run_id, id,
                   CASE WHEN deleted_at IS NULL THEN total ELSE 0 END AS total
              FROM batches WHERE run_id IS NOT NULL
             ORDER BY project_id, ledger_id, run_id, deleted_at IS NULL DESC, id DESC
        )
        SELECT project_id, newest.id, newest.total, coalesce(posted.amount, 0)
          FROM newest LEFT JOIN posted USING (project_id, ledger_id, run_id)
         WHERE newest.total <> coalesce(posted.amount, 0)
        """,
    ),
    ledger_invariant(
        "in every partition, what is drawn and what remains is what was produced and the open deficit",
        "ledger {id}: drawn and remaining come to {actual}, produced and open deficit to {expected}",
        """
        WITH newest AS (
            SELECT DISTINCT ON (b.project_id, b.ledger_id, coalesce(b.run_id, - b.id)) b.*
              FROM batches b WHERE b.deleted_at IS NULL
             ORDER BY b.project_id, b.ledger_id, coalesce(b.run_id, - b.id), b.id DESC
        ), parts AS (
            SELECT b.project_id, b.ledger_id, b.run_id, b.balance AS there, 0 AS expected FROM batches b
            UNION ALL
            SELECT e.project_id, e.ledger_id, b.run_id, - e.amount, 0
              FROM ledger_entries e JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
             WHERE e.kind NOT IN ('credit', 'fall', 'rise')
            UNION ALL
            SELECT n.project_id, n.ledger_id, n.run_id, 0, n.total FROM newest n
            UNION ALL
            SELECT d.project_id, d.ledger_id, d.run_id, 0, d.amount FROM deficits d
        )
        SELECT p.project_id, p.ledger_id, sum(p.there), sum(p.expected)
          FROM parts p LEFT JOIN runs r ON (r.project_id, r.id) = (p.project_id, p.run_id)
         GROUP BY p.project_id, p.ledger_id, r.tracking_id, r.feedstock_id, r.asset_id
        HAVING sum(p.there) <> sum(p.expected)
        """,
    ),
    ledger_invariant(
        "in every partition, at every moment, entries less deficit entries are produced less drawn",
        "ledger {id}: at {expected}, what a run posted is {actual} more than what it comes to",
        """
        WITH newest AS (
            SELECT DISTINCT ON (project_id, ledger_id, run_id)
                   project_id, ledger_id, run_id, end_time AS moment, total
              FROM batches WHERE run_id IS NOT NULL AND deleted_at IS NULL
             ORDER BY project_id, ledger_id, run_id, id DESC
        )
        SELECT project_id, ledger_id, sum(amount), moment
          FROM (SELECT project_id, ledger_id, run_id, effective_at AS moment, amount FROM ledger_entries
                 WHERE kind IN ('credit', 'fall', 'rise') AND run_id IS NOT NULL
                UNION ALL
                SELECT project_id, ledger_id, run_id, effective_at, - amount FROM deficit_entries
                UNION ALL
                SELECT project_id, ledger_id, run_id, moment, - total FROM newest) AS parts
         GROUP BY project_id, ledger_id, run_id, moment HAVING sum(amount) <> 0
        """,
        # Draws are on both sides, and what a partition produced is the sum of its runs.
    ),
    *POSTINGS,
    *REPORTS,
    *BATCHES,
    *CORRECTIONS,
    *IMPUTED,
    *WAITING,
    Invariant(
        "every event of every lineage is there, and they are as many as the batch says",
        "batch {id}: it says that it was made of {actual} events, of which {expected} are there",
        """
        SELECT s.project_id, s.batch_id, s.event_count, coalesce(sum(there.count), 0)
          FROM batch_input_sets s
          LEFT JOIN batch_inputs i
            ON (i.project_id, i.batch_id, i.set_number) = (s.project_id, s.batch_id, s.set_number)
          LEFT JOIN LATERAL (
                SELECT count(*) FROM events e
                 WHERE e.project_id = i.project_id AND e.id = ANY (i.event_ids)
                   AND e.event_type_id = s.event_type_id) AS there ON true
         GROUP BY s.project_id, s.batch_id, s.set_number, s.event_count
        HAVING s.event_count <> coalesce(sum(there.count), 0)
        """,
        # Looked up set by set: of tables without statistics, a join of all sets with all events may be
        # planned as every event against every set.
    ),
)
"""Every invariant, in the order of the report."""


async def check_books(
    tx: Read, project: int | None = None, advance: Callable[[int], None] = lambda _: None
) -> dict[str, list[str]]:
    """Run every check, over all books or those of one project; gives for each invariant what breaks it.

    `advance` counts the checks.
    """
    violations: dict[str, list[str]] = {}
    for invariant in CHECKS:
        statement = SQL("SELECT * FROM ({}) AS broken (project, record, actual, expected)").format(
            SQL(invariant.statement)
        )
        if project is not None:
            statement += SQL(" WHERE project = {}").format(project)
        violations[invariant.words] = [
            invariant.sentence.format(
                id=ids.of(invariant.kind, number, record), actual=actual, expected=expected
            )
            for number, record, actual, expected in await tx.tuples(statement)
        ]
        advance(1)
    return violations
