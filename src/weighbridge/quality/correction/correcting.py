"""Correcting: a rule that adjusts puts other values beside the captured ones, or proposes them.

What an evaluation came to stands in the transaction's table of findings. Of what the rule said earlier, what
it says no more is withdrawn and what it says otherwise is replaced: wherever the evaluation looked, also
outside the time for which the rule is effective.

Invariants: of a rule at most one correction of a value stands; evaluating again changes nothing; what a
person took back is not written or proposed again, until the rule has another version; memory stays flat,
whatever the number of values.
"""

from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.corrections import (
    PORTION,
    NewCorrection,
    RuleRef,
    apply_corrections,
    undo,
)
from weighbridge.core.collection.correction import NOT_REVERTED, CorrectionOrigin
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.proposal import ApprovalState, ProposalTrigger, states_before
from weighbridge.core.rule.result import ResultStatus
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Write
from weighbridge.db.literal import Literal
from weighbridge.quality.evaluation.findings import Outcome
from weighbridge.quality.rules.queries import StoredVersion

_ALL: Final = SQL("WHERE true")
_OTHER_THAN_FOUND: Final = SQL(
    """
    LEFT JOIN rule_findings f ON (f.event_id, f.position, f.to_value) = (c.event_id, c.position, c.to_value)
     WHERE (f.event_id IS NULL OR c.priority <> {priority})
    """
)
"""Which corrections of a rule are withdrawn: all, or those that its findings do not call for."""

Period = tuple[Instant, Instant | None]


async def leave_to_people(tx: Write, version: StoredVersion) -> None:
    """Take out of the findings the corrections of values where a person took one back since this version."""
    await tx.execute(_LEAVE.format(**_names(version)))


async def correct(tx: Write, actor: Actor, version: StoredVersion, run: int, period: Period) -> Outcome:
    """Let the corrections of a rule be those that its findings call for, over all events of a period.

    With approval they are proposed, and none stands.
    """
    if version.requires_approval:
        proposals = await _propose(tx, version)
        withdrawn = await withdraw(tx, actor, version, run, period)
        return Outcome(changed=proposals + withdrawn, withdrawn=withdrawn, proposals=proposals)
    withdrawn = await withdraw(tx, actor, version, run, period, which=_OTHER_THAN_FOUND)
    rule = RuleRef(version.rule, version.version, run)
    written = 0
    async for rows in tx.portions(_WANTED.format(**_names(version)), PORTION):
        corrections = [
            NewCorrection(
                event,
                position,
                value,
                CorrectionOrigin.ADJUSTMENT,
                version.priority,
                reason=version.message,
                rule=rule,
            )
            for event, position, value in rows
        ]
        before = written
        written += len((await apply_corrections(tx, actor, version.project, corrections)).recorded)
        if before < PORTION <= written:
            # The first thousands may be the first that there are: without figures, plans read all of them.
            await tx.execute("ANALYZE (SKIP_LOCKED) corrections")
    return Outcome(changed=written + withdrawn, corrections=written, withdrawn=withdrawn)


async def withdraw(
    tx: Write, actor: Actor, version: StoredVersion, run: int, period: Period, *, which: SQL = _ALL
) -> int:
    """Take back what a rule has corrected in a period; gives how many corrections."""
    names = _names(version)
    statement = _STANDING.format(which=which.format(**names), times=_times(period), **names)
    withdrawn = 0
    async for rows in tx.portions(statement, PORTION):
        numbers = [number for (number,) in rows]
        withdrawn += len((await undo(tx, actor, version.project, numbers, run)).recorded)
    return withdrawn


async def withdraw_proposals(tx: Write, version: StoredVersion, period: Period) -> int:
    """Withdraw what results of a period propose and what was found does not; comes before these change."""
    return await tx.execute(
        _WITHDRAW.format(
            withdrawn=Literal(ApprovalState.WITHDRAWN.value),
            before=Literal(states_before(ProposalTrigger.WITHDRAW)),
            times=_times(period),
            **_names(version),
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


async def _propose(tx: Write, version: StoredVersion) -> int:
    """Let each failing result of a version hold the correction that was found for it; gives what is new."""
    before = [state for state in states_before(ProposalTrigger.PROPOSE) if state is not None]
    return await tx.execute(
        _PROPOSE.format(
            pending=Literal(ApprovalState.PENDING.value),
            fails=Literal(ResultStatus.FAIL.value),
            before=Literal(before),
            **_names(version),
        )
    )


def _names(version: StoredVersion) -> dict[str, Composable]:
    return {
        "project": Literal(version.project),
        "rule": Literal(version.rule),
        "version": Literal(version.version),
        "priority": Literal(version.priority),
        "standing": Literal([state.value for state in NOT_REVERTED]),
        "manual": Literal(CorrectionOrigin.MANUAL.value),
    }


def _times(period: Period) -> Composable:
    """The condition that an event `e` starts in a period, whatever its type."""
    start, end = period
    before = SQL("true") if end is None else SQL("e.start_time < {}").format(Literal(end))
    return SQL("e.start_time >= {} AND {}").format(Literal(start), before)


_LEAVE: Final = SQL(
    """
    UPDATE rule_findings f SET to_value = NULL
     WHERE f.to_value IS NOT NULL AND EXISTS (
           SELECT FROM corrections c
            WHERE (c.project_id, c.event_id, c.position, c.field) = ({project}, f.event_id, f.position, '')
              AND c.reverted_by IS NOT NULL AND (c.rule_id = {rule} OR c.source = {manual})
              AND c.reverted_at >= (SELECT v.created_at FROM rule_versions v
                                     WHERE (v.project_id, v.rule_id, v.version)
                                         = ({project}, {rule}, {version})))
    """
)
_STANDING: Final = SQL(
    """
    SELECT c.id FROM corrections c JOIN events e ON (e.project_id, e.id) = (c.project_id, c.event_id) {which}
       AND c.project_id = {project} AND c.rule_id = {rule} AND c.state = ANY ({standing})
       AND e.voided_at IS NULL AND {times}
     ORDER BY c.event_id, c.position
    """
)
_WANTED: Final = SQL(
    """
    SELECT f.event_id, f.position, f.to_value FROM rule_findings f
     WHERE f.to_value IS NOT NULL AND NOT EXISTS (
           SELECT FROM corrections c
            WHERE (c.project_id, c.event_id, c.position, c.field) = ({project}, f.event_id, f.position, '')
              AND c.rule_id = {rule} AND c.state = ANY ({standing}))
     ORDER BY f.event_id, f.position
    """
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
       SET approval_state = {pending}, proposed_correction = found.proposed
      FROM (SELECT event_id, position,
                   jsonb_build_object('from_value', from_value, 'to_value', to_value) AS proposed
              FROM rule_findings WHERE to_value IS NOT NULL) AS found
     WHERE o.project_id = {project} AND o.rule_id = {rule} AND o.rule_version = {version}
       AND (o.event_id, o.position) = (found.event_id, found.position)
       AND o.closed_at IS NULL AND o.status = {fails}
       AND (o.approval_state IS NULL OR o.approval_state = ANY ({before}))
       AND (o.approval_state, o.proposed_correction) IS DISTINCT FROM ({pending}, found.proposed)
    """
)
