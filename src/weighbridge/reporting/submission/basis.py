"""What a report rests on: the runs of its batches, and by way of their draws those of other ledgers.

In come the batches that a report takes; out go those of which its claim is made, to the first ledger of the
chain. The newest batch of a run says what the run is made of, so draws are followed from there.

A worked example. A report takes a batch of net removal, whose run drew from two batches of biochar, which
drew from one batch of feedstock: it rests on four batches of three ledgers. A correction of a feedstock
delivery that waits for approval waits behind the report.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from weighbridge.db.engine import Read
from weighbridge.platform.changes.newest_batch import IS_NEWEST

BASIS: Final[LiteralString] = f"""
    RECURSIVE basis (run_id, ledger_id, holder) AS (
        SELECT own.run_id, own.ledger_id, b.id
          FROM batches own
          JOIN batches b ON (b.project_id, b.run_id, b.ledger_id)
                          = (own.project_id, own.run_id, own.ledger_id) AND {IS_NEWEST}
         WHERE own.project_id = %(project)s AND own.id = ANY (%(batches)s) AND own.run_id IS NOT NULL
        UNION
        SELECT source.run_id, source.ledger_id, b.id
          FROM basis
          JOIN batch_draws d ON (d.project_id, d.batch_id) = (%(project)s, basis.holder)
          JOIN batches source ON (source.project_id, source.id) = (d.project_id, d.source_batch_id)
          JOIN batches b ON (b.project_id, b.run_id, b.ledger_id)
                          = (source.project_id, source.run_id, source.ledger_id) AND {IS_NEWEST}
         WHERE source.run_id IS NOT NULL
    )
"""
"""The runs that batches rest on, as a table `basis`: each with its ledger and its newest batch."""


@dataclass(frozen=True, slots=True)
class UpstreamBasis:
    """The batches and ledgers of other runs that a report rests on."""

    batches: tuple[int, ...]
    """The newest batch of each run that the report's runs draw from, however far up."""
    ledgers: tuple[int, ...]
    """The ledgers of those batches."""


async def find_upstream(tx: Read, project: int, batches: Sequence[int]) -> UpstreamBasis:
    """Find what the batches of a report rest on beyond their own runs."""
    rows = await tx.tuples(_UPSTREAM, {"project": project, "batches": [*batches]})
    return UpstreamBasis(tuple(batch for batch, _ in rows), tuple(sorted({ledger for _, ledger in rows})))


_UPSTREAM: Final = f"""
    WITH {BASIS}
    SELECT holder, ledger_id FROM basis
     WHERE (run_id, ledger_id) NOT IN (
           SELECT run_id, ledger_id FROM batches
            WHERE project_id = %(project)s AND id = ANY (%(batches)s) AND run_id IS NOT NULL)
     ORDER BY holder
"""
