"""The list of events. It is the pattern of a list page: filters in the address, one call, one template."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.event_types.records import EventType
from weighbridge.collection.event_types.routes import list_event_types
from weighbridge.collection.events.records import EVENT_STATUSES
from weighbridge.collection.events.routes import list_events
from weighbridge.web.listing import ListQuery, ListView, asked_for, typed_as_filters
from weighbridge.web.page import page
from weighbridge.web.visit import View, Visit, view

TYPES_OFFERED: Final = "200"
"""Event types that the filter offers."""

_DAYS: Final = {
    "from": "filter[start_time][geq]",
    "until": "filter[start_time][leq]",
}
"""Fields in which times are typed, and the filters that they are."""


def asked_for_events(visit: Visit) -> ListQuery:
    """What the list asks for, the newest first."""
    return asked_for(typed_as_filters(visit.query, _DAYS, visit.moments), sort="-start_time")


@page(
    "/projects/{project_id}/events",
    permission="data_collection:read",
    of=list_events,
    asked=asked_for_events,
)
async def events(visit: Visit) -> View:
    """Events of a project, the newest first."""
    query = asked_for_events(visit)
    found = await visit.ask(list_events, query)
    types = await visit.ask(list_event_types, (("page_size", TYPES_OFFERED), ("sort", "name")))
    path = f"/projects/{visit.frame.project.id}/events" if visit.frame.project else ""
    return view(
        "data/events.html", "Events",
        call=f"{path}?{urlencode(query)}", has_csv=True,
        events=found.data, list=ListView(path, visit.query, found.info), types=types.data,
        statuses=EVENT_STATUSES, of_type=_chosen(types.data, visit.asked("filter[slug]")),
    )  # fmt: skip


def _chosen(types: Sequence[EventType], slug: str) -> str:
    """The id of the event type that the list is filtered by; empty where events of it are not typed in."""
    return next((one.id for one in types if one.slug == slug and one.rolled_up_from is None), "")


PAGES: Final[list[HTTPRouteHandler]] = [*events]
