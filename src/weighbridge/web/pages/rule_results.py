"""Results of rules: all of a project, the proposals that wait for approval, and the review of one result."""

from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from weighbridge.collection.data_points import get_data_point
from weighbridge.collection.records.events import DataPointResult
from weighbridge.core import identity
from weighbridge.core.platform.permission import APPROVE
from weighbridge.core.problem import Problem
from weighbridge.core.rule.states import ApprovalState, ResultStatus
from weighbridge.core.time.calendar import Instant
from weighbridge.errors import Invalid
from weighbridge.quality.records.rule_results import PROPOSALS_MAX, ImpactOfProposals
from weighbridge.quality.review.approval import list_own_proposals
from weighbridge.quality.review.reversal import list_batches_of_approvals, list_final_decisions
from weighbridge.quality.rule_results import (
    approve,
    bulk_approve,
    bulk_dismiss,
    bulk_reject,
    dismiss,
    find_impact,
    get_impact,
    get_rule_result,
    list_project_rule_results,
    reject,
)
from weighbridge.quality.rule_results_queries import (
    BATCHES_NAMED_MAX,
    Measured,
    describe_use,
    read_measured,
)
from weighbridge.quality.rules import get_rule, list_rules
from weighbridge.web.display.figures import plural
from weighbridge.web.display.traces import TracedLine, trace
from weighbridge.web.forms.rule_form import SEVERITY_WORDS
from weighbridge.web.framework.listing import ListQuery, ListView, build_query, list_query
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.charting.series import SeriesName, read_series

# What rules found: every result of a project by its filters, and the dismissal of many with one reason.


RESULTS_PATH: Final = "/projects/{project_id}/rule_results"

RULES_OFFERED: Final = "200"
"""Rules that the filter offers."""


_QUERY: Final = partial(list_query, sort="-id")


async def rule_results(visit: Visit) -> View:
    """What the rules of a project found, the newest first."""
    query = _QUERY(visit)
    listed_results = await visit.ask(list_project_rule_results, query)
    rules = await visit.ask(list_rules, (("page_size", RULES_OFFERED), ("sort", "name")))
    path = visit.url("rule_results")
    return view(
        "rules/results.html",
        "Results",
        call=f"{path}?{urlencode(query)}",
        results=listed_results.data,
        list=ListView(path, visit.query, listed_results.info),
        rules=rules.data,
        path=path,
        statuses=[*ResultStatus],
        severities=SEVERITY_WORDS,
        approval_states=[*ApprovalState],
    )


@form(f"{RESULTS_PATH}/dismiss", permission="data_rules:write", error_page=rule_results)
async def dismiss_results(visit: Visit) -> Redirect:
    """Dismiss the chosen results with one reason."""
    result_ids = visit.texts("result_ids")
    dismissed = await visit.do(bulk_dismiss, {"result_ids": [*result_ids], "reason": visit.text("reason")})
    path = visit.url("rule_results")
    return Redirect(path, f"{plural(len(dismissed.data), 'result')} dismissed.")


# The inbox of proposals: what rules would correct, until a person approves or rejects it.


PROPOSALS_PATH: Final = "/projects/{project_id}/proposals"
CHOSEN: Final = "result_ids"
SELECT: Final = "select"
"""The parameter that selects all proposals of a page, `all`, or those of a group, by its key."""


def build_proposals_query(visit: Visit) -> ListQuery:
    """What the list asks for: the pending ones, as many as can be decided on at once."""
    others = {CHOSEN, SELECT, "filter[approval_state]"}
    pairs = tuple(pair for pair in visit.query if pair[0] not in others)
    return build_query(
        (*pairs, ("filter[approval_state]", "pending"), ("page_size", str(PROPOSALS_MAX))), sort="-id"
    )


async def proposals(visit: Visit) -> View:
    """Proposals that wait for a decision, the newest first."""
    return await _show_inbox(visit, None)


@page(f"{PROPOSALS_PATH}/impact", permission="data_rules:read", computes=True, tries=True)
async def impact_of_proposals(visit: Visit) -> View:
    """What approving the chosen proposals together would change; nothing is stored."""
    result_ids = _selected_results(visit)
    impact = await visit.do(find_impact, {CHOSEN: result_ids}) if result_ids else None
    return await _show_inbox(visit, impact)


@form(f"{PROPOSALS_PATH}/impact", permission="data_rules:read", error_page=proposals, asks=True)
async def choose_proposals(visit: Visit) -> Redirect:
    """Redirect to the impact of the selected proposals, at a URL that names only them."""
    chosen = [(CHOSEN, result) for result in _require_selected(visit)]
    return Redirect(visit.url(f"proposals/impact?{urlencode(chosen)}"))


