"""Read custom fields."""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.collection.asset_custom_fields.records import AssetCustomField
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.db.listing import Listing, ListRequest, Page, page_of, read_int4
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound

ASSET_CUSTOM_FIELDS: Final = Listing(
    sorts={"id": "id", "label": "label", "created_at": "created_at"}, default_sort="id", key=("id",)
)

CUSTOM_FIELD_ROW: Final = row_of(
    AssetCustomField,
    Column("id", "id"),
    Column("project_id", "project_id", partial(ids.of, "project")),
    Column("label", "label"),
    Column("value_type", "value_type"),
    Column("created_at", "created_at"),
)


async def list_asset_custom_fields(tx: Read, project: int, request: ListRequest) -> Page[AssetCustomField]:
    """The custom fields of a project."""
    of_project = SQL("project_id = {}").format(Literal(project))
    return await page_of(
        tx, CUSTOM_FIELD_ROW.make, ASSET_CUSTOM_FIELDS, request,
        columns=CUSTOM_FIELD_ROW.columns, source="asset_custom_fields",
        where=[of_project],
    )  # fmt: skip


async def get_asset_custom_field(tx: Read, project: int, named: str) -> AssetCustomField:
    """One custom field by its number."""
    try:
        number = read_int4(named)
    except ValueError:
        raise NotFound from None
    asset_custom_field = await tx.row(
        CUSTOM_FIELD_ROW.make,
        f"SELECT {CUSTOM_FIELD_ROW.columns} FROM asset_custom_fields WHERE project_id = %s AND id = %s",
        (project, number),
    )
    if asset_custom_field is None:
        raise NotFound
    return asset_custom_field
