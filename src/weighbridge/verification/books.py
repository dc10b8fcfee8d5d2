"""The books: rules about what batches hold, what runs have posted, and what ledgers are short of.

Each rule comes with the statement that finds what breaks it; those about who posted what stand in `postings`.
"""

from typing import Final

from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.verification.batches import BATCHES
from weighbridge.verification.corrections import CORRECTIONS
from weighbridge.verification.postings import POSTINGS
from weighbridge.verification.rule import Rule, of_ledger

CHECKS: Final = (
    Rule(
        "every balance is the sum of its entries",
        "batch {id}: the balance is {found}, its entries sum to {wanted}",
        """
        SELECT b.project_id, b.id, b.balance, coalesce(sum(e.amount), 0)
          FROM batches b LEFT JOIN ledger_entries e ON (e.project_id, e.batch_id) = (b.project_id, b.id)
         GROUP BY b.project_id, b.id, b.balance HAVING b.balance <> coalesce(sum(e.amount), 0)
        """,
    ),
    Rule(
        "no balance was negative at any moment",
        "batch {id}: the balance was {found} at {wanted}",
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
    of_ledger(
        "every deficit is the sum of its entries",
        "ledger {id}: a run is short of {found}, its entries sum to {wanted}",
        """
        SELECT project_id, ledger_id, coalesce(d.amount, 0), coalesce(posted.amount, 0)
          FROM deficits d
          FULL JOIN (SELECT project_id, ledger_id, run_id, sum(amount) AS amount FROM deficit_entries
                      GROUP BY project_id, ledger_id, run_id) AS posted USING (project_id, ledger_id, run_id)
         WHERE coalesce(d.amount, 0) <> coalesce(posted.amount, 0)
        """,
    ),
    of_ledger(
        "no deficit was negative at any moment",
        "ledger {id}: a deficit was {found} at {wanted}",
        """
        SELECT project_id, ledger_id, short, moment
          FROM (SELECT project_id, ledger_id, effective_at AS moment,
                       sum(amount) OVER (PARTITION BY project_id, ledger_id, run_id ORDER BY effective_at)
                       AS short
                  FROM deficit_entries
                UNION ALL
                SELECT project_id, ledger_id, posted_at,
                       sum(amount) OVER (PARTITION BY project_id, ledger_id, run_id ORDER BY posted_at)
                  FROM deficit_entries) AS history
         WHERE short < 0
        """,
    ),
    Rule(
        "every batch was credited once, with what it says",
        "batch {id}: it says that it credited {found}, its credit entries sum to {wanted}",
        """
        SELECT b.project_id, b.id, b.credited, coalesce(sum(e.amount), 0)
          FROM batches b LEFT JOIN ledger_entries e
            ON (e.project_id, e.batch_id) = (b.project_id, b.id) AND e.kind = 'credit' AND e.reverses IS NULL
         GROUP BY b.project_id, b.id, b.credited
        HAVING b.credited <> coalesce(sum(e.amount), 0) OR count(e.id) <> 1
        """,
    ),
    Rule(
        "every run has posted exactly its total",
        "batch {id}: its run comes to {found}, and has posted {wanted}",
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
    of_ledger(
        "in every partition, what is drawn and what remains is what was produced and the open deficit",
        "ledger {id}: drawn and remaining come to {found}, produced and open deficit to {wanted}",
        """
        WITH newest AS (
            SELECT DISTINCT ON (b.project_id, b.ledger_id, coalesce(b.run_id, - b.id)) b.*
              FROM batches b WHERE b.deleted_at IS NULL
             ORDER BY b.project_id, b.ledger_id, coalesce(b.run_id, - b.id), b.id DESC
        ), parts AS (
            SELECT b.project_id, b.ledger_id, b.run_id, b.balance AS there, 0 AS wanted FROM batches b
            UNION ALL
            SELECT e.project_id, e.ledger_id, b.run_id, - e.amount, 0
              FROM ledger_entries e JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
             WHERE e.node IS NOT NULL
            UNION ALL
            SELECT n.project_id, n.ledger_id, n.run_id, 0, n.total FROM newest n
            UNION ALL
            SELECT d.project_id, d.ledger_id, d.run_id, 0, d.amount FROM deficits d
        )
        SELECT p.project_id, p.ledger_id, sum(p.there), sum(p.wanted)
          FROM parts p LEFT JOIN runs r ON (r.project_id, r.id) = (p.project_id, p.run_id)
         GROUP BY p.project_id, p.ledger_id, r.tracking_id, r.feedstock_id, r.asset_id
        HAVING sum(p.there) <> sum(p.wanted)
        """,
    ),
    *POSTINGS,
    *BATCHES,
    *CORRECTIONS,
    Rule(
        "every event of every lineage is there, and they are as many as the batch says",
        "batch {id}: it says that it was made of {found} events, of which {wanted} are there",
        """
        SELECT s.project_id, s.batch_id, s.event_count, count(e.id)
          FROM batch_input_sets s
          LEFT JOIN batch_inputs i
            ON (i.project_id, i.batch_id, i.set_number) = (s.project_id, s.batch_id, s.set_number)
          LEFT JOIN LATERAL unnest(i.event_ids) AS used (id) ON true
          LEFT JOIN events e
            ON (e.project_id, e.id, e.event_type_id) = (i.project_id, used.id, s.event_type_id)
         GROUP BY s.project_id, s.batch_id, s.set_number, s.event_count HAVING s.event_count <> count(e.id)
        """,
    ),
)
"""Every rule, in the order of the report."""


async def check_books(tx: Read, project: int | None = None) -> dict[str, list[str]]:
    """Run every check, over all books or those of one project; gives for each rule what breaks it."""
    found: dict[str, list[str]] = {}
    for rule in CHECKS:
        statement = SQL("SELECT * FROM ({}) AS found (project, record, found, wanted)").format(
            SQL(rule.statement)
        )
        if project is not None:
            statement += SQL(" WHERE project = {}").format(project)
        found[rule.words] = [
            rule.sentence.format(id=ids.of(rule.kind, project, record), found=value, wanted=wanted)
            for project, record, value, wanted in await tx.tuples(statement)
        ]
    return found
