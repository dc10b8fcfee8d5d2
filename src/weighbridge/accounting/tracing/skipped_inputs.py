"""Skipped inputs: data point types that the caller set aside when a batch was made.

Each stands among the batch's input data as a zero without an event, so that what is missing can be seen.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from psycopg.rows import TupleRow

from weighbridge.accounting.batches.records import InputDataPoint, InputEvent, InputRow
from weighbridge.core.identity import ids
from weighbridge.core.quantity.number import ZERO
from weighbridge.db.engine import Command, Read


async def skipped_nodes(tx: Read, project: int, batch: int) -> frozenset[str]:
    """The nodes of a batch whose data were set aside."""
    rows = await tx.tuples(
        "SELECT node FROM batch_skipped_inputs WHERE project_id = %s AND batch_id = %s", (project, batch)
    )
    return frozenset(node for (node,) in rows)


def skipped_numbered(project: int, batches: Sequence[int]) -> Command:
    """The question for what was set aside of some batches."""
    return _OF_BATCHES, (project, list(batches))


def skipped_by_batch(
    project: int, batches: Sequence[int], answers: Sequence[TupleRow]
) -> Mapping[int, list[InputRow]]:
    """The rows that stand for what was set aside, by batch."""
    rows: dict[int, list[InputRow]] = {batch: [] for batch in batches}
    for batch, slug, unit in answers:
        point = InputDataPoint(
            None, slug, unit, ZERO, None, substituted=False, imputed=False, substitution=None,
            skipped_input=True,
        )  # fmt: skip
        rows[batch].append(InputRow(point, InputEvent(ids.of("project", project), None)))
    return rows


_OF_BATCHES: Final = """
    SELECT DISTINCT s.batch_id, t.slug, t.unit
      FROM batch_skipped_inputs s
      JOIN data_point_types t ON (t.project_id, t.id) = (s.project_id, s.data_point_type_id)
     WHERE s.project_id = %s AND s.batch_id = ANY (%s) ORDER BY 1, 2
"""
