"""Allocations: what was drawn from a batch for runs of other ledgers, and what a batch drew itself.

Invariants: what returns has given back does not count; a run is named by its newest batch, which has all that
it draws.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from psycopg.rows import TupleRow

from weighbridge.accounting.batches.records import BatchAllocation, LineageAttribute, LineageDraw
from weighbridge.core.identity import ids
from weighbridge.db.engine import Command, Read


def allocations_numbered(project: int, batches: Sequence[int]) -> Command:
    """The question for what runs hold of each of some batches."""
    return _HELD, {"project": project, "batches": list(batches)}


def allocations_by_batch(
    project: int, batches: Sequence[int], answers: Sequence[TupleRow]
) -> dict[int, list[BatchAllocation]]:
    """What runs hold of each of some batches, in the order of their batches."""
    allocations: dict[int, list[BatchAllocation]] = {batch: [] for batch in batches}
    for source, amount, unit, consumer, ledger, tracking_id in answers:
        allocations[source].append(
            BatchAllocation(
                amount=amount,
                unit=unit,
                batch_id=ids.of("batch", project, consumer),
                ledger_id=ids.of("ledger", project, ledger),
                tracking_id=tracking_id,
            )
        )
    return allocations


_HELD: Final = """
    SELECT held.batch_id, held.amount, l.unit, consumer.id, consumer.ledger_id, consumer.tracking_id
      FROM (SELECT e.batch_id, e.ledger_id, e.run_id, -sum(e.amount) AS amount FROM ledger_entries e
             WHERE e.project_id = %(project)s AND e.batch_id = ANY (%(batches)s) AND e.node IS NOT NULL
             GROUP BY e.batch_id, e.ledger_id, e.run_id HAVING sum(e.amount) <> 0) AS held
      JOIN ledgers l ON (l.project_id, l.id) = (%(project)s, held.ledger_id)
      CROSS JOIN LATERAL (
           SELECT b.id, b.ledger_id, b.tracking_id, b.start_time FROM batches b
            WHERE (b.project_id, b.run_id) = (%(project)s, held.run_id) AND b.deleted_at IS NULL
            ORDER BY b.id DESC LIMIT 1) AS consumer
     ORDER BY consumer.start_time, consumer.id
"""


async def draws_of(
    tx: Read, project: int, batch: int, attributes: Mapping[str, Sequence[str]]
) -> dict[str, list[LineageDraw]]:
    """What each node of a batch had drawn when it was computed, in the order of its array.

    `attributes` are the outputs that each node has travel along, as it lists them.
    """
    draws: dict[str, list[LineageDraw]] = {}
    for node, source, ledger, tracking_id, amount, unit, values, units in await tx.tuples(
        """
        SELECT d.node, source.id, source.ledger_id, source.tracking_id, d.amount, l.unit, d.attributes,
               d.units
          FROM batch_draws d
          JOIN batches source ON (source.project_id, source.id) = (d.project_id, d.source_batch_id)
          JOIN ledgers l ON (l.project_id, l.id) = (source.project_id, source.ledger_id)
         WHERE d.project_id = %s AND d.batch_id = %s ORDER BY d.node, d.place
        """,
        (project, batch),
    ):
        draws.setdefault(node, []).append(
            LineageDraw(
                batch_id=ids.of("batch", project, source),
                ledger_id=ids.of("ledger", project, ledger),
                tracking_id=tracking_id,
                amount=amount,
                unit=unit,
                attributes=[
                    LineageAttribute(*one) for one in zip(attributes[node], values, units, strict=True)
                ],
            )
        )
    return draws
