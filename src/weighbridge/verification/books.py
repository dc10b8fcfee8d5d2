"""The books: each check is a rule in words and the statement that finds what breaks it."""

from typing import Final, LiteralString

from weighbridge.db.engine import Read
from weighbridge.resources.batches.queries import batch_id

CHECKS: Final[tuple[tuple[str, str, LiteralString], ...]] = (
    (
        "every balance is the sum of its entries",
        "batch {id}: the balance is {found}, its entries sum to {wanted}",
        """
        SELECT b.project_id, b.id, b.balance, coalesce(sum(e.amount), 0)
          FROM batches b LEFT JOIN ledger_entries e ON (e.project_id, e.batch_id) = (b.project_id, b.id)
         GROUP BY b.project_id, b.id, b.balance HAVING b.balance <> coalesce(sum(e.amount), 0)
        """,
    ),
    (
        "no balance was negative at any moment",
        "batch {id}: the balance was {found} at {wanted}",
        """
        SELECT project_id, batch_id, held, effective_at
          FROM (SELECT project_id, batch_id, effective_at,
                       sum(amount) OVER (PARTITION BY project_id, batch_id ORDER BY effective_at) AS held
                  FROM ledger_entries) AS history
         WHERE held < 0
        """,
    ),
    (
        "every batch was credited once, with what it says",
        "batch {id}: it says that it credited {found}, its credit entries sum to {wanted}",
        """
        SELECT b.project_id, b.id, b.credited, coalesce(sum(e.amount), 0)
          FROM batches b LEFT JOIN ledger_entries e
            ON (e.project_id, e.batch_id) = (b.project_id, b.id) AND e.kind = 'credit'
         GROUP BY b.project_id, b.id, b.credited
        HAVING b.credited <> coalesce(sum(e.amount), 0) OR count(e.id) <> 1
        """,
    ),
    (
        "every run has posted exactly its total",
        "batch {id}: its run comes to {found}, and has posted {wanted}",
        """
        SELECT project_id, id, total, posted
          FROM (SELECT b.project_id, b.id, b.total,
                       sum(e.amount) OVER (PARTITION BY b.project_id, b.ledger_id, b.run_id) AS posted,
                       b.id = max(b.id) OVER (PARTITION BY b.project_id, b.ledger_id, b.run_id) AS is_newest,
                       row_number() OVER (PARTITION BY b.project_id, b.id) AS entry
                  FROM batches b JOIN ledger_entries e ON (e.project_id, e.batch_id) = (b.project_id, b.id)
               ) AS runs
         WHERE is_newest AND entry = 1 AND total <> posted
        """,
    ),
    (
        "every event of every lineage is there, and they are as many as the batch says",
        "batch {id}: it says that it was made of {found} events, of which {wanted} are there",
        """
        SELECT s.project_id, s.batch_id, s.event_count, count(e.id)
          FROM batch_input_sets s
          LEFT JOIN batch_inputs i
            ON (i.project_id, i.batch_id, i.set_number) = (s.project_id, s.batch_id, s.set_number)
          LEFT JOIN LATERAL unnest(i.event_ids) AS used (id) ON true
          LEFT JOIN events e ON (e.project_id, e.id) = (i.project_id, used.id)
         GROUP BY s.project_id, s.batch_id, s.set_number, s.event_count HAVING s.event_count <> count(e.id)
        """,
    ),
)
"""Rule, sentence about a violation, and the statement: project, batch, what was found, what was expected."""


async def check_books(tx: Read) -> dict[str, list[str]]:
    """Run every check; gives for each rule the violations that were found."""
    found: dict[str, list[str]] = {}
    for rule, sentence, statement in CHECKS:
        found[rule] = [
            sentence.format(id=batch_id(project, batch), found=value, wanted=wanted)
            for project, batch, value, wanted in await tx.tuples(statement)
        ]
    return found