@form(f"{PROPOSALS_PATH}/approve", permission=APPROVE, error_page=proposals, computes=True)
async def approve_proposals(visit: Visit) -> Redirect:
    """Approve the chosen proposals: all of them, or none."""
    decided = await visit.do(bulk_approve, {CHOSEN: _require_selected(visit), **_comment(visit)})
    approved = sum(result.approval_state == "approved" for result in decided.data)
    gone_count = len(decided.data) - approved
    notice = f"{plural(approved, 'proposal')} approved."
    if gone_count:
        notice += f" {plural(gone_count, 'proposal')} superseded, because the data changed."
    return Redirect(visit.url("proposals"), notice)


@form(f"{PROPOSALS_PATH}/reject", permission=APPROVE, error_page=proposals)
async def reject_proposals(visit: Visit) -> Redirect:
    """Reject the chosen proposals with one reason."""
    decided = await visit.do(bulk_reject, {CHOSEN: _require_selected(visit), "reason": visit.text("reason")})
    return Redirect(
        visit.url("proposals"), f"{plural(len(decided.data), 'proposal')} rejected. The values are unchanged."
    )


def _require_selected(visit: Visit) -> list[str]:
    """The proposals that somebody selected; Invalid when there are none."""
    selected = [*_selected_results(visit)]
    if not selected:
        raise Invalid([Problem("Select at least one proposal.", None, "required")])
    return selected


def _comment(visit: Visit) -> dict[str, str]:
    """What the visitor says about an approval; an empty field says nothing."""
    comment = visit.text("comment").strip()
    return {"comment": comment} if comment else {}


class ProposalGroup(NamedTuple):
    """The proposals of one rule for one meter, of which a reviewer decides on many at once."""

    key: str
    rule: str
    rule_version: int
    asset: str | None
    proposals: list[tuple[DataPointResult, Measured | None]]


async def _show_inbox(visit: Visit, impact: ImpactOfProposals | None) -> View:
    query = build_proposals_query(visit)
    listed_results = await visit.ask(list_project_rule_results, query)
    rules = await visit.ask(list_rules, (("page_size", RULES_OFFERED), ("sort", "name")))
    project = f"/projects/{visit.path['project_id']}"
    groups = await _group_proposals(visit, listed_results.data)
    lasting = tuple(pair for pair in visit.query if pair[0] != CHOSEN)
    list_view = ListView(visit.url("proposals"), lasting, listed_results.info)
    return view(
        "rules/inbox.html", "Proposals",
        call="" if impact else f"{project}/rule_results?{urlencode(query)}",
        groups=groups, list=list_view, path=visit.url("proposals"), rules=rules.data,
        project=project, chosen=_selected_results(visit) or _select_groups(groups, list_view.value(SELECT)),
        impact=impact,
    )  # fmt: skip


async def _group_proposals(visit: Visit, results: list[Any]) -> list[ProposalGroup]:
    """Proposals by rule and meter, each group in the order of the list."""
    measured: dict[str, Measured] = {}
    if visit.may("data_collection:read"):
        measured = await read_measured(visit.reading, [result.id for result in results])
    groups: dict[str, ProposalGroup] = {}
    for result in results:
        of = measured.get(result.id)
        asset = of.asset if of else None
        key = f"{result.rule_id}.{result.rule_version}.{asset or ''}"
        group = groups.setdefault(
            key, ProposalGroup(key, result.rule_name, result.rule_version, asset, proposals=[])
        )
        group.proposals.append((result, of))
    return sorted(groups.values(), key=lambda group: (group.rule, group.key))


def _select_groups(groups: list[ProposalGroup], asked: str) -> list[str]:
    """The proposals that the address of the page selects: of a group, or all."""
    return [result.id for group in groups if asked in ("all", group.key) for result, _ in group.proposals]


def _selected_results(visit: Visit) -> list[str]:
    asked_ids = tuple(value for name, value in visit.query if name == CHOSEN)
    return [*(visit.texts(CHOSEN) or asked_ids)]


# One result of a rule: what was found, what is proposed, what approving it would change, and the decision.
#
# The page itself asks for no impact, which is the plan of a generation and takes its time; a browser with
# scripts fetches it beside, one without follows the link to the page that has it.


RESULT_PATH: Final = "/projects/{project_id}/rule_results/{rule_result_id}"

