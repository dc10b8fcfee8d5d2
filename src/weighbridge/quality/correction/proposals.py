"""Proposals are corrections that need approval: results of a rule hold them until a person decides.

What was approved is in force as long as the rule comes to the same; what was rejected is not proposed again
as long as it does.

Invariants: evaluating again proposes nothing anew; an approval whose correction was reverted, by whomever, is
withdrawn.
"""

from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.core.collection.correction import NOT_REVERTED
from weighbridge.core.rule.proposal import ApprovalState, ProposalTrigger, states_before
from weighbridge.core.rule.result import ResultStatus
from weighbridge.db.engine import Write
from weighbridge.db.literal import Literal
from weighbridge.quality.correction import placeholders
from weighbridge.quality.correction.slot_proposals import propose_events, proposes_events, withdraw_events
from weighbridge.quality.versions.period import Period
from weighbridge.quality.versions.stored_version import StoredVersion

_WHENEVER: Final = SQL("true")


async def propose(tx: Write, version: StoredVersion) -> int:
    """Let each failing result of a version hold the correction that was found for it; gives what is new."""
    before = [state for state in states_before(ProposalTrigger.PROPOSE) if state is not None]
    decided = states_before(ProposalTrigger.PROPOSE_ANEW)
    of_slots = await propose_events(tx, version) if proposes_events(version) else 0
    return of_slots + await tx.execute(
        _PROPOSE.format(
            pending=Literal(ApprovalState.PENDING.value),
            fails=Literal(ResultStatus.FAIL.value),
            before=Literal(before),
            decided=Literal(decided),
            **placeholders.of_version(version),
        )
    )


async def withdraw_proposals(tx: Write, version: StoredVersion, period: Period) -> int:
    """Withdraw what results of a period propose and the findings do not; comes before these change."""
    of_slots = await withdraw_events(tx, version, period) if proposes_events(version) else 0
    return of_slots + await tx.execute(
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


async def keep_approvals(tx: Write, version: StoredVersion) -> None:
    """Let results say how values are found now that were approved and that the rule still comes to."""
    await tx.execute(_KEEP.format(**placeholders.of_version(version)))


async def take_back_approvals(tx: Write, project: int, rule: int, times: Composable = _WHENEVER) -> None:
    """Withdraw a rule's approvals whose corrections are reverted, of events `e` that meet a condition."""
    await tx.execute(
        _TAKE_BACK.format(
            withdrawn=Literal(ApprovalState.WITHDRAWN.value),
            before=Literal(states_before(ProposalTrigger.TAKE_BACK)),
            not_reverted=Literal([state.value for state in NOT_REVERTED]),
            project=Literal(project),
            rule=Literal(rule),
            times=times,
        )
    )


_WITHDRAW: Final = SQL(
    """
    UPDATE data_point_results o SET approval_state = {withdrawn}
      FROM events e
     WHERE (e.project_id, e.id) = (o.project_id, o.event_id) AND {times} AND o.slot_start IS NULL
       AND o.project_id = {project} AND o.rule_id = {rule} AND o.rule_version = {version}
       AND o.approval_state = ANY ({before})
       AND NOT EXISTS (SELECT FROM rule_findings f
                        WHERE (f.event_id, f.position) = (o.event_id, o.position) AND f.to_value IS NOT NULL)
    """
)
_TAKE_BACK: Final = SQL(
    """
    UPDATE data_point_results o SET approval_state = {withdrawn}
      FROM events e
     WHERE (e.project_id, e.id) = (o.project_id, o.event_id) AND {times}
       AND o.project_id = {project} AND o.rule_id = {rule} AND o.approval_state = ANY ({before})
       AND NOT EXISTS (SELECT FROM corrections c
                        WHERE (c.project_id, c.event_id, c.position, c.field)
                            = (o.project_id, o.event_id, o.position, '')
                          AND (c.rule_id, c.rule_version) = (o.rule_id, o.rule_version)
                          AND c.state = ANY ({not_reverted}))
    """
)
_KEEP: Final = SQL(
    """
    UPDATE data_point_results o
       SET proposed_correction = o.proposed_correction || jsonb_build_object('substitution', f.substitution)
      FROM rule_findings f
     WHERE o.project_id = {project} AND o.rule_id = {rule} AND o.rule_version = {version}
       AND (o.event_id, o.position) = (f.event_id, f.position)
       AND o.closed_at IS NULL AND o.approval_state = {approved}
       AND o.proposed_correction -> 'to_value' = f.to_value
       AND o.proposed_correction -> 'substitution' <> f.substitution
    """
)
_PROPOSE: Final = SQL(
    """
    UPDATE data_point_results o
       SET approval_state = {pending}, proposed_correction = finding.proposed,
           approved_at = NULL, approved_by = NULL,
           rejected_at = NULL, rejected_by = NULL, rejection_reason = NULL
      FROM (SELECT event_id, position,
                   proposed_correction(from_value, to_value, substitution) AS proposed
              FROM rule_findings WHERE to_value IS NOT NULL) AS finding
     WHERE o.project_id = {project} AND o.rule_id = {rule} AND o.rule_version = {version}
       AND (o.event_id, o.position) = (finding.event_id, finding.position)
       AND o.closed_at IS NULL AND o.status = {fails} AND o.slot_start IS NULL
       AND (o.approval_state IS NULL OR o.approval_state = ANY ({before})
            OR o.approval_state = ANY ({decided})
               AND o.proposed_correction -> 'to_value' <> finding.proposed -> 'to_value')
       AND (o.approval_state, o.proposed_correction) IS DISTINCT FROM ({pending}, finding.proposed)
    """
)
