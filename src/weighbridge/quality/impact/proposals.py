"""What approving proposals would change: of one result, or of many together.

Invariants: only proposals that their rules still come to have an impact, as only they are applied.
"""

from collections.abc import Sequence

from weighbridge.collection.measurements.imputed import settle_imputed
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.proposal import ApprovalState
from weighbridge.db.engine import Write
from weighbridge.quality.approval.decision import correct, held_proposals
from weighbridge.quality.approval.standing import still_standing
from weighbridge.quality.impact.answer import NO_IMPACT, Impact
from weighbridge.quality.impact.comparison import impact_of
from weighbridge.quality.impact.slots import ChangedEvent


async def impact_of_proposals(
    tx: Write, actor: Actor, project: int, pending: Sequence[int]
) -> tuple[Impact, dict[int, ApprovalState]]:
    """What approving pending results would change, and where an approval would find each of them.

    One that its rule does not come to any more is superseded. The transaction must be undone afterwards.
    """
    held = await held_proposals(tx, project, pending) if pending else []
    standing = await still_standing(tx, project, held)
    states = {
        one.number: ApprovalState.PENDING if one.number in standing else ApprovalState.SUPERSEDED
        for one in held
    }
    approved = [one for one in held if one.number in standing]
    if not approved:
        return NO_IMPACT, states

    async def approve() -> list[ChangedEvent]:
        corrected, _ = await correct(tx, actor, project, approved)
        if any(one.event is None for one in approved):
            await settle_imputed(tx, project)
        return [ChangedEvent(*key) for key in corrected]

    changed = [ChangedEvent(one.event, one.position) for one in approved if one.event is not None]
    return await impact_of(tx, actor, project, changed, approve), states
