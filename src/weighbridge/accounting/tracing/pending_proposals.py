"""Find the corrections that wait for approval and that a batch would follow, once somebody approved them.

A proposal concerns a batch when its run used the event, or when the proposed event would lie in the run's
slot and is of a type that the run read; and it concerns all batches that draw from such a batch, as staleness
does.
"""

from collections.abc import Sequence
from typing import Final, LiteralString

from psycopg.rows import TupleRow

from weighbridge.accounting.books.runs import join_newest, select_drawing
from weighbridge.collection.measurements.annotations import WITH_RULE
from weighbridge.core.rule.states import ApprovalState
from weighbridge.db.engine import Command, Read

# A literal, by which the index of pending results is recognised.
_IS_PENDING: Final[LiteralString] = f"r.approval_state = '{ApprovalState.PENDING.value}'"


def select_pending(own: LiteralString) -> LiteralString:
    """The pending proposals of what batches `own` rest on, by a condition of them: batch and rule result.

    All batches of a run count, because each names the data that it was made of. The walk goes from the
    proposals down the chain, so it costs what waits, however many batches there are. Parameter: project.
    """
    return f"""
        WITH RECURSIVE pending AS MATERIALIZED (
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
        ), followed AS (
            SELECT c.result_id, b.project_id, b.id, b.run_id, b.ledger_id
              FROM concerned c
              JOIN batches named ON (named.project_id, named.id) = (%(project)s, c.batch_id)
               AND named.deleted_at IS NULL
             {join_newest("named")}
            UNION
            SELECT followed.result_id, b.project_id, b.id, b.run_id, b.ledger_id
              FROM {select_drawing("followed")}
        )
        SELECT DISTINCT own.id AS batch_id, f.result_id
          FROM followed f
          JOIN batches own ON (own.project_id, own.run_id, own.ledger_id)
                            = (f.project_id, f.run_id, f.ledger_id)
         WHERE {own}
    """


def ask_for_any_pending(project: int) -> Command:
    """The question whether any proposal of a project waits; most projects have none at most times."""
    return _IS_ANY, (project,)


async def count_pending_if(
    tx: Read, project: int, batches: Sequence[int], is_any: TupleRow
) -> dict[int, int]:
    """How many proposals wait of what some batches rest on, asked only where the answer was that any does."""
    if not is_any[0]:
        return {}
    return dict(await tx.tuples(_COUNTS, {"project": project, "batches": list(batches)}))


async def count_pending_of_ledgers(tx: Read, project: int, ledgers: Sequence[int]) -> dict[int, int]:
    """How many proposals wait of what the batches of some ledgers rest on."""
    return dict(await tx.tuples(_COUNTS_OF_LEDGERS, {"project": project, "ledgers": list(ledgers)}))


async def count_pending_of_reports(tx: Read, project: int, reports: Sequence[int]) -> dict[int, int]:
    """How many proposals wait of what the batches of some reports rest on."""
    return dict(await tx.tuples(_COUNTS_OF_REPORTS, {"project": project, "reports": list(reports)}))


_IS_ANY: Final = f"""
    SELECT EXISTS (SELECT FROM data_point_results r WHERE r.project_id = %s AND {_IS_PENDING})
"""
_COUNTS: Final = f"""
    SELECT batch_id, count(*) FROM ({select_pending("own.id = ANY (%(batches)s)")}) AS found GROUP BY batch_id
"""

_COUNTS_OF_LEDGERS: Final = f"""
    SELECT b.ledger_id, count(DISTINCT found.result_id)
      FROM ({select_pending("own.ledger_id = ANY (%(ledgers)s) AND own.deleted_at IS NULL")}) AS found
      JOIN batches b ON (b.project_id, b.id) = (%(project)s, found.batch_id)
     GROUP BY b.ledger_id
"""

_OF_REPORTS: Final[LiteralString] = """
    own.id IN (SELECT batch_id FROM report_batches
                WHERE project_id = %(project)s AND report_id = ANY (%(reports)s))
"""
_COUNTS_OF_REPORTS: Final = f"""
    SELECT i.report_id, count(DISTINCT found.result_id)
      FROM ({select_pending(_OF_REPORTS)}) AS found
      JOIN report_batches i ON (i.project_id, i.batch_id) = (%(project)s, found.batch_id)
     WHERE i.report_id = ANY (%(reports)s)
     GROUP BY i.report_id
"""
