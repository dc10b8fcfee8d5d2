"""Write what the findings of a rule call for: corrections, or proposals of corrections that need approval.

An approved correction is in force as long as the rule calls for it; a rejected one is not proposed
again as long as the rule calls for the same. A captured event withdraws the proposal for its slot by a
trigger. Proposals of imputed events are written here as well; `imputation.py` creates the events.

Invariants: at most one correction of a value by each rule is in force. Evaluating again changes and proposes
nothing new. Corrections reverted by a person are not repeated until the rule has a new version, unless the
person rejected what had been approved. An approval whose correction was reverted otherwise is withdrawn.
Corrections of other rules and of people stay. Readers of events see nothing of a proposal. Memory does not
grow with the number of values.
"""

from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, LiteralString, NamedTuple

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.corrections import (
    PORTION,
    NewCorrection,
    RuleRef,
    apply_corrections,
    undo,
)
from weighbridge.collection.measurements.event_records import METER_ASSET, METER_LOCATION
from weighbridge.core.collection.correction import NOT_REVERTED, CorrectionOrigin
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.definition import FILLS_GAPS, Purpose
from weighbridge.core.rule.states import (
    ApprovalState,
    ProposalTrigger,
    ResultStatus,
    RunCounts,
    list_proposal_states_before,
)
from weighbridge.db.engine import Write
from weighbridge.db.statements import Literal
from weighbridge.quality.rule_versions import Period, StoredVersion

# The literals, by name, that the statements about corrections of a rule share.


def of_version(version: StoredVersion) -> dict[str, Composable]:
    """Which rule and version a statement is about, with the states and sources it refers to."""
    return {
        "project": Literal(version.project),
        "rule": Literal(version.rule),
        "version": Literal(version.version),
        "priority": Literal(version.priority),
        "not_reverted": Literal([state.value for state in NOT_REVERTED]),
        "manual": Literal(CorrectionOrigin.MANUAL.value),
        "substitution": Literal(CorrectionOrigin.SUBSTITUTION.value),
        "approved": Literal(ApprovalState.APPROVED.value),
    }


def starts_in(period: Period) -> Composable:
    """The condition that an event `e` of any type starts in a period."""
    start, end = period
    before = SQL("true") if end is None else SQL("e.start_time < {}").format(Literal(end))
    return SQL("e.start_time >= {} AND {}").format(Literal(start), before)


# Proposals of rules that impute: results hold, for a slot without an event, the event and its value.
#
# They move as other proposals do (below). What they are about is a slot of a meter; the event is made
# on approval, and the result names it as long as the approval is in force. A captured event that comes
# for the slot withdraws the proposal in its own transaction, by a trigger, however it comes.
#
# Invariants: evaluating again proposes nothing anew; readers of events do not see proposals.


SAME_SLOT: Final = """(s.event_type_id, s.asset_id, s.location_id, s.slot_start, s.slot_end, s.position)
                     = (o.event_type_id, o.asset_id, o.location_id, o.slot_start, o.slot_end, o.position)"""
"""Whether a slot that was found, as `s`, is that of a result `o`."""


def proposes_events(version: StoredVersion) -> bool:
    """Whether the results of a version are about slots: it imputes, and needs approval."""
    return version.purpose == Purpose.IMPUTE and version.requires_approval


def slot_starts_in(period: Period) -> Composable:
    """The condition that the slot of a result `o` of any event type starts in a period."""
    start, end = period
    before = SQL("true") if end is None else SQL("o.slot_start < {}").format(Literal(end))
    return SQL("o.slot_start >= {} AND {}").format(Literal(start), before)


async def propose_events(tx: Write, version: StoredVersion) -> int:
    """Store the finding for its slot in each failing result of a version; return how many are new."""
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
    """Withdraw the proposals for slots of a period that no longer have a finding."""
    return await tx.execute(
        _WITHDRAW_EVENTS.format(
            withdrawn=Literal(ApprovalState.WITHDRAWN.value),
            before=Literal(list_proposal_states_before(ProposalTrigger.WITHDRAW)),
            times=slot_starts_in(period),
            **of_version(version),
        )
    )


