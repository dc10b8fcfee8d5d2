"""Read static inputs."""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.db.listing import (
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    Page,
    page_of,
    read_int4,
    read_key,
    read_moment,
)
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.errors import NotFound
from weighbridge.modelling.static_inputs.records import StaticInput

STATIC_INPUTS: Final = Listing(
    sorts={"id": "id", "slug": "slug", "effective_from": "effective_from", "created_at": "created_at"},
    default_sort="id",
    key=("id",),
    filters={
        "slug": Filter("slug", str, "a slug"),
        "effective_from": Filter("effective_from", read_moment, MOMENT, ("eq", "geq", "leq")),
        "asset_id": Filter("asset_id", read_key("asset"), "an id ast_…"),
        "feedstock_id": Filter("feedstock_id", read_key("feedstock"), "an id fs_…"),
        "location_id": Filter("location_id", read_key("location"), "an id loc_…"),
    },
)

STATIC_INPUT_ROW: Final = row_of(
    StaticInput,
    Column("id", "id"),
    Column("project_id", "project_id", partial(ids.of, "project")),
    Column("slug", "slug"),
    Column("value", "value"),
    Column("unit", "unit"),
    Column("effective_from", "effective_from"),
    Column("asset_id", ("project_id", "asset_id"), unless_null(partial(ids.of, "asset"))),
    Column("feedstock_id", ("project_id", "feedstock_id"), unless_null(partial(ids.of, "feedstock"))),
    Column("location_id", ("project_id", "location_id"), unless_null(partial(ids.of, "location"))),
    Column("created_at", "created_at"),
)


async def list_static_inputs(tx: Read, project: int, request: ListRequest) -> Page[StaticInput]:
    """The static inputs of a project."""
    of_project = SQL("project_id = {}").format(Literal(project))
    return await page_of(
        tx, STATIC_INPUT_ROW.make, STATIC_INPUTS, request,
        columns=STATIC_INPUT_ROW.columns, source="static_inputs", where=[of_project],
    )  # fmt: skip


async def get_static_input(tx: Read, project: int, named: str) -> StaticInput:
    """One static input by its number."""
    try:
        number = read_int4(named)
    except ValueError:
        raise NotFound from None
    static_input = await tx.row(
        STATIC_INPUT_ROW.make,
        f"SELECT {STATIC_INPUT_ROW.columns} FROM static_inputs WHERE project_id = %s AND id = %s",
        (project, number),
    )
    if static_input is None:
        raise NotFound
    return static_input
