"""Read assets."""

from typing import Final

from psycopg.sql import SQL, Composable, Literal

from weighbridge.collection.assets.records import Asset
from weighbridge.collection.named_records.asset import ASSET_ROW
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, page_of
from weighbridge.errors import NotFound
from weighbridge.platform.tenancy.project_filter import project_filter

ASSETS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("project_id", "id"),
    filters={
        "name": Filter("name", str, "a name"),
        "project_id": project_filter("project_id"),
    },
)


async def list_assets_of_project(tx: Read, project: int, request: ListRequest) -> Page[Asset]:
    """The assets of a project."""
    return await _page(tx, request, SQL("project_id = {}").format(Literal(project)))


async def list_assets(tx: Read, actor: Actor, request: ListRequest) -> Page[Asset]:
    """The assets of every project of the actor's account."""
    mine = SQL("project_id IN (SELECT id FROM projects WHERE account_id = {})").format(
        Literal(actor.account_id)
    )
    return await _page(tx, request, mine)


async def get_asset(tx: Read, project: int, number: int) -> Asset:
    """One asset by its number."""
    asset = await tx.row(
        ASSET_ROW.make,
        f"SELECT {ASSET_ROW.columns} FROM assets WHERE project_id = %s AND id = %s",
        (project, number),
    )
    if asset is None:
        raise NotFound
    return asset


async def _page(tx: Read, request: ListRequest, where: Composable) -> Page[Asset]:
    return await page_of(
        tx, ASSET_ROW.make, ASSETS, request, columns=ASSET_ROW.columns, source="assets", where=[where]
    )