WINDOW: Final = timedelta(hours=168)
"""The time before a value that its picture shows; after it, a quarter of that."""

WINDOW_WIDTH: Final = 460
"""Pixels of that picture."""

WAITING_WALKED: Final = "100"
"""Pending proposals that a reviewer walks through from one to the next."""


async def rule_result(visit: Visit) -> View:
    """What a rule found, and what it proposes."""
    return await _show_result(visit, None)


@page(f"{RESULT_PATH}/impact", permission="data_rules:read", of=get_impact, computes=True, tries=True)
async def rule_result_impact(visit: Visit) -> View:
    """The same, with what approving it would change."""
    return await _show_result(visit, await visit.ask(get_impact))


@form(f"{RESULT_PATH}/approve", permission=APPROVE, error_page=rule_result, computes=True)
async def approve_proposal(visit: Visit) -> Redirect:
    """Approve a proposal, and go on to the next; one that was rejected is shown again."""
    onward = await _next(visit)
    decided = await visit.do(approve, _comment(visit))
    if decided.approval_state == "superseded":
        return Redirect(onward, "Proposal superseded, because the data changed.")
    return Redirect(onward, "Proposal approved. Affected batches are out of date until regenerated.")


@form(f"{RESULT_PATH}/reject", permission=APPROVE, error_page=rule_result)
async def reject_proposal(visit: Visit) -> Redirect:
    """Reject a proposal with a reason, and go on to the next; one that was approved is shown again."""
    was_approved = (await visit.ask(get_rule_result)).approval_state == ApprovalState.APPROVED
    onward = await _next(visit)
    await visit.do(reject, {"reason": visit.text("reason")})
    if was_approved:
        return Redirect(onward, "Proposal rejected. The correction was taken back.")
    return Redirect(onward, "Proposal rejected. The value is unchanged.")


@form(f"{RESULT_PATH}/dismiss", permission="data_rules:write", error_page=rule_result)
async def dismiss_result(visit: Visit) -> Redirect:
    """Dismiss a result with a reason."""
    result_record = await visit.do(dismiss, {"reason": visit.text("reason")})
    return Redirect(
        f"/projects/{visit.path['project_id']}/rule_results/{result_record.id}", "Result dismissed."
    )


async def _show_result(visit: Visit, impact: Any) -> View:
    result_record = await visit.ask(get_rule_result)
    project = f"/projects/{visit.path['project_id']}"
    path = f"{project}/rule_results/{result_record.id}"
    waits = result_record.approval_state == "pending"
    pending_ids = await _pending_proposals(visit) if waits else []
    place = pending_ids.index(result_record.id) if result_record.id in pending_ids else None
    point_id = getattr(result_record, "data_point_id", None)
    point = None
    if point_id is not None and visit.may("data_collection:read"):
        point = await visit.ask(get_data_point, data_point_id=point_id)
    window = await _window(visit, result_record, point)
    rule = await visit.ask(get_rule, rule_id=result_record.rule_id)
    crumbs = ("Proposals", f"{project}/proposals") if waits else ("Results", f"{project}/rule_results")
    decision = await _show_decision(visit, result_record)
    may_approve = waits or (decision is not None and decision.may_approve)
    return view(
        "rules/review.html", result_record.rule_name,
        call=f"{path}/impact" if waits else path, crumbs=(crumbs,),
        result=result_record, rule=rule, point=point, impact=impact, window=window,
        path=path, project=project, waits=waits, decision=decision,
        is_own=may_approve and await _is_own(visit, result_record.id), has_impact=may_approve,
        place=place, count=len(pending_ids),
        before=f"{project}/rule_results/{pending_ids[place - 1]}" if place else "",
        after=f"{project}/rule_results/{pending_ids[place + 1]}"
        if place is not None and place + 1 < len(pending_ids)
        else "",
    )  # fmt: skip


class ShownDecision(NamedTuple):
    """A decision on a proposal, and whether the opposite one may be taken."""

    is_approval: bool
    stands_because: str
    """Why it is not reversed, in a sentence; empty where it may be."""
    batches: list[str]
    """The first of the batches that rest on it."""

    @property
    def may_approve(self) -> bool:
        """Whether it is a rejection that may become an approval."""
        return not (self.is_approval or self.stands_because)


