"""Rule results: what versions of rules found in data points and model runs; those that stand are alerts.

A result is dismissed with a reason, which never changes the data. Permission: data rules.

Invariants: a request about several results applies to all of them or to none. Reading and checking
results is in `rule_results_queries.py`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString

import msgspec
from msgspec import Struct

from weighbridge.core import identity
from weighbridge.core.platform.permission import APPROVE, Actor
from weighbridge.core.platform.settings import Feature
from weighbridge.core.problem import Problem
from weighbridge.core.rule import states as moves
from weighbridge.core.rule.states import ApprovalState, ProposalTrigger, ResultStatus, ResultTrigger
from weighbridge.db.engine import Write
from weighbridge.db.lists.listing import list_request
from weighbridge.db.statements import canonical_sha256
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.dry_runs import attempt, attempt_with_body
from weighbridge.http.endpoints.endpoint import Call, LookingBack, ReadCall, WriteCall, get, post
from weighbridge.platform import changes
from weighbridge.platform.feature_flags import need_feature
from weighbridge.platform.tenancy import project_of
from weighbridge.quality import rule_results_queries as queries
from weighbridge.quality.records.rule_results import (
    PROPOSALS_MAX,
    RESULTS_MAX,
    Approval,
    BulkApproval,
    BulkRejection,
    DecidedResults,
    Dismissal,
    Dismissed,
    ImpactOfProposal,
    ImpactOfProposals,
    NamedProposals,
    ProposalToApprove,
    ReasonForOne,
    RuleResult,
    RuleResultPage,
)
from weighbridge.quality.review.approval import approve as approve_proposals
from weighbridge.quality.review.approval import list_own_proposals, lock_proposals
from weighbridge.quality.review.approval import reject as reject_proposals
from weighbridge.quality.review.impact import impact_of_proposals
from weighbridge.quality.review.reversal import list_final_decisions, list_used_approvals
from weighbridge.quality.rule_results_queries import (
    Decision,
    NamedResults,
    name_result,
    name_results,
    problems_of_comment,
    problems_of_number,
    problems_of_own,
    problems_of_proposals,
    problems_of_reason,
    problems_of_results,
    problems_of_use,
)
from weighbridge.quality.rules import project_with_rules, rule_named

# Dismiss rule results, and approve or reject what they propose: all that are named, or none.


_TABLES: Final[Mapping[str, LiteralString]] = {
    "data_point_result": "data_point_results",
    "model_run_result": "model_run_results",
}
"""Where the results of each kind stand."""

_PENDING: Final = ", ".join(
    f"'{state}'" for state in moves.list_proposal_states_before(ProposalTrigger.WITHDRAW)
)
_BESIDE: Final[Mapping[str, LiteralString]] = {
    "data_point_results": f""",
               approval_state = CASE WHEN approval_state IN ({_PENDING}) THEN '{ApprovalState.WITHDRAWN}'
                                     ELSE approval_state END""",
    "model_run_results": "",
}
"""What changes beside the status: what a dismissed result proposes is withdrawn."""


_DECIDED: Final = (ApprovalState.APPROVED, ApprovalState.REJECTED)
_SAYS_DECISION: Final = (
    "id", "approval_state", "approved_at", "approved_by", "approval_comment", "rejected_at", "rejected_by",
    "rejection_reason",
)  # fmt: skip
"""What a result says about the decision on its proposal."""


@dataclass(frozen=True, slots=True)
class DecidedOn:
    """The results that a request names as they are after the decision, and how many it changed."""

    named: NamedResults
    results: list[RuleResult]
    number: int
    before: Sequence[RuleResult] = ()
    """The same results before a decision on what they propose, under its locks."""

    def record_one(self, tx: Write, actor: Actor, before: RuleResult, *, action: str) -> RuleResult:
        """Record the decision on one result, if it changed it; gives the result."""
        [after] = self.results
        if self.number:
            changes.record(
                tx, actor, action=action, target=after.id, project_id=self.named.project,
                before=before, after=after,
            )  # fmt: skip
        return after

    def record_many(
        self, tx: Write, actor: Actor, request: Struct, *, action: str, **details: Any
    ) -> list[RuleResult]:
        """Record the decision on all results, if it changed any; gives the results."""
        if self.number:
            summary = {
                "count": self.number,
                "result_ids": [*self.named.fields],
                **details,
                "sha256": canonical_sha256(request),
            }
            changes.record(
                tx, actor, action=action, target=f"{self.number} rule results",
                project_id=self.named.project, before=self._describe_reversed(), after=summary,
            )  # fmt: skip
        return self.results

    def _describe_reversed(self) -> dict[str, Any] | None:
        """Who had decided what and why, of the results of which the opposite was decided now."""
        decisions = [
            {name: value for name in _SAYS_DECISION if (value := getattr(before, name)) is not None}
            for before, after in zip(self.before, self.results, strict=False)
            if before.approval_state in _DECIDED and before.approval_state != after.approval_state
        ]
        return {"decisions": decisions} if decisions else None

    @property
    def approval_states(self) -> list[str | None]:
        """The states of the proposals afterwards."""
        return [result.approval_state for result in self.results]


async def dismiss_results(tx: Write, actor: Actor, named: NamedResults, reason: str) -> DecidedOn:
    """Dismiss results of either kind with one reason; those that are dismissed already stay as they are."""
    problems = [*problems_of_reason(reason), *problems_of_number(named, RESULTS_MAX, "dismisses")]
    if len(named.fields) <= RESULTS_MAX:
        problems += problems_of_results(named, await _lock_statuses(tx, named.project, named.keys))
    if problems:
        raise Invalid(problems)
    dismissed = [
        await _dismiss(
            tx, actor, named.project, table, keys=_of_kind(named.keys, kind), reason=reason.strip()
        )
        for kind, table in _TABLES.items()
    ]
    return DecidedOn(named, await _read_results(tx, named), sum(dismissed))


async def decide_proposals(tx: Write, actor: Actor, named: NamedResults, decision: Decision) -> DecidedOn:
    """Approve or reject what results propose; those that are decided so already stay as they are."""
    problems = [
        *problems_of_reason(decision.reason),
        *problems_of_comment(decision.comment),
        *problems_of_number(named, PROPOSALS_MAX, f"{decision.trigger}s"),
    ]
    changed: list[int] = []
    if len(named.fields) <= PROPOSALS_MAX:
        states = await _lock_proposals(tx, named)
        final = await list_final_decisions(tx, named.project, list(named.keys.values()))
        problems += problems_of_proposals(named, states, decision, final)
        changed = [named.keys[one] for one, state in states.items() if state in decision.changes]
        problems += await _problems_of_change(tx, actor, named, decision, changed)
    if problems:
        raise Invalid(problems)
    before = await _read_results(tx, named)
    if changed and decision.trigger is ProposalTrigger.APPROVE:
        comment = None if decision.comment is None else decision.comment.strip()
        await approve_proposals(tx, actor, named.project, changed, comment)
    elif changed:
        await reject_proposals(tx, actor, named.project, changed, (decision.reason or "").strip())
    return DecidedOn(named, await _read_results(tx, named), len(changed), before)


async def _problems_of_change(
    tx: Write, actor: Actor, named: NamedResults, decision: Decision, changed: Sequence[int]
) -> list[Problem]:
    """What keeps the actor from changing proposals, or the books from having one taken back."""
    if decision.trigger is ProposalTrigger.APPROVE:
        return [*problems_of_own(named, await list_own_proposals(tx, actor, named.project, changed))]
    return [*problems_of_use(named, await list_used_approvals(tx, named.project, changed))]


async def impact_of_one(tx: Write, actor: Actor, project: int, result: RuleResult) -> ImpactOfProposal:
    """What approving a result would change; the transaction must be undone afterwards."""
    final = await _list_final(tx, project, [result])
    impact, after = await impact_of_proposals(tx, actor, project, _list_open(project, [result], final))
    state = _state_to_approve(result, after.values())
    return ImpactOfProposal(**msgspec.structs.asdict(impact), id=result.id, approval_state=state)


async def impact_of_many(tx: Write, actor: Actor, project: int, request: NamedProposals) -> ImpactOfProposals:
    """What approving results together would change; the transaction must be undone afterwards.

    Raises Invalid with what their approval would be refused for.
    """
    named, decision = name_results(project, request.result_ids), Decision(ProposalTrigger.APPROVE)
    problems = [*problems_of_number(named, PROPOSALS_MAX, "asks for")]
    found: list[RuleResult] = []
    final: set[int] = set()
    if len(named.fields) <= PROPOSALS_MAX:
        found = [result for result in await _read_results(tx, named) if result.id in named.fields]
        states = {one.id: one.approval_state for one in found}
        final = await _list_final(tx, project, found)
        problems += problems_of_proposals(named, states, decision, final)
    if problems:
        raise Invalid(problems)
    impact, after = await impact_of_proposals(tx, actor, project, _list_open(project, found, final))
    results = [
        ProposalToApprove(one.id, str(_state_to_approve(one, [after.get(named.keys[one.id])])))
        for one in found
    ]
    return ImpactOfProposals(**msgspec.structs.asdict(impact), results=results)


async def _list_final(tx: Write, project: int, results: Sequence[RuleResult]) -> set[int]:
    numbers = [number for result in results if (number := queries.result_key(project, result.id)) is not None]
    return await list_final_decisions(tx, project, numbers)


def _list_open(project: int, results: Sequence[RuleResult], final: Collection[int]) -> list[int]:
    """The numbers of those whose proposals an approval would put in force."""
    approvable = moves.list_proposal_states_changed_by(ProposalTrigger.APPROVE)
    numbers = [
        identity.number("data_point_result", result.id, project)
        for result in results
        if result.approval_state in approvable
    ]
    return [number for number in numbers if number not in final]


def _state_to_approve(result: RuleResult, after: Iterable[str | None]) -> str | None:
    """Where a proposal stands, or that it would be superseded, by what an approval would find."""
    return ApprovalState.SUPERSEDED if ApprovalState.SUPERSEDED in after else result.approval_state


async def _lock_proposals(tx: Write, named: NamedResults) -> dict[str, ApprovalState | None]:
    """Where the proposals of the results stand that there are, which nobody else moves until the end."""
    of_points = {one: key for one, key in named.keys.items() if identity.kind_of(one) == "data_point_result"}
    held = await lock_proposals(tx, named.project, list(of_points.values()))
    of_runs = {one: key for one, key in named.keys.items() if one not in of_points}
    return {one: held[key] for one, key in of_points.items() if key in held} | dict.fromkeys(
        await _lock_statuses(tx, named.project, of_runs)
    )


async def _read_results(tx: Write, named: NamedResults) -> list[RuleResult]:
    return await queries.rule_results_named(tx, named.project, list(named.keys.values()))


def _of_kind(keys: Mapping[str, int], kind: str) -> list[int]:
    return [key for friendly, key in keys.items() if identity.kind_of(friendly) == kind]


async def _lock_statuses(tx: Write, project: int, keys: Mapping[str, int]) -> dict[str, str]:
    """The statuses of the results that there are, which nobody else changes until the transaction ends."""
    statuses: dict[str, str] = {}
    for kind, table in _TABLES.items():
        rows = await tx.tuples(
            f"""
            SELECT r.id, r.status FROM {table} r
              JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
             WHERE r.project_id = %s AND r.id = ANY (%s) ORDER BY r.id FOR NO KEY UPDATE OF r
            """,
            (project, _of_kind(keys, kind)),
        )
        by_key: dict[int, str] = dict(rows)
        statuses |= {
            friendly: by_key[key]
            for friendly, key in keys.items()
            if identity.kind_of(friendly) == kind and key in by_key
        }
    return statuses


async def _dismiss(
    tx: Write, actor: Actor, project: int, table: LiteralString, *, keys: list[int], reason: str
) -> int:
    """Dismiss the results of one table, in one statement; gives how many were not dismissed before."""
    if not keys:
        return 0
    return await tx.execute(
        f"""
        UPDATE {table}
           SET status = %s, dismissed_at = now(), dismissed_by = %s, dismissal_reason = %s{_BESIDE[table]}
         WHERE project_id = %s AND id = ANY (%s) AND status = ANY (%s)
        """,
        (
            ResultStatus.DISMISSED, actor.user_id, reason, project, keys,
            moves.list_statuses_changed_by(ResultTrigger.DISMISSED),
        ),
    )  # fmt: skip


# Paths of rule results, of a rule and of a project.


_PATH = "/projects/{project_id}/rule_results"
_ONE = _PATH + "/{rule_result_id}"


@get(
    "/rules/{rule_id}/rule_results",
    permission="data_rules:read",
    returns=RuleResultPage,
    listing=queries.RULE_RESULTS,
    looks_back=LookingBack.ASKED,
)
async def list_rule_results(call: ReadCall) -> RuleResultPage:
    """List what a rule found, newest first, by every version of it."""
    await need_feature(call.tx, call.actor.account_id, Feature.RULES_ENGINE)
    project, rule = await rule_named(call.tx, call.actor, call.path["rule_id"])
    return await queries.list_rule_results(
        call.tx, project, rule, list_request(call.query, queries.RULE_RESULTS)
    )


@get(
    _PATH,
    permission="data_rules:read",
    returns=RuleResultPage,
    listing=queries.PROJECT_RULE_RESULTS,
    looks_back=LookingBack.ASKED,
)
async def list_project_rule_results(call: ReadCall) -> RuleResultPage:
    """List what the rules of a project found, newest first, in data points and in model runs."""
    await need_feature(call.tx, call.actor.account_id, Feature.RULES_ENGINE)
    project = await project_of(call)
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
    project = await project_of(call)
    decided = await dismiss_results(call.tx, call.actor, name_results(project, body.result_ids), body.reason)
    return Dismissed(
        decided.record_many(
            call.tx, call.actor, body, action="rule_result.bulk_dismiss", reason=body.reason.strip()
        )
    )


@get(_ONE, permission="data_rules:read", returns=RuleResult, looks_back=LookingBack.ASKED)
async def get_rule_result(call: ReadCall) -> RuleResult:
    """Read one rule result: what was found, where it stands, and what it proposes."""
    _, result = await _result(call)
    return result


@attempt(_ONE + "/impact", permission="data_rules:read", returns=ImpactOfProposal)
async def get_impact(call: WriteCall) -> ImpactOfProposal:
    """Say what approving a rule result would change: which batches and ledgers, by how much, which deficits.

    The slots with batches that the data point may change are generated without and with the correction, then
    those that draw from what these adjust, down to the last ledger and report; all of it is undone. Only a
    pending proposal has an impact.
    """
    project, result = await _result(call)
    return await impact_of_one(call.tx, call.actor, project, result)


@attempt_with_body(
    _PATH + "/impact", permission="data_rules:read", body=NamedProposals, returns=ImpactOfProposals
)
async def find_impact(call: WriteCall, body: NamedProposals) -> ImpactOfProposals:
    """Say what approving many rule results together would change; nothing is stored.

    From 1 to 100 results, each counted once. Refused is what `bulk_approve` refuses: 422 when one never held
    a proposal, or holds one that was withdrawn.
    """
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    return await impact_of_many(call.tx, call.actor, project, body)


@post(_ONE + "/dismiss", permission="data_rules:write", body=ReasonForOne, returns=RuleResult, status=200)
async def dismiss(call: WriteCall, body: ReasonForOne) -> RuleResult:
    """Dismiss one rule result with a reason; one that is dismissed already stays as it is.

    What it proposes and nobody has decided on is withdrawn. 422 for a result that passes.
    """
    project, result = await _result(call)
    decided = await dismiss_results(call.tx, call.actor, name_result(project, result.id), body.reason)
    return decided.record_one(call.tx, call.actor, result, action="rule_result.dismiss")


@post(
    _ONE + "/approve",
    permission=APPROVE,
    body=Approval,
    returns=RuleResult,
    status=200,
    computes=True,
)
async def approve(call: WriteCall, body: Approval) -> RuleResult:
    """Approve the correction that a rule result proposes, which is in force from then on.

    The rule is asked again first: a proposal that it does not come to any more, because data changed
    meanwhile, is not applied, and its `approval_state` becomes `superseded`. One that was rejected may be
    approved as long as its result is open. Approving again changes nothing. 422 for a result that never held
    a proposal, and for a proposal that was withdrawn. The body may be left out.
    """
    project, result = await _result(call)
    decision = Decision(ProposalTrigger.APPROVE, comment=body.comment)
    decided = await decide_proposals(call.tx, call.actor, name_result(project, result.id), decision)
    return decided.record_one(call.tx, call.actor, decided.before[0], action="rule_result.approve")


@post(_ONE + "/reject", permission=APPROVE, body=ReasonForOne, returns=RuleResult, status=200)
async def reject(call: WriteCall, body: ReasonForOne) -> RuleResult:
    """Reject the correction that a rule result proposes, with a reason; the value stays as it is.

    The same correction is not proposed again; another one that the rule comes to later is. One that was
    approved is taken back, as long as no batch is left that was generated from it (422 `decision_used`); 409
    while a generation of the project runs. Rejecting again changes nothing. 422 for a result that never held
    a proposal, and for a proposal that was withdrawn or superseded.
    """
    project, result = await _result(call)
    decision = Decision(ProposalTrigger.REJECT, body.reason)
    decided = await decide_proposals(call.tx, call.actor, name_result(project, result.id), decision)
    return decided.record_one(call.tx, call.actor, decided.before[0], action="rule_result.reject")


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
    changed meanwhile is `superseded` and not applied, and the others are approved. One that was rejected may
    be approved as long as its result is open. 422 when one never held a proposal, or holds one that was
    withdrawn.
    """
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    named = name_results(project, body.result_ids)
    decision = Decision(ProposalTrigger.APPROVE, comment=body.comment)
    decided = await decide_proposals(call.tx, call.actor, named, decision)
    comment = {} if body.comment is None else {"comment": body.comment.strip()}
    return DecidedResults(
        decided.record_many(
            call.tx, call.actor, body, action="rule_result.bulk_approve",
            approval_states=decided.approval_states, **comment,
        )
    )  # fmt: skip


@post(
    _PATH + "/bulk_reject",
    permission=APPROVE,
    body=BulkRejection,
    returns=DecidedResults,
    status=200,
)
async def bulk_reject(call: WriteCall, body: BulkRejection) -> DecidedResults:
    """Reject what many rule results propose at once, with one reason: all of them, or none.

    From 1 to 100 results, each counted once. One that is rejected already stays as it is; one that was
    approved is taken back, as long as no batch is left that was generated from it (422 `decision_used`); 409
    while a generation of the project runs. 422 when one never held a proposal, or holds one that was
    withdrawn or superseded.
    """
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    named = name_results(project, body.result_ids)
    decision = Decision(ProposalTrigger.REJECT, body.reason)
    decided = await decide_proposals(call.tx, call.actor, named, decision)
    return DecidedResults(
        decided.record_many(
            call.tx, call.actor, body, action="rule_result.bulk_reject",
            approval_states=decided.approval_states, reason=body.reason.strip(),
        )
    )  # fmt: skip


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
