"""Dismiss rule results, and approve or reject what they propose: all that are named, or none."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString

import msgspec

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.rule.proposal import ApprovalState, ProposalTrigger, advance, states_before
from weighbridge.core.rule.result import ResultStatus, ResultTrigger, statuses_before, statuses_changed_by
from weighbridge.db.engine import Write
from weighbridge.db.json import canonical_sha256
from weighbridge.errors import Invalid
from weighbridge.platform import changes
from weighbridge.quality.approval.decision import approve as approve_proposals
from weighbridge.quality.approval.decision import hold_proposals
from weighbridge.quality.approval.decision import reject as reject_proposals
from weighbridge.quality.approval.separation import own_proposals
from weighbridge.quality.impact.proposals import impact_of_proposals
from weighbridge.quality.rule_results import queries
from weighbridge.quality.rule_results.records import (
    PROPOSALS_MAX,
    RESULTS_MAX,
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
)

_TABLES: Final[Mapping[str, LiteralString]] = {
    "data_point_result": "data_point_results",
    "model_run_result": "model_run_results",
}
"""Where the results of each kind stand."""

_PENDING: Final = ", ".join(f"'{state}'" for state in states_before(ProposalTrigger.WITHDRAW))
_BESIDE: Final[Mapping[str, LiteralString]] = {
    "data_point_results": f""",
               approval_state = CASE WHEN approval_state IN ({_PENDING}) THEN '{ApprovalState.WITHDRAWN}'
                                     ELSE approval_state END""",
    "model_run_results": "",
}
"""What changes beside the status: what a dismissed result proposes is withdrawn."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person says to a proposal: yes, or no with a reason."""

    trigger: ProposalTrigger
    reason: str | None = None

    @property
    def done(self) -> str:
        """What a proposal is afterwards."""
        return advance(ApprovalState.PENDING, self.trigger).value


@dataclass(frozen=True, slots=True)
class _NamedResults:
    """The results that a request names, each once, with the field of each for its problems."""

    project: int
    fields: Mapping[str, str | None]
    keys: Mapping[str, int]
    """The keys of those that may be results of the project, by their ids."""

    def said_of(self, one: str) -> str:
        """What a problem with a result begins with."""
        field = self.fields[one]
        return f"The rule result is {one!r}" if field is None else f"{field} is {one!r}"


def _named(project: int, result_ids: Sequence[str]) -> _NamedResults:
    """The results of a list, each by the first place where it stands."""
    places = {one: place for place, one in reversed([*enumerate(result_ids)])}
    fields = {one: f"result_ids[{places[one]}]" for one in dict.fromkeys(result_ids)}
    return _of_fields(project, fields)


def _of_fields(project: int, fields: Mapping[str, str | None]) -> _NamedResults:
    found = {one: queries.result_key(project, one) for one in fields}
    return _NamedResults(project, fields, {one: key for one, key in found.items() if key is not None})


async def bulk_dismiss(tx: Write, actor: Actor, project: int, request: Dismissal) -> Dismissed:
    """Dismiss results of either kind with one reason; those that are dismissed already stay as they are."""
    named = _named(project, request.result_ids)
    problems = [
        *_problems_of_reason(request.reason, "the results are dismissed"),
        *_problems_of_number(named, RESULTS_MAX, "dismisses"),
    ]
    dismissed = await _dismiss_all(tx, actor, named, request.reason.strip(), problems)
    if dismissed:
        changes.record(
            tx,
            actor,
            action="rule_result.bulk_dismiss",
            target=f"{dismissed} rule results",
            project_id=project,
            after={
                "count": dismissed,
                "result_ids": [*named.fields],
                "reason": request.reason.strip(),
                "sha256": canonical_sha256(request),
            },
        )
    return Dismissed(await _shown(tx, named))


async def dismiss(
    tx: Write, actor: Actor, project: int, before: RuleResult, request: ReasonForOne
) -> RuleResult:
    """Dismiss one result; one that is dismissed already stays as it is."""
    named = _of_fields(project, {before.id: None})
    problems = [*_problems_of_reason(request.reason, "the result is dismissed")]
    dismissed = await _dismiss_all(tx, actor, named, request.reason.strip(), problems)
    [after] = await _shown(tx, named)
    if dismissed:
        changes.record(
            tx, actor, action="rule_result.dismiss", target=after.id, project_id=project,
            before=before, after=after,
        )  # fmt: skip
    return after


async def approve(tx: Write, actor: Actor, project: int, before: RuleResult) -> RuleResult:
    """Put in force what a result proposes; one that is approved already stays as it is."""
    decided, after = await _decide_one(tx, actor, project, before, Decision(ProposalTrigger.APPROVE))
    if decided:
        changes.record(
            tx, actor, action="rule_result.approve", target=after.id, project_id=project,
            before=before, after=after,
        )  # fmt: skip
    return after


