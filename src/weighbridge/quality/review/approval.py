"""Decide on proposed corrections: whether a proposal is still current, who may approve it, and the
decision.

A proposal is current if its rule, evaluated again over the present data, calls for the same correction;
otherwise it is superseded.

Invariants: decisions take the locks of evaluations and corrections in the same order. Without the
feature `approval_of_own`, users cannot approve a proposal that results from their own rule or data.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

from weighbridge.collection.measurements.corrections import apply_corrections, settle_imputed
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.settings import Feature
from weighbridge.core.rule.states import (
    ApprovalState,
    ProposalTrigger,
    advance_proposal,
    list_proposal_states_changed_by,
)
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.platform.feature_flags import is_on
from weighbridge.quality.evaluation import findings
from weighbridge.quality.evaluation.passes import begin_evaluation, passes, read_findings
from weighbridge.quality.imputation import (
    create_imputed_events,
    describe_slots,
    find_events,
    lock_imputed_events,
)
from weighbridge.quality.review.reversal import list_corrections_of_approvals, take_back
from weighbridge.quality.rule_corrections import (
    SAME_SLOT,
    CalledFor,
    correction_of,
    leave_to_people,
    proposes_events,
)
from weighbridge.quality.rule_versions import StoredVersion, newest_version, prepared_rule

# Separation: an account may forbid that people approve what they brought about themselves.
#
# A proposal is a person's own where they wrote the version of the rule that proposes it, sent the event, or
# corrected or completed it. Rejecting is free to everybody who may decide.
#
# Invariant: without the feature `approval_of_own`, no user is recorded as having approved their own
# proposal.


async def list_own_proposals(tx: Read, actor: Actor, project: int, numbers: Sequence[int]) -> set[int]:
    """Which of these results the actor may not approve, because their own rule or data proposed them."""
    if await is_on(tx, actor.account_id, Feature.APPROVAL_OF_OWN):
        return set()
    values = {
        "account": actor.account_id,
        "project": project,
        "user": actor.user_id,
        "numbers": list(numbers),
    }
    return {number for (number,) in await tx.tuples(_OWN, values)}


# The audit row of what was stored has the moment of its transaction, as its events have.
_OWN: Final = """
    SELECT r.id FROM data_point_results r
      LEFT JOIN events e ON (e.project_id, e.id) = (r.project_id, r.event_id) AND NOT e.is_imputed
     WHERE r.project_id = %(project)s AND r.id = ANY (%(numbers)s)
       AND (EXISTS (SELECT FROM rule_versions v
                     WHERE (v.project_id, v.rule_id, v.version)
                         = (r.project_id, r.rule_id, r.rule_version) AND v.user_id = %(user)s)
            OR EXISTS (SELECT FROM corrections c
                        WHERE (c.project_id, c.event_id) = (e.project_id, e.id)
                          AND c.user_id = %(user)s AND c.rule_id IS NULL)
            OR EXISTS (SELECT FROM audit_log a
                        WHERE a.account_id = %(account)s AND a.at = e.created_at
                          AND a.project_id = e.project_id AND a.user_id = %(user)s))
