"""A decision on proposals: held against everybody else, then approved or rejected in the same transaction.

Approving makes the proposed correction one of the rule's, by the run that found the record failing, so that
reversing the run takes it back. A proposal that its rule does not come to any more is superseded and makes
none.

Invariants: what is decided on is read under the locks that evaluations and corrections take, in their order,
so that nobody waits in a circle; a decision on many is a few statements for each of their rules.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from weighbridge.collection.measurements.corrections import apply_corrections
from weighbridge.collection.measurements.imputed import settle_imputed
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.proposal import ApprovalState, ProposalTrigger, advance
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.quality.approval.standing import HeldProposal, still_standing
from weighbridge.quality.correction.adjustment import CalledFor, correction_of
from weighbridge.quality.correction.imputation import give_events, hold_imputing
from weighbridge.quality.versions.stored_version import newest_version


async def hold_proposals(tx: Write, project: int, numbers: Sequence[int]) -> dict[int, ApprovalState | None]:
    """Let nobody else evaluate or decide on these results of data points; gives where their proposals stand.

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
        await hold_imputing(tx, project)
    # An update of a rule withdraws its proposals; whoever decides comes before it or after it.
    await tx.execute(_HOLD_RULES, (project, [rule for (rule,) in rules]))
    await tx.execute(_HOLD_EVENTS, (project, list(numbers)))
    rows = await tx.tuples(_HOLD_RESULTS, (project, list(numbers)))
    return {number: None if state is None else ApprovalState(state) for number, state in rows}


async def approve(tx: Write, actor: Actor, project: int, numbers: Sequence[int]) -> tuple[int, int]:
    """Put in force what pending results propose; gives how many are approved, and how many superseded."""
    held = await held_proposals(tx, project, numbers)
    standing = await still_standing(tx, project, held)
    approved = [one for one in held if one.number in standing]
    superseded = [one.number for one in held if one.number not in standing]
    await tx.execute(_SUPERSEDE, (_after(ProposalTrigger.SUPERSEDE), project, superseded))
    _, made = await correct(tx, actor, project, approved)
    await tx.execute(
        _APPROVE,
        (_after(ProposalTrigger.APPROVE), actor.user_id, project, [one.number for one in approved]),
    )
    # Last: where a captured event has come for a slot meanwhile, the approval goes with the imputed one.
    if any(one.event is None for one in approved):
        await settle_imputed(tx, project, made)
    return len(approved), len(superseded)


async def reject(tx: Write, actor: Actor, project: int, numbers: Sequence[int], reason: str) -> None:
    """Refuse what pending results propose, with one reason."""
    await tx.execute(_REJECT, (_after(ProposalTrigger.REJECT), actor.user_id, reason, project, list(numbers)))


def _after(trigger: ProposalTrigger) -> ApprovalState:
    return advance(ApprovalState.PENDING, trigger)


async def held_proposals(tx: Read, project: int, numbers: Sequence[int]) -> list[HeldProposal]:
    """What these results propose, in the order of their numbers."""
    return [HeldProposal(*row) for row in await tx.tuples(_HELD, (project, list(numbers)))]


async def correct(
    tx: Write, actor: Actor, project: int, approved: Sequence[HeldProposal]
) -> tuple[list[tuple[int, int]], set[int]]:
    """Write what the results propose as corrections of their rules, one set for all; gives events and
    positions, and the event types in which events were made, which are still to be settled.

    Slots that have no event get one first. Of a value that several rules propose for, each has its
    correction, and one prevails.
    """
    slots = [one.number for one in approved if one.event is None]
    events, made = await give_events(tx, project, slots) if slots else ({}, set[int]())
    keys = {one.number: (one.event or events[one.number], one.position) for one in approved}
    versions = {
        rule: await newest_version(tx, project, rule) for rule in sorted({one.rule for one in approved})
    }
    values = await _values(tx, project, [one.number for one in approved])
    for rule, version in versions.items():
        corrections = [
            correction_of(version, one.run, CalledFor(*keys[one.number], *values[one.number]))
            for one in approved
            if one.rule == rule
        ]
        await apply_corrections(tx, actor, project, corrections)
    return list(keys.values()), made


async def _values(tx: Write, project: int, numbers: Sequence[int]) -> Mapping[int, tuple[Any, Any]]:
    """What the values would become and how they were found, by result."""
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
    UPDATE data_point_results SET approval_state = %s, approved_at = now(), approved_by = %s
     WHERE project_id = %s AND id = ANY (%s)
"""
_SUPERSEDE: Final = """
    UPDATE data_point_results SET approval_state = %s WHERE project_id = %s AND id = ANY (%s)
"""
_REJECT: Final = """
    UPDATE data_point_results
       SET approval_state = %s, rejected_at = now(), rejected_by = %s, rejection_reason = %s
     WHERE project_id = %s AND id = ANY (%s)
"""
