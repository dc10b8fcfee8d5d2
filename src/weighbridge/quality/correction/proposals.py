"""Write and withdraw proposals: corrections and imputed events that need approval.

An approved correction is in force as long as the rule calls for it; a rejected one is not proposed
again as long as the rule calls for the same. A captured event withdraws the proposal for its slot by a
trigger.

Invariants: evaluating again proposes nothing new. An approval whose correction was reverted is
withdrawn. Readers of events see nothing of a proposal.
"""

from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.event_rows import METER_ASSET, METER_LOCATION
from weighbridge.core.collection.correction import NOT_REVERTED, CorrectionOrigin
from weighbridge.core.rule.definition import Purpose
from weighbridge.core.rule.states import (
    ApprovalState,
    ProposalTrigger,
    ResultStatus,
    list_proposal_states_before,
)
from weighbridge.db.engine import Write
from weighbridge.db.statements import Literal
from weighbridge.quality.definition.versions import Period, StoredVersion

# What the statements about corrections of a rule have in common, as literals by name.


def of_version(version: StoredVersion) -> dict[str, Composable]:
    """Which rule and version a statement is about, with the states and sources that it speaks of."""
    return {
        "project": Literal(version.project),
        "rule": Literal(version.rule),
        "version": Literal(version.version),
        "priority": Literal(version.priority),
        "not_reverted": Literal([state.value for state in NOT_REVERTED]),
        "manual": Literal(CorrectionOrigin.MANUAL.value),
        "approved": Literal(ApprovalState.APPROVED.value),
    }


def starts_in(period: Period) -> Composable:
    """The condition that an event `e` starts in a period, whatever its type."""
    start, end = period
    before = SQL("true") if end is None else SQL("e.start_time < {}").format(Literal(end))
    return SQL("e.start_time >= {} AND {}").format(Literal(start), before)


# Proposals of rules that impute: results hold, for a slot without an event, the event and its value.
#
# They move as other proposals do (`proposals`). What they are about is a slot of a meter; the event is made
# when someone approves, and the result names it as long as the approval stands. A captured event that comes
# for the slot withdraws the proposal in its own transaction, by a trigger, however it comes.
#
# Invariants: evaluating again proposes nothing anew; nothing of a proposal is seen by whoever reads events.


SAME_SLOT: Final = """(s.event_type_id, s.asset_id, s.location_id, s.slot_start, s.slot_end, s.position)
                     = (o.event_type_id, o.asset_id, o.location_id, o.slot_start, o.slot_end, o.position)"""
"""Whether a slot that was found, as `s`, is that of a result `o`."""


def proposes_events(version: StoredVersion) -> bool:
    """Whether the results of a version are about slots: it imputes, and needs approval."""
    return version.purpose == Purpose.IMPUTE and version.requires_approval


def slot_starts_in(period: Period) -> Composable:
    """The condition that the slot of a result `o` starts in a period, whatever its event type."""
    start, end = period
    before = SQL("true") if end is None else SQL("o.slot_start < {}").format(Literal(end))
    return SQL("o.slot_start >= {} AND {}").format(Literal(start), before)


async def propose_events(tx: Write, version: StoredVersion) -> int:
    """Let each failing result of a version hold what was found for its slot; gives how many are new."""
    before = [state for state in list_proposal_states_before(ProposalTrigger.PROPOSE) if state is not None]
    return await tx.execute(
        _PROPOSE_EVENTS.format(
            pending=Literal(ApprovalState.PENDING.value),
            fails=Literal(ResultStatus.FAIL.value),
            before=Literal(before),
            decided=Literal(list_proposal_states_before(ProposalTrigger.PROPOSE_ANEW)),
            **of_version(version),
        )
    )


async def withdraw_events(tx: Write, version: StoredVersion, period: Period) -> int:
    """Withdraw what results propose for slots of a period in which nothing was found any more."""
    return await tx.execute(
        _WITHDRAW_EVENTS.format(
            withdrawn=Literal(ApprovalState.WITHDRAWN.value),
            before=Literal(list_proposal_states_before(ProposalTrigger.WITHDRAW)),
            times=slot_starts_in(period),
            **of_version(version),
        )
    )


async def withdraw_captured(tx: Write, version: StoredVersion) -> int:
    """Withdraw what was proposed while a captured event came for its slot; comes after proposing.

    Whoever stored the event withdrew what was proposed then; an evaluation that had not seen it proposed
    again. What neither sees here, because both are under way, is seen by the evaluation that follows.
    """
    return await tx.execute(
        _WITHDRAW_CAPTURED.format(
            withdrawn=Literal(ApprovalState.WITHDRAWN.value),
            before=Literal(list_proposal_states_before(ProposalTrigger.WITHDRAW)),
            **of_version(version),
        )
    )


