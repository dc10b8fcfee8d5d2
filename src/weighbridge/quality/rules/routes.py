"""Paths of data rules."""

from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, ask, delete, get, patch, post
from weighbridge.quality.definition.examples import EXAMPLES
from weighbridge.quality.evaluation import preview
from weighbridge.quality.rule_runs.records import RuleRunsNoOptions
from weighbridge.quality.rules import actions, queries
from weighbridge.quality.rules.queries import project_with_rules, rule_named
from weighbridge.quality.rules.records import (
    NewRuleBody,
    Rule,
    RuleChangeBody,
    RulePreview,
    RulePreviewBody,
    RuleVersion,
    SavedRule,
    UndoneCorrections,
)

_READ = "data_rules:read"
_WRITE = "data_rules:write"
_OF_PROJECT = "/projects/{project_id}/rules"
_ONE = "/rules/{rule_id}"


@get(_OF_PROJECT, permission=_READ, returns=Page[Rule], listing=queries.RULES)
async def list_rules(call: ReadCall) -> Page[Rule]:
    """List a project's data rules, each as its newest version has it."""
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    return await queries.list_rules(call.tx, project, list_request(call.query, queries.RULES))


@post(_OF_PROJECT, permission=_WRITE, body=NewRuleBody, returns=SavedRule, examples=EXAMPLES, computes=True)
async def create_rule(call: WriteCall, body: NewRuleBody) -> SavedRule:
    """Create a data rule: where its expression is true, there is an alert.

    With the purpose `adjust` it also puts what its `correction` comes to beside the captured value, or with
    `requires_approval` holds that as a proposal. It reads what was captured, or what people put in its place,
    and never what a rule has written.

    An automatic rule is evaluated at once for all that it is effective for, past records included, and from
    then on whenever data change; `rule_run_id` is the run that does it. A rule on demand is evaluated when
    `POST /rules/{rule_id}/rule_runs` asks for it.
    """
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    return await actions.create_rule(call.tx, call.actor, project, body.rule)


@ask(
    _OF_PROJECT + "/preview",
    permission=_READ,
    body=RulePreviewBody,
    returns=RulePreview,
    of_one_snapshot=True,
)
async def preview_rule(call: ReadCall, body: RulePreviewBody) -> RulePreview:
    """Say what a rule would find and correct in a period, without storing anything.

    The rule need not be there yet. `data` has the first 100 alerts, in the order of time, each with the value
    that it would correct and what to; `alerts` counts all of them, `corrections` or `proposals` those that
    would be corrected.
    """
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    return await preview.preview_rule(call.tx, call.actor, project, body)


@get(_ONE, permission=_READ, returns=Rule)
async def get_rule(call: ReadCall) -> Rule:
    """Read one data rule, as its newest version has it."""
    project, number = await rule_named(call.tx, call.actor, call.path["rule_id"])
    return await queries.get_rule(call.tx, project, number)


@patch(
    _ONE,
    permission=_WRITE,
    body=RuleChangeBody,
    returns=SavedRule,
    example={"rule": {"expression": "{{wet-mass}} > 30"}},
    computes=True,
)
async def update_rule(call: WriteCall, body: RuleChangeBody) -> SavedRule:
    """Change a data rule; a change of what decides a result makes another version.

    Name, message, evaluation and the time for which it is effective make none. Results stay with the version
    that made them. `backfill_enqueued` says whether the change queued an evaluation; false for a rule on
    demand. Shortening the time stops the rule and keeps past alerts. Evaluating another version, or another
    time, replaces or withdraws what the rule corrected and does not say any more.
    """
    project, number = await rule_named(call.tx, call.actor, call.path["rule_id"])
    return await actions.update_rule(call.tx, call.actor, project, number, body.rule)


@delete(_ONE, permission=_WRITE)
async def delete_rule(call: WriteCall) -> None:
    """Remove a data rule with its alerts; values that it corrected stay corrected."""
    project, number = await rule_named(call.tx, call.actor, call.path["rule_id"])
    await actions.delete_rule(call.tx, call.actor, project, number)


@post(
    _ONE + "/undo_corrections",
    permission=_WRITE,
    body=RuleRunsNoOptions,
    returns=UndoneCorrections,
    status=200,
)
async def undo_corrections(call: WriteCall, _: RuleRunsNoOptions) -> UndoneCorrections:
    """Revert every correction that a rule wrote; its alerts stay. The body may be left out.

    The same version of the rule does not write them again.
    """
    project, number = await rule_named(call.tx, call.actor, call.path["rule_id"])
    return await actions.undo_corrections(call.tx, call.actor, project, number)


@get(_ONE + "/versions", permission=_READ, returns=Page[RuleVersion], listing=queries.RULE_VERSIONS)
async def list_rule_versions(call: ReadCall) -> Page[RuleVersion]:
    """List the versions of a data rule, newest first."""
    project, number = await rule_named(call.tx, call.actor, call.path["rule_id"])
    request = list_request(call.query, queries.RULE_VERSIONS)
    return await queries.list_versions(call.tx, project, number, request)


ROUTES = [
    list_rules,
    create_rule,
    preview_rule,
    get_rule,
    update_rule,
    delete_rule,
    undo_corrections,
    list_rule_versions,
]
