"""Data feeds: how the files of each source are read, in words, with what came of the last of them."""

from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.assets.routes import list_assets_of_project
from weighbridge.collection.event_types.records import EventType
from weighbridge.collection.event_types.routes import get_event_type, list_event_types
from weighbridge.collection.feedstocks.routes import list_feedstocks_of_project
from weighbridge.collection.locations.routes import list_locations
from weighbridge.exchange.data_feed_uploads.routes import list_uploads
from weighbridge.exchange.data_feeds.records import DataFeed
from weighbridge.exchange.data_feeds.routes import (
    delete_data_feed,
    get_data_feed,
    list_data_feeds,
    update_data_feed,
)
from weighbridge.web.data import feed_words
from weighbridge.web.listing import ListQuery, ListView, asked_for
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/data_feeds"
ONE: Final = PATH + "/{data_feed_id}"

OFFERED: Final = (("page_size", "200"), ("sort", "name"))
"""Records by whose names a feed speaks of them."""

UPLOADS_SHOWN: Final = (("page_size", "10"),)
"""Uploads that stand on the page of a feed, the newest."""


def asked_for_feeds(visit: Visit) -> ListQuery:
    """What the list asks for."""
    return asked_for(visit.query)


@page(PATH, permission="data_collection:read", of=list_data_feeds, asked=asked_for_feeds)
async def data_feeds(visit: Visit) -> View:
    """The data feeds of a project."""
    found = await visit.ask(list_data_feeds, asked_for_feeds(visit))
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
        feed=feed, kind=event_type, path=f"{path}/{feed.id}", sentences=feed_words.said_of(feed),
        columns=[
            (one.column, feed_words.meaning_of(one, event_type), feed_words.unit_of(one, event_type))
            for one in feed.columns
        ],
        records=await _records(visit, feed), uploads=uploads.data, more=uploads.info.next_cursor is not None,
    )  # fmt: skip


@form(f"{ONE}/delete", permission="data_collection:write", again=data_feed)
async def remove_feed(visit: Visit) -> Moved:
    """Remove a feed to which no file ever came."""
    await visit.do(delete_data_feed)
    return Moved(path_of(visit), "The feed is removed.")


@form(f"{ONE}/unwatch", permission="data_collection:write", again=data_feed)
async def stop_watching(visit: Visit) -> Moved:
    """Look for no more files at the watched place."""
    made = await visit.do(update_data_feed, {"data_feed": {"watch": None}})
    return Moved(f"{path_of(visit)}/{made.id}", "It looks for files no more.")


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


PAGES: Final[list[HTTPRouteHandler]] = [
    *data_feeds,
    *page(ONE, permission="data_collection:read", of=get_data_feed)(data_feed),
    *remove_feed,
    *stop_watching,
]