async def withdraw_captured(tx: Write, version: StoredVersion) -> int:
    """Withdraw proposals whose slot received a captured event meanwhile; runs after proposing.

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
       AND NOT EXISTS (SELECT FROM (SELECT * FROM rule_missing_slots) s WHERE {SAME_SLOT})
    """
)
_PROPOSE_EVENTS: Final = SQL(
    f"""
    UPDATE data_point_results o
       SET approval_state = {{pending}}, proposed_correction = s.proposed, proposed_event = s.event,
           event_id = NULL, approved_at = NULL, approved_by = NULL, approval_comment = NULL,
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
    """Store the correction found for each failing result of a version; return the new ones."""
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
    """Withdraw the proposals of every version of a rule, because the rule changes or is removed."""
    await tx.execute(
        """
        UPDATE data_point_results SET approval_state = %s
         WHERE project_id = %s AND rule_id = %s AND approval_state = ANY (%s)
        """,
        (ApprovalState.WITHDRAWN, project, rule, list_proposal_states_before(ProposalTrigger.WITHDRAW)),
    )


async def _keep_approvals(tx: Write, version: StoredVersion) -> None:
    """Update how approved values were determined in results that the rule still confirms."""
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
       AND NOT EXISTS (SELECT FROM (SELECT * FROM rule_findings) f
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
       SET proposed_correction = o.proposed_correction || f.determined
      FROM (SELECT *, jsonb_build_object('substitution', substitution) AS determined FROM rule_findings) f
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
           approved_at = NULL, approved_by = NULL, approval_comment = NULL,
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


# Withdrawal reverts corrections of a rule that its evaluation no longer makes.
#
# Invariants: corrections of other rules and of people stay; memory stays flat, whatever the number of
# values.


ALL: Final = SQL("WHERE true")

# A correction that names no sources was made before they were kept, and is not made again for them.
_SAME: Final[
    LiteralString
] = """f.substitution - CASE WHEN c.substitution ? 'sources' THEN '' ELSE 'sources' END
         IS NOT DISTINCT FROM c.substitution"""
_OTHER: Final = f"""
    LEFT JOIN (SELECT * FROM rule_findings) f
      ON (f.event_id, f.position, f.to_value) = (c.event_id, c.position, c.to_value)
     AND {_SAME}
     WHERE (f.event_id IS NULL OR c.priority <> {{priority}})
"""
OTHER_THAN_FOUND: Final = SQL(_OTHER)
HELD_AND_OTHER_THAN_FOUND: Final = SQL(_OTHER + " AND c.event_id IN (SELECT event_id FROM rule_held_events)")
OTHER_THAN_APPROVED: Final = SQL(
    f"""
    LEFT JOIN (SELECT * FROM rule_findings) f
      ON (f.event_id, f.position, f.to_value) = (c.event_id, c.position, c.to_value)
     AND {_SAME}
     WHERE (f.event_id IS NULL OR NOT EXISTS (
            SELECT FROM data_point_results o
             WHERE (o.project_id, o.event_id, o.position) = (c.project_id, c.event_id, c.position)
               AND (o.rule_id, o.rule_version) = ({{rule}}, {{version}})
               AND o.closed_at IS NULL AND o.approval_state = {{approved}}))
    """
)
"""Which corrections of a rule are withdrawn: all, or those that its findings do not call for, of all events
or of those that the transaction holds, or those that they do not call for or nobody approved."""


async def withdraw(
    tx: Write, actor: Actor, version: StoredVersion, run: int, period: Period, *, which: SQL = ALL
) -> int:
    """Take back what a rule has corrected in a period; gives how many corrections."""
    names = of_version(version)
    statement = _NOT_REVERTED.format(which=which.format(**names), times=starts_in(period), **names)
    withdrawn = 0
    async for rows in tx.portions(statement, PORTION):
        numbers = [number for (number,) in rows]
        withdrawn += len((await undo(tx, actor, version.project, numbers, run)).recorded)
    return withdrawn


_NOT_REVERTED: Final = SQL(
    """
    SELECT c.id FROM corrections c JOIN events e ON (e.project_id, e.id) = (c.project_id, c.event_id) {which}
       AND c.project_id = {project} AND c.rule_id = {rule} AND c.state = ANY ({not_reverted})
       AND e.voided_at IS NULL AND {times}
     ORDER BY c.event_id, c.position
    """
)


# Adjustment: a rule that corrects writes other values in addition to the captured ones, or proposes them.
#
# The findings of an evaluation are in the transaction's table of findings. Of its earlier corrections,
# those it no longer makes are withdrawn and those that differ are replaced: wherever it evaluated,
# also outside the time for which the rule is effective.
#
# Invariants: of a rule at most one correction of a value is in force; evaluating again changes nothing; a
# correction that a person reverted is not written or proposed again until the rule has another version;
# memory does not grow with the number of values.


async def leave_to_people(tx: Write, version: StoredVersion) -> None:
    """Take out of the findings the corrections of values where a person took one back since this version."""
    await tx.execute(_LEAVE.format(**of_version(version)))


async def _leave_to_readings(tx: Write, version: StoredVersion) -> None:
    """Remove the findings that would fill a value that has meanwhile come."""
    await tx.execute(_LEAVE_TO_READINGS.format(**of_version(version)))


async def _hold_events(tx: Write, version: StoredVersion, period: Period) -> None:
    """Lock the events whose corrections by the rule differ from its findings.

    They are taken at once and in their order, as whoever undoes corrections takes them, so that nobody waits
    in a circle. Others may have corrected or undone what was waited for; no events are added for that.
    """
    await tx.execute(_HELD_TABLE)
    await tx.execute("DELETE FROM rule_held_events")
    names = of_version(version)
    is_other = OTHER_THAN_FOUND.format(**names)
    locked_count = await tx.execute(_HOLD.format(other=is_other, times=starts_in(period), **names))
    if locked_count:
        await tx.execute("ANALYZE rule_held_events")
        await leave_to_people(tx, version)
        await _leave_to_readings(tx, version)


async def correct(tx: Write, actor: Actor, version: StoredVersion, run: int, period: Period) -> RunCounts:
    """Let the corrections of a rule be those that its findings call for, over all events of a period.

    With approval they are proposed, and only approved ones are in force.
    """
    if version.requires_approval:
        proposals = await propose(tx, version)
        await _keep_approvals(tx, version)
        withdrawn = await withdraw(tx, actor, version, run, period, which=OTHER_THAN_APPROVED)
        rewritten_count = await _write_kept(tx, actor, version, run) if withdrawn else 0
        return RunCounts(
            changed=proposals + withdrawn + rewritten_count, withdrawn=withdrawn, proposals=proposals
        )
    await _hold_events(tx, version, period)
    withdrawn = await withdraw(tx, actor, version, run, period, which=HELD_AND_OTHER_THAN_FOUND)
    written_count = 0
    async for rows in tx.portions(_CALLED_FOR.format(**of_version(version)), PORTION):
        corrections = [correction_of(version, run, CalledFor(*row)) for row in rows]
        before = written_count
        written_count += len((await apply_corrections(tx, actor, version.project, corrections)).recorded)
        if before < PORTION <= written_count:
            # The first thousands may be the first that there are: without figures, plans read all of them.
            await tx.execute("SELECT refresh_statistics('corrections')")
    return RunCounts(changed=written_count + withdrawn, corrections=written_count, withdrawn=withdrawn)


async def _write_kept(tx: Write, actor: Actor, version: StoredVersion, run: int) -> int:
    """Write approved values anew of which this run took back the correction because only how it was found has
    changed: for whoever approved, and by this run, which says how. Gives how many.
    """
    written_count = 0
    statement = _KEPT.format(run=Literal(run), **of_version(version))
    async for rows in tx.portions(statement, PORTION):
        for approver, approver_rows in groupby(rows, key=itemgetter(0)):
            corrections = [correction_of(version, run, CalledFor(*row[1:])) for row in approver_rows]
            approving_actor = replace(actor, user_id=approver, token_id=None)
            written_count += len(
                (await apply_corrections(tx, approving_actor, version.project, corrections)).recorded
            )
    return written_count


class CalledFor(NamedTuple):
    """Another value that a rule calls for and, of one that fills a gap, how it was found."""

    event: int
    position: int
    value: Any
    substitution: dict[str, Any] | None = None


def correction_of(version: StoredVersion, run: int | None, value: CalledFor) -> NewCorrection:
    """The correction of a value that a version calls for, found by a run."""
    is_substituted = version.purpose in FILLS_GAPS
    return NewCorrection(
        value.event,
        value.position,
        value.value,
        CorrectionOrigin.SUBSTITUTION if is_substituted else CorrectionOrigin.ADJUSTMENT,
        version.priority,
        reason=version.message,
        rule=RuleRef(version.rule, version.version, run),
        substitution=value.substitution,
    )


_LEAVE: Final = SQL(
    """
    WITH undone AS MATERIALIZED (
        SELECT DISTINCT f.event_id, f.position
          FROM (SELECT * FROM rule_findings) f
          JOIN corrections c
            ON (c.project_id, c.event_id, c.position, c.field) = ({project}, f.event_id, f.position, '')
         WHERE f.to_value IS NOT NULL
           AND c.reverted_by IS NOT NULL AND (c.rule_id = {rule} OR c.source = {manual})
           AND c.rejected_result IS NULL
           -- A value that came after all took back what was filled in; the value is left to the rule.
           AND NOT (c.source = {substitution} AND c.from_value IS NULL AND f.from_value IS NOT NULL)
           AND c.reverted_at >= (SELECT v.created_at FROM rule_versions v
                                  WHERE (v.project_id, v.rule_id, v.version) = ({project}, {rule}, {version}))
    )
    UPDATE rule_findings f SET to_value = NULL
      FROM undone
     WHERE f.to_value IS NOT NULL AND (f.event_id, f.position) = (undone.event_id, undone.position)
    """
)
_LEAVE_TO_READINGS: Final = SQL(
    """
    WITH filled AS MATERIALIZED (
        SELECT DISTINCT f.event_id, f.position
          FROM (SELECT * FROM rule_findings) f JOIN (SELECT * FROM rule_held_events) held USING (event_id)
          JOIN events e ON (e.project_id, e.id) = ({project}, f.event_id)
         WHERE f.to_value IS NOT NULL AND f.from_value IS NULL
           AND e.numbers[f.position] IS NOT NULL
    )
    UPDATE rule_findings f SET to_value = NULL
      FROM filled
     WHERE f.to_value IS NOT NULL AND f.from_value IS NULL
       AND (f.event_id, f.position) = (filled.event_id, filled.position)
    """
)
_KEPT: Final = SQL(
    """
    SELECT o.approved_by, f.event_id, f.position, f.to_value, f.substitution
      FROM (SELECT * FROM rule_findings) f
      JOIN data_point_results o ON (o.event_id, o.position) = (f.event_id, f.position)
       AND (o.project_id, o.rule_id, o.rule_version) = ({project}, {rule}, {version})
       AND o.closed_at IS NULL AND o.approval_state = {approved}
       AND o.proposed_correction -> 'to_value' = f.to_value
     WHERE EXISTS (SELECT FROM corrections c
                    WHERE (c.project_id, c.event_id, c.position, c.field)
                        = ({project}, f.event_id, f.position, '')
                      AND (c.rule_id, c.rule_version, c.reverted_by_run) = ({rule}, {version}, {run})
                      AND c.reverted_at = now()::timestamptz(3))
       AND NOT EXISTS (SELECT FROM corrections c
                        WHERE (c.project_id, c.event_id, c.position, c.field)
                            = ({project}, f.event_id, f.position, '')
                          AND c.rule_id = {rule} AND c.state = ANY ({not_reverted}))
     ORDER BY o.approved_by, f.event_id, f.position
    """
)
_HELD_TABLE: Final = """
    CREATE TEMPORARY TABLE IF NOT EXISTS rule_held_events (event_id bigint PRIMARY KEY) ON COMMIT DROP
"""
_HOLD: Final = SQL(
    """
    INSERT INTO rule_held_events
    SELECT e.id FROM events e
     WHERE e.project_id = {project} AND e.id IN (
           SELECT f.event_id FROM (SELECT * FROM rule_findings) f
            WHERE f.to_value IS NOT NULL AND NOT EXISTS (
                  SELECT FROM corrections c
                   WHERE (c.project_id, c.event_id, c.position, c.field)
                       = ({project}, f.event_id, f.position, '')
                     AND c.rule_id = {rule} AND c.state = ANY ({not_reverted}))
            UNION
           SELECT c.event_id
             FROM corrections c
             JOIN events e ON (e.project_id, e.id) = (c.project_id, c.event_id) {other}
              AND c.project_id = {project} AND c.rule_id = {rule} AND c.state = ANY ({not_reverted})
              AND e.voided_at IS NULL AND {times})
     ORDER BY e.id FOR NO KEY UPDATE OF e
    """
)
_CALLED_FOR: Final = SQL(
    """
    SELECT f.event_id, f.position, f.to_value, f.substitution
      FROM (SELECT * FROM rule_findings) f JOIN (SELECT * FROM rule_held_events) held USING (event_id)
     WHERE f.to_value IS NOT NULL AND NOT EXISTS (
           SELECT FROM corrections c
            WHERE (c.project_id, c.event_id, c.position, c.field) = ({project}, f.event_id, f.position, '')
              AND c.rule_id = {rule} AND c.state = ANY ({not_reverted}))
     ORDER BY f.event_id, f.position
    """
)
