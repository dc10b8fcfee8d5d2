"""Withdrawal takes back corrections that a rule has written and says no more.

Invariants: corrections of other rules and of people stay; memory stays flat, whatever the number of values.
"""

from typing import Final

from psycopg.sql import SQL

from weighbridge.collection.measurements.corrections import PORTION, undo
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Write
from weighbridge.quality.correction import placeholders
from weighbridge.quality.versions.period import Period
from weighbridge.quality.versions.stored_version import StoredVersion

ALL: Final = SQL("WHERE true")
_OTHER: Final = """
    LEFT JOIN rule_findings f ON (f.event_id, f.position, f.to_value) = (c.event_id, c.position, c.to_value)
     AND f.substitution IS NOT DISTINCT FROM c.substitution
     WHERE (f.event_id IS NULL OR c.priority <> {priority})
"""
OTHER_THAN_FOUND: Final = SQL(_OTHER)
HELD_AND_OTHER_THAN_FOUND: Final = SQL(_OTHER + " AND c.event_id IN (SELECT event_id FROM rule_held_events)")
OTHER_THAN_APPROVED: Final = SQL(
    """
    LEFT JOIN rule_findings f ON (f.event_id, f.position, f.to_value) = (c.event_id, c.position, c.to_value)
     AND f.substitution IS NOT DISTINCT FROM c.substitution
     WHERE (f.event_id IS NULL OR NOT EXISTS (
            SELECT FROM data_point_results o
             WHERE (o.project_id, o.event_id, o.position) = (c.project_id, c.event_id, c.position)
               AND (o.rule_id, o.rule_version) = ({rule}, {version})
               AND o.closed_at IS NULL AND o.approval_state = {approved}))
    """
)
"""Which corrections of a rule are withdrawn: all, or those that its findings do not call for, of all events
or of those that the transaction holds, or those that they do not call for or nobody approved."""


async def withdraw(
    tx: Write, actor: Actor, version: StoredVersion, run: int, period: Period, *, which: SQL = ALL
) -> int:
    """Take back what a rule has corrected in a period; gives how many corrections."""
    names = placeholders.of_version(version)
    statement = _NOT_REVERTED.format(
        which=which.format(**names), times=placeholders.starts_in(period), **names
    )
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
