"""Files that came to a data feed: sending one, trying it first, and what became of each of its rows."""

from typing import Final
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.event_types.records import EventType
from weighbridge.collection.event_types.routes import get_event_type
from weighbridge.core.platform.task_state import TaskState
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import MILLISECOND, Instant
from weighbridge.errors import Invalid
from weighbridge.exchange.data_feed_uploads.records import DataFeedUpload
from weighbridge.exchange.data_feed_uploads.routes import (
    create_upload,
    download_bad_rows,
    get_upload,
    list_uploads,
)
from weighbridge.exchange.data_feeds.routes import get_data_feed
from weighbridge.http.attachment import AttachmentReply
from weighbridge.web.data.feeds import ONE, data_feed, path_of
from weighbridge.web.listing import ListQuery, ListView, asked_for
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

UPLOADS: Final = ONE + "/uploads"
UPLOAD: Final = UPLOADS + "/{upload_id}"

_RUNNING: Final = (TaskState.PENDING, TaskState.RUNNING)


def asked_for_uploads(visit: Visit) -> ListQuery:
    """What the list asks for."""
    return asked_for(visit.query)


@page(UPLOADS, permission="data_collection:read", of=list_uploads, asked=asked_for_uploads)
async def uploads(visit: Visit) -> View:
    """All files that came to a feed, the newest first."""
    feed = await visit.ask(get_data_feed)
    found = await visit.ask(list_uploads, asked_for_uploads(visit))
    path = f"{path_of(visit)}/{feed.id}"
    return view(
        "data/uploads.html", "Files", call=f"{path}/uploads", has_csv=True,
        crumbs=(("Feeds", path_of(visit)), (feed.name, path)),
        feed=feed, path=path, uploads=found.data, list=ListView(f"{path}/uploads", visit.query, found.info),
    )  # fmt: skip


@form(UPLOADS, permission="data_collection:write", again=data_feed, takes=create_upload.opt["operation"].form)
async def send_file(visit: Visit) -> Moved:
    """Send a file: to be tried, or in earnest."""
    if visit.file is None:
        raise Invalid([Problem("Choose a file first.", "file", "required")])
    answer = await visit.keep(create_upload)
    return Moved(_path(visit, answer.record))


async def upload(visit: Visit) -> View:
    """One file: how far it is, then what became of its rows, with what is wrong with the bad ones."""
    feed = await visit.ask(get_data_feed)
    kind: EventType = await visit.ask(get_event_type, event_type_id=feed.event_type_id)
    found: DataFeedUpload = await visit.ask(get_upload)
    path = f"{path_of(visit)}/{feed.id}"
    names = {one.slug: one.name for one in kind.data_point_types}
    return view(
        "data/upload.html", found.file_name, call=f"{path}/uploads/{found.id}",
        crumbs=(("Feeds", path_of(visit)), (feed.name, path)),
        feed=feed, kind=kind, upload=found, path=path, names=names, is_over=found.state not in _RUNNING,
        events=_events(visit, kind, found, feed.duration),
    )  # fmt: skip


@form(f"{UPLOAD}/again", permission="data_collection:write", again=upload)
async def take_again(visit: Visit) -> Moved:
    """Take the same file once more: in earnest as a rule, after it was tried."""
    tried: DataFeedUpload = await visit.ask(get_upload)
    body = {"of_upload": tried.id, "dry_run": visit.text("dry_run") == "true"}
    made = await visit.do(create_upload, {"upload": body})
    return Moved(_path(visit, made))


@page(f"{UPLOAD}/bad_rows", permission="data_collection:read")
async def bad_rows(visit: Visit) -> AttachmentReply:
    """Every bad row as a file."""
    sent = await visit.ask(download_bad_rows)
    reply: AttachmentReply = sent.reply(visit.request.app.state.downloads, visit.actor.account_id)
    return reply


def _path(visit: Visit, made: DataFeedUpload) -> str:
    return f"{path_of(visit)}/{made.data_feed_id}/uploads/{made.id}"


def _events(visit: Visit, kind: EventType, found: DataFeedUpload, duration: str | None) -> str:
    """Where the events stand that the file brought, by their type and time; empty where it brought none."""
    if not found.stored or found.first_start is None or found.last_end is None:
        return ""
    last = found.last_end if duration is None else Instant.of(found.last_end - MILLISECOND)
    query = {
        "filter[slug]": kind.slug,
        "filter[start_time][geq]": found.first_start.text,
        "filter[start_time][leq]": last.text,
    }
    return f"/projects/{visit.path['project_id']}/events?{urlencode(query)}"


PAGES: Final[list[HTTPRouteHandler]] = [
    *uploads,
    *send_file,
    *page(UPLOAD, permission="data_collection:read", of=get_upload)(upload),
    *take_again,
    *bad_rows,
]