_WITHDRAW_CAPTURED: Final = SQL(
    f"""
    UPDATE data_point_results o SET approval_state = {{withdrawn}}
     WHERE o.project_id = {{project}} AND o.rule_id = {{rule}} AND o.rule_version = {{version}}
       AND o.approval_state = ANY ({{before}}) AND EXISTS (
           SELECT FROM events e
            WHERE e.project_id = o.project_id AND e.event_type_id = o.event_type_id
              AND e.start_time >= o.slot_start AND e.start_time < o.slot_end
              AND e.voided_at IS NULL AND NOT e.is_imputed AND {METER_ASSET} = o.asset_id
              AND {METER_LOCATION} = o.location_id)
    """
)
_WITHDRAW_EVENTS: Final = SQL(
    f"""
    UPDATE data_point_results o SET approval_state = {{withdrawn}}
     WHERE o.project_id = {{project}} AND o.rule_id = {{rule}} AND o.rule_version = {{version}}
       AND o.approval_state = ANY ({{before}}) AND {{times}}
       AND NOT EXISTS (SELECT FROM rule_missing_slots s WHERE {SAME_SLOT})
    """
)
_PROPOSE_EVENTS: Final = SQL(
    f"""
    UPDATE data_point_results o
       SET approval_state = {{pending}}, proposed_correction = s.proposed, proposed_event = s.event,
           event_id = NULL, approved_at = NULL, approved_by = NULL,
           rejected_at = NULL, rejected_by = NULL, rejection_reason = NULL
      FROM (SELECT *, proposed_correction(NULL, to_value, substitution) AS proposed
              FROM rule_missing_slots) AS s
     WHERE o.project_id = {{project}} AND o.rule_id = {{rule}} AND o.rule_version = {{version}}
       AND {SAME_SLOT}
       AND o.closed_at IS NULL AND o.status = {{fails}}
       AND (o.approval_state IS NULL OR o.approval_state = ANY ({{before}})
            OR o.approval_state = ANY ({{decided}})
               AND o.proposed_correction -> 'to_value' <> s.proposed -> 'to_value')
       AND (o.approval_state, o.proposed_correction, o.proposed_event)
           IS DISTINCT FROM ({{pending}}, s.proposed, s.event)
    """
)


# Proposals are corrections that need approval: results of a rule hold them until a person decides.
#
# What was approved is in force as long as the rule comes to the same; what was rejected is not proposed
# again as long as it does.
#
# Invariants: evaluating again proposes nothing anew; an approval whose correction was reverted, by
# whomever, is withdrawn.


_WHENEVER: Final = SQL("true")


async def propose(tx: Write, version: StoredVersion) -> int:
    """Let each failing result of a version hold the correction that was found for it; gives what is new."""
    before = [state for state in list_proposal_states_before(ProposalTrigger.PROPOSE) if state is not None]
    decided = list_proposal_states_before(ProposalTrigger.PROPOSE_ANEW)
    of_slots = await propose_events(tx, version) if proposes_events(version) else 0
    return of_slots + await tx.execute(
        _PROPOSE.format(
            pending=Literal(ApprovalState.PENDING.value),
            fails=Literal(ResultStatus.FAIL.value),
            before=Literal(before),
            decided=Literal(decided),
            **of_version(version),
        )
    )


async def withdraw_proposals(tx: Write, version: StoredVersion, period: Period) -> int:
    """Withdraw what results of a period propose and the findings do not; comes before these change."""
    of_slots = await withdraw_events(tx, version, period) if proposes_events(version) else 0
    return of_slots + await tx.execute(
        _WITHDRAW.format(
            withdrawn=Literal(ApprovalState.WITHDRAWN.value),
            before=Literal(list_proposal_states_before(ProposalTrigger.WITHDRAW)),
            times=starts_in(period),
            **of_version(version),
        )
    )


async def withdraw_all_proposals(tx: Write, project: int, rule: int) -> None:
    """Withdraw what any version of a rule proposes, because the rule changes or goes."""
    await tx.execute(
        """
        UPDATE data_point_results SET approval_state = %s
         WHERE project_id = %s AND rule_id = %s AND approval_state = ANY (%s)
        """,
        (ApprovalState.WITHDRAWN, project, rule, list_proposal_states_before(ProposalTrigger.WITHDRAW)),
    )


async def keep_approvals(tx: Write, version: StoredVersion) -> None:
    """Let results say how values are found now that were approved and that the rule still comes to."""
    await tx.execute(_KEEP.format(**of_version(version)))


async def take_back_approvals(tx: Write, project: int, rule: int, times: Composable = _WHENEVER) -> None:
    """Withdraw a rule's approvals whose corrections are reverted, of events `e` that meet a condition."""
    await tx.execute(
        _TAKE_BACK.format(
            withdrawn=Literal(ApprovalState.WITHDRAWN.value),
            before=Literal(list_proposal_states_before(ProposalTrigger.TAKE_BACK)),
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
