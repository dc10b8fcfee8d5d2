"""Find the corrections that wait for approval and that a batch would follow, once somebody approved them.

A proposal concerns a batch when its run used the event, or when the proposed event would lie in the run's
slot and is of a type that the run read.
"""

from collections.abc import Sequence
from typing import Final, LiteralString

from psycopg.rows import TupleRow

from weighbridge.collection.measurements.annotations import WITH_RULE
from weighbridge.core.rule.states import ApprovalState
from weighbridge.db.engine import Command, Read

# A literal, by which the index of pending results is recognised.
_IS_PENDING: Final[LiteralString] = f"r.approval_state = '{ApprovalState.PENDING.value}'"


def select_pending(own: LiteralString) -> LiteralString:
    """The pending proposals of data of batches `own`, by a condition of them: batch and rule result.

    All batches of a run count, because each names the data that it was made of. Parameter: project.
    """
    return f"""
        WITH pending AS MATERIALIZED (
            SELECT r.* FROM data_point_results r {WITH_RULE}
             WHERE r.project_id = %(project)s AND {_IS_PENDING}
        ), concerned AS (
            SELECT p.id AS result_id, i.batch_id
              FROM pending p
              JOIN batch_inputs i ON i.project_id = p.project_id
               AND int8range(i.first_event, i.last_event, '[]') @> p.event_id
               AND p.event_id = ANY (i.event_ids)
            UNION
            SELECT p.id, b.id
              FROM pending p
              JOIN runs u ON u.project_id = p.project_id
               AND u.start_time < p.slot_end AND u.end_time > p.slot_start
              JOIN batches b ON (b.project_id, b.run_id) = (u.project_id, u.id)
              JOIN batch_input_sets s ON (s.project_id, s.batch_id) = (b.project_id, b.id)
               AND s.event_type_id = p.event_type_id AND p.position = ANY (s.positions)
             WHERE p.slot_start IS NOT NULL
        )
        SELECT DISTINCT own.id AS batch_id, c.result_id
          FROM concerned c
          JOIN batches b ON (b.project_id, b.id) = (%(project)s, c.batch_id) AND b.deleted_at IS NULL
          JOIN batches own ON (own.project_id, own.run_id, own.ledger_id)
                            = (b.project_id, b.run_id, b.ledger_id)
         WHERE {own}
    """


def ask_for_any_pending(project: int) -> Command:
    """The question whether any proposal of a project waits; most projects have none at most times."""
    return _IS_ANY, (project,)


async def count_pending_if(
    tx: Read, project: int, batches: Sequence[int], is_any: TupleRow
) -> dict[int, int]:
    """How many proposals wait of the data of some batches, asked only where the answer was that any does."""
    if not is_any[0]:
        return {}
    return dict(await tx.tuples(_COUNTS, {"project": project, "batches": list(batches)}))


_IS_ANY: Final = f"""
    SELECT EXISTS (SELECT FROM data_point_results r WHERE r.project_id = %s AND {_IS_PENDING})
"""
_COUNTS: Final = f"""
    SELECT batch_id, count(*) FROM ({select_pending("own.id = ANY (%(batches)s)")}) AS found GROUP BY batch_id
"""
