"""Separation: an account may forbid that people approve what they brought about themselves.

A proposal is a person's own where they wrote the version of the rule that proposes it, sent the event, or
corrected or completed it. Rejecting is free to everybody who may decide.

Invariant: without the feature `approval_of_own`, nobody is recorded as having approved their own proposal.
"""

from collections.abc import Sequence
from typing import Final

from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.platform.feature_flags.queries import is_on


async def own_proposals(tx: Read, actor: Actor, project: int, numbers: Sequence[int]) -> set[int]:
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
