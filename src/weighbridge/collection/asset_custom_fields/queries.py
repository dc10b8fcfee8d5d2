"""Read custom fields."""

from typing import Final

from psycopg.sql import SQL, Literal

from weighbridge.collection.asset_custom_fields.records import AssetCustomField
from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Listing, ListRequest, Page, page_of, read_int4
from weighbridge.errors import NotFound

ASSET_CUSTOM_FIELDS: Final = Listing(
    sorts={"id": "id", "label": "label", "created_at": "created_at"}, default_sort="id", key=("id",)
)

_COLUMNS: Final = "project_id, id, label, value_type, created_at"


async def list_asset_custom_fields(tx: Read, project: int, request: ListRequest) -> Page[AssetCustomField]:
    """The custom fields of a project."""
    return await page_of(
        tx, _field, ASSET_CUSTOM_FIELDS, request,
        columns=_COLUMNS, source="asset_custom_fields",
        where=[SQL("project_id = {}").format(Literal(project))],
    )  # fmt: skip


async def get_asset_custom_field(tx: Read, project: int, named: str) -> AssetCustomField:
    """One custom field by its number."""
    try:
        number = read_int4(named)
    except ValueError:
        raise NotFound from None
    asset_custom_field = await tx.row(
        _field,
        f"SELECT {_COLUMNS} FROM asset_custom_fields WHERE project_id = %s AND id = %s",
        (project, number),
    )
    if asset_custom_field is None:
        raise NotFound
    return asset_custom_field


def _field(project: int, number: int, label: str, value_type: str, created: Instant) -> AssetCustomField:
    return AssetCustomField(number, ids.of("project", project), label, value_type, created)
