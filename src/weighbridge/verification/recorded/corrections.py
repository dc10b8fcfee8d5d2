"""Corrections against the audit log: whose they are, why, and what a rule run did.

A correction was recorded in the transaction of a row of the log, which tells its reason where a person gave
one, and the rule run where a rule did.
"""

from typing import Final

from weighbridge.core.identity import ids
from weighbridge.db.engine import Read

ROWS_AT_ONCE: Final = 2_000


async def check_corrections(tx: Read) -> list[str]:
    """A sentence for each correction that the log tells otherwise, or not at all."""
    found = [
        f"correction {number} of {ids.of('event', project, event)}: the log tells of another, or of none"
        for project, number, event in await tx.tuples(_OTHERS)
    ]
    after = 0
    while rows := await tx.tuples(_TOLD, (after, ROWS_AT_ONCE)):
        after = rows[-1][0]
        keys = [ids.parse("data_point", row[2]) for row in rows]
        values = {
            "projects": [row[1] for row in rows],
            "events": [key.key if key else None for key in keys],
            "positions": [key.position if key else None for key in keys],
            "moments": [row[3] for row in rows],
            "reasons": [row[4] for row in rows],
        }
        found += [
            f"data point {rows[number - 1][2]}: the log tells of a correction that is not there so"
            for (number,) in await tx.tuples(_NOT_THERE, values)
        ]
    return found


# A row of the same moment names the user and the token. The row of a run tells what its rule corrected in it;
# what was approved later is of a run of that rule.
_OTHERS: Final = """
    SELECT c.project_id, c.id, c.event_id FROM corrections c
     WHERE NOT EXISTS (
        SELECT FROM audit_log a
         WHERE a.at = c.created_at AND a.project_id = c.project_id
           AND a.user_id IS NOT DISTINCT FROM c.user_id AND a.token_id IS NOT DISTINCT FROM c.token_id
           AND (c.rule_run_id IS NULL OR (a.after ->> 'rule_run_id')::bigint = c.rule_run_id
                OR a.action IN ('rule_result.approve', 'rule_result.bulk_approve')
                   AND EXISTS (SELECT FROM rule_runs r
                                WHERE r.project_id = c.project_id AND r.id = c.rule_run_id
                                  AND r.rule_id = c.rule_id AND r.created_at <= c.created_at)))
     ORDER BY c.project_id, c.id LIMIT 100
"""
_TOLD: Final = """
    SELECT id, project_id, object, at, after ->> 'reason' FROM audit_log
     WHERE action = 'data_point.correct' AND id > %s ORDER BY id LIMIT %s
"""
_NOT_THERE: Final = """
    SELECT told.number
      FROM unnest(%(projects)s::integer[], %(events)s::bigint[], %(positions)s::integer[],
                  %(moments)s::timestamptz[], %(reasons)s::text[])
           WITH ORDINALITY AS told (project_id, event_id, position, at, reason, number)
     WHERE NOT EXISTS (
        SELECT FROM corrections c
         WHERE (c.project_id, c.event_id, c.position) = (told.project_id, told.event_id, told.position)
           AND c.created_at = told.at AND c.reason IS NOT DISTINCT FROM told.reason)
     ORDER BY told.number
"""
