"""Start rule runs and reverse them."""

from weighbridge.collection.measurements.corrections import undo_rule
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.run import RunKind, RunState, RunTrigger, states_before
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.errors import Conflict
from weighbridge.platform import changes
from weighbridge.platform.async_tasks.records import AsyncTask
from weighbridge.quality.correction.proposals import take_back_approvals
from weighbridge.quality.evaluation.queue import queue_run
from weighbridge.quality.rule_runs import queries
from weighbridge.quality.rule_runs.records import NewRuleRun, RuleRun
from weighbridge.quality.versions.period import requested_period
from weighbridge.quality.versions.stored_version import newest_version


async def start_rule_run(tx: Write, actor: Actor, project: int, rule: int, request: NewRuleRun) -> AsyncTask:
    """Queue an evaluation of a rule's newest version over a period, whether the rule is automatic or not."""
    period = requested_period(request.start_time, request.end_time)
    version = await newest_version(tx, project, rule)
    task, _ = await queue_run(tx, actor, version, RunKind.RE_EVALUATION, period)
    changes.record(
        tx,
        actor,
        action="rule_run.start",
        target=ids.of("rule", project, rule),
        project_id=project,
        after=task,
    )
    return task


async def reverse_rule_run(tx: Write, actor: Actor, project: int, number: int) -> RuleRun:
    """Remove the corrections that a run wrote; its alerts stay. A run that is reversed already stays so."""
    key = project, number
    rule = await tx.value("SELECT rule_id FROM rule_runs WHERE project_id = %s AND id = %s", key)
    await tx.execute(*locks.hold(locks.rule(project, rule)))
    await tx.execute("SELECT FROM rule_runs WHERE project_id = %s AND id = %s FOR UPDATE", key)
    before = await queries.get_rule_run(tx, project, number)
    if before.state == RunState.REVERSED:
        return before
    if before.state not in states_before(RunTrigger.REVERSE):
        raise Conflict(f"The rule run is {before.state}; only a complete one is reversed.")
    await tx.execute(
        "UPDATE rule_runs SET state = %s, reversed_at = now() WHERE project_id = %s AND id = %s",
        (RunState.REVERSED, *key),
    )
    await undo_rule(tx, actor, project, rule, number)
    await take_back_approvals(tx, project, rule)
    after = await queries.get_rule_run(tx, project, number)
    changes.record(
        tx, actor, action="rule_run.reverse", target=str(number), project_id=project,
        before=before, after=after,
    )  # fmt: skip
    return after
