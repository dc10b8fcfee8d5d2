"""Carry out a rule run: evaluate a version over the period of the run, in one fenced transaction.

Invariants: a run ends as its task does; a version that another has replaced since is left alone, and its run
is complete with nothing evaluated.
"""

from typing import Any

from weighbridge.core.identity import ids
from weighbridge.core.rule.run import RunCounts, RunKind, RunState, RunTrigger, states_before
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Database, Read
from weighbridge.db.threads import computing_for
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import actions as tasks
from weighbridge.platform.async_tasks.actions import Attempt
from weighbridge.quality.evaluation.marks import await_writers
from weighbridge.quality.evaluation.over_period import evaluate, hold_rule
from weighbridge.quality.evaluation.prepared_rule import prepared_rule
from weighbridge.quality.rule_runs.records import RunResult
from weighbridge.quality.versions.period import EARLIEST, Period
from weighbridge.quality.versions.stored_version import newest_version


async def run_rule(database: Database, attempt: Attempt) -> None:
    """Evaluate a rule as its run asks; safe to repeat, because a repetition finds and stores the same."""
    number: int = attempt.args["rule_run_id"]
    await _begin(database, attempt, number)
    await tasks.report(database, attempt, 10, "Reading and evaluating the records")
    # What was being written when the rule was saved may not have been marked for it.
    await await_writers(database, attempt.project_id)
    with computing_for(attempt.actor.account_id):
        await _evaluate(database, attempt, number)


async def _begin(database: Database, attempt: Attempt, number: int) -> None:
    """Let the run stand where its task stands; the database sees to it when the task fails."""
    async with database.write() as tx:
        await tasks.hold_fence(tx, attempt)
        await tx.execute(
            """
            UPDATE rule_runs SET state = %s, started_at = coalesce(started_at, clock_timestamp())
             WHERE project_id = %s AND id = %s AND state = ANY (%s)
            """,
            (RunState.RUNNING, attempt.project_id, number, states_before(RunTrigger.ATTEMPT)),
        )


async def _evaluate(database: Database, attempt: Attempt, number: int) -> None:
    rule = _rule_number(attempt.args)
    async with database.write() as tx:
        version = await newest_version(tx, attempt.project_id, rule)
        await hold_rule(tx, version.project, rule)
        # It may have changed while others were waited for.
        version = await newest_version(tx, attempt.project_id, rule)
        counts = RunCounts()
        if version.version == attempt.args["rule_version"]:
            period = await _period(tx, attempt, number)
            counts = await evaluate(tx, attempt.actor, await prepared_rule(tx, version), period, number)
        await tasks.hold_fence(tx, attempt)
        await tx.execute(
            """
            UPDATE rule_runs SET state = %s, evaluated = %s, alerts = %s, corrections = %s, withdrawn = %s,
                                 proposals = %s, finished_at = clock_timestamp()
             WHERE project_id = %s AND id = %s AND state = ANY (%s)
            """,
            (
                RunState.COMPLETE, counts.evaluated, counts.alerts, counts.corrections, counts.withdrawn,
                counts.proposals, version.project, number, states_before(RunTrigger.SUCCEED),
            ),
        )  # fmt: skip
        result = RunResult(
            number,
            counts.evaluated,
            counts.alerts,
            counts.corrections,
            counts.withdrawn,
            counts.proposals,
        )
        changes.record(
            tx, attempt.actor, action="rule_run.finish", target=attempt.args["rule_id"],
            project_id=attempt.project_id, after=result,
        )  # fmt: skip
        await tasks.succeed(tx, attempt, result)


async def _period(tx: Read, attempt: Attempt, number: int) -> Period:
    """The period of a run. A backfill looks at all time: at what the rule is effective for no more, too."""
    statement = "SELECT kind FROM rule_runs WHERE project_id = %s AND id = %s"
    if await tx.value(statement, (attempt.project_id, number)) == RunKind.BACKFILL:
        return EARLIEST, None
    asked = (attempt.args[name] for name in ("start_time", "end_time"))
    start, end = (Instant.of(Instant.fromisoformat(one)) for one in asked)
    return start, end


def _rule_number(args: dict[str, Any]) -> int:
    key = ids.parse("rule", args["rule_id"])
    assert key is not None  # noqa: S101 - the service wrote it
    return key.key
