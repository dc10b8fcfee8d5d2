"""Paths of rule results, of a rule and of a project."""

from typing import Any

from weighbridge.collection.tenancy.project import project_named
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.platform.permission import APPROVE
from weighbridge.db.listing import list_request
from weighbridge.http.computing.trial import attempt, attempt_of
from weighbridge.http.endpoint import Call, ReadCall, WriteCall, get, post
from weighbridge.platform.feature_flags.queries import need_feature
from weighbridge.quality.rule_results import actions, queries
from weighbridge.quality.rule_results.records import (
    ApprovalNoOptions,
    BulkApproval,
    BulkRejection,
    DecidedResults,
    Dismissal,
    Dismissed,
    ImpactOfProposal,
    ImpactOfProposals,
    NamedProposals,
    ReasonForOne,
    RuleResult,
    RuleResultPage,
)
from weighbridge.quality.rules.queries import project_with_rules, rule_named

_PATH = "/projects/{project_id}/rule_results"
_ONE = _PATH + "/{rule_result_id}"


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
    return await queries.list_rule_results(
        call.tx, project, rule, list_request(call.query, queries.RULE_RESULTS)
    )


@get(_PATH, permission="data_rules:read", returns=RuleResultPage, listing=queries.PROJECT_RULE_RESULTS)
async def list_project_rule_results(call: ReadCall) -> RuleResultPage:
    """List what the rules of a project found, newest first, in data points and in model runs."""
    await need_feature(call.tx, call.actor.account_id, Feature.RULES_ENGINE)
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    request = list_request(call.query, queries.PROJECT_RULE_RESULTS)
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


@get(_ONE, permission="data_rules:read", returns=RuleResult)
async def get_rule_result(call: ReadCall) -> RuleResult:
    """Read one rule result: what was found, where it stands, and what it proposes."""
    _, result = await _result(call)
    return result


@attempt(_ONE + "/impact", permission="data_rules:read", returns=ImpactOfProposal)
async def get_impact(call: WriteCall) -> ImpactOfProposal:
    """Say what approving a rule result would change: which batches and ledgers, by how much, which deficits.

    It is the plan of generation for the slots with batches that the data point may change, without and with
    the correction; nothing is stored. Batches that draw from these are not worked out; they are among the
    `stale_batches`. Only a pending proposal has an impact.
    """
    project, result = await _result(call)
    return await actions.impact_of_one(call.tx, call.actor, project, result)


@attempt_of(_PATH + "/impact", permission="data_rules:read", body=NamedProposals, returns=ImpactOfProposals)
async def find_impact(call: WriteCall, body: NamedProposals) -> ImpactOfProposals:
    """Say what approving many rule results together would change; nothing is stored.

    From 1 to 100 results, each counted once. Refused is what `bulk_approve` refuses: 422 when one never held
    a proposal, or holds one that was rejected or withdrawn.
    """
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    return await actions.impact_of_many(call.tx, call.actor, project, body)


@post(_ONE + "/dismiss", permission="data_rules:write", body=ReasonForOne, returns=RuleResult, status=200)
async def dismiss(call: WriteCall, body: ReasonForOne) -> RuleResult:
    """Dismiss one rule result with a reason; one that is dismissed already stays as it is.

    What it proposes and nobody has decided on is withdrawn. 422 for a result that passes.
    """
    project, result = await _result(call)
    return await actions.dismiss(call.tx, call.actor, project, result, body)


@post(
    _ONE + "/approve",
    permission=APPROVE,
    body=ApprovalNoOptions,
    returns=RuleResult,
    status=200,
    computes=True,
)
async def approve(call: WriteCall, _: ApprovalNoOptions) -> RuleResult:
    """Approve the correction that a rule result proposes, which is in force from then on.

    The rule is asked again first: a proposal that it does not come to any more, because data changed
    meanwhile, is not applied, and its `approval_state` becomes `superseded`. Approving again changes nothing.
    422 for a result that never held a proposal, and for a proposal that was rejected or withdrawn. The body
    may be left out.
    """
    project, result = await _result(call)
    return await actions.approve(call.tx, call.actor, project, result)


@post(_ONE + "/reject", permission=APPROVE, body=ReasonForOne, returns=RuleResult, status=200)
async def reject(call: WriteCall, body: ReasonForOne) -> RuleResult:
    """Reject the correction that a rule result proposes, with a reason; the value stays as it is.

    The same correction is not proposed again; another one that the rule comes to later is. Rejecting again
    changes nothing. 422 for a result that never held a proposal, and for a proposal that does not wait for
    approval any more.
    """
    project, result = await _result(call)
    return await actions.reject(call.tx, call.actor, project, result, body)


@post(
    _PATH + "/bulk_approve",
    permission=APPROVE,
    body=BulkApproval,
    returns=DecidedResults,
    status=200,
    computes=True,
)
async def bulk_approve(call: WriteCall, body: BulkApproval) -> DecidedResults:
    """Approve what many rule results propose at once: all of them, or none.

    From 1 to 100 results, each counted once. One that is approved already stays as it is; one whose data
    changed meanwhile is `superseded` and not applied, and the others are approved. 422 when one never held a
    proposal, or holds one that was rejected or withdrawn.
    """
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    return await actions.bulk_approve(call.tx, call.actor, project, body)


@post(
    _PATH + "/bulk_reject",
    permission=APPROVE,
    body=BulkRejection,
    returns=DecidedResults,
    status=200,
)
async def bulk_reject(call: WriteCall, body: BulkRejection) -> DecidedResults:
    """Reject what many rule results propose at once, with one reason: all of them, or none.

    From 1 to 100 results, each counted once. One that is rejected already stays as it is. 422 when one never
    held a proposal, or holds one that does not wait for approval any more.
    """
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    return await actions.bulk_reject(call.tx, call.actor, project, body)


async def _result(call: Call[Any]) -> tuple[int, RuleResult]:
    """The project and the result that a path names."""
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    return project, await queries.rule_result_named(call.tx, project, call.path["rule_result_id"])


ROUTES = [
    list_rule_results,
    list_project_rule_results,
    bulk_dismiss,
    bulk_approve,
    bulk_reject,
    get_rule_result,
    get_impact,
    find_impact,
    dismiss,
    approve,
    reject,
]
