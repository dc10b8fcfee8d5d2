"""Read outages."""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.collection.outages.records import Outage
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.db.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    Page,
    read_int4,
    read_moment,
    read_page,
)
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.errors import NotFound
from weighbridge.platform.tenancy.scope import find

OUTAGES: Final = Listing(
    sorts={"id": "id", "start_time": "start_time", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("id",),
    filters={
        "start_time": Filter("start_time", read_moment, MOMENT, BOUNDS),
        "end_time": Filter("end_time", read_moment, MOMENT, BOUNDS),
    },
)


OUTAGE_ROW: Final = row_of(
    Outage,
    Column("id", "id"),
    Column("project_id", "project_id", partial(ids.of, "project")),
    Column("reason", "reason"),
    Column("asset_id", ("project_id", "asset_id"), unless_null(partial(ids.of, "asset"))),
    Column("location_id", ("project_id", "location_id"), unless_null(partial(ids.of, "location"))),
    Column("event_type_id", ("project_id", "event_type_id"), unless_null(partial(ids.of, "event_type"))),
    Column("start_time", "start_time"),
    Column("end_time", "end_time"),
    Column("evidence_url", "evidence_url"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
)


async def list_outages(tx: Read, project: int, request: ListRequest) -> Page[Outage]:
    """The outages of a project."""
    of_project = SQL("project_id = {}").format(Literal(project))
    return await read_page(tx, OUTAGE_ROW, OUTAGES, request, source="outages", where=[of_project])


async def get_outage(tx: Read, project: int, named: str) -> Outage:
    """One outage by its number."""
    try:
        number = read_int4(named)
    except ValueError:
        raise NotFound from None
    return await find(tx, OUTAGE_ROW, "outages", SQL("project_id = %s AND id = %s"), (project, number))
