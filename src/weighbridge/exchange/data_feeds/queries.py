"""Read data feeds."""

from functools import partial
from typing import Any, Final

import msgspec
from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Filter, Listing, ListRequest, Page, read_int4, read_page
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.errors import NotFound
from weighbridge.exchange.data_feeds.records import DataFeed, FeedColumn

DATA_FEEDS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("id",),
    filters={"name": Filter("name", str, "a name")},
)


def _columns(stored: Any) -> list[FeedColumn]:
    return msgspec.convert(stored, list[FeedColumn])


def _locations(project: int, numbers: list[int]) -> list[str]:
    return [ids.of("location", project, number) for number in numbers]


DATA_FEED_ROW: Final = row_of(
    DataFeed,
    Column("id", "id"),
    Column("project_id", "project_id", partial(ids.of, "project")),
    Column("name", "name"),
    Column("event_type_id", ("project_id", "event_type_id"), partial(ids.of, "event_type")),
    Column("columns", "columns", _columns),
    Column("other_columns", "other_columns"),
    Column("time_zone", "time_zone"),
    Column("time_format", "time_format"),
    Column("rows_in_order", "rows_in_order"),
    Column("duration", "duration"),
    Column("decimal_mark", "decimal_mark"),
    Column("encoding", "encoding"),
    Column("delimiter", "delimiter"),
    Column("header_line", "header_line"),
    Column("units_line", "units_line"),
    Column("sheet", "sheet"),
    Column("missing", "missing"),
    Column("formulas", "formulas"),
    Column("location_ids", ("project_id", "location_ids"), _locations),
    Column("feedstock_id", ("project_id", "feedstock_id"), unless_null(partial(ids.of, "feedstock"))),
    Column("asset_id", ("project_id", "asset_id"), unless_null(partial(ids.of, "asset"))),
    Column("client_reference", "client_reference"),
    Column("bad_rows", "bad_rows"),
    Column("on_difference", "on_difference"),
    Column("watch", "watch"),
    Column("watch_problem", "watch_problem"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
)


async def list_data_feeds(tx: Read, project: int, request: ListRequest) -> Page[DataFeed]:
    """The data feeds of a project."""
    of_project = SQL("project_id = {}").format(Literal(project))
    return await read_page(tx, DATA_FEED_ROW, DATA_FEEDS, request, source="data_feeds", where=[of_project])


async def get_data_feed(tx: Read, project: int, named: str) -> DataFeed:
    """One data feed by its number."""
    missing = NotFound("data_feed", named)
    try:
        number = read_int4(named)
    except ValueError:
        raise missing from None
    statement = f"SELECT {DATA_FEED_ROW.columns} FROM data_feeds WHERE project_id = %s AND id = %s"
    found = await tx.row(DATA_FEED_ROW.make, statement, (project, number))
    if found is None:
        raise missing
    return found
