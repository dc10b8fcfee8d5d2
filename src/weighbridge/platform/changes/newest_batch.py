"""The newest batch of a run on a ledger: it has the run's total, and says what the run is made of."""

from typing import Final, LiteralString

IS_NEWEST: Final[LiteralString] = """(
    b.deleted_at IS NULL AND NOT EXISTS (
        SELECT FROM batches newer
         WHERE (newer.project_id, newer.run_id, newer.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND newer.id > b.id AND newer.deleted_at IS NULL))"""
"""Whether a batch `b` is that one; deleted batches do not count."""
