"""Gaps of an event type: where meters lack valid values, what stands around and in them, by which rule."""

from datetime import timedelta
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.event_types.routes import get_event_type, list_event_types
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.errors import Conflict, Invalid, Malformed
from weighbridge.quality.gaps.records import Gap
from weighbridge.quality.gaps.routes import list_gaps
from weighbridge.quality.rules.routes import list_rules
from weighbridge.web.listing import ListQuery
from weighbridge.web.page import page
from weighbridge.web.visit import View, Visit, view

PATH: Final = "/projects/{project_id}/event_types/{event_type_id}/gaps"

SPAN_DAYS: Final = 31
"""Days back from now that are looked at unless the address says others."""

OFFERED: Final = (("page_size", "200"), ("sort", "name"))
"""Event types and rules that are named."""


def asked_for_gaps(visit: Visit) -> ListQuery:
    """The range that is asked for: as typed, or the last month."""
    moments = visit.moments
    end = moments.typed(visit.asked("until")) or Instant.of(moments.now.replace(second=0, microsecond=0))
    start = moments.typed(visit.asked("from")) or Instant.of(end - timedelta(days=SPAN_DAYS))
    return (("start_time", start.text), ("end_time", end.text))


@page("/projects/{project_id}/gaps", permission="data_collection:read", of=list_event_types)
async def gap_event_types(visit: Visit) -> View:
    """The event types that have a cadence, and so may have gaps."""
    types = (await visit.ask(list_event_types, OFFERED)).data
    path = f"/projects/{visit.path['project_id']}/event_types"
    return view(
        "data/gap_types.html", "Gaps", call=path, types=[one for one in types if one.cadence_unit], path=path
    )


@page(PATH, permission="data_collection:read", of=list_gaps, asked=asked_for_gaps, computes=True)
async def gaps(visit: Visit) -> View:
    """The gaps of an event type in a range."""
    kind = await visit.ask(get_event_type)
    query = asked_for_gaps(visit)
    found, problems = await _gaps(visit, query)
    project = f"/projects/{visit.path['project_id']}"
    units = {one.slug: one.unit or "" for one in kind.data_point_types}
    moments = visit.moments
    start, end = (Instant.read(text) for _, text in query)
    return view(
        "data/gaps.html", kind.name, call=f"{project}/event_types/{kind.id}/gaps", crumbs=(
            ("Gaps", f"{project}/gaps"),
        ),
        kind=kind, gaps=found, refused=problems, units=units, project=project, rules=await _rules(visit),
        fields=(moments.field(start), moments.field(end)), start=start, end=end,
        missing=sum(one.missing for one in found), filled=sum(one.imputed + one.substituted for one in found),
    )  # fmt: skip


async def _gaps(visit: Visit, query: ListQuery) -> tuple[list[Gap], tuple[Problem, ...]]:
    try:
        return (await visit.ask(list_gaps, query)).data, ()
    except (Invalid, Malformed, Conflict) as refusal:
        return [], tuple(refusal.problems)


async def _rules(visit: Visit) -> dict[str, Any]:
    """The rules of the project by id, whose words stand beside what they filled."""
    if not visit.may("data_rules:read"):
        return {}
    return {one.id: one for one in (await visit.ask(list_rules, OFFERED)).data}


PAGES: Final[list[HTTPRouteHandler]] = [*gap_event_types, *gaps]
