"""Evidence of an event: files and links that prove what was measured, put there and looked at."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.evidence.routes import (
    create_evidence,
    download_evidence,
    get_evidence,
)
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.web.answer import Sendable
from weighbridge.web.data.event import PATH as EVENT
from weighbridge.web.data.event import PICTURES, event
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

ONE: Final = EVENT + "/evidences/{evidence_id}"


@form(
    f"{EVENT}/evidences", permission="data_collection:write", again=event,
    takes=create_evidence.opt["operation"].form,
)  # fmt: skip
async def attach_evidence(visit: Visit) -> Moved:
    """Attach a file, or a link where no file came."""
    if visit.file is not None:
        made = await visit.keep(create_evidence)
    elif not visit.text("url"):
        raise Invalid([Problem("Choose a file, or say where a link leads.", "url", "required")])
    else:
        link = {"type": "url", "url": visit.text("url"), "name": visit.text("name") or visit.text("url")}
        made = await visit.do(create_evidence, {"evidence": link})
    return Moved(_event(visit), f"{made.name} is attached.")


async def evidence(visit: Visit) -> View:
    """One file or link, with a look at it where it is a picture."""
    found = await visit.ask(get_evidence)
    path = f"{_event(visit)}/evidences/{found.id}"
    is_file = found.type == "file"
    return view(
        "data/evidence.html", found.name, call=path, crumbs=(("Event", _event(visit)),),
        evidence=found, path=path, is_file=is_file, is_seen=is_file and found.content_type in PICTURES,
    )  # fmt: skip


@page(f"{ONE}/file", permission="data_collection:read")
async def evidence_file(visit: Visit) -> Sendable:
    """The file itself: shown where it is a picture, and else kept."""
    found = await visit.ask(get_evidence)
    sent = await visit.ask(download_evidence)
    with await sent.read() as spool:
        content = spool.read()
    headers = {
        "Content-Type": sent.media_type,
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-store",
    }
    if found.content_type not in PICTURES:
        headers["Content-Disposition"] = "attachment"
    return Sendable(200, content, headers)


def _event(visit: Visit) -> str:
    return f"/projects/{visit.path['project_id']}/events/{visit.path['event_id']}"


PAGES: Final[list[HTTPRouteHandler]] = [
    *attach_evidence,
    *page(ONE, permission="data_collection:read", of=get_evidence)(evidence),
    *evidence_file,
]
