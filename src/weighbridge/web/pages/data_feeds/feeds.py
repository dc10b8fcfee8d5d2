"""Data feeds and their files: how files are read, in words, and the result of each row."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from weighbridge.collection.assets import list_assets_of_project
from weighbridge.collection.event_types import get_event_type, list_event_types
from weighbridge.collection.feedstocks import list_feedstocks_of_project
from weighbridge.collection.locations import list_locations
from weighbridge.collection.records.data_points import EventType
from weighbridge.core.collection.data_feed import (
    AboveLimit,
    BadRows,
    BelowLimit,
    DecimalMark,
    Formulas,
    OnDifference,
    OtherColumns,
    ReferenceRule,
    ThousandsSeparator,
)
from weighbridge.core.time.calendar import Instant
from weighbridge.exchange.data_feed_uploads import list_uploads
from weighbridge.exchange.data_feeds import delete_data_feed, get_data_feed, list_data_feeds, update_data_feed
from weighbridge.exchange.records.data_feeds import DATA_FEED_BODIES, DataFeed, FeedColumn
from weighbridge.exchange.tables.cell import DURATION, STEPS
from weighbridge.exchange.tables.clock_changes import ClockChange, NightOutcome, list_nights
from weighbridge.exchange.tables.columns import LOCATION_FIELD
from weighbridge.exchange.tables.table_form import LEFT_OUT
from weighbridge.web.display.figures import MONTHS, format_clock, plural
from weighbridge.web.framework.listing import ListView, list_query
from weighbridge.web.framework.page import action, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view

# What a data feed says, as sentences: how its files are read, and what becomes of their rows.


FILES_ACCEPTED: Final = ".csv,.txt,.tsv,.dat,.gz,.xlsx,.ods,.zip,.jsonl,.ndjson,.parquet"
"""What a browser offers to select first."""

DELIMITERS: Final[Mapping[str, str]] = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
"""What cells of CSV files are parted by, in words."""

FIELDS: Final[Mapping[str, str]] = {
    "start_time": "start time",
    "end_time": "end time",
    "utc_offset": "UTC offset of the time, such as +02:00 or CEST",
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
SEPARATORS: Final[Mapping[str, str]] = {
    ThousandsSeparator.NONE: "none",
    ThousandsSeparator.POINT: "a point",
    ThousandsSeparator.COMMA: "a comma",
    ThousandsSeparator.SPACE: "a space",
    ThousandsSeparator.APOSTROPHE: "an apostrophe",
}
BELOW_LIMITS: Final[Mapping[str, str]] = {
    BelowLimit.REFUSE: "the row is invalid",
    BelowLimit.LIMIT: "the limit",
    BelowLimit.HALF: "half of the limit",
    BelowLimit.ZERO: "zero",
}
ABOVE_LIMITS: Final[Mapping[str, str]] = {
    AboveLimit.REFUSE: "the row is invalid",
    AboveLimit.LIMIT: "the limit",
}
MARKS: Final[Mapping[str, str]] = {DecimalMark.POINT: "a point", DecimalMark.COMMA: "a comma"}


def describe_feed(feed: DataFeed) -> list[tuple[str, str]]:
    """What the feed does, a term and a sentence each."""
    texts = ", ".join(feed.missing)
    return [
        ("Files", _files(feed)),
        ("Times", _times(feed)),
        ("Duration", _length(feed)),
        ("Numbers", _numbers(feed)),
        ("Detection limits", _limits(feed)),
        ("No value", f"an empty cell, {texts}" if texts else "an empty cell"),
        ("Event identity", REFERENCES[feed.client_reference]),
        ("Invalid rows", BAD_ROWS[feed.bad_rows]),
        ("Different rows", DIFFERENCES[feed.on_difference]),
        ("Other columns", OTHERS[feed.other_columns]),
        ("Formulas", FORMULAS[feed.formulas]),
    ]


_OUTCOMES: Final[Mapping[str, str]] = {
    NightOutcome.REFUSED: (
        "come twice, and rows with them are invalid. To prevent it, have the source write UTC, an offset or "
        "standard time all year, add a column with the UTC offset, or declare that rows are in "
        "chronological order."
    ),
    NightOutcome.BY_ROWS: (
        "come twice; the order of the rows decides. Rows are invalid if only one of the two hours has rows."
    ),
    NightOutcome.BY_LENGTH: (
        "come twice; the duration of each row decides. A row that lies within these times is invalid."
    ),
    NightOutcome.BY_OFFSET: "come twice; the column with the UTC offset decides.",
    NightOutcome.SKIPPED: (
        "do not exist, and rows with them are invalid. If the source writes them, its clock does not follow "
        "the zone: select its standard time."
    ),
}


def describe_nights(zone: str, body: Mapping[str, Any], now: Instant) -> list[tuple[str, str]]:
    """The nights of clock changes ahead, each with what then becomes of files."""
    columns = [FeedColumn(str(one["column"]), str(one["field"])) for one in body.get("columns", ())]
    feed = DATA_FEED_BODIES.unstored(
        name="Feed", event_type_id="", columns=columns, time_zone=zone or None,
        time_format=body.get("time_format"), duration=body.get("duration"),
        rows_in_order=bool(body.get("rows_in_order")),
    )  # fmt: skip
    return [_describe_night(change, outcome) for change, outcome in list_nights(feed, now)]


def _describe_night(change: ClockChange, outcome: NightOutcome) -> tuple[str, str]:
    day = f"{change.start.day} {MONTHS[change.start.month - 1]} {change.start.year}"
    hours = f"Times from {format_clock(change.start)} to {format_clock(change.end)}"
    return day, f"{hours} {_OUTCOMES[outcome]}"


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
    header = f"line {feed.header_line} is the header" if feed.header_line else "the header is found by name"
    archive = f"the files {feed.archive_files}" if feed.archive_files else "all files"
    skipped = f"; rows that begin with {', '.join(feed.skip_rows)} are skipped" if feed.skip_rows else ""
    long_form = (
        f"; each row is one value, with its tag in {feed.tag_column} and its value in {feed.value_column}"
        if feed.tag_column
        else ""
    )
    return (
        f"CSV in {feed.encoding}, delimited by {delimiter_name}, or {sheet} of a workbook, or {archive} of "
        f"an archive; {header}{units}{long_form}{skipped}"
    )


def _times(feed: DataFeed) -> str:
    form = f"written as {feed.time_format}" if feed.time_format else "in ISO 8601"
    zone = f"in the time zone {feed.time_zone}" if feed.time_zone else "with an offset, or the row is invalid"
    order = "; rows are in chronological order" if feed.rows_in_order else ""
    order += ", and so are files" if feed.files_in_order else ""
    return f"{form}, {zone}{order}"


def _numbers(feed: DataFeed) -> str:
    separator = SEPARATORS[feed.thousands_separator]
    return f"decimal mark: {MARKS[feed.decimal_mark]}; thousands separator: {separator}"


def _limits(feed: DataFeed) -> str:
    below, above = BELOW_LIMITS[feed.below_limit], ABOVE_LIMITS[feed.above_limit]
    return f"below, such as <0.05: {below}; above, such as >1000: {above}"


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
        nights=[_describe_night(*night) for night in list_nights(feed, visit.frame.now)],
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
