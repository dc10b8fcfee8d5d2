"""Reverse decisions on proposals: which of them stand for good, and what the rejection of an approval undoes.

A decision is reversed while its result is open. An approval also has to be one that no batch was made of; a
batch that was deleted does not count. No batch rests on a rejection, so the rule alone decides whether a
rejected proposal is still one to approve (`approval.py`).

Invariants: generations are held off while batches are asked for, so none is made of a correction that is
taken back meanwhile. A correction that is taken back names its result, and the rule may write it again once
that is approved.
"""

from collections.abc import Sequence
from typing import Final

from weighbridge.collection.measurements.corrections import settle_imputed, undo_rejected
from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.states import ApprovalState, ResultStatus
from weighbridge.db.engine import Read, Write
from weighbridge.platform.staleness import hold_off_generations
from weighbridge.quality.review.affected_slots import ChangedEvent, with_roll_ups


async def list_final_decisions(tx: Read, project: int, numbers: Sequence[int]) -> set[int]:
    """Which of these results have a decision that is not reversed, because the result is closed.

    A result that was dismissed has nothing to approve, either.
    """
    values = (project, list(numbers), ApprovalState.REJECTED, ResultStatus.DISMISSED)
    return {number for (number,) in await tx.tuples(_FINAL, values)}


async def list_batches_of_approvals(tx: Read, project: int, numbers: Sequence[int]) -> dict[int, list[str]]:
    """The batches that were made of what was approved of these results, by result, oldest first.

    Of a reading that is rolled up these are batches of what it is rolled up to, made since the approval.
    """
    approvals = await tx.tuples(_APPROVALS, (project, list(numbers), ApprovalState.APPROVED))
    batches: dict[int, list[str]] = {}
    for result, event in approvals:
        events = [one.event for one in await with_roll_ups(tx, project, [ChangedEvent(event)])]
        rows = await tx.tuples(_BATCHES, {"project": project, "result": result, "events": events})
        if rows:
            batches[result] = [identity.of("batch", project, batch) for (batch,) in rows]
    return batches


async def list_used_approvals(tx: Write, project: int, numbers: Sequence[int]) -> dict[int, list[str]]:
    """The same of approvals that are about to be rejected: no batch is made meanwhile.

    Conflict while a generation of the project runs.
    """
    approvals = await tx.tuples(_APPROVALS, (project, list(numbers), ApprovalState.APPROVED))
    if not approvals:
        return {}
    await hold_off_generations(tx, project)
    return await list_batches_of_approvals(tx, project, [result for result, _ in approvals])


async def list_corrections_of_approvals(tx: Read, project: int, numbers: Sequence[int]) -> dict[int, int]:
    """The corrections of these results that are approved and not reverted, each with its result."""
    return dict(await tx.tuples(_CORRECTIONS, (project, list(numbers), ApprovalState.APPROVED)))


async def take_back(tx: Write, actor: Actor, project: int, corrections: dict[int, int]) -> None:
    """Revert corrections of approvals, each for its result, and withdraw imputed events without a value.

    Comes after the results are rejected, as the withdrawal of an event withdraws what is approved of it.
    """
    if corrections:
        await undo_rejected(tx, actor, project, corrections)
        await settle_imputed(tx, project)


_FINAL: Final = """
    SELECT id FROM data_point_results
     WHERE project_id = %s AND id = ANY (%s)
       AND (closed_at IS NOT NULL OR approval_state = %s AND status = %s)
"""
_APPROVALS: Final = """
    SELECT id, event_id FROM data_point_results
     WHERE project_id = %s AND id = ANY (%s) AND approval_state = %s ORDER BY id
"""
_OF_APPROVAL: Final = """
          (c.project_id, c.event_id, c.position, c.field, c.rule_id, c.rule_version)
          = (r.project_id, r.event_id, r.position, '', r.rule_id, r.rule_version)
"""
# A rule writes what was approved anew when only how it was found has changed, so there may be several.
_BATCHES: Final = f"""
    SELECT DISTINCT b.id
      FROM data_point_results r
      JOIN batch_inputs i ON i.project_id = r.project_id
       AND int8range(i.first_event, i.last_event, '[]')
           && (SELECT range_agg(int8range(one, one, '[]')) FROM unnest(%(events)s::bigint[]) AS one)
       AND i.event_ids && %(events)s::bigint[]
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id) AND b.deleted_at IS NULL
     WHERE r.project_id = %(project)s AND r.id = %(result)s
       AND CASE WHEN r.event_id <> ALL (i.event_ids) THEN b.created_at >= r.approved_at
                ELSE r.slot_start IS NOT NULL OR EXISTS (
                     SELECT FROM corrections c
                       JOIN batch_corrections used ON (used.project_id, used.batch_id, used.correction_id)
                                                    = (c.project_id, i.batch_id, c.id)
                      WHERE {_OF_APPROVAL} AND c.created_at >= r.approved_at) END
     ORDER BY b.id
"""
_CORRECTIONS: Final = f"""
    SELECT c.id, r.id FROM data_point_results r JOIN corrections c ON {_OF_APPROVAL}
     WHERE r.project_id = %s AND r.id = ANY (%s) AND r.approval_state = %s AND c.state <> 'reverted'
"""
