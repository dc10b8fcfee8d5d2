"""One result of a rule: what was found, what is proposed, what approving it would change, and the decision.

The page itself asks for no impact, which is the plan of a generation and takes its time; a browser with
scripts fetches it beside, one without follows the link to the page that has it.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler
from markupsafe import Markup

from weighbridge.collection.data_points.routes import get_data_point
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import APPROVE
from weighbridge.core.time.instant import Instant
from weighbridge.quality.approval.separation import own_proposals
from weighbridge.quality.rule_results.routes import (
    approve,
    dismiss,
    get_impact,
    get_rule_result,
    list_project_rule_results,
    reject,
)
from weighbridge.quality.rules.routes import get_rule
from weighbridge.web.data.series import SeriesName, series_of
from weighbridge.web.drawing.trace import trace
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/rule_results/{rule_result_id}"

WINDOW: Final = timedelta(hours=168)
"""How long before a value, and a quarter of it after, the picture beside it reaches."""

WINDOW_WIDTH: Final = 460
"""Pixels of that picture."""

WAITING_WALKED: Final = "100"
"""Pending proposals that a reviewer walks through from one to the next."""


async def rule_result(visit: Visit) -> View:
    """What a rule found, and what it proposes."""
    return await _review(visit, None)


@page(f"{PATH}/impact", permission="data_rules:read", of=get_impact, computes=True, tries=True)
async def rule_result_impact(visit: Visit) -> View:
    """The same, with what approving it would change."""
    return await _review(visit, await visit.ask(get_impact))


@form(f"{PATH}/approve", permission=APPROVE, again=rule_result, computes=True)
async def approve_proposal(visit: Visit) -> Moved:
    """Approve a proposal, and go on to the next."""
    onward = await _next(visit)
    done = await visit.do(approve, {})
    if done.approval_state == "superseded":
        return Moved(onward, "It did not apply any more, because data changed meanwhile.")
    return Moved(onward, "Approved. Batches that it changes are stale until they are generated again.")


@form(f"{PATH}/reject", permission=APPROVE, again=rule_result)
async def reject_proposal(visit: Visit) -> Moved:
    """Reject a proposal with a reason, and go on to the next."""
    onward = await _next(visit)
    await visit.do(reject, {"reason": visit.text("reason")})
    return Moved(onward, "Rejected; the value stays.")


@form(f"{PATH}/dismiss", permission="data_rules:write", again=rule_result)
async def dismiss_result(visit: Visit) -> Moved:
    """Dismiss a result with a reason."""
    found = await visit.do(dismiss, {"reason": visit.text("reason")})
    return Moved(f"/projects/{visit.path['project_id']}/rule_results/{found.id}", "Dismissed.")


async def _review(visit: Visit, impact: Any) -> View:
    found = await visit.ask(get_rule_result)
    project = f"/projects/{visit.path['project_id']}"
    path = f"{project}/rule_results/{found.id}"
    waits = found.approval_state == "pending"
    around = await _waiting(visit) if waits else []
    place = around.index(found.id) if found.id in around else None
    point_id = getattr(found, "data_point_id", None)
    point = None
    if point_id is not None and visit.may("data_collection:read"):
        point = await visit.ask(get_data_point, data_point_id=point_id)
    window = await _window(visit, found, point)
    rule = await visit.ask(get_rule, rule_id=found.rule_id)
    crumbs = ("Proposals", f"{project}/proposals") if waits else ("Results", f"{project}/rule_results")
    return view(
        "rules/review.html", found.rule_name,
        call=f"{path}/impact" if waits else path, crumbs=(crumbs,),
        result=found, rule=rule, point=point, impact=impact, window=window,
        path=path, project=project, waits=waits, is_own=waits and await _is_own(visit, found.id),
        place=place, count=len(around),
        before=f"{project}/rule_results/{around[place - 1]}" if place else "",
        after=f"{project}/rule_results/{around[place + 1]}"
        if place is not None and place + 1 < len(around)
        else "",
    )  # fmt: skip


async def _is_own(visit: Visit, result: str) -> bool:
    """Whether somebody else has to approve a proposal, because it is the visitor's own."""
    key = ids.parse("data_point_result", result)
    return key is not None and bool(await own_proposals(visit.reading, visit.actor, key.project, [key.key]))


async def _window(visit: Visit, found: Any, point: Any) -> Markup | None:
    """The values around the one that a result is about, as a picture; None where there is no number."""
    name = await _series_of(visit, found)
    proposed = getattr(found, "proposed_event", None)
    if name is None or not visit.may("data_collection:read"):
        return None
    if point is not None and point.event is not None and point.value_type == "number":
        at: datetime = point.event.start_time
    elif proposed is not None:
        at = datetime.fromisoformat(proposed["slot_start"])
    else:
        return None
    drawn = await series_of(visit.reading, name, at - WINDOW, at + WINDOW / 4)
    if not drawn.points:
        return None
    ticks = [(moment, str(visit.moments.day(Instant.of(moment)).striptags())) for moment in (drawn.start, at)]
    return trace(
        drawn,
        says="the values around it",
        ticks=ticks,
        chosen=at,
        proposed=_proposed(found),
        width=WINDOW_WIDTH,
    )


def _proposed(found: Any) -> Decimal | None:
    value = (getattr(found, "proposed_correction", None) or {}).get("to_value")
    return Decimal(value) if isinstance(value, Decimal | int) and not isinstance(value, bool) else None


_SERIES: Final = """
    SELECT r.project_id, coalesce(r.event_type_id, e.event_type_id), r.position
      FROM data_point_results r LEFT JOIN events e ON (e.project_id, e.id) = (r.project_id, r.event_id)
     WHERE r.project_id = %s AND r.id = %s
"""


async def _series_of(visit: Visit, found: Any) -> SeriesName | None:
    key = ids.parse("data_point_result", found.id)
    if key is None:
        return None
    rows = await visit.reading.tuples(_SERIES, (key.project, key.key))
    return SeriesName(*rows[0]) if rows and rows[0][1] is not None else None


async def _waiting(visit: Visit) -> list[str]:
    """The proposals that wait, in the order of the inbox."""
    query = (("filter[approval_state]", "pending"), ("page_size", WAITING_WALKED), ("sort", "-id"))
    return [one.id for one in (await visit.ask(list_project_rule_results, query)).data]


async def _next(visit: Visit) -> str:
    """Where a reviewer goes on: the proposal behind this one, else the one before it, else the inbox."""
    around, here = await _waiting(visit), visit.path["rule_result_id"]
    project = f"/projects/{visit.path['project_id']}"
    if here not in around or len(around) == 1:
        return f"{project}/proposals"
    place = around.index(here)
    return f"{project}/rule_results/{around[place + 1] if place + 1 < len(around) else around[place - 1]}"


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="data_rules:read", of=get_rule_result)(rule_result),
    *rule_result_impact,
    *approve_proposal,
    *reject_proposal,
    *dismiss_result,
]