async def reject(
    tx: Write, actor: Actor, project: int, before: RuleResult, request: ReasonForOne
) -> RuleResult:
    """Refuse what a result proposes; one that is rejected already stays as it is."""
    decision = Decision(ProposalTrigger.REJECT, request.reason.strip())
    decided, after = await _decide_one(tx, actor, project, before, decision)
    if decided:
        changes.record(
            tx, actor, action="rule_result.reject", target=after.id, project_id=project,
            before=before, after=after,
        )  # fmt: skip
    return after


async def bulk_approve(tx: Write, actor: Actor, project: int, request: BulkApproval) -> DecidedResults:
    """Put in force what the results propose: of all of them, or of none."""
    named, decision = _named(project, request.result_ids), Decision(ProposalTrigger.APPROVE)
    problems = [*_problems_of_number(named, PROPOSALS_MAX, "approves")]
    decided = await _decide(tx, actor, named, decision, problems)
    after = await _shown(tx, named)
    if decided:
        changes.record(
            tx, actor, action="rule_result.bulk_approve", target=f"{decided} rule results",
            project_id=project, after=_said(decided, after, request),
        )  # fmt: skip
    return DecidedResults(after)


async def bulk_reject(tx: Write, actor: Actor, project: int, request: BulkRejection) -> DecidedResults:
    """Refuse what the results propose, with one reason: all of them, or none."""
    decision = Decision(ProposalTrigger.REJECT, request.reason.strip())
    named = _named(project, request.result_ids)
    problems = [*_problems_of_decision(decision), *_problems_of_number(named, PROPOSALS_MAX, "rejects")]
    decided = await _decide(tx, actor, named, decision, problems)
    after = await _shown(tx, named)
    if decided:
        changes.record(
            tx, actor, action="rule_result.bulk_reject", target=f"{decided} rule results",
            project_id=project, after=_said(decided, after, request) | {"reason": decision.reason},
        )  # fmt: skip
    return DecidedResults(after)


async def impact_of_one(tx: Write, actor: Actor, project: int, result: RuleResult) -> ImpactOfProposal:
    """What approving a result would change; the transaction must be undone afterwards."""
    impact, after = await impact_of_proposals(tx, actor, project, _pending(project, [result]))
    state = next(iter(after.values()), result.approval_state)
    return ImpactOfProposal(**msgspec.structs.asdict(impact), id=result.id, approval_state=state)


async def impact_of_many(tx: Write, actor: Actor, project: int, request: NamedProposals) -> ImpactOfProposals:
    """What approving results together would change; the transaction must be undone afterwards.

    Raises Invalid with what their approval would be refused for.
    """
    named, decision = _named(project, request.result_ids), Decision(ProposalTrigger.APPROVE)
    problems = [*_problems_of_number(named, PROPOSALS_MAX, "asks for")]
    found: list[RuleResult] = []
    if len(named.fields) <= PROPOSALS_MAX:
        found = [one for one in await _shown(tx, named) if one.id in named.fields]
        states = {one.id: one.approval_state for one in found}
        problems += _problems_of_proposals(named, states, decision)
    if problems:
        raise Invalid(problems)
    impact, after = await impact_of_proposals(tx, actor, project, _pending(project, found))
    results = [
        ProposalToApprove(one.id, after.get(named.keys[one.id]) or str(one.approval_state)) for one in found
    ]
    return ImpactOfProposals(**msgspec.structs.asdict(impact), results=results)


def _pending(project: int, results: Sequence[RuleResult]) -> list[int]:
    """The numbers of those whose proposals wait for approval."""
    return [
        ids.number("data_point_result", one.id, project)
        for one in results
        if one.approval_state == ApprovalState.PENDING
    ]


def _said(decided: int, after: Sequence[RuleResult], request: BulkApproval | BulkRejection) -> dict[str, Any]:
    """What the audit log says of a decision on many."""
    return {
        "count": decided,
        "result_ids": [one.id for one in after],
        "approval_states": [one.approval_state for one in after],
        "sha256": canonical_sha256(request),
    }


async def _decide_one(
    tx: Write, actor: Actor, project: int, before: RuleResult, decision: Decision
) -> tuple[int, RuleResult]:
    """How many were decided on, and the result as it is afterwards."""
    named = _of_fields(project, {before.id: None})
    decided = await _decide(tx, actor, named, decision, [*_problems_of_decision(decision)])
    [after] = await _shown(tx, named)
    return decided, after