"""


# Whether a proposal is current: its rule, evaluated again on the record as it is now, gives the same.
#
# So whatever changed meanwhile counts, whether an evaluation has seen it yet or not: the value itself, what
# the correction is computed from, the members of a window, the time of the event, the rule.
#
# Invariants: nothing is stored but the transaction's table of findings; memory stays flat.


class HeldProposal(NamedTuple):
    """A proposal that someone decides on: its result, the rule and version, and the record."""

    number: int
    rule: int
    version: int
    run: int | None
    event: int | None
    """None of a slot that has no event yet."""
    position: int
    start: datetime
    is_voided: bool


async def list_current_proposals(tx: Write, project: int, proposals: Sequence[HeldProposal]) -> set[int]:
    """The numbers of the results whose rules still propose for their records what they hold."""
    current_numbers: set[int] = set()
    rule_of = attrgetter("rule")
    for rule, rule_proposals in groupby(sorted(proposals, key=rule_of), key=rule_of):
        version = await newest_version(tx, project, rule)
        open_proposals = [
            proposal
            for proposal in rule_proposals
            if proposal.version == version.version and not proposal.is_voided
        ]
        await _evaluate_again(tx, version, open_proposals)
        numbers = [proposal.number for proposal in open_proposals]
        rows = await tx.tuples(_SAME, {"project": project, "asked": numbers})
        current_numbers |= {number for (number,) in rows}
    return current_numbers


async def _evaluate_again(tx: Write, version: StoredVersion, proposals: Sequence[HeldProposal]) -> None:
    """Put what a version finds at the moments of these proposals into the table of findings.

    Records are read in one pass, however many are asked for, or in several where these lie far apart.
    """
    await findings.make_empty_table(tx)
    prepared = await prepared_rule(tx, version)
    starts = {Instant.of(proposal.start) for proposal in proposals} if prepared.watched else set()
    for period in await passes(tx, prepared, starts):
        evaluation = await begin_evaluation(tx, prepared, period, starts)
        async for rows in read_findings(tx, prepared, evaluation, period):
            await findings.insert_findings(tx, [row for row in rows if row.start in starts])
    if proposes_events(version):
        await find_events(tx, version)
    await leave_to_people(tx, version)
    if proposes_events(version):
        await describe_slots(tx, version)


_SAME: Final = f"""
    SELECT o.id FROM data_point_results o JOIN (SELECT * FROM rule_findings) f USING (event_id, position)
     WHERE o.project_id = %(project)s AND o.id = ANY (%(asked)s) AND f.to_value IS NOT NULL
       AND o.slot_start IS NULL
       AND o.proposed_correction
           = proposed_correction(f.from_value, f.to_value, f.substitution)
    UNION ALL
    SELECT o.id FROM data_point_results o JOIN (SELECT * FROM rule_missing_slots) s ON {SAME_SLOT}
     WHERE o.project_id = %(project)s AND o.id = ANY (%(asked)s) AND o.proposed_event = s.event
       AND o.proposed_correction = proposed_correction(NULL, s.to_value, s.substitution)
"""


# A decision on proposals: held against everybody else, then approved or rejected in the same transaction.
#
# Approving makes the proposed correction one of the rule's, by the run that found the record failing, so
# that reversing the run takes it back. A proposal that its rule does not come to any more is superseded and
# makes none. Rejecting what was approved takes the correction back (`reversal.py`); what was decided before
# stands in the audit log.
#
# Invariants: what is decided on is read under the locks that evaluations and corrections take, in their
# order, so that no deadlock is possible; a decision on many is a few statements for each of their rules.


async def lock_proposals(tx: Write, project: int, numbers: Sequence[int]) -> dict[int, ApprovalState | None]:
    """Lock these results of data points for evaluation and decision; return the states of their proposals.

    Those of a rule that was removed are left out.
    """
    rules = await tx.tuples(
        "SELECT DISTINCT rule_id FROM data_point_results WHERE project_id = %s AND id = ANY (%s) ORDER BY 1",
        (project, list(numbers)),
    )
    for (rule,) in rules:
        await tx.execute(*locks.hold(locks.rule(project, rule)))
    # Whoever approves makes the events of slots that have none.
    if await tx.tuples(_SLOTS, (project, list(numbers))):
        await lock_imputed_events(tx, project)
    # An update of a rule withdraws its proposals; a decision comes before it or after it.
    await tx.execute(_HOLD_RULES, (project, [rule for (rule,) in rules]))
    await tx.execute(_HOLD_EVENTS, (project, list(numbers)))
    rows = await tx.tuples(_HOLD_RESULTS, (project, list(numbers)))
    return {number: None if state is None else ApprovalState(state) for number, state in rows}


async def approve(
    tx: Write, actor: Actor, project: int, numbers: Sequence[int], comment: str | None = None
) -> tuple[int, int]:
    """Put in force what pending or rejected results propose; gives how many are approved, and how many
    superseded.
    """
    proposals = await read_proposals(tx, project, numbers)
    current_numbers = await list_current_proposals(tx, project, proposals)
    approved = [proposal for proposal in proposals if proposal.number in current_numbers]
    superseded = [proposal.number for proposal in proposals if proposal.number not in current_numbers]
    await tx.execute(_SUPERSEDE, (_after(ProposalTrigger.SUPERSEDE), project, superseded))
    _, event_types = await correct(tx, actor, project, approved)
    approved_numbers = [proposal.number for proposal in approved]
    await tx.execute(
        _APPROVE, (_after(ProposalTrigger.APPROVE), actor.user_id, comment, project, approved_numbers)
    )
    # Last: where a captured event has come for a slot meanwhile, the approval goes with the imputed one.
    if any(proposal.event is None for proposal in approved):
        await settle_imputed(tx, project, event_types)
    return len(approved), len(superseded)


async def reject(tx: Write, actor: Actor, project: int, numbers: Sequence[int], reason: str) -> None:
    """Refuse what results propose, with one reason; what was approved of them is taken back."""
    corrections = await list_corrections_of_approvals(tx, project, numbers)
    await tx.execute(_REJECT, (_after(ProposalTrigger.REJECT), actor.user_id, reason, project, list(numbers)))
    await take_back(tx, actor, project, corrections)


def _after(trigger: ProposalTrigger) -> ApprovalState:
    """The state in which a decision leaves whatever it changes."""
    [after] = {advance_proposal(state, trigger) for state in list_proposal_states_changed_by(trigger)}
    return after


async def read_proposals(tx: Read, project: int, numbers: Sequence[int]) -> list[HeldProposal]:
    """The proposals of these results, in the order of their numbers."""
    return [HeldProposal(*row) for row in await tx.tuples(_HELD, (project, list(numbers)))]


async def correct(
    tx: Write, actor: Actor, project: int, approved: Sequence[HeldProposal]
) -> tuple[list[tuple[int, int]], set[int]]:
    """Write what the results propose as corrections of their rules, one set for all; gives events and
    positions, and the event types in which events were made, which are still to be settled.

    Slots that have no event get one first. Of a value that several rules propose for, each has its
    correction, and one prevails.
    """
    slots = [proposal.number for proposal in approved if proposal.event is None]
    events, event_types = await create_imputed_events(tx, project, slots) if slots else ({}, set[int]())
    keys = {
        proposal.number: (proposal.event or events[proposal.number], proposal.position)
        for proposal in approved
    }
    versions = {
        rule: await newest_version(tx, project, rule)
        for rule in sorted({proposal.rule for proposal in approved})
    }
    values = await _values(tx, project, [proposal.number for proposal in approved])
    for rule, version in versions.items():
        corrections = [
            correction_of(version, proposal.run, CalledFor(*keys[proposal.number], *values[proposal.number]))
            for proposal in approved
            if proposal.rule == rule
        ]
        await apply_corrections(tx, actor, project, corrections)
    return list(keys.values()), event_types


async def _values(tx: Write, project: int, numbers: Sequence[int]) -> Mapping[int, tuple[Any, Any]]:
    """The proposed values and how they were determined, by result."""
    rows = await tx.tuples(
        """
        SELECT id, proposed_correction -> 'to_value', proposed_correction -> 'substitution'
          FROM data_point_results
         WHERE project_id = %s AND id = ANY (%s)
        """,
        (project, list(numbers)),
    )
    return {number: (value, substitution) for number, value, substitution in rows}


_SLOTS: Final = """
    SELECT FROM data_point_results WHERE project_id = %s AND id = ANY (%s) AND slot_start IS NOT NULL LIMIT 1