async def _show_decision(visit: Visit, result_record: Any) -> ShownDecision | None:
    """The decision on what a result proposes; None where nobody has decided."""
    key = identity.parse("data_point_result", result_record.id)
    is_approval = result_record.approval_state == ApprovalState.APPROVED
    if key is None or not (is_approval or result_record.approval_state == ApprovalState.REJECTED):
        return None
    used = await list_batches_of_approvals(visit.reading, key.project, [key.key]) if is_approval else {}
    if batches := used.get(key.key):
        return ShownDecision(is_approval, describe_use(len(batches)), batches[:BATCHES_NAMED_MAX])
    if await list_final_decisions(visit.reading, key.project, [key.key]):
        return ShownDecision(is_approval, "The result is closed or dismissed, so this decision stands.", [])
    return ShownDecision(is_approval, "", [])


async def _is_own(visit: Visit, result: str) -> bool:
    """Whether another user has to approve a proposal, because it is the visitor's own."""
    key = identity.parse("data_point_result", result)
    return key is not None and bool(
        await list_own_proposals(visit.reading, visit.actor, key.project, [key.key])
    )


async def _window(visit: Visit, result_record: Any, point: Any) -> Markup | None:
    """The values around the one that a result is about, as a picture; None where there is no number."""
    name = await _series_of(visit, result_record)
    proposed = getattr(result_record, "proposed_event", None)
    if name is None or not visit.may("data_collection:read"):
        return None
    if point is not None and point.event is not None and point.value_type == "number":
        at: datetime = point.event.start_time
    elif proposed is not None:
        at = datetime.fromisoformat(proposed["slot_start"])
    else:
        return None
    series = await read_series(visit.reading, name, at - WINDOW, at + WINDOW / 4)
    if not series.points:
        return None
    ticks = [
        (moment, str(visit.moments.day(Instant.of(moment)).striptags())) for moment in (series.start, at)
    ]
    return trace(
        [TracedLine(series)],
        alt_text="Values around this result",
        ticks=ticks,
        chosen_time=at,
        proposed=_proposed_value(result_record),
        width=WINDOW_WIDTH,
    )


def _proposed_value(result_record: Any) -> Decimal | None:
    value = (getattr(result_record, "proposed_correction", None) or {}).get("to_value")
    return Decimal(value) if isinstance(value, Decimal | int) and not isinstance(value, bool) else None


_SERIES: Final = """
    SELECT r.project_id, coalesce(r.event_type_id, e.event_type_id), r.position
      FROM data_point_results r LEFT JOIN events e ON (e.project_id, e.id) = (r.project_id, r.event_id)
     WHERE r.project_id = %s AND r.id = %s
"""


async def _series_of(visit: Visit, result_record: Any) -> SeriesName | None:
    key = identity.parse("data_point_result", result_record.id)
    if key is None:
        return None
    rows = await visit.reading.tuples(_SERIES, (key.project, key.key))
    return SeriesName(*rows[0]) if rows and rows[0][1] is not None else None


async def _pending_proposals(visit: Visit) -> list[str]:
    """The proposals that wait, in the order of the inbox."""
    query = (("filter[approval_state]", "pending"), ("page_size", WAITING_WALKED), ("sort", "-id"))
    return [result.id for result in (await visit.ask(list_project_rule_results, query)).data]


async def _next(visit: Visit) -> str:
    """Return the URL of the next proposal, else of the previous one, else of the inbox; where the one that is
    shown was decided on before, its own.
    """
    pending_ids, shown_id = await _pending_proposals(visit), visit.path["rule_result_id"]
    project = f"/projects/{visit.path['project_id']}"
    if (await visit.ask(get_rule_result)).approval_state in (ApprovalState.APPROVED, ApprovalState.REJECTED):
        return f"{project}/rule_results/{shown_id}"
    if shown_id not in pending_ids or len(pending_ids) == 1:
        return f"{project}/proposals"
    place = pending_ids.index(shown_id)
    next_id = pending_ids[place + 1] if place + 1 < len(pending_ids) else pending_ids[place - 1]
    return f"{project}/rule_results/{next_id}"


PAGES = [
    *page(RESULTS_PATH, permission="data_rules:read", of=list_project_rule_results, query_of=_QUERY)(
        rule_results
    ),
    *dismiss_results,
    *page(
        PROPOSALS_PATH,
        permission="data_rules:read",
        of=list_project_rule_results,
        query_of=build_proposals_query,
    )(proposals),
    *impact_of_proposals,
    *choose_proposals,
    *approve_proposals,
    *reject_proposals,
    *page(RESULT_PATH, permission="data_rules:read", of=get_rule_result)(rule_result),
    *rule_result_impact,
    *approve_proposal,
    *reject_proposal,
    *dismiss_result,
]