async def _decide(
    tx: Write, actor: Actor, named: _NamedResults, decision: Decision, problems: list[Problem]
) -> int:
    """Decide on all that are pending; gives how many. Raises Invalid with all that is wrong."""
    pending: list[int] = []
    if len(named.fields) <= PROPOSALS_MAX:
        states = await _proposals(tx, named)
        problems += _problems_of_proposals(named, states, decision)
        pending = [named.keys[one] for one, state in states.items() if state is ApprovalState.PENDING]
        if decision.trigger is ProposalTrigger.APPROVE:
            problems += _problems_of_own(named, await own_proposals(tx, actor, named.project, pending))
    if problems:
        raise Invalid(problems)
    if pending and decision.trigger is ProposalTrigger.APPROVE:
        await approve_proposals(tx, actor, named.project, pending)
    elif pending:
        await reject_proposals(tx, actor, named.project, pending, decision.reason or "")
    return len(pending)


async def _proposals(tx: Write, named: _NamedResults) -> dict[str, ApprovalState | None]:
    """Where the proposals of the results stand that there are, which nobody else moves until the end."""
    of_points = {one: key for one, key in named.keys.items() if ids.kind_of(one) == "data_point_result"}
    held = await hold_proposals(tx, named.project, list(of_points.values()))
    of_runs = {one: key for one, key in named.keys.items() if one not in of_points}
    return {one: held[key] for one, key in of_points.items() if key in held} | dict.fromkeys(
        await _locked(tx, named.project, of_runs)
    )


def _problems_of_reason(reason: str, what: str) -> Iterator[Problem]:
    if not reason.strip():
        yield Problem(f"reason is blank; say why {what}.", "reason", "required")


def _problems_of_decision(decision: Decision) -> Iterator[Problem]:
    if decision.reason is not None:
        yield from _problems_of_reason(decision.reason, "the correction is rejected")


def _problems_of_number(named: _NamedResults, most: int, does: str) -> Iterator[Problem]:
    number = len(named.fields)
    if not number:
        yield Problem("result_ids is empty; name at least one rule result.", "result_ids", "required")
    if number > most:
        yield Problem(
            f"result_ids names {number:,} rule results; one request {does} at most {most:,}.",
            "result_ids",
            "too_many",
        )


def _problems_of_results(named: _NamedResults, statuses: Mapping[str, str]) -> Iterator[Problem]:
    movable = statuses_before(ResultTrigger.DISMISSED)
    for one, field in named.fields.items():
        status = statuses.get(one)
        if status is None:
            yield Problem(f"{named.said_of(one)}, which is no rule result of the project.", field, "unknown")
        elif status not in movable:
            yield Problem(f"{named.said_of(one)}, which passes; there is nothing to dismiss.", field, status)


def _problems_of_proposals(
    named: _NamedResults, states: Mapping[str, str | None], decision: Decision
) -> Iterator[Problem]:
    movable = states_before(decision.trigger)
    for one, field in named.fields.items():
        if one not in states:
            yield Problem(f"{named.said_of(one)}, which is no rule result of the project.", field, "unknown")
        elif (state := states[one]) is None:
            said = (
                f"{named.said_of(one)}, which never held a proposal; there is nothing to {decision.trigger}."
            )
            yield Problem(said, field, "never_pending")
        elif state not in movable:
            said = f"{named.said_of(one)}, whose proposal is {state}; a pending one can be {decision.done}."
            yield Problem(said, field, "decided")


def _problems_of_own(named: _NamedResults, own: Collection[int]) -> Iterator[Problem]:
    for one, key in named.keys.items():
        if key in own:
            said = f"{named.said_of(one)}, which your rule or data proposed; somebody else has to approve it."
            yield Problem(said, named.fields[one], "own_proposal")


async def _shown(tx: Write, named: _NamedResults) -> list[RuleResult]:
    return await queries.rule_results_named(tx, named.project, list(named.keys.values()))


def _of_kind(keys: Mapping[str, int], kind: str) -> list[int]:
    return [key for friendly, key in keys.items() if ids.kind_of(friendly) == kind]


async def _locked(tx: Write, project: int, keys: Mapping[str, int]) -> dict[str, str]:
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
            if ids.kind_of(friendly) == kind and key in by_key
        }
    return statuses


async def _dismiss_all(
    tx: Write, actor: Actor, named: _NamedResults, reason: str, problems: list[Problem]
) -> int:
    """Dismiss all; gives how many were not dismissed before. Raises Invalid with all that is wrong."""
    keys: Mapping[str, int] = {}
    if len(named.fields) <= RESULTS_MAX:
        keys = named.keys
        problems += _problems_of_results(named, await _locked(tx, named.project, keys))
    if problems:
        raise Invalid(problems)
    return sum(
        [
            await _dismiss(tx, actor, named.project, table, keys=_of_kind(keys, kind), reason=reason)
            for kind, table in _TABLES.items()
        ]
    )


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
            statuses_changed_by(ResultTrigger.DISMISSED),
        ),
    )  # fmt: skip
