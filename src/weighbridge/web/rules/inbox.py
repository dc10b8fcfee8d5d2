"""The inbox of proposals: what rules would correct, until somebody approves or rejects it."""

from typing import Final
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.platform.permission import APPROVE
from weighbridge.quality.rule_results.records import PROPOSALS_MAX, ImpactOfProposals
from weighbridge.quality.rule_results.routes import (
    bulk_approve,
    bulk_reject,
    find_impact,
    list_project_rule_results,
)
from weighbridge.web.listing import ListQuery, ListView, asked_for
from weighbridge.web.page import form, page
from weighbridge.web.showing.words import plural
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/proposals"
CHOSEN: Final = "result_ids"


def asked_for_proposals(visit: Visit) -> ListQuery:
    """What the list asks for: the pending ones, as many as can be decided on at once."""
    given = tuple(pair for pair in visit.query if pair[0] not in {CHOSEN, "filter[approval_state]"})
    return asked_for(
        (*given, ("filter[approval_state]", "pending"), ("page_size", str(PROPOSALS_MAX))), sort="-id"
    )


async def proposals(visit: Visit) -> View:
    """Proposals that wait for somebody, the newest first."""
    return await _inbox(visit, None)


@page(f"{PATH}/impact", permission="data_rules:read", computes=True, tries=True)
async def impact_of_proposals(visit: Visit) -> View:
    """What approving the chosen proposals together would change; nothing is stored."""
    chosen = _chosen(visit)
    impact = await visit.do(find_impact, {CHOSEN: chosen}) if chosen else None
    return await _inbox(visit, impact)


@form(f"{PATH}/impact", permission="data_rules:read", again=proposals, asks=True)
async def choose_proposals(visit: Visit) -> Moved:
    """Go on to what the chosen proposals would change, at an address that names them and nothing else."""
    return Moved(f"{_path(visit)}/impact?{urlencode([(CHOSEN, one) for one in _chosen(visit)])}")


@form(f"{PATH}/approve", permission=APPROVE, again=proposals, computes=True)
async def approve_proposals(visit: Visit) -> Moved:
    """Approve the chosen proposals: all of them, or none."""
    done = await visit.do(bulk_approve, {CHOSEN: _chosen(visit)})
    approved = sum(one.approval_state == "approved" for one in done.data)
    gone = len(done.data) - approved
    said = f"{plural(approved, 'proposal')} approved."
    if gone:
        said += f" {plural(gone, 'proposal')} did not apply any more, because data changed meanwhile."
    return Moved(_path(visit), said)


@form(f"{PATH}/reject", permission=APPROVE, again=proposals)
async def reject_proposals(visit: Visit) -> Moved:
    """Reject the chosen proposals with one reason."""
    done = await visit.do(bulk_reject, {CHOSEN: _chosen(visit), "reason": visit.text("reason")})
    return Moved(_path(visit), f"{plural(len(done.data), 'proposal')} rejected; the values stay.")


async def _inbox(visit: Visit, impact: ImpactOfProposals | None) -> View:
    query = asked_for_proposals(visit)
    found = await visit.ask(list_project_rule_results, query)
    project = f"/projects/{visit.path['project_id']}"
    return view(
        "rules/inbox.html", "Proposals",
        call="" if impact else f"{project}/rule_results?{urlencode(query)}",
        results=found.data, list=ListView(_path(visit), visit.query, found.info), path=_path(visit),
        project=project, chosen=_chosen(visit), impact=impact,
    )  # fmt: skip


def _chosen(visit: Visit) -> list[str]:
    asked = tuple(value for name, value in visit.query if name == CHOSEN)
    return [*(visit.texts(CHOSEN) or asked)]


def _path(visit: Visit) -> str:
    return f"/projects/{visit.path['project_id']}/proposals"


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="data_rules:read", of=list_project_rule_results, asked=asked_for_proposals)(
        proposals
    ),
    *impact_of_proposals,
    *choose_proposals,
    *approve_proposals,
    *reject_proposals,
]
