"""Proposals are corrections that need approval: results of a rule hold them, and none is in force.

Invariants: evaluating again proposes nothing anew; what a person decided stays as it is.
"""

from typing import Final

from psycopg.sql import SQL

from weighbridge.core.rule.proposal import ApprovalState, ProposalTrigger, states_before
from weighbridge.core.rule.result import ResultStatus
from weighbridge.db.engine import Write
from weighbridge.db.literal import Literal
from weighbridge.quality.correction import placeholders
from weighbridge.quality.versions.period import Period
from weighbridge.quality.versions.stored_version import StoredVersion


async def propose(tx: Write, version: StoredVersion) -> int:
    """Let each failing result of a version hold the correction that was found for it; gives what is new."""
    before = [state for state in states_before(ProposalTrigger.PROPOSE) if state is not None]
    return await tx.execute(
        _PROPOSE.format(
            pending=Literal(ApprovalState.PENDING.value),
            fails=Literal(ResultStatus.FAIL.value),
            before=Literal(before),
            **placeholders.of_version(version),
        )
    )


async def withdraw_proposals(tx: Write, version: StoredVersion, period: Period) -> int:
    """Withdraw what results of a period propose and the findings do not; comes before these change."""
    return await tx.execute(
        _WITHDRAW.format(
            withdrawn=Literal(ApprovalState.WITHDRAWN.value),
            before=Literal(states_before(ProposalTrigger.WITHDRAW)),
            times=placeholders.starts_in(period),
            **placeholders.of_version(version),
        )
    )


async def withdraw_all_proposals(tx: Write, project: int, rule: int) -> None:
    """Withdraw what any version of a rule proposes, because the rule changes or goes."""
    await tx.execute(
        """
        UPDATE data_point_results SET approval_state = %s
         WHERE project_id = %s AND rule_id = %s AND approval_state = ANY (%s)
        """,
        (ApprovalState.WITHDRAWN, project, rule, states_before(ProposalTrigger.WITHDRAW)),
    )


_WITHDRAW: Final = SQL(
    """
    UPDATE data_point_results o SET approval_state = {withdrawn}
      FROM events e
     WHERE (e.project_id, e.id) = (o.project_id, o.event_id) AND {times}
       AND o.project_id = {project} AND o.rule_id = {rule} AND o.rule_version = {version}
       AND o.approval_state = ANY ({before})
       AND NOT EXISTS (SELECT FROM rule_findings f
                        WHERE (f.event_id, f.position) = (o.event_id, o.position) AND f.to_value IS NOT NULL)
    """
)
_PROPOSE: Final = SQL(
    """
    UPDATE data_point_results o
       SET approval_state = {pending}, proposed_correction = finding.proposed
      FROM (SELECT event_id, position,
                   jsonb_build_object('from_value', from_value, 'to_value', to_value) AS proposed
              FROM rule_findings WHERE to_value IS NOT NULL) AS finding
     WHERE o.project_id = {project} AND o.rule_id = {rule} AND o.rule_version = {version}
       AND (o.event_id, o.position) = (finding.event_id, finding.position)
       AND o.closed_at IS NULL AND o.status = {fails}
       AND (o.approval_state IS NULL OR o.approval_state = ANY ({before}))
       AND (o.approval_state, o.proposed_correction) IS DISTINCT FROM ({pending}, finding.proposed)
    """
)
