"""Paths of rule results, of a rule and of a project."""

from weighbridge.collection.projects.queries import project_named
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.db.listing import wanted
from weighbridge.http.endpoint import ReadCall, WriteCall, get, post
from weighbridge.platform.feature_flags.queries import need_feature
from weighbridge.quality.rule_results import actions, queries
from weighbridge.quality.rule_results.records import Dismissal, Dismissed, RuleResultPage
from weighbridge.quality.rules.queries import rule_named

_PATH = "/projects/{project_id}/rule_results"


@get(
    "/rules/{rule_id}/rule_results",
    permission="data_rules:read",
    returns=RuleResultPage,
    listing=queries.RULE_RESULTS,
)
async def list_rule_results(call: ReadCall) -> RuleResultPage:
    """List what a rule found, newest first, by every version of it."""
    await need_feature(call.tx, call.actor.account_id, Feature.RULES_ENGINE)
    project, rule = await rule_named(call.tx, call.actor, call.path["rule_id"])
    return await queries.list_rule_results(call.tx, project, rule, wanted(call.query, queries.RULE_RESULTS))


@get(_PATH, permission="data_rules:read", returns=RuleResultPage, listing=queries.PROJECT_RULE_RESULTS)
async def list_project_rule_results(call: ReadCall) -> RuleResultPage:
    """List what the rules of a project found, newest first, in data points and in model runs."""
    await need_feature(call.tx, call.actor.account_id, Feature.RULES_ENGINE)
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    request = wanted(call.query, queries.PROJECT_RULE_RESULTS)
    return await queries.list_project_rule_results(call.tx, project, request)


@post(_PATH + "/bulk_dismiss", permission="data_rules:write", body=Dismissal, returns=Dismissed, status=200)
async def bulk_dismiss(call: WriteCall, body: Dismissal) -> Dismissed:
    """Dismiss many rule results at once, with one reason: all of them, or none.

    Ids of both kinds may be mixed; each counts once. A result that is dismissed already stays as it is, so a
    request may be repeated. Dismissing never changes data, and a record that fails anew with another value is
    another result.
    """
    await need_feature(call.tx, call.actor.account_id, Feature.RULES_ENGINE)
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.bulk_dismiss(call.tx, call.actor, project, body)


ROUTES = [list_rule_results, list_project_rule_results, bulk_dismiss]
