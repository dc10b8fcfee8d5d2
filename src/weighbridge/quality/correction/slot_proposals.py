"""Proposals of rules that impute: results hold, for a slot without an event, the event and its value.

They move as other proposals do (`proposals`). What they are about is a slot of a meter; the event is made
when someone approves, and the result names it as long as the approval stands. A captured event that comes
for the slot withdraws the proposal in its own transaction, by a trigger, however it comes.

Invariants: evaluating again proposes nothing anew; nothing of a proposal is seen by whoever reads events.
"""

from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.event_row import METER_ASSET, METER_LOCATION
from weighbridge.core.rule.correction import Purpose
from weighbridge.core.rule.proposal import ApprovalState, ProposalTrigger, states_before
from weighbridge.core.rule.result import ResultStatus
from weighbridge.db.engine import Write
from weighbridge.db.literal import Literal
from weighbridge.quality.correction import placeholders
from weighbridge.quality.versions.period import Period
from weighbridge.quality.versions.stored_version import StoredVersion

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
    before = [state for state in states_before(ProposalTrigger.PROPOSE) if state is not None]
    return await tx.execute(
        _PROPOSE.format(
            pending=Literal(ApprovalState.PENDING.value),
            fails=Literal(ResultStatus.FAIL.value),
            before=Literal(before),
            decided=Literal(states_before(ProposalTrigger.PROPOSE_ANEW)),
            **placeholders.of_version(version),
        )
    )


async def withdraw_events(tx: Write, version: StoredVersion, period: Period) -> int:
    """Withdraw what results propose for slots of a period in which nothing was found any more."""
    return await tx.execute(
        _WITHDRAW.format(
            withdrawn=Literal(ApprovalState.WITHDRAWN.value),
            before=Literal(states_before(ProposalTrigger.WITHDRAW)),
            times=slot_starts_in(period),
            **placeholders.of_version(version),
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
            before=Literal(states_before(ProposalTrigger.WITHDRAW)),
            **placeholders.of_version(version),
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
_WITHDRAW: Final = SQL(
    f"""
    UPDATE data_point_results o SET approval_state = {{withdrawn}}
     WHERE o.project_id = {{project}} AND o.rule_id = {{rule}} AND o.rule_version = {{version}}
       AND o.approval_state = ANY ({{before}}) AND {{times}}
       AND NOT EXISTS (SELECT FROM rule_missing_slots s WHERE {SAME_SLOT})
    """
)
_PROPOSE: Final = SQL(
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
