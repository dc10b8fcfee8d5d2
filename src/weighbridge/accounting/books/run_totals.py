"""What a batch `b` tells of its run: what it adds to its total, what that is, and which batches adjust it.

Invariant: the differences of a run's batches add up to its total.
"""

from typing import Final, LiteralString

# What a batch adds to its run, signed: a fall, or a rise that first gives back what falls took, credits less.
# Batches of a run are deleted from the newest on, so those that are there stand on one another.
DIFFERENCE: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NULL THEN b.total ELSE trim_scale(b.total - (
        SELECT earlier.total FROM batches earlier
         WHERE (earlier.project_id, earlier.run_id, earlier.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND earlier.id < b.id AND earlier.deleted_at IS NULL
         ORDER BY earlier.id DESC LIMIT 1)) END
"""
# The first batch of a run says what that comes to now, an adjusting one what it came to by then.
RUN_TOTAL: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NOT NULL OR b.run_id IS NULL THEN b.total ELSE (
        SELECT newest.total FROM batches newest
         WHERE (newest.project_id, newest.run_id, newest.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND newest.deleted_at IS NULL
         ORDER BY newest.id DESC LIMIT 1) END
"""
ADJUSTED_BY: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NULL AND b.run_id IS NOT NULL THEN ARRAY(
        SELECT later.id FROM batches later
         WHERE (later.project_id, later.run_id, later.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND later.id > b.id AND later.deleted_at IS NULL
         ORDER BY later.id) END
"""

RESTS_ON: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NOT NULL OR b.run_id IS NULL THEN CASE WHEN b.total <> 0 THEN c.contributions END
    ELSE (SELECT CASE WHEN newest.total <> 0 THEN (
                 SELECT s.contributions FROM batch_calculations s
                  WHERE (s.project_id, s.batch_id) = (newest.project_id, newest.id) AND s.is_primary) END
            FROM (SELECT run.project_id, run.id, run.total FROM batches run
                   WHERE (run.project_id, run.run_id, run.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
                     AND run.deleted_at IS NULL
                   ORDER BY run.id DESC LIMIT 1) AS newest) END
"""
"""By value source, what the run of a batch rests on: as with the total, and nothing rests on nothing."""
