"""Data feeds and their files: how files are read, in words, and the result of each row."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

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
from weighbridge.exchange.data_feed_uploads import list_uploads
from weighbridge.exchange.data_feeds import delete_data_feed, get_data_feed, list_data_feeds, update_data_feed
from weighbridge.exchange.records.data_feeds import DataFeed, FeedColumn
from weighbridge.exchange.tables.cell import DURATION, STEPS
from weighbridge.exchange.tables.columns import LOCATION_FIELD
from weighbridge.exchange.tables.table_form import LEFT_OUT
from weighbridge.web.display.figures import plural
from weighbridge.web.framework.listing import ListView, list_query
from weighbridge.web.framework.page import action, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

# What a data feed says, as sentences: how its files are read, and what becomes of their rows.


DELIMITERS: Final[Mapping[str, str]] = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
"""What cells of CSV files are parted by, in words."""

FIELDS: Final[Mapping[str, str]] = {
    "start_time": "start time",
    "end_time": "end time",
    "tracking_id": "tracking ID",
    LOCATION_FIELD: "location, by name or ID",
    "feedstock": "feedstock, by name or ID",
    "asset": "asset, by name or ID",
    "client_reference": "client reference",
    "notes": "notes",
}
"""What a column may give of the event itself."""

REFERENCES: Final[Mapping[str, str]] = {
    ReferenceRule.ROW: "by file content and line: the same file never adds an event twice",
    ReferenceRule.TIME: "by source and start time: files may overlap, grow and be corrected",
    ReferenceRule.COLUMN: "by the column with the client reference",
}
BAD_ROWS: Final[Mapping[str, str]] = {
    BadRows.REFUSE_FILE: "one invalid row rejects the entire file",
    BadRows.SKIP: "invalid rows are skipped and reported; the other rows are stored",
}
DIFFERENCES: Final[Mapping[str, str]] = {
    OnDifference.REPORT: "the stored event is unchanged and the row is reported",
    OnDifference.CORRECT: "the stored event is corrected to the values in the file",
}
OTHERS: Final[Mapping[str, str]] = {
    OtherColumns.REFUSE: "a column that is not configured rejects the file",
    OtherColumns.LEAVE_OUT: "columns that are not configured are ignored",
}
FORMULAS: Final[Mapping[str, str]] = {
    Formulas.REFUSE: "a cell with a formula makes its row invalid",
    Formulas.TAKE_STORED: "the value saved with a formula is used",
}
MARKS: Final[Mapping[str, str]] = {DecimalMark.POINT: "a point", DecimalMark.COMMA: "a comma"}


def describe_feed(feed: DataFeed) -> list[tuple[str, str]]:
    """What the feed does, a term and a sentence each."""
    texts = ", ".join(feed.missing)
    return [
        ("Files", _files(feed)),
        ("Times", _times(feed)),
        ("Duration", _length(feed)),
        ("Numbers", f"decimal mark: {MARKS[feed.decimal_mark]}"),
        ("No value", f"an empty cell, {texts}" if texts else "an empty cell"),
        ("Event identity", REFERENCES[feed.client_reference]),
        ("Invalid rows", BAD_ROWS[feed.bad_rows]),
        ("Different rows", DIFFERENCES[feed.on_difference]),
        ("Other columns", OTHERS[feed.other_columns]),
        ("Formulas", FORMULAS[feed.formulas]),
    ]


def meaning_of(column: FeedColumn, event_type: EventType) -> str:
    """What a column gives, in words."""
    if column.field == LEFT_OUT:
        return "ignored"
    point = next((type_ for type_ in event_type.data_point_types if type_.slug == column.field), None)
    if point is None:
        return FIELDS.get(column.field, column.field)
    return point.name


def unit_of(column: FeedColumn, event_type: EventType) -> str:
    """The unit in which the numbers of a column are written, and into which they are converted."""
    own_unit = (
        next((type_.unit for type_ in event_type.data_point_types if type_.slug == column.field), None) or ""
    )
    column_unit = column.unit or own_unit
    return (
        column_unit if column_unit == own_unit or not own_unit else f"{column_unit}, converted to {own_unit}"
    )


def fields_of(event_type: EventType) -> Sequence[tuple[str, Sequence[tuple[str, str]]]]:
    """What a column may give, in groups: of the values, of the event."""
    points = [
        (type_.slug, f"{type_.name} ({type_.unit})" if type_.unit else type_.name)
        for type_ in event_type.data_point_types
    ]
    point_slugs = {slug for slug, _ in points}
    of_event = [(field, words) for field, words in FIELDS.items() if field not in point_slugs]
    return (("Data points", points), ("Event fields", of_event))


def _files(feed: DataFeed) -> str:
    delimiter_name = DELIMITERS.get(feed.delimiter, repr(feed.delimiter))
    sheet = f"the sheet {feed.sheet}" if feed.sheet else "the first sheet"
    units = ", the next line has the units" if feed.units_line else ""
    return (
        f"CSV in {feed.encoding}, delimited by {delimiter_name}, or {sheet} of a workbook; "
        f"line {feed.header_line} is the header{units}"
    )


def _times(feed: DataFeed) -> str:
    form = f"written as {feed.time_format}" if feed.time_format else "in ISO 8601"
    zone = f"in the time zone {feed.time_zone}" if feed.time_zone else "with an offset, or the row is invalid"
    order = "; rows are in chronological order" if feed.rows_in_order else ""
    return f"{form}, {zone}{order}"


def _length(feed: DataFeed) -> str:
    if feed.duration is None:
        return "none, unless a column has the end time"
    match = DURATION.fullmatch(feed.duration)
    if match is None:
        return feed.duration
    return f"{plural(int(match[1]), STEPS[match[2]].removesuffix('s'))} from the start time"


# Data feeds: how the files of each source are read, in words, with what came of the last of them.


PATH: Final = "/projects/{project_id}/data_feeds"
ONE: Final = PATH + "/{data_feed_id}"

OFFERED: Final = (("page_size", "200"), ("sort", "name"))
"""Records by whose names a feed speaks of them."""

UPLOADS_SHOWN: Final = (("page_size", "10"),)
"""Uploads on the page of a feed, the newest."""


@page(PATH, permission="data_collection:read", of=list_data_feeds, query_of=list_query)
async def data_feeds(visit: Visit) -> View:
    """The data feeds of a project."""
    listed_feeds = await visit.ask(list_data_feeds, list_query(visit))
    types = await visit.ask(list_event_types, OFFERED)
    path = visit.url("data_feeds")
    return view(
        "data/feeds.html",
        "Feeds",
        call=path,
        has_csv=True,
        feeds=listed_feeds.data,
        path=path,
        list=ListView(path, visit.query, listed_feeds.info),
        names={event_type_.id: event_type_.name for event_type_ in types.data},
    )


async def data_feed(visit: Visit) -> View:
    """One feed: what it does in words, its columns as a table, a form for a file, the last files."""
    feed: DataFeed = await visit.ask(get_data_feed)
    event_type: EventType = await visit.ask(get_event_type, event_type_id=feed.event_type_id)
    uploads = await visit.ask(list_uploads, UPLOADS_SHOWN)
    path = visit.url("data_feeds")
    return view(
        "data/feed.html", feed.name, call=f"{path}/{feed.id}", crumbs=(("Feeds", path),),
        feed=feed, kind=event_type, path=f"{path}/{feed.id}", sentences=describe_feed(feed),
        columns=[
            (column.column, meaning_of(column, event_type), unit_of(column, event_type))
            for column in feed.columns
        ],
        records=await _records(visit, feed), uploads=uploads.data, more=uploads.info.next_cursor is not None,
    )  # fmt: skip


@form(f"{ONE}/unwatch", permission="data_collection:write", error_page=data_feed)
async def stop_watching(visit: Visit) -> Redirect:
    """Look for no more files at the watched place."""
    changed_feed = await visit.do(update_data_feed, {"data_feed": {"watch": None}})
    return Redirect(visit.url(f"data_feeds/{changed_feed.id}"), "Watching stopped.")


async def named_records(visit: Visit) -> dict[str, list[Any]]:
    """Locations, feedstocks and assets by which events may be marked."""
    return {
        "locations": (await visit.ask(list_locations, OFFERED)).data,
        "feedstocks": (await visit.ask(list_feedstocks_of_project, OFFERED)).data,
        "assets": (await visit.ask(list_assets_of_project, OFFERED)).data,
    }


async def _records(visit: Visit, feed: DataFeed) -> list[tuple[str, list[tuple[str, str]]]]:
    """What every event of the feed is marked with: ids and names."""
    ids_by_term = {
        "Locations": feed.location_ids,
        "Feedstock": [feed.feedstock_id] if feed.feedstock_id else [],
        "Asset": [feed.asset_id] if feed.asset_id else [],
    }
    if not any(ids_by_term.values()):
        return []
    names_by_id = {
        record.id: record.name for group in (await named_records(visit)).values() for record in group
    }
    return [
        (term, [(record, names_by_id.get(record, record)) for record in record_ids])
        for term, record_ids in ids_by_term.items()
        if record_ids
    ]


PAGES = [
    *data_feeds,
    *page(ONE, permission="data_collection:read", of=get_data_feed)(data_feed),
    *action(
        f"{ONE}/delete", delete_data_feed, permission="data_collection:write", error_page=data_feed,
        back="data_feeds", notice="Feed deleted.",
    ),
    *stop_watching,
]  # fmt: skip
