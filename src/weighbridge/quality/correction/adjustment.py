"""Write the corrections that the findings of a rule call for, or propose them, and withdraw outdated ones.

Invariants: at most one correction of a value by each rule is in force. Evaluating again changes
nothing. Corrections reverted by a person are not repeated until the rule has a new version. Corrections
of other rules and of people stay. Memory does not grow with the number of values.
"""

from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

from psycopg.sql import SQL

from weighbridge.collection.measurements.corrections import (
    PORTION,
    NewCorrection,
    RuleRef,
    apply_corrections,
    undo,
)
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.definition import FILLS_GAPS
from weighbridge.core.rule.states import RunCounts
from weighbridge.db.engine import Write
from weighbridge.db.statements import Literal
from weighbridge.quality.correction import proposals as placeholders
from weighbridge.quality.correction.proposals import keep_approvals, propose
from weighbridge.quality.definition.versions import Period, StoredVersion

# Withdrawal takes back corrections that a rule has written and says no more.
#
# Invariants: corrections of other rules and of people stay; memory stays flat, whatever the number of
# values.


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


# Adjustment: a rule that corrects puts other values beside the captured ones, or proposes them.
#
# What an evaluation found stands in the transaction's table of findings. Of what the rule said earlier,
# what it says no more is withdrawn and what it says otherwise is replaced: wherever the evaluation looked,
# also outside the time for which the rule is effective.
#
# Invariants: of a rule at most one correction of a value stands; evaluating again changes nothing; what a
# person took back is not written or proposed again, until the rule has another version; memory stays flat,
# whatever the number of values.


async def leave_to_people(tx: Write, version: StoredVersion) -> None:
    """Take out of the findings the corrections of values where a person took one back since this version."""
    await tx.execute(_LEAVE.format(**placeholders.of_version(version)))


async def _leave_to_readings(tx: Write, version: StoredVersion) -> None:
    """Take out of the findings what would fill a value that readings have come to meanwhile."""
    await tx.execute(_LEAVE_TO_READINGS.format(**placeholders.of_version(version)))


async def _hold_events(tx: Write, version: StoredVersion, period: Period) -> None:
    """Let nobody else correct the events whose corrections by the rule are not what it finds.

    They are taken at once and in their order, as whoever undoes corrections takes them, so that nobody waits
    in a circle. Others may have corrected or undone what was waited for; no events are added for that.
    """
    await tx.execute(_HELD_TABLE)
    await tx.execute("DELETE FROM rule_held_events")
    names = placeholders.of_version(version)
    other = OTHER_THAN_FOUND.format(**names)
    held = await tx.execute(_HOLD.format(other=other, times=placeholders.starts_in(period), **names))
    if held:
        await tx.execute("ANALYZE rule_held_events")
        await leave_to_people(tx, version)
        await _leave_to_readings(tx, version)


async def correct(tx: Write, actor: Actor, version: StoredVersion, run: int, period: Period) -> RunCounts:
    """Let the corrections of a rule be those that its findings call for, over all events of a period.

    With approval they are proposed, and only what was approved stands.
    """
    if version.requires_approval:
        proposals = await propose(tx, version)
        await keep_approvals(tx, version)
        withdrawn = await withdraw(tx, actor, version, run, period, which=OTHER_THAN_APPROVED)
        kept = await _write_kept(tx, actor, version, run) if withdrawn else 0
        return RunCounts(changed=proposals + withdrawn + kept, withdrawn=withdrawn, proposals=proposals)
    await _hold_events(tx, version, period)
    withdrawn = await withdraw(tx, actor, version, run, period, which=HELD_AND_OTHER_THAN_FOUND)
    written = 0
    async for rows in tx.portions(_CALLED_FOR.format(**placeholders.of_version(version)), PORTION):
        corrections = [correction_of(version, run, CalledFor(*row)) for row in rows]
        before = written
        written += len((await apply_corrections(tx, actor, version.project, corrections)).recorded)
        if before < PORTION <= written:
            # The first thousands may be the first that there are: without figures, plans read all of them.
            await tx.execute("SELECT refresh_statistics('corrections')")
    return RunCounts(changed=written + withdrawn, corrections=written, withdrawn=withdrawn)


async def _write_kept(tx: Write, actor: Actor, version: StoredVersion, run: int) -> int:
    """Write approved values anew of which this run took back the correction because only how it was found has
    changed: for whoever approved, and by this run, which says how. Gives how many.
    """
    written = 0
    statement = _KEPT.format(run=Literal(run), **placeholders.of_version(version))
    async for rows in tx.portions(statement, PORTION):
        for approver, some in groupby(rows, key=itemgetter(0)):
            kept = [correction_of(version, run, CalledFor(*row[1:])) for row in some]
            who = replace(actor, user_id=approver, token_id=None)
            written += len((await apply_corrections(tx, who, version.project, kept)).recorded)
    return written


class CalledFor(NamedTuple):
    """Another value that a rule calls for and, of one that fills a gap, how it was found."""

    event: int
    position: int
    value: Any
    substitution: dict[str, Any] | None = None


def correction_of(version: StoredVersion, run: int | None, found: CalledFor) -> NewCorrection:
    """The correction of a value that a version calls for, found by a run."""
    is_substituted = version.purpose in FILLS_GAPS
    return NewCorrection(
        found.event,
        found.position,
        found.value,
        CorrectionOrigin.SUBSTITUTION if is_substituted else CorrectionOrigin.ADJUSTMENT,
        version.priority,
        reason=version.message,
        rule=RuleRef(version.rule, version.version, run),
        substitution=found.substitution,
    )


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
_LEAVE_TO_READINGS: Final = SQL(
    """
    UPDATE rule_findings f SET to_value = NULL
      FROM rule_held_events JOIN events e ON (e.project_id, e.id) = ({project}, event_id)
     WHERE f.event_id = e.id AND f.to_value IS NOT NULL AND f.from_value IS NULL
       AND e.readings IS NOT NULL AND e.numbers[f.position] IS NOT NULL
    """
)
_KEPT: Final = SQL(
    """
    SELECT o.approved_by, f.event_id, f.position, f.to_value, f.substitution
      FROM rule_findings f
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
    SELECT id FROM (
        SELECT e.id FROM events e
         WHERE e.project_id = {project} AND e.id IN (
               SELECT f.event_id FROM rule_findings f
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
         ORDER BY e.id FOR NO KEY UPDATE OF e) AS held
    """
)
_CALLED_FOR: Final = SQL(
    """
    SELECT f.event_id, f.position, f.to_value, f.substitution
      FROM rule_findings f JOIN rule_held_events USING (event_id)
     WHERE f.to_value IS NOT NULL AND NOT EXISTS (
           SELECT FROM corrections c
            WHERE (c.project_id, c.event_id, c.position, c.field) = ({project}, f.event_id, f.position, '')
              AND c.rule_id = {rule} AND c.state = ANY ({not_reverted}))
     ORDER BY f.event_id, f.position
    """
)
