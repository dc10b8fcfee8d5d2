"""Adjustment: a rule that corrects puts other values beside the captured ones, or proposes them.

What an evaluation found stands in the transaction's table of findings. Of what the rule said earlier, what
it says no more is withdrawn and what it says otherwise is replaced: wherever the evaluation looked, also
outside the time for which the rule is effective.

Invariants: of a rule at most one correction of a value stands; evaluating again changes nothing; what a
person took back is not written or proposed again, until the rule has another version; memory stays flat,
whatever the number of values.
"""

from typing import Final

from psycopg.sql import SQL

from weighbridge.collection.measurements.corrections import (
    PORTION,
    NewCorrection,
    RuleRef,
    apply_corrections,
)
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.run import RunCounts
from weighbridge.db.engine import Write
from weighbridge.quality.correction import placeholders
from weighbridge.quality.correction.proposals import propose
from weighbridge.quality.correction.withdrawal import OTHER_THAN_FOUND, withdraw
from weighbridge.quality.versions.period import Period
from weighbridge.quality.versions.stored_version import StoredVersion


async def leave_to_people(tx: Write, version: StoredVersion) -> None:
    """Take out of the findings the corrections of values where a person took one back since this version."""
    await tx.execute(_LEAVE.format(**placeholders.of_version(version)))


async def correct(tx: Write, actor: Actor, version: StoredVersion, run: int, period: Period) -> RunCounts:
    """Let the corrections of a rule be those that its findings call for, over all events of a period.

    With approval they are proposed, and none stands.
    """
    if version.requires_approval:
        proposals = await propose(tx, version)
        withdrawn = await withdraw(tx, actor, version, run, period)
        return RunCounts(changed=proposals + withdrawn, withdrawn=withdrawn, proposals=proposals)
    withdrawn = await withdraw(tx, actor, version, run, period, which=OTHER_THAN_FOUND)
    rule = RuleRef(version.rule, version.version, run)
    written = 0
    async for rows in tx.portions(_CALLED_FOR.format(**placeholders.of_version(version)), PORTION):
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
            await tx.execute("SELECT refresh_statistics('corrections')")
    return RunCounts(changed=written + withdrawn, corrections=written, withdrawn=withdrawn)


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
_CALLED_FOR: Final = SQL(
    """
    SELECT f.event_id, f.position, f.to_value FROM rule_findings f
     WHERE f.to_value IS NOT NULL AND NOT EXISTS (
           SELECT FROM corrections c
            WHERE (c.project_id, c.event_id, c.position, c.field) = ({project}, f.event_id, f.position, '')
              AND c.rule_id = {rule} AND c.state = ANY ({not_reverted}))
     ORDER BY f.event_id, f.position
    """
)
