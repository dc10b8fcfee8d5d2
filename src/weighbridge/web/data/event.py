"""One event. It is the pattern of a record page: what it is, what it holds, what was done to it."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.data_points.routes import list_event_corrections
from weighbridge.collection.events.routes import get_event, update_event
from weighbridge.collection.evidence.routes import list_event_evidence
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/events/{event_id}"

PICTURES: Final = ("image/png", "image/jpeg", "image/webp", "image/gif")
"""Media types that a page shows; others are kept as a file."""

EVIDENCE_SHOWN: Final = "50"
"""Files and links that stand on the page of their event, the newest."""


async def event(visit: Visit) -> View:
    """An event with its data points and its history."""
    found = await visit.ask(get_event)
    evidence = await visit.ask(list_event_evidence, (("page_size", EVIDENCE_SHOWN), ("sort", "-id")))
    history = await visit.ask(list_event_corrections, (("page_size", "50"), ("sort", "-id")))
    names = {point.id: point.data_point_type for point in found.data_points}
    path = f"/projects/{found.project_id}/events"
    return view(
        "data/event.html", found.event_type,
        call=f"{path}/{found.id}", crumbs=(("Events", path),),
        event=found, history=history, names=names, evidence=evidence, pictures=PICTURES,
    )  # fmt: skip


@form(f"{PATH}/notes", permission="data_collection:write", again=event)
async def write_notes(visit: Visit) -> Moved:
    """Write notes, which are no measurement and so no correction."""
    found = await visit.do(update_event, {"event": {"notes": visit.text("notes") or None}})
    return Moved(f"/projects/{found.project_id}/events/{found.id}", "The notes are kept.")


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="data_collection:read", of=get_event)(event),
    *write_notes,
]