"""
_HOLD_RULES: Final = """
    SELECT FROM rules WHERE project_id = %s AND id = ANY (%s) ORDER BY id FOR SHARE
"""
_HOLD_EVENTS: Final = """
    SELECT FROM events e
     WHERE (e.project_id, e.id) IN (SELECT project_id, event_id FROM data_point_results
                                     WHERE project_id = %s AND id = ANY (%s))
     ORDER BY e.id FOR NO KEY UPDATE
"""
_HOLD_RESULTS: Final = """
    SELECT r.id, r.approval_state FROM data_point_results r
      JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
     WHERE r.project_id = %s AND r.id = ANY (%s) ORDER BY r.id FOR NO KEY UPDATE OF r
"""
_HELD: Final = """
    SELECT r.id, r.rule_id, r.rule_version, r.rule_run_id, r.event_id, r.position,
           coalesce(e.start_time, r.slot_start), e.voided_at IS NOT NULL
      FROM data_point_results r LEFT JOIN events e ON (e.project_id, e.id) = (r.project_id, r.event_id)
     WHERE r.project_id = %s AND r.id = ANY (%s) ORDER BY r.id
"""
_APPROVE: Final = """
    UPDATE data_point_results
       SET approval_state = %s, approved_at = now(), approved_by = %s, approval_comment = %s,
           rejected_at = NULL, rejected_by = NULL, rejection_reason = NULL
     WHERE project_id = %s AND id = ANY (%s)
"""
_SUPERSEDE: Final = """
    UPDATE data_point_results
       SET approval_state = %s, rejected_at = NULL, rejected_by = NULL, rejection_reason = NULL
     WHERE project_id = %s AND id = ANY (%s)
"""
_REJECT: Final = """
    UPDATE data_point_results
       SET approval_state = %s, rejected_at = now(), rejected_by = %s, rejection_reason = %s,
           approved_at = NULL, approved_by = NULL, approval_comment = NULL,
           event_id = CASE WHEN slot_start IS NULL THEN event_id END
     WHERE project_id = %s AND id = ANY (%s)
"""
