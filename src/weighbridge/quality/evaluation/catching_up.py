"""Catching up: what rules have not looked at yet is evaluated before something is made of the data.

A generation does so first, so that values which a rule is about to correct are not booked as they were
captured and adjusted a moment later.

Invariants: what was marked before is evaluated when this ends, by this worker or by another one, unless
others keep marking and evaluating all the while; a project without a rule that corrects costs one look.
"""

from typing import Final

from weighbridge.db import locks
from weighbridge.db.engine import Database
from weighbridge.quality.evaluation.incremental import FailedEvaluation, evaluate_projects
from weighbridge.quality.rollup.marked import roll_up_marked

PASSES_MAX: Final = 10
"""How often rolling up and evaluating take turns: one more than roll-ups follow on one another, or rules."""

ROUNDS_MAX: Final = 50
"""How often it looks for what is left while other workers have it in hand; then it leaves that to them."""


async def catch_up(database: Database, account: int, project: int) -> list[FailedEvaluation]:
    """Evaluate what is marked in a project by now, if rules correct there; gives the rules that failed."""
    failures: list[FailedEvaluation] = []
    # What is rolled up or corrected is marked again: at last nothing more comes of it, and all is looked at.
    for _ in range(PASSES_MAX):
        await roll_up_marked(database, project, waits=True)
        async with database.read() as tx:
            newest: int | None = await tx.value(_NEWEST_MARK, (project, project))
        if newest is None:
            break
        failures += await _evaluate_until(database, account, project, newest)
    return failures


async def _evaluate_until(
    database: Database, account: int, project: int, newest: int
) -> list[FailedEvaluation]:
    """Evaluate until no mark is left up to the newest of a moment ago."""
    failures: list[FailedEvaluation] = []
    for _ in range(ROUNDS_MAX):
        failures += await evaluate_projects(database, account, [project])
        async with database.write() as tx:
            # Another worker may have the marks in hand; what it found is stored when it lets go.
            await tx.execute(*locks.hold(locks.rule_worker(project)))
            if not await tx.value(_IS_LEFT, (project, newest)):
                break
    return failures


_NEWEST_MARK: Final = """
    SELECT max(id) FROM rule_dirty_ranges
     WHERE project_id = %s AND event_type_id IS NOT NULL
       AND EXISTS (SELECT FROM rules u
                     JOIN rule_versions v
                       ON (v.project_id, v.rule_id, v.version) = (u.project_id, u.id, u.latest_version)
                    WHERE u.project_id = %s AND u.evaluation = 'automatic' AND u.deleted_at IS NULL
                      AND (v.purpose <> 'alert' OR v.version > 1))
"""
_IS_LEFT: Final = """
    SELECT EXISTS (SELECT FROM rule_dirty_ranges
                    WHERE project_id = %s AND id <= %s AND event_type_id IS NOT NULL)
"""
