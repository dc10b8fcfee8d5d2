"""Data feeds and the files that came to them: how each is read, in words, and what became of each row."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from weighbridge.collection.assets import list_assets_of_project
from weighbridge.collection.event_types import get_event_type, list_event_types
from weighbridge.collection.feedstocks import list_feedstocks_of_project
from weighbridge.collection.locations import list_locations
from weighbridge.collection.records.data_points import EventType
from weighbridge.core.collection.data_feed import (
    BadRows,
    DecimalMark,
    Formulas,
    OnDifference,
    OtherColumns,
    ReferenceRule,
)
from weighbridge.core.platform.tasks import TaskState
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import MILLISECOND, Instant
from weighbridge.errors import Invalid
from weighbridge.exchange.data_feed_uploads import create_upload, download_bad_rows, get_upload, list_uploads
from weighbridge.exchange.data_feeds import delete_data_feed, get_data_feed, list_data_feeds, update_data_feed
from weighbridge.exchange.records.data_feeds import DataFeed, DataFeedUpload, FeedColumn
from weighbridge.exchange.tables.cell import DURATION, STEPS
from weighbridge.exchange.tables.columns import LEFT_OUT, LOCATION_FIELD
from weighbridge.http.messages.reply import AttachmentReply
from weighbridge.web.display.figures import plural
from weighbridge.web.framework.listing import ListView, list_query
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

# What a data feed says, as sentences: how its files are read, and what becomes of their rows.


DELIMITERS: Final[Mapping[str, str]] = {",": "comma", ";": "semicolon", "\t": "tab", "|": "upright line"}
"""What cells of CSV files are parted by, in words."""

FIELDS: Final[Mapping[str, str]] = {
    "start_time": "when it begins",
    "end_time": "when it ends",
    "tracking_id": "tracking id",
    LOCATION_FIELD: "location, by its name or id",
    "feedstock": "feedstock, by its name or id",
    "asset": "asset, by its name or id",
    "client_reference": "client reference",
    "notes": "notes",
}
"""What a column may give of the event itself."""

REFERENCES: Final[Mapping[str, str]] = {
    ReferenceRule.ROW: "by the content of the file and the line: the same file adds nothing twice",
    ReferenceRule.TIME: "by what it is of and when it begins: files may overlap, grow and be mended",
    ReferenceRule.COLUMN: "by the column that gives the client reference",
}
BAD_ROWS: Final[Mapping[str, str]] = {
    BadRows.REFUSE_FILE: "one bad row refuses the whole file",
    BadRows.SKIP: "a bad row is left out and reported, the others are stored",
}
DIFFERENCES: Final[Mapping[str, str]] = {
    OnDifference.REPORT: "they stay as they are, and the row is reported",
    OnDifference.CORRECT: "they are corrected to what the file says",
}
OTHERS: Final[Mapping[str, str]] = {
    OtherColumns.REFUSE: "a column about which nothing is said refuses the file",
    OtherColumns.LEAVE_OUT: "a column about which nothing is said is left out",
}
FORMULAS: Final[Mapping[str, str]] = {
    Formulas.REFUSE: "a cell with a formula makes its row bad",
    Formulas.TAKE_STORED: "of a formula the value that was saved with it is taken",
}
MARKS: Final[Mapping[str, str]] = {DecimalMark.POINT: "a point", DecimalMark.COMMA: "a comma"}


def said_of(feed: DataFeed) -> list[tuple[str, str]]:
    """What the feed does, a term and a sentence each."""
    texts = ", ".join(feed.missing)
    return [
        ("Files", _files(feed)),
        ("Times", _times(feed)),
        ("Length", _length(feed)),
        ("Numbers", f"{MARKS[feed.decimal_mark]} stands before the decimals"),
        ("No value", f"an empty cell, {texts}" if texts else "an empty cell"),
        ("Told apart", REFERENCES[feed.client_reference]),
        ("Bad rows", BAD_ROWS[feed.bad_rows]),
        ("Other values", f"of events that are there: {DIFFERENCES[feed.on_difference]}"),
        ("Other columns", OTHERS[feed.other_columns]),
        ("Formulas", FORMULAS[feed.formulas]),
    ]


def meaning_of(column: FeedColumn, event_type: EventType) -> str:
    """What a column gives, in words."""
    if column.field == LEFT_OUT:
        return "nothing, it is left out"
    point = next((one for one in event_type.data_point_types if one.slug == column.field), None)
    if point is None:
        return FIELDS.get(column.field, column.field)
    return point.name


def unit_of(column: FeedColumn, event_type: EventType) -> str:
    """The unit in which the numbers of a column are written, and into which they are converted."""
    own = next((one.unit for one in event_type.data_point_types if one.slug == column.field), None) or ""
    written = column.unit or own
    return written if written == own or not own else f"{written}, converted to {own}"


def fields_of(event_type: EventType) -> Sequence[tuple[str, Sequence[tuple[str, str]]]]:
    """What a column may give, in groups: of the values, of the event."""
    points = [
        (one.slug, f"{one.name} ({one.unit})" if one.unit else one.name)
        for one in event_type.data_point_types
    ]
    taken = {slug for slug, _ in points}
    of_event = [(field, words) for field, words in FIELDS.items() if field not in taken]
    return (("Values", points), ("Of the event", of_event))


def _files(feed: DataFeed) -> str:
    parted = DELIMITERS.get(feed.delimiter, repr(feed.delimiter))
    sheet = f"the sheet {feed.sheet}" if feed.sheet else "the first sheet"
    units = ", and the next one their units" if feed.units_line else ""
    return (
        f"CSV in {feed.encoding} with a {parted} between cells, or a workbook, of which {sheet} is read; "
        f"line {feed.header_line} names the columns{units}"
    )


def _times(feed: DataFeed) -> str:
    form = f"written as {feed.time_format}" if feed.time_format else "in ISO 8601"
    zone = f"on the clock of {feed.time_zone}" if feed.time_zone else "with an offset, or the row is bad"
    order = "; each row is later than the one before it" if feed.rows_in_order else ""
    return f"{form}, {zone}{order}"


def _length(feed: DataFeed) -> str:
    if feed.duration is None:
        return "a moment, unless a column says when it ends"
    match = DURATION.fullmatch(feed.duration)
    if match is None:
        return feed.duration
    return f"{plural(int(match[1]), STEPS[match[2]].removesuffix('s'))} from when it begins"


# Data feeds: how the files of each source are read, in words, with what came of the last of them.


PATH: Final = "/projects/{project_id}/data_feeds"
ONE: Final = PATH + "/{data_feed_id}"

OFFERED: Final = (("page_size", "200"), ("sort", "name"))
"""Records by whose names a feed speaks of them."""

UPLOADS_SHOWN: Final = (("page_size", "10"),)
"""Uploads that stand on the page of a feed, the newest."""


@page(PATH, permission="data_collection:read", of=list_data_feeds, asked=list_query)
async def data_feeds(visit: Visit) -> View:
    """The data feeds of a project."""
    found = await visit.ask(list_data_feeds, list_query(visit))
    types = await visit.ask(list_event_types, OFFERED)
    path = path_of(visit)
    return view(
        "data/feeds.html", "Feeds", call=path, has_csv=True, feeds=found.data, path=path,
        list=ListView(path, visit.query, found.info), names={one.id: one.name for one in types.data},
    )  # fmt: skip


async def data_feed(visit: Visit) -> View:
    """One feed: what it does in words, its columns as a table, a form for a file, the last files."""
    feed: DataFeed = await visit.ask(get_data_feed)
    event_type: EventType = await visit.ask(get_event_type, event_type_id=feed.event_type_id)
    uploads = await visit.ask(list_uploads, UPLOADS_SHOWN)
    path = path_of(visit)
    return view(
        "data/feed.html", feed.name, call=f"{path}/{feed.id}", crumbs=(("Feeds", path),),
        feed=feed, kind=event_type, path=f"{path}/{feed.id}", sentences=said_of(feed),
        columns=[
            (one.column, meaning_of(one, event_type), unit_of(one, event_type))
            for one in feed.columns
        ],
        records=await _records(visit, feed), uploads=uploads.data, more=uploads.info.next_cursor is not None,
    )  # fmt: skip


@form(f"{ONE}/delete", permission="data_collection:write", again=data_feed)
async def remove_feed(visit: Visit) -> Redirect:
    """Remove a feed to which no file ever came."""
    await visit.do(delete_data_feed)
    return Redirect(path_of(visit), "The feed is removed.")


@form(f"{ONE}/unwatch", permission="data_collection:write", again=data_feed)
async def stop_watching(visit: Visit) -> Redirect:
    """Look for no more files at the watched place."""
    made = await visit.do(update_data_feed, {"data_feed": {"watch": None}})
    return Redirect(f"{path_of(visit)}/{made.id}", "It looks for files no more.")


def path_of(visit: Visit) -> str:
    """Where the feeds of the project are."""
    return f"/projects/{visit.path['project_id']}/data_feeds"


async def named_records(visit: Visit) -> dict[str, list[Any]]:
    """Locations, feedstocks and assets by which events may be marked."""
    return {
        "locations": (await visit.ask(list_locations, OFFERED)).data,
        "feedstocks": (await visit.ask(list_feedstocks_of_project, OFFERED)).data,
        "assets": (await visit.ask(list_assets_of_project, OFFERED)).data,
    }


async def _records(visit: Visit, feed: DataFeed) -> list[tuple[str, list[tuple[str, str]]]]:
    """What every event of the feed is marked with: ids and names."""
    named = {
        "Where": feed.location_ids,
        "Feedstock": [feed.feedstock_id] if feed.feedstock_id else [],
        "Asset": [feed.asset_id] if feed.asset_id else [],
    }
    if not any(named.values()):
        return []
    known = {one.id: one.name for group in (await named_records(visit)).values() for one in group}
    return [
        (term, [(one, known.get(one, one)) for one in marked]) for term, marked in named.items() if marked
    ]


# Files that came to a data feed: sending one, trying it first, and what became of each of its rows.


UPLOADS: Final = ONE + "/uploads"
UPLOAD: Final = UPLOADS + "/{upload_id}"

_RUNNING: Final = (TaskState.PENDING, TaskState.RUNNING)


@page(UPLOADS, permission="data_collection:read", of=list_uploads, asked=list_query)
async def uploads(visit: Visit) -> View:
    """All files that came to a feed, the newest first."""
    feed = await visit.ask(get_data_feed)
    found = await visit.ask(list_uploads, list_query(visit))
    path = f"{path_of(visit)}/{feed.id}"
    return view(
        "data/uploads.html", "Files", call=f"{path}/uploads", has_csv=True,
        crumbs=(("Feeds", path_of(visit)), (feed.name, path)),
        feed=feed, path=path, uploads=found.data, list=ListView(f"{path}/uploads", visit.query, found.info),
    )  # fmt: skip


@form(UPLOADS, permission="data_collection:write", again=data_feed, takes=create_upload.opt["operation"].form)
async def send_file(visit: Visit) -> Redirect:
    """Send a file: to be tried, or in earnest."""
    if visit.file is None:
        raise Invalid([Problem("Choose a file first.", "file", "required")])
    answer = await visit.keep(create_upload)
    return Redirect(_path(visit, answer.record))


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
async def take_again(visit: Visit) -> Redirect:
    """Take the same file once more: in earnest as a rule, after it was tried."""
    tried: DataFeedUpload = await visit.ask(get_upload)
    body = {"of_upload": tried.id, "dry_run": visit.text("dry_run") == "true"}
    made = await visit.do(create_upload, {"upload": body})
    return Redirect(_path(visit, made))


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


PAGES = [
    *data_feeds,
    *page(ONE, permission="data_collection:read", of=get_data_feed)(data_feed),
    *remove_feed,
    *stop_watching,
    *uploads,
    *send_file,
    *page(UPLOAD, permission="data_collection:read", of=get_upload)(upload),
    *take_again,
    *bad_rows,
]
