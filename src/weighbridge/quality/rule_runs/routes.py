"""Paths of rule runs: hung below the rule that they evaluate, and by their own numbers."""

from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import Answer, ReadCall, WriteCall, get, post
from weighbridge.platform.async_tasks.records import AsyncTask
from weighbridge.platform.queue.polling import accepted
from weighbridge.quality.rule_runs import actions, queries
from weighbridge.quality.rule_runs.records import NewRuleRun, RuleRun, RuleRunsNoOptions, RunResult
from weighbridge.quality.rules.queries import rule_named

_OF_RULE = "/rules/{rule_id}/rule_runs"
_ONE = "/rule_runs/{rule_run_id}"


@get(_OF_RULE, permission="data_rules:read", returns=Page[RuleRun], listing=queries.RULE_RUNS)
async def list_rule_runs(call: ReadCall) -> Page[RuleRun]:
    """List the runs of a rule, newest first."""
    project, rule = await rule_named(call.tx, call.actor, call.path["rule_id"])
    return await queries.list_rule_runs(call.tx, project, rule, list_request(call.query, queries.RULE_RUNS))


@post(
    _OF_RULE,
    permission="data_rules:write",
    body=NewRuleRun,
    returns=AsyncTask,
    status=202,
    task_results={"rule_run": RunResult},
    example={"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"},
)
async def start_rule_run(call: WriteCall, body: NewRuleRun) -> Answer:
    """Start evaluating a rule again over a period; poll the task, whose `args` have the `rule_run_id`.

    Records outside the time for which the rule is effective are not evaluated; corrections of the rule that
    stand there are withdrawn.
    """
    project, rule = await rule_named(call.tx, call.actor, call.path["rule_id"])
    task = await actions.start_rule_run(call.tx, call.actor, project, rule, body)
    return accepted(task)


@get(_ONE, permission="data_rules:read", returns=RuleRun)
async def get_rule_run(call: ReadCall) -> RuleRun:
    """Read one rule run: where it stands, and what it came to."""
    project, number = await queries.rule_run_named(call.tx, call.actor, call.path["rule_run_id"])
    return await queries.get_rule_run(call.tx, project, number)


@post(_ONE + "/reverse", permission="data_rules:write", body=RuleRunsNoOptions, returns=RuleRun, status=200)
async def reverse_rule_run(call: WriteCall, _: RuleRunsNoOptions) -> RuleRun:
    """Remove the corrections that a run wrote; its alerts stay. The body may be left out.

    The same version of the rule does not write them again. 409 unless the run is complete; reversing it again
    changes nothing.
    """
    project, number = await queries.rule_run_named(call.tx, call.actor, call.path["rule_run_id"])
    return await actions.reverse_rule_run(call.tx, call.actor, project, number)


ROUTES = [list_rule_runs, start_rule_run, get_rule_run, reverse_rule_run]
